"""Keys and clicks of one person, counted: what a job costs whoever does it.

One step is a key or a combination of keys, a text typed into one field, or a click. Waiting is no
step. The counts of the jobs stand in ``MOST`` and may only become smaller.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.gui.scene import CTRL, Scene, type_text

MOST = {
    "first run with an own file": 8,
    "first run with odd names": 8,
    "thirty items by keys": 31,
    "a lead's boards and gate": 13,
    "freeze to scores": 11,
    "people and their tasks": 20,
    "protocols and a guideline": 20,
    "settings": 6,
    "an alarm and its items": 13,
    "freeze, export, evaluate, report": 35,
    "Chinese and dark": 7,
    "close, reopen, second window": 4,
}
"""Steps that each job took when it was counted last."""

_PLAIN = Qt.KeyboardModifier.NoModifier


@dataclass
class Steps:
    """What one person does in front of the window of a scene, and how often."""

    scene: Scene
    settled: Callable[[], bool]
    """Whether the window shows what the last step led to."""
    taken: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many steps were taken."""
        return len(self.taken)

    def wait(self) -> None:
        """Until the window has settled; counts nothing."""
        self.scene.until(self.settled)

    def focus(self) -> QWidget:
        """Where keys go now: the active dialog's field, else the window's."""
        window = QApplication.activeModalWidget() or QApplication.activeWindow()
        if window is None:  # offscreen nobody hands the focus back when a dialog has closed
            window = self.scene.windows[-1]
        if not window.isActiveWindow():  # what is typed before would be no typing to Qt
            window.activateWindow()
            self.scene.until(window.isActiveWindow)
        return window.focusWidget() or window

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = _PLAIN) -> None:
        """Press a key where the focus is."""
        self.taken.append(key.name)
        QTest.keyClick(self.focus(), key, modifier)
        self.wait()

    def type(self, text: str) -> None:
        """Type a text in place of what the field in front holds; one step."""
        self.taken.append(f"type {text!r}")
        target = self.focus()
        QTest.keyClick(target, Qt.Key.Key_A, CTRL)
        if text.isascii():
            QTest.keyClicks(target, text)
        else:  # QTest knows no such keys: as an input method commits it
            type_text(target, text)
        self.wait()

    def choose(self, words: str) -> None:
        """Type the beginning of an entry of the box in front; one step."""
        self.taken.append(f"choose {words!r}")
        QTest.keyClicks(self.focus(), words)
        self.wait()

    def click(self, widget: QWidget) -> None:
        """Click in the middle of what can be seen and is enabled."""
        assert widget.isVisible()
        assert widget.isEnabled()
        self.taken.append(f"click {widget.objectName() or type(widget).__name__}")
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)
        self.wait()

    def done(self, job: str) -> None:
        """The job is at its end: it took no more steps than last time."""
        assert self.count <= MOST[job], f"{job}: {self.count} steps: {', '.join(self.taken)}"
