"""Lists of items are found by what few of them have."""

from core.families.base import ItemContent
from core.workflow import people
from core.workflow.people import ensure_benchmark_in, ensure_task_in
from core.workflow.production.take_in_items import new_items
from db import items
from db.queries import item_lists
from db.vocabulary import ItemState


def test_returned_items_are_found_without_a_look_at_all_that_nobody_wrote(sqlite_ws):
    writer = people.ensure_person(sqlite_ws, "Writer", "annotator")
    other = people.ensure_person(sqlite_ws, "Other", "annotator")
    with sqlite_ws.writing() as session:
        home = ensure_benchmark_in(session, "b")
        task = ensure_task_in(session, home, "quiz", "answer")
        payloads = [{"question": f"{n}?", "answers": ["x"]} for n in range(5)]
        drafts = [(ItemContent("answer", "answer", payload), task) for payload in payloads]
        authors = (None, writer.id, other.id, writer.id, None)
        new = [item._replace(author_id=author)
               for item, author in zip(new_items(drafts, None), authors, strict=True)]  # fmt: skip
        numbers = items.add(session, new)
        items.change(session, numbers[:3], state=ItemState.RETURNED)
    asked: list[str] = []
    with sqlite_ws.reading() as session:
        connection = session.connection().connection.driver_connection
        connection.set_trace_callback(asked.append)
        try:
            assert item_lists.returned_to(session, writer.id) == numbers[:2]
            assert item_lists.returned_to(session, writer.id, home.id) == numbers[:2]
            assert item_lists.returned_to(session, writer.id, home.id + 1) == []
            assert item_lists.returned_to(session, writer.id, task_id=task.id, limit=1) == [
                numbers[0]
            ]
            assert item_lists.returned_by_task(session, writer.id) == {task.id: 2}
            assert item_lists.returned_by_task(session, writer.id, home.id + 1) == {}
        finally:
            connection.set_trace_callback(None)
        plans = [
            " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}"))
            for statement in asked
            if statement.startswith("SELECT item.")
        ]
    assert len(plans) == 6
    found = [name for plan in plans for name in ("ix_item_state", "ix_item_task_state")
             if name in plan]  # fmt: skip
    assert found == [*["ix_item_state"] * 3, "ix_item_task_state", *["ix_item_state"] * 2], plans
