"""The one pass over the items of a split: each is spelled, hashed and counted once, none is held.

Freezing, and the check that a split is still as it was frozen, take the same pass: what it leaves
in two files without a name are the lines of ``items.jsonl`` and the entries of the manifest. The
memory of a pass does not grow with the split, but for eight bytes an item.
"""

import hashlib
import json
from array import array
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, starmap
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, AnyStr, BinaryIO, NamedTuple, TypeVar, overload

import orjson
from pydantic_core import from_json
from typing_extensions import override

from core.errors import InputError, StateError
from core.families import family
from core.families.base import ItemContent
from core.files import (
    canonical_bytes,
    file_digest,
    make_private_folder,
    write_atomic,
)
from core.json_lines import LINE_END, json_line, line_of
from core.release.manifest import (
    ITEMS_FILE,
    MANIFEST_FILE,
    MANIFEST_VERSION,
    ItemCounts,
    SplitItem,
    count_items,
)
from core.scratch_file import ScratchFile

Group = TypeVar("Group", bound=Hashable)
_PIECE = 1 << 20  # bytes that are copied at once
_AT_ONCE = 1000  # entries
_TWO_DIGESTS = 2 * hashlib.sha256().digest_size  # bytes


StoredItem = tuple[
    int | str, int, str, str, str, Mapping[str, Any] | tuple[str, str], Mapping[str, Any]
]
"""An item as it is stored: uid, revision, family, format, domain, payload, provenance. A payload
that nobody has read yet is (its JSON text, the hash that is stored beside it)."""


class FrozenEntry(NamedTuple):
    """What the manifest says of one item, its position apart: see ``ManifestEntry``."""

    uid: str
    revision: int
    family: str
    format: str
    domain: str
    content_hash: str
    row_hash: str


def stored(item: SplitItem) -> StoredItem:
    """A split item as one that is stored."""
    content = item.content
    return (item.uid, item.revision, content.family, content.format, content.domain,
            content.payload, content.provenance)  # fmt: skip


