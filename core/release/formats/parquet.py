"""A data set for Hugging Face ``datasets``: a Parquet file for each task, and a data card."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from typing_extensions import override

from core.errors import InputError
from core.files import open_regular, write_atomic
from core.i18n import tr
from core.optional_packages import needed_for
from core.release.formats.base import ExportFormat, Tasks, items_of_texts
from core.release.formats.harness_tasks import free_name, slug
from core.release.formats.plain_rows import ITEM, LISTS, ROW_FIELDS, asked_row, title_of
from core.release.frozen_items import by_group, kinds_of
from core.release.manifest import SplitItem

if TYPE_CHECKING:
    import pyarrow

FOLDER = "test"
_AT_ONCE = 4000  # rows
_MOST_BYTES = 16_000_000  # of the items that are written at once


class Parquet(ExportFormat):
    """``test/TASK.parquet`` with a row per item, and ``README.md`` as the card that names them."""

    name = "parquet"
    title = "Parquet with a data card"

    @override
    def write(self, items: Sequence[SplitItem], split_name: str, folder: Path, tasks: Tasks) -> str:
        """A file for each task, wordings among the items of theirs; returns the folder's name."""
        groups = by_group(items, (title_of(kind, tasks) for kind in kinds_of(items)))
        used: set[str] = set()
        names = {title: free_name(slug(title), used) for title in sorted(groups)}
        (folder / FOLDER).mkdir()
        for title, members in groups.items():
            _write(folder / FOLDER / f"{names[title]}.parquet", members, title)
            self.wrote_task(folder, names[title], members)
        counts = {title: len(groups[title]) for title in names}
        head, text = self.card_head(), self.card_text()
        write_atomic(folder / "README.md", _card(split_name, names, counts, head, text))
        return FOLDER

    def wrote_task(self, folder: Path, config: str, members: Sequence[SplitItem]) -> None:
        """Called when the file of a task was written; ``config`` is its name there."""

    def card_head(self) -> dict[str, Any]:
        """What the head of the card says beside the names of the files."""
        return {"license": "other", "tags": ["private-benchmark"]}

    def card_text(self) -> list[str]:
        """The paragraphs of the card."""
        return [
            tr("A private split with its answer keys. Do not upload it to a public place, and keep "
               "this folder as secret as the split itself."),
            tr("Each row has the prompt, its choices, the target and all references. The column "
               "`{name}` is the whole item as JSON.", name=ITEM),
        ]  # fmt: skip

    @override
    def read_items(self, folder: Path) -> Iterator[SplitItem]:
        """The items of all files."""
        return items_of_texts(
            (path, text)
            for path in sorted((folder / FOLDER).glob("*.parquet"))
            for text in _texts(path)
        )

    @override
    def read_rows(self, folder: Path) -> Iterator[bytes | str]:
        """The texts that carry the items."""
        for path in sorted((folder / FOLDER).glob("*.parquet")):
            yield from _written_texts(path)


def _write(path: Path, items: Sequence[SplitItem], title: str) -> None:
    with needed_for("Parquet", "pyarrow"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    schema = pa.schema(
        [(name, pa.list_(pa.string()) if name in LISTS else pa.string()) for name in ROW_FIELDS]
    )
    with pq.ParquetWriter(path, schema) as writer:
        rows = ({**asked_row(item, title), ITEM: item.canonical_bytes()} for item in items)
        for some in _row_groups(rows):
            columns = [_column(name, [row[name] for row in some]) for name in ROW_FIELDS]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def _row_groups(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The rows in their order, so many at once as have not too many bytes."""
    some: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        some.append(row)
        size += len(row[ITEM])
        if len(some) == _AT_ONCE or size > _MOST_BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some


def _column(name: str, values: Sequence[Any]) -> "pyarrow.Array":
    if name in LISTS:
        return _list_column(values)
    return _byte_column(values, b"".join(values)) if name == ITEM else _text_column(values)


def _text_column(texts: Sequence[str]) -> "pyarrow.StringArray":
    """Texts as a column; those in ASCII alone, as names and letters are, are encoded together."""
    joined = "".join(texts)
    if joined.isascii():
        return _byte_column(texts, joined.encode())
    written = [text.encode() for text in texts]
    return _byte_column(written, b"".join(written))


def _byte_column(parts: Sequence[Sequence[Any]], joined: bytes) -> "pyarrow.StringArray":
    """Texts in UTF-8 as a column: how long each is, and all of them. Put together here:
    ``pyarrow.array`` would import pandas to ask whether they are one of its columns, which takes as
    long as some ten thousand rows."""
    import pyarrow as pa

    return pa.StringArray.from_buffers(len(parts), pa.py_buffer(_ends(parts)), pa.py_buffer(joined))


def _list_column(values: Sequence[Sequence[str]]) -> "pyarrow.ListArray":
    """Lists of texts as a column."""
    import pyarrow as pa

    ends = pa.Array.from_buffers(pa.int32(), len(values) + 1, [None, pa.py_buffer(_ends(values))])
    return pa.ListArray.from_arrays(ends, _text_column([text for own in values for text in own]))


def _ends(values: Sequence[Sequence[Any]]) -> "array[int]":
    """Where each value ends when they are laid end to end, and where the first begins."""
    return array("i", accumulate(map(len, values), initial=0))


def _texts(path: Path) -> Iterator[str]:
    """The items of a file as texts; InputError where it holds something else."""
    return (text.decode() for text in _written_texts(path))


def _written_texts(path: Path) -> Iterator[bytes]:
    """As ``_texts``, in UTF-8."""
    with needed_for("Parquet", "pyarrow"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    try:
        with open_regular(path) as handle:
            for part in pq.ParquetFile(handle).iter_batches(_AT_ONCE, columns=[ITEM]):
                column = part.column(0)
                if column.type == pa.string() and not column.null_count:
                    yield from _values(column)
                else:
                    yield from (str(value).encode() for value in column.to_pylist())
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise InputError.tr("“{path}” contains a line that is not an item.", path=path) from error


def _values(column: "pyarrow.StringArray") -> Iterator[bytes]:
    """The texts of a column without nulls, taken from its memory: no object of Arrow and no text of
    Python is made for each."""
    _, places, texts = column.buffers()
    ends = memoryview(places).cast("i")[column.offset : column.offset + len(column) + 1]
    for start, end in pairwise(ends):
        yield texts[start:end].to_pybytes()


def _card(
    split_name: str,
    names: Mapping[str, str],
    counts: Mapping[str, int],
    more: Mapping[str, Any],
    text: Sequence[str],
) -> str:
    """The card: its head is what ``datasets`` reads, its text what people do."""
    configs = [
        {"config_name": name, "data_files": [{"split": "test", "path": f"{FOLDER}/{name}.parquet"}]}
        for name in names.values()
    ]
    head = {"pretty_name": split_name, **more, "configs": configs}
    lines = [
        f"---\n{yaml.safe_dump(head, allow_unicode=True, sort_keys=False)}---",
        f"# {split_name}",
        *text,
        "\n".join(f"- `{names[title]}`: {title}, {count}" for title, count in counts.items()),
    ]
    return "\n\n".join(lines) + "\n"
