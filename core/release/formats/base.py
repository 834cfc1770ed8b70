"""What an export format is, and the one way in which an export reaches its folder.

``ExportFormat.export`` builds the export beside its target, reads it back, compares item by item,
and only then puts it in place: an export whose re-import would differ never appears.
"""

import copy
import hashlib
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import orjson

from core.bounded_json import bounded_lines, parse_json, read_document
from core.errors import BenchsealError, InputError, StateError
from core.families import family
from core.families.base import ItemContent
from core.files import (
    digest_of_hashes,
    file_digest,
    make_durable_folder,
    open_regular,
    readable_by_others,
    sync_folder,
    sync_tree,
    write_atomic,
    write_json,
)
from core.i18n import trn
from core.json_lines import row_line, text_within
from core.release import canary
from core.release.export_lock import ExportLock
from core.release.frozen_items import ItemKind, by_group, digests, kind_counts
from core.release.locked_export import ENDING
from core.release.manifest import MANIFEST_FILE, SplitItem, read_head
from core.release.question_ids import uid_of

MARKER = "benchseal-export.json"
DATA_FOLDER = "data"


WORDINGS_FILE = f"{DATA_FOLDER}/wordings.jsonl"  # of items that are not asked by themselves


@dataclass(frozen=True, slots=True)
class ItemTask:
    """The task of an item, and how it is measured: ``accuracy``, ``f1``, ``judge``, ``similarity``
    (CIF-Bench §3.3), or empty where nobody said."""

    name: str
    metric: str = ""


_NO_TASK = ItemTask("")

Tasks = Mapping[str, ItemTask]
"""The task of each item by its uid; items may be missing."""


def task_of(item: SplitItem | ItemKind, tasks: Tasks) -> ItemTask:
    """The task of an item, also of one that is asked in other words (``12#2``)."""
    return tasks.get(uid_of(item.uid), _NO_TASK)


