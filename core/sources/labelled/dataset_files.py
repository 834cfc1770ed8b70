"""Reading labelled data: TweetEval folders, and tables of any kind."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import InputError, NotFoundError
from core.i18n import listed, tr, trn
from core.llm.replies import clean
from core.sources.labelled.datasets import LabelledExample, LabelledSet, LabelledTask
from core.sources.tables import cell_text, no_sheets, read_table
from core.sources.text_files import lines_of

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
    "review",
    "comment",
    "message",
    "文本",
    "句子",
    "内容",
    "评论",
)
_SECOND = ("text2", "second", "hypothesis", "sentence2", "#2 string")
_LABEL = (
    "label", "labels", "class", "quality", "gold", "gold_label", "stance", "sentiment", "category",
    "标签", "类别", "情感",
)  # fmt: skip
_TARGET = ("target", "topic", "aspect", "目标", "对象")
_ID = ("id", "idx", "index", "guid")
_FIRST_OF_PAIR = ("premise", "sentence1", "#1 string", "text1", "first", "text")

_LONGEST_ID = 80  # characters of what a file calls a row


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column holds what; an empty name is found by the usual names, or is absent."""

    text: str = ""
    label: str = ""
    second: str = ""
    target: str = ""
    id: str = ""


def read_labelled(
    path: Path,
    task: LabelledTask,
    *,
    columns: Columns | None = None,
    split: str = "test",
    sheet: str = "",
) -> LabelledSet:
    """Every usable example of a file or folder, and how many rows were left out and why.

    A folder is read as TweetEval (``SPLIT_text.txt``, ``SPLIT_labels.txt``, ``mapping.txt``; for
    stance a folder per target), a file as any table (``core.sources.tables``), of a workbook the
    ``sheet``. Raises NotFoundError for a missing file and InputError
    for one that cannot be labelled data of the task.
    """
    path = Path(path)
    if not path.exists():
        raise NotFoundError.tr("There is no file or folder “{path}”.", path=path)
    reading = _Reading(task, path)
    if path.is_dir():
        if sheet:
            raise InputError(no_sheets(path))
        _read_folder(reading, path, split)
    else:
        _read_table(reading, path, columns or Columns(), sheet)
    if not reading.examples:
        raise InputError(_nothing_usable(path, reading))
    return LabelledSet(
        task=task,
        examples=tuple(reading.examples),
        left_out={why: tuple(lines) for why, lines in sorted(reading.left_out.items())},
    )


class _Reading:
    """The examples so far, and the rows left out."""

    def __init__(self, task: LabelledTask, path: Path) -> None:
        self.task = task
        self.stem = f"{task.name}-{path.stem}"[: _LONGEST_ID // 2]
        self.examples: list[LabelledExample] = []
        self.left_out: defaultdict[str, list[int]] = defaultdict(list)
        self.unknown = ""
        self._ids: dict[str, int] = {}  # to how often it was wanted again

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
        line: int = 0,
    ) -> None:
        """Keep one row, or note why not. ``names`` is the file's own map of its labels; ``line``
        is where the row stands if that is not its number."""
        line = line or row
        text, second = " ".join(clean(text).split()), " ".join(clean(second).split())
        written = written.strip()
        label = self.task.label_of((names or {}).get(written, written))
        if not text or (self.task.is_pair and not second):
            self.left_out["empty_text"].append(line)
        elif not written:
            self.left_out["no_label"].append(line)
        elif label is None:
            self.left_out["unknown_label"].append(line)
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
        wanted = "".join(c if c.isprintable() else "-" for c in clean(wanted)[:_LONGEST_ID])
        found, number = wanted, self._ids.get(wanted, 0)
        while found in self._ids:
            number += 1
            found = f"{wanted}-{number + 1}"
        self._ids[wanted] = number
        self._ids.setdefault(found, 0)
        return found


def _nothing_usable(path: Path, reading: _Reading) -> str:
    if reading.unknown:
        return tr(
            "“{path}” contains labels such as “{label}”, but the task has only {known}. Map "
            "the labels of the file to these.",
            path=path,
            label=reading.unknown[:60],
            known=listed(reading.task.labels),
        )
    return tr(
        "“{path}” contains no labelled text for task “{task}”.", path=path, task=reading.task.name
    )


# --- TweetEval -------------------------------------------------------------------------------


