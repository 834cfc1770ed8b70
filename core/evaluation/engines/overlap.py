"""TF-IDF overlap of options with the text around the place where they belong.

Three shapes of question are told apart by their texts alone. Options with different words:
cosine of each option with the rest of the prompt. Options which order the same pieces: the sum
of cosines of neighbouring pieces. The same with numbered gaps in a passage: cosine of each piece
with the text around its gap. Everything is measured within one question, so an answer never
depends on the questions beside it.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

_WORD = re.compile(r"[a-z0-9]+(?:['’-][a-z0-9]+)*|[^\W\d_]", re.IGNORECASE)
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_GAP = re.compile(r"<\|[^|<>]*?(\d+)\|>")
_AROUND_GAP = 400  # characters of context on either side of a gap

Vector = dict[str, float]


def overlap_scores(prompt: str, choices: Sequence[str], choice_texts: Sequence[str]) -> list[float]:
    """A score per option, higher is more likely; all of one length, never empty texts only."""
    orders = _orders(prompt, choices)
    if orders:
        pieces, sequences = orders
        gaps = list(_GAP.finditer(prompt))
        if gaps:
            return _gap_scores(prompt, gaps, pieces, sequences)
        return _chain_scores(pieces, sequences)
    context = prompt
    for text in sorted(choice_texts, key=len, reverse=True):
        if text.strip():
            context = context.replace(text, "\n")
    space = _Space([*_sentences(context), *choice_texts])
    around = space.vector(context)
    return [_cosine(around, space.vector(text)) for text in choice_texts]


def _orders(prompt: str, choices: Sequence[str]) -> tuple[dict[str, str], list[str]] | None:
    """(piece by letter, order per choice) where the choices name orders of lettered pieces."""
    sequences: list[str] = []
    for choice in choices:
        named = re.search(
            rf"^\**{re.escape(choice)}\**:?[ \t]+([A-Z](?:[ ,\->→]*[A-Z])+)[ \t]*$",
            prompt,
            re.MULTILINE,
        )
        if named is None:
            return None
        sequences.append(re.sub(r"[^A-Z]", "", named.group(1)))
    letters = sorted(set("".join(sequences)))
    starts = [re.search(rf"^\**{letter}\**[.:)][ \t]+", prompt, re.MULTILINE) for letter in letters]
    if any(start is None for start in starts):
        return None
    begins = [start.end() for start in starts if start is not None]
    ends = [start.start() for start in starts[1:] if start is not None]
    last = re.search(r"\n\s*\n", prompt[begins[-1] :])
    ends.append(begins[-1] + last.start() if last else len(prompt))
    pieces = {
        letter: prompt[begin:end].strip()
        for letter, begin, end in zip(letters, begins, ends, strict=True)
    }
    return pieces, sequences


def _chain_scores(pieces: dict[str, str], sequences: Sequence[str]) -> list[float]:
    space = _Space(pieces.values())
    vectors = {letter: space.vector(text) for letter, text in pieces.items()}
    return [
        sum(_cosine(vectors[first], vectors[second]) for first, second in pairwise(order))
        for order in sequences
    ]


def _gap_scores(
    prompt: str, gaps: Sequence[re.Match[str]], pieces: dict[str, str], sequences: Sequence[str]
) -> list[float]:
    around = [
        _GAP.sub(" ", prompt[max(0, gap.start() - _AROUND_GAP) : gap.end() + _AROUND_GAP])
        for gap in gaps
    ]
    space = _Space([*around, *pieces.values()])
    places = [space.vector(text) for text in around]
    vectors = {letter: space.vector(text) for letter, text in pieces.items()}
    return [
        sum(_cosine(place, vectors[letter]) for place, letter in zip(places, order, strict=False))
        for order in sequences
    ]


class _Space:
    """Inverse document frequencies over a few small texts (smoothed, as scikit-learn does)."""

    def __init__(self, documents: Iterable[str]) -> None:
        bags = [set(_terms(text)) for text in documents]
        counts = Counter(term for bag in bags for term in bag)
        total = len(bags)
        self._idf = {term: math.log((1 + total) / (1 + n)) + 1 for term, n in counts.items()}
        self._unknown = math.log(1 + total) + 1

    def vector(self, text: str) -> Vector:
        return {
            term: n * self._idf.get(term, self._unknown)
            for term, n in Counter(_terms(text)).items()
        }


def _terms(text: str) -> list[str]:
    """Lower-case words; characters and pairs of characters where a script has no spaces."""
    words = [word.lower() for word in _WORD.findall(text)]
    pairs = [
        first + second
        for first, second in pairwise(words)
        if _CJK.match(first) and _CJK.match(second)
    ]
    return [word for word in words if len(word) > 1 or _CJK.match(word)] + pairs


def _sentences(text: str) -> list[str]:
    return [part for part in _SENTENCE_END.split(text) if part.strip()]


def _cosine(first: Vector, other: Vector) -> float:
    if len(other) < len(first):
        first, other = other, first
    dot = sum(weight * other[term] for term, weight in first.items() if term in other)
    if not dot:
        return 0.0
    return dot / math.sqrt(sum(w * w for w in first.values()) * sum(w * w for w in other.values()))
