"""TweetEval folders and GLUE's TSV, with the words of their tasks instead of their numbers."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.i18n import tr, trn
from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.imports.table_rows import table_rows
from core.sources.json_tables import with_surroundings
from core.sources.labelled.dataset_files import (
    SPLITS,
    STANCE_TARGETS,
    tweeteval_labels,
    tweeteval_lines,
)
from core.sources.labelled.datasets import MRPC, RTE, TASKS, LabelledTask
from core.sources.text_files import is_damaged

_TEXT_FILE = re.compile(r"(\w+)_text\.txt")
_GLUE: tuple[tuple[frozenset[str], LabelledTask, tuple[str, str, str]], ...] = (
    (frozenset(("#1 String", "#2 String", "Quality")), MRPC, ("#1 String", "#2 String", "Quality")),
    (frozenset(("sentence1", "sentence2", "label")), RTE, ("sentence1", "sentence2", "label")),
)


def is_tweeteval(path: Path, _head: bytes) -> bool:
    """A folder with ``SPLIT_text.txt`` in it or below it, or such a file itself."""
    if path.is_dir():
        return next(path.rglob("*_text.txt"), None) is not None
    return _TEXT_FILE.fullmatch(path.name) is not None and _labels_file(path).is_file()


def is_glue(path: Path, head: bytes) -> bool:
    """A table of tabs with the columns of MRPC, or of RTE and labels in words. With 0 and 1 it has
    to be called so, or its folder: PAWS, WNLI and others have the same columns."""
    if path.suffix.lower() not in (".tsv", ".txt"):
        return False
    lines = head.decode("utf-8-sig", errors="ignore").splitlines()[:3]
    rows = [line.split("\t") for line in lines]
    columns = rows[0] if rows else []
    if set(columns) >= _GLUE[0][0]:
        return True
    place = columns.index("label") if set(columns) >= _GLUE[1][0] else -1
    named = "rte" in (path.parent.name.lower(), *re.split(r"[^a-z]+", path.stem.lower()))
    worded = any(len(r) > place and r[place].strip("01") for r in rows[1:])
    return place >= 0 and (named or worded)


def tweeteval_rows(path: Path) -> Rows:
    """All splits of a folder, folders below it included, or one text file with its labels.

    ``line`` counts on over the files of a folder; ``file`` and ``row`` tell the place.
    """
    files = [path] if path.is_file() else sorted(path.rglob("*_text.txt"), key=_order)
    if not files:
        raise InputError.tr("“{path}” contains no TweetEval files (SPLIT_text.txt).", path=path)
    line = 0
    for file in files:
        for found in _file_rows(file):
            line += 1
            if isinstance(found, RefusedRow):
                yield RefusedRow(line, found.reason)
            else:
                yield ImportRow(line, found.values, found.file, found.row)


def _order(path: Path) -> tuple[str, int]:
    split = path.name.split("_", 1)[0]
    return str(path.parent), SPLITS.index(split) if split in SPLITS else len(SPLITS)


def _labels_file(text_file: Path) -> Path:
    return text_file.with_name(text_file.name.replace("_text.txt", "_labels.txt"))


def _file_rows(file: Path) -> Rows:
    labels_file = _labels_file(file)
    if not labels_file.is_file():
        raise InputError.tr("“{path}”, which contains the labels, is missing.", path=labels_file)
    texts, labels = tweeteval_lines(file), tweeteval_lines(labels_file)
    if len(texts) != len(labels):
        raise InputError.tr(
            "“{path}” has {texts} but {labels}; the two files do not belong together.",
            path=file,
            texts=trn("1 text", "{n} texts", len(texts)),
            labels=trn("1 label", "{n} labels", len(labels)),
        )
    names = tweeteval_labels(file.parent)
    task = _task_of(file.parent)
    place = file.parent.name
    target = STANCE_TARGETS.get(place, place) if task and task.targeted else ""
    for row, (text, written) in enumerate(zip(texts, labels, strict=True), start=1):
        label = names.get(written.strip(), written.strip())
        values = {"text": text, "label": label, "target": target}
        yield _labelled(row, values, task, f"{place}/{file.name}")


def _task_of(folder: Path) -> LabelledTask | None:
    names = (folder.name.lower(), folder.parent.name.lower())
    return next((task for name in names for task in TASKS if task.name == name), None)


def glue_rows(path: Path) -> Rows:
    """MRPC's and RTE's sentence pairs, the labels in words."""
    task: LabelledTask | None = None
    columns = ("", "", "")
    for found in table_rows(path):
        if isinstance(found, RefusedRow):
            yield found
            continue
        if task is None:
            task, columns = _glue_task(path, found.values)
        first, second, label = (str(found.values[name]) for name in columns)
        values = {"text": first, "second": second, "label": label}
        made = _labelled(found.line, values, task, path.name)
        rest = {name: value for name, value in found.values.items() if name not in columns}
        if isinstance(made, ImportRow):
            made = made._replace(values=with_surroundings(made.values, rest))
        yield made


def _glue_task(path: Path, row: Mapping[str, Any]) -> tuple[LabelledTask, tuple[str, str, str]]:
    for wanted, task, columns in _GLUE:
        if set(row) >= wanted:
            return task, columns
    raise InputError.tr("“{path}” does not have the columns of MRPC or RTE.", path=path)


def _labelled(
    row: int, values: Mapping[str, str], task: LabelledTask | None, file: str
) -> ImportRow | RefusedRow:
    """A row with its task's words: the label space, the question, a pair with its two names."""
    if any(is_damaged(value) for value in values.values()):
        return RefusedRow(row, tr("It contains bytes that are not valid in the file's encoding."))
    if not values["text"].strip() or ("second" in values and not values["second"].strip()):
        return RefusedRow(row, tr("A text is empty."))
    if task is None:
        return ImportRow(row, values, file, row)
    label = task.label_of(values["label"])
    if label is None:
        return RefusedRow(
            row, tr("“{label}” is not in the label space.", label=values["label"][:60])
        )
    shown = "\n".join(_shown(values, task))
    question = task.question.replace("{target}", values.get("target", ""))
    return ImportRow(
        row,
        {
            **values,
            "label": label,
            "labels": list(task.labels),
            "question": f"{question} Answer with one of: {', '.join(task.labels)}.",
            "shown": shown,
            "task": task.name,
            "language": "en",
            "base": f"{task.name}-{file.replace('/', '-')}-{row:06d}",
        },
        file,
        row,
    )


def _shown(values: Mapping[str, str], task: LabelledTask) -> Iterator[str]:
    if task.is_pair:
        for name, text in zip(task.parts, (values["text"], values["second"]), strict=True):
            yield f"{name.capitalize()}: {text}"
    else:
        yield values["text"]
