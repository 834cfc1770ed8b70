"""A workspace where nothing can be written: it opens, is read and verified, and says what it is."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.workflow.workspace import Workspace
from tests.full_workspace import fill
from tests.hostile.conftest import Attack
from tests.paths import ROOT
from tests.workspaces import new_workspace

_MOUNT = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
_READS = ("items", "verify", "agreement --benchmark bench", "history 1", "split status", "people",
          "task list", "runs")  # fmt: skip
_WRITES = (
    "people Eve --role specialist",
    "decide 1 --accept --reviewer li",
    "import {file} --task t --benchmark b",
    "undo --user li",
    "freeze new --benchmark bench --user boss",
)
_WINDOW = """
import sys
from gui.app import application
from gui.preferences import Preferences
from gui.window.main_window import MainWindow
from PySide6.QtCore import QTimer
kept = Preferences()
app = application(kept)
window = MainWindow(sys.argv[1], kept, keeping=False)
window.open_("boss")
window.show()
timer = QTimer()
timer.timeout.connect(lambda: app.quit() if window.workbench else None)
timer.start(50)
QTimer.singleShot(60000, app.quit)
app.exec()
print(window.workbench.status.saved.text())
window.close()
"""


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A folder with a workspace; skips where no read-only mount can be made."""
    if not shutil.which("unshare") or _on_mount(tmp_path, "true").returncode:
        pytest.skip("a read-only mount needs the right to make one")
    folder = tmp_path / "made"
    folder.mkdir()
    ws = new_workspace(folder)
    fill(ws)
    place = ws.place.folder
    ws.close()
    return place


def _on_mount(place: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A command in a namespace of its own, in which the folder cannot be written."""
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", _MOUNT, str(place), *command],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def _command(place: Path, arguments: str) -> subprocess.CompletedProcess[str]:
    return _on_mount(
        place, sys.executable, "-m", "core.cli", "--workspace", str(place), *arguments.split()
    )


def test_a_workspace_on_a_read_only_mount_is_read_and_nothing_is_written(
    closed: Path, tmp_path: Path, attack: Callable[[str], Attack]
) -> None:
    row = attack("a workspace on a read-only mount")
    before = (closed / "workspace.db").read_bytes()
    file = tmp_path / "rows.csv"
    file.write_text("input,output,instruction\na,b,c\n")
    for command in _READS:
        ended = _command(closed, command)
        said = "is read-only" in ended.stderr
        row.tried("" if ended.returncode == 0 and said else f"{command}: {ended.stderr[-300:]}")
    for command in _WRITES:
        ended = _command(closed, command.format(file=file))
        told = "Traceback" not in ended.stderr and len(ended.stderr.splitlines()) == 2
        row.tried("" if ended.returncode and told else f"{command}: {ended.stderr[-300:]}")
    assert (closed / "workspace.db").read_bytes() == before


def test_the_window_opens_on_a_read_only_mount_and_says_so(closed: Path) -> None:
    ended = _on_mount(closed, sys.executable, "-c", _WINDOW, str(closed))
    assert ended.stdout.strip() == "read-only", ended.stderr


def test_a_log_that_was_never_brought_in_is_not_passed_over(closed: Path) -> None:
    live = Workspace.open(closed)
    fill_more = live.place.folder
    copied = fill_more.with_name("copied")
    shutil.copytree(fill_more, copied)
    live.close()
    (copied / "workspace.db-shm").unlink(missing_ok=True)
    log = copied / "workspace.db-wal"
    if not log.exists() or not log.stat().st_size:
        log.write_bytes(b"\x37\x7f\x06\x82" + bytes(60))
    ended = _command(copied, "items")
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
