"""Timers that fire once for each start."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def single_shot(parent: QObject, interval_ms: int, call: Callable[[], object]) -> QTimer:
    """A stopped timer of ``parent``; every start calls ``call`` once, after so many ms."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(interval_ms)
    timer.timeout.connect(call)
    return timer
