"""Raised and lowered characters in a plain line: ``10⁶⁰``, ``CO₂``, ``λ_AI``, never ``1060``."""

_RAISED = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_ORDINALS = frozenset({"st", "nd", "rd", "th", "a", "o", "er", "e", "ème", "®", "™", "†", "*"})
_MARKS = {"TM": "™", "SM": "℠"}


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
