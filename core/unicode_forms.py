"""Unicode's normal forms of texts that anybody may have written, and texts as they are compared.

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
_NO_WORD, _WORD = re.compile(r"[\W_]+"), re.compile(r"[^\W_]+")
_USUAL_SIGNS = "。、“”，"
_SIGNS_OF_ASCII = bytes(code for code in range(128) if not chr(code).isalnum())
_SPACES_FOR_SIGNS = bytes.maketrans(_SIGNS_OF_ASCII, b" " * len(_SIGNS_OF_ASCII))


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


def without_signs(text: str, table: bytes | None, without: bytes = b"", instead: str = " ") -> str:
    """The text with its characters of ASCII as a ``table`` of 256 bytes has them (None: as they
    are), ``without`` some, all in one step, and something ``instead`` of the usual other signs."""
    written = text.encode("utf-8", "surrogatepass").translate(table, without)
    left = written.decode("utf-8", "surrogatepass")
    for sign in "" if left.isascii() else _USUAL_SIGNS:
        left = left.replace(sign, instead)
    return left


def comparable_text(text: str) -> str:
    """Width, case, punctuation and spaces put aside."""
    # nearly all that goes is of ASCII, or a few other signs: taken out in a tenth of the time
    folded = normal_form("NFKC", text).casefold()
    left = without_signs(folded, None, _SIGNS_OF_ASCII, "")
    return left if left.isalnum() else _NO_WORD.sub("", left)


def comparable_words(text: str) -> str:
    """As ``comparable_text``, with a space wherever something was put aside between two words."""
    words = without_signs(normal_form("NFKC", text).casefold(), _SPACES_FOR_SIGNS).split()
    if not "".join(words).isalnum():
        words = [part for word in words
                 for part in ((word,) if word.isalnum() else _WORD.findall(word))]  # fmt: skip
    return " ".join(words)
