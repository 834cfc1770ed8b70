"""What is known of a split's items by their uids, in whatever order they stand."""

import tracemalloc
from contextlib import closing

import pytest

from core.release.by_uid import ItemsByUid, UidPlaces, ValuesByUid
from core.release.frozen_items import FrozenItems, stored
from core.release.manifest import number_items
from tests.splits import varied

UIDS = (7, 3, 40, 12)


def test_places_are_found_by_uid_and_unknown_uids_are_not():
    places = UidPlaces(UIDS)
    assert {uid: places[uid] for uid in places} == {"7": 0, "3": 1, "40": 2, "12": 3}
    assert (len(places), places.get("8"), places.get("x"), places.get("")) == (4, None, None, None)


def test_values_are_those_that_were_given():
    values = ValuesByUid(zip(UIDS, ("a", "b", "a", "c"), strict=True))
    assert dict(values) == {"3": "b", "7": "a", "12": "c", "40": "a"}
    with pytest.raises(KeyError):
        values["8"]


def test_a_value_that_many_share_takes_a_few_bytes_of_each():
    many = 20_000
    tracemalloc.start()
    values = ValuesByUid((number, ("a", "task")) for number in range(many))
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert values[str(many - 1)] == ("a", "task")
    assert size < 48 * many  # a dict by uid takes three times as much


def test_items_are_read_from_the_disk_by_uid():
    items = number_items((str(uid), 1, varied(uid)) for uid in UIDS)
    with closing(FrozenItems(map(stored, items), "s")) as kept:
        by_uid = ItemsByUid(kept)
        assert {uid: item.content for uid, item in by_uid.items()} == {
            item.uid: item.content for item in items
        }
