"""Python's collector of cyclic garbage, on the window's thread alone.

Python collects on whichever thread happens to make an object too many. An object of Qt that ends on
a worker while the window's thread looks at it crashes the program, so nothing is collected by
itself any more: a clock of the window asks whether it is due, and does it between two events, but
not while somebody waits for the picture after a decision.
"""

import gc
import time
from contextlib import suppress

from PySide6.QtCore import QObject, QTimer

from core import gc_pause

_EVERY_MS = 100  # in a second busy workers make 200,000 objects: 41 ms to look through at once
_PUT_OFF_S = 0.25
"""From a write to when what it shows was painted, on a slow machine."""
_CROWDED = 4
"""So many times what is due is collected whoever waits."""


class GarbageCollector(QObject):
    """Collects on the thread that made it, as often as the thresholds of ``gc`` say."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        gc_pause.by_hand = True
        clock = QTimer(self)
        clock.timeout.connect(self.collect_if_due)
        clock.start(_EVERY_MS)

    _not_before = 0.0

    @classmethod
    def put_off(cls, seconds: float = _PUT_OFF_S) -> None:
        """Collect nothing for so long: somebody waits for the window."""
        cls._not_before = time.monotonic() + seconds

    @classmethod
    def collect_if_due(cls) -> None:
        """Collect the oldest generation that is due, if one is and nobody waits."""
        counts, most = gc.get_count(), gc.get_threshold()
        due = [count > limit for count, limit in zip(counts, most, strict=True)]
        waits = time.monotonic() < cls._not_before and counts[0] <= _CROWDED * most[0]
        if due[0] and not waits:
            gc.collect(2 if all(due) else 1 if due[1] else 0)


def give_back_memory() -> None:
    """Give what was freed back to the system, for once: on a worker, after much was read.

    glibc keeps what is free below anything that is not, and for each thread apart: of the columns
    of a million items a third of a window's memory. Nothing where there is no glibc.
    """
    import ctypes

    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
