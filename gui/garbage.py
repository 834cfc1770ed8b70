"""Python's collector of cyclic garbage, on the window's thread alone.

Python collects on whichever thread happens to make an object too many. An object of Qt that ends on
a worker while the window's thread looks at it crashes the program, so nothing is collected by
itself any more: a clock of the window asks whether it is due, and does it between two events.
"""

import gc
from contextlib import suppress

from PySide6.QtCore import QObject, QTimer

from core import gc_pause

_EVERY_MS = 100  # in a second busy workers make 200,000 objects: 41 ms to look through at once


class GarbageCollector(QObject):
    """Collects on the thread that made it, as often as the thresholds of ``gc`` say."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        gc_pause.by_hand = True
        clock = QTimer(self)
        clock.timeout.connect(self.collect_if_due)
        clock.start(_EVERY_MS)

    @staticmethod
    def collect_if_due() -> None:
        """Collect the oldest generation that is due, if one is."""
        due = [count > most for count, most in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if due[0]:
            gc.collect(2 if all(due) else 1 if due[1] else 0)


def give_back_memory() -> None:
    """Give what was freed back to the system, for once: on a worker, after much was read.

    glibc keeps what is free below anything that is not, and for each thread apart: of the columns
    of a million items a third of a window's memory. Nothing where there is no glibc.
    """
    import ctypes

    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
