"""Reading labelled data: TweetEval folders, GLUE TSV, and any CSV, JSON lines or Parquet."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import InputError, NotFoundError
from core.sources.encodings import decode
from core.sources.labelled import LabelledExample, LabelledSet, LabelledTask
from core.text import tr

# The targets of SemEval-2016 task 6 behind the folder names of TweetEval's stance data.
STANCE_TARGETS: Mapping[str, str] = {
    "abortion": "legalization of abortion",
    "atheism": "atheism",
    "climate": "climate change is a real concern",
    "feminist": "feminist movement",
    "hillary": "Hillary Clinton",
}
SPLITS = ("test", "val", "train")

_TEXT = (
    "text",
    "sentence",
    "tweet",
    "content",
    "premise",
    "sentence1",
    "#1 string",
    "文本",
    "句子",
)
_SECOND = ("text2", "second", "hypothesis", "sentence2", "#2 string")
_LABEL = ("label", "labels", "class", "quality", "gold", "gold_label", "stance", "标签")
_TARGET = ("target", "topic", "aspect")
_ID = ("id", "idx", "index", "guid")
_FIRST_OF_PAIR = ("premise", "sentence1", "#1 string", "text1", "first", "text")

_QUOTED = re.compile(r'"(?:[^"]|"")*"')


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column holds what; an empty name is found by the usual names, or is absent."""

    text: str = ""
    label: str = ""
    second: str = ""
    target: str = ""
    id: str = ""


def read_labelled(
    path: Path, task: LabelledTask, *, columns: Columns | None = None, split: str = "test"
) -> LabelledSet:
    """Every usable example of a file or folder, and how many rows were left out and why.

    A folder is read as TweetEval (``SPLIT_text.txt``, ``SPLIT_labels.txt``, ``mapping.txt``; for
    stance a folder per target), a file by its ending: ``.tsv`` (GLUE: no quoting), ``.csv``,
    ``.json``, ``.jsonl``, ``.parquet``. Raises NotFoundError for a missing file and InputError
    for one that cannot be labelled data of the task.
    """
    path = Path(path)
    if not path.exists():
        raise NotFoundError(tr("There is no file or folder “{path}”.", path=path))
    reading = _Reading(task, path)
    if path.is_dir():
        _read_folder(reading, path, split)
    else:
        _read_table(reading, path, columns or Columns())
    if not reading.examples:
        raise InputError(_nothing_usable(path, reading))
    return LabelledSet(
        task=task, examples=tuple(reading.examples), skipped=dict(sorted(reading.skipped.items()))
    )


class _Reading:
    """The examples so far, and the rows left out."""

    def __init__(self, task: LabelledTask, path: Path) -> None:
        self.task = task
        self.stem = f"{task.name}-{path.stem}"
        self.examples: list[LabelledExample] = []
        self.skipped: Counter[str] = Counter()
        self.unknown = ""
        self._ids: set[str] = set()

    def add(
        self,
        row: int,
        text: str,
        written: str,
        *,
        second: str = "",
        target: str = "",
        id: str = "",
        source: str = "",
        names: Mapping[str, str] | None = None,
    ) -> None:
        """Keep one row, or count why not. ``names`` is the file's own map of its labels."""
        text, second = " ".join(text.split()), " ".join(second.split())
        written = written.strip()
        label = self.task.label_of((names or {}).get(written, written))
        if not text or (self.task.is_pair and not second):
            self.skipped["empty_text"] += 1
        elif not written:
            self.skipped["no_label"] += 1
        elif label is None:
            self.skipped["unknown_label"] += 1
            self.unknown = self.unknown or written
        else:
            self.examples.append(
                LabelledExample(
                    id=self._free_id(id or f"{self.stem}-{row:06d}"),
                    text=text,
                    second=second if self.task.is_pair else "",
                    label=label,
                    target=target.strip(),
                    source=source,
                    row=row,
                )
            )

    def _free_id(self, wanted: str) -> str:
        found, number = wanted, 1
        while found in self._ids:
            number += 1
            found = f"{wanted}-{number}"
        self._ids.add(found)
        return found


