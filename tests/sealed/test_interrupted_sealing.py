"""Sealing, expiry and unsealing killed at any step: the next command leaves no plain text where the
items are still sealed, and no half of a file stays behind."""

import io
import os
import shutil
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pyrage
import pytest

from core.cli import main
from core.evaluation.params import EvaluateParams
from core.jobs.locked_rows import handed_over
from core.jobs.worker import run_worker
from core.sealing.archive import Locks
from core.workflow import unlocked_keys
from core.workflow.backups import backup_files
from core.workflow.evaluation import start
from core.workflow.evaluation.take_in_answers import report_taken_in
from core.workflow.runs import locked_runs
from core.workflow.runs.kinds import run_kind
from core.workflow.sealing import locked_archives, packs
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.sealing.packs import PackOrder
from core.workflow.splits import exports, interruptions, lifecycle, receipts
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db.schema.sealed_values import forget_keys
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
        self.home_aside = aside.with_name("home")
        shutil.copytree(place.home, self.home_aside)
        self.workspace = place.root / "workspace"

    def steps(self, act: Act, kills: int) -> list[int]:
        """The steps at which it is to be killed; the act is carried out for it."""
        *_, last = self._child(act, 0).until_over()
        return sorted({1 + n * (last - 1) // (kills - 1) for n in range(kills)})

    def at(self, act: Act, step: int) -> None:
        """Kill it at a step, in the place as it was."""
        for there, kept in (
            (self.place.root, self.aside),
            (self.place.home, self.home_aside),
        ):
            shutil.rmtree(there)
            shutil.copytree(kept, there)
        forget_keys()
        self._child(act, step).until_over()

    def _child(self, act: Act, step: int) -> Child:
        def work(_say: object) -> None:
            with closing(Workspace.open(self.workspace)) as ws:
                act(ws)

        return Child(work, at_step=step)

    def command(self, *words: str) -> int:
        """The exit status of a command on the workspace."""
        return main(["--workspace", str(self.workspace), *words])

    def state(self) -> str:
        """The state of the split, after the next command."""
        assert self.command("split", "status") == 0
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


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kills", KILLS)
def test_after_an_opening_that_is_killed_a_command_says_how_it_is_used(
    sealed: SealedPlace, aside: Path, kills: int, capsys: pytest.CaptureFixture[str]
) -> None:
    sealed.identity = pyrage.x25519.Identity.generate()
    sealed.lock_up(Locks((str(sealed.identity.to_public()),)))
    identity = aside.with_name("identity")
    identity.write_text(str(sealed.identity), encoding="utf-8")

    def open_it(ws: Workspace) -> None:
        lifecycle.open_split(ws, SPLIT, LEAD, "July", "", sealed.unlocking)

    killed = Killed(sealed, aside)
    states, without_key = set(), 0
    for step in killed.steps(open_it, kills):
        killed.at(open_it, step)
        capsys.readouterr()
        states.add(state := killed.state())
        said = capsys.readouterr().err
        assert killed.plain() == set()
        assert killed.halves() == []
        if state == "opened":
            has_key = any(unlocked_keys.find(path.name) for path in _keys())
            assert has_key or "split unlock s --identity" in said
            without_key += not has_key
            unlock = ("split", "unlock", SPLIT, "--identity", str(identity), "--user", LEAD)
            assert has_key or killed.command(*unlock) == 0
            assert killed.command("split", "lock", SPLIT) == 0
        assert _keys() == [], "a key that was locked again is nowhere, in no half of a file either"
    assert states == {"sealed", "opened"}
    assert without_key or kills < 40


def _keys() -> list[Path]:
    return [path for path in unlocked_keys.folder().glob("*") if path.is_file()]


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kills", KILLS)
@pytest.mark.parametrize("kind", ["pack", "backup", "evaluation"])
def test_what_is_killed_on_an_opened_split_leaves_nothing_and_can_be_done_again(
    sealed: SealedPlace, aside: Path, kind: str, kills: int
) -> None:
    sealed.seal()
    out, locks = sealed.root / "out", Locks(passphrase="correct horse battery")

    def pack(ws: Workspace) -> None:
        params = EvaluateParams(split=SPLIT, engine="openai", model="m")
        packs.write(ws, SPLIT, LEAD, PackOrder(out, locks, params))

    def back_up(ws: Workspace) -> None:
        backup_files.make(ws, LEAD)

    def evaluate(ws: Workspace) -> None:
        params = EvaluateParams(split=SPLIT, engine="baseline:tfidf")
        start.create(ws, params, start.checked_split(ws, SPLIT, "local"), "local", 1, person=LEAD)

    act = {"pack": pack, "backup": back_up, "evaluation": evaluate}[kind]
    killed = Killed(sealed, aside)
    for step in killed.steps(act, kills):
        killed.at(act, step)
        assert killed.state() == "opened"
        assert killed.plain() == set()
        assert not out.exists() or locked_archives.verify(out).sound
        out.unlink(missing_ok=True)
        with closing(Workspace.open(killed.workspace)) as ws:
            act(ws)
            assert verify(ws).findings == ()
        assert killed.plain() == set()


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kills", KILLS)
def test_a_worker_on_a_sealed_split_that_is_killed_goes_on_after_its_last_line(
    sealed: SealedPlace, aside: Path, kills: int
) -> None:
    sealed.seal()
    params = EvaluateParams(split=SPLIT, engine="baseline:tfidf")
    info = start.checked_split(sealed.ws, SPLIT, "local")
    name = start.create(sealed.ws, params, info, "local", 1, person=LEAD).spec().id

    def work(ws: Workspace) -> None:
        given = io.TextIOWrapper(io.BytesIO(handed_over(locked_runs.key_of(ws, name))))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdin", given)
            run_worker(ws.runs / name, 0, 1, run_kind)

    killed = Killed(sealed, aside)
    for step in killed.steps(work, kills):
        killed.at(work, step)
        assert killed.plain() == set()
        Child(lambda _say: _at_once(killed.workspace, work)).until_over()
        with closing(Workspace.open(killed.workspace)) as ws:
            assert report_taken_in(ws, name).items == COUNT
            assert verify(ws).findings == ()
        assert killed.plain() == set()


def _at_once(workspace: Path, act: Act) -> None:
    with closing(Workspace.open(workspace)) as ws:
        act(ws)
