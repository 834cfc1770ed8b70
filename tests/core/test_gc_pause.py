"""Few collections: the usual thresholds come back, whatever several threads do at once."""

import gc
import threading

import pytest

from core import gc_pause
from core.gc_pause import few_collections


@pytest.fixture(autouse=True)
def usual():
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)
    gc.enable()


def test_the_usual_thresholds_come_back_after_an_error_too():
    with pytest.raises(ValueError, match="no"), few_collections():
        raise ValueError("no")
    assert gc.get_threshold() == (700, 10, 10)


def test_two_threads_that_overlap_leave_the_usual_thresholds():
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with few_collections():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with few_collections():
        thread.start()
        assert inside.wait(10)
    assert gc.get_threshold()[0] == 1_000_000  # the other one is still at work
    leave.set()
    thread.join(10)
    assert gc.get_threshold() == (700, 10, 10)


def test_what_is_frozen_stays_so():
    kept = [[number] for number in range(100)]
    already = gc.get_freeze_count() > 0
    gc.freeze()
    try:
        with few_collections():
            pass
        # what is frozen is in no generation; how much there is may change, for it can still die
        found = {id(one) for one in gc.get_objects()}
        assert not any(id(one) in found for one in kept)
    finally:
        gc.unfreeze()
        if already:
            gc.freeze()


@pytest.mark.parametrize("by_hand", [False, True])
def test_what_was_made_is_old_at_once(by_hand, monkeypatch):
    gc.unfreeze()  # what earlier tests have frozen
    if by_hand:
        gc.disable()
        monkeypatch.setattr(gc_pause, "by_hand", True)
    with few_collections():
        made = [[number] for number in range(5_000)]
    assert gc.get_count()[0] < 700
    young = {id(one) for one in gc.get_objects(generation=0)}
    assert not any(id(one) in young for one in made[:100])
