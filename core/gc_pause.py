"""Python's collector of cyclic garbage, for work that makes none."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

by_hand = False
"""Set where the program collects at times of its own, by the same thresholds."""
_LOCK = threading.Lock()
_usual: list[tuple[int, int, int]] = []  # one entry for each that is under way, the oldest first


@contextmanager
def few_collections() -> Iterator[None]:
    """For work that makes a million small objects which all stay and hold no cycles, such as a
    report or the import of what it needs: looking through them again and again would take a fifth
    of its time, and hold up the window for longer than a frame. In any thread, also in several.
    """
    with _LOCK:
        _usual.append(gc.get_threshold())
        gc.set_threshold(1_000_000, *_usual[0][1:])
    try:
        yield
    finally:
        with _LOCK:
            usual = _usual[0]
            _usual.pop()
            if not _usual:
                # everything becomes old at once; else the next collection would look through it.
                # What somebody keeps frozen must stay so, and would not after this. It is counted
                # one by one, 20 ms for a heap of tests: only where collections are to come
                if (gc.isenabled() or by_hand) and not gc.get_freeze_count():
                    gc.freeze()
                    gc.unfreeze()
                gc.set_threshold(*usual)
