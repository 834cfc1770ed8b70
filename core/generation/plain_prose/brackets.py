"""Brackets and numbers of an English paragraph: which of them belong to the sentence."""

import re

from core.generation.plain_prose.vocabulary import FORMULA, Vocabulary
from core.generation.plain_prose.words import BEFORE_NUMBERS, FUNCTION, LABELS, UNITS, words_of

OPENING, CLOSING = "([“\"‘'", ".,;:?!)]”\"’'"
_BRACKETED = re.compile(r"\(([^()]*)\)")
_CROSS_REFERENCE = re.compile(
    r"\b(?:Figs?|Figures?|Tables?|Tabs?|Sections?|Secs?|Eqs?|Eqns?|Equations?|Append\w*"
    r"|Chapters?|Ch|Suppl\w*|Refs?|References?|[Ss]ee|SI|Box|Panel|[Aa]bove|[Bb]elow|[Tt]op|[Bb]ottom|[Ll]eft"
    r"|[Rr]ight|pp?|Algorithms?|Theorems?|Lemmas?)\b"
)
_YEAR = r"(?:1[5-9]|20)\d\d[a-f]?"
_CITED = re.compile(
    rf"(?:(?:e\.g\.|i\.e\.|cf\.|also),? )?[A-ZÀ-Þ][^;()]{{1,70}},? {_YEAR}(?:, {_YEAR})*"
    rf"(?:; ?(?:[A-ZÀ-Þ][^;()]{{1,70}},? )?{_YEAR}(?:, {_YEAR})*)*"
)
_ONLY_YEAR = re.compile(rf"{_YEAR}(?:[–-]\d{{2,4}}|, {_YEAR})?")
_IN_NAMES = words_of("al. et & van von de der den di la le colleagues")
_CALL_FOR_A_NAME = words_of(
    "and as after before by cf. e.g. following follow follows for from in including like of or see "
    "than that to unlike using via with"
)
_NESTED = re.compile(r"\([^()]*\(")
_SHORT_FORMS = ("no.", "al.", "vs.", "ca.", "approx.", "e.g.")
_NOTE_DIGITS = 3


def brackets_stand_well(plain: str, vocabulary: Vocabulary) -> bool:
    """Whether every pair of brackets holds a word, a measure or a citation, and no reference."""
    if "(" not in plain:
        return True
    if _NESTED.search(plain):
        return False
    return all(_stands_well(plain, match, vocabulary) for match in _BRACKETED.finditer(plain))


def _stands_well(plain: str, match: re.Match[str], vocabulary: Vocabulary) -> bool:
    inside = match[1]
    if inside in ("s", "es") or _CITED.fullmatch(inside) or _follows_a_name(plain, match):
        return True
    if _CROSS_REFERENCE.search(inside) or inside != inside.strip(" ,;:"):
        return False
    words = [word.strip(OPENING + CLOSING) for word in inside.split()]
    if any(word.endswith("%") or word in UNITS or word == FORMULA for word in words):
        return True
    if any(vocabulary.is_plain(word) for word in words):
        return True
    return _is_short_for(inside, plain[: match.start()])


def _is_short_for(inside: str, before: str) -> bool:
    """Whether capitals in brackets are the first letters of the words before."""
    letters = [letter.lower() for letter in inside if letter.isupper()]
    if not inside.replace("-", "").isalnum() or not 2 <= len(letters) <= 7:
        return False
    words = re.split(r"[\s\-/]+", before.strip())[-len(letters) - 3 :]
    starts = iter(word[:1].lower() for word in words)
    return letters[0] in {word[:1].lower() for word in words} and (
        sum(letter in starts for letter in letters) >= len(letters) - 1
    )


def _follows_a_name(plain: str, match: re.Match[str]) -> bool:
    """Whether a year in brackets stands behind the name of who is cited.

    Where the clause ends with it, a word before the name must call for one: *by Smith (2010).*
    """
    if not _ONLY_YEAR.fullmatch(match[1]):
        return False
    before = plain[max(0, match.start() - 80) : match.start()].split()
    if not before or not (before[-1][:1].isupper() or before[-1] in ("al.", "colleagues")):
        return False
    if plain[match.end() : match.end() + 1] not in (".", ",", ";"):
        return True
    while before and (before[-1][:1].isupper() or before[-1] in _IN_NAMES or _is_between(before)):
        before.pop()
    return not before or before[-1].endswith((",", ";", ")")) or before[-1] in _CALL_FOR_A_NAME


def _is_between(before: list[str]) -> bool:
    """Whether the last word joins two names: Smith and Jones."""
    return before[-1] == "and" and len(before) > 1 and before[-2][:1].isupper()


def number_stands_well(tokens: list[str], cores: list[str], index: int) -> bool:
    """Whether a number is no mark of a note: what stands before or behind it calls for one."""
    core = cores[index]
    if not core.isdigit() or len(core) > _NOTE_DIGITS or index == 0:
        return index > 0
    token, before, last = tokens[index], cores[index - 1], tokens[index - 1]
    if before[:1].isdigit():
        return False
    if last[-1] in ".;:?!”’)" and not last.endswith(_SHORT_FORMS):
        return False
    following = cores[index + 1] if index + 1 < len(cores) else ""
    counted = token == core and following[:1].isalpha() and following not in FUNCTION
    if counted or following in UNITS:
        return True
    return before.lower() in BEFORE_NUMBERS or before.lower() in LABELS or last[-1] == ","
