"""What came of a work package's file: which decisions were taken, and why others were not."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QPushButton, QWidget

from core.i18n import joined_clauses, tr, trn
from core.workflow.check.outbox import KeptDecision, what_of
from core.workflow.items.search import Filters
from core.workflow.packages.bring_in import BroughtIn
from core.workflow.rights import Action
from gui import i18n, labels
from gui.context import WindowContext
from gui.widgets.elements import label
from gui.widgets.sheet import Sheet
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable

_TABLE_PX = 180


class BroughtInDialog(Sheet):
    """What was refused comes first; a button lists its items, or all of them where nothing was."""

    def __init__(self, context: WindowContext, came: BroughtIn, parent: QWidget) -> None:
        super().__init__(parent, tr("Imported from {name}", name=came.person), (760, 420))
        self._context = context
        rows = (
            *((tr("not taken"), kept) for kept in came.refused),
            *((tr("taken"), kept) for kept in came.taken),
            *((tr("there already"), kept) for kept in came.known),
        )
        self.numbers = _numbers(came.refused) or _numbers([kept for _, kept in rows])
        layout, foot = self.with_body(margin=20, spacing=10)
        self.says = label(_said(came), wrap=True)
        layout.addWidget(self.says)
        self.table = TableModel((), self)
        self.view = ReadingTable(self.table)
        self.view.setAccessibleName(tr("Decisions"))
        self.view.setMinimumHeight(_TABLE_PX)
        self.table.show_rows(
            (
                Column("#", 70, number=True),
                Column(tr("Decision"), 120),
                Column(tr("Made"), 150, short=True),
                Column(tr("Result"), 110, short=True),
                Column(tr("Why not"), 280),
            ),
            [(f"#{kept.number}", _verdict(kept), i18n.stamp(kept.made), word,
              kept.refusal) for word, kept in rows],
        )  # fmt: skip
        layout.addWidget(self.view, 1)
        self.view.setVisible(bool(rows))
        self._refusals = [kept.refusal for _, kept in rows]
        self.why = label("", ink="reject", wrap=True, selectable=True)
        layout.addWidget(self.why)
        layout.addStretch(0)  # where there is no table, which else takes all the room
        self.view.selectionModel().currentRowChanged.connect(self._show_why)
        self.view.selectRow(0)
        self.list = QPushButton(
            tr("List what was not taken") if came.refused else tr("List the items")
        )
        self.list.setVisible(bool(rows) and context.may(Action.SEE_ITEMS))
        self.list.clicked.connect(self.list_items)
        self.leave = QPushButton(tr("Close"))
        self.leave.clicked.connect(self.reject)
        foot.addWidget(self.list)
        foot.addStretch(1)
        foot.addWidget(self.leave)
        self.focus_first(self.view if came.refused else self.leave)
        self.enter_presses(self.leave)

    def _show_why(self, now: QModelIndex, _before: QModelIndex) -> None:
        """The whole reason of the decision in front, which its cell may cut."""
        self.why.setText(self._refusals[now.row()] if now.isValid() else "")

    def list_items(self) -> None:
        """Leave for the list of these items."""
        parent = self.parentWidget()
        self.drop()
        if isinstance(parent, Sheet):
            parent.drop()
        self._context.go_to("items", Filters(numbers=self.numbers))


def _numbers(decisions: Sequence[KeptDecision]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(kept.number for kept in decisions))


def _verdict(kept: KeptDecision) -> str:
    return labels.word(labels.VERDICT_NAMES, kept.verdict) if kept.verdict else what_of(kept)


def _said(came: BroughtIn) -> str:
    if not (came.taken or came.known or came.refused):
        return tr("Nothing was decided in it.")
    counts = (
        trn("1 decision was taken", "{n} decisions were taken", len(came.taken)),
        *([trn("1 was there already", "{n} were there already", len(came.known))]
          if came.known else []),
        *([trn("1 was not taken", "{n} were not taken", len(came.refused))]
          if came.refused else []),
    )  # fmt: skip
    return tr("{counts}.", counts=joined_clauses(counts))
