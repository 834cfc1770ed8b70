"""Which of the facts that were found are worth showing to the writer."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.families.rewrite_checks import mentions, normal
from core.sources.news.events import NewsFact, Window

_SAME_TITLE = 90.0  # rapidfuzz ratio, 0 to 100, from which two titles report the same
_WORD = re.compile(r"\w{4,}")
_NAMES, _WORDS, _FRESH, _REPORTED = 1.0, 0.5, 0.25, 0.1


@dataclass(frozen=True, slots=True)
class RankedFact:
    """A fact, its score (larger is better) and the entities that it was found for."""

    fact: NewsFact
    score: float
    entities: tuple[str, ...]


def rank_facts(
    candidates: Mapping[str, Sequence[NewsFact]], text: str, window: Window, limit: int
) -> list[RankedFact]:
    """The best facts over all entities, at most one for each address and each headline.

    The score adds: 1 for every entity that a fact names, weighted by 1/log2(1 + facts found for
    it), so that a rare name says more than a common one; half the share of the text's words that
    it has; a quarter for freshness within the window; a tenth of the log of how often it was
    reported. Ties go by address, so the order depends on nothing else.
    """
    facts = {fact.url: fact for entity in candidates for fact in candidates[entity]}
    entities = {
        url: tuple(name for name in candidates if any(f.url == url for f in candidates[name]))
        for url in facts
    }
    weights = {name: 1 / math.log2(1 + max(1, len(candidates[name]))) for name in candidates}
    words = Counter(_WORD.findall(normal(text)))
    ranked = [
        RankedFact(
            fact, round(_score(fact, entities[url], weights, words, window), 6), entities[url]
        )
        for url, fact in facts.items()
    ]
    ranked.sort(key=lambda entry: (-entry.score, entry.fact.url))
    return _without_repeats(ranked, limit)


def _score(
    fact: NewsFact,
    entities: Sequence[str],
    weights: Mapping[str, float],
    words: Counter[str],
    window: Window,
) -> float:
    shown = f"{fact.title}\n{fact.detail}"
    named = sum(
        _NAMES * weights[name] * (1.5 if mentions(fact.title, name) else 1.0) for name in entities
    )
    has = set(_WORD.findall(normal(shown)))
    shared = sum(count for word, count in words.items() if word in has) / max(1, words.total())
    span = (window.end - window.start).total_seconds()
    fresh = (fact.seen - window.start).total_seconds() / span
    return named + _WORDS * shared + _FRESH * fresh + _REPORTED * math.log1p(max(0, fact.articles))


def _without_repeats(ranked: Sequence[RankedFact], limit: int) -> list[RankedFact]:
    from rapidfuzz import fuzz

    distinct: list[RankedFact] = []
    titles: list[str] = []
    for entry in ranked:
        title = normal(entry.fact.title)
        if len(distinct) < limit and not any(fuzz.ratio(title, t) >= _SAME_TITLE for t in titles):
            distinct.append(entry)
            titles.append(title)
    return distinct
