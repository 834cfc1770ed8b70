"""The items behind a mark: a list that leads to each of them."""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QDialog, QLayout, QWidget

from core.text import tr
from core.workflow.boards.asking import Listed
from gui import i18n, words
from gui.models.table import Column, TableModel
from gui.widgets.table import Table
from gui.widgets.words import column, heading, label


class BehindDialog(QDialog):
    """Number, task and state of each item; Enter or a double click opens one."""

    chosen = Signal(object)
    """Number of the item that is wanted."""

    def __init__(self, what: str, listed: Listed, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Items behind the mark"))
        self.resize(560, 560)
        self.listed = listed
        title = heading(what)
        title.setWordWrap(True)
        said = (
            tr("{count} items", count=i18n.number(listed.total))
            if listed.total == len(listed.rows)
            else tr(
                "{count} items; the first {shown} are listed",
                count=i18n.number(listed.total),
                shown=i18n.number(len(listed.rows)),
            )
        )
        model = TableModel((), self)
        model.show_rows(
            (
                Column(tr("Item"), 100),
                Column(tr("Task"), 260),
                Column(tr("State"), 140),
            ),
            [
                (f"#{one.number}", one.task, words.word(words.ITEM_STATES, one.state))
                for one in listed.rows
            ],
        )
        self.table = Table(model)
        self.table.activated.connect(self._on_activated)
        layout = column(self, margin=16, spacing=8)
        layout.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        layout.addWidget(title)
        layout.addWidget(label(said, ink="muted"))
        layout.addWidget(self.table, 1)
        if listed.rows:
            self.table.selectRow(0)

    def _on_activated(self, index: QModelIndex) -> None:
        number = self.listed.rows[index.row()].number
        self.accept()
        self.chosen.emit(number)
