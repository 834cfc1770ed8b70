"""Near-duplicates by character n-grams, and by meaning where an embedding server is configured.

The similarity of two texts is the Jaccard index of their sets of hashed character n-grams: pairs
of characters in Chinese, Japanese and Korean, runs of four elsewhere, so that one text may mix
them. Case, width (full and half), punctuation and spacing make no difference. Two questions about
passages are as similar as their texts, or as what they ask, whichever is less: one passage may have
many questions.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.screening.compared_text import ASKED
from core.unicode_forms import comparable_words, normal_form

if TYPE_CHECKING:
    from core.llm.types import ModelServer

DEFAULT_THRESHOLD = 0.7
DEFAULT_MEANING_THRESHOLD = 0.92

Grams = NDArray[np.uint64]

BINS = 128
_SLACK = 0.16  # how far the share of equal bins may fall below the similarity: four deviations
_CROWD = 50  # in a bucket of more, each text is compared with this many before it only
_BLOCK = 2048
_REMEMBERED = 4096  # n-gram sets; of the others a short signature alone is kept
_AT_ONCE = 1 << 12  # candidates whose signatures are compared: so many lie near the processor
_MOST_WAITING = 1 << 21  # candidates before those that stand twice are put together
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_BASE = np.uint64(0x100000001B3)
_BIN_BITS = np.uint64(57)
_BIN_NUMBERS = np.arange(BINS, dtype=np.uint64)
_FIRST_OF_BINS = _BIN_NUMBERS << _BIN_BITS
_EACH_BYTE = np.uint64(0x0101010101010101)


@dataclass(frozen=True, slots=True)
class DuplicatePair:
    """Two texts that are alike. ``left`` comes before ``right``; ``left`` is the public one where
    a list was compared against a public list. ``similarity`` from 0 to 1."""

    left: str
    right: str
    similarity: float


@dataclass(frozen=True, slots=True)
class DuplicateMatch:
    """An indexed text that is like the one asked for. ``similarity`` from 0 to 1."""

    id: str
    similarity: float


def normalised(text: str) -> str:
    """The text as it is compared: NFKC, lower case, letters and digits, single spaces."""
    # a text of nothing but symbols (formulas, emoji) is compared by its symbols
    return comparable_words(text) or "".join(normal_form("NFKC", text).casefold().split())


def grams(text: str) -> Grams:
    """The sorted set of hashed n-grams of a text; empty for an empty text."""
    compared = normalised(text)
    short = np.frombuffer(compared.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    if not len(short):
        return short.astype(np.uint64)
    padded = np.zeros(len(short) + 3, dtype=np.uint64)
    padded[:-3] = short
    pairs = padded[:-3] * _BASE + padded[1:-2]
    hashed = (pairs * _BASE + padded[2:-1]) * _BASE + padded[3:]
    # those of fewer characters than they have to have stand at the end
    whole = np.ones(len(short), dtype=bool)
    whole[-3:] = False
    if not compared.isascii():
        wide = _is_wide(short)
        hashed[wide] = pairs[wide]
        whole[-3:-1] = wide[-3:-1]
    if whole.any():
        hashed = hashed[whole]
    return _each_once(_mixed(hashed))


def _is_wide(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which characters are Chinese, Japanese or Korean."""
    wide = ((codes >= 0x2E80) & (codes <= 0x9FFF)) | ((codes >= 0xAC00) & (codes <= 0xD7AF))
    wide |= ((codes >= 0xF900) & (codes <= 0xFAFF)) | ((codes >= 0x20000) & (codes <= 0x3FFFF))
    return wide


def _each_once(values: Grams) -> Grams:
    """As ``np.unique`` of some values, without what it asks before."""
    values.sort()
    different = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=different[1:])
    return values[different]


def jaccard(left: Grams, right: Grams) -> float:
    """Shared over all n-grams, from 0 to 1; 0 where both are empty."""
    shared = len(np.intersect1d(left, right, assume_unique=True))
    either = len(left) + len(right) - shared
    return shared / either if either else 0.0


