"""Cues by which an option can be picked without understanding: one score for each option."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from math import log, sqrt

from core.generation.sentences import split_sentences
from core.generation.shortcuts.question import OptionQuestion
from core.generation.tfidf import tokens

Vector = Mapping[str, float]
"""A text's terms and their weights, of unit length."""

_GOES_ON = (
    "however therefore thus hence moreover furthermore additionally finally consequently "
    "similarly nevertheless nonetheless meanwhile instead otherwise likewise accordingly also "
    "besides conversely then next this these those that such it its they their he she his her "
    "both second secondly third thirdly fourth lastly another again but and or so because for"
)
GOES_ON = frozenset(_GOES_ON.split())
"""First words of texts that go on from another one, so that they rarely come first."""
_WORD = re.compile(r"[^\W\d_]+")
_CHINESE_GOES_ON = re.compile(
    r"\s*(?:因此|所以|然而|但是?|不过|此外|另外|同时|这|该|其|它|他们|因而|于是|最后|其次|接着|随后|而且|并且)"
)


class TermWeights:
    """Inverse document frequencies of a set of texts, and the vectors that they give.

    A ``power`` above 1 weighs rare words more, as the frequencies of a larger set of texts do.
    """

    def __init__(self, texts: Iterable[str], power: float = 1.0) -> None:
        seen: Counter[str] = Counter()
        count = 0
        for text in texts:
            count += 1
            seen.update(set(tokens(text)))
        self._idf = {t: (log((1 + count) / (1 + n)) + 1) ** power for t, n in seen.items()}
        self._unseen = (log(1 + count) + 1) ** power
        self.vector = lru_cache(maxsize=4096)(self._vector)

    def _vector(self, text: str) -> Vector:
        weights = {
            term: n * self._idf.get(term, self._unseen) for term, n in Counter(tokens(text)).items()
        }
        length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {term: weight / length for term, weight in weights.items()}

    def commonness(self, text: str) -> float:
        """How common the words of a text are, at most 0: less their mean weight."""
        weights = [self._idf.get(term, self._unseen) for term in tokens(text)]
        return -round(sum(weights) / len(weights), 9) if weights else 0.0

    def cosine(self, one: str, other: str) -> float:
        """Cosine (0–1) of two texts."""
        return cosine(self.vector(one), self.vector(other))


def cosine(one: Vector, other: Vector) -> float:
    """Cosine (0–1) of two vectors of unit length, rounded so that machines agree."""
    if len(other) < len(one):
        one, other = other, one
    return round(sum(weight * other.get(term, 0.0) for term, weight in one.items()), 9)


def overlap(text: str, context: str) -> float:
    """Share (0–1) of the different words of a text that stand in the context too."""
    words = _word_set(text)
    return len(words & _word_set(context)) / len(words) if words else 0.0


@lru_cache(maxsize=4096)
def _word_set(text: str) -> frozenset[str]:
    return frozenset(tokens(text))


@lru_cache(maxsize=8192)
def ends_of(text: str) -> tuple[str, str]:
    """The first and the last sentence of a text."""
    spans = split_sentences(text) or [(0, len(text))]
    return text[slice(*spans[0])], text[slice(*spans[-1])]


def goes_on(text: str) -> bool:
    """Whether a text begins like one that goes on from another: However, This, 因此."""
    first = _WORD.search(text)
    if first and first[0].lower() in GOES_ON:
        return True
    return _CHINESE_GOES_ON.match(text) is not None


def likeness_of_orders(one: str, other: str) -> float:
    """Share (0–1) of the pairs of letters that two orders put alike (Kendall's distance)."""
    places = {letter: place for place, letter in enumerate(other)}
    pairs = list(combinations(one, 2))
    return sum(places[a] < places[b] for a, b in pairs) / len(pairs)


def _typical(likeness: Callable[[int, int], float], count: int) -> list[float]:
    return [
        round(sum(likeness(i, j) for j in range(count) if j != i) / (count - 1), 9)
        for i in range(count)
    ]


def text_cues(question: OptionQuestion, weights: TermWeights) -> dict[str, list[float]]:
    """Scores of options that are texts, by cue; the highest is the cue's pick."""
    options, context = question.options, question.context
    lengths = [float(len(option)) for option in options]
    scores = {
        "longest": lengths,
        "shortest": [-length for length in lengths],
        "most_typical": _typical(lambda i, j: weights.cosine(options[i], options[j]), len(options)),
        "first_word": [-float(goes_on(option)) for option in options],
    }
    if context.strip():
        shared = [overlap(option, context) for option in options]
        near = [weights.cosine(option, context) for option in options]
        last = ends_of(context)[1]
        joint = [weights.cosine(ends_of(option)[0], last) for option in options]
        scores["context_overlap"] = shared
        scores["context_tfidf"] = near
        scores["next_sentence"] = joint
        scores["context_together"] = summed_cues(shared, near, joint)
    return scores


def order_cues(question: OptionQuestion, weights: TermWeights) -> dict[str, list[float]]:
    """Scores of options that are orders of pieces, by cue."""
    orders = question.orders
    read = [question.units(order) for order in orders]
    alphabet = "".join(sorted(orders[0]))
    pairs = {pair for units in read for pair in pairwise(units)}
    joints = {pair: _joint(*pair, weights) for pair in pairs}
    shared, near, joint = (
        [round(sum(joints[pair][cue] for pair in pairwise(units)), 9) for units in read]
        for cue in range(3)
    )
    scores = {
        "most_typical": _typical(
            lambda i, j: likeness_of_orders(orders[i], orders[j]), len(orders)
        ),
        "alphabetical": [likeness_of_orders(order, alphabet) for order in orders],
        "neighbour_overlap": shared,
        "neighbour_tfidf": near,
        "next_sentence": joint,
        "neighbours_together": summed_cues(shared, near, joint),
    }
    if not question.segments[0].strip():
        scores["first_word"] = [-float(goes_on(units[0])) for units in read]
    if not question.segments[-1].strip():
        scores["last_word"] = [float(goes_on(units[-1])) for units in read]
    return scores


def _joint(one: str, other: str, weights: TermWeights) -> tuple[float, float, float]:
    """How well a text goes with the one before it: by shared words, by TF-IDF, by their ends."""
    ends = weights.cosine(ends_of(one)[1], ends_of(other)[0])
    return overlap(other, one), weights.cosine(one, other), ends


def summed_cues(*scores: Sequence[float]) -> list[float]:
    """The sum of several cues, each brought to the same spread."""
    total = [0.0] * len(scores[0])
    for cue in scores:
        mean = sum(cue) / len(cue)
        spread = sqrt(sum((value - mean) ** 2 for value in cue) / len(cue)) or 1.0
        total = [have + (value - mean) / spread for have, value in zip(total, cue, strict=True)]
    return [round(value, 9) for value in total]


def cues_of(question: OptionQuestion, weights: TermWeights) -> dict[str, list[float]]:
    """Every cue of a question that applies to it."""
    return (order_cues if question.orders else text_cues)(question, weights)
