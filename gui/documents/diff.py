"""Two texts against each other, word by word; character by character where they are Chinese."""

import difflib
import re
from collections.abc import Iterator

from PySide6.QtGui import QTextCharFormat

from core.formulas.finding import pieces
from gui.documents.writer import Writer

_WORDS = re.compile(r"\s+|[\u3400-\u9fff]|[^\s\u3400-\u9fff]+")
_LONGEST = 6000
"""Words of a text beyond which it is shown without its differences: comparing takes too long."""

Part = tuple[str, str]
"""A piece of text and what became of it: ``same``, ``gone`` or ``new``."""


def parts(before: str, after: str) -> Iterator[Part]:
    """Both texts as pieces in reading order; what is gone stands before what is new."""
    old, new = _words(before), _words(after)
    if max(len(old), len(new)) > _LONGEST:
        yield before, "gone"
        yield after, "new"
        return
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            yield "".join(old[a:b]), "same"
            continue
        if b > a:
            yield "".join(old[a:b]), "gone"
        if d > c:
            yield "".join(new[c:d]), "new"


def _words(text: str) -> list[str]:
    """Words, spaces and Chinese characters; a formula is one word, so that it is drawn whole."""
    words: list[str] = []
    for piece in pieces(text):
        if isinstance(piece, str):
            words += _WORDS.findall(piece)
        else:
            words.append(piece.source)
    return words


def piece_formats(writer: Writer) -> dict[str, QTextCharFormat | None]:
    """How each kind of piece is written: struck out, underlined, or plain."""
    gone = writer.ink(writer.colours.reject)
    gone.setFontStrikeOut(True)
    new = writer.ink(writer.colours.accept)
    new.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
    return {"same": None, "gone": gone, "new": new}


def write_difference(writer: Writer, before: str, after: str) -> None:
    """Both texts as one: what is gone is struck out, what is new underlined."""
    forms = piece_formats(writer)
    writer.block()
    for text, kind in parts(before, after):
        writer.text(text, forms[kind])


def write_side(writer: Writer, before: str, after: str, side: str) -> None:
    """One of two texts that stand beside each other, with what only it has marked.

    ``side`` is ``before`` or ``after``. Nothing is struck out: both are to be read.
    """
    left = side == "before"
    ink = writer.colours.reject if left else writer.colours.accept
    format = writer.ink(ink)
    line = QTextCharFormat.UnderlineStyle
    format.setUnderlineStyle(line.DashUnderline if left else line.SingleUnderline)
    unwanted = "new" if left else "gone"
    writer.block()
    for text, kind in parts(before, after):
        if kind != unwanted:
            writer.text(text.replace("\n", "\u2028"), None if kind == "same" else format)
