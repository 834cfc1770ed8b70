"""Do the items stand in a corpus? N-gram overlap with given files, and what chance alone gives.

Tokens are words in lower case without punctuation, and single Chinese, Japanese and Korean
characters. A token of an item is covered where it lies in an n-gram that the corpus has too, with
n = 13 as in Brown and others (2020), Language Models are Few-Shot Learners, appendix C. N-grams are
compared by 64-bit hashes.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.errors import InputError
from core.evaluation.mean_interval import few_sources
from core.i18n import tr
from core.proportion import above_zero
from core.screening.covered_texts import (
    WINDOW,
    Hashes,
    covered_tokens,
    token_batches,
    token_grams,
    tokens_of,
)

FEWEST_SOURCES = 10
"""Of fewer sources on either side p is below 0.05 in fewer than 3 of 100 cases."""


@dataclass(frozen=True, slots=True)
class ItemOverlap:
    """An item against a corpus: the share of its tokens in 0…1 that are covered, its longest
    covered stretch in tokens, and how many tokens it has."""

    id: str
    covered: float
    longest: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Overlap:
    """The items in their order, the same texts with their words shuffled, and the test of both.

    ``chance`` are the covered shares of the shuffled texts: what the same words give in an order
    that no corpus has. ``control`` are the shares of other items where they were given. ``p`` is
    one-sided, by Mann and Whitney, that the items are covered no more than the control items, else
    than the shuffled texts; None without items of ``window`` tokens. ``units`` are how many items
    and how many of what they are compared with it counts: sources by their mean where each item
    names its own (``by_source``), else single items.
    """

    window: int
    corpus_tokens: int
    items: tuple[ItemOverlap, ...]
    chance: tuple[float, ...]
    control: tuple[float, ...]
    p: float | None
    units: tuple[int, int] = (0, 0)
    by_source: bool = False

    @property
    def caution(self) -> str:
        """Why ``p`` is too small, in words; empty without one."""
        if self.p is None:
            return ""
        if not self.control:
            return tr("This p is too small: any text shares more with a corpus than shuffled words "
                      "do. Compare with control items.")  # fmt: skip
        if not self.by_source:
            return tr("Items count as independent: where several share an article, p is too small.")
        fewest = min(self.units)
        return few_sources(fewest) if fewest < FEWEST_SOURCES else ""

    def as_json(self) -> dict[str, Any]:
        """One object."""
        return {
            "window": self.window,
            "corpus_tokens": self.corpus_tokens,
            "mean_covered": _mean([item.covered for item in self.items]),
            "touched": sum(item.covered > 0 for item in self.items),
            "mean_chance": _mean(self.chance),
            "mean_control": _mean(self.control),
            "control_items": len(self.control),
            "p": self.p,
            "by_source": self.by_source,
            "counted_items": self.units[0],
            "counted_controls": self.units[1],
            "caution": self.caution,
            "items": [
                {"id": item.id, "covered": item.covered, "longest": item.longest,
                 "tokens": item.tokens}
                for item in self.items
            ],
        }  # fmt: skip


def corpus_overlap(
    texts: Mapping[str, str],
    corpus: Iterable[str],
    *,
    control: Mapping[str, str] | None = None,
    window: int = WINDOW,
    seed: int = 0,
    sources: Mapping[str, str] | None = None,
    control_sources: Mapping[str, str] | None = None,
) -> Overlap:
    """Overlap of items' ``texts`` by id with a corpus, given as pieces of text in any number.

    ``sources`` and ``control_sources`` name by id what items share, such as their article: where
    every item has one, those of one source count as one in ``p``, by their mean, because a corpus
    that holds an article holds all of its items. An n-gram across two pieces is not seen. Raises
    InputError for a window below 3 tokens.
    """
    if window < 3:
        raise InputError.tr("An n-gram has 3 or more words.")
    rng = np.random.default_rng(seed)
    tokens = [tokens_of(text) for text in texts.values()]
    shuffled = [list(rng.permutation(item)) if item else [] for item in tokens]
    others = [tokens_of(text) for text in (control or {}).values()]
    known: dict[str, int] = {}
    for item in (*tokens, *others):
        for token in item:
            known.setdefault(token, len(known) + 1)
    grams = [token_grams(_codes(item, known), window) for item in (*tokens, *shuffled, *others)]
    wanted = np.unique(np.concatenate(grams)) if grams else np.empty(0, dtype=np.uint64)
    seen = np.zeros(len(wanted), dtype=bool)
    count = 0
    for batch in token_batches(corpus):
        count += len(batch)
        seen |= np.isin(wanted, token_grams(_codes(batch, known), window))
    shares = [_covered(own, window, wanted, seen) for own in grams]
    size = len(tokens)
    items = tuple(
        ItemOverlap(name, *shares[place], len(tokens[place])) for place, name in enumerate(texts)
    )
    chance = tuple(share for share, _ in shares[size : 2 * size])
    of_control = tuple(share for share, _ in shares[2 * size :])
    own = [(sources or {}).get(name, "") for name in texts]
    beside = [(control_sources or {}).get(name, "") for name in control] if control else own
    named = all((*own, *beside))
    sides = [
        _units(values, names if named else range(len(values)))
        for values, names in (([item.covered for item in items], own),
                              (of_control or chance, beside))
    ]  # fmt: skip
    return Overlap(
        window, count, items, chance, of_control, _p(*sides),
        (len(sides[0]), len(sides[1])), named,
    )  # fmt: skip


def _units(values: Sequence[float], names: Sequence[Hashable]) -> list[float]:
    """The mean of the values of each name, in the order of the names."""
    groups: dict[Hashable, list[float]] = {}
    for value, name in zip(values, names, strict=True):
        groups.setdefault(name, []).append(value)
    return [float(np.mean(group)) for group in groups.values()]


def _codes(tokens: Sequence[str], known: Mapping[str, int]) -> Hashes:
    return np.fromiter((known.get(token, 0) for token in tokens), np.uint64, len(tokens))


def _covered(
    grams: Hashes, window: int, wanted: Hashes, seen: npt.NDArray[np.bool_]
) -> tuple[float, int]:
    """The share of an item's tokens within an n-gram that was seen, and the longest stretch."""
    if not len(grams):
        return 0.0, 0
    hits = seen[np.searchsorted(wanted, grams)] & (grams != 0)
    covered = covered_tokens(hits, window)
    longest = run = 0
    for mark in covered.tolist():
        run = run + 1 if mark else 0
        longest = max(longest, run)
    return float(covered.mean()), longest


def _p(shares: Sequence[float], against: Sequence[float]) -> float | None:
    from scipy.stats import mannwhitneyu

    if len(shares) < 2 or len(against) < 2:
        return None
    if len({*shares, *against}) == 1:
        return 1.0
    return above_zero(float(mannwhitneyu(shares, against, alternative="greater").pvalue))


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if len(values) else None
