"""A frozen split never changes unnoticed."""

import hashlib
import json
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import InputError, StateError
from core.files import canonical_json, digest
from core.release import manifest
from core.release.frozen_items import FrozenItems, FrozenManifest, spelled, stored
from tests.splits import make_split

CREATED = "2026-11-20T10:00:00+00:00"


@pytest.fixture
def frozen(tmp_path: Path) -> Path:
    folder = tmp_path / "split"
    freeze(folder, 12)
    return folder


def freeze(folder: Path, count: int) -> None:
    with frozen_items(make_split(count)) as items, seal(items) as made:
        made.write(folder)


def frozen_items(items: Iterable[manifest.SplitItem]) -> closing[FrozenItems]:
    return closing(FrozenItems(map(stored, items), "a"))


def seal(items: FrozenItems) -> closing[FrozenManifest]:
    return closing(items.seal("arxiv-2026b", "arxiv", CREATED))


def digest_of(items: Iterable[manifest.SplitItem]) -> str:
    with frozen_items(items) as frozen, seal(frozen) as made:
        return made.digest


def lines(folder: Path) -> list[str]:
    return (folder / manifest.ITEMS_FILE).read_text(encoding="utf-8").splitlines(keepends=True)


def rewrite(folder: Path, changed: list[str]) -> None:
    (folder / manifest.ITEMS_FILE).write_text("".join(changed), encoding="utf-8", newline="\n")


def kinds(folder: Path, expected: str = "") -> set[tuple[str, str]]:
    return {(found.kind, found.subject) for found in manifest.verify(folder, expected)}


def test_an_untouched_split_has_no_differences(frozen: Path):
    made = manifest.read_manifest(frozen)
    assert manifest.verify(frozen, made.digest) == []
    lines = (frozen / manifest.ITEMS_FILE).read_text("utf-8").splitlines()
    assert tuple(manifest.SplitItem.from_json(json.loads(line)) for line in lines) == make_split(12)


def test_the_manifest_counts_its_items_and_keeps_their_order(frozen: Path):
    made = manifest.read_manifest(frozen)
    assert made.items == 12
    assert made.counts["format"] == {"cloze": 4, "prediction": 4, "sequencing": 4}
    assert sum(made.counts["format_domain"].values()) == 12
    assert [entry.uid for entry in made.entries] == [f"item-{n}" for n in range(12)]


def test_the_same_items_give_the_same_digest_and_another_order_another():
    items = make_split(6)
    turned = manifest.number_items(
        (item.uid, item.revision, item.content) for item in reversed(items)
    )
    assert digest_of(items) == digest_of(items) != digest_of(turned)


def test_an_altered_item_is_named(frozen: Path):
    rows = lines(frozen)
    row = json.loads(rows[3])
    row["payload"]["key"] = (row["payload"]["key"] + 1) % 4
    rows[3] = json.dumps(row, ensure_ascii=False) + "\n"
    rewrite(frozen, rows)
    assert kinds(frozen) == {("file_changed", "items.jsonl"), ("item_altered", "item-3")}


def test_changed_provenance_is_an_alteration_too(frozen: Path):
    rows = lines(frozen)
    rows[0] = rows[0].replace("article-0", "article-9")
    rewrite(frozen, rows)
    assert ("item_altered", "item-0") in kinds(frozen)


def test_missing_extra_and_moved_items_are_named(frozen: Path):
    rows = lines(frozen)
    foreign = json.loads(rows[5]) | {"uid": "item-99"}
    rewrite(frozen, [rows[1], rows[0], *rows[2:5], *rows[6:], json.dumps(foreign) + "\n"])
    found = kinds(frozen)
    assert {("item_missing", "item-5"), ("item_extra", "item-99")} <= found
    assert {("item_moved", "item-0"), ("item_moved", "item-1")} <= found


def test_a_rewritten_line_ending_is_a_changed_file(frozen: Path):
    path = frozen / manifest.ITEMS_FILE
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert kinds(frozen) == {("file_changed", "items.jsonl")}


def test_a_broken_line_is_named_by_its_number(frozen: Path):
    rows = lines(frozen)
    rewrite(frozen, [rows[0], "{broken\n", *rows[2:]])
    assert {("item_unreadable", "2"), ("item_missing", "item-1")} <= kinds(frozen)


def test_an_edited_manifest_does_not_match_its_own_hash(frozen: Path):
    path = frozen / manifest.MANIFEST_FILE
    path.write_text(path.read_text(encoding="utf-8").replace("arxiv-2026b", "arxiv-2026c"))
    assert kinds(frozen) == {("manifest_changed", "manifest.json")}


def test_a_folder_rewritten_as_a_whole_is_found_by_the_recorded_digest(frozen: Path):
    recorded = manifest.read_manifest(frozen).digest
    (frozen / manifest.MANIFEST_FILE).unlink()
    freeze(frozen, 11)
    assert kinds(frozen) == set()
    assert kinds(frozen, recorded) == {("manifest_changed", "manifest.json")}


@pytest.mark.parametrize("name", [manifest.ITEMS_FILE, manifest.MANIFEST_FILE])
def test_a_missing_file_is_named(frozen: Path, name: str):
    (frozen / name).unlink()
    assert ("file_missing", name) in kinds(frozen)