def task_named(uid: str, tasks: Tasks) -> str:
    """The name of the task of the item with this uid; empty where it is not known."""
    return tasks.get(uid_of(uid), _NO_TASK).name


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export wrote: its files relative to the folder, and its items by format and more.

    ``entry`` is the name to use the export by, where the format has one (the task group's), and
    ``key`` opens a locked one; it is in none of its files.
    """

    files: tuple[str, ...]
    items: int
    counts: dict[str, dict[str, int]]
    entry: str = ""
    key: str = field(default="", repr=False)


class ExportFormat(ABC):
    """One form in which a split leaves the workspace. Stateless; listed in ``EXPORT_FORMATS``."""

    name: str
    title: str
    can_lock: bool = False
    """Whether its data files can be locked: whoever reads them then is our own loader."""
    lock: ExportLock | None = None

    def locked_by(self, lock: ExportLock) -> Self:
        """The format with its data files locked; InputError for one that cannot."""
        if not self.can_lock:
            raise InputError.tr(
                "Only the formats {known} can be locked; “{name}” is read by programs that "
                "decrypt nothing.", known="lm-eval, inspect", name=self.name
            )  # fmt: skip
        locked = copy.copy(self)
        locked.lock = lock
        return locked

    def write_data(self, path: Path, rows: Iterable[Any]) -> None:
        """Write a data file as JSON lines of texts, or locked, under a name of its own."""
        if self.lock is None:
            write_atomic(path, map(row_line, rows), for_others=True)
        else:
            locked = path.with_name(path.name + ENDING)
            write_atomic(locked, self.lock.lines(path.name, rows), for_others=True)

    def carried(self, item: SplitItem) -> Any:
        """An item as the text by which a row of ``write_data`` carries it."""
        return text_within(item.canonical_bytes()) if self.lock is None else item.canonical()

    @abstractmethod
    def write(self, items: Sequence[SplitItem], split_name: str, folder: Path, tasks: Tasks) -> str:
        """Write the files into an empty folder; returns the name to use the export by, or ""."""

    @abstractmethod
    def read_items(self, folder: Path) -> Iterator[SplitItem]:
        """The items of an export as they stand in its files, each read when it is asked for;
        InputError where it is damaged."""

    def read_rows(self, folder: Path) -> Iterator[bytes | str]:
        """The canonical JSON of each item, as it stands in the files; errors as ``read_items``."""
        return (item.canonical() for item in self.read_items(folder))

    def read_back(self, folder: Path) -> list[ItemContent]:
        """The items of an export in the order of the split; InputError where it is damaged."""
        return [i.content for i in sorted(self.read_items(folder), key=lambda i: i.position)]

    def export(
        self,
        items: Sequence[SplitItem],
        split_name: str,
        out: Path,
        *,
        manifest: Path | None = None,
        whole: bool = True,
        tasks: Tasks | None = None,
        beside: Callable[[Path], Mapping[str, str]] = lambda _folder: {},
        before_placing: Callable[[str], None] = lambda _digest: None,
    ) -> ExportReport:
        """Export, read back, compare, and put in place at ``out``.

        ``manifest`` is the frozen split's, which the export then has as well, and its canary;
        ``beside`` gives further files, name to text, from what was written; ``whole`` says that
        the items are those of the split, in its words; ``tasks`` names the tasks of the items.
        ``before_placing`` is called with the
        SHA-256 of the export's marker, which has those of all files, before anything appears at
        ``out``; what it raises leaves nothing there.

        Raises StateError where ``out`` is not empty and no earlier export of the same split in
        the same format, and where the export would come back different; InputError for a split
        without items or a folder that cannot be written.
        """
        order = _ExportOrder(self, items, split_name, manifest, whole, tasks or {}, beside)
        return _write_export(order, out, before_placing)


@dataclass(frozen=True, slots=True)
class _ExportOrder:
    """What is to be exported, and how."""

    form: ExportFormat
    items: Sequence[SplitItem]
    split: str
    manifest: Path | None
    whole: bool
    tasks: Tasks
    beside: Callable[[Path], Mapping[str, str]]


def _write_export(
    order: _ExportOrder, out: Path, before_placing: Callable[[str], None]
) -> ExportReport:
    form, items, split_name = order.form, order.items, order.split
    if not len(items):
        raise InputError.tr("Split “{name}” has no items to export.", name=split_name)
    rows = {row for _, row in digests(items)}
    earlier = _earlier_files(out, form, split_name)
    try:
        make_durable_folder(out.parent)
        beside = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    except OSError as error:
        raise _not_writable(out, error) from error
    try:
        entry = form.write(items, split_name, beside, order.tasks)
        _refuse_different(form, rows, len(items), beside)
        if order.manifest is not None:
            shutil.copyfile(order.manifest, beside / MANIFEST_FILE)
            digest = read_head(order.manifest.parent).digest
            write_atomic(beside / canary.FILE, canary.canary_text(digest))
        for name, text in order.beside(beside).items():
            write_atomic(beside / name, text)
        files = sorted(str(p.relative_to(beside)) for p in beside.rglob("*") if p.is_file())
        report = ExportReport(
            files=(*files, MARKER),
            items=len(items),
            counts=kind_counts(items),
            entry=entry,
        )
        write_json(beside / MARKER, _marker(order, files, beside))
        before_placing(file_digest(beside / MARKER))
        _put_in_place(beside, out, report.files, earlier)
    except OSError as error:
        raise _not_writable(out, error) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return report


def asked_apart(items: Sequence[SplitItem]) -> tuple[Sequence[SplitItem], Sequence[SplitItem]]:
    """The items that a harness asks, and the wordings, which go into ``WORDINGS_FILE``."""
    if all(family(name).asks_all for name in kind_counts(items)["family"]):
        return items, ()
    groups = by_group(items, (family(i.content.family).is_question(i.content) for i in items))
    if True not in groups:  # there is nothing else
        return items, ()
    return groups[True], groups.get(False, ())


def wordings_line(wordings: Sequence[SplitItem]) -> list[str]:
    """What a README says of the wordings; nothing where there are none."""
    if not wordings:
        return []
    return [
        trn(
            "`{file}` contains 1 instruction variant; it is not a question by itself.",
            "`{file}` contains {n} instruction variants; they are not questions by themselves.",
            len(wordings),
            file=WORDINGS_FILE,
        )
    ]


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a JSON lines file that may be damaged; InputError names the line."""
    return (row_in(line, number, path) for number, line in numbered_lines(path))


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, counted from 1; InputError where it cannot be read."""
    try:
        with open_regular(path) as handle:
            yield from enumerate(bounded_lines(handle), 1)
    except OSError as error:
        raise InputError.tr("Could not read “{path}”.", path=path) from error


def row_in(line: bytes, number: int, path: Path) -> dict[str, Any]:
    """The row in a line of a JSON lines file; InputError names the line where it is none."""
    try:
        row = parse_json(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise InputError.tr("Line {line} of “{path}” is not a JSON object.", line=number, path=path)
    return row


def read_item(row: dict[str, Any], path: Path) -> SplitItem:
    """The split item in a row; InputError where it is none."""
    try:
        return SplitItem.from_json(row)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError.tr("“{path}” contains a line that is not an item.", path=path) from error


Carrier = Callable[[dict[str, Any]], object]
"""Finds in a row the object whose field ``item`` is the item as text."""


def carried_texts(
    folder: Path, carrier: Carrier = lambda row: row, lock: ExportLock | None = None
) -> Iterator[tuple[Path, str]]:
    """The items of all files in ``DATA_FOLDER`` as the texts that they are there, with their files.

    Raises InputError where a row carries none, or a locked file was changed.
    """
    ending = ENDING if lock else ""
    for path in sorted((folder / DATA_FOLDER).glob(f"*.jsonl{ending}")):
        for row in lock.rows(path) if lock else read_rows(path):
            yield path, _text_in(row, carrier, path)


def carried_rows(
    folder: Path, carrier: Carrier = lambda row: row, lock: ExportLock | None = None
) -> Iterator[bytes | str]:
    """The texts of ``carried_texts`` alone, of lines as we write them without reading the rest;
    errors as there."""
    if lock is not None:
        yield from (text for _, text in carried_texts(folder, carrier, lock))
        return
    for path in sorted((folder / DATA_FOLDER).glob("*.jsonl")):
        for number, line in numbered_lines(path):
            yield _carried(line) or _text_in(row_in(line, number, path), carrier, path)


_CARRIED, _END = b'"item":"{', b'}"'


def _carried(line: bytes) -> str:
    """The item that a line carries; empty where it is to be looked for. Neither mark can be within
    a text, whose quotation marks are written in another way."""
    start = line.find(_CARRIED)
    end = line.find(_END, start)
    if start < 0 or end < 0:
        return ""
    try:
        return str(orjson.loads(line[start + len(_CARRIED) - 2 : end + len(_END)]))
    except ValueError:
        return ""


def _text_in(row: dict[str, Any], carrier: Carrier, path: Path) -> str:
    found = carrier(row)
    text = found.get("item") if isinstance(found, dict) else None
    if not isinstance(text, str):
        raise InputError.tr("“{path}” contains a line that is not an item.", path=path)
    return text


def items_of_texts(found: Iterable[tuple[Path, str]]) -> Iterator[SplitItem]:
    """The items that texts hold as JSON; InputError where one does not, with the file that it is
    from."""
    for path, text in found:
        yield read_item(_inner_row(text, path), path)


def _inner_row(text: str, path: Path) -> dict[str, Any]:
    try:
        inner = parse_json(text)
    except (TypeError, ValueError) as error:
        raise InputError.tr("“{path}” contains a line that is not an item.", path=path) from error
    if not isinstance(inner, dict):
        raise InputError.tr("“{path}” contains a line that is not an item.", path=path)
    return inner


def _marker(order: _ExportOrder, files: list[str], folder: Path) -> dict[str, Any]:
    return {
        "format": order.form.name,
        "split": order.split,
        "items": len(order.items),
        "whole": order.whole,
        "digest": digest_of_hashes(content.hex() for content, _ in digests(order.items)),
        **({"locked": order.form.lock.head} if order.form.lock else {}),
        "files": {name: file_digest(folder / name) for name in files},
    }


def _earlier_files(out: Path, form: ExportFormat, split_name: str) -> tuple[str, ...]:
    """Files of the earlier export in ``out``; StateError where something else is there."""
    if out.exists() and not out.is_dir():
        raise StateError.tr("“{path}” is a file; choose a folder for the export.", path=out)
    if not out.is_dir() or not any(out.iterdir()):
        return ()
    try:
        marker = read_document(out / MARKER)
        same = marker["format"] == form.name and marker["split"] == split_name
        files = tuple(str(name) for name in marker["files"])
    except (OSError, ValueError, KeyError, TypeError):
        same, files = False, ()
    if not same or not all(stays_inside(name) for name in files):
        raise StateError.tr(
            "“{path}” is not empty and contains no earlier {format} export of “{name}”. "
            "Choose an empty folder.",
            path=out,
            format=form.name,
            name=split_name,
        )
    return (*files, MARKER)


def stays_inside(name: str) -> bool:
    """Whether a path that a file names stays below the folder of that file."""
    path = Path(name)
    return not path.is_absolute() and ".." not in path.parts


def _refuse_different(form: ExportFormat, left: set[bytes], count: int, folder: Path) -> None:
    """StateError where an export would come back different: ``left`` are the digests of the rows of
    its items, so many, and are taken away. No more than one of its items is held at once."""
    read = 0
    changed = ""
    try:
        for row in form.read_rows(folder):
            read += 1
            text = row.encode() if isinstance(row, str) else row
            found = hashlib.sha256(text).digest()
            if found in left:
                left.remove(found)
            elif not changed:
                changed = read_item(parse_json(text), folder).uid
    except (BenchsealError, ValueError) as error:
        raise StateError.tr(
            "The export could not be read back, so nothing was written: {why}", why=error
        ) from error
    if read != count:
        raise StateError.trn(
            "{read} of 1 item could be read back from the export, so nothing was written.",
            "Only {read} of {n} items could be read back from the export, so nothing was written.",
            count,
            read=read,
        )
    if changed:
        raise StateError.tr(
            "Item {uid} would be changed when read back from the export, so nothing was written.",
            uid=changed,
        )


def _put_in_place(beside: Path, out: Path, files: Sequence[str], earlier: Sequence[str]) -> None:
    """Move the new files in, drop those of the earlier export, leave anything else alone."""
    mode = readable_by_others()
    for path in beside.rglob("*"):
        path.chmod(mode | 0o111 & mode >> 2 if path.is_dir() else mode)
    sync_tree(beside)
    if not out.exists():
        beside.chmod(mode | 0o111 & mode >> 2)
        beside.rename(out)
        sync_folder(out.parent)
        return
    for name in files:
        target = out / name
        make_durable_folder(target.parent)
        (beside / name).replace(target)
        sync_folder(target.parent)
    for name in set(earlier) - set(files):
        (out / name).unlink(missing_ok=True)


def _not_writable(out: Path, error: OSError) -> InputError:
    return InputError.tr(
        "Could not write the export to “{path}”: {reason}.",
        path=out,
        reason=error.strerror or error,
    )
