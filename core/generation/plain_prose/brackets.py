"""Brackets and numbers of an English paragraph: which of them belong to the sentence."""

import re

from core.generation.plain_prose.vocabulary import FORMULA, Vocabulary
from core.generation.plain_prose.words import (
    BEFORE_NUMBERS,
    FUNCTION,
    LABELS,
    UNITS,
    VERBS,
    words_of,
)

OPENING, CLOSING = "([“\"‘'", ".,;:?!)]”\"’'"
_BRACKETED = re.compile(r"\(([^()]*)\)")
_CROSS_REFERENCE = re.compile(
    r"\b(?:Figs?|Figures?|Tables?|Tabs?|Sections?|Secs?|Eqs?|Eqns?|Equations?|Append\w*"
    r"|Chapters?|Ch|Suppl\w*|Refs?|References?|[Ss]ee|SI|Box|Panel|[Aa]bove|[Bb]elow|[Tt]op|[Bb]ottom|[Ll]eft"
    r"|[Rr]ight|pp?|Algorithms?|Theorems?|Lemmas?)\b"
    r"|\b(?:[Cc]orollar(?:y|ies)|[Dd]efinitions?|[Pp]ropositions?|[Rr]emarks?|[Aa]ssumptions?"
    r"|[Ee]xamples?|[Cc]onditions?|[Aa]xioms?|figures?|tables?|(?:sub)?sections?|chapters?|equations?"
    r"|eqs?\.?|theorems?|lemmas?|algorithms?|lines?|steps?|items?|points?) ?\(?"
    r"(?:[A-Z]{0,3}\.?\d|[IVX]+\b)"
)
_YEAR = r"(?:1[5-9]|20)\d\d[a-f]?"
_CITED = re.compile(
    rf"(?:(?:e\.g\.|i\.e\.|cf\.|also),? )?[A-ZÀ-Þ][^;()]{{1,70}},? {_YEAR}(?:, {_YEAR})*"
    rf"(?:; ?(?:[A-ZÀ-Þ][^;()]{{1,70}},? )?{_YEAR}(?:, {_YEAR})*)*"
)
_IN_A_ROLE = re.compile(
    r"(?:(?:^|[.?!] )(?:(?:Indeed|However|Similarly|Recently|Also|Additionally|Furthermore|Moreover"
    r"|Later|Thus|Hence|Here|Finally|First|Second|Then|Therefore|Likewise|Specifically),? )?"
    r"|\b(?:consider|see also|cite|by|of|to|in|from|with|see|following|follow|than|on|like|and|for"
    r"|unlike|leads?|led|extends?|adopts?|modif(?:y|ies)|outperforms?|replicates?) |, )$",
    re.IGNORECASE,
)
"""Before a citation that its sentence needs as a word: *by (Smith 2010)*."""
_WAITS = re.compile(r"\b(?:of|by|from|than|into|between|for|with|at|per|via|[Tt]he|an?) $")
_GOES_ON = re.compile(
    r"[,.;:]| (?:is|are|was|were|can|could|may|might|will|would|should|must|has|have|had|and|or"
    r"|but|which|that|to|for|from|with|by|of|in|on|at)\b"
)
"""Around brackets behind which the sentence goes on without the word that it waited for."""
CROWDED = re.compile(r"[A-ZÀ-Þ][\w-]+ [A-ZÀ-Þ][\w’-]+ et al\.,? (?:19|20)\d\d[a-z]? [a-zà-ÿ]")
"""In brackets, names behind another word: *(such as GROMACS Brown et al., 2013 for a mill)*."""
_ONLY_YEAR = re.compile(
    rf"{_YEAR}(?:[–-]\d{{2,4}}|, {_YEAR})?(?:, (?:[a-z]{{1,8}}\.?|§) ?[\dIVX][^()]{{0,20}})?"
)
_ASIDE = re.compile(r"\?\W*$|\b(?:cit(?:e|ations?)|refs?|[Tt]odo|TODO|tb[acd])\b")
"""What an author asks in brackets while writing: *(cite here?)*."""
_IN_NAMES = words_of("al. et & van von de der den di la le colleagues")
_CALL_FOR_A_NAME = words_of(
    "and as by cf. e.g. following follow follows for from in including like of or see "
    "than that to unlike using via with"
)
_ENDS_A_POINTER = ("above", "below")
"""Behind one of these no name has a place: *as described above Smith (2010)*."""
_SHORT_FORM = re.compile(r"[A-Z]{2,}s?")
_NESTED = re.compile(r"\([^()]*\(")
_SHORT_FORMS = ("no.", "al.", "vs.", "ca.", "approx.", "e.g.")
_NOTE_DIGITS = 3
_AMOUNT = re.compile(r"\d+(?:\.\d+)?%?")
WITHOUT_TIMES = re.compile(r"(?<![\d.,])\d{1,3}(?:[.,]\d+)? 10[⁻⁺]?[¹²³⁴⁵⁶⁷⁸⁹]")
"""A number and a power of ten without the sign between them: *set to 5 10⁻⁶*."""
_OF_A_CHAPTER = re.compile(r"[1-9]\d?\.\d{1,2}")
_MEASURED = words_of(
    "average averages coefficient exponent factor index maximum mean means median minimum odds "
    "power ratio redshift score scores statistic value values version weight"
)
_GROUP = re.compile(rf"\d{{3}}(?:\.\d+)?%?|{_YEAR}")


