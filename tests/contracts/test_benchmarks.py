"""What every benchmark promises, asked of the whole registry."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.benchmarks.run import BENCHMARKS
from tests.paths import ROOT

EVERY = pytest.mark.parametrize("name", BENCHMARKS)


@EVERY
def test_a_benchmark_says_what_it_measures_and_can_be_run(name: str) -> None:
    module = import_module(f"tests.benchmarks.bench_{name}")
    assert BENCHMARKS.count(name) == 1
    assert module.__doc__
    assert callable(module.main)


_MEASURED = """
import subprocess
from tests.benchmarks.run import command_of

def told(*words: str) -> None:
    print(__name__, *words)

def main() -> None:
    subprocess.run(command_of(told, "a 'word'", "b"), check=True)

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("start", [("-m", "measured"), ("-c", "import measured; measured.main()")])
def test_a_step_runs_in_a_process_of_its_own_however_the_benchmark_was_started(
    start: tuple[str, str], tmp_path: Path
):
    (tmp_path / "measured.py").write_text(_MEASURED, encoding="utf-8")
    around = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    done = subprocess.run([sys.executable, *start], env=around, capture_output=True, text=True)
    assert done.stdout == "measured a 'word' b\n", done.stderr


@EVERY
def test_no_benchmark_imports_itself_by_a_name_that_it_has_only_when_it_is_imported(name: str):
    source = (ROOT / "tests" / "benchmarks" / f"bench_{name}.py").read_text(encoding="utf-8")
    assert "from {__name__}" not in source
