"""Drafts of one paper: articles that share most of their passages with a longer one."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from core.sources.articles.article import Article, Kind
from core.sources.articles.prose.confirmation import words_of

_TOKEN = re.compile(r"[\u3400-\u9fff\u3040-\u30ff]|[^\s\u3400-\u9fff\u3040-\u30ff]+")
"""A word; Chinese and Japanese do not part theirs, so there each character counts."""
_UNPARTED = re.compile(r"[\u3400-\u9fff\u3040-\u30ff]")
_WORDS = 8
_SHARED = 0.35
"""Of all runs of eight words, as in a revision of which every sentence was gone over.

Two papers of one group, or a paper and its supplement, share less.
"""
_SHARED_BY_PRINT = 0.5
"""The same for a PDF or a plain text, which may be the thesis that a paper is a part of."""
_SHARED_UNDER_A_TITLE = 0.15
"""The same for two that have one long title, or one name but for the version, of which most was
rewritten."""
_OF_A_VERSION = re.compile(
    r"(?:v|ver|version|rev|round|r|draft)?\d*[a-z]?|old|new|final|revis(?:ed|ions?)|clean|tracked"
    r"|changes|submi(?:tted|ssion)|resubmi(?:tted|ssion)|accepted|preprint|copy|draft|blind(?:ed)?"
    r"|anonymous|camera|ready|previous|earlier|latest|current|archived?|backups?|arxiv|journal|diff"
    r"|\d{1,2}(?:st|nd|rd|th)"
)
_OF_A_MANUSCRIPT = frozenset({"main", "paper", "manuscript", "ms", "article", "text"})
_WORDS_OF_A_REPEAT = 5
"""The same where words part: of a passage in other words hardly eight in a row stay."""
_REPEATED_RUNS, _LEAST_OF_A_PARAGRAPH = 0.4, 10
"""The share of a paragraph's runs that other articles have when it says what one of them says."""
_REPEATED_AT_ALL = 40
"""So many runs, about two sentences', are a repeat in a paragraph of any length."""
_LONG_TITLE, _SAME_TITLE = 5, 0.85
_LEAST = 100
"""So many runs, about a paragraph's, are no evidence yet."""
_REPEATED = 80
"""Characters from which a paragraph is not a phrase that any article may have."""
_NUMBER = re.compile(
    r"(?<![A-Za-z\d.,])(?!(?:1[89]|20)\d\d(?![\d.,]))(?:\d{1,4}[.,]\d{1,6}|\d{3,9})(?![A-Za-z\d])"
)
"""A measured number; years stand in every article."""
_SHARED_NUMBERS, _LEAST_NUMBERS = 0.7, 15
_COMMON = 50
"""A number of more articles than these tells nothing of any."""
_WORTH_OF_PRINT = 0.5
"""What a run of words is worth in a PDF or a plain text: both are read less surely."""


def drafts(articles: Sequence[Article]) -> dict[int, int]:
    """Index of each article that is a draft of another, and the index of that other one.

    Of two drafts the one with more sound running text stays: a paper whose numbers are computed
    where they stand gives way to the one that was knitted from it. Of equal ones that with the
    shorter path stays. A PDF, which may have line numbers or the changes in it, or a plain text,
    which may be taken from one, stays only where it has twice as much as a source.
    """
    runs = [_runs(article, "text", "doubtful") for article in articles]
    worth = [_worth(article) for article in articles]
    order = sorted(
        range(len(articles)), key=lambda i: (-worth[i], -len(runs[i]), len(articles[i].path), i)
    )
    found: dict[int, int] = {}
    holders: dict[int, list[int]] = {}
    for index in order:
        counts: dict[int, int] = {}
        for run in runs[index]:
            for holder in holders.get(run, ()):
                counts[holder] = counts.get(holder, 0) + 1
        best = max(counts, key=lambda holder: counts[holder], default=-1)
        shorter = min(len(runs[index]), len(runs[best])) if best >= 0 else 0
        if best >= 0 and counts[best] > max(
            _LEAST, _share(articles[index], articles[best]) * shorter
        ):
            found[index] = found.get(best, best)
        # a draft leads to those before it: what was changed again and again shares little at last
        for run in runs[index]:
            holders.setdefault(run, []).append(index)
    return found


def same_findings(articles: Sequence[Article]) -> dict[int, int]:
    """Index of each article that has the numbers of another, and the index of that longer one.

    Such are translations, and versions of a paper that share no sentences: neither is a draft, but
    what a reader learns from one helps with items of the other.
    """
    numbers = [_numbers(article) for article in articles]
    forms = [Counter(map(_form, own)) for own in numbers]
    holders: dict[str, list[int]] = {}
    found: dict[int, int] = {}
    for index in sorted(range(len(articles)), key=lambda i: (-len(numbers[i]), i)):
        counts: dict[int, int] = {}
        for number in numbers[index]:
            known = holders.setdefault(number, [])
            for holder in known if len(known) <= _COMMON else ():
                counts[holder] = counts.get(holder, 0) + 1
            known.append(index)
        beyond: dict[int, float] = {}
        for holder, count in counts.items():
            if count >= _LEAST_NUMBERS:
                chance = _by_chance(forms[index], forms[holder])
                if count - chance >= max(
                    _LEAST_NUMBERS, _SHARED_NUMBERS * (len(numbers[index]) - chance)
                ):
                    beyond[holder] = count - chance
        if beyond:
            found[index] = max(beyond, key=lambda holder: beyond[holder])
    return found


