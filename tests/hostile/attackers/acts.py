"""What people do, each as an attack needs it: how it is done, and what there is of it afterwards.

``prepare`` makes a workspace in which every act of ``ACTS`` can be done once. To add one: a
function that does it, one that says how much of it there is, and a line in the table.
"""

import contextlib
import io
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.cli import main
from core.errors import StateError
from core.evaluation.params import EvaluateParams
from core.evaluation.scoring import keys_of
from core.release.formats import export_format
from core.workflow import people
from core.workflow.audit import lots
from core.workflow.check import rate, review
from core.workflow.items import history, state_counts, undo
from core.workflow.production import write
from core.workflow.runs import runs, take_in
from core.workflow.splits import freeze, lifecycle, receipts
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.finished_runs import finished_run
from tests.hostile.attackers.children import Say
from tests.splits import freeze_split, varied
from tests.tampering import without_logins
from tests.workspaces import BENCHMARK, TASK, accept_all, make_task, payload, write_items

LEAD = "王"
OPEN, RETURNED, AUDITED = 4, 5, 6
"""Numbers of an item under review, of one that was returned, and of those of a lot."""
MENDED = "mended"


@dataclass(frozen=True)
class Place:
    """A workspace, and a folder for what goes into it and comes out of it."""

    location: str
    folder: Path

    def open(self) -> Workspace:
        """The workspace; close it before a process is forked."""
        return Workspace.open(self.location)


@dataclass(frozen=True)
class Act:
    """Something that is done whole or not at all.

    ``do`` opens and closes the workspace itself, and tells ``say`` what it reports on the way;
    ``seen`` is what there is of it. ``between`` are values of ``look`` that a death may leave as
    long as nothing was reported. ``mend`` is what people are told to do about what ``verify`` finds
    then.
    """

    name: str
    do: Callable[[Place, Say], object]
    seen: Callable[[Workspace, Place], object]
    between: tuple[object, ...] = ()
    mend: Callable[[Workspace], object] | None = None

    def look(self, place: Place) -> object:
        """What there is of it in a workspace, which must be sound, or be so once it is mended: what
        there is then has ``MENDED`` beside it."""
        ws = place.open()
        try:
            findings = verify(ws).findings
            if not findings:
                return self.seen(ws, place)
            assert self.mend is not None, findings
            self.mend(ws)
            left = verify(ws).findings
            assert not left, left
            return self.seen(ws, place), MENDED
        finally:
            ws.close()


class _Reports(io.TextIOBase):
    """A standard output, each print of which is a report."""

    def __init__(self, say: Say) -> None:
        self._say = say

    def write(self, text: str) -> int:
        if text.strip():
            self._say(text)
        return len(text)


def command(place: Place, say: Say, *arguments: object) -> None:
    """A command on the workspace; what it prints is reported. StateError with what it said on
    standard error where it did not end well."""
    words = ["--workspace", place.location, *map(str, arguments)]
    complaint = io.StringIO()
    with contextlib.redirect_stdout(_Reports(say)), contextlib.redirect_stderr(complaint):
        code = main(words)
    if code:
        raise StateError(complaint.getvalue().strip())


def using(use: Callable[[Workspace], object]) -> Callable[[Place, Say], object]:
    """An act that is one use case, reported when it returns."""

    def do(place: Place, say: Say) -> None:
        ws = place.open()
        try:
            use(ws)
            say("done")
        finally:
            ws.close()

    return do


def commanding(*arguments: str) -> Callable[[Place, Say], object]:
    """An act that is a command; ``{folder}`` is the folder of the place."""

    def do(place: Place, say: Say) -> None:
        command(place, say, *(word.format(folder=place.folder) for word in arguments))

    return do


def prepare(place: Place) -> None:
    """A workspace in which each act can be done once, and the file that one imports."""
    ws = without_logins(place.location)
    people.ensure_person(ws, LEAD, "lead")
    people.ensure_person(ws, "ruth", "researcher")
    make_task(ws, overlap=1, rubric="coreeval")
    make_task(ws, "audited", overlap=1, audit_sample=2)
    numbers = write_items(ws, RETURNED)
    lot = write_items(ws, 3, task="audited", start=50)
    assert (numbers[OPEN - 1], numbers[RETURNED - 1], lot[0]) == (OPEN, RETURNED, AUDITED)
    accept_all(ws, [*lot, *numbers[:3]], "li")
    lots.start(ws, "audited", "ruth", seed=1)
    review.decide(ws, "li", RETURNED, "return", note="fix")
    freeze_split(ws, {"scp": [varied(number) for number in range(12)]}, "s", "sealed")
    keys = keys_of(freeze.members_of(ws, "s"))
    rows = [{"id": key.id, "text": "A", "outcome": "ok"} for key in keys]
    params = EvaluateParams(engine="openai", model="m", split="s")
    finished_run(ws, "evaluate", params, rows)
    ws.close()
    lines = [{"Instruction": "写标题", "Input": f"正文{n}", "Output": f"标题{n}"} for n in range(5)]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (place.folder / "items.jsonl").write_text(text, encoding="utf-8")


