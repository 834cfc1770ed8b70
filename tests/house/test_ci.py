"""The run of all suites, with a make that plays them: what lets it pass and what does not."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.paths import ROOT

MAKE = """#!/bin/bash
echo "$1" >> "$PLAYED"
times="$(grep -cx "$1" "$PLAYED")"
play() { printf '%s\\n' "$@"; }
case "$1:$MODE:$times" in
    setup:*) play done ;;
    test:good:* | test:crash:2 | test:slow*) play '10 passed in 1.20s' ;;
    test:flaky:* | test:broken:*)
        play 'FAILED tests/a.py::test_x - boom' 'ERROR tests/b.py::test_y - left behind' \\
            '1 failed, 9 passed, 1 error in 1.20s'; exit 2 ;;
    test:crash*)
        play 'FAILED tests/a.py::test_x - crashed while running' '1 failed, 2 passed in 1.20s'
        exit 2 ;;
    test:lint:*) play 'Found 1 error.'; exit 2 ;;
    test:empty:*) play 'nothing was collected' ;;
    test-again:flaky:*) play '2 passed in 0.30s' ;;
    test-again:*) play '1 failed, 1 passed in 0.30s'; exit 2 ;;
    test-slow:slow*) play 'FAILED tests/c.py::test_z - boom' '1 failed in 0.20s'; exit 2 ;;
    test-slow-again:slow:*) play '1 passed in 0.20s' ;;
    test-slow-again:*) play '1 failed in 0.20s'; exit 2 ;;
    test-vllm:*) play '1 failed in 0.10s'; exit 2 ;;
    *) play '3 passed in 0.10s' ;;
esac
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for tool in ("ruff", "mypy", "lint-imports", "pytest", "benchseal"):
        _program(tmp_path / ".venv" / "bin" / tool, "#!/bin/sh\n")
    _program(tmp_path / "bin" / "make", MAKE)
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    return tmp_path


def _program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def ci(project: Path, mode: str, deciding: str = "") -> tuple[int, str, list[str]]:
    """Exit status, what the result says, and the targets that were made."""
    played = project / "played"
    played.write_text("", encoding="utf-8")
    ended = subprocess.run(
        ["bash", ".ci/run"],
        cwd=project,
        env={
            **os.environ,
            "PATH": f"{project / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "MODE": mode,
            "DECIDING": deciding,
            "PLAYED": str(played),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    made = played.read_text(encoding="utf-8").split()
    return ended.returncode, ended.stdout.partition("== result")[2], made


def test_what_passes_lands_and_the_told_suites_do_not_decide(project: Path) -> None:
    status, result, made = ci(project, "good")
    assert status == 0
    assert "test-vllm (status 2): 1 failed in 0.10s" in result
    assert result.rstrip().endswith("10 passed in 1.20s")
    assert {"test", "test-slow", "test-hostile", "test-finetune"} <= set(made)
    assert "test-again" not in made


def test_each_day_another_of_the_slower_suites_is_the_first(project: Path) -> None:
    for day, first in (
        (0, "test-slow"),
        (1, "test-hostile"),
        (2, "test-finetune"),
        (3, "test-slow"),
    ):
        _program(project / "bin" / "date", f"#!/bin/sh\necho {day * 86400 + 5}\n")
        _, _, made = ci(project, "good")
        lane = [name for name in made if name in {"test-slow", "test-hostile", "test-finetune"}]
        assert lane[0] == first
        assert len(lane) == 3


def test_a_failure_that_passes_alone_is_named_and_lands(project: Path) -> None:
    status, result, _ = ci(project, "flaky")
    assert status == 0
    assert "tests/a.py::test_x" in result
    assert "tests/b.py::test_y" in result
    assert result.rstrip().endswith("2 passed in 0.30s")


def test_after_a_crash_everything_is_run_once_more(project: Path) -> None:
    status, result, made = ci(project, "crash")
    assert (status, made.count("test")) == (0, 2)
    assert "tests/a.py::test_x" in result


@pytest.mark.parametrize("mode", ["broken", "crash_for_good", "lint", "empty"])
def test_what_fails_for_good_does_not_land(project: Path, mode: str) -> None:
    status, result, _ = ci(project, mode)
    assert status == 1
    assert "failed: test\n" in result


@pytest.mark.parametrize(
    ("mode", "deciding", "status", "said"),
    [
        ("slow", "test-hostile", 0, "test-slow (status 2): 1 failed in 0.20s"),
        ("slow", "test-slow test-hostile", 0, "passed when make test-slow-again repeated it"),
        ("slow_broken", "test-slow test-hostile", 1, "failed: test-slow\n"),
    ],
)
def test_a_slower_suite_that_decides_is_asked_once_more(
    project: Path, mode: str, deciding: str, status: int, said: str
) -> None:
    ended, result, _ = ci(project, mode, deciding)
    assert ended == status
    assert said in result
