"""Rows on the disk come back as they were, as often as they are asked for."""

from contextlib import closing

import pytest

from core.errors import InputError
from core.families.base import ItemContent
from core.families.intake import AcceptedRow
from core.sources.imports import RefusedRow
from core.workflow.production.spooled_rows import SpooledRows
from db.schema.json_text import write_payload

PAYLOADS = (
    {"input": "水\u2028 \x1b", "labels": ["a", "b"], "n": 1e-7, "none": None, "yes": True},
    {"big": 2**70},
    {"half": "\ud83d"},
    {1: "a key that is no text"},
)
ROWS = [
    *(
        AcceptedRow(n, ItemContent("instruction", "triplet", payload, {"line": n}, "CS"), ("id",))
        for n, payload in enumerate(PAYLOADS, 1)
    ),
    RefusedRow(9, "It is not valid JSON."),
]


def test_rows_come_back_in_their_order_and_as_they_were() -> None:
    with closing(SpooledRows(iter(ROWS))) as spooled:
        assert len(spooled) == len(ROWS)
        assert spooled.has_items
        for _ in "ab":
            assert list(spooled) == ROWS
        again = [row.content for row in spooled if isinstance(row, AcceptedRow)]
    before = [row.content for row in ROWS if isinstance(row, AcceptedRow)]
    assert [c.content_hash for c in again[:2]] == [c.content_hash for c in before[:2]]


def test_refused_rows_are_no_items() -> None:
    with closing(SpooledRows(iter(ROWS[-1:]))) as spooled:
        assert not spooled.has_items
        assert list(spooled) == ROWS[-1:]


def test_what_breaks_the_reading_leaves_no_file_open() -> None:
    def rows():
        yield ROWS[0]
        raise InputError("The file breaks here.")

    with pytest.raises(InputError):
        SpooledRows(rows())


def test_what_identifies_a_row_is_computed_before_anybody_has_to_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with closing(SpooledRows(iter(ROWS[:1]))) as spooled:
        first = ROWS[0]
        assert isinstance(first, AcceptedRow)
        before = first.content.content_hash
        monkeypatch.setattr("core.families.base.content_hash_of", lambda *_: pytest.fail("again"))
        (again,) = spooled
    assert isinstance(again, AcceptedRow)
    assert again.content.content_hash == before


def test_of_many_rows_only_those_that_repeat_one_have_to_be_held() -> None:
    contents = [ItemContent("instruction", "triplet", {"input": str(n % 400)}) for n in range(420)]
    with closing(SpooledRows(map(AcceptedRow, range(1, 421), contents))) as spooled:
        repeated = spooled.repeated()
        found = {content.payload["input"] for content in contents if repeated(content.content_hash)}
    assert found == {str(number) for number in range(20)}


def test_the_rows_of_one_content_are_found_while_all_are_gone_through() -> None:
    contents = [ItemContent("instruction", "triplet", {"input": f"{n % 3}"}) for n in range(9)]
    with closing(SpooledRows(AcceptedRow(n, c) for n, c in enumerate(contents, 1))) as spooled:
        found = [
            [other.line for other in spooled.with_content(row.content.content_hash)]
            for row in spooled
            if isinstance(row, AcceptedRow)
        ]
    assert found == [[1, 4, 7], [2, 5, 8], [3, 6, 9]] * 3


def test_a_payload_is_stored_in_the_spelling_that_was_hashed() -> None:
    """What is hashed when a file is read is what its column holds, as if it were spelled anew."""
    with closing(SpooledRows(iter(ROWS))) as spooled:
        again = [row.content.payload for row in spooled if isinstance(row, AcceptedRow)]
    before = [row.content.payload for row in ROWS if isinstance(row, AcceptedRow)]
    assert list(map(write_payload, again)) == [write_payload(dict(payload)) for payload in before]
    changed = {**again[0], "input": "another"}
    assert write_payload(changed) == write_payload({**before[0], "input": "another"})