def _read_folder(reading: _Reading, folder: Path, split: str) -> None:
    parts = [folder] if (folder / f"{split}_text.txt").is_file() else sorted(folder.iterdir())
    found = [part for part in parts if (part / f"{split}_text.txt").is_file()]
    if not found:
        raise InputError.tr(
            "“{path}” is not a TweetEval folder: neither it nor its subfolders contain {file}.",
            path=folder,
            file=f"{split}_text.txt",
        )
    for part in found:
        reading.stem = "-".join(dict.fromkeys((reading.task.name, part.name, split)))
        target = STANCE_TARGETS.get(part.name, part.name) if reading.task.targeted else ""
        _read_tweeteval(reading, part, split, target)


def _read_tweeteval(reading: _Reading, folder: Path, split: str, target: str) -> None:
    texts = tweeteval_lines(folder / f"{split}_text.txt")
    labels_file = folder / f"{split}_labels.txt"
    if not labels_file.is_file():
        raise InputError.tr("“{path}”, which contains the labels, is missing.", path=labels_file)
    labels = tweeteval_lines(labels_file)
    if len(texts) != len(labels):
        raise InputError.tr(
            "“{path}” has {texts} but {labels}; the two files do not belong together.",
            path=folder,
            texts=trn("1 text", "{n} texts", len(texts)),
            labels=trn("1 label", "{n} labels", len(labels)),
        )
    names = tweeteval_labels(folder)
    source = f"{folder.name}/{split}_text.txt"
    for row, (text, label) in enumerate(zip(texts, labels, strict=True), start=1):
        reading.add(row, text, label, target=target, source=source, names=names)


def tweeteval_lines(path: Path) -> list[str]:
    """Lines by line feeds alone: tweets hold U+2028 and other characters that only look so."""
    lines = list(lines_of(path))
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def tweeteval_labels(folder: Path) -> dict[str, str]:
    """The words for the numbers of the labels, from the mapping of a folder or the one above."""
    for place in (folder, folder.parent):
        path = place / "mapping.txt"
        if path.is_file():
            rows = (line.split("\t") for line in tweeteval_lines(path))
            return {row[0].strip(): row[1].strip().strip("_") for row in rows if len(row) >= 2}
    return {}


# --- tables ----------------------------------------------------------------------------------


def _read_table(reading: _Reading, path: Path, columns: Columns, sheet: str) -> None:
    table = read_table(path, sheet=sheet)
    unreadable = [row for row in table.unreadable if not row.remark]
    if unreadable:
        reading.left_out["unreadable"] += [row.line for row in unreadable]
    if not table.columns:
        return
    found = find_columns(path, table.columns, columns, reading.task)
    lines = sorted((*table.frame.index.tolist(), *(row.line for row in unreadable)))
    # rows under a header are numbered from 1: the ids of examples hang on that
    numbers = {line: number for number, line in enumerate(lines, 1)} if table.header_line else {}
    for line, row in table.rows():
        _read_row(reading, (numbers.get(line, line), line), row, found, path.name)


def _read_row(
    reading: _Reading,
    place: tuple[int, int],
    row: Mapping[str, Any],
    found: Columns,
    source: str,
) -> None:
    """Keep a row; ``place`` is its number and its line."""
    number, line = place
    named = (found.text, found.label, found.second, found.target, found.id)
    cells = [line_of(row.get(name) if name else "") for name in named]
    if cells[0] is None or cells[1] is None or cells[2] is None:
        reading.left_out["not_text"].append(line)
        return
    text, label, second, target, id = (cell or "" for cell in cells)
    reading.add(
        number,
        text,
        label,
        second=second,
        target=target,
        id=f"{reading.stem}-{id}" if id else "",
        source=source,
        line=line,
    )


def line_of(value: Any) -> str | None:
    """A cell as one line of text; None for what is not a text, such as a list."""
    if isinstance(value, list | tuple | dict):
        return None
    return " ".join(clean(cell_text(value)).split())


def find_columns(
    path: Path, header: tuple[str, ...], wanted: Columns, task: LabelledTask
) -> Columns:
    """Which columns of a file a task's data are in: those that are named, else the usual ones.

    Raises InputError for a named column that is not there, and where one is needed and none of the
    usual names occurs.
    """
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
            raise InputError.tr(
                "“{path}” has no column for “{role}”. Its columns are: {columns}. "
                "Choose one of them.",
                path=path,
                role=role,
                columns=listed(header)[:300],
            )
    return found


def _column(path: Path, header: tuple[str, ...], wanted: str, usual: tuple[str, ...]) -> str:
    if wanted:
        if wanted in header:
            return wanted
        raise InputError.tr(
            "“{path}” has no column “{column}”. Available: {columns}.",
            path=path,
            column=wanted,
            columns=listed(header)[:300],
        )
    plain = {name.strip().casefold(): name for name in reversed(header)}
    return next((plain[name] for name in usual if name in plain), "")
