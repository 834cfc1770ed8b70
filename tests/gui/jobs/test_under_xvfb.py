"""The jobs once more on a real X server, where windows get their focus from the display."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
_SCREEN = "-screen 0 1920x1080x24"


@pytest.mark.slow
def test_the_jobs_are_done_by_keys_and_pointer_under_xvfb():
    if shutil.which("xvfb-run") is None:
        pytest.skip("Xvfb is not installed")
    names = (
        "test_first_run.py",
        "test_days_work.py",
        "test_leads_day.py",
        "test_annotators_hour.py",
    )
    jobs = [str(HERE / name) for name in names]
    done = subprocess.run(
        ["xvfb-run", "-a", "-s", _SCREEN,
         sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *jobs],
        env={**os.environ, "BENCHSEAL_TEST_QPA": "xcb"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout
