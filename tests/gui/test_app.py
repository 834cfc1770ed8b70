"""The window where there is nowhere to open it: a sentence, and no crash."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("variables", [{}, {"DISPLAY": ":9999"}, {"QT_QPA_PLATFORM": "nonsense"}])
def test_a_display_that_cannot_be_used_is_one_sentence(
    variables: dict[str, str], tmp_path: Path
) -> None:
    """Qt ends the process itself then, which left an abort, a core and a report of a crash."""
    outside = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_STATE_HOME")
    environment = {name: value for name, value in os.environ.items() if name not in outside}
    environment |= {"HOME": str(tmp_path), **variables}
    done = subprocess.run(
        [sys.executable, "-m", "core.cli", "gui"], env=environment, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    (sentence,) = done.stderr.splitlines()
    assert "benchseal doctor" in sentence
    assert [path for path in tmp_path.rglob("crashes/*") if path.is_file()] == []
