"""Processor time from the start of a command to its end, beside its goal.

Each is started five times; the least is printed, as other work on the machine only adds to it.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from core.evaluation.params import EvaluateParams
from core.evaluation.types import Question
from core.jobs.folder import RunFolder
from tests.paths import ROOT
from tests.workload import fill

GOAL = 0.3
COMMANDS = (["items", "--limit", "1"], ["people", "list"], ["runs"], ["--help"])


def cpu_seconds(command: list[str], times: int = 5) -> float:
    """The least user and system time of a child process."""
    taken = []
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "QT_QPA_PLATFORM": "offscreen"}
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(taken)


_SHOWN = """
import sys
from PySide6.QtCore import QTimer
if sys.argv[1:]:
    from gui import preferences
    from gui.app import application
    from gui.window.main_window import MainWindow
    kept = preferences.load()
    app = application(kept)
    window = MainWindow(sys.argv[1], kept, keeping=False)
    from gui.window.opening_notice import OpeningNotice
    window.setCentralWidget(OpeningNotice(sys.argv[1]))
else:
    from PySide6.QtWidgets import QApplication, QMainWindow
    app, window = QApplication([]), QMainWindow()
window.show()
QTimer.singleShot(0, app.quit)
app.exec()
"""
"""A bare window, or ours as it is before its workspace is open; ends once it was painted."""


def a_run(folder: Path) -> Path:
    """A run folder of a baseline, ten questions long."""
    questions = (Question(str(n), "choice", "", "", "?", choices=("A", "B")) for n in range(10))
    params = EvaluateParams(engine="baseline:random", split="s")
    return RunFolder.create(folder, "evaluate", params, (q.as_json() for q in questions)).path


def main() -> None:
    """Print the table."""
    print(f"{'command':24} {'CPU s':>7} {'goal':>6}")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "workspace"
        fill(place, 300).close()
        here = [sys.executable, "-m", "core.cli", "--workspace", str(place)]
        for words in COMMANDS:
            taken = cpu_seconds([*here, *words])
            print(f"{' '.join(words):24} {taken:7.2f} {GOAL if words[0] == 'items' else '':>6}")
        once = cpu_seconds([*here, "run", str(a_run(Path(folder)))], times=1)
        print(f"{'a worker of a baseline':24} {once:7.2f} {0.5:6}")
        bare = cpu_seconds([sys.executable, "-c", _SHOWN])
        shown = cpu_seconds([sys.executable, "-c", _SHOWN, str(place)])
        print(f"{'first frame':24} {shown:7.2f} {3 * bare:6.2f}")
        taken = cpu_seconds([sys.executable, "-c", "import sqlalchemy"])
        print(f"{'(import sqlalchemy)':24} {taken:7.2f}")
