"""JSON lines: one file, one item per line, readable by everything."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import orjson
from typing_extensions import override

from core.families.base import ItemContent
from core.files import canonical_bytes, write_atomic
from core.json_lines import json_line
from core.release.formats.base import (
    ExportFormat,
    Tasks,
    numbered_lines,
    read_item,
    read_rows,
    row_in,
    task_named,
)
from core.release.frozen_items import named_lines
from core.release.manifest import ITEMS_FILE, SplitItem

# The keys of a line are in their order: its task stands right before its uid, which is the last.
# Neither can be in a text, whose quotation marks are written in another way.
_TASK, _UID = b',"task":', b',"uid":'


class JsonLines(ExportFormat):
    """``items.jsonl``: each line holds uid, revision, position, task, family, format, domain,
    content_hash, payload and provenance."""

    name = "jsonl"
    title = "JSON lines"

    @override
    def write(self, items: Sequence[SplitItem], split_name: str, folder: Path, tasks: Tasks) -> str:
        """One line per item, in order, with the name of its ``task`` where it is known."""
        lines = (_with_task(line, task_named(uid, tasks)) for uid, line in named_lines(items))
        write_atomic(folder / ITEMS_FILE, lines, for_others=True)
        return ITEMS_FILE

    @override
    def read_items(self, folder: Path) -> Iterator[SplitItem]:
        """The items of the lines."""
        path = folder / ITEMS_FILE
        return (read_item(row, path) for row in read_rows(path))

    @override
    def read_rows(self, folder: Path) -> Iterator[bytes | str]:
        """The lines without the names of their tasks."""
        path = folder / ITEMS_FILE
        for number, line in numbered_lines(path):
            row = _without_task(line)
            if row is None:
                values = row_in(line, number, path)
                values.pop("task", None)
                row = canonical_bytes(values)
            yield row

    @override
    def read_back(self, folder: Path) -> list[ItemContent]:
        """The items in the order of the lines."""
        return [item.content for item in self.read_items(folder)]


def _with_task(line: bytes, task: str) -> bytes:
    """The line of an item with the name of its task."""
    if not task:
        return line
    end = line.rindex(_UID)
    return b"".join((line[:end], _TASK, _name(task), line[end:]))


@lru_cache(maxsize=1024)
def _name(task: str) -> bytes:
    return json_line(task)[:-1]


def _without_task(line: bytes) -> bytes | None:
    """The canonical JSON of the item in a line as we write it; None where it is to be parsed."""
    end = line.rfind(_UID)
    if end < 0 or not line.endswith(b"\n"):
        return None
    if b"\\u" in line:  # a line's end within a text is spelled by its number
        return None
    if line[end - 1 : end] != b'"':  # what stands before it is the number of the revision
        return line[:-1]
    start = line.rfind(_TASK, 0, end)
    if start < 0 or not _is_text(line[start + len(_TASK) : end]):
        return None
    return line[:start] + line[end:-1]


@lru_cache(maxsize=1024)
def _is_text(value: bytes) -> bool:
    try:
        return isinstance(orjson.loads(value), str)
    except ValueError:
        return False