def brackets_stand_well(plain: str, vocabulary: Vocabulary) -> bool:
    """Whether every pair of brackets holds a word, a measure or a citation, and no reference."""
    if "(" not in plain:
        return True
    if _NESTED.search(plain):
        return False
    return all(_stands_well(plain, match, vocabulary) for match in _BRACKETED.finditer(plain))


def _stands_well(plain: str, match: re.Match[str], vocabulary: Vocabulary) -> bool:
    inside = match[1]
    if _CITED.fullmatch(inside) and _IN_A_ROLE.search(plain[: match.start()][-40:]):
        return False
    if inside in ("s", "es"):
        return True
    if _WAITS.search(plain[: match.start()][-10:]) and _GOES_ON.match(plain, match.end()):
        return False
    if _CITED.fullmatch(inside):
        return True
    if (called := _is_called_for(plain, match)) is not None:
        return called
    if CROWDED.search(inside):
        return False
    if _CROSS_REFERENCE.search(inside) or inside != inside.strip(" ,;:") or _ASIDE.search(inside):
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


def _is_called_for(plain: str, match: re.Match[str]) -> bool | None:
    """Whether the clause has a place for the name before a year in brackets; None without a name.

    Where the clause ends with it, a word before the name must call for one: *by Smith (2010).*
    Elsewhere no noun may stand before it: *the method Smith (2010) and others.*
    """
    if not _ONLY_YEAR.fullmatch(match[1]):
        return None
    before = plain[max(0, match.start() - 80) : match.start()].split()
    if not before or not (before[-1][:1].isupper() or before[-1] in ("al.", "colleagues")):
        return None
    before.pop()
    while before and (_may_be_a_name(before[-1]) or _is_between(before)):
        before.pop()
    if before and _SHORT_FORM.fullmatch(before[-1]):
        return False  # a noun, and not the name of who is cited: *form the LA Brown (2010)*
    if not before or before[-1].endswith((",", ";", ")")) or before[-1] in _CALL_FOR_A_NAME:
        return True
    if before[-1] in _ENDS_A_POINTER or plain[match.end() : match.end() + 1] in (".", ",", ";"):
        return False
    last = before[-1]
    return not last.islower() or last in FUNCTION or last in VERBS or last.endswith(("ed", "ing"))


def _may_be_a_name(word: str) -> bool:
    return word in _IN_NAMES or (word[:1].isupper() and not _SHORT_FORM.fullmatch(word))


def _is_between(before: list[str]) -> bool:
    """Whether the last word joins two names: Smith and Jones."""
    return before[-1] == "and" and len(before) > 1 and before[-2][:1].isupper()


def number_stands_well(tokens: list[str], cores: list[str], index: int) -> bool:
    """Whether a number is not a mark of a note: what stands before or behind it calls for one."""
    core = cores[index]
    if index and tokens[index - 1] == cores[index - 1] and _follow_each_other(cores, index):
        return False
    if index and _OF_A_CHAPTER.fullmatch(core) and _stands_behind_a_noun(tokens, cores, index):
        return False
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


def _stands_behind_a_noun(tokens: list[str], cores: list[str], index: int) -> bool:
    """Whether a number closes its clause behind a noun that has none, like that of a figure."""
    before = cores[index - 1]
    noun = before.islower() and before not in VERBS | FUNCTION | LABELS | _MEASURED
    closes = index + 1 == len(cores) or tokens[index][-1] in CLOSING
    return noun and closes and before not in BEFORE_NUMBERS and tokens[index - 1] == before


def _follow_each_other(cores: list[str], index: int) -> bool:
    """Whether a number stands behind another, as where the dash between them is gone."""
    both = _AMOUNT.fullmatch(cores[index - 1]) and _AMOUNT.fullmatch(cores[index])
    return bool(both) and not _GROUP.fullmatch(cores[index])
