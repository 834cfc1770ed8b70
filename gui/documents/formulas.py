"""Formulas in a document: each is one drawn character that knows its TeX.

The outline comes from a child process. Until it is there the TeX stands in its place, paler than
the text, and where there is none it stays; what has come is put in without anything being asked
again. Outlines are kept in units of the type size, so that they are sharp at every size and take
the colour of their text.
"""

import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QPointF, QRect, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPyTextObject,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from shiboken6 import isValid

from core.formulas.finding import Formula
from core.formulas.outlines import UNITS
from gui.processes import LineProcess

_OBJECT = QTextFormat.ObjectTypes.UserObject.value + 1
_TEX = QTextFormat.Property.UserProperty.value + 1
_DISPLAY = _TEX + 1
_SIZE = _TEX + 2
_WAITS = _TEX + 3
_NUMBER = _TEX + 4
_SOURCE = _TEX + 5
_HELD = "\ufffc"
_SCALE = 1.1
"""STIX Two Math has smaller lower-case letters than the sans-serif faces around it."""
_KEPT = 4000
_PALE = 0.45
"""How opaque the TeX of a formula is while its outline is awaited."""
_MINIMUM = QTextBlockFormat.LineHeightTypes.MinimumHeight.value

Key = tuple[str, bool]
"""The TeX of a formula, and whether it stands on a line of its own."""


@dataclass(frozen=True, slots=True)
class Outline:
    """What is drawn, in 1/``UNITS`` of the type size; y runs downwards from the base line."""

    width: float
    ascent: float
    descent: float
    shapes: tuple[tuple[str, QPainterPath], ...]


def _outline(drawn: dict[str, Any]) -> Outline:
    shapes: list[tuple[str, QPainterPath]] = []
    for kind, colour, data in drawn["shapes"]:
        if not shapes or shapes[-1][0] != colour:
            path = QPainterPath()
            path.setFillRule(Qt.FillRule.WindingFill)
            shapes.append((colour, path))
        path = shapes[-1][1]
        if kind == "rect":
            path.addRect(QRectF(*(float(n) for n in data.split())))
        else:
            _draw(path, data.split())
    for _, path in shapes:
        path.translate(-float(drawn["left"]), 0)
    return Outline(drawn["width"], drawn["ascent"], drawn["descent"], tuple(shapes))


def _draw(path: QPainterPath, words: list[str]) -> None:
    steps: dict[str, tuple[Callable[..., None], int]] = {
        "M": (path.moveTo, 2), "L": (path.lineTo, 2), "Q": (path.quadTo, 4), "C": (path.cubicTo, 6),
    }  # fmt: skip
    place = 0
    while place < len(words):
        word = words[place]
        if word == "Z":
            path.closeSubpath()
            place += 1
            continue
        step, count = steps[word]
        step(*(float(n) for n in words[place + 1 : place + 1 + count]))
        place += 1 + count


class _DrawnFormula(QPyTextObject):
    """How Qt measures and paints a formula in a line of text."""

    def intrinsicSize(self, document: QTextDocument, _place: int, form: QTextFormat) -> QSizeF:
        """Its width, and the height that the line must give it."""
        outline = typesetter().outline(_key(form))
        if outline is None:
            return QSizeF(0, 0)
        scale = _scale(form, outline, document)
        ascent, descent = outline.ascent * scale, outline.descent * scale
        if _is_deep(form):
            middle = _middle(form)
            return QSizeF(outline.width * scale, max(2 * ascent - middle, 2 * descent + middle))
        return QSizeF(outline.width * scale, max(1.0, ascent))

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, document: QTextDocument, _place: int,
        form: QTextFormat,
    ) -> None:  # fmt: skip
        """Paint it in the colour of its text; a changed one is struck out or underlined."""
        outline = typesetter().outline(_key(form))
        if outline is None:
            return
        written = form.toCharFormat()
        rect = QRectF(rect)
        base = rect.bottom()
        if _is_deep(form):
            base = rect.top() + (rect.height() + _middle(form)) / 2
        own_ink = written.foreground()
        ink = own_ink.color() if own_ink.style() != Qt.BrushStyle.NoBrush else painter.pen().color()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.translate(QPointF(rect.left(), base))
        scale = _scale(form, outline, document)
        painter.scale(scale, scale)
        for colour, path in outline.shapes:
            own = QColor(colour) if colour else ink
            painter.fillPath(path, own if own.isValid() else ink)
        thin = UNITS / 16
        if written.fontStrikeOut():
            painter.fillRect(QRectF(0, -UNITS / 4, outline.width, thin), ink)
        if written.underlineStyle() != QTextCharFormat.UnderlineStyle.NoUnderline:
            painter.fillRect(QRectF(0, outline.descent, outline.width, thin), ink)
        painter.restore()