class FrozenItems(Sequence[SplitItem]):
    """The items of a split in their order, encrypted on the disk: read when they are asked for.

    Raises StateError for a split without items and for an item that is in it twice, InputError for
    a text that no file can hold. To be closed.
    """

    def __init__(self, items: Iterable[StoredItem], name: str, folder: Path | None = None) -> None:
        self.folder = folder
        self.lines = ScratchFile(folder)
        self._entries = ScratchFile(folder)
        self._digests = ScratchFile(folder)
        try:
            self._take(items, name)
        except BaseException:
            self.close()
            raise

    def _take(self, items: Iterable[StoredItem], name: str) -> None:
        written = hashlib.sha256()
        numbers: dict[tuple[str, str, str], int] = {}
        counted: list[int] = []
        self._starts = array("Q")
        self._are_canonical = True
        names = _Names(lambda: (orjson.loads(line)[0] for line in _lines(self._entries)))
        place = 0
        for position, item in enumerate(items):
            uid, kind = str(item[0]), item[2:5]
            if not names.add(uid):
                raise StateError.tr(
                    "Item {uid} appears twice in split “{name}”.", uid=uid, name=name
                )
            content_hash, row = spelled(item, position)
            line = line_of(row)
            self._are_canonical = self._are_canonical and len(line) == len(row) + 1
            written.update(line)
            self.lines.write(line)
            self._starts.append(place)
            place += len(line)
            row_hash = hashlib.sha256(row)
            number = numbers.setdefault(kind, len(counted))
            if number == len(counted):
                counted.append(0)
            counted[number] += 1
            self._entries.write(orjson.dumps((uid, item[1], number)) + b"\n")
            self._digests.write(bytes.fromhex(content_hash) + row_hash.digest())
        if not self._starts:
            raise StateError.tr("Split “{name}” has no items to freeze.", name=name)
        self._starts.append(place)
        self.files = {ITEMS_FILE: written.hexdigest()}
        self._kinds = tuple(numbers)
        counts = ItemCounts()
        for kind, number in zip(self._kinds, counted, strict=True):
            counts.add(*kind, number=number)
        self.counts = counts.as_json()
        for file in (self.lines, self._entries, self._digests):
            file.flush()

    def close(self) -> None:
        """Give back what it keeps on the disk."""
        for file in (self.lines, self._entries, self._digests):
            file.close()

    def __len__(self) -> int:
        return len(self._starts) - 1

    @override
    def __iter__(self) -> Iterator[SplitItem]:
        for position, line in enumerate(_lines(self.lines)):
            yield _item(position, line, self._are_canonical)

    @overload
    def __getitem__(self, place: int) -> SplitItem: ...

    @overload
    def __getitem__(self, place: slice) -> list[SplitItem]: ...

    @override
    def __getitem__(self, place: int | slice) -> SplitItem | list[SplitItem]:
        if isinstance(place, slice):
            return [self[position] for position in range(*place.indices(len(self)))]
        return next(self.some((range(len(self))[place],)))

    def some(self, places: Iterable[int]) -> Iterator[SplitItem]:
        """The items at some places, each read when it is asked for."""
        starts, at, are_canonical = self._starts, self.lines.at, self._are_canonical
        for place in places:
            # nothing is read ahead, for the next one that is asked for may lie anywhere
            start = starts[place]
            yield _item(place, at(start, starts[place + 1] - start), are_canonical)

    def entries(self) -> Iterator[FrozenEntry]:
        """What the manifest says of each item, in their order."""
        hashes = chain.from_iterable(_pairs(piece.hex()) for piece in self._digest_pieces())
        for line, pair in zip(_lines(self._entries), hashes, strict=True):
            uid, revision, number = orjson.loads(line)
            yield FrozenEntry._make((uid, revision, *self._kinds[number], *pair))

    def kinds(self) -> Iterator["ItemKind"]:
        """The kind of each item, in their order."""
        for line in _lines(self._entries):
            uid, _, number = orjson.loads(line)
            yield ItemKind(uid, *self._kinds[number])

    def digests(self) -> Iterator[tuple[bytes, bytes]]:
        """(content hash, hash of the row) of each item as bytes, in their order."""
        return chain.from_iterable(map(_pairs, self._digest_pieces()))

    def _digest_pieces(self) -> Iterator[bytes]:
        """The digests of all items, those of many at once."""
        whole = _TWO_DIGESTS * len(self)
        return (self._digests.at(place, _PIECE) for place in range(0, whole, _PIECE))

    def named_lines(self) -> Iterator[tuple[str, bytes]]:
        """(uid, line of ``items.jsonl``) of each item, in their order."""
        for kind, line in zip(self.kinds(), _lines(self.lines), strict=True):
            yield kind.uid, line

    def seal(self, name: str, benchmark: str, created: str) -> "FrozenManifest":
        """The manifest of these items under a name; ``created`` is an ISO 8601 time."""
        return FrozenManifest(self, name, benchmark, created)


def _pairs(digests: AnyStr) -> Iterator[tuple[AnyStr, AnyStr]]:
    """The digests of some items, which lie end to end as bytes or in hex, two for each item."""
    size = _TWO_DIGESTS // 2 * (2 if isinstance(digests, str) else 1)
    for start in range(0, len(digests), 2 * size):
        middle = start + size
        yield digests[start:middle], digests[middle : middle + size]


class _Names:
    """Names of which each may stand once. Numbers that only grow are not held; where another name
    comes, ``earlier`` gives those before it."""

    def __init__(self, earlier: Callable[[], Iterable[str]]) -> None:
        self._earlier = earlier
        self._highest = -1
        self._held: set[str] | None = None

    def add(self, name: str) -> bool:
        """Whether the name is a new one."""
        if self._held is None:
            number = int(name) if name.isdecimal() else -1
            if number > self._highest:
                self._highest = number
                return True
            self._held = set(self._earlier())
        if name in self._held:
            return False
        self._held.add(name)
        return True


