"""Texts whose words or places are tagged: CoNLL's columns, WebAnno TSV (INCEpTION), brat's folders.

A row is a sentence, of brat a document. Its ``output`` is a JSON object with the texts of each tag
in their order, such as ``{"LOC": ["Bern"]}``, and ``{}`` where nothing is tagged.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.i18n import tr
from core.sources.chinese_text import has_han
from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.signatures import HEAD
from core.sources.text_files import lines_of

_TAG = re.compile(r"O|[BIESLU]-\S+")
_NEARLY_ALL = 0.9
_NUMBER = re.compile(r"\d+")
_WEBANNO = b"#FORMAT=WebAnno TSV 3"
_SPAN = re.compile(r"[_*]|(.+?)(?:\[(\d+)\])?")
_REMARK = re.compile(r"#(\s|$)|-DOCSTART-")


def is_conll(path: Path, head: bytes) -> bool:
    """A word and its tags in each line (``O``, ``B-PER``), and empty lines between sentences."""
    if path.suffix.lower() in (".csv", ".json", ".jsonl", ".xml", ".md"):
        return False
    lines = head.decode("utf-8-sig", errors="ignore").splitlines()
    lines = [line.strip() for line in (lines[:-1] if len(head) == HEAD else lines)]
    words = [line.split() for line in lines if line and not _REMARK.match(line)]
    ((width, count),) = Counter(map(len, words)).most_common(1) or ((0, 0),)
    if count < max(2, _NEARLY_ALL * len(words)) or "" not in lines:
        return False
    return _tag_column([cells for cells in words if len(cells) == width]) > 0


def conll_rows(path: Path) -> Rows:
    """One row a sentence, with its words and the tags of each of its columns; a line is that of the
    sentence's first word."""
    column = 0
    for number, block in _blocks(lines_of(path)):
        cells = [line.split() for line in block]
        column = column or _tag_column(cells)
        first = 1 if _NUMBER.fullmatch(cells[0][0]) and len(cells[0]) > 2 else 0
        if not column or len({len(line) for line in cells}) != 1 or column >= len(cells[0]):
            yield RefusedRow(number, tr("Not every word of it has as many tags."))
            continue
        words = [line[first] for line in cells]
        tags = [line[column] for line in cells]
        rest = {
            f"column {n + 1}": [line[n] for line in cells]
            for n in range(first + 1, len(cells[0]))
            if n != column
        }
        spans = [(kind, _joined(words[a:b])) for a, b, kind in _spans(tags)]
        yield ImportRow(number, {**_row(_joined(words), spans), "tags": tags, **rest})


def _tag_column(words: Sequence[Sequence[str]]) -> int:
    """The column of the tags: the last, where words have numbers the first (the others are of what
    lies within); 0 for none."""
    width = len(words[0])
    places = [
        n
        for n in range(1, width)
        if all(len(cells) > n and _TAG.fullmatch(cells[n]) for cells in words)
    ]
    numbered = all(_NUMBER.fullmatch(cells[0]) for cells in words)
    return (places[0] if numbered else places[-1]) if places else 0


def _blocks(lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
    """Lines of words that stand together, with the number of the first; remarks are none."""
    block: list[str] = []
    begin = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip() and block:
            yield begin, block
            block = []
        elif line.strip() and not _REMARK.match(line):
            begin = begin if block else number
            block.append(line)
    if block:
        yield begin, block


def _spans(tags: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """``(begin, end, tag)`` of what is tagged; an ``I-`` or ``E-`` goes on where it is the same."""
    begin, kind = 0, ""
    for place, tag in enumerate((*tags, "O")):
        mark, _, name = tag.partition("-")
        if kind and (mark not in "IEL" or name != kind):
            yield begin, place, kind
            kind = ""
        if name and not kind:
            begin, kind = place, name


def _joined(words: Sequence[str]) -> str:
    """Words with spaces between them, save where each is a Chinese character."""
    single = sum(len(word) == 1 for word in words)
    chinese = has_han("".join(words)) and 2 * single >= len(words)
    return ("" if chinese else " ").join(words)


def _row(text: str, spans: Sequence[tuple[str, str]]) -> dict[str, Any]:
    tagged: dict[str, list[str]] = {}
    for kind, found in spans:
        tagged.setdefault(kind, []).append(found)
    return {"text": text, "output": json.dumps(tagged, ensure_ascii=False)}


# --- WebAnno TSV -----------------------------------------------------------------------------


def is_webanno(_path: Path, head: bytes) -> bool:
    """By its first line."""
    return head.lstrip(b"\xef\xbb\xbf").startswith(_WEBANNO)


def webanno_rows(path: Path) -> Rows:
    """One row a sentence with what its first layer marks; all columns are kept beside it."""
    text, begin, lines = "", 0, list[list[str]]()
    for number, line in enumerate((*lines_of(path), ""), start=1):
        if line.startswith("#Text="):
            text, begin, lines = line.removeprefix("#Text="), begin or number, []
        elif line.strip() and not line.startswith("#"):
            lines.append(line.rstrip("\t").split("\t"))
        elif not line.strip() and lines:
            yield _of_webanno(begin, text, lines)
            begin, lines = 0, []


def _of_webanno(number: int, text: str, lines: Sequence[list[str]]) -> ImportRow | RefusedRow:
    if any(len(cells) < 4 for cells in lines):
        return RefusedRow(number, tr("Not every word of it has as many tags."))
    spans: dict[tuple[str, str], list[str]] = {}
    for cells in lines:
        for part in cells[3].split("|"):
            found = _SPAN.fullmatch(part)
            if found and found[1]:
                one = found[2] or cells[0]  # what has no number is one word
                spans.setdefault((one, found[1]), []).append(cells[2])
    tagged = [(kind, " ".join(words)) for (_, kind), words in spans.items()]
    return ImportRow(number, {**_row(text, tagged), "annotations": lines})


# --- brat ------------------------------------------------------------------------------------


def is_brat(path: Path, _head: bytes) -> bool:
    """A folder of texts that have an ``.ann`` beside them."""
    return path.is_dir() and any(ann.with_suffix(".txt").is_file() for ann in path.glob("*.ann"))


def brat_rows(path: Path) -> Rows:
    """One row a document, by its name; every line of its annotations is kept beside it."""
    for number, ann in enumerate(sorted(path.glob("*.ann")), start=1):
        source = ann.with_suffix(".txt")
        if not source.is_file():
            yield RefusedRow(number, tr("“{path}” is missing.", path=source.name))
            continue
        lines = [line for line in lines_of(ann) if line.strip()]
        spans = []
        for line in lines:
            cells = line.split("\t")
            if cells[0].startswith("T") and len(cells) > 2:
                kind, _, place = cells[1].partition(" ")
                spans.append((_first(place), kind, cells[2]))
        text = "\n".join(lines_of(source)).strip()
        tagged = [(kind, words) for _, kind, words in sorted(spans)]
        values = {**_row(text, tagged), "id": ann.stem, "annotations": lines}
        yield ImportRow(number, values, source.name, 1)


def _first(place: str) -> int:
    """Where a place begins, as ``4 9`` or, in parts, ``4 9;12 15``."""
    found = _NUMBER.match(place)
    return int(found[0]) if found else 0