def test_a_manifest_of_another_program_is_unreadable(frozen: Path):
    (frozen / manifest.MANIFEST_FILE).write_bytes(b"\xff\xfe[]")
    assert kinds(frozen) == {("file_unreadable", "manifest.json")}


def test_a_manifest_of_a_newer_program_says_so(frozen: Path):
    path = frozen / manifest.MANIFEST_FILE
    path.write_text(path.read_text(encoding="utf-8").replace('"version": 1', '"version": 2'))
    with pytest.raises(InputError, match="newer"):
        manifest.read_manifest(frozen)


def test_a_frozen_folder_is_never_written_again(frozen: Path):
    with pytest.raises(StateError, match="never change"):
        freeze(frozen, 2)


def test_an_empty_split_and_a_repeated_item_are_refused():
    with pytest.raises(StateError, match="no items"):
        frozen_items(())
    first, second = make_split(2)
    with pytest.raises(StateError, match="twice"):
        frozen_items((first, replace(second, uid=first.uid)))


@pytest.mark.parametrize("names", ["1 2 5 3 2", "1 2 2", "7 x 07 x", "b a b"])
def test_an_item_that_is_there_twice_is_refused_in_whatever_order(names: str):
    numbered = [replace(item, uid=name)
                for item, name in zip(make_split(5), names.split(), strict=False)]  # fmt: skip
    with frozen_items(numbered[:-1]) as kept:
        assert len(kept) == len(numbered) - 1
    with pytest.raises(StateError, match="twice"):
        frozen_items(tuple(numbered))


def test_text_that_no_file_can_hold_is_refused_by_the_name_of_its_item():
    (item,) = make_split(1)
    payload = dict(item.content.payload) | {"parts": ["\ud800", "b", "c", "d"]}
    broken = replace(item, content=replace(item.content, payload=payload))
    with pytest.raises(InputError, match="item-0"):
        frozen_items((broken,))


def test_the_pass_over_the_items_writes_what_the_models_of_a_manifest_write(frozen: Path):
    made = manifest.read_manifest(frozen)
    text = (frozen / manifest.MANIFEST_FILE).read_text(encoding="utf-8")
    assert text == made.model_dump_json(indent=1) + "\n"
    assert made.computed_digest() == made.digest
    for entry, item in zip(made.entries, make_split(12), strict=True):
        assert entry.row_hash == digest(item.as_json())
        assert entry.content_hash == item.content.content_hash
    head = manifest.read_head(frozen)
    assert head == made.model_copy(update={"entries": ()})


def test_items_on_the_disk_are_those_that_were_frozen():
    items = make_split(12)
    odd = replace(items[0].content, payload={"n": [1.5, 1e30, 2**70, True, None], "t": "a\u2028b"})
    items = (replace(items[0], content=odd), *items[1:])
    with frozen_items(items) as frozen:
        assert len(frozen) == 12
        for own, item in zip(frozen, items, strict=True):
            assert own.content.payload == item.content.payload
            assert (own.uid, own.revision, own.position) == (item.uid, item.revision, item.position)
            assert own.content.content_hash == item.content.content_hash
            assert own.canonical() == item.canonical()
        assert [item.uid for item in frozen[3:5]] == ["item-3", "item-4"]
        assert frozen[-1].uid == "item-11"
        both = zip(frozen, frozen, strict=True)
        assert all(one.uid == other.uid for one, other in both)  # two readers at once


def test_a_payload_that_is_stored_as_it_was_hashed_need_not_be_read():
    item = stored(make_split(3)[1])
    content_hash, row = spelled(item, 1)
    text = canonical_json(dict(item[5]))
    unread = (*item[:5], (text, content_hash), item[6])
    assert spelled(unread, 1) == (content_hash, row)


@pytest.mark.parametrize("known", ["", "0" * 64, "right"])
def test_a_payload_in_another_spelling_or_with_another_hash_is_read(known: str):
    item = stored(make_split(3)[1])
    content_hash, row = spelled(item, 1)
    for text in (
        json.dumps(dict(item[5]), indent=1),
        json.dumps(dict(reversed(item[5].items()))),
        canonical_json(dict(item[5])),
    ):
        beside = content_hash if known == "right" else known
        assert spelled((*item[:5], (text, beside), item[6]), 1) == (content_hash, row)


def test_a_hash_that_was_made_for_a_text_of_two_lines_does_not_break_a_line():
    item = stored(make_split(3)[1])
    text = json.dumps(dict(item[5]), indent=1, ensure_ascii=False)
    head = f'{{"family":"{item[2]}","format":"{item[3]}","payload":'
    forged = hashlib.sha256(f"{head}{text}}}".encode()).hexdigest()
    assert spelled((*item[:5], (text, forged), item[6]), 1) == spelled(item, 1)


def test_a_text_that_is_no_json_is_not_taken_for_an_item():
    item = stored(make_split(3)[1])
    with pytest.raises(ValueError, match="Expecting"):
        spelled((*item[:5], ('{"context": ', "0" * 64), item[6]), 1)
