"""Sealing, expiry and unsealing killed at any step: the next command leaves no plain text where the
items are still sealed, and no half of a file stays behind."""

import os
import shutil
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.cli import main
from core.evaluation.params import EvaluateParams
from core.sealing.archive import Locks
from core.workflow.evaluation import start
from core.workflow.sealing import locked_archives, packs
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.sealing.packs import PackOrder
from core.workflow.splits import exports, interruptions, lifecycle, receipts
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.hostile.attackers.children import Child
from tests.sealed.conftest import LEAD, SPLIT, SealedPlace
from tests.sealed.private_items import COUNT

KILLS = [5, pytest.param(40, marks=pytest.mark.slow)]
"""Moments at which each act is killed, spread evenly over its steps."""
Act = Callable[[Workspace], object]


class Killed:
    """An act on a copy of a place, killed at some of its steps."""

    def __init__(self, place: SealedPlace, aside: Path) -> None:
        self.place, self.aside = place, aside
        place.ws.close()
        shutil.copytree(place.root, aside)
        self.workspace = place.root / "workspace"

    def steps(self, act: Act, kills: int) -> list[int]:
        """The steps at which it is to be killed; the act is carried out for it."""
        *_, last = self._child(act, 0).until_over()
        return sorted({1 + n * (last - 1) // (kills - 1) for n in range(kills)})

    def at(self, act: Act, step: int) -> None:
        """Kill it at a step, in the place as it was."""
        shutil.rmtree(self.place.root)
        shutil.copytree(self.aside, self.place.root)
        self._child(act, step).until_over()

    def _child(self, act: Act, step: int) -> Child:
        def work(_say: object) -> None:
            with closing(Workspace.open(self.workspace)) as ws:
                act(ws)

        return Child(work, at_step=step)

    def state(self) -> str:
        """The state of the split, after the next command."""
        assert main(["--workspace", str(self.workspace), "split", "status"]) == 0
        with closing(Workspace.open(self.workspace)) as ws:
            checked = verify(ws)
            assert (checked.findings, checked.notes) == ((), ())
            return lifecycle.split_life(ws, SPLIT).state

    def plain(self) -> set[str]:
        """The names of the files in which words of the items are."""
        return {one.path.partition("!")[0].rpartition("/")[2] for one in self.place.found()}

    def halves(self) -> list[Path]:
        """Files that were being written."""
        return [path for path in self.place.root.rglob(".*") if path.is_file()]


@pytest.fixture
def aside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("aside") / "copy"


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("kills", KILLS)
def test_a_sealing_that_is_killed_has_sealed_or_has_not(
    sealed: SealedPlace, aside: Path, kills: int
) -> None:
    import pyrage

    locks = Locks((str(pyrage.x25519.Identity.generate().to_public()),))
    archive = sealed.root / "s.sealed"

    def seal(ws: Workspace) -> None:
        locked_archives.seal(ws, SPLIT, LEAD, SealOrder(archive, locks))

    killed = Killed(sealed, aside)
    states = set()
    for step in killed.steps(seal, kills):
        killed.at(seal, step)
        states.add(state := killed.state())
        assert killed.plain() == ({"workspace.db", "items.jsonl"} if state == "frozen" else set())
        assert killed.halves() == []
        assert not archive.exists() or locked_archives.verify(archive).sound
    assert states == {"frozen", "sealed"}


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("kills", KILLS)
def test_an_expiry_that_is_killed_has_published_all_or_nothing(
    sealed: SealedPlace, aside: Path, kills: int
) -> None:
    sealed.seal()

    def expire(ws: Workspace) -> None:
        lifecycle.expire(ws, SPLIT, LEAD, "", sealed.unlocking)

    killed = Killed(sealed, aside)
    states = set()
    for step in killed.steps(expire, kills):
        killed.at(expire, step)
        states.add(state := killed.state())
        assert killed.plain() == ({"workspace.db", "items.jsonl"} if state == "expired" else set())
        assert killed.halves() == []
    assert states == {"opened", "expired"}


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("kills", KILLS)
def test_an_unsealing_that_is_killed_leaves_all_items_or_none(
    sealed: SealedPlace, aside: Path, kills: int
) -> None:
    sealed.seal()
    out = sealed.root / "items.jsonl"

    def unseal(_ws: Workspace) -> None:
        locked_archives.unseal(Path(sealed.locked.path), sealed.unlocking, out)

    killed = Killed(sealed, aside)
    for step in killed.steps(unseal, kills):
        killed.at(unseal, step)
        if out.exists():
            assert len(out.read_bytes().splitlines()) == COUNT
        else:
            assert killed.plain() == set()
        assert killed.halves() == []


@pytest.mark.parametrize(
    "step",
    ["sealed", "sealed with an archive", "opened", "exported", "packed", "asked", "expired"],
)
def test_the_next_command_issues_the_receipt_of_a_step_that_was_killed(
    sealed: SealedPlace, step: str
) -> None:
    if step not in ("sealed", "sealed with an archive"):
        sealed.seal()
    sealed.ws.close()
    locks = Locks(passphrase="correct horse battery")
    out = sealed.root / "out"

    def killed(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def act(_say: object) -> None:
        receipts.issue = killed  # type: ignore[assignment]  # in this process alone
        with closing(Workspace.open(sealed.root / "workspace")) as ws:
            if step == "expired":
                lifecycle.expire(ws, SPLIT, LEAD, "", sealed.unlocking)
            elif step == "sealed":
                lifecycle.seal(ws, SPLIT, LEAD)
            elif step == "opened":
                lifecycle.open_split(ws, SPLIT, LEAD, "August", "n", sealed.unlocking)
            elif step == "exported":
                exports.export(ws, SPLIT, "inspect", out, person=LEAD, locked=True)
            elif step == "packed":
                params = EvaluateParams(split=SPLIT, engine="openai", model="m")
                packs.write(ws, SPLIT, LEAD, PackOrder(out, locks, params))
            elif step == "asked":
                params = EvaluateParams(split=SPLIT, engine="baseline:tfidf")
                start.start(ws, SPLIT, params, person=LEAD)
            else:
                order = SealOrder(sealed.root / "s.sealed", locks)
                locked_archives.seal(ws, SPLIT, LEAD, order)

    Child(act).until_over()
    with closing(Workspace.open(sealed.root / "workspace")) as ws:
        assert [one.kind for one in verify(ws).findings] == ["receipt"]
    assert main(["--workspace", str(sealed.root / "workspace"), "split", "status"]) == 0
    with closing(Workspace.open(sealed.root / "workspace")) as ws:
        assert verify(ws).findings == ()


def test_what_an_interrupted_freeze_left_goes_with_the_sealing(sealed: SealedPlace) -> None:
    left = sealed.ws.releases / f"{SPLIT}.uncommitted-20260101000000000000"
    shutil.copytree(sealed.ws.releases / SPLIT, left)
    sealed.seal()
    assert not left.exists()
    assert sealed.found() == []


def test_a_sealing_that_another_process_is_at_is_left_alone(sealed: SealedPlace) -> None:
    def seal_slowly(say: Callable[[object], None]) -> None:
        place = Workspace.open(sealed.root / "workspace")
        with closing(place) as ws, interruptions.noted(ws, SPLIT):
            say("at work")
            signal.pause()

    sealed.seal()
    sealed.ws.close()
    plain = sealed.root / "workspace" / "releases" / SPLIT / "items.jsonl"
    plain.write_text("what an expiry is about to publish", encoding="utf-8")
    child = Child(seal_slowly)
    child.hear(1, 60)
    assert main(["--workspace", str(sealed.root / "workspace"), "split", "status"]) == 0
    assert plain.exists()
    child.kill()
    assert main(["--workspace", str(sealed.root / "workspace"), "split", "status"]) == 0
    assert not plain.exists()
    assert not (sealed.root / "workspace" / "interrupted").exists()
