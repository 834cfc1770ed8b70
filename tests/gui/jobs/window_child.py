"""A real window in a process of its own, which presses keys and says when the next item is there.

Started by ``test_sigkill.py``: ``python window_child.py WORKSPACE PERSON``. Says ``press N`` before
the key that accepts item N, and ``acknowledged N`` when the item after it has been painted.
"""

import os
import sys

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QEventLoop, Qt
from PySide6.QtTest import QTest

from gui.app import application
from gui.panels.review.panel import ReviewPanel
from gui.preferences import Preferences
from gui.window.main_window import MainWindow

WAIT = QEventLoop.ProcessEventsFlag.WaitForMoreEvents


def say(word: str, number: int) -> None:
    """One line to the test, at once."""
    sys.stdout.write(f"{word} {number}\n")
    sys.stdout.flush()


def main(place: str, person: str) -> None:
    """Accept one item after the other until killed or until nothing is left."""
    kept = Preferences()
    app = application(kept)
    window = MainWindow(place, kept, keeping=False)
    window.open_(person)
    window.show()
    loop = QEventLoop()
    while window.workbench is None:
        loop.processEvents(WAIT)
    panel = window.workbench.panel("review")
    assert isinstance(panel, ReviewPanel)
    while True:
        while not panel.ready():
            loop.processEvents(WAIT)
        if panel.queue.current is None:
            break
        painted = panel.page.painted
        decided = panel.queue.current.card.number
        say("press", decided)
        QTest.keyClick(window, Qt.Key.Key_A)
        while panel.page.painted == painted and panel.queue.current is not None:
            loop.processEvents(WAIT)
        if panel.page.painted > painted:
            say("acknowledged", decided)
    del app


if __name__ == "__main__":
    main(*sys.argv[1:3])