class FrozenManifest:
    """The manifest of the items of a split, written once, to a file without a name.

    ``digest`` is the manifest's own, ``files`` the SHA-256 of every file of the frozen folder by
    name. To be closed.
    """

    def __init__(self, items: FrozenItems, name: str, benchmark: str, created: str) -> None:
        self.items, self.created = items, created
        self._text: BinaryIO = TemporaryFile(dir=items.folder)  # noqa: SIM115 (closed by close)
        try:
            self._write(name, benchmark)
        except BaseException:
            self.close()
            raise

    def _write(self, name: str, benchmark: str) -> None:
        items = self.items
        counted = {"benchmark": benchmark, "counts": items.counts, "created": self.created}
        named = {"items": len(items), "name": name, "version": MANIFEST_VERSION}
        digest = hashlib.sha256(canonical_bytes({**counted, "entries": []})[:-2])
        text = hashlib.sha256()

        def write(piece: str) -> None:
            written = piece.encode()
            text.update(written)
            self._text.write(written)

        write(_head_text({**named, **counted, "files": items.files}))
        comma = ""
        entries = enumerate(items.entries())
        while some := list(islice(entries, _AT_ONCE)):
            digest.update((comma + ",".join(starmap(_canonical_entry, some))).encode())
            write((comma and ",\n") + ",\n".join(starmap(_entry_text, some)))
            comma = ","
        digest.update(b"]," + canonical_bytes({**named, "files": items.files})[1:])
        self.digest = digest.hexdigest()
        write(f'\n ],\n "digest": "{self.digest}"\n}}\n')
        self.files = {**items.files, MANIFEST_FILE: text.hexdigest()}

    def close(self) -> None:
        """Give back what it keeps on the disk."""
        self._text.close()

    def write(self, folder: Path) -> None:
        """Write ``items.jsonl`` and then ``manifest.json``; StateError where one is there."""
        if (folder / MANIFEST_FILE).exists():
            raise StateError.tr(
                "“{folder}” already contains a frozen split; frozen splits never change.",
                folder=folder,
            )
        make_private_folder(folder)
        write_atomic(folder / ITEMS_FILE, _pieces(self.items.lines), durable=True)
        write_atomic(folder / MANIFEST_FILE, _pieces(self._text), durable=True)

    def is_in(self, folder: Path, withdrawn: Collection[str] = ()) -> bool:
        """Whether a folder has these files, byte for byte; those ``withdrawn`` may be missing."""
        try:
            return all(
                file_digest(folder / name) == own
                for name, own in self.files.items()
                if name not in withdrawn or (folder / name).exists()
            )
        except OSError:
            return False


def _head_text(fields: Mapping[str, Any]) -> str:
    names = ("version", "name", "benchmark", "created", "items", "counts", "files")
    text = json.dumps({name: fields[name] for name in names}, ensure_ascii=False, indent=1)
    return text[: -len("\n}")] + ',\n "entries": [\n'


def _pieces(handle: BinaryIO) -> Iterator[bytes]:
    handle.seek(0)
    return iter(lambda: handle.read(_PIECE), b"")


