"""The ledger: complete, chained, and enough to recompute every item; tampering is named."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from core.workflow import adjudicate, audit, look, review, undo, write
from core.workflow.transitions import TRACKED
from core.workflow.verify import replay, verify
from core.workflow.workspace import Workspace
from db.queries import replay as rows
from tests.workspaces import TASK, accept_all, make_task, payload, write_items


@pytest.fixture
def busy(location: str) -> Workspace:
    """A workspace with a life: accepted, returned, disputed, settled, undone, audited items."""
    ws = Workspace.open(location)
    make_task(ws, audit_sample=1)
    numbers = write_items(ws, 6)
    accept_all(ws, numbers[:3], "li")
    review.decide(ws, "li", numbers[3], "return", note="n")
    write.revise(ws, "ann", numbers[3], payload("新"))
    undo.undo(ws, "ann")
    review.decide(ws, "li", numbers[4], "reject", reason="other")
    audit.start(ws, TASK, "ruth", seed=1)
    make_task(ws, "pairs", overlap=2)
    (pair,) = write_items(ws, 1, task="pairs", start=50)
    review.decide(ws, "li", pair, "accept")
    review.decide(ws, "wu", pair, "reject", reason="other")
    adjudicate.settle(ws, "zoe", pair, "accept")
    yield ws
    ws.close()


def test_everything_is_recomputed_from_the_events(busy):
    found = verify(busy)
    assert found.sound, found.findings
    assert (found.items, found.revisions) == (7, 8)
    with busy.reading() as session:
        computed, _ = replay(session)
        for row in rows.items(session, TRACKED):
            assert computed[row[0]] == dict(zip(TRACKED, row[1:], strict=True))


REWORDED = """
UPDATE revision SET payload = '{"instruction": "x", "output": "y"}' WHERE item_id = 2
"""


def meddle(ws: Workspace, statement: str) -> None:
    """Change the database past the program, as somebody with its password could."""
    with ws.writing() as session:
        if not ws.is_server:
            for name in ("event_no_update", "revision_no_update", "event_no_delete"):
                session.execute(text(f"DROP TRIGGER {name}"))
        else:
            session.execute(text("SET LOCAL session_replication_role = replica"))
        session.connection().exec_driver_sql(statement)


@pytest.mark.parametrize(
    ("statement", "kind", "subject"),
    [
        ("UPDATE item SET state = 'approved' WHERE id = 6", "item", "#6"),
        ("UPDATE item SET open_slots = 4 WHERE id = 6", "item", "#6"),
        ("UPDATE item SET taken = 3 WHERE id = 6", "places", "#6"),
        ("UPDATE item SET content_hash = 'x' WHERE id = 2", "content", "#2"),
        ("UPDATE event SET actor = 'eve' WHERE id = 9", "chain", "event 9"),
        ("DELETE FROM event WHERE id = 9", "chain", "event 10"),
        (REWORDED, "content", "#2"),
    ],
)  # fmt: skip
def test_what_was_changed_past_the_program_is_named(busy, statement, kind, subject):
    meddle(busy, statement)
    found = verify(busy).findings
    assert (kind, subject) in {(entry.kind, entry.subject) for entry in found}


def test_history_cannot_be_changed_without_taking_the_triggers_away(busy):
    for statement in (
        "UPDATE event SET actor = 'eve' WHERE id = 1",
        "DELETE FROM event WHERE id = 1",
        "UPDATE revision SET note = 'x' WHERE id = 1",
        "DELETE FROM item WHERE id = 1",
        "DELETE FROM decision WHERE id = 1",
    ):
        with pytest.raises(Exception, match="append-only"), busy.writing() as session:
            session.execute(text(statement))


def test_a_past_moment_can_be_asked(busy):
    life = look.life(busy, 1)
    moments = [datetime.fromisoformat(event.at) for event in life.events]
    made = look.as_of(busy, moments[0])
    assert made.states["draft"] == 1
    accepted = look.as_of(busy, moments[1])
    assert accepted.items[0].state == "accepted"
    assert accepted.states["draft"] == 5
    assert look.as_of(busy, datetime.now(UTC).date()).states == look.counts(busy)
    before = look.as_of(busy, datetime.now(UTC).date() - timedelta(days=1))
    assert before.items == ()
