"""JSON lines: one file, one item per line, readable by everything."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from typing_extensions import override

from core.families.base import ItemContent
from core.files import canonical_bytes
from core.json_lines import write_lines
from core.release.formats.base import ExportFormat, Tasks, read_item, read_rows, task_field
from core.release.manifest import ITEMS_FILE, SplitItem


class JsonLines(ExportFormat):
    """``items.jsonl``: each line holds uid, revision, position, task, family, format, domain,
    content_hash, payload and provenance."""

    name = "jsonl"
    title = "JSON lines"

    @override
    def write(self, items: Sequence[SplitItem], split_name: str, folder: Path, tasks: Tasks) -> str:
        """One line per item, in order, with the name of its ``task`` where it is known."""
        rows = (item.as_json() | task_field(item, tasks) for item in items)
        write_lines(folder / ITEMS_FILE, rows)
        return ITEMS_FILE

    @override
    def read_items(self, folder: Path) -> Iterator[SplitItem]:
        """The items of the lines."""
        path = folder / ITEMS_FILE
        return (read_item(row, path) for row in read_rows(path))

    @override
    def read_rows(self, folder: Path) -> Iterator[bytes | str]:
        """The lines without the names of their tasks."""
        for row in read_rows(folder / ITEMS_FILE):
            row.pop("task", None)
            yield canonical_bytes(row)

    @override
    def read_back(self, folder: Path) -> list[ItemContent]:
        """The items in the order of the lines."""
        return [item.content for item in self.read_items(folder)]