class ComparedText(NamedTuple):
    """The n-grams of a text, and of what it asks of a passage; None where it has none."""

    grams: Grams
    asked: Grams | None

    @classmethod
    def of(cls, text: str) -> "ComparedText":
        """A text of ``core.screening.compared_text.own_text``."""
        passage, _, asked = text.rpartition(ASKED)
        return cls(grams(text), grams(asked) if passage else None)

    def likeness(self, other: "ComparedText") -> float:
        """The similarity of two texts, from 0 to 1."""
        return self.at_most(other, jaccard(self.grams, other.grams))

    def at_most(self, other: "ComparedText", whole: float) -> float:
        """The similarity of two texts whose n-grams are ``whole`` alike."""
        if self.asked is None or other.asked is None:
            return whole
        return min(whole, jaccard(self.asked, other.asked))


class DuplicateIndex:
    """Texts that one text is looked up among, exactly; right for the live warning in a form.

    A look-up among 5,000 texts takes milliseconds. ``add`` is cheap; the index is re-sorted
    once enough were added.
    """

    _PENDING = 256

    def __init__(self, texts: Iterable[tuple[str, str]] = ()) -> None:
        self._ids: list[str] = []
        self._texts: list[ComparedText] = []
        self._sizes = np.zeros(0, dtype=np.int64)
        self._keys = np.zeros(0, dtype=np.uint64)
        self._owners = np.zeros(0, dtype=np.int32)
        for id, text in texts:
            self._ids.append(id)
            self._texts.append(ComparedText.of(text))
        self._sort()

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, id: str, text: str) -> None:
        """Put one more text into the index."""
        self._ids.append(id)
        self._texts.append(ComparedText.of(text))
        if len(self._ids) - len(self._sizes) > self._PENDING:
            self._sort()

    def query(
        self, text: str, *, threshold: float = DEFAULT_THRESHOLD, limit: int = 5, but: str = ""
    ) -> list[DuplicateMatch]:
        """The texts at least ``threshold`` like ``text``, the most similar first.

        ``but`` is an id that is left out: the item's own.
        """
        asked_for = ComparedText.of(text)
        wanted = asked_for.grams
        if not len(wanted):
            return []
        similarity = np.zeros(len(self._ids))
        indexed = len(self._sizes)
        shared = np.bincount(self._owners_of(wanted), minlength=indexed)
        similarity[:indexed] = shared / (self._sizes + len(wanted) - shared)
        for place in range(indexed, len(self._ids)):
            similarity[place] = jaccard(wanted, self._texts[place].grams)
        for place in np.flatnonzero(similarity >= threshold).tolist():
            similarity[place] = asked_for.at_most(self._texts[place], float(similarity[place]))
        order = np.argsort(-similarity, kind="stable")
        matches = (
            DuplicateMatch(self._ids[place], float(similarity[place]))
            for place in order[: limit + 1]
            if similarity[place] >= threshold and self._ids[place] != but
        )
        return list(matches)[:limit]

    def _owners_of(self, wanted: Grams) -> NDArray[np.int32]:
        first = np.searchsorted(self._keys, wanted, side="left")
        count = np.searchsorted(self._keys, wanted, side="right") - first
        # the ranges first[i] … first[i] + count[i], one after the other
        starts = np.repeat(first - np.concatenate([[0], np.cumsum(count)[:-1]]), count)
        return self._owners[starts + np.arange(len(starts))]

    def _sort(self) -> None:
        sets = [text.grams for text in self._texts]
        self._sizes = np.array([len(s) for s in sets], dtype=np.int64)
        owners = np.repeat(np.arange(len(sets), dtype=np.int32), self._sizes)
        keys = np.concatenate([*sets, np.zeros(0, dtype=np.uint64)])
        order = np.argsort(keys, kind="stable")
        self._keys, self._owners = keys[order], owners[order]


