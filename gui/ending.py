"""Ended from outside: the window closes as by its cross, and what it remembers is kept."""

import signal
import socket

from PySide6.QtCore import QSocketNotifier
from PySide6.QtWidgets import QWidget

_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
"""Of the end of a session, of a terminal that is closed, and of Ctrl+C there."""


def close_when_told(window: QWidget) -> None:
    """Close ``window`` when the process is told to end: its place, notes and claims are kept.

    Python runs no handler while Qt waits, so that the signal's number comes through a socket that
    Qt watches.
    """
    ours, told = socket.socketpair()
    for end in (ours, told):
        end.setblocking(False)
    signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
    for number in _ENDING:
        signal.signal(number, _noted)
    notifier = QSocketNotifier(ours.fileno(), QSocketNotifier.Type.Read, window)
    notifier.setProperty("ends", (ours, told))  # they live as long as the window
    notifier.activated.connect(window.close)


def _noted(_number: int, _frame: object) -> None:
    """The number is in the socket already."""
