"""Drafts of one paper: articles that share most of their passages with a longer one."""

from collections.abc import Sequence

from core.sources.articles.article import Article
from core.sources.articles.prose.confirmation import words_of

_WORDS = 8
_SHARED = 0.5
"""Half of all runs of eight words: two papers of one group share far less."""
_LEAST = 100
"""So many runs, about a paragraph's, are no evidence yet."""


def drafts(articles: Sequence[Article]) -> dict[int, int]:
    """Index of each article that is a draft of another, and the index of that other one.

    Of two drafts the one with more running text stays; of equal ones the first.
    """
    runs = [_runs(article) for article in articles]
    order = sorted(range(len(articles)), key=lambda index: (-len(runs[index]), index))
    found: dict[int, int] = {}
    holders: dict[int, list[int]] = {}
    for index in order:
        counts: dict[int, int] = {}
        for run in runs[index]:
            for holder in holders.get(run, ()):
                counts[holder] = counts.get(holder, 0) + 1
        best = max(counts, key=lambda holder: counts[holder], default=-1)
        if best >= 0 and counts[best] > max(_LEAST, _SHARED * len(runs[index])):
            found[index] = best
            continue
        for run in runs[index]:
            holders.setdefault(run, []).append(index)
    return found


def _runs(article: Article) -> frozenset[int]:
    runs: set[int] = set()
    for paragraph in article.paragraphs:
        if paragraph.kind in ("text", "doubtful"):
            words = words_of(paragraph.text).split()
            runs.update(hash(tuple(words[i : i + _WORDS])) for i in range(len(words) - _WORDS + 1))
    return frozenset(runs)
