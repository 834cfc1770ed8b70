"""Which tokens of an English paragraph are known: words, names, numbers and known forms."""

import re
from collections.abc import Callable

from core.generation.plain_prose.words import (
    ABBREVIATIONS,
    FIELD,
    FUNCTION,
    LATIN,
    NEVER,
    PREFIXES,
    SHORT,
    UNITS,
    VERBS,
    words_of,
)
from core.sources.articles.prose.dictionary import english_words

FORMULA = "\ufffc"
"""Stands for inline maths."""
LETTER = r"A-Za-zÀ-ÖØ-öø-ÿĀ-žȘșȚț"

_NUMBER = re.compile(
    r"[−-]?[$€£]?\d{1,3}(?:,\d{3})+(?:\.\d+)?%?|[−±≈-]?[$€£]?\d+(?:\.\d+)?(?:%|°|th|st|nd|rd|s|×)?"
    r"|\d+(?:\.\d+)?%?[–-]\d+(?:\.\d+)?%?|\d+(?:\.\d+)?(?:-[a-z]+)+|\d\d?:\d\d|10[⁻¹²³⁰⁴⁵⁶⁷⁸⁹]+"
    r"|\d+(?:\.\d+)?(?:°C|°F|°|×|[kKMGT]?Hz|[kmcnµ]?m|[kmµ]?g|K|ms|s|h|GB|MB|kb|bp|mL|D)"
)
_KNOWN_FORM = re.compile(
    r"[123]D|CO2|CO₂|H1N1|H5N1|H2O|H₂O|N2O|O2|O₂|NO2|PM2|PM10|COVID-19|SARS-CoV-2|B12|R²|A4|K-12"
    r"|[A-Z]&[A-Z]|log10|log2|[hH]₂|χ²|r²|[A-Z]{2,5}-\d{1,3}"
)
_WORD = re.compile(rf"[{LETTER}]+(?:['’][{LETTER}]+)*['’]?")
_INITIALS = re.compile(
    r"(?:[A-Z]\.)+(?:[A-Z]\.?)?|[A-Z]\.-?[A-Z]\.|Ph\.D|a\.m|p\.m|[ei]\.[eg]|U\.S"
)
_BEGINNINGS = words_of(
    "non un re pre post sub super inter intra multi micro macro over under anti auto bio co de "
    "eco geo hyper hypo meta neuro photo poly pseudo semi socio spatio electro thermo hydro nano"
)
_ENDINGS = (
    ("ly", ("", "e", "y")), ("ness", ("",)), ("s", ("",)), ("es", ("",)), ("ed", ("", "e")),
    ("ing", ("", "e")), ("able", ("", "e")), ("er", ("", "e")), ("ers", ("", "e")),
    ("wise", ("",)), ("like", ("",)), ("ality", ("al",)), ("ization", ("e", "", "ize")),
    ("isation", ("e", "", "ise")), ("ize", ("", "e")), ("ise", ("", "e")), ("ized", ("", "ize")),
    ("ised", ("", "ise")), ("izing", ("ize",)), ("ities", ("ity",)), ("ies", ("y",)),
    ("ability", ("able", "e", "")), ("ibility", ("ible",)),
)  # fmt: skip
_FLATTENED = re.compile(r"[^\W\d_]\d{1,2}|[kcmdµn]?m[23]|\d+[^\W\d_].*|.*[a-zß-ÿ](?:[A-Z]{2,}|™|®)")
"""What raised or lowered characters leave in the line: ``τ2``, ``km2``, ``3MTM``."""
_NO_NAMES = ("ly", "ing", "ed", "tion", "tions", "ment", "ness", "ity", "ence", "ance", "ous")
_LIGATURES = ("fi", "fl", "ff", "ffi", "ffl")
_SELDOM = 3
"""A word made of two must stand in more paragraphs than that."""