def copy_of(template: Place, folder: Path) -> Place:
    """The workspace and its files once more, where nobody else works on them."""
    shutil.copytree(template.folder, folder)
    return Place(str(folder / Path(template.location).name), folder)


# --- what there is of an act -------------------------------------------------------------------


def _state(number: int) -> Callable[[Workspace, Place], object]:
    return lambda ws, _: history.state_of(ws, number)


def _rated(ws: Workspace, _: Place) -> object:
    with ws.reading() as session:
        from db.tables import RATING

        return len(session.execute(RATING.select()).all())


def _revision(ws: Workspace, _: Place) -> object:
    return len(history.item_history(ws, RETURNED, LEAD).revisions)


def _lot(ws: Workspace, _: Place) -> object:
    return [history.state_of(ws, AUDITED + n) for n in range(3)], lots.status(ws, "audited").round


def _items(ws: Workspace, _: Place) -> object:
    return sum(state_counts.counts(ws).values())


def _frozen(ws: Workspace, _: Place) -> object:
    """Size and differences of the split, where there is one."""
    known = {split.name: split for split in freeze.all_splits(ws)}
    return (known["f"].size, freeze.check(ws, "f")) if "f" in known else None


def _sealed(ws: Workspace, place: Place) -> object:
    """The split's state, and whether the receipt on the disk fits what was sealed."""
    file = place.folder / "receipt.json"
    if not file.exists():
        return lifecycle.split_life(ws, "s").state, False
    found = verify(ws, json.loads(file.read_bytes()))
    return lifecycle.split_life(ws, "s").state, found.sound


def _exported(_: Workspace, place: Place) -> object:
    """Number of items that come back from the export, where there is one."""
    out = place.folder / "export"
    return len(export_format("jsonl").read_back(out)) if out.exists() else None


def _answers(ws: Workspace, _: Place) -> object:
    from db.tables import ANSWER

    with ws.reading() as session:
        return len(session.execute(ANSWER.select()).all())


def _take_in(ws: Workspace) -> None:
    take_in.take_in(ws, runs.runs(ws)[0].id)


ACTS = (
    Act(
        "a decision",
        using(lambda ws: review.decide(ws, "wu", OPEN, "reject", reason="other")),
        _state(OPEN),
    ),
    Act("an undo", using(lambda ws: undo.undo(ws, "li")), _state(RETURNED)),
    Act(
        "an audit that returns the lot",
        using(lambda ws: lots.decide(ws, "ruth", _drawn(ws), "reject", reason="wrong")),
        _lot,
    ),
    Act(
        "ratings",
        using(lambda ws: rate.rate(ws, "wu", OPEN, {"fluency": 2, "accuracy": 1})),
        _rated,
    ),
    Act(
        "a revision",
        using(lambda ws: write.revise(ws, "ann", RETURNED, payload("被打断"))),
        _revision,
    ),
    Act(
        "an import",
        commanding("import", "{folder}/items.jsonl", "--task", TASK, "--benchmark", BENCHMARK,
                   "--user", "ann"),
        _items,
    ),
    Act(
        "freezing",
        commanding("freeze", "f", "--benchmark", BENCHMARK, "--reason", "a test", "--user", LEAD),
        _frozen,
    ),
    Act(
        "sealing with a receipt",
        commanding("split", "seal", "s", "--user", LEAD, "--receipt", "{folder}/receipt.json"),
        _sealed,
        between=(("sealed", False), (("sealed", False), MENDED)),
        mend=lambda ws: receipts.issue_again(ws, "s"),
    ),
    Act(
        "an export",
        commanding("export", "s", "--format", "jsonl", "--out", "{folder}/export", "--user", LEAD),
        _exported,
    ),
    Act("taking a run's results in", using(_take_in), _answers),
)  # fmt: skip


def _drawn(ws: Workspace) -> int:
    return lots.status(ws, "audited").lots[0].drawn[0].number