def _lines(handle: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, which others may read in between."""
    place = 0
    while True:
        handle.seek(place)
        lines = handle.readlines(_PIECE)
        if not lines:
            return
        place = handle.tell()
        yield from lines


class _Rest(NamedTuple):
    """How a row begins, and what stands between its parts, of one family, format and domain."""

    content: bytes
    row: bytes


@lru_cache(maxsize=4096)
def _rest(family: str, format: str, domain: str) -> _Rest:
    content = f'{{"family":{_text(family)},"format":{_text(format)},"payload":'
    row = f'","domain":{_text(domain)},"family":{_text(family)},"format":{_text(format)},"payload":'
    return _Rest(content.encode(), row.encode())


def spelled(item: StoredItem, position: int) -> tuple[str, bytes]:
    """(content hash, canonical JSON of the row); InputError where no file can hold it."""
    uid, revision, family, format, domain, payload, provenance = item
    text, known = None, ""
    if isinstance(payload, tuple):
        written, known = payload
        text = _as_hashed(written, known, _rest(family, format, domain).content)
        payload = {} if text is not None else _read(written)
    try:
        rest = _rest(family, format, domain)
        source = canonical_bytes(dict(provenance))
        if text is None:
            text = canonical_bytes(dict(payload))
            known = hashlib.sha256(rest.content + text + b"}").hexdigest()
        end = f',"position":{position},"provenance":'
        last = f',"revision":{revision},"uid":{_name(str(uid))}}}'
        row = b"".join(
            (b'{"content_hash":"', known.encode(), rest.row, text, end.encode(), source,
             last.encode())
        )  # fmt: skip
    except (UnicodeEncodeError, TypeError, ValueError) as error:
        raise InputError.tr(
            "Item {uid} contains text that cannot be stored in a file; correct it.", uid=uid
        ) from error
    return known, row


def _as_hashed(text: str, known: str, head: bytes) -> bytes | None:
    """The JSON text of a payload where it gives the hash that is stored beside it: then it is the
    one that was hashed, and need not be read. ``head`` is what was hashed before it."""
    written = text.encode()
    if hashlib.sha256(head + written + b"}").hexdigest() != known or b"\n" in written:
        return None
    return written


def _read(text: str) -> Any:
    try:
        return from_json(text)
    except ValueError:
        return json.loads(text)  # it also reads half a surrogate pair


@lru_cache(maxsize=4096)
def _text(value: str) -> str:
    return canonical_bytes(value).decode()


def _name(uid: str) -> str:
    """The canonical JSON of an item's name: most are numbers, and none comes twice."""
    return f'"{uid}"' if uid.isdecimal() and uid.isascii() else _text(uid)


@dataclass(frozen=True, slots=True)
class _FrozenItem(SplitItem):
    """An item that was read from its line, which it keeps."""

    line: bytes = b""
    is_canonical: bool = False
    """Whether the line is known to be spelled as it is hashed."""

    @override
    def canonical(self) -> str:
        return self.canonical_bytes().decode()

    @override
    def canonical_bytes(self) -> bytes:
        # an end of a line within a text may be spelled by its number
        if self.is_canonical or not LINE_END.search(self.line):
            return self.line[:-1]
        return canonical_bytes(self.as_json())


def _item(position: int, line: bytes, is_canonical: bool) -> SplitItem:
    row = from_json(line, cache_strings="keys")  # no text comes twice
    content = ItemContent(
        row["family"], row["format"], row["payload"], row["provenance"], row["domain"]
    )
    vars(content)["content_hash"] = row["content_hash"]  # our own line: it was just computed
    content.keep_model()
    return _FrozenItem(position, row["uid"], row["revision"], content, line, is_canonical)


@lru_cache(maxsize=4096)
def _kind_of_entry(family: str, format: str, domain: str) -> tuple[str, str]:
    """How the kind of an item stands in an entry that is hashed, and in one that people read."""
    family, format, domain = _text(family), _text(format), _text(domain)
    return (
        f'"domain":{domain},"family":{family},"format":{format}',
        f'"family": {family},\n   "format": {format},\n   "domain": {domain}',
    )


def _canonical_entry(position: int, entry: FrozenEntry) -> str:
    kind, _ = _kind_of_entry(entry.family, entry.format, entry.domain)
    return (
        f'{{"content_hash":"{entry.content_hash}",{kind},"position":{position},"revision":'
        f'{entry.revision},"row_hash":"{entry.row_hash}","uid":{_name(entry.uid)}}}'
    )


def _entry_text(position: int, entry: FrozenEntry) -> str:
    _, kind = _kind_of_entry(entry.family, entry.format, entry.domain)
    return (
        f'  {{\n   "position": {position},\n   "uid": {_name(entry.uid)},\n   "revision": '
        f'{entry.revision},\n   {kind},\n   "content_hash": "{entry.content_hash}",\n   '
        f'"row_hash": "{entry.row_hash}"\n  }}'
    )


class ChosenItems(Sequence[SplitItem]):
    """Some items of a split, by their places in it."""

    def __init__(self, items: Sequence[SplitItem], places: "array[int]") -> None:
        self._items, self._places = items, places

    def __len__(self) -> int:
        return len(self._places)

    @override
    def __iter__(self) -> Iterator[SplitItem]:
        if isinstance(self._items, FrozenItems):
            return self._items.some(self._places)
        return map(self._items.__getitem__, self._places)

    @overload
    def __getitem__(self, place: int) -> SplitItem: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[SplitItem]: ...

    @override
    def __getitem__(self, place: int | slice) -> SplitItem | Sequence[SplitItem]:
        if isinstance(place, slice):
            return ChosenItems(self._items, self._places[place])
        return self._items[self._places[place]]


class ItemKind(NamedTuple):
    """What is known of an item without its text."""

    uid: str
    family: str
    format: str
    domain: str


def kind_of(item: SplitItem) -> ItemKind:
    """The kind of an item."""
    content = item.content
    return ItemKind(item.uid, content.family, content.format, content.domain)


def kinds_of(items: Sequence[SplitItem]) -> Iterator[ItemKind]:
    """The kind of each item; the texts of items on the disk are not read for it."""
    if isinstance(items, FrozenItems):
        yield from items.kinds()
        return
    yield from map(kind_of, items)


@lru_cache(maxsize=4096)
def _is_question(name: str, format: str) -> bool:
    return family(name).is_question(ItemContent(name, format, {}))


def is_question(kind: ItemKind) -> bool:
    """Whether an item is asked by itself; a wording in which others are asked is not."""
    return _is_question(kind.family, kind.format)


def askable(items: Sequence[SplitItem]) -> Sequence[SplitItem]:
    """The items that are questions; a wording is none, unless there is nothing else."""
    kinds = enumerate(kinds_of(items))
    places = array("Q", (place for place, kind in kinds if is_question(kind)))
    return ChosenItems(items, places) if 0 < len(places) < len(items) else items


def by_group(
    items: Sequence[SplitItem], groups: Iterable[Group]
) -> dict[Group, Sequence[SplitItem]]:
    """The items of each group in their order, the groups as they first come; ``groups`` are those
    of the items, one by one."""
    places: dict[Group, array[int]] = {}
    for place, group in enumerate(groups):
        places.setdefault(group, array("Q")).append(place)
    if len(places) == 1:
        return dict.fromkeys(places, items)
    return {group: ChosenItems(items, chosen) for group, chosen in places.items()}


def kind_counts(items: Sequence[SplitItem]) -> dict[str, dict[str, int]]:
    """Numbers of items by family, format, domain, and format with domain."""
    if isinstance(items, FrozenItems):
        return items.counts
    return count_items(item.content for item in items)


def named_lines(items: Sequence[SplitItem]) -> Iterator[tuple[str, bytes]]:
    """(uid, line of ``items.jsonl``) of each item; those on the disk are not read for it."""
    if isinstance(items, FrozenItems):
        yield from items.named_lines()
        return
    yield from ((item.uid, json_line(item.as_json())) for item in items)


def digests(items: Sequence[SplitItem]) -> Iterator[tuple[bytes, bytes]]:
    """(content hash, hash of the row) of each item as bytes; InputError where no file can hold
    it."""
    if isinstance(items, FrozenItems):
        yield from items.digests()
        return
    for item in items:
        content, row = spelled(stored(item), item.position)
        yield bytes.fromhex(content), hashlib.sha256(row).digest()