def _nothing_usable(path: Path, reading: _Reading) -> str:
    if reading.unknown:
        return tr(
            "“{path}” has labels such as “{label}”, but the task knows only {known}. Map the "
            "spellings of the file to these labels.",
            path=path,
            label=reading.unknown[:60],
            known=", ".join(reading.task.labels),
        )
    return tr(
        "“{path}” holds no labelled text for the task “{task}”.", path=path, task=reading.task.name
    )


def _text_of(path: Path) -> str:
    return decode(path.read_bytes()).removeprefix("\ufeff")


# --- TweetEval -------------------------------------------------------------------------------


def _read_folder(reading: _Reading, folder: Path, split: str) -> None:
    parts = [folder] if (folder / f"{split}_text.txt").is_file() else sorted(folder.iterdir())
    found = [part for part in parts if (part / f"{split}_text.txt").is_file()]
    if not found:
        raise InputError(
            tr(
                "“{path}” is no TweetEval folder: there is no {file} in it or in a folder of it.",
                path=folder,
                file=f"{split}_text.txt",
            )
        )
    for part in found:
        reading.stem = "-".join(dict.fromkeys((reading.task.name, part.name, split)))
        target = STANCE_TARGETS.get(part.name, part.name) if reading.task.targeted else ""
        _read_tweeteval(reading, part, split, target)


def _read_tweeteval(reading: _Reading, folder: Path, split: str, target: str) -> None:
    texts = _lines(folder / f"{split}_text.txt")
    labels_file = folder / f"{split}_labels.txt"
    if not labels_file.is_file():
        raise InputError(tr("“{path}” is missing; it holds the labels.", path=labels_file))
    labels = _lines(labels_file)
    if len(texts) != len(labels):
        raise InputError(
            tr(
                "“{path}” has {texts} texts but {labels} labels; the two files do not belong "
                "together.",
                path=folder,
                texts=len(texts),
                labels=len(labels),
            )
        )
    names = _mapping(folder)
    source = f"{folder.name}/{split}_text.txt"
    for row, (text, label) in enumerate(zip(texts, labels, strict=True), start=1):
        reading.add(row, text, label, target=target, source=source, names=names)


def _lines(path: Path) -> list[str]:
    """Lines by line feeds alone: tweets hold U+2028 and other characters that only look so."""
    lines = _text_of(path).replace("\r\n", "\n").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _mapping(folder: Path) -> dict[str, str]:
    for place in (folder, folder.parent):
        path = place / "mapping.txt"
        if path.is_file():
            rows = (line.split("\t") for line in _lines(path))
            return {row[0].strip(): row[1].strip().strip("_") for row in rows if len(row) >= 2}
    return {}


# --- tables ----------------------------------------------------------------------------------


def _read_table(reading: _Reading, path: Path, columns: Columns) -> None:
    rows = _rows_of(path, reading)
    found: Columns | None = None
    for number, row in rows:
        if found is None:
            found = _find_columns(path, tuple(row), columns, reading.task)
        if any(row.get(name) is None for name in (found.text, found.label) if name):
            reading.skipped["too_few_columns"] += 1
            continue
        reading.add(
            number,
            _written(row.get(found.text)),
            _written(row.get(found.label)),
            second=_written(row.get(found.second)),
            target=_written(row.get(found.target)),
            id=f"{reading.stem}-{_written(row[found.id])}" if row.get(found.id) else "",
            source=path.name,
        )
    if found is None and not reading.skipped:
        raise InputError(tr("“{path}” is empty.", path=path))


def _written(value: Any) -> str:
    """A cell as text; whole floats (a label column with gaps) lose their ``.0``."""
    if value is None:
        return ""
    if isinstance(value, float):
        if value != value:
            return ""
        return str(int(value)) if value.is_integer() else str(value)
    return str(value)


