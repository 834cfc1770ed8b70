"""What stands in an empty workspace: the three ways in which items come into it."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from core.i18n import tr
from gui.widgets.elements import column, frame, heading, label, row, scrolled

_WIDEST = 720


class WaysIn(QWidget):
    """One card for each way, with the button that goes it."""

    chosen = Signal(object)
    """``import``, ``generate`` or ``write``."""

    def __init__(self) -> None:
        super().__init__()
        page = QWidget()
        page.setProperty("look", "page")
        page.setMaximumWidth(_WIDEST)
        inner = column(page, margin=24, spacing=12)
        inner.addWidget(heading(tr("Where do your items come from?")))
        self.buttons: dict[str, QPushButton] = {}
        for way, title, about, button in (
            (
                "import",
                tr("From a file"),
                tr("CSV, Excel, JSON lines, Parquet, Label Studio, doccano and others. You see "
                   "what is in the file, and what is wrong with it, before anything is imported."),
                tr("Import a file…"),
            ),
            (
                "generate",
                tr("From articles"),
                tr("Sequencing, cloze and prediction items are made from LaTeX, arXiv, Markdown "
                   "or plain text files."),
                tr("Generate from articles…"),
            ),
            (
                "write",
                tr("Written by your team"),
                tr("You describe a task with its guideline and labels; people write its items in "
                   "a form that checks them."),
                tr("Write items…"),
            ),
        ):  # fmt: skip
            inner.addWidget(self._card(way, title, about, button))
        inner.addStretch(1)
        holder = QWidget()
        holder.setProperty("look", "page")
        around = row(holder)
        around.addStretch(1)
        around.addWidget(page, 8)
        around.addStretch(1)
        column(self).addWidget(scrolled(holder))

    def _card(self, way: str, title: str, about: str, button: str) -> QWidget:
        card = frame("card")
        line = row(card, margin=16, spacing=16)
        words = QVBoxLayout()
        line.addLayout(words, 1)
        words.addWidget(label(title, bold=True))
        words.addWidget(label(about, ink="muted", wrap=True))
        press = QPushButton(button)
        press.setObjectName(way)
        press.setAutoDefault(True)
        press.setMinimumWidth(210)
        press.clicked.connect(self._on_pressed)
        self.buttons[way] = press
        line.addWidget(press)
        return card

    def _on_pressed(self) -> None:
        self.chosen.emit(self.sender().objectName())

    def showEvent(self, event: QShowEvent) -> None:
        """Enter goes the first way."""
        super().showEvent(event)
        self.buttons["import"].setFocus()
