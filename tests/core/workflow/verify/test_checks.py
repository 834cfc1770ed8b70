"""The ledger: complete, chained, and enough to recompute every item; tampering is named."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from core.errors import InputError
from core.workflow import people
from core.workflow import verify as verify_package
from core.workflow.audit import lots
from core.workflow.check import adjudicate, rate, review
from core.workflow.items import history, state_counts, undo
from core.workflow.labels import FINDINGS
from core.workflow.production import write
from core.workflow.splits import freeze, lifecycle
from core.workflow.transitions import TRACKED
from core.workflow.verify.checks import verify
from core.workflow.verify.replay import replay
from core.workflow.workspace import Workspace
from db.queries import replay as rows
from tests.postgres import PostgresServer
from tests.tampering import meddle
from tests.workspaces import BENCHMARK, TASK, accept_all, make_task, payload, write_items


def kinds() -> set[str]:
    """Every kind that the source of ``core.workflow.verify`` gives to a finding."""
    found = set()
    for path in Path(verify_package.__path__[0]).glob("*.py"):
        text_ = path.read_text(encoding="utf-8")
        calls = r"(?:VerifyFinding|_other|_gone|_no_event|_compared)"
        found |= set(re.findall(rf'{calls}\(\s*(?:session, )?"(\w+)"', text_))
        found |= set(re.findall(r'^    "\w+": \(\s*"(\w+)", lambda', text_, re.MULTILINE))
    return found


def test_every_kind_of_finding_has_a_word():
    assert {"chain", "item", "screening", "rating_draw", "receipt"} <= kinds()
    assert kinds() - set(FINDINGS) == set()


def live(location: str) -> None:
    """Give a workspace a life: accepted, returned, disputed, settled, undone, audited items."""
    ws = Workspace.open(location)
    make_task(ws, audit_sample=1)
    numbers = write_items(ws, 6)
    accept_all(ws, numbers[:3], "li")
    review.decide(ws, "li", numbers[3], "return", note="n")
    write.revise(ws, "ann", numbers[3], payload("新"))
    undo.undo(ws, "ann")
    review.decide(ws, "li", numbers[4], "reject", reason="other")
    people.ensure_person(ws, "ruth", "researcher")
    lots.start(ws, TASK, "ruth", seed=1)
    make_task(ws, "pairs", overlap=2)
    (pair,) = write_items(ws, 1, task="pairs", start=50)
    review.decide(ws, "li", pair, "accept")
    review.decide(ws, "wu", pair, "reject", reason="other")
    adjudicate.settle(ws, "zoe", pair, "accept")
    rate.rate(ws, "wu", numbers[0], {"fluency": 2})
    rate.rate(ws, "wu", numbers[0], {"fluency": 3})
    ws.close()


@pytest.fixture(scope="module")
def sqlite_template(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a workspace that has lived, copied for every test."""
    folder = tmp_path_factory.mktemp("lived")
    database = Path(shutil.copy(sqlite_template, folder / "workspace.db"))
    live(str(folder))
    return database


@pytest.fixture(scope="module")
def postgres_template(
    pg_server: PostgresServer, postgres_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The database of a workspace that has lived, copied for every test."""
    name = pg_server.create(postgres_template)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHSEAL_FOLDER", str(tmp_path_factory.mktemp("lived") / "folder"))
        live(pg_server.url(name))
    yield name
    pg_server.drop(name)


@pytest.fixture
def busy(location: str) -> Iterator[Workspace]:
    """A workspace that has lived."""
    ws = Workspace.open(location)
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

COPIED = """
INSERT INTO decision (id, item_id, revision, stage, kind, person_id, verdict, reason, note,
                      seconds, at)
SELECT 99, item_id, revision, stage, 'bulk', person_id, 'reject', '', '', 0, at
FROM decision WHERE id = 1
"""


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
        ("UPDATE revision SET author_id = NULL WHERE item_id = 1", "content", "#1"),
        ("UPDATE decision SET verdict = 'reject' WHERE id = 1", "decision", "decision 1 on #1"),
        ("UPDATE decision SET reason = 'x' WHERE id = 5", "decision", "decision 5 on #5"),
        ("UPDATE decision SET note = 'x' WHERE id = 4", "decision", "decision 4 on #4"),
        ("UPDATE decision SET withdrawn_event = 3 WHERE id = 1", "decision", "decision 1 on #1"),
        ("DELETE FROM decision WHERE id = 1", "decision", "decision 1 on #1"),
        (COPIED, "decision", "decision 99 on #1"),
        ("UPDATE rating SET value = 1 WHERE id = 2", "rating", "rating 2 of #1"),
        ("UPDATE rating SET withdrawn_event = NULL WHERE id = 1", "rating", "rating 1 of #1"),
        ("DELETE FROM rating WHERE id = 2", "rating", "rating 2 of #1"),
        ("UPDATE person SET role = 'lead' WHERE name = 'li'", "person", "li"),
        ("UPDATE person SET name = 'eve' WHERE name = 'li'", "person", "eve"),
        ("UPDATE lot SET state = 'passed'", "lot", f"lot 1 of {TASK}"),
        ("UPDATE lot_item SET position = NULL", "lot", f"lot 1 of {TASK}"),
        ("UPDATE task SET profile = '{\"labels\": [\"a\"]}' WHERE id = 1", "task", TASK),
        ("UPDATE protocol SET settings = '{\"overlap\": 9}' WHERE id = 1", "task", TASK),
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
    life = history.item_history(busy, 1, "")
    moments = [datetime.fromisoformat(event.at) for event in life.events]
    made = history.as_of(busy, moments[0], viewer="")
    assert made.states["draft"] == 1
    accepted = history.as_of(busy, moments[1], viewer="")
    assert accepted.items[0].state == "accepted"
    assert accepted.states["draft"] == 5
    today = history.as_of(busy, datetime.now(UTC).date(), viewer="")
    assert today.states == state_counts.counts(busy)
    before = history.as_of(busy, datetime.now(UTC).date() - timedelta(days=1), viewer="")
    assert before.items == ()


def test_the_receipt_of_a_sealed_split_shows_that_the_end_was_cut_off(busy):
    people.ensure_person(busy, "boss", "lead")
    freeze.freeze(busy, "s1", BENCHMARK)
    receipt = asdict(lifecycle.seal(busy, "s1", "boss"))
    assert verify(busy, receipt).sound
    meddle(busy, f"DELETE FROM event WHERE id >= {receipt['event']}")
    assert "receipt" in {entry.kind for entry in verify(busy, receipt).findings}
    with pytest.raises(InputError, match="receipt"):
        verify(busy, {"a": 1})


def test_an_event_that_is_no_json_any_more_is_named_not_stumbled_over(busy):
    meddle(busy, "UPDATE event SET data = '{' WHERE id = 9")
    assert ("chain", "event 9") in {(f.kind, f.subject) for f in verify(busy).findings}