def _find_columns(
    path: Path, header: tuple[str, ...], wanted: Columns, task: LabelledTask
) -> Columns:
    usual_text = _FIRST_OF_PAIR if task.is_pair else _TEXT
    found = Columns(
        text=_column(path, header, wanted.text, usual_text),
        label=_column(path, header, wanted.label, _LABEL),
        second=_column(path, header, wanted.second, _SECOND) if task.is_pair else "",
        target=_column(path, header, wanted.target, _TARGET),
        id=_column(path, header, wanted.id, _ID),
    )
    needed = {"text": found.text, "label": found.label}
    if task.is_pair:
        needed["second"] = found.second
    if task.targeted:
        needed["target"] = found.target
    for role, column in needed.items():
        if not column:
            raise InputError(
                tr(
                    "“{path}” has no column for “{role}”. Its columns are: {columns}. Say which "
                    "one it is.",
                    path=path,
                    role=role,
                    columns=", ".join(header)[:300],
                )
            )
    return found


def _column(path: Path, header: tuple[str, ...], wanted: str, usual: tuple[str, ...]) -> str:
    if wanted:
        if wanted in header:
            return wanted
        raise InputError(
            tr(
                "“{path}” has no column “{column}”. Its columns are: {columns}.",
                path=path,
                column=wanted,
                columns=", ".join(header)[:300],
            )
        )
    plain = {name.strip().casefold(): name for name in reversed(header)}
    return next((plain[name] for name in usual if name in plain), "")


def _rows_of(path: Path, reading: _Reading) -> Iterator[tuple[int, Mapping[str, Any]]]:
    ending = path.suffix.lower()
    if ending == ".parquet":
        return _parquet_rows(path)
    if ending in (".jsonl", ".ndjson"):
        return _json_rows(_text_of(path).split("\n"), reading)
    if ending == ".json":
        return _json_document(path, reading)
    if ending in (".csv", ".tsv", ".txt"):
        return _text_rows(path, _text_of(path), ending)
    raise InputError(
        tr(
            "“{path}” is of no kind that can be read. Give a TweetEval folder, or a file ending "
            "in .tsv, .csv, .json, .jsonl or .parquet.",
            path=path,
        )
    )


def _text_rows(path: Path, text: str, ending: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows by header, as CSV or as tab-separated lines."""
    rows = _csv_rows(path, text) if ending == ".csv" else _tab_rows(text)
    header = next(rows, [])
    if len(header) < 2:
        raise InputError(
            tr("The first line of “{path}” does not name two or more columns.", path=path)
        )
    for number, cells in enumerate(rows, start=1):
        if any(cells):
            yield number, dict(zip(header, cells, strict=False))


def _csv_rows(path: Path, text: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    except csv.Error as error:
        raise InputError(
            tr("“{path}” cannot be read as a table: {problem}.", path=path, problem=error)
        ) from error


def _tab_rows(text: str) -> Iterator[list[str]]:
    """GLUE's TSV has no quoting: a lone quotation mark is part of the text. Copies written by
    other programs have it, and then every cell that begins with a mark is a well-formed one."""
    rows = [line.split("\t") for line in text.replace("\r\n", "\n").split("\n")]
    marked = [cell for row in rows for cell in row if cell.startswith('"')]
    if marked and all(_QUOTED.fullmatch(cell) for cell in marked):
        rows = [[_unquoted(cell) for cell in row] for row in rows]
    return iter(rows)


def _unquoted(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell.startswith('"') else cell


def _delimiter(text: str) -> str:
    first = text.split("\n", 1)[0]
    return max((",", ";", "\t"), key=first.count)


def _json_rows(lines: Iterable[str], reading: _Reading) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict):
            yield number, row
        else:
            reading.skipped["not_an_object"] += 1


def _json_document(path: Path, reading: _Reading) -> Iterator[tuple[int, Mapping[str, Any]]]:
    text = _text_of(path)
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError):
        yield from _json_rows(text.split("\n"), reading)  # JSON lines under another name
        return
    rows = document if isinstance(document, list) else [document]
    for number, row in enumerate(rows, start=1):
        if isinstance(row, dict):
            yield number, row
        else:
            reading.skipped["not_an_object"] += 1


def _parquet_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            number = 0
            for batch in file.iter_batches(batch_size=4096):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            tr("“{path}” cannot be read as Parquet: {problem}.", path=path, problem=error)
        ) from error