class Vocabulary:
    """What is known in one article; ``spread(token)`` says in how many paragraphs it stands.

    A word that the dictionary lacks, or letters mixed with digits, is known when another paragraph
    has it as well.
    """

    def __init__(self, spread: Callable[[str], int]) -> None:
        self._spread = spread
        self._known: dict[tuple[str, bool], bool] = {}

    def knows(self, token: str, first: bool = False) -> bool:
        """Whether a token without its punctuation is known; ``first`` in its sentence or not."""
        known = self._known.get((token, first))
        if known is None:
            known = self._known[token, first] = self._is_known(token, first)
        return known

    def is_plain(self, word: str) -> bool:
        """Whether a token is a word in small letters, or a short form that the article uses."""
        if word.islower():
            return word in FUNCTION or (len(word) > 2 and self.knows(word))
        return word.isalpha() and len(word) > 1 and word not in NEVER and self._spread(word) > 1

    def _is_known(self, token: str, first: bool) -> bool:
        if token in UNITS or token in (FORMULA, "24/7") or _INITIALS.fullmatch(token):
            return True
        if _NUMBER.fullmatch(token) or _KNOWN_FORM.fullmatch(token):
            return True
        if _FLATTENED.fullmatch(token):
            return False
        if any(c.isdigit() for c in token):
            return token.isalnum() and self._spread(token) > 1
        if "-" in token or "–" in token:
            parts = re.split("[-–]", token)
            return not _was_cut(token) and all(
                part.lower() in PREFIXES or self.knows(part, first and not n)
                for n, part in enumerate(parts)
                if part
            )
        if "/" in token:
            halves = token.split("/")
            return len(halves) == 2 and all(self.knows(half, first) for half in halves)
        if not _WORD.fullmatch(token):
            return len(token) == 1 and self._spread(token) > 1
        return self._is_word(token, first)

    def _is_word(self, word: str, first: bool) -> bool:
        lower = word.lower()
        if len(word) == 1:
            return lower in "ai" or self._spread(word) > 1
        if "'" in word or "’" in word:
            stem = re.split("['’]", word)[0]
            if lower.endswith(("n’t", "n't")):
                return stem[:-1].lower() in VERBS or lower[:3] in ("don", "can", "won")
            return self._is_word(stem, first)
        if any(lower in known for known in (SHORT, LATIN, FUNCTION, FIELD, ABBREVIATIONS)):
            return word.islower() or word.istitle() or word in ("US", "UP", "IT")
        if word.isupper():
            short = len(word) < 4 or (len(word) < 6 and lower not in english_words())
            return word not in NEVER and (short or self._spread(word) > 1)
        if word[0].isupper() and word[1:].islower() and self._is_name(lower, first):
            return True
        if word.islower() and len(word) > 2 and (lower in english_words() or _is_derived(lower)):
            return True
        if word.islower() and _lost_a_ligature(lower):
            return False
        return self._spread(word) > (_SELDOM if word.islower() and _is_joined(lower) else 1)

    def _is_name(self, lower: str, first: bool) -> bool:
        """Whether a word with a capital may be one: at the beginning it may be a misprint."""
        if not first or lower in english_words():
            return True
        return len(lower) > 3 and not lower.endswith(_NO_NAMES) and not _is_joined(lower)


def _is_derived(word: str) -> bool:
    """Whether a word is a dictionary's with a common beginning or end."""
    words = english_words()
    for beginning in _BEGINNINGS:
        rest = word.removeprefix(beginning)
        if len(word) > len(rest) > 3 and rest in words:
            return True
    return any(
        word[: -len(end)] + stem in words
        for end, stems in _ENDINGS
        if word.endswith(end) and len(word) - len(end) > 2
        for stem in stems
    )


def _was_cut(token: str) -> bool:
    """Whether a hyphen is left of the end of a line: *adapt-ing*, of which a half is not a word."""
    first, hyphen, second = token.partition("-")
    whole = first + second
    if not hyphen or not whole.isalpha() or not whole.islower():
        return False
    if whole in FUNCTION:
        return True
    halves_are_words = _stands_alone(first) and _stands_alone(second)
    known = first in PREFIXES or first in _BEGINNINGS or halves_are_words
    return not known and whole in english_words()


def _lost_a_ligature(word: str) -> bool:
    """Whether a word that no dictionary has is one of its words without *fi*, *fl* or *ff*."""
    words = english_words()
    return any(
        word[:cut] + ligature + word[cut:] in words
        for cut in range(len(word) + 1)
        for ligature in _LIGATURES
    )


def _is_joined(word: str) -> bool:
    """Whether a word that no dictionary has is made of two that it has."""
    return any(
        _stands_alone(word[:cut]) and _stands_alone(word[cut:]) for cut in range(2, len(word) - 1)
    )


def _stands_alone(word: str) -> bool:
    return word in SHORT or word in english_words()
