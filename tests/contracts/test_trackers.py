"""What every tracker promises, asked of the whole registry."""

import importlib.util
import sys
from pathlib import Path

import pytest

from core.errors import OutsideError
from core.evaluation.trackers import TRACKERS, TrackedRun, Tracker, require, send
from resources import resource
from tests.side_environments import python_of

EVERY = pytest.mark.parametrize("tracker", TRACKERS, ids=lambda tracker: tracker.name)
PACKAGED = pytest.mark.parametrize(
    "tracker", [one for one in TRACKERS if one.package], ids=lambda tracker: tracker.name
)

STRANGERS = {"OPENAI_API_KEY": "sk-of-somebody-else", "LOGNAME": "somebodys-login",
             "BENCHSEAL_WORKSPACE": "/home/somebody/quiz"}  # fmt: skip


def run(state: str, score: float) -> TrackedRun:
    return TrackedRun(
        "20260701-evaluate-abc", "arxiv-2026b", state, 9,
        {"engine": "baseline:tfidf", "temperature": 0.0, "seed": 3},
        {"score": score, "items": 12.0, "domain/数学, pure": 0.25},
        {"split": "round1", "manifest": "3f9b5e0c1a77"},
    )  # fmt: skip


def interpreter_of(tracker: Tracker) -> str:
    return require(tracker, str(python_of("trackers")) if tracker.package else "")


def everything_in(folder: Path) -> bytes:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return b"".join(str(path.relative_to(folder)).encode() + path.read_bytes() for path in files)


@EVERY
def test_a_tracker_has_a_name_of_its_own_and_a_script(tracker: Tracker) -> None:
    assert [other.name for other in TRACKERS].count(tracker.name) == 1
    assert resource("trackers", tracker.script).is_file()
    assert all(name.endswith("_") for name in tracker.variables)


@PACKAGED
def test_a_python_without_its_package_is_told_of(tracker: Tracker) -> None:
    if importlib.util.find_spec(tracker.package):
        pytest.fail(f"{tracker.package} is for an environment of its own")
    with pytest.raises(OutsideError, match=f"{tracker.title} needs the package {tracker.package}"):
        require(tracker, sys.executable)


@pytest.mark.parametrize(
    "tracker",
    [pytest.param(one, marks=pytest.mark.slow if one.package else (), id=one.name)
     for one in TRACKERS],
)  # fmt: skip
def test_a_run_that_goes_on_and_ends_is_one_run_and_nothing_else_is_with_it(
    tracker: Tracker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in STRANGERS.items():
        monkeypatch.setenv(name, value)
    interpreter, place = interpreter_of(tracker), tmp_path / "place"
    for state, score in (("running", 0.5), ("finished", 0.75)):
        assert send(tracker, run(state, score), str(place), interpreter)
    there = everything_in(place)
    for part in ("20260701-evaluate-abc", "arxiv-2026b", "3f9b5e0c1a77", "baseline:tfidf"):
        assert part.encode() in there
    # nothing that it could gather by itself
    for part in (*STRANGERS.values(), tracker.script, interpreter, "github.com"):
        assert part.encode() not in there
