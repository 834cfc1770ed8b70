"""Raised, lowered and small characters in a plain line: ``10⁶⁰``, ``CO₂``, ``λ_AI``, ``BERT``."""

import re

_RAISED = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_ORDINALS = frozenset({"st", "nd", "rd", "th", "a", "o", "er", "e", "ème", "®", "™", "†", "*"})
_MARKS = {"TM": "™", "SM": "℠"}

_ACRONYM = re.compile(r"[a-z][a-z\d]*(?:[-/ ][a-z\d]+){0,2}")
_LONGEST_ACRONYM = 24


def small_capitals(text: str) -> str:
    """What stands in small capitals: an acronym written in small letters is in capitals."""
    is_acronym = len(text) <= _LONGEST_ACRONYM and _ACRONYM.fullmatch(text)
    return text.upper() if is_acronym else text


def superscript(text: str) -> str:
    """The text raised: by characters of its own where there are such, else after ``^``."""
    text = text.strip()
    if text in _ORDINALS:
        return text
    return _MARKS.get(text) or _shifted(text, _RAISED, "^")


def subscript(text: str) -> str:
    """The text lowered: by characters of its own where there are such, else after ``_``."""
    return _shifted(text.strip(), _LOWERED, "_")


def _shifted(text: str, table: dict[int, int], sign: str) -> str:
    shifted = text.translate(table)
    if not text:
        return text
    if all(ord(c) in table for c in text):
        return shifted
    return f"{sign}{text}" if text.isalnum() else f"{sign}{{{text}}}"
