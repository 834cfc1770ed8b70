"""Questions in nested documents: SQuAD, RACE, and MMLU's tables without names of columns."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.i18n import tr
from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.imports.json_rows import rows_inside
from core.sources.json_tables import with_surroundings
from core.sources.tables import place_name, read_table
from core.sources.text_files import json_document, lines_of

_LETTERS = "ABCDEFGHIJ"
_NOT_ANSWERED = "CANNOTANSWER"  # QuAC
_RACE_LISTS = ("questions", "options", "answers")
_OPTION = re.compile(r"\s*([A-Ja-j])(?:\s*[.．、:：)）,，]\s*|\s+)")


def is_squad(_path: Path, head: bytes) -> bool:
    """A document with paragraphs of a context and its questions."""
    text = head.decode("utf-8-sig", errors="ignore").lstrip()
    return text.startswith("{") and all(f'"{n}"' in text for n in ("data", "paragraphs", "qas"))


def squad_rows(path: Path) -> Rows:
    """One row per question, with context and title of its article; no field is left out. A turn
    of a dialogue (QuAC) is asked with the turns before it, which say who and what is meant."""
    document = json_document(path)
    articles = document.get("data") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(articles, list):
        raise InputError.tr("“{path}” does not contain a list of rows.", path=path)
    outside = {name: value for name, value in document.items() if name != "data"}
    number = 0
    for article in articles:
        said: list[str] = []
        dialogue: Any = None
        if not isinstance(article, dict):
            number += 1
            yield RefusedRow(number, tr("It is not a JSON object."))
            continue
        about = {n: v for n, v in article.items() if n != "paragraphs"}
        for paragraph, question in _questions(article):
            number += 1
            if not isinstance(question, dict):
                yield RefusedRow(number, tr("It is not a JSON object."))
                continue
            if question.get("is_impossible") is True and not question.get("answers"):
                reason = tr("Its passage does not answer it, as the file says (is_impossible).")
                yield RefusedRow(number, reason)
                continue
            context = {n: v for n, v in paragraph.items() if n != "qas"}
            if "followup" in question:
                if dialogue is not paragraph:
                    dialogue, said = paragraph, []
                asked = str(question.get("question", "")).strip()
                answer = _answer_in_dialogue(question)
                before, said = said, [*said, f"Q: {asked}", f"A: {answer or _NOT_ANSWERED}"]
                if not answer:
                    yield RefusedRow(number, tr("Its passage does not answer it, as the file says "
                                                "({mark}).", mark=_NOT_ANSWERED))  # fmt: skip
                    continue
                question = {**question, "question": "\n".join([*before, f"Q: {asked}"])
                            if before else asked}  # fmt: skip
            yield ImportRow(number, with_surroundings(question, context, about, outside))


def _answer_in_dialogue(question: Mapping[str, Any]) -> str:
    """What was answered to a turn of QuAC, with which it goes on; empty where nothing was."""
    given = question.get("orig_answer")
    listed = question.get("answers")
    if not isinstance(given, dict) and isinstance(listed, list) and listed:
        given = listed[0]
    text = str(given.get("text", "")).strip() if isinstance(given, dict) else ""
    return "" if text == _NOT_ANSWERED else text


def _questions(article: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Any]]:
    paragraphs = article.get("paragraphs")
    for paragraph in paragraphs if isinstance(paragraphs, list) else ():
        if isinstance(paragraph, dict):
            questions = paragraph.get("qas")
            for question in questions if isinstance(questions, list) else ():
                yield paragraph, question


def is_race(_path: Path, head: bytes) -> bool:
    """Objects with a list of questions, one of options and one of answers."""
    text = head.decode("utf-8-sig", errors="ignore")
    return all(f'"{name}"' in text for name in ("article", *_RACE_LISTS))


def race_rows(path: Path) -> Rows:
    """One row for each question, with its article and what else stands beside the questions."""
    return rows_inside(path, _of_race)


def _of_race(values: Mapping[str, Any]) -> Iterator[dict[str, Any] | str]:
    lists = [values.get(name) for name in _RACE_LISTS]
    if (
        not all(isinstance(part, list) for part in lists)
        or len({len(part or ()) for part in lists}) > 1
    ):
        yield tr("It does not have as many questions as options and answers.")
        return
    rest = {name: value for name, value in values.items() if name not in _RACE_LISTS}
    for question, options, answer in zip(*(part or () for part in lists), strict=True):
        asked = {"question": question, "options": options, "answer": answer}
        yield with_surroundings(asked, rest)


def is_mmlu(path: Path, head: bytes) -> bool:
    """A table without names of columns: a question, its options, and the letter of one of them in
    every row from the first."""
    if path.suffix.lower() != ".csv":
        return False
    try:
        text = head.decode("utf-8-sig", errors="ignore")
        rows = [row for _, row in zip(range(4), csv.reader(io.StringIO(text)), strict=False) if row]
    except csv.Error:
        return False
    whole = rows[:-1] if len(rows) > 1 else rows  # the last one may be cut off
    return bool(whole) and all(
        4 <= len(row) == len(whole[0]) <= len(_LETTERS) + 2
        and row[-1].strip() in _LETTERS[: len(row) - 2]
        and row[-1].strip() != ""
        for row in whole
    )


def is_logiqa(path: Path, head: bytes) -> bool:
    """A text of blocks with an empty line between them: the letter of the right option, a passage,
    a question, and a lettered line for each option."""
    if path.suffix.lower() != ".txt":
        return False
    blocks = list(_blocks(head.decode("utf-8-sig", errors="ignore").splitlines()))
    whole = blocks[:-1] if len(blocks) > 1 else blocks  # the last one may be cut off
    sound = sum(isinstance(_block(block), dict) for _, block in whole)
    return sound > 0.9 * len(whole)


def logiqa_rows(path: Path) -> Rows:
    """One row for each block; its line number is that of the block's first line."""
    for number, block in _blocks(lines_of(path)):
        values = _block(block)
        if isinstance(values, dict):
            yield ImportRow(number, values)
        else:
            yield RefusedRow(number, values)


