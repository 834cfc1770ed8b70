"""The words that invite somebody: to copy, or to save as a file."""

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton, QWidget

from core.files import write_atomic
from core.i18n import tr
from gui.context import WindowContext
from gui.widgets.elements import label
from gui.widgets.file_dialogs import ask_where
from gui.widgets.sheet import Sheet


class InviteDialog(Sheet):
    """The text can be changed before it is sent; it holds no password. ``note`` is for who sends
    it, and not part of it."""

    def __init__(
        self, context: WindowContext, name: str, text: str, parent: QWidget, note: str = ""
    ) -> None:
        super().__init__(parent, tr("Invite {name}", name=name), (620, 440))
        self._context, self._name = context, name
        layout, last = self.with_body(margin=20, spacing=10)
        hint = tr("Send this text by mail or chat. It contains no password.")
        layout.addWidget(label(hint, ink="muted", wrap=True))
        self.text = QPlainTextEdit(text)
        self.text.setAccessibleName(tr("Invitation"))
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(160)
        layout.addWidget(self.text, 1)
        self.note = label(note, wrap=True)
        self.note.setVisible(bool(note))
        layout.addWidget(self.note)
        self.says = label("", ink="muted", wrap=True)
        last.addWidget(self.says, 1)
        self.keep_file = QPushButton(tr("Save as a file…"))
        self.copy = QPushButton(tr("Copy the text"))
        self.copy.setProperty("look", "filled")
        for button, slot in ((self.keep_file, self.choose_file), (self.copy, self.copy_text)):
            button.clicked.connect(slot)
            last.addWidget(button)
        self.focus_first(self.copy)
        self.enter_presses(self.copy)

    def copy_text(self) -> None:
        """Put the text into the clipboard."""
        QApplication.clipboard().setText(self.text.toPlainText())
        self._keep(tr("Copied."))

    def choose_file(self) -> None:
        """Ask where the text should go."""
        name = f"{self._name}.txt"
        ask_where(self, tr("Save the invitation"), name, self._write)

    def _write(self, path: str) -> None:
        work = partial(write_atomic, Path(path), self.text.toPlainText(), for_others=True)
        done = partial(self._on_written, path)
        self._context.ask(self, work, done, self.says.setText, topic="file")

    def _on_written(self, path: str, _nothing: None) -> None:
        self._keep(tr("Written to {path}.", path=path))

    def _keep(self, words: str) -> None:
        """What was typed is where it was meant to go."""
        self.text.document().setModified(False)
        self.says.setText(words)