def near_duplicates(
    texts: Sequence[tuple[str, str]],
    *,
    against: Sequence[tuple[str, str]] | None = None,
    threshold: float = DEFAULT_THRESHOLD,
    stopping: Callable[[], bool] = lambda: False,
) -> list[DuplicatePair]:
    """Pairs of (id, text) that are at least ``threshold`` alike, the most similar first.

    Within ``texts``, or only between ``against`` (left) and ``texts`` (right) where it is given.
    As ``near_pairs``, by the ids.
    """
    own = [text for _, text in texts]
    public = None if against is None else [text for _, text in against]
    lefts = against or texts
    pairs = [
        DuplicatePair(lefts[left][0], texts[right][0], likeness)
        for left, right, likeness in near_pairs(
            own, against=public, threshold=threshold, stopping=stopping
        )
    ]
    return sorted(pairs, key=lambda pair: -pair.similarity)


def near_pairs(
    texts: Sequence[str],
    *,
    against: Sequence[str] | None = None,
    threshold: float = DEFAULT_THRESHOLD,
    stopping: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, int, float]]:
    """(place, place, similarity from 0 to 1) of texts that are at least ``threshold`` alike, in the
    order of their places.

    The places are of two ``texts``, or of one of ``against`` and one of ``texts`` where it has any.
    Candidates come from MinHash signatures in bands, so that 45,000 texts take seconds and, the
    texts apart, 228 bytes each; each is then compared exactly, and about one true pair in a hundred
    right at the threshold is missed. The texts are read once, and those of candidates again: they
    may lie on the disk. Where more than 50 texts are all alike, each is paired with 50 others at
    most.
    """
    public = len(against or ())
    signed = signatures(chain(against or (), texts), public + len(texts), threshold, stopping)
    if signed is None:
        return
    borders = int(np.searchsorted(signed.places, public)) if public else 0

    @lru_cache(_REMEMBERED)
    def compared(place: int) -> ComparedText:
        text = against[place] if against and place < public else texts[place - public]
        return ComparedText.of(text)

    for left, right in signed.places[candidates(signed, threshold, borders, stopping)].tolist():
        likeness = compared(left).likeness(compared(right))
        if likeness >= threshold:
            yield left, right - public, likeness


def duplicate_groups(pairs: Iterable[DuplicatePair]) -> list[list[str]]:
    """Connected texts, the largest group first; ids in the order in which they first appear."""
    parent: dict[str, str] = {}

    def root(id: str) -> str:
        parent.setdefault(id, id)
        while parent[id] != id:
            parent[id] = parent[parent[id]]
            id = parent[id]
        return id

    for pair in pairs:
        parent[root(pair.right)] = root(pair.left)
    groups: dict[str, list[str]] = {}
    for id in parent:
        groups.setdefault(root(id), []).append(id)
    return sorted(groups.values(), key=len, reverse=True)


def duplicates_by_meaning(
    server: "ModelServer",
    texts: Sequence[tuple[str, str]],
    *,
    against: Sequence[tuple[str, str]] | None = None,
    threshold: float = DEFAULT_MEANING_THRESHOLD,
    stopping: Callable[[], bool] = lambda: False,
) -> list[DuplicatePair]:
    """Pairs whose embeddings have a cosine of at least ``threshold``, the most similar first.

    ``server`` must offer ``/embeddings``; OutsideError where it does not. Sides as in
    ``near_duplicates``.
    """
    public = len(against or ())
    rows = [*(against or ()), *texts]
    unit = _unit_vectors(server, [text for _, text in rows], stopping)
    if stopping() or len(rows) < 2:
        return []
    pairs = []
    for start in range(0, len(rows), _BLOCK):
        if stopping():
            break
        cosine = unit[start : start + _BLOCK] @ unit[start:].T
        for i, j in np.argwhere(cosine >= threshold):
            left, right = start + int(i), start + int(j)
            if left < right and _wanted(left, right, public):
                value = min(1.0, float(cosine[i, j]))
                pairs.append(DuplicatePair(rows[left][0], rows[right][0], value))
    return sorted(pairs, key=lambda pair: -pair.similarity)


