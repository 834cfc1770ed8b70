"""How we start ourselves: in the source tree, installed, and frozen into one folder."""

import ast
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from core import own_process
from core.own_process import leave_libraries_behind, module_command

ROOT = Path(own_process.__file__).resolve().parent.parent
FROZEN = f"""#!{sys.executable}
import sys

if "-m" in sys.argv[1:2] or "-P" in sys.argv[1:2]:
    sys.exit("no such option: a frozen program is no interpreter")
sys.path.insert(0, {str(ROOT)!r})
sys.frozen, sys.executable = True, __file__
from core.cli import main

sys.exit(main())
"""


@pytest.fixture
def frozen(tmp_path: Path) -> Path:
    """A program that is started as a frozen one is: by its own name, without options of Python."""
    program = tmp_path / "benchseal"
    program.write_text(FROZEN, encoding="utf-8")
    program.chmod(0o755)
    return program


def run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [program, *arguments], env=environment, capture_output=True, text=True, timeout=200,
        check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_an_interpreter_runs_the_module_and_another_machines_python_too(
    monkeypatch: pytest.MonkeyPatch,
):
    assert module_command("core.cli", "run", ".") == [
        sys.executable, "-P", "-m", "core.cli", "run", ".",
    ]  # fmt: skip
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    there = module_command("core.cli", "run", ".", python="/opt/python")
    assert there == ["/opt/python", "-P", "-m", "core.cli", "run", "."]


def test_a_frozen_program_starts_itself(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert module_command("core.cli", "run", ".") == [sys.executable, "run", "."]
    assert "-m" not in module_command("core.jobs.gpus", "--count", "1")


def test_a_frozen_program_generates_reads_workbooks_and_runs_workers(frozen: Path, tmp_path: Path):
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["question", "answer"])
    book.active.append(["What is the chemical symbol of gold?", "Ag"])
    book.save(tmp_path / "own.xlsx")
    place = str(tmp_path / "ws")
    assert run(frozen, "--workspace", place, "init", "--lead", "Li").returncode == 0
    taken = run(
        frozen, "--workspace", place, "import", "--benchmark", "b", str(tmp_path / "own.xlsx")
    )
    assert "1 of 1 row imported" in taken.stdout, taken.stderr
    made = run(frozen, "--workspace", place, "generate", "scp", "--benchmark", "b",
               "--per-article", "1", str(ROOT / "resources" / "demo"))  # fmt: skip
    assert made.returncode == 0, made.stderr
    listed = run(frozen, "--workspace", place, "runs", "--json")
    assert '"finished"' in listed.stdout


def test_a_frozen_program_runs_no_other_module_by_that_name(frozen: Path):
    assert run(frozen, "--own-module", "http.server").returncode == 2
    assert run(frozen, "--own-module").returncode == 2


def test_every_module_that_is_started_can_be_started_frozen():
    started = set()
    for folder in ("core", "gui", "db"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
                if named and node.func.id in {"module_command", "LineProcess"}:
                    started |= {
                        value.value for value in node.args[:1] if isinstance(value, ast.Constant)
                    }
    assert started - {"core.cli"} == set(own_process.CHILDREN)
    for module in started:
        import_module(module)


def test_nobody_else_builds_such_a_command():
    others = [
        str(path.relative_to(ROOT))
        for folder in ("core", "gui", "db")
        for path in (ROOT / folder).rglob("*.py")
        if "sys.executable" in path.read_text(encoding="utf-8")
    ]
    # vLLM's own program stands beside the interpreter; a tracker's script is run by any interpreter
    elsewhere = ["core/evaluation/engines/vllm_server.py", "core/evaluation/trackers/base.py"]
    assert sorted(others) == [*elsewhere, "core/own_process.py"]


def test_another_machines_program_is_no_interpreter():
    for program in ("/usr/bin/benchseal", "/opt/benchseal-0.2/benchseal"):
        assert module_command("core.cli", "run", ".", python=program) == [program, "run", "."]


def test_what_a_frozen_program_starts_finds_the_systems_libraries(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("PYINSTALLER_RESET_ENVIRONMENT", "")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/benchseal/_internal:/opt/own")
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/opt/own")
    leave_libraries_behind()
    assert os.environ["LD_LIBRARY_PATH"] == "/opt/own"
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/benchseal/_internal")
    leave_libraries_behind()
    assert "LD_LIBRARY_PATH" not in os.environ
    # else PyInstaller takes a program of ours that we start for a part of this one
    assert os.environ["PYINSTALLER_RESET_ENVIRONMENT"] == "1"
