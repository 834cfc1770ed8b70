"""Answers that stand in a file beside that of the questions, a line for each of its rows: PIQA's
``valid-labels.lst``, aNLI, Social IQA, ``train.gold.txt``."""

import re
from collections.abc import Iterable
from pathlib import Path

from core.errors import InputError
from core.i18n import trn
from core.sources.imports.base import ImportRow, Rows
from core.sources.question_columns import ANSWERS_ELSEWHERE, KEYS, plain_name
from core.sources.text_files import lines_of

LABEL = "label"
"""The column that the answers become."""
_CALLED = re.compile(
    r"(?P<stem>.+?)[._-](?:labels?|gold|answers?|keys?|targets?)\.(?:lst|txt|labels?)",
    re.IGNORECASE,
)
_QUESTIONS = re.compile(r"[._-](?:data|questions?|inputs?|examples?|texts?)$", re.IGNORECASE)
_TELLING = {*KEYS, *ANSWERS_ELSEWHERE, "answers", "output", "response", "completion", "references"}


def answers_of(files: Iterable[Path]) -> dict[Path, Path]:
    """The file with the answers of each file of questions among the files of one folder, where
    exactly one is called so."""
    called: dict[tuple[Path, str], list[Path]] = {}
    asking: list[Path] = []
    for path in files:
        if match := _CALLED.fullmatch(path.name):
            called.setdefault((path.parent, match["stem"].casefold()), []).append(path)
        else:
            asking.append(path)
    if not called:
        return {}
    found = {path: called.get((path.parent, _stem(path)), ()) for path in asking}
    return {path: answers[0] for path, answers in found.items() if len(answers) == 1}


def neighbours(path: Path) -> list[Path]:
    """The files in the folder of a file, as far as it may be listed."""
    try:
        return sorted(path.parent.iterdir()) if path.is_file() else []
    except OSError:
        return []


def _stem(path: Path) -> str:
    return _QUESTIONS.sub("", path.stem).casefold()


def with_answers(rows: Rows, path: Path, answers: Path) -> Rows:
    """The rows, each with its line of ``answers`` as its ``label``; as they are where the first of
    them has an answer of its own.

    Raises InputError, before the first row, where there are not as many of both.
    """
    found = list(rows)
    first = next((row.values for row in found if isinstance(row, ImportRow)), {})
    if _TELLING & {plain_name(name) for name in first}:
        yield from found
        return
    lines = [line.strip() for line in lines_of(answers)]
    while lines and not lines[-1]:
        lines.pop()
    if len(lines) != len(found):
        raise InputError.tr(
            "“{path}” has {texts} but “{other}” has {labels}: the two files do not belong "
            "together. Give the second another name to import the first alone.",
            path=path, other=answers.name, texts=trn("1 row", "{n} rows", len(found)),
            labels=trn("1 line", "{n} lines", len(lines))
        )  # fmt: skip
    for row, answer in zip(found, lines, strict=True):
        if isinstance(row, ImportRow):
            yield row._replace(values={**row.values, LABEL: answer})
        else:
            yield row
