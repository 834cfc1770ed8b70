"""The manifest of a frozen split: what is in it, in which order, and the hashes that prove it.

A frozen folder holds ``items.jsonl`` (one ``SplitItem`` per line, in order) and ``manifest.json``.
The manifest's own ``digest`` is the SHA-256 of its canonical JSON without that field, so one
number stands for the whole split; the workspace and the ledger remember it.
"""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from core.bounded_json import bounded_lines, parse_json
from core.errors import InputError
from core.families.base import ItemContent
from core.files import canonical_json, digest, file_digest
from core.i18n import tr

ITEMS_FILE = "items.jsonl"
MANIFEST_FILE = "manifest.json"
MANIFEST_VERSION = 1
_HEAD, _TAIL = 1 << 20, 200  # bytes of a manifest before and after its entries


@dataclass(frozen=True, slots=True)
class SplitItem:
    """One item of a split. ``position`` counts from 0; ``uid`` is the item's name for life."""

    position: int
    uid: str
    revision: int
    content: ItemContent

    def as_json(self) -> dict[str, Any]:
        """A line of ``items.jsonl``: the item's own JSON with its place in the split."""
        place = {"uid": self.uid, "revision": self.revision, "position": self.position}
        return place | self.content.as_json()

    def canonical(self) -> str:
        """The canonical JSON of ``as_json``."""
        return canonical_json(self.as_json())

    def canonical_bytes(self) -> bytes:
        """``canonical`` in UTF-8; UnicodeEncodeError for half a character."""
        return self.canonical().encode()

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "SplitItem":
        """Inverse of ``as_json``; KeyError, TypeError or ValueError for another object."""
        return cls(
            position=int(row["position"]),
            uid=str(row["uid"]),
            revision=int(row["revision"]),
            content=ItemContent.from_json(row),
        )