def _form(number: str) -> str:
    """How a number is written: ``00.0`` for 12.5."""
    return re.sub(r"\d", "0", number)


def _by_chance(some: Mapping[str, int], others: Mapping[str, int]) -> float:
    """How many numbers of a text stand by chance in one that has that many of each form: a long
    thesis has most numbers of three digits."""
    return sum(
        count * others.get(form, 0) / 10.0 ** form.count("0") for form, count in some.items()
    )


def without_repeats(articles: Sequence[Article]) -> list[Article]:
    """The articles; a paragraph that two of them have gives items in one of them only.

    It stays in the one with more sound running text, as the abstract does in the paper and not in
    the file that holds it alone. In the others it is doubtful, also where each sentence was gone
    over or more was written around it, as in versions of a paper and in a thesis of papers.
    """
    worth = [_worth(article) for article in articles]
    seen: set[int] = set()
    told = list(articles)
    for index in sorted(range(len(articles)), key=lambda i: (-worth[i], i)):
        own = articles[index].paragraphs
        runs = {p.text: _repeat_runs(p.text) for p in own if p.kind == "text"}
        if repeated := {text for text in runs if _is_seen(text, runs[text], seen)}:
            told[index] = replace(
                articles[index],
                paragraphs=tuple(
                    replace(p, kind="doubtful") if p.kind == "text" and p.text in repeated else p
                    for p in own
                ),
            )
        seen.update(*(runs[text] or {hash(text)} for text in runs if len(text) >= _REPEATED))
    return told


def _is_seen(text: str, runs: frozenset[int], seen: set[int]) -> bool:
    if len(text) < _REPEATED:
        return False
    if len(runs) < _LEAST_OF_A_PARAGRAPH:
        return seen.issuperset(runs or {hash(text)})
    return len(runs & seen) >= min(_REPEATED_RUNS * len(runs), _REPEATED_AT_ALL)


def _share(*articles: Article) -> float:
    if len({_name_without_version(article) for article in articles}) == 1:
        return _SHARED_UNDER_A_TITLE
    titles = [set(_TOKEN.findall(words_of(article.title))) for article in articles]
    longest = max(map(len, titles))
    if longest >= _LONG_TITLE and len(set.intersection(*titles)) >= _SAME_TITLE * longest:
        return _SHARED_UNDER_A_TITLE
    return _SHARED_BY_PRINT if any(map(_is_print, articles)) else _SHARED


def _name_without_version(article: Article) -> tuple[str, ...]:
    """The folder and the words of a file's name but those that say which version it is.

    Folders that are called after versions say no more, and all names of a manuscript are one; a
    name that is nothing but a version stands for itself.
    """
    path = PurePosixPath(article.path)
    folder = path.parent
    while len(folder.name) > 1 and not _words_without_version(folder.name):
        folder = folder.parent
    words = _words_without_version(path.stem) or [path.name]
    return (str(folder), *(word for word in words if word not in _OF_A_MANUSCRIPT))


def _words_without_version(name: str) -> list[str]:
    words = re.split(r"[\W_]+", name.lower())
    return [word for word in words if word and not _OF_A_VERSION.fullmatch(word)]


def _worth(article: Article) -> float:
    return len(_runs(article, "text")) * (_WORTH_OF_PRINT if _is_print(article) else 1)


def _numbers(article: Article) -> frozenset[str]:
    texts = (p.text for p in article.paragraphs if p.kind not in ("reference", "code"))
    return frozenset(n for text in texts for n in _NUMBER.findall(text.replace("，", " ")))


def _is_print(article: Article) -> bool:
    """Whether it is a PDF or the text of one, without the structure of a source."""
    return article.path.lower().endswith((".pdf", ".txt", ".text"))


def _runs(article: Article, *kinds: Kind) -> frozenset[int]:
    runs: set[int] = set()
    for paragraph in article.paragraphs:
        if paragraph.kind in kinds:
            runs |= _runs_of(paragraph.text)
    return frozenset(runs)


def _runs_of(text: str, size: int = _WORDS) -> frozenset[int]:
    words = _TOKEN.findall(words_of(text))
    return frozenset(hash(tuple(words[i : i + size])) for i in range(len(words) - size + 1))


def _repeat_runs(text: str) -> frozenset[int]:
    return _runs_of(text, _WORDS if _UNPARTED.search(text) else _WORDS_OF_A_REPEAT)
