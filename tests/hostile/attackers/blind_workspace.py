"""Workspaces with hidden facts that cannot be mistaken, in pairs that differ in these facts alone.

What somebody may not know must neither be printed nor change what is: two workspaces that differ
only in it look alike to them, in every word, count and order.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from core.workflow import people
from core.workflow.analysis import second_look
from core.workflow.audit import lots
from core.workflow.check import adjudicate, gold, rate, review
from core.workflow.items import bulk, history, search, undo
from core.workflow.items.bulk import BulkAction
from core.workflow.items.search import Filters
from core.workflow.lookup import item_in
from core.workflow.production import import_items, write
from core.workflow.production.import_items import ImportOrder
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import assignments, runs, screenings
from db import people as person_rows
from db.vocabulary import EventKind, Stage
from tests.full_workspace import FullWorkspace, fill
from tests.workspaces import BENCHMARK, make_task, payload

TASK = "blind"
RATED = "blind ratings"
AUDITED = "blind audit"
WRITERS = ("Amaraquillon", "Brunovexley")
PEERS = ("Peeronyx", "Peersard", "Peerjade", "Peerlarch", "Peeraudit", "Peerelsewhere")
VIEWERS: Mapping[str, str] = MappingProxyType(
    {"Ned": "annotator", "Zora": "specialist", "Rhea": "researcher", "Lena": "lead"}
)
GONE, UNKNOWN = "Gwen", "Nobodyknown"
NOTES = (
    "rationalemark", "acceptmark", "withdrawnmark", "skipmark", "goldmark", "adjudicationmark",
    "reopenmark", "bulkmark", "secondmark", "formermark", "auditmark", "annotationmark",
)  # fmt: skip
COUNTED = ("auditmark",)  # a reason, which figures over all items count
SCORES = ("7.3519", "9.3519")
MARKS = (*NOTES, *SCORES, *WRITERS, *PEERS)


@dataclass(frozen=True, slots=True)
class Facts:
    """What differs between two workspaces: nothing else does."""

    writer: str
    score: float
    verdict: str
    rating: float


TWINS = (Facts(WRITERS[0], 7.3519, "accept", 1.0), Facts(WRITERS[1], 9.3519, "reject", 3.0))


@dataclass(frozen=True, slots=True)
class Blind:
    """The items with something hidden: ``judged`` waits for more reviewers, ``held`` likewise and
    each viewer holds it, ``gold`` is held by each viewer as a gold item, ``reopened`` was decided
    before, ``rated`` has ratings of one person. ``failed`` was accepted, failed its audit and has a
    new revision, ``imported`` has beside it what people elsewhere said of it. ``between`` is a
    moment at which ``reopened`` was decided. ``event`` is a decision on ``judged``."""

    judged: int
    held: int
    gold: int
    reopened: int
    rated: int
    failed: int
    imported: int
    between: datetime
    event: int
    rest: FullWorkspace

    @property
    def hidden(self) -> tuple[int, ...]:
        """All of them."""
        return (self.judged, self.held, self.gold, self.reopened, self.rated,
                self.failed, self.imported)  # fmt: skip


def plant(ws: Workspace, facts: Facts) -> Blind:
    """A full workspace with hidden facts, and viewers who have decided nothing."""
    rest = fill(ws)
    for name in (*WRITERS, *PEERS[:4], GONE):
        people.ensure_person(ws, name, "specialist")
    for name, role in VIEWERS.items():
        people.ensure_person(ws, name, role)
    people.set_active(ws, GONE, False)
    people.ensure_person(ws, PEERS[4], "researcher")
    make_task(ws, TASK, overlap=9)
    make_task(ws, RATED, rating_sample=1, raters=9, rubric="coreeval")
    judged, held, reopened, known = (_written(ws, facts, place) for place in range(4))
    event = _judge(ws, facts, judged)
    _judge(ws, facts, held)
    between = _reopen(ws, facts, reopened)
    _make_gold(ws, known)
    rated = _written(ws, facts, 9, RATED)
    rate.draw(ws, RATED, "ray", seed=1)
    rate.rate(ws, PEERS[0], rated, {"fluency": facts.rating})
    for number, is_gold in ((held, False), (known, True)):
        _lease(ws, number, is_gold)
    failed, imported = _failed(ws, facts), _imported(ws, facts)
    return Blind(judged, held, known, reopened, rated, failed, imported, between, event, rest)


def _written(ws: Workspace, facts: Facts, place: int, task: str = TASK) -> int:
    return write.submit(ws, facts.writer, task, payload(f"另{place}次")).number


def _judge(ws: Workspace, facts: Facts, number: int) -> int:
    """A score, a decision, one that was taken back, and somebody who skipped it."""
    _screen(ws, facts, number)
    words = {"reason": "acceptmark", "note": "acceptmark"}
    event = review.decide(ws, PEERS[0], number, facts.verdict, **words).event
    review.decide(ws, PEERS[1], number, facts.verdict, reason="withdrawnmark")
    undo.undo(ws, PEERS[1])
    with ws.writing() as session:
        person = person_rows.named(session, PEERS[2])
        assert person is not None
        assignments.lease_item(session, number, person.id, Stage.CHECK, timedelta(minutes=30))
    review.skip(ws, PEERS[2], number, "skipmark")
    return event


def _screen(ws: Workspace, facts: Facts, number: int) -> None:
    """A score of the gate."""
    with ws.writing() as session:
        if runs.get(session, "blind run") is None:
            runs.add(session, "blind run", "prescreen")
        row = {
            "item_id": number, "revision": 1, "run_id": "blind run", "outcome": "passed",
            "score": facts.score, "threshold": 6.0, "rationale": "rationalemark", "model": "m",
            "prompt_version": "1", "audited": False, "tokens": 9,
        }  # fmt: skip
        screenings.add(session, [row])
        data = {"run": "blind run", "outcome": "passed", "score": facts.score, "threshold": 6.0}
        apply(session, EventKind.SCREENED, "", [Move(item_in(session, number), {}, data)])


def _reopen(ws: Workspace, facts: Facts, number: int) -> datetime:
    """The item decided by a bulk action and by people, then in review again."""
    with ws.writing() as session:
        item = item_in(session, number, lock=True)
        values = {"state": f"{facts.verdict}ed", "open_slots": 0}
        data = {"verdict": facts.verdict, "reason": "reopenmark", "note": "bulkmark"}
        apply(session, EventKind.DECIDED, PEERS[3], [Move(item, values, data)])
    between = datetime.fromisoformat(history.item_history(ws, number, "Lena").events[-1].at)
    bulk.run(ws, Filters(numbers=(number,)), BulkAction("reopen", "bulkmark"), "ray")
    return between


def _failed(ws: Workspace, facts: Facts) -> int:
    """An item that was accepted, failed its audit, and waits for reviewers in a new revision."""
    make_task(ws, AUDITED, overlap=1, audit_sample=1, audit_allowed=0)
    number = _written(ws, facts, 7, AUDITED)
    _screen(ws, facts, number)
    review.decide(ws, PEERS[0], number, "accept", note="formermark")
    lots.start(ws, AUDITED, "ray", seed=1)
    lots.decide(ws, PEERS[4], number, "reject", reason="auditmark")
    write.revise(ws, facts.writer, number, payload("换了词"))
    return number


def _imported(ws: Workspace, facts: Facts) -> int:
    """An item from a file that has beside it what somebody chose elsewhere."""
    chosen = {"choices": [facts.verdict, "annotationmark"]}
    annotation = {"completed_by": PEERS[5], "result": [{"value": chosen}]}
    row = payload("搬来的") | {"annotations": [annotation], "verdict of another": facts.score}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "rows.jsonl"
        file.write_text(json.dumps(row) + "\n", encoding="utf-8")
        order = ImportOrder(file, TASK, BENCHMARK, format="jsonl", person="boss")
        import_items.import_file(ws, order)
    return max(search.numbers(ws, Filters(task=TASK), viewer="boss"))


def _make_gold(ws: Workspace, number: int) -> None:
    """A disputed item that was adjudicated, is a gold item now and waits for a second look."""
    with ws.writing() as session:
        apply(
            session, EventKind.CLAIMED, "", [Move(item_in(session, number), {"open_slots": 2}, {})]
        )
    review.decide(ws, PEERS[0], number, "accept", note="goldmark")
    review.decide(ws, PEERS[1], number, "reject", reason="goldmark")
    adjudicate.settle(ws, PEERS[2], number, "accept", note="adjudicationmark")
    with ws.writing() as session:
        apply(
            session,
            EventKind.AUDIT_ENDED,
            "",
            [Move(item_in(session, number), {"state": "approved"}, {})],
        )
    gold.mark_gold(ws, "boss", number, "accept")
    second_look.run_for_numbers(ws, "second_look", [number], "ray", "secondmark")


def _lease(ws: Workspace, number: int, is_gold: bool) -> None:
    with ws.writing() as session:
        for name in VIEWERS:
            person = person_rows.named(session, name)
            assert person is not None
            hours = timedelta(hours=99)
            assignments.lease_item(session, number, person.id, Stage.CHECK, hours, gold=is_gold)