class ManifestEntry(BaseModel):
    """One item in a manifest. ``row_hash`` covers the whole line, provenance included."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    position: int
    uid: str
    revision: int
    family: str
    format: str
    domain: str
    content_hash: str
    row_hash: str


class Manifest(BaseModel):
    """What a frozen split consists of. ``counts`` maps family, format, domain and
    ``format/domain`` to numbers of items; ``files`` maps a file's name to its SHA-256."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = MANIFEST_VERSION
    name: str
    benchmark: str
    created: str
    items: int
    counts: dict[str, dict[str, int]]
    files: dict[str, str]
    entries: tuple[ManifestEntry, ...]
    digest: str = ""

    def computed_digest(self) -> str:
        """SHA-256 in hex of the canonical JSON of everything but ``digest``."""
        return digest(self.model_dump(mode="json", exclude={"digest"}))


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference from what was frozen. ``kind`` is stable, ``detail`` for people.

    Kinds: ``file_missing``, ``file_changed``, ``file_unreadable``, ``file_extra``,
    ``file_linked``, ``manifest_changed``,
    ``item_altered``, ``item_missing``, ``item_extra``, ``item_moved``, ``item_unreadable``.
    """

    kind: str
    subject: str
    detail: str


def number_items(contents: Iterable[tuple[str, int, ItemContent]]) -> tuple[SplitItem, ...]:
    """``(uid, revision, content)`` in order, with their positions."""
    return tuple(
        SplitItem(position, uid, revision, content)
        for position, (uid, revision, content) in enumerate(contents)
    )


class ItemCounts:
    """Numbers of items by family, format, domain, and format with domain, as they come."""

    def __init__(self) -> None:
        self._kinds: Counter[tuple[str, str, str]] = Counter()

    def add(self, family_name: str, format: str, domain: str, *, number: int = 1) -> None:
        """Count an item, or so many alike."""
        self._kinds[family_name, format, domain] += number

    def as_json(self) -> dict[str, dict[str, int]]:
        """By ``family``, ``format``, ``domain`` and ``format_domain``."""
        by_field: dict[str, Counter[str]] = {
            name: Counter() for name in ("family", "format", "domain", "format_domain")
        }
        for (family_name, format, domain), count in self._kinds.items():
            by_field["family"][family_name] += count
            by_field["format"][format] += count
            by_field["domain"][domain] += count
            by_field["format_domain"][f"{format}/{domain}"] += count
        return {name: dict(sorted(counts.items())) for name, counts in by_field.items()}


def count_items(contents: Iterable[ItemContent]) -> dict[str, dict[str, int]]:
    """Numbers of items by family, format, domain, and format with domain."""
    counts = ItemCounts()
    for content in contents:
        counts.add(content.family, content.format, content.domain)
    return counts.as_json()


def read_manifest(folder: Path) -> Manifest:
    """The manifest in a folder as it stands there; InputError where there is none to read."""
    path = folder / MANIFEST_FILE
    try:
        manifest = Manifest.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError.tr(
            "“{folder}” does not contain a frozen split: manifest.json cannot be read.",
            folder=folder,
        ) from error
    except ValidationError as error:
        raise InputError.tr(
            "The manifest.json in “{folder}” is damaged or belongs to another program.",
            folder=folder,
        ) from error
    if manifest.version > MANIFEST_VERSION:
        raise InputError.tr(
            "The split in “{folder}” was frozen by a newer version of Benchseal; update Benchseal.",
            folder=folder,
        )
    return manifest


def read_head(folder: Path) -> Manifest:
    """The manifest in a folder without its entries, which are not read where it is laid out as we
    write it; errors as ``read_manifest``."""
    try:
        with (folder / MANIFEST_FILE).open("rb") as handle:
            head = handle.read(_HEAD)
            handle.seek(max(0, handle.seek(0, os.SEEK_END) - _TAIL))
            tail = handle.read()
        head, found, _ = head.partition(b'\n "entries": [')
        digest = re.search(rb'\n "digest": "([0-9a-f]{64})"\n}\n$', tail)
        if found and digest:
            text = head + b'"entries": [], "digest": "' + digest[1] + b'"}'
            return Manifest.model_validate_json(text)
    except (OSError, ValidationError):
        pass  # said below
    return read_manifest(folder)


def verify(
    folder: Path, expected_digest: str = "", withdrawn: Collection[str] = ()
) -> list[Difference]:
    """Every difference between a frozen folder and what was frozen; empty when there is none.

    ``expected_digest`` is the digest that the workspace or the ledger remembers: without it a
    folder in which items and manifest were both rewritten cannot be told from a sound one. Files
    that were ``withdrawn`` may be missing.
    """
    try:
        manifest = read_manifest(folder)
    except InputError as error:
        missing = not (folder / MANIFEST_FILE).exists()
        kind = "file_missing" if missing else "file_unreadable"
        return [Difference(kind, MANIFEST_FILE, str(error))]
    problems = list(_manifest_differences(manifest, expected_digest))
    for name, expected in manifest.files.items():
        path = folder / name
        if name in withdrawn and not path.exists():
            continue
        if not path.is_file():
            problems.append(Difference("file_missing", name, tr("The file is missing.")))
        elif file_digest(path) != expected:
            problems.append(
                Difference(
                    "file_changed", name, tr("The file has changed since the split was frozen.")
                )
            )
    if expected_digest and not problems:
        return []  # the digest binds the bytes of every file: no line can differ
    if (folder / ITEMS_FILE).is_file():
        items, broken = _read_lines(folder / ITEMS_FILE)
        problems += [
            Difference("item_unreadable", str(line), tr("Line {line} is not an item.", line=line))
            for line in broken
        ]
        problems += differences(manifest, items)
    return problems


def differences(manifest: Manifest, items: Iterable[SplitItem]) -> list[Difference]:
    """How items differ from the manifest's entries, item by item."""
    changes: list[Difference] = []
    left = {entry.uid: entry for entry in manifest.entries}
    for place, item in enumerate(items):
        entry = left.pop(item.uid, None)
        if entry is None:
            changes.append(
                Difference("item_extra", item.uid, tr("The item was not in the frozen split."))
            )
            continue
        if digest(item.as_json()) != entry.row_hash:
            changes.append(Difference("item_altered", item.uid, _alteration(entry, item)))
        elif place != entry.position:
            changes.append(
                Difference(
                    "item_moved",
                    item.uid,
                    tr(
                        "The item is at position {now} instead of {before}.",
                        now=place + 1,
                        before=entry.position + 1,
                    ),
                )
            )
    changes += [Difference("item_missing", uid, tr("The item is missing.")) for uid in left]
    return changes


def digest_of_text(text: str) -> str:
    """SHA-256 in hex of a text's UTF-8 bytes."""
    return hashlib.sha256(text.encode()).hexdigest()


def _manifest_differences(manifest: Manifest, expected_digest: str) -> Iterable[Difference]:
    digest = manifest.computed_digest()
    if digest != manifest.digest:
        yield Difference(
            "manifest_changed", MANIFEST_FILE, tr("The manifest does not match its own hash.")
        )
    elif expected_digest and digest != expected_digest:
        yield Difference(
            "manifest_changed",
            MANIFEST_FILE,
            tr("The manifest is not the one that was recorded when the split was frozen."),
        )


def _alteration(entry: ManifestEntry, item: SplitItem) -> str:
    if item.content.content_hash != entry.content_hash:
        return tr("The content of the item was changed.")
    if item.revision != entry.revision:
        return tr(
            "The item has revision {now} instead of {before}.",
            now=item.revision,
            before=entry.revision,
        )
    return tr("The provenance, domain or position of the item was changed.")


def _read_lines(path: Path) -> tuple[tuple[SplitItem, ...], list[int]]:
    """(items, numbers of the lines that are none)."""
    items: list[SplitItem] = []
    broken: list[int] = []
    with path.open("rb") as handle:
        for number, line in enumerate(bounded_lines(handle), 1):
            try:
                items.append(SplitItem.from_json(parse_json(line)))
            except (ValueError, KeyError, TypeError, AttributeError):
                broken.append(number)
    return tuple(items), broken
