"""What all export formats have in common: rows that carry an item as a text."""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.errors import StateError
from core.files import canonical_bytes, canonical_json
from core.json_lines import json_line, row_line, text_within
from core.release.formats.base import DATA_FOLDER, ExportFormat
from core.release.formats.inspect import Inspect
from core.release.formats.lm_eval import LmEval
from core.release.formats.opencompass import OpenCompass
from core.release.frozen_items import FrozenItems, digests, kind_of, kinds_of, stored
from core.release.manifest import SplitItem
from tests.splits import make_split

CARRYING = (LmEval(), Inspect(), OpenCompass())
ODD = 'Was ist }" hier? "item":"{\\" \\u2028 \u2028\u0085 \x01\x7f ’s 话题 \\'
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


def odd_items() -> list[SplitItem]:
    """Items of which every second has texts that look like the ends of JSON texts."""
    found = []
    for item in make_split(12):
        payload = {**item.content.payload}
        if item.position % 2:
            payload = {
                name: f"{value} {ODD}" if isinstance(value, str) and name == "context" else value
                for name, value in payload.items()
            }
        content = replace(item.content, payload=payload, provenance={"columns": {ODD: [ODD]}})
        found.append(replace(item, content=content))
    return found


def carried(folder: Path) -> list[str]:
    """The items of all rows as any reader of JSON finds them."""
    texts = []
    for path in sorted((folder / DATA_FOLDER).glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            row = json.loads(line)
            assert line + b"\n" == json_line(row)
            texts.append(row.get("metadata", row)["item"])
    return texts


@given(st.recursive(TEXTS, lambda some: st.lists(some) | st.dictionaries(TEXTS, some)))
@example(ODD)
@example({ODD: [ODD, "\\", '"', "\\\\"]})
def test_an_item_within_a_row_is_the_text_of_its_json(value: Any) -> None:
    row = {"b": "\u2028 话", "a": ["x"]}
    told = row_line({**row, "item": text_within(canonical_bytes(value))})
    assert told == json_line({**row, "item": canonical_json(value)})


@pytest.mark.parametrize("form", CARRYING, ids=lambda form: form.name)
@pytest.mark.parametrize("is_frozen", [True, False], ids=["on the disk", "in memory"])
def test_the_rows_of_an_export_carry_its_items(
    tmp_path: Path, form: ExportFormat, is_frozen: bool
) -> None:
    items = odd_items()
    with closing(FrozenItems(map(stored, items), "s")) as frozen:
        form.export(frozen if is_frozen else items, "s", tmp_path / "out")
    texts = carried(tmp_path / "out")
    assert sorted(texts) == sorted(item.canonical() for item in items)
    rows = [row if isinstance(row, str) else row.decode()
            for row in form.read_rows(tmp_path / "out")]  # fmt: skip
    assert rows == texts == [item.canonical() for item in form.read_items(tmp_path / "out")]


@pytest.mark.parametrize("form", CARRYING, ids=lambda form: form.name)
@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (b'\\"revision\\":1', b'\\"revision\\":2', "would be changed"),
        (b'"item":"{', b'"item":"', "could not be read back"),
        (b'"item":"{', b'"other":"{', "could not be read back"),
        (b'}"', b"}", "could not be read back"),
        (b'\\"revision\\":1', b"\\x", "could not be read back"),
    ],
)
def test_rows_that_lost_their_item_are_no_export(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    form: ExportFormat,
    before: bytes,
    after: bytes,
    why: str,
) -> None:
    own = form.write

    def torn(*given: Any) -> str:
        entry = own(*given)
        for path in (given[2] / DATA_FOLDER).glob("*.jsonl"):
            path.write_bytes(path.read_bytes().replace(before, after, 1))
        return entry

    monkeypatch.setattr(form, "write", torn)
    with pytest.raises(StateError, match=why):
        form.export(odd_items(), "s", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_what_is_known_of_items_on_the_disk_is_what_is_known_of_them_in_memory() -> None:
    items: Sequence[SplitItem] = odd_items()
    with closing(FrozenItems(map(stored, items), "s")) as frozen:
        told = list(digests(frozen))
        assert told == list(digests(items))
        assert told == [
            (bytes.fromhex(item.content.content_hash), sha256(item.canonical_bytes()).digest())
            for item in items
        ]
        assert [(e.content_hash, e.row_hash) for e in frozen.entries()] == [
            (content.hex(), row.hex()) for content, row in told
        ]
        assert list(kinds_of(frozen)) == list(map(kind_of, items))
        places = (7, 0, 3)
        assert [item.canonical() for item in frozen.some(places)] == [
            items[place].canonical() for place in places
        ]
