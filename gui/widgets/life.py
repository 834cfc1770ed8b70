"""The life of one item in a window of its own."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from core.text import tr
from core.workflow.look import ItemLife
from gui.editors.life import life_document
from gui.theme import Tokens
from gui.widgets.page import ItemPage
from gui.widgets.words import column


class LifeDialog(QDialog):
    """Payload, revisions with differences, decisions, scores, answers and ledger."""

    def __init__(self, life: ItemLife, colours: Tokens, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Item #{number}", number=life.number))
        self.resize(760, 720)
        self.page = ItemPage()
        self.page.turn_to(life_document(life, colours))
        column(self).addWidget(self.page)
