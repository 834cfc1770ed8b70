"""Whether a paragraph of an article is plainly prose, by the grammar of the article's language.

Generation has paragraphs to spare, so precision counts: a paragraph enters when all of it is known
to be clean running text, and stays out when anything in it is not. ``check`` never asks this: in
somebody's own items an unusual sign is not a defect.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal

from core.generation.plain_prose.chinese import ChineseProse
from core.generation.plain_prose.english import EnglishProse
from core.generation.plain_prose.other import why_not_other
from core.generation.plain_prose.words import FUNCTION
from core.generation.sentences import split_sentences

Language = Literal["en", "zh", "other"]
REASONS = (
    "odd_signs", "odd_spacing", "lost_words", "addressed", "run_in_heading", "no_full_sentences",
    "odd_brackets", "unclear_numbers", "unknown_words", "formula_heavy", "other_language",
)  # fmt: skip
"""Every name that ``PlainProse.why_not`` can give."""

_TOKEN = re.compile(r"[^\W_]+(?:[₀-₉²³]+)?")
_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_ENGLISH_SHARE = 0.22
_SENTENCE = 6
"""Spaces of a sentence that shows its language."""
_LONGEST = 20_000
"""Characters: no paragraph of prose is longer, and no more of one tells the article's words."""


def language_of(text: str) -> Language:
    """The language that a text is written in, by its characters and its small words."""
    if not text.isascii():
        han = len(_HAN.findall(text))
        if han > 3 * len(_LATIN_WORD.findall(text)):
            return "zh"
    words = text.lower().split()
    english = sum(word in FUNCTION for word in words)
    return "en" if english >= _ENGLISH_SHARE * len(words) else "other"


def _has_english(text: str) -> bool:
    """Whether a whole sentence of a paragraph in another language is English."""
    sentences = (text[start:end] for start, end in split_sentences(text))
    return any(s.count(" ") >= _SENTENCE and language_of(s) == "en" for s in sentences)


class PlainProse:
    """The grammar for one article, whose other paragraphs tell which rare words are its own."""

    def __init__(self, paragraphs: Iterable[str], running: Iterable[str]) -> None:
        """``paragraphs`` are all of the article, ``running`` those of its running text."""
        self._paragraphs: Sequence[str] = [*dict.fromkeys(paragraphs)]
        self._running: Sequence[str] = [*dict.fromkeys(running)]
        self._english = EnglishProse(self._spread)
        self._chinese = ChineseProse(self._spread)

    @cached_property
    def language(self) -> Language:
        """The language of most of the article."""
        found: Counter[Language] = Counter()
        for text in self._running:
            found[language_of(text[:_LONGEST])] += len(text)
        return found.most_common(1)[0][0] if found else "en"

    def why_not(self, text: str) -> str | None:
        """One of ``REASONS`` why a paragraph is not plainly prose, or None."""
        if len(text) > _LONGEST:
            return "no_full_sentences"
        language = language_of(text)
        if language != self.language:
            return "other_language"
        if language == "zh":
            return self._chinese.why_not(text)
        if language == "en":
            return self._english.why_not(text)
        return "other_language" if _has_english(text) else why_not_other(text)

    def _spread(self, token: str) -> int:
        return self._counts[token]

    @cached_property
    def _counts(self) -> Counter[str]:
        """In how many paragraphs each word stands."""
        counts: Counter[str] = Counter()
        for text in self._paragraphs:
            counts.update(set(_TOKEN.findall(text[:_LONGEST])))
        return counts
