"""Whoever loses the right to do something after asking for it does not do it any more."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.errors import RightsError
from core.workflow import people, tasks
from core.workflow.analysis import second_look
from core.workflow.audit import lots
from core.workflow.check import adjudicate, blinding, gold, leases, rate, review
from core.workflow.dashboards import alarms
from core.workflow.dashboards.alarms import Alarm
from core.workflow.dashboards.people import reveal_names
from core.workflow.items import bulk
from core.workflow.items.bulk import BulkAction
from core.workflow.items.search import Filters
from core.workflow.production import import_items, task_view, write
from core.workflow.production.import_items import ImportOrder
from core.workflow.production.task_view import TaskEdit
from core.workflow.splits import freeze, lifecycle
from core.workflow.splits.selection import FreezeOrder
from core.workflow.workspace import Workspace
from db import people as person_rows
from db.engine import Session
from tests.full_workspace import RATED, SPLIT, FullWorkspace, fill, stored_rows
from tests.workspaces import BENCHMARK, TASK, payload

Call = Callable[[Workspace, FullWorkspace], object]
RATINGS = {"fluency": 3.0}
EDIT = TaskEdit("new guideline", "", (), {"target": "9"})


# Each: who does it, and what; the first of them may, until they are made an annotator.
ABOVE_ANNOTATOR: dict[str, tuple[str, Call]] = {
    "settle": ("zoe", lambda ws, at: adjudicate.settle(ws, "zoe", at.disputed[0], "accept")),
    "draw for rating": ("ray", lambda ws, at: rate.draw(ws, RATED, "ray", seed=2)),
    "mark gold": ("ray", lambda ws, at: gold.mark_gold(ws, "ray", at.accepted[0], "accept")),
    "unmark gold": ("ray", lambda ws, at: gold.unmark_gold(ws, "ray", at.gold[0])),
    "lift a pause": ("boss", lambda ws, at: gold.lift_pause(ws, "boss", "li")),
    "reveal": ("ray", lambda ws, at: blinding.reveal(ws, "ray", at.waiting[0])),
    "reveal all": ("ray", lambda ws, at: blinding.reveal_all(ws, "ray", BENCHMARK)),
    "reveal names": (
        "ray", lambda ws, at: reveal_names(ws, "ray", BENCHMARK)
    ),
    "start an audit": ("boss", lambda ws, at: lots.start(ws, TASK, "boss", seed=1)),
    "audit": ("ray", lambda ws, at: lots.decide(ws, "ray", at.drawn[0], "accept")),
    "bulk": (
        "ray",
        lambda ws, at: bulk.run(
            ws, Filters(numbers=(at.waiting[0],)), BulkAction("reject", "no"), "ray"
        ),
    ),
    "second look": (
        "ray",
        lambda ws, at: second_look.run_for_numbers(
            ws, "second_look", [at.frozen[0]], "ray", "look again"
        ),
    ),
    "freeze": ("ray", lambda ws, at: freeze.freeze(ws, "t", BENCHMARK, "ray")),
    "freeze halves": (
        "ray",
        lambda ws, at: freeze.freeze_order(ws, FreezeOrder("t", BENCHMARK, "u", seed=1), "ray"),
    ),
    "seal": ("ray", lambda ws, at: lifecycle.seal(ws, SPLIT, "ray")),
    "expire": ("boss", lambda ws, at: lifecycle.expire(ws, SPLIT, "boss")),
    "add a task": (
        "boss", lambda ws, at: tasks.add(ws, "x", "scp", benchmark="b", person="boss")
    ),
    "edit a protocol": (
        "boss", lambda ws, at: tasks.set_protocol(ws, TASK, {"target": "9"}, person="boss")
    ),
    "change a task": (
        "boss", lambda ws, at: tasks.change(ws, TASK, "boss", guideline="new guideline")
    ),
    "edit a task": (
        "boss",
        lambda ws, at: task_view.edit(ws, TASK, BENCHMARK, "boss", EDIT, dry_run=False),
    ),
    "add a person": ("boss", lambda ws, at: people.ensure_person(ws, "new", "lead", "boss")),
    "change a role": ("boss", lambda ws, at: people.set_role(ws, "li", "researcher", "boss")),
    "send away": ("boss", lambda ws, at: people.set_active(ws, "li", False, "boss")),
    "set an alarm": (
        "boss", lambda ws, at: alarms.set_alarm(ws, "boss", Alarm("fleiss_kappa", 0.5))
    ),
    "remove an alarm": ("boss", lambda ws, at: alarms.remove_alarm(ws, "boss", 1)),
}  # fmt: skip
# Each: who does it, and what; they may until they leave.
ANYBODY: dict[str, tuple[str, Call]] = {
    "save a draft": ("ann", lambda ws, at: write.save_draft(ws, "ann", TASK, payload("x"))),
    "submit": ("ann", lambda ws, at: write.submit(ws, "ann", TASK, payload("x"))),
    "revise": ("ann", lambda ws, at: write.revise(ws, "ann", at.returned[0], payload("x"))),
    "import": (
        "ann",
        lambda ws, at: import_items.import_file(
            ws, ImportOrder(Path(os.environ["HOME"]) / "in.jsonl", TASK, BENCHMARK, person="ann")
        ),
    ),
    "add a wording": (
        "ann",
        lambda ws, at: task_view.add_variant(ws, TASK, BENCHMARK, "ann", "Say it.", public=False),
    ),
    "claim": ("zoe", lambda ws, at: review.next_card(ws, "zoe", BENCHMARK)),
    "review": ("zoe", lambda ws, at: review.decide(ws, "zoe", at.waiting[0], "accept")),
    "skip": ("wu", lambda ws, at: review.skip(ws, "wu", at.rated[0])),
    "renew": ("wu", lambda ws, at: leases.renew(ws, "wu")),
    "claim to rate": ("zoe", lambda ws, at: rate.next_card(ws, RATED, "zoe")),
    "rate": ("zoe", lambda ws, at: rate.rate(ws, "zoe", at.rated[0], RATINGS)),
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, FullWorkspace]:
    """A full workspace, copied for every test; wu holds an item, one alarm is set."""
    folder = tmp_path_factory.mktemp("full") / "workspace"
    ws = Workspace.create(folder)
    filled = fill(ws)
    alarms.set_alarm(ws, "boss", Alarm("fleiss_kappa", 0.4))
    held = review.next_card(ws, "wu", BENCHMARK)
    assert held is not None
    assert held.number == filled.rated[0]
    ws.close()
    return folder, filled


@pytest.fixture
def at(template: tuple[Path, FullWorkspace], home: Path) -> FullWorkspace:
    """The numbers of the items in ``ws``; a file can be imported."""
    line = '{"input": "文章：一", "output": "二", "instruction": "三", "language": "zh"}\n'
    (home / "in.jsonl").write_text(line, encoding="utf-8")
    return template[1]


@pytest.fixture
def ws(template: tuple[Path, FullWorkspace], tmp_path: Path) -> Iterator[Workspace]:
    """A full workspace of this test's own."""
    shutil.copytree(template[0], tmp_path / "workspace")
    opened = Workspace.open(tmp_path / "workspace")
    yield opened
    opened.close()


