"""Lengths and domains of a benchmark's items (ArxivRoll table 5 and figure 6)."""

import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.families.base import ItemContent
from core.families.scp_payload import CLOZE, PREDICTION, SEQUENCING

_WORD = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\s\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)


@dataclass(frozen=True, slots=True)
class LengthRow:
    """Words of one kind of text. A Chinese character counts as a word of its own."""

    family: str
    format: str
    text: str
    samples: int
    mean: float
    median: float
    longest: int
    shortest: int

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        return {name: getattr(self, name) for name in self.__slots__}


def words(text: str) -> int:
    """Number of words: runs between spaces, and every Chinese character."""
    return sum(1 for _ in _WORD.finditer(text))


def length_table(items: Iterable[ItemContent]) -> list[LengthRow]:
    """One row per family, format and kind of text, as table 5 has them."""
    lengths: dict[tuple[str, str, str], list[int]] = {}
    for item in items:
        for name, text in _texts(item):
            lengths.setdefault((item.family, item.format, name), []).append(words(text))
    return [
        LengthRow(*key, len(n), sum(n) / len(n), statistics.median(n), max(n), min(n))
        for key, n in sorted(lengths.items())
    ]


def domain_counts(items: Iterable[ItemContent]) -> dict[str, dict[str, int]]:
    """Numbers of items by format and domain (figure 6)."""
    by_format: dict[str, Counter[str]] = {}
    for item in items:
        by_format.setdefault(item.format, Counter())[item.domain] += 1
    return {name: dict(sorted(counts.items())) for name, counts in sorted(by_format.items())}


def _texts(item: ItemContent) -> list[tuple[str, str]]:
    fields: Mapping[str, Any] = item.payload
    if item.family == "scp" and item.format == SEQUENCING:
        return [("shuffled", " ".join(fields["parts"]))]
    if item.family == "scp" and item.format == CLOZE:
        return [("question", fields["text"]), ("candidates", " ".join(fields["candidates"]))]
    if item.family == "scp" and item.format == PREDICTION:
        return [("context", fields["context"]), *(("option", text) for text in fields["options"])]
    names = ("instruction", "input", "output", "text", "second", "passage", "question")
    lists = {"options": "option", "answers": "answer"}
    texts = [(name, str(fields[name])) for name in names if fields.get(name)]
    return texts + [
        (one, str(text)) for name, one in lists.items() for text in fields.get(name, ())
    ]
