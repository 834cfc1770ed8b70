"""Unicode's normal forms of texts that anybody may have written.

Putting the combining marks of one character into order costs the square of their number: a text of
half a megabyte would keep a processor busy for minutes.
"""

import re
import unicodedata
from typing import Literal

_MARKS = 30
_NOT_WORDS = re.compile(r"[^\w\s]{31,}")
"""Where more than 30 combining marks can be: none of them is a letter to ``re``."""
_APART = 15
_TWO = re.compile(r"[^\w\s]{2}")
"""Such a run holds two of every fifteenth characters, which is seen in a tenth of the time."""


def normal_form(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """The text in this normal form, with at most 30 combining marks on a character, which is the
    bound of the Stream-Safe Text Format (UAX 15, section 13); no script has more."""
    if text.isascii():
        return text
    if _TWO.search(text[::_APART]):
        text = _NOT_WORDS.sub(_with_few_marks, text)
    return unicodedata.normalize(form, text)


def _with_few_marks(run: re.Match[str]) -> str:
    few: list[str] = []
    marks = 0
    for character in run[0]:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= _MARKS:
            few.append(character)
    return "".join(few)
