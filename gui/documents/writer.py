"""Writing an item into a document: a few kinds of block in the type of the theme."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from PySide6.QtCore import Qt, QTextBoundaryFinder
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLength,
    QTextOption,
    QTextTable,
    QTextTableFormat,
)

from core.families.base import ItemContent
from core.formulas.finding import pieces
from gui import theme
from gui.documents.formulas import write_formula
from gui.theme import Tokens

INDENT = 36
"""Pixels by which the text of a lettered piece hangs behind its letter."""
MEASURE = 36 * theme.ITEM_PX
"""Width of the item column in pixels: about 70 Latin or 36 Chinese characters."""

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_INDENTED = re.compile(r"\n(?: {2}|\t)[ \t]*\S")
_TABLE = re.compile(r"(?m)^\|.*\n\|[ :|-]+\|[ ]*\n?(?:^\|.*(?:\n|\Z))*")
"""A table in Markdown: the names of the columns, a line below them, the rows."""
_FENCED = re.compile(
    r"(?:^|(?<=[\n\u2028]))(?P<fence>`{3,}|~{3,})[^\n\u2028`]*[\n\u2028]"
    r"(?:.*?[\n\u2028])?(?P=fence)[ \t]*(?=[\n\u2028]|\Z)",
    re.DOTALL,
)
"""Code as Markdown fences it, fences and all."""
_CELL_ENDS = re.compile(r"(?<!\\)\|")
_LINE_END = "\u2028"
_TEX_LINE_END = re.compile(
    r"[ \t]*(?<!\\)\\\\(?:\[\d[\d.]*(?:pt|em|ex|mm|cm)\])?(?:[ \t]*\n|[ \t]+|\Z)"
)
"""Where TeX ends a line of a text: two backslashes before a space or the end of the line."""
_GUTTER = 12
_CELL_PADDING = 4
_BESIDE = 2 * _CELL_PADDING + 4
"""What a cell takes beside its words: room at both sides, a line, and what rounding takes."""
_SMALLEST = 0.7
"""Share of the type size that the words of a crowded table keep."""
_FIXED = QTextBlockFormat.LineHeightTypes.FixedHeight.value


class Writer:
    """Appends blocks to a new document. Text is never read as markup."""

    def __init__(
        self,
        colours: Tokens,
        size: int = 0,
        chinese: bool | None = None,
        *,
        formulas: bool = True,
    ) -> None:
        """``size`` in pixels, 0 for the one that the person reads items in; ``chinese`` says
        whether the text is, None goes by the window's language. Without ``formulas`` TeX stays as
        it is, whatever the person chose."""
        type_ = theme.reading()
        self._formulas = formulas and type_.formulas
        size = size or type_.size
        self._line = round(size * type_.line_height)
        self._space = type_.density
        self.colours = colours
        self.size = size
        self.document = QTextDocument()
        self.document.setUndoRedoEnabled(False)
        self.document.setDocumentMargin(0)
        self.document.setDefaultFont(theme.font(size, chinese=chinese))
        self._cursor = QTextCursor(self.document)
        self._cursor.beginEditBlock()
        self._fresh = True
        self._leftward = False
        self._tables: list[tuple[QTextTable, tuple[_Column, ...]]] = []
        self._plain = self.ink(colours.text)

    def finish(self, width: int = MEASURE) -> QTextDocument:
        """The document, laid out at ``width`` pixels so that showing it costs only the paint."""
        for table, columns in self._tables:
            _set_widths(table, self._fitted(table, columns, width), width)
        self._cursor.endEditBlock()
        self.document.setTextWidth(width)
        self.document.size()
        return self.document

    def ink(
        self, colour: str, *, bold: bool = False, small: bool = False, ground: str = ""
    ) -> QTextCharFormat:
        """A way of writing: colour, weight, size and ground."""
        format = QTextCharFormat()
        format.setForeground(QBrush(QColor(colour)))
        if bold:
            format.setFontWeight(600)
        if small:
            format.setProperty(QTextCharFormat.Property.FontPixelSize, theme.SMALL_PX)
        if ground:
            format.setBackground(QBrush(QColor(ground)))
        return format

    def block(
        self,
        *,
        before: int = 0,
        after: int = 12,
        indent: int = 0,
        ground: str = "",
        leftward: bool = False,
    ) -> "Writer":
        """Begin a block; ``indent`` hangs every line but the first by that many pixels, at the
        right where it is read ``leftward``."""
        form = QTextBlockFormat()
        form.setLineHeight(self._line, _FIXED)
        form.setTopMargin(round(before * self._space))
        form.setBottomMargin(round(after * self._space))
        if ground:
            form.setBackground(QBrush(QColor(ground)))
        if indent:
            _hang(form, indent, leftward=leftward)
        if self._fresh:
            self._cursor.setBlockFormat(form)
            self._fresh = False
        else:
            self._cursor.insertBlock(form)
        return self

    def text(self, text: str, form: QTextCharFormat | None = None) -> "Writer":
        """Write into the block that was begun last; fenced code in letters of one width."""
        form = form or self._plain
        end = 0
        for fenced in _FENCED.finditer(text):
            self._prose(text[end : fenced.start()], form)
            self._code(fenced.group(), form)
            end = fenced.end()
        return self._prose(text[end:], form)

    def _code(self, text: str, form: QTextCharFormat) -> None:
        """Fenced code, in which a dollar is not a formula; its fences stay, for a model reads
        them."""
        code, quiet = QTextCharFormat(form), self.ink(self.colours.muted)
        for ink in (code, quiet):
            ink.setFontFamilies(list(theme.MONOSPACE))
        opening, *lines = text.split(_LINE_END if _LINE_END in text else "\n")
        closing = lines.pop()
        body = "".join(f"{_LINE_END}{line}" for line in lines)
        for part, ink in ((opening, quiet), (f"{body}{_LINE_END}", code), (closing, quiet)):
            self._cursor.insertText(part, ink)

    def _prose(self, text: str, form: QTextCharFormat) -> "Writer":
        if not self._formulas or ("$" not in text and "\\" not in text):
            self._cursor.insertText(text, form)
            return self
        size = form.intProperty(QTextCharFormat.Property.FontPixelSize) or self.size
        parts = list(pieces(text))
        in_tex = any(not isinstance(piece, str) for piece in parts)
        for piece in parts:
            if not isinstance(piece, str):
                write_formula(self._cursor, piece, form, size, self._line)
            elif in_tex:
                ended = _TEX_LINE_END.sub(_LINE_END, piece)
                self._cursor.insertText(
                    ended.rstrip(_LINE_END) if piece is parts[-1] else ended, form
                )
            else:
                self._cursor.insertText(piece, form)
        return self

    def paragraphs(self, text: str, *, after: int = 12) -> "Writer":
        """A text whose blank lines part its paragraphs; one with indented lines, such as code,
        stands as it was written."""
        if (side := _direction(text)) is not None:
            self._leftward = side
        if (fenced := _FENCED.search(text)) is not None:
            self.paragraphs(text[: fenced.start()], after=after)
            self.block(after=after).text(fenced.group())
            return self.paragraphs(text[fenced.end() :], after=after)
        if _TABLE.search(text):
            return self._with_tables(text, after)
        if _INDENTED.search(text):
            return self.block(after=after).text(text.strip("\n").rstrip().replace("\n", _LINE_END))
        for part in text.split("\n\n"):
            if part.strip():
                self.block(after=after).text(part.strip())
        return self

    def _with_tables(self, text: str, after: int) -> "Writer":
        """A text with tables in Markdown, which are drawn."""
        end = 0
        for found in _TABLE.finditer(text):
            self.paragraphs(text[end : found.start()], after=after)
            lines = found.group().strip().split("\n")
            self._table([_CELL_ENDS.split(line.strip().strip("|")) for line in lines], after)
            end = found.end()
        return self.paragraphs(text[end:], after=after)

    def _table(self, rows: list[list[str]], after: int) -> None:
        form = QTextTableFormat()
        form.setBorderStyle(QTextTableFormat.BorderStyle.BorderStyle_Solid)
        form.setBorderBrush(QBrush(QColor(self.colours.line)))
        form.setBorderCollapse(True)
        form.setCellPadding(_CELL_PADDING)
        form.setBottomMargin(after)
        sides = [_side(cell) for cell in rows.pop(1)]  # the line below the names
        table = self._cursor.insertTable(len(rows), max(map(len, rows)), form)
        self._tables.append((table, self._columns(rows)))
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                self._cursor = table.cellAt(row, column).firstCursorPosition()
                self._fresh = True
                bold = self.ink(self.colours.text, bold=True) if row == 0 else None
                self.block(after=0).text(cell.strip(), bold)
                self._align(sides[column] if column < len(sides) else None)
        self._cursor = table.lastCursorPosition()
        self._cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
        self._fresh = True

    def _align(self, side: Qt.AlignmentFlag | None) -> None:
        """Put the block that was written last to a side; None leaves it where it is."""
        if side is not None:
            form = self._cursor.blockFormat()
            form.setAlignment(side)
            self._cursor.setBlockFormat(form)

    def _columns(self, rows: list[list[str]]) -> tuple["_Column", ...]:
        """What the columns of a table with these cells ask for, the first row being bold."""
        plain, bold = (theme.font(self.size, bold=heavy, chinese=False) for heavy in (False, True))
        metrics = QFontMetricsF(plain), QFontMetricsF(bold)
        found = []
        for cells in zip_longest(*rows, fillvalue=""):
            texts = [(metrics[row == 0], cell.strip()) for row, cell in enumerate(cells)]
            words = [(ink, word) for ink, text in texts for word in _unbroken(text)]
            found.append(_Column(*(max(map(_advance, part)) for part in (words, texts))))
        return tuple(found)

    def _fitted(
        self, table: QTextTable, columns: tuple["_Column", ...], width: int
    ) -> tuple["_Column", ...]:
        """A table whose longest words have no room beside each other is set in smaller type."""
        beside = _BESIDE * len(columns)
        words = sum(column.least - _BESIDE for column in columns)
        if words + beside <= width:
            return columns
        factor = max(_SMALLEST, (width - beside) / words)
        small = QTextCharFormat()
        pixels = int(self.size * factor)
        small.setProperty(QTextCharFormat.Property.FontPixelSize, pixels)
        for row in range(table.rows()):
            for column in range(table.columns()):
                cursor = table.cellAt(row, column).firstCursorPosition()
                cursor.setPosition(
                    table.cellAt(row, column).lastPosition(), QTextCursor.MoveMode.KeepAnchor
                )
                cursor.mergeCharFormat(small)
        return tuple(column.smaller(pixels / self.size) for column in columns)

    def mark(self, name: str) -> None:
        """Give the place where the next block begins a name, by which a page finds it."""
        self.document.setProperty(name, self.document.blockCount())

    def masthead(self, left: str, right: str, width: int) -> "Writer":
        """One small line with a text at each end."""
        self.block(after=16)
        form = self._cursor.blockFormat()
        form.setTabPositions([QTextOption.Tab(width, QTextOption.TabType.RightTab)])
        self._cursor.setBlockFormat(form)
        self.text(f"{left}\t", self._window_ink())
        return self.text(right, self._window_ink())

    def title(self, text: str, *, before: int = 12) -> "Writer":
        """A small heading above a group of blocks."""
        return self.block(before=before, after=4).text(text, self._window_ink())

    def _window_ink(self) -> QTextCharFormat:
        """Small words of the window: its language, not the item's, says how wide marks are."""
        form = QTextCharFormat()
        form.setFont(theme.font(theme.SMALL_PX))
        form.merge(self.ink(self.colours.muted, small=True))
        return form

    def chip(self, text: str, *, filled: bool = False) -> "Writer":
        """A short mark in the running text, such as a hole."""
        ink = self.colours.accept if filled else self.colours.accent
        form = self.ink(ink, bold=True, ground=self.colours.selection)
        return self.text(f"\u00a0{text}\u00a0", form)

    def columns(self, count: int) -> QTextTable:
        """Begin equally wide columns; ``cell`` goes into one of them, ``leave`` below them."""
        form = QTextTableFormat()
        form.setBorder(0)
        form.setCellSpacing(0)
        form.setCellPadding(0)
        form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        share = QTextLength(QTextLength.Type.PercentageLength, 100 / count)
        form.setColumnWidthConstraints([share] * count)
        return self._cursor.insertTable(1, count, form)

    def cell(self, table: QTextTable, index: int) -> "Writer":
        """Write into a column from now on; a gutter parts it from the one before."""
        cell = table.cellAt(0, index)
        form = cell.format().toTableCellFormat()
        form.setTopPadding(8)
        form.setLeftPadding(_GUTTER if index else 0)
        form.setRightPadding(_GUTTER if index < table.columns() - 1 else 0)
        cell.setFormat(form)
        self._cursor = cell.firstCursorPosition()
        self._fresh = True
        return self

    def leave(self) -> "Writer":
        """Write below the columns from now on."""
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        self._fresh = True
        return self

    def listed(
        self, pieces: Iterable[tuple[str, str]], *, right: Collection[str] = (), after: int = 8
    ) -> "Writer":
        """Pieces behind their letters, all on one side of the page: that from which all of them are
        read, else that of what stands before. Those of the letters in ``right`` also have a tick;
        the first is marked ``key``."""
        pieces = list(pieces)
        sides = {side for _, text in pieces if (side := _direction(text)) is not None}
        if len(sides) == 1:
            (self._leftward,) = sides
        for letter, text in pieces:
            self._lettered(letter, text, letter in right, after)
        return self

    def _lettered(self, letter: str, text: str, right: bool, after: int) -> None:
        if right and self.document.property("key") is None:
            self.mark("key")
        ink = self.colours.accept if right else self.colours.accent
        self.block(after=after, indent=INDENT, leftward=self._leftward)
        mark = f"{letter} ✓" if right else letter
        self.text(f"{mark}\t", self.ink(ink, bold=True))
        # a paragraph end inside a piece is a line end here, so that the piece keeps its indent
        text = text.strip() if _INDENTED.search(text) else text.strip().replace("\n\n", "\n")
        text = text.replace("\n", _LINE_END)
        self.text(text, self.ink(self.colours.accept) if right else None)


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a table in pixels: its longest word, and its longest cell on one line."""

    least: float
    most: float

    def smaller(self, factor: float) -> "_Column":
        """The same in type of another size."""
        return _Column(*((part - _BESIDE) * factor + _BESIDE for part in (self.least, self.most)))


def _side(rule: str) -> Qt.AlignmentFlag | None:
    """To which side a cell of the line below the names puts its column; None where it does not."""
    left, right = rule.strip().startswith(":"), rule.strip().endswith(":")
    if right:
        return Qt.AlignmentFlag.AlignHCenter if left else Qt.AlignmentFlag.AlignRight
    return None


def _unbroken(text: str) -> list[str]:
    """The pieces between the places where Qt ends lines, which counts in halves of UTF-16."""
    places = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Line, text)
    halves, ends = text.encode("utf-16-le"), [0]
    while (place := places.toNextBoundary()) >= 0:
        ends.append(2 * place)
    return [halves[a:b].decode("utf-16-le").strip() for a, b in pairwise(ends)] or [""]


def _advance(written: tuple[QFontMetricsF, str]) -> float:
    metrics, text = written
    return metrics.horizontalAdvance(text) + _BESIDE


def _set_widths(table: QTextTable, columns: tuple[_Column, ...], width: int) -> None:
    """Give each column of a table that fills the page the room of its longest word: Qt breaks words
    instead. Where words do not fit either, the longest are broken."""
    least, most = [c.least for c in columns], [c.most for c in columns]
    if sum(most) <= width:
        return
    room = float(width)
    for rest, wanted in zip(range(len(least), 0, -1), sorted(least), strict=True):
        if wanted > room / rest:
            least = [min(one, room / rest) for one in least]
            break
        room -= wanted
    over = max(0.0, width - sum(least))
    wishes = [max(0.0, wish - given) for wish, given in zip(most, least, strict=True)]
    share = over / (sum(wishes) or 1.0)
    form = table.format()
    form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    form.setColumnWidthConstraints([
        QTextLength(QTextLength.Type.PercentageLength, 100 * (given + share * wish) / width)
        for given, wish in zip(least, wishes, strict=True)
    ])  # fmt: skip
    table.setFormat(form)


def _hang(form: QTextBlockFormat, indent: int, *, leftward: bool) -> None:
    # the direction is said either way: Qt would go by the letter or number in front
    if leftward:
        form.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        form.setRightMargin(indent)
    else:
        form.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        form.setLeftMargin(indent)
    side = QTextOption.TabType.RightTab if leftward else QTextOption.TabType.LeftTab
    form.setTextIndent(-indent)
    form.setTabPositions([QTextOption.Tab(indent, side)])


def set_masthead(document: QTextDocument, width: int) -> None:
    """Bring the text at the right end of the masthead to the edge of a page of another width."""
    cursor = QTextCursor(document)
    form = cursor.blockFormat()
    if any(tab.type == QTextOption.TabType.RightTab for tab in form.tabPositions()):
        form.setTabPositions([QTextOption.Tab(width, QTextOption.TabType.RightTab)])
        cursor.setBlockFormat(form)


def _direction(text: str) -> bool | None:
    """Whether a text is read from the right, as Arabic and Hebrew are: by its first character that
    has a direction; None for one without, such as a number."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in ("L", "R", "AL"):
            return kind != "L"
    return None


def is_chinese(text: str) -> bool:
    """Whether a text is set in Chinese: a fifth of its first thousand characters are Chinese."""
    head = text[:1000]
    return len(_CHINESE.findall(head)) * 5 > len(head)


@dataclass(frozen=True, slots=True)
class ItemView:
    """How the items of one family are written; ``key`` says whether the key is shown."""

    family: str
    write: Callable[[Writer, ItemContent, bool], None]
