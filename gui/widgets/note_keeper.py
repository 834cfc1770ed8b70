"""A note that belongs to an item: kept while it is written, there again when the item is."""

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from core.workflow.check import notes
from gui.context import WindowContext
from gui.timers import single_shot

_KEEP_MS = 800
"""While somebody writes, the note is kept this often."""


class NoteKeeper(QObject):
    """Fills a field with what somebody was writing about an item, and keeps what they write."""

    def __init__(
        self, context: WindowContext, place: str, field: QPlainTextEdit, owner: QObject
    ) -> None:
        """``place`` is where the note is written; one person has one note on an item there."""
        super().__init__(owner)
        self._context, self._place, self._field = context, place, field
        self._number = 0
        self._changed = False
        self._known: dict[int, str] | None = None
        self._timer = single_shot(self, _KEEP_MS, self.keep)
        field.textChanged.connect(self._on_typed)

    def show_item(self, number: int, usual: str = "") -> None:
        """Another item is in front: its note, or ``usual`` where nothing was written on it."""
        if number == self._number:
            return
        self.keep()
        self._number = number
        self._write((self._known or {}).get(number, "") or usual)
        if self._known is None:
            context = self._context
            work = partial(notes.kept_notes, context.workspace, context.person.name, self._place)
            context.ask(self, work, self._on_kept, context.complain, topic="notes")

    def read_again(self) -> None:
        """Something was taken back: what was written beside it waits to be read."""
        self.keep()
        self._known = None
        self._number = 0

    def add_known(self, kept: dict[int, str]) -> None:
        """What was read of the notes that are being written."""
        self._known = {**kept, **(self._known or {})}

    def _on_kept(self, kept: dict[int, str]) -> None:
        self.add_known(kept)
        if not self._changed and not self._field.toPlainText():
            self._write(kept.get(self._number, ""))

    def _write(self, text: str) -> None:
        if self._field.toPlainText() != text:
            blocked = self._field.blockSignals(True)
            self._field.setPlainText(text)
            self._field.blockSignals(blocked)
            self._field.moveCursor(QTextCursor.MoveOperation.End)

    def _on_typed(self) -> None:
        self._changed = True
        if not self._timer.isActive():
            self._timer.start()

    def keep(self) -> None:
        """Keep what stands in the field, now; nothing happens when it is kept already."""
        self._timer.stop()
        if not self._changed or not self._number:
            return
        self._changed = False
        number, text = self._number, self._field.toPlainText().strip()
        self._known = {**(self._known or {}), number: text}
        context = self._context
        work = partial(
            notes.keep_note, context.workspace, context.person.name, self._place, number, text
        )
        context.write(self, work, _nothing, context.complain)

    def forget(self) -> None:
        """What was written was handed in with the decision, or the item is another person's."""
        self._timer.stop()
        self._changed = False
        if self._known is not None:
            self._known.pop(self._number, None)
        self._number = 0


def _nothing(_value: object) -> None:
    """The note is kept."""
