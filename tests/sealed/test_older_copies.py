"""An older copy of a workspace in which an opening was used since: it counts once in all copies."""

import fcntl
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier, Event, get_ident

import pytest

from core.errors import StateError
from core.evaluation.params import EvaluateParams
from core.workflow import people
from core.workflow.evaluation import dry_run, start
from core.workflow.evaluation.plan import EvaluationRequest
from core.workflow.splits import exports, freeze, lifecycle, openings, other_copies
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.workspaces import BENCHMARK, accept_all, make_task, write_items

MODEL, OTHER = "baseline:random", "baseline:longest"
PARAMS = EvaluateParams(split="s1", engine=MODEL)
OLDER = "older copy"


@pytest.fixture
def frozen(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with a frozen split and two leads."""
    ws = Workspace.create(tmp_path / "here")
    make_task(ws)
    for name, role in (("王", "lead"), ("赵", "lead"), ("li", "specialist")):
        people.ensure_person(ws, name, role)
    accept_all(ws, write_items(ws, 2), "li")
    freeze.freeze(ws, "s1", BENCHMARK, "王")
    yield ws
    ws.close()


@pytest.fixture
def older(tmp_path: Path) -> Iterator[Callable[[Workspace], Workspace]]:
    """What copies a workspace, folder and all, and opens the copy."""
    made: list[Workspace] = []

    def copied(ws: Workspace) -> Workspace:
        there = tmp_path / f"copy{len(made)}"
        shutil.copytree(ws.place.folder, there)
        made.append(Workspace.open(there))
        return made[-1]

    yield copied
    for ws in made:
        ws.close()


def _open(ws: Workspace) -> None:
    lifecycle.open_split(ws, "s1", "王", "July", MODEL)


def _seal_and_open(ws: Workspace) -> None:
    lifecycle.seal(ws, "s1", "王", openings.ONCE)
    _open(ws)


def _evaluate(ws: Workspace, model: str = MODEL) -> None:
    start.start(ws, "s1", PARAMS.model_copy(update={"engine": model}), person="王")


def test_an_opening_that_was_used_in_the_newer_copy_is_used_up(frozen: Workspace, older) -> None:
    _seal_and_open(frozen)
    copy = older(frozen)
    _evaluate(frozen)
    with pytest.raises(StateError, match=OLDER):
        _evaluate(copy)
    assert lifecycle.split_life(copy, "s1").evaluations == 0
    lifecycle.open_split(copy, "s1", "赵", "the newer one is lost", MODEL)
    _evaluate(copy)
    with pytest.raises(StateError, match="none is open"):
        _evaluate(frozen)


def test_whoever_opened_it_in_the_newer_copy_has_opened_it(frozen: Workspace, older) -> None:
    lifecycle.seal(frozen, "s1", "王", openings.ONCE)
    copy = older(frozen)
    _open(frozen)
    with pytest.raises(StateError, match=OLDER):
        lifecycle.open_split(copy, "s1", "王", "July again", MODEL.upper())
    lifecycle.open_split(copy, "s1", "王", "another model", OTHER)
    _evaluate(copy, OTHER)
    with pytest.raises(StateError, match=OLDER):
        lifecycle.open_split(frozen, "s1", "王", "the same in the first", OTHER)


def test_two_copies_use_one_opening_once(frozen: Workspace, older) -> None:
    _seal_and_open(frozen)
    copies = [older(frozen), older(frozen)]
    _evaluate(copies[0])
    for ws in (frozen, copies[1]):
        with pytest.raises(StateError, match=OLDER):
            _evaluate(ws)


def test_a_copy_from_before_the_sealing_is_neither_evaluated_nor_exported(
    frozen: Workspace, older, tmp_path: Path
) -> None:
    copy = older(frozen)
    _seal_and_open(frozen)
    with pytest.raises(StateError, match=OLDER):
        _evaluate(copy)
    with pytest.raises(StateError, match=OLDER):
        exports.export(copy, "s1", "jsonl", tmp_path / "out", person="王")
    lifecycle.expire(frozen, "s1", "王")
    exports.export(copy, "s1", "jsonl", tmp_path / "out", person="王")  # its items are public


def test_a_trial_is_had_once_in_all_copies(frozen: Workspace, older) -> None:
    _seal_and_open(frozen)
    copy = older(frozen)
    request = EvaluationRequest("s1", PARAMS)
    assert not dry_run.try_out(frozen, request, items=1, person="王").error
    with pytest.raises(StateError, match=OLDER):
        dry_run.try_out(copy, request, items=1, person="王")


@pytest.mark.parametrize("left", ["runs", "receipts"])
def test_folders_tell_of_a_database_that_was_put_back(
    frozen: Workspace, left: str, home: Path
) -> None:
    _seal_and_open(frozen)
    database = frozen.place.folder / "workspace.db"
    with closing(sqlite3.connect(database)) as source:
        source.execute("VACUUM INTO ?", (str(database.with_name("before.db")),))
    _evaluate(frozen)
    frozen.close()
    for end in ("", "-wal", "-shm"):
        database.with_name(f"workspace.db{end}").unlink(missing_ok=True)
    database.with_name("before.db").rename(database)
    shutil.rmtree(home / ".local")  # another person, or another computer
    for name in {"runs", "receipts"} - {left}:
        shutil.rmtree(frozen.place.folder / name)
    ws = Workspace.open(frozen.place.folder)
    with pytest.raises(StateError, match=OLDER):
        _evaluate(ws)
    ws.close()


def test_what_is_noted_is_completed_later_and_other_lines_are_passed_over(
    frozen: Workspace, older, home: Path
) -> None:
    _seal_and_open(frozen)
    copy = older(frozen)
    (notes,) = (home / ".local/share/benchseal/sealed").iterdir()
    assert notes.stat().st_mode & 0o777 == 0o600
    whole = notes.read_text("utf-8")
    notes.write_text(whole.splitlines()[0][:40] + "\n[]\n{}\n{", "utf-8")
    _evaluate(frozen)
    assert set(whole.splitlines()) < set(notes.read_text("utf-8").splitlines())
    with pytest.raises(StateError, match=OLDER):
        _evaluate(copy)


def test_a_workspace_alone_is_sound_and_goes_on(frozen: Workspace) -> None:
    _seal_and_open(frozen)
    _evaluate(frozen)
    lifecycle.open_split(frozen, "s1", "赵", "once more", MODEL)
    _evaluate(frozen)
    lifecycle.open_split(frozen, "s1", "王", "another", OTHER)
    _evaluate(frozen, OTHER)
    assert verify(frozen).findings == ()


@pytest.mark.parametrize("act", [_open, _evaluate])
def test_of_several_who_do_it_at_once_one_does(frozen: Workspace, act) -> None:
    lifecycle.seal(frozen, "s1", "王", openings.ONCE)
    if act is _evaluate:
        _open(frozen)
    at_once = Barrier(3)

    def done() -> bool:
        with closing(Workspace.open(frozen.place.folder)) as ws:
            at_once.wait()
            try:
                act(ws)
            except StateError:
                return False
            return True

    with ThreadPoolExecutor(3) as pool:
        found = [pool.submit(done) for _ in range(3)]
    assert sorted(one.result() for one in found) == [False, False, True]
    assert verify(frozen).findings == ()


@pytest.mark.parametrize("act", [_open, _evaluate])
def test_of_two_copies_that_do_it_in_the_same_instant_one_does(
    frozen: Workspace, older, act, monkeypatch: pytest.MonkeyPatch
) -> None:
    lifecycle.seal(frozen, "s1", "王", openings.ONCE)
    if act is _evaluate:
        _open(frozen)
    copies = [older(frozen), older(frozen)]
    both, looks, acts = Event(), list[int](), other_copies.acts_elsewhere
    flock, holders = fcntl.flock, list[int]()

    def looked(*args):
        found = acts(*args)
        looks.append(get_ident())
        if looks.count(get_ident()) == 2:  # the first look was before anything was begun
            if len(set(looks)) == 2 and all(looks.count(one) == 2 for one in set(looks)):
                both.set()
            assert both.wait(60)
        return found

    def held(file, operation: int) -> None:
        number = file if isinstance(file, int) else file.fileno()
        if Path(f"/proc/self/fd/{number}").readlink().parent.name == "sealed":
            holders.append(number)
        if len(holders) == 2:
            both.set()  # the other one waits for its turn
        flock(number, operation)

    monkeypatch.setattr(other_copies, "acts_elsewhere", looked)
    monkeypatch.setattr(fcntl, "flock", held)

    def refusal(ws: Workspace) -> str:
        try:
            act(ws)
        except StateError as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(2) as pool:
        first, second = sorted(pool.map(refusal, copies))
    assert not first
    assert OLDER in second
