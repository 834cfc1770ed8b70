"""Items are counted by what the database keeps, and that is what is there."""

from collections import Counter

from sqlalchemy import text

from core.workflow.people import ensure_benchmark_in, ensure_task_in
from core.workflow.production.new_items import new_item
from core.workflow.verify import checks
from core.workflow.workspace import Workspace
from db import items
from db.counting import item_counts
from db.engine import Store, migrate_in
from db.importing import pending_imports
from db.queries import item_lists
from db.session import Session
from tests.splits import varied

KEY = ("task_id", "state", "format", "label", "is_open", "is_free")


def add(session: Session, *numbers: int, task: str = "t") -> list[int]:
    row = ensure_task_in(session, ensure_benchmark_in(session, "b"), task, "scp")
    return items.add(session, [new_item(varied(number), row, None) for number in numbers])


def counted(session: Session) -> Counter:
    return Counter({row[:-1]: row[-1] for row in item_counts.counted(session, KEY)})


def there(session: Session) -> Counter:
    """The same of each item, one by one."""
    return Counter(
        (row.task_id, row.state, row.format, row.label, row.taken < row.open_slots,
         row.lot_id is None and not row.barred)
        for row in items.in_state(session, ("draft", "in_review", "accepted", "approved"))
    )  # fmt: skip


def test_counts_follow_what_is_written_in_whatever_way(store: Store):
    with store.writing() as session:
        first, second, third, fourth = add(session, 1, 2, 3, 4)
        add(session, 5, task="u")
        assert counted(session) == there(session)
        items.change(session, [first, second, third], state="in_review", open_slots=2)
        items.change(session, [second], taken=1)
        items.change(session, [third], taken=2)
        assert counted(session) == there(session)
        items.change(session, [first], state="accepted", open_slots=0, label="yes")
        session.execute(text(f"UPDATE item SET state = 'approved' WHERE id = {fourth}"))
        assert counted(session) == there(session)
        assert item_counts.differences(session) == []
        assert item_counts.total(session, state="in_review", is_open=True) == 1
        assert item_counts.total(session, state="rejected") == 0
    with store.reading() as session:
        assert item_lists.states(session) == {
            "accepted": 1, "in_review": 2, "approved": 1, "draft": 1,
        }  # fmt: skip
        assert item_lists.states_by_task(session, 1) == {
            1: {"accepted": 1, "in_review": 2, "approved": 1},
            2: {"draft": 1},
        }


def test_what_is_taken_back_is_not_counted(store: Store):
    with store.writing() as session:
        add(session, 1)
    with store.writing() as session:
        items.change(session, [1, *add(session, 2)], state="in_review")
        assert item_lists.states(session) == {"in_review": 2}
        session.rollback()
    with store.reading() as session:
        assert item_lists.states(session) == {"draft": 1}
        assert item_counts.differences(session) == []


def test_what_an_import_hides_is_counted_when_it_is_shown(store: Store):
    with store.writing() as session:
        add(session, 1)
        hidden = add(session, 2, 3)
        pending_imports.hide(session, "i", 1, "rostore.csv", hidden, None)
        assert item_lists.states_of_task(session, 1) == {"draft": 1}
        assert counted(session) == there(session)
        assert item_counts.total(session, benchmark_id=1, state="draft") == 1
        add(session, 4)
        assert item_lists.states(session) == {"draft": 2}
        pending_imports.show(session, pending_imports.ending(session, "i"))
        assert item_lists.states_of_task(session, 1) == {"draft": 4}


def test_nothing_is_kept_of_a_label_that_no_item_has(sqlite_ws: Workspace):
    with sqlite_ws.writing() as session:
        (number,) = add(session, 1)
        items.change(session, [number], label="a secret")
        items.change(session, [number], label="")
        kept = session.execute(text("SELECT label, items FROM item_count")).all()
    assert [tuple(row) for row in kept] == [("", 1)]


def test_an_older_workspace_is_counted_when_it_is_brought_up_to_date(tmp_path):
    store = Store.create(f"sqlite:///{tmp_path / 'w.db'}")
    with store.engine.connect().execution_options(writes=True) as connection, connection.begin():
        with Session(connection) as session:
            items.change(session, add(session, 1, 2, 3)[:1], state="in_review", open_slots=1)
        for name in ("in", "on", "out"):
            connection.exec_driver_sql(f"DROP TRIGGER item_counted_{name}")
        for statement in (
            "DROP TABLE item_count",
            "DROP INDEX ix_event_second_look",
            "UPDATE alembic_version SET version_num = '0011'",
        ):
            connection.exec_driver_sql(statement)
        migrate_in(connection)
        with Session(connection) as session:
            assert item_lists.states(session) == {"draft": 2, "in_review": 1}
            assert item_counts.total(session, state="in_review", is_open=True) == 1
            add(session, 4)
            assert item_counts.differences(session) == []
    store.close()


def test_verify_names_a_count_that_is_not_what_is_there(sqlite_ws: Workspace):
    with sqlite_ws.writing() as session:
        add(session, 1, 2)
    before = {finding.detail for finding in checks.verify(sqlite_ws).findings}
    with sqlite_ws.writing() as session:
        session.execute(text("UPDATE item_count SET items = 7"))
    found = [one for one in checks.verify(sqlite_ws).findings if one.detail not in before]
    assert {(one.kind, one.subject) for one in found} == {("schema", "item_count")}
    assert {one.detail for one in found} == {
        "items of task 1 in state draft: the file says 7, it has 1"
    }


def test_a_database_without_the_counts_is_told_by_its_missing_table_alone(sqlite_ws: Workspace):
    with sqlite_ws.writing() as session:
        for name in ("in", "on", "out"):
            session.execute(text(f"DROP TRIGGER item_counted_{name}"))
        session.execute(text("DROP TABLE item_count"))
    subjects = {one.subject for one in checks.verify(sqlite_ws).findings if one.kind == "schema"}
    assert "table item_count" in subjects
    assert "item_count" not in subjects


def test_counting_looks_at_no_item_that_is_shown(sqlite_ws: Workspace):
    with sqlite_ws.writing() as session:
        add(session, 1, 2)
    seen: list[str] = []
    with sqlite_ws.reading() as session:
        connection = session.connection().connection.driver_connection
        connection.set_trace_callback(seen.append)
        item_lists.states(session)
        item_lists.states_of_task(session, 1)
        item_counts.total(session, benchmark_id=1, is_open=True)
        connection.set_trace_callback(None)
        plans = [
            row[-1]
            for statement in seen
            for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")
        ]
    assert plans
    assert not [line for line in plans if line == "SCAN item"], plans