def _key(form: QTextFormat) -> Key:
    return str(form.property(_TEX)), bool(form.property(_DISPLAY))


def _scale(form: QTextFormat, outline: Outline, document: QTextDocument) -> float:
    """Pixels a unit; a formula that is wider than the page is set smaller."""
    scale = float(form.property(_SIZE)) * _SCALE / UNITS
    room = document.textWidth()
    return min(scale, 0.94 * room / outline.width) if room > 0 else scale


def _is_deep(form: QTextFormat) -> bool:
    return form.toCharFormat().verticalAlignment() == (
        QTextCharFormat.VerticalAlignment.AlignMiddle
    )


def _middle(form: QTextFormat) -> float:
    """What Qt adds to the ascent of an object that it centres on the middle of a letter x."""
    return QFontMetricsF(form.toCharFormat().font()).xHeight() / 2


class Typesetter(QObject):
    """The outlines that are known, and the child that makes the others."""

    arrived = Signal()
    """Outlines came; the documents that waited for them show them."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._known: OrderedDict[Key, Outline | None] = OrderedDict()
        self._asked: dict[int, Key] = {}
        self._number = 0
        self._waiting: weakref.WeakSet[QTextDocument] = weakref.WeakSet()
        self._handler = _DrawnFormula(self)
        self._child = LineProcess("core.formulas.formula_child", self)
        self._child.answered.connect(self._on_answer)
        self._child.ended.connect(self._on_ended)

    @property
    def busy(self) -> bool:
        """Whether formulas are still being set."""
        return bool(self._asked)

    def knows(self, key: Key) -> bool:
        """Whether it is settled how this formula is shown."""
        return key in self._known

    def outline(self, key: Key) -> Outline | None:
        """The outline of a formula; None where it is not known, or where there is none."""
        return self._known.get(key)

    def serve(self, document: QTextDocument) -> None:
        """Let a document draw formulas."""
        document.documentLayout().registerHandler(_OBJECT, self._handler)

    def wait(self, document: QTextDocument) -> None:
        """Put the formulas into a document when their outlines come."""
        self._waiting.add(document)

    def want(self, key: Key) -> None:
        """Have a formula set, unless that was asked before."""
        if key in self._known or key in self._asked.values():
            return
        self._number += 1
        self._asked[self._number] = key
        self._child.ask([self._number, *key])

    def _on_answer(self, answer: Any) -> None:
        number, drawn = answer
        key = self._asked.pop(number, None)
        if key is None:
            return
        self._keep(key, None if drawn is None else _outline(drawn))
        if not self._asked:
            self._put_in()

    def _keep(self, key: Key, outline: Outline | None) -> None:
        self._known[key] = outline
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)

    def _on_ended(self) -> None:
        """The child fell over the first formula that it had not answered; go on with the rest."""
        asked, self._asked = self._asked, {}
        for place, (number, key) in enumerate(asked.items()):
            if place == 0 or self._child.exhausted:
                self._keep(key, None)
            else:
                self._asked[number] = key
                self._child.ask([number, *key])
        if not self._asked:
            self._put_in()

    def _put_in(self) -> None:
        waiting, self._waiting = list(self._waiting), weakref.WeakSet()
        for document in waiting:
            if isValid(document):
                _put_into(document)
        self.arrived.emit()


_typesetter: Typesetter | None = None


def typesetter() -> Typesetter:
    """The one of this application."""
    global _typesetter
    if _typesetter is None or not isValid(_typesetter):
        application = QCoreApplication.instance()
        assert application is not None
        _typesetter = Typesetter(application)
    return _typesetter


def write_formula(
    cursor: QTextCursor, formula: Formula, form: QTextCharFormat, size: int, line: int
) -> None:
    """Write a formula at the cursor: drawn where its outline is known, else as TeX for now.

    ``size`` is that of the type in pixels, ``line`` the height of a line.
    """
    document, setter, key = cursor.document(), typesetter(), (formula.tex, formula.display)
    if not setter.knows(key):
        setter.want(key)
        form = QTextCharFormat(form)
        form.setProperty(_WAITS, line)
        _set_opacity(form, _PALE)
        form.setProperty(_NUMBER, cursor.position())
        _describe(form, formula.source, key, size)
        setter.wait(document)
    elif setter.outline(key) is not None:
        _insert(cursor, key, formula.source, form, size, line)
        return
    cursor.insertText(formula.source, form)


def put_formulas(
    document: QTextDocument, mark: str, formulas: Sequence[Formula], size: int, *, drawn: bool
) -> None:
    """Write formulas where a mark stands for each, in their order; undrawn as TeX.

    ``size`` is that of the type in pixels.
    """
    cursor = QTextCursor(document)
    places = [place for place, letter in enumerate(document.toPlainText()) if letter == mark]
    for place, formula in reversed(list(zip(places, formulas, strict=True))):
        cursor.setPosition(place)
        cursor.setPosition(place + 1, QTextCursor.MoveMode.KeepAnchor)
        form = cursor.charFormat()
        cursor.removeSelectedText()
        if drawn:
            write_formula(cursor, formula, form, size, round(1.5 * size))
        else:
            cursor.insertText(formula.source, form)


def _describe(form: QTextCharFormat, source: str, key: Key, size: int) -> None:
    form.setProperty(_SOURCE, source)
    form.setProperty(_TEX, key[0])
    form.setProperty(_DISPLAY, key[1])
    form.setProperty(_SIZE, size)


def _insert(
    cursor: QTextCursor, key: Key, source: str, form: QTextCharFormat, size: int, line: int
) -> None:
    """One character that is drawn; a line that is too low for it grows."""
    typesetter().serve(cursor.document())
    outline = typesetter().outline(key)
    assert outline is not None
    drawn = QTextCharFormat(form)
    _describe(drawn, source, key, size)
    drawn.setProperty(_NUMBER, cursor.position())
    drawn.setObjectType(_OBJECT)
    drawn.clearProperty(_WAITS)
    _set_opacity(drawn, 1.0)
    pixels = size * _SCALE / UNITS
    deep = outline.descent * pixels > 0.3 * line
    if deep:  # Qt gives an object room below the base line only where it centres it
        drawn.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
    if deep or outline.ascent * pixels > 0.7 * line:
        block = cursor.blockFormat()
        block.setLineHeight(line, _MINIMUM)
        cursor.setBlockFormat(block)
    cursor.insertText(_HELD, drawn)
    cursor.document().setProperty("formulas", True)


def _set_opacity(form: QTextCharFormat, opacity: float) -> None:
    if (ink := form.foreground()).style() != Qt.BrushStyle.NoBrush:
        colour = ink.color()
        colour.setAlphaF(opacity)
        form.setForeground(colour)


def _put_into(document: QTextDocument) -> None:
    """Draw the formulas of a document that were waited for, and give those that cannot be drawn the
    ink of the text; from its end, as places shift."""
    found = [
        (start, length, form)
        for start, length, form in _stretches(document)
        if form.hasProperty(_WAITS) and typesetter().knows(_key(form))
    ]
    if not found:
        return
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for start, length, form in reversed(found):
        cursor.setPosition(start)
        cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        if typesetter().outline(_key(form)) is None:
            form.clearProperty(_WAITS)
            _set_opacity(form, 1.0)
            cursor.setCharFormat(form)
            continue
        cursor.removeSelectedText()
        _insert(cursor, _key(form), str(form.property(_SOURCE)), form,
                int(form.property(_SIZE)), int(form.property(_WAITS)))  # fmt: skip
    cursor.endEditBlock()


def _stretches(document: QTextDocument) -> Iterator[tuple[int, int, QTextCharFormat]]:
    """Place, length and format of every stretch of text that is written alike."""
    block = document.begin()
    while block.isValid():
        for part in block.textFormats():
            yield block.position() + part.start, part.length, part.format.toCharFormat()
        block = block.next()


def formula_sources(document: QTextDocument) -> dict[int, str]:
    """The TeX of every drawn formula as it was written, by its place, in order."""
    return {
        place: str(form.property(_SOURCE))
        for place, _, form in _stretches(document)
        if form.objectType() == _OBJECT
    }


def text_with_tex(document: QTextDocument, start: int = 0, end: int = -1) -> str:
    """The plain text from one place to another, formulas as the TeX that was written."""
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    if end < 0:
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        end = cursor.position()
    else:
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    text = cursor.selectedText()
    drawn = [entry for entry in formula_sources(document).items() if start <= entry[0] < end]
    # a character beyond the first plane has two places in Qt and one in Python
    parts = text.encode("utf-16-le", "surrogatepass")
    for place, source in reversed(drawn):
        at = 2 * (place - start)
        parts = parts[:at] + source.encode("utf-16-le") + parts[at + 2 :]
    text = parts.decode("utf-16-le", "surrogatepass")
    return text.replace("\u2029", "\n").replace("\u2028", "\n").replace("\xa0", " ")
