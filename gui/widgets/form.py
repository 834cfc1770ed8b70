"""A family's form: one field below the other, each growing with its text."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSizeF, Qt, Signal
from PySide6.QtGui import QDropEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QScrollArea, QTextEdit, QToolButton, QWidget

from core.families.base import FormField
from core.i18n import tr
from gui import theme
from gui.actions import TYPED_INTO
from gui.documents.writer import is_chinese
from gui.widgets.elements import caption, column
from gui.widgets.steady_fields import ChoiceBox

_TALLEST = 420
_CHANGING = (
    QEvent.Type.KeyPress, QEvent.Type.InputMethod, QEvent.Type.ContextMenu, QEvent.Type.DragEnter,
    QEvent.Type.Drop, QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick,
    QEvent.Type.MouseButtonRelease,
)  # fmt: skip
"""What writes in a field: keys, the menu's paste, what is dropped, the pasting middle button."""
_LEAST = {"long_text": 76, "list": 44}


class GrowingText(QTextEdit):
    """A text field as tall as its text, up to a limit; set in the type of what is written in it.

    Enter begins a new line and does nothing else; Tab goes to the next field.
    """

    def __init__(self, least: int = 44, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least = least
        self._chinese: bool | None = None
        self.setProperty("look", "field")
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(6)
        self._dress()
        self.setFixedHeight(least)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        self.textChanged.connect(self._dress)

    def _dress(self) -> None:
        text = self.toPlainText()
        chinese = is_chinese(text) if text.strip() else None
        if chinese != self._chinese or not text:
            self._chinese = chinese
            self.setFont(theme.font(theme.ITEM_PX - 1, chinese=chinese))

    def _grow(self, size: QSizeF) -> None:
        wanted = max(self._least, min(_TALLEST, round(size.height()) + 4))
        if wanted != self.height():
            self.setFixedHeight(wanted)

    def show_text(self, text: str) -> None:
        """Replace the text without telling anybody."""
        if text != self.toPlainText():
            blocked = self.blockSignals(True)
            self.setPlainText(text)
            self.blockSignals(blocked)
            self._dress()


class Choice(ChoiceBox):
    """A choice whose entries are found by typing."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty(TYPED_INTO, True)


class _Field:
    """One field and its value in both directions; lists have one entry a line."""

    def __init__(self, field: FormField, options: Sequence[str]) -> None:
        self.field = field
        self._plain_list = True
        self._indexed = field.kind == "choice"
        choices = tuple(field.options) or tuple(options)
        self.widget: GrowingText | QLineEdit | Choice
        if choices:
            self.widget = Choice()
            self.widget.addItems(["", *choices])
        elif field.kind in _LEAST:
            self.widget = GrowingText(_LEAST[field.kind])
        else:
            self.widget = QLineEdit()
            self.widget.setFont(theme.font(theme.ITEM_PX - 1))
        self.widget.setAccessibleName(field.title)
        if field.help:
            self.widget.setToolTip(field.help)

    def show(self, value: Any) -> None:
        """Show a value of the payload; None and nothing are an empty field."""
        if isinstance(self.widget, Choice):
            self._show_choice(value)
            return
        if self.field.kind == "list":
            parts = value if isinstance(value, list | tuple) else []
            # an entry of several lines is written as JSON, so that it stays one entry
            self._plain_list = all(isinstance(part, str) and "\n" not in part for part in parts)
            lines = [p if self._plain_list else json.dumps(p, ensure_ascii=False) for p in parts]
            text = "\n".join(lines)
        else:
            text = "" if value is None else str(value)
        if isinstance(self.widget, GrowingText):
            self.widget.show_text(text)
        else:
            blocked = self.widget.blockSignals(True)
            self.widget.setText(text)
            self.widget.setCursorPosition(0)
            self.widget.blockSignals(blocked)

    def _show_choice(self, value: Any) -> None:
        box = self.widget
        assert isinstance(box, Choice)
        blocked = box.blockSignals(True)
        if self._indexed and isinstance(value, int):
            box.setCurrentIndex(value + 1 if 0 <= value < box.count() - 1 else 0)
        else:
            text = "" if value is None else str(value)
            if box.findText(text) < 0:
                box.addItem(text)
            box.setCurrentText(text)
        box.blockSignals(blocked)

    @property
    def text(self) -> str:
        """What stands in the field."""
        if isinstance(self.widget, GrowingText):
            return self.widget.toPlainText()
        return self.widget.currentText() if isinstance(self.widget, Choice) else self.widget.text()

    def value(self) -> Any:
        """The value for the payload."""
        if self._indexed and isinstance(self.widget, Choice):
            return self.widget.currentIndex() - 1
        if self.field.kind == "list":
            lines = [line.strip() for line in self.text.splitlines() if line.strip()]
            return lines if self._plain_list else [_entry(line) for line in lines]
        if self.field.kind == "number":
            return _number(self.text)
        return self.text


def _entry(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line


def _number(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


class FamilyForm(QScrollArea):
    """The fields of one family's form; the optional ones behind a button."""

    edited = Signal()
    refused = Signal()
    """Somebody wrote while the form is closed: what was written is not taken."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open = True
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._fields: list[_Field] = []
        self._base: dict[str, Any] = {}
        self._more = QToolButton()
        self._rest = QWidget()
        self._shape: tuple[Sequence[FormField], Sequence[str]] | None = None

    def build(self, fields: Sequence[FormField], labels: Sequence[str] = ()) -> None:
        """Rebuild the fields, unless they are these already. ``labels`` is the label space."""
        shape = (tuple(fields), tuple(labels))
        if shape == self._shape:
            return
        self._shape = shape
        page = QWidget()
        page.setProperty("look", "page")
        layout = column(page, spacing=4)
        layout.setContentsMargins(24, 12, 24, 16)
        self._rest = QWidget()
        rest = column(self._rest, spacing=4)
        self._fields = [_Field(f, labels if f.path == "label" else ()) for f in fields]
        for entry in self._fields:
            shown = entry.field.required or (entry.field.path == "label" and bool(labels))
            home = layout if shown else rest
            head = caption(entry.field.title)
            head.setBuddy(entry.widget)
            home.addWidget(head)
            home.addWidget(entry.widget)
            home.addSpacing(10)
            self._listen(entry.widget)
        self._more = QToolButton()
        self._more.setProperty("look", "flat")
        self._more.setCheckable(True)
        self._more.setFont(theme.font(theme.SMALL_PX))
        self._more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._more.toggled.connect(self._show_more)
        layout.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self._rest)
        layout.addStretch(1)
        self._show_more(False)
        self._more.setVisible(any(not entry.field.required for entry in self._fields))
        self.setWidget(page)

    def lead_to(self, *after: QWidget) -> None:
        """Let Tab go from field to field as they are read, and from the last one to these."""
        shown: list[QWidget] = []
        hidden: list[QWidget] = []
        for entry in self._fields:
            (hidden if self._rest.isAncestorOf(entry.widget) else shown).append(entry.widget)
        for before, next_ in pairwise([*shown, self._more, *hidden, *after]):
            QWidget.setTabOrder(before, next_)

    def _listen(self, widget: QWidget) -> None:
        widget.installEventFilter(self)
        if isinstance(widget, Choice):
            widget.currentIndexChanged.connect(self._on_edited)
        elif isinstance(widget, GrowingText | QLineEdit):
            widget.textChanged.connect(self._on_edited)
        if isinstance(widget, GrowingText):
            widget.viewport().installEventFilter(self)

    def _on_edited(self) -> None:
        self.edited.emit()

    def _show_more(self, shown: bool) -> None:
        self._rest.setVisible(shown)
        self._more.setText(tr("Fewer fields ▴") if shown else tr("More fields ▾"))

    def fill(self, payload: Mapping[str, Any]) -> None:
        """Show a payload; what no field shows is kept for ``payload``."""
        self._base = dict(payload)
        for entry in self._fields:
            entry.show(payload.get(entry.field.path))

    def put(self, path: str, value: Any) -> None:
        """Write one field as a person would."""
        for entry in self._fields:
            if entry.field.path == path:
                entry.show(value)
                self.edited.emit()

    def payload(self) -> dict[str, Any]:
        """What the form says; optional fields that are empty are left as they were or out."""
        payload = dict(self._base)
        for entry in self._fields:
            value = entry.value()
            if value not in ("", []) or entry.field.required or entry.field.path in payload:
                payload[entry.field.path] = value
        return payload

    def lacking(self) -> list[str]:
        """Titles of the needed fields that are empty, each marked where it stands."""
        return [
            entry.field.title
            for entry in self._fields
            if entry.field.required and not entry.text.strip()
        ]

    def allow(self, writing: bool) -> None:
        """Whether the fields can be written in now; the one that has the focus keeps it.

        A field that was disabled would let go of the focus, and the letters that are typed on
        would be keys of the panel.
        """
        self._open = writing
        for entry in self._fields:
            if isinstance(entry.widget, Choice) and not writing:
                entry.widget.hidePopup()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take nothing that is typed, pasted or chosen while the form is closed, and say so."""
        if self._open or event.type() not in _CHANGING:
            return super().eventFilter(watched, event)
        if isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            return super().eventFilter(watched, event)
        if isinstance(event, QDropEvent):  # what was dragged here stays where it came from
            event.ignore()
        self.refused.emit()
        return True

    def field(self, path: str) -> QWidget | None:
        """The widget of a field, None where the form has none of that path."""
        return next((e.widget for e in self._fields if e.field.path == path), None)

    def enter(self) -> None:
        """Put the focus in the first needed field that is empty, else in the first."""
        empty = (e for e in self._fields if e.field.required and not e.text.strip())
        chosen = next(empty, self._fields[0] if self._fields else None)
        if chosen is not None:
            chosen.widget.setFocus(Qt.FocusReason.OtherFocusReason)
            self.ensureWidgetVisible(chosen.widget)