def _blocks(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Lines that stand together, with the number of the first."""
    block: list[str] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            block.append(line.strip())
        elif block:
            yield number - len(block), block
            block = []
    if block:
        yield number - len(block) + 1, block


def _block(lines: list[str]) -> dict[str, Any] | str:
    marks = [_OPTION.match(line) for line in lines]
    written = [mark[1].upper() if mark else "" for mark in marks]
    # more lines than letters are no options, and a block may be as long as the file
    latest = max(1, len(lines) - len(_LETTERS))
    begins = (n for n in range(latest, len(lines)) if _are_letters(written[n:]))
    first = next(begins, 0)
    letters = _LETTERS[: len(lines) - first] if first else ""
    key = lines[0].strip().upper()
    if len(letters) < 2 or first < 2:
        return tr("It has no options to choose from.")
    if len(key) != 1 or key not in letters:
        return tr("Its key, “{key}”, does not name any of its options.", key=lines[0][:60])
    options = {m[1].upper(): line[m.end() :] for m, line in zip(marks, lines, strict=True) if m}
    return {
        "passage": "\n".join(lines[1 : first - 1]),
        "question": lines[first - 1],
        "options": [options[letter] for letter in letters],
        "answer": lines[0],
    }


def _are_letters(written: list[str]) -> bool:
    """Whether lines have the letters from A on, each once; two columns of a page may have put them
    in another order."""
    return sorted(written) == list(_LETTERS[: len(written)])


def mmlu_rows(path: Path) -> Rows:
    """The rows of a table as MMLU publishes it, under the names of its columns."""
    table = read_table(path, has_header=lambda _first, _columns: False)
    count = len(table.columns)
    names = ("question", *_LETTERS[: count - 2], "answer")
    named = {place_name(place): name for place, name in enumerate(names, start=1)}
    refused = {row.line: row.reason for row in table.unreadable}
    rows = {line: {named[n]: v for n, v in values.items()} for line, values in table.rows()}
    for line in sorted({*rows, *refused}):
        if line in refused:
            yield RefusedRow(line, refused[line])
        else:
            yield ImportRow(line, rows[line])
