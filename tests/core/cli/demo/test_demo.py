"""The demonstration without a display on a machine where the window cannot be drawn."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

WITHOUT_QT = """
import sys

class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "PySide6":
            raise ImportError("libEGL.so.1: cannot open shared object file", name=name)

sys.meta_path.insert(0, Refusing())
from core.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_demonstration_without_pictures_ends_with_3_and_says_why(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_QT, "demo", "--headless", "--dir", str(tmp_path / "d")]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"LANG": "C.UTF-8"}, capture_output=True, text=True
    )
    assert done.returncode == 3, done.stderr
    assert "No screenshots: libEGL.so.1: cannot open shared object file" in done.stderr
    assert "demo-private" in done.stdout
    assert not list(tmp_path.rglob("*.png"))
