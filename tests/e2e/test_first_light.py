"""The main job from the command line: articles become reviewed, frozen and scored items."""

import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from core.jobs.folder import RunFolder
from resources import resource
from tests.polling import until

BOSS = "王"

Call = Callable[..., Any]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "工作区"


def called(place: Path, *words: object) -> tuple[int, str, str]:
    """Exit code, output and complaint of a command with --json."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        found = main(["--workspace", str(place), *map(str, words), "--json"])
    return found, out.getvalue(), err.getvalue()


@pytest.fixture
def benchseal(place: Path) -> Call:
    """Run a command; returns its document, or the complaint where another code is expected."""

    def call(*words: object, code: int = 0) -> Any:
        found, out, err = called(place, *words)
        assert found == code, err
        return json.loads(out) if code == 0 else err

    return call


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A workspace with generated items, made once, and what was said of them."""
    place = tmp_path_factory.mktemp("generated") / "工作区"
    for words in (("init",), ("people", BOSS, "--role", "lead")):
        assert called(place, *words)[0] == 0
    words = ("generate", "scp", resource("demo"), "--benchmark", "b", "--per-article", 3)
    found, out, err = called(place, *words, "--seed", 7)
    assert found == 0, err
    return place, json.loads(out)


@pytest.fixture
def generated(template: tuple[Path, dict[str, Any]], place: Path) -> dict[str, Any]:
    """What was said of the items of ``place``, which is a copy."""
    shutil.copytree(template[0], place)
    return template[1]


def test_generating_twice_changes_nothing_and_two_processes_make_the_same(
    benchseal: Call, generated: dict[str, Any]
) -> None:
    words = ("generate", "scp", resource("demo"), "--benchmark", "b", "--per-article", 3)
    again = benchseal(*words, "--seed", 7, "--jobs", 2)
    assert again["digest"] == generated["digest"]
    assert (again["added"], again["known"]) == (0, generated["added"])
    other = benchseal(*words, "--seed", 8)
    assert other["digest"] != generated["digest"]
    assert set(generated["items"]) == {"sequencing", "cloze", "prediction"}
    assert generated["articles"]["read"] == 7


def test_what_was_generated_has_no_defects_and_the_published_choices_have(
    benchseal: Call, generated: dict[str, Any]
) -> None:
    assert benchseal("check", generated["file"])["clean"] is True
    words = ("generate", "scp", resource("demo"), "--benchmark", "old", "--as-published")
    published = benchseal(*words, "--seed", 7)
    err = benchseal("check", published["file"], code=1)
    assert err == ""
    number = benchseal("items", "--benchmark", "old")["items"][0]["id"]
    assert "generated as published" in benchseal(
        "decide", number, "--reviewer", "Li", "--accept", code=1
    )


def _review_all(benchseal: Call, numbers: list[int]) -> None:
    for count, number in enumerate(numbers):
        benchseal("decide", number, "--reviewer", "Li", "--accept")
        verdict = ("--reject", "ambiguous") if count % 5 == 4 else ("--accept",)
        benchseal("decide", number, "--reviewer", "王芳", *verdict)


def test_the_whole_loop(benchseal: Call, generated: dict[str, Any], tmp_path: Path) -> None:
    numbers = [row["id"] for row in benchseal("items", "--benchmark", "b")["items"]][:30]
    _review_all(benchseal, numbers)
    states = benchseal("items", "--benchmark", "b")["states"]
    assert states["accepted"] == 24
    assert sum(states.values()) == generated["added"]
    kappas = {c["name"]: c for c in benchseal("agreement", "--benchmark", "b")["coefficients"]}
    assert kappas["percent"]["value"] == pytest.approx(0.8)
    assert kappas["fleiss_kappa"]["items"] == 30
    assert kappas["cohen_kappa"]["raters"] == 2
    frozen = benchseal(
        "freeze", "private-1", "--benchmark", "b", "--reason", "a test", "--user", BOSS
    )
    assert frozen["items"] == 24
    for form in ("jsonl", "lm-eval"):
        assert (
            benchseal(
                "export", "private-1", "--format", form, "--out", tmp_path / form, "--user", BOSS
            )["items"]
            == 24
        )
    report = benchseal(
        "evaluate", "private-1", "--engine", "baseline:random", "--wait", "--user", BOSS
    )
    assert report["answered"] == 24
    assert report["missing"] == 0
    assert report["unparsed"] == 0
    assert sum(part["n"] for part in report["by"]["format"].values()) == 24
    assert benchseal("report", report["run"])["accuracy"] == report["accuracy"]
    assert "already" in benchseal(
        "freeze", "private-1", "--benchmark", "b", "--reason", "a test", code=1
    )


def test_a_frozen_split_that_somebody_changed_is_named(
    benchseal: Call, generated: dict[str, Any], place: Path, tmp_path: Path
) -> None:
    numbers = [row["id"] for row in benchseal("items", "--benchmark", "b")["items"]][:5]
    _review_all(benchseal, numbers)
    benchseal("freeze", "s", "--benchmark", "b", "--reason", "a test")
    items = place / "releases" / "s" / "items.jsonl"
    items.write_text(items.read_text(encoding="utf-8").replace("the", "teh", 1), encoding="utf-8")
    complaint = benchseal(
        "export", "s", "--format", "jsonl", "--out", tmp_path / "x", "--user", BOSS, code=1
    )
    assert "“s” has changed since it was frozen" in complaint
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("items",), 1),
        (("decide", "1", "--reviewer", "Li", "--accept"), 1),
        (("generate", "scp", "does-not-exist"), 1),
        (("items", "--state", "nowhere"), 1),
    ],
)
def test_a_missing_workspace_or_file_is_one_sentence(
    benchseal: Call, words: tuple[str, ...], code: int
) -> None:
    complaint = benchseal(*words, code=code)
    assert complaint.count("\n") == 1
    assert "Traceback" not in complaint


def test_usage_errors_end_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    for words in (["nonsense"], ["decide", "1"], ["generate", "scp"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2
    capsys.readouterr()


def test_a_worker_killed_at_any_moment_is_resumed(
    benchseal: Call, generated: dict[str, Any], place: Path
) -> None:
    numbers = [row["id"] for row in benchseal("items", "--benchmark", "b")["items"]][:20]
    _review_all(benchseal, numbers)
    benchseal("freeze", "s", "--benchmark", "b", "--reason", "a test")
    run = benchseal("evaluate", "s", "--engine", "baseline:tfidf", "--user", BOSS)["run"]
    folder = place / "runs" / run
    _kill_worker(folder)
    for words in (("run", "resume", run), ("runs", "--watch")):
        if not (folder / "result.json").exists():
            benchseal(*words)
    until((folder / "result.json").exists)
    report = benchseal("report", run)
    assert report["answered"] == report["items"] == 16


def _kill_worker(folder: Path) -> None:
    """SIGKILL the worker as soon as it says who it is; it may have finished already."""
    run = RunFolder(folder)
    until(run.read_progress)
    (figures,) = run.read_progress().values()
    with contextlib.suppress(ProcessLookupError):
        os.kill(figures["pid"], signal.SIGKILL)


def test_the_installed_command_runs_the_demonstration_headless(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [
        sys.executable,
        "-m",
        "core.cli",
        "demo",
        "--headless",
        "--dir",
        str(folder),
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["split"]["items"] > 20
    assert len(document["reports"]) == 2
    assert len(document["pictures"]) >= 10
    assert all(Path(path).stat().st_size > 5000 for path in document["pictures"])
    assert "demonstration" in done.stderr