class MeaningIndex:
    """Embeddings of texts by id, each asked for once, among which a text is looked up."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._known: set[str] = set()
        self._unit = np.zeros((0, 0), dtype=np.float32)

    def add(self, server: "ModelServer", texts: Mapping[str, str]) -> None:
        """Ask for the embeddings of those texts whose ids are new; OutsideError on failure."""
        new = [id for id in texts if id not in self._known]
        if not new:
            return
        vectors = _unit_vectors(server, [texts[id] for id in new])
        self._unit = np.concatenate([self._unit, vectors]) if len(self._ids) else vectors
        self._ids += new
        self._known.update(new)

    def query(
        self,
        server: "ModelServer",
        text: str,
        *,
        threshold: float = DEFAULT_MEANING_THRESHOLD,
        limit: int = 5,
    ) -> list[DuplicateMatch]:
        """The texts whose cosine with ``text`` is at least ``threshold``, the nearest first."""
        if not self._ids:
            return []
        cosine = self._unit @ _unit_vectors(server, [text])[0]
        order = np.argsort(-cosine, kind="stable")[:limit]
        return [
            DuplicateMatch(self._ids[place], min(1.0, float(cosine[place])))
            for place in order
            if cosine[place] >= threshold
        ]


def _unit_vectors(
    server: "ModelServer", texts: Sequence[str], stopping: Callable[[], bool] = lambda: False
) -> NDArray[np.float32]:
    from core.llm.embeddings import embed_all

    vectors = embed_all(server, texts, stopping=stopping)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def _wanted(left: int, right: int, public: int) -> bool:
    return not public or left < public <= right


@dataclass(frozen=True, slots=True)
class Signatures:
    """Of the texts that have n-grams their ``places``, a byte of each bin of their signatures,
    ``short`` of shape (texts, bins), and a key of each band, ``keys`` of shape (bands, texts)."""

    places: NDArray[np.int64]
    short: NDArray[np.uint8]
    keys: NDArray[np.uint32]


def signatures(
    texts: Iterable[str], count: int, threshold: float, stopping: Callable[[], bool]
) -> Signatures | None:
    """The signatures of so many texts, made some at a time; None where none has n-grams, or to
    stop. That of a text is the same whatever stands beside it."""
    rows = _rows_per_band(threshold)
    bands = BINS // rows
    weights = _mixed(np.arange(1, rows + 1, dtype=np.uint64)) | np.uint64(1)
    short = np.empty((count, BINS), dtype=np.uint8)
    keys = np.empty((bands, count), dtype=np.uint32)
    places = np.empty(count, dtype=np.int64)
    block = np.empty((min(count, _BLOCK), BINS), dtype=np.uint64)
    used = begun = 0

    def take(end: int) -> None:
        part = block[: end - begun]
        short[begun:end] = part.astype(np.uint8)
        banded = part[:, : bands * rows].reshape(len(part), bands, rows)
        mixed = _mixed((banded * weights).sum(axis=2, dtype=np.uint64))
        keys[:, begun:end] = (mixed >> np.uint64(32)).T

    for place, text in enumerate(texts):
        if stopping():
            return None
        values = grams(text)
        if not len(values):
            continue
        block[used - begun] = _signature(values)
        places[used] = place
        used += 1
        if used - begun == len(block):
            take(used)
            begun = used
    if used > begun:
        take(used)
    return Signatures(places[:used], short[:used], keys[:, :used]) if used else None


def _mixed(values: NDArray[np.uint64]) -> Grams:
    """The finaliser of splitmix64 over every value: even bits for the bins below."""
    values = (values ^ (values >> np.uint64(30))) * _MIX_1
    values = (values ^ (values >> np.uint64(27))) * _MIX_2
    return values ^ (values >> np.uint64(31))


def _signature(values: Grams) -> NDArray[np.uint64]:
    """One-permutation MinHash (Li, Owen, Zhang 2012): the least value in each of 128 bins, of some
    sorted values whose highest bits say the bin.

    An empty bin borrows from the next full one to its right, as Shrivastava and Li (2014) do.
    """
    # the first value that is not below a bin's is its least, or that of the bin that lends
    least = values.take(np.searchsorted(values, _FIRST_OF_BINS), mode="wrap")
    distance = (least >> _BIN_BITS) - _BIN_NUMBERS & np.uint64(BINS - 1)
    return least + distance * _MIX_1


def band_count(threshold: float) -> int:
    """How many keys a text has at a threshold."""
    return BINS // _rows_per_band(threshold)


def _rows_per_band(threshold: float) -> int:
    """The longest bands with which a pair right at the threshold is found 99 times in 100."""
    for rows in range(16, 1, -1):
        if 1 - (1 - threshold**rows) ** (BINS // rows) >= 0.99:
            return rows
    return 1


def candidates(
    signed: Signatures, threshold: float, public: int, stopping: Callable[[], bool]
) -> NDArray[np.int64]:
    """Pairs of rows, shape (pairs, 2), left before right, that share a band and whose share of
    equal bins is not far below the threshold; those of bands apart are those of all together.

    With the number of ``public`` rows, which come first, only pairs of one of them and another.
    """
    total = len(signed.places)
    fewest = math.ceil((threshold - _SLACK) * BINS)
    codes, waiting = [np.zeros(0, dtype=np.int64)], 0
    for keys in signed.keys:
        if stopping():
            break
        order, pairs = _across(keys, public) if public else _within(keys)
        rows = signed.short[order]  # those that are compared lie near each other then
        for left, right in pairs:
            for start in range(0, len(left), _AT_ONCE):
                one, other = left[start : start + _AT_ONCE], right[start : start + _AT_ONCE]
                near = _equal_bins(rows[one], rows[other]) >= fewest
                codes.append(order[one[near]] * total + order[other[near]])
                waiting += len(codes[-1])
        if waiting > _MOST_WAITING:
            codes, waiting = [np.unique(np.concatenate(codes))], 0
    unique = np.unique(np.concatenate(codes))
    return np.stack([unique // total, unique % total], axis=1)


def _equal_bins(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """How many bins of each row are equal: eight bytes are added at once, each stays below 256."""
    eights = (one == other).view(np.uint64).sum(axis=1, dtype=np.uint64)
    counts: NDArray[np.uint64] = (eights * _EACH_BYTE) >> np.uint64(56)
    return counts


Places = NDArray[np.int64]
Pairs = Iterator[tuple[Places, Places]]


def _within(keys: NDArray[np.uint32]) -> tuple[Places, Pairs]:
    """Places that share a key, in the order of the keys, and the pairs in that order which have
    equal ones, in a crowd only with those up to ``_CROWD`` before."""
    order = np.argsort(keys, kind="stable")
    same = keys[order[1:]] == keys[order[:-1]]
    order = order[np.append(same, False) | np.append(False, same)]
    ordered = keys[order]

    def pairs() -> Pairs:
        for step in range(1, min(_CROWD, len(order) - 1) + 1):
            equal = np.flatnonzero(ordered[step:] == ordered[:-step])
            if not len(equal):
                return
            yield equal, equal + step

    return order, pairs()


def _across(keys: NDArray[np.uint32], public: int) -> tuple[Places, Pairs]:
    """Places that share a key with one beyond the border, each side in the order of the keys, and
    the pairs in that order which have equal ones, ``_CROWD`` before for each after."""
    before = np.argsort(keys[:public], kind="stable")
    after = public + np.argsort(keys[public:], kind="stable")
    before = before[np.isin(keys[before], keys[after])]
    after = after[np.isin(keys[after], keys[before])]
    ordered, sought = keys[before], keys[after]
    first = np.searchsorted(ordered, sought, side="left")
    count = np.searchsorted(ordered, sought, side="right") - first

    def pairs() -> Pairs:
        for step in range(_CROWD):
            there = np.flatnonzero(count > step)
            if not len(there):
                return
            yield first[there] + step, there + len(before)

    return np.concatenate([before, after]), pairs()
