"""Which event tells of a row: any number of them in little memory."""

import tracemalloc

from db.evidence.row_events import RowEvents


def test_rows_without_an_event_and_events_without_a_row_are_told_apart():
    told = RowEvents()
    for row, event in ((1, 11), (2, 12), (5, 15), (10**15, 16), (-3, 17), (2, 22)):
        told.put(row, event)
    assert [told.seen(row) for row in (1, 2, 3, 9, 10**15, 10**16)] == [
        11,
        22,
        None,
        None,
        16,
        None,
    ]
    assert list(told.unseen()) == [(5, 15), (-3, 17)]


def test_a_row_that_is_said_to_be_far_off_first_is_one_row():
    told = RowEvents()
    told.put(1_500_000, 1)
    told.put(900_000, 2)
    told.put(1_500_000, 3)
    assert told.seen(1_500_000) == 3
    assert list(told.unseen()) == [(900_000, 2)]


def test_half_a_million_rows_take_a_dozen_bytes_each():
    tracemalloc.start()
    try:
        told = RowEvents()
        for row in range(1, 500_001):
            told.put(row, 2 * row + 10**6)
        assert all(told.seen(row) for row in range(1, 500_001))
        assert tracemalloc.get_traced_memory()[1] / 500_000 < 24
    finally:
        tracemalloc.stop()
    assert not list(told.unseen())