def before_the_next_write(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch, change: Callable[[Session], None]
) -> list[dict[str, list[tuple[object, ...]]]]:
    """Let another program change something just before the next transaction that writes; returns
    where all stored rows will stand as they were right after that change."""
    writing = ws.writing
    done: list[dict[str, list[tuple[object, ...]]]] = []

    @contextmanager
    def changed_first() -> Iterator[Session]:
        if not done:
            with writing() as session:
                change(session)
            done.append(stored_rows(ws))
        with writing() as session:
            yield session

    monkeypatch.setattr(ws, "writing", changed_first)
    return done


@pytest.mark.parametrize("name", ABOVE_ANNOTATOR)
def test_who_becomes_an_annotator_meanwhile_is_refused(
    ws: Workspace, at: FullWorkspace, monkeypatch: pytest.MonkeyPatch, name: str
):
    person, call = ABOVE_ANNOTATOR[name]

    def demote(session: Session) -> None:
        row = person_rows.named(session, person)
        assert row is not None
        person_rows.set_role(session, row.id, "annotator")

    changed = before_the_next_write(ws, monkeypatch, demote)
    with pytest.raises(RightsError, match=f"^{person} has the role annotator, but "):
        call(ws, at)
    assert [stored_rows(ws)] == changed


@pytest.mark.parametrize("name", ANYBODY)
def test_who_leaves_meanwhile_is_refused(
    ws: Workspace, at: FullWorkspace, monkeypatch: pytest.MonkeyPatch, name: str
):
    person, call = ANYBODY[name]

    def send_away(session: Session) -> None:
        row = person_rows.named(session, person)
        assert row is not None
        person_rows.set_active(session, row.id, False)

    changed = before_the_next_write(ws, monkeypatch, send_away)
    with pytest.raises(RightsError, match=f"^{person} no longer works in this workspace"):
        call(ws, at)
    assert [stored_rows(ws)] == changed


@pytest.mark.parametrize("name", [*ABOVE_ANNOTATOR, *ANYBODY])
def test_who_keeps_the_right_does_it(ws: Workspace, at: FullWorkspace, name: str):
    _, call = {**ABOVE_ANNOTATOR, **ANYBODY}[name]
    before = stored_rows(ws)
    call(ws, at)
    assert stored_rows(ws) != before
