"""Imports that have not come to their end, which a lead may give up."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from core.i18n import tr, trn
from core.workflow.production import hidden_items
from core.workflow.rights import Action
from gui.context import WindowContext
from gui.widgets.elements import caption, column, label


class UnfinishedImports(QWidget):
    """A sentence and a button for each file; nothing where all imports have ended."""

    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._layout = column(self, spacing=8)
        self._layout.addWidget(caption(tr("Unfinished imports")))
        self._entries: list[QWidget] = []
        self.says = label("", ink="return", wrap=True)
        self.says.hide()
        self._layout.addWidget(self.says)
        self.hide()

    def refresh(self) -> None:
        """Look which there are; who may not give one up is not asked to."""
        if self._context.may(Action.EDIT_TASK):
            work = partial(hidden_items.unfinished_files, self._context.workspace)
            self._context.ask(self, work, self._show, topic="unfinished imports")

    def _show(self, files: Mapping[str, int]) -> None:
        for entry in self._entries:
            entry.deleteLater()
        self._entries = [self._entry(file, count) for file, count in files.items()]
        for entry in self._entries:
            self._layout.addWidget(entry)
        self.setVisible(bool(files))

    def _entry(self, file: str, count: int) -> QWidget:
        entry = QWidget(self)
        layout = column(entry, spacing=4)
        words = trn(
            "“{file}” is being imported, or its import was interrupted: 1 item is hidden. If it "
            "is no longer running, start it again to finish it.",
            "“{file}” is being imported, or its import was interrupted: {n} items are hidden. If "
            "it is no longer running, start it again to finish it.",
            count,
            file=file,
        )
        layout.addWidget(label(words, ink="muted", wrap=True))
        button = QPushButton(tr("Give up this import"))
        button.setObjectName(f"give up {file}")
        button.setToolTip(tr("Its items stay hidden, and it is no longer listed"))
        button.clicked.connect(partial(self._give_up, file))
        layout.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        return entry

    def _give_up(self, file: str, _checked: bool = False) -> None:
        self.says.hide()
        name = self._context.person.name
        work = partial(hidden_items.give_up, self._context.workspace, name, file)
        self._context.write(self, work, self._on_given_up, self._on_failed)

    def _on_given_up(self, _count: int) -> None:
        self.refresh()

    def _on_failed(self, sentence: str) -> None:
        self.says.setText(sentence)
        self.says.show()
