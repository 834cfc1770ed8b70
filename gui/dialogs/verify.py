"""What verifying found: the chain of the ledger, every item's state, every frozen split."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from core.i18n import tr, trn
from core.workflow.labels import FINDINGS, word
from core.workflow.verify.checks import verify
from core.workflow.verify.findings import Verified
from gui.context import WindowContext
from gui.widgets.elements import column, heading, label, set_ink
from gui.widgets.sheet import Sheet
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable


class VerifyDialog(Sheet):
    """One sentence, and the findings where there are any."""

    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent, tr("Verify the ledger and every item"), (720, 420))
        self.title = heading(tr("Verifying the ledger …"))
        self.title.setWordWrap(True)
        self.says = label("", ink="muted", wrap=True)
        self.model = TableModel((), self)
        self.table = ReadingTable(self.model)
        self.table.hide()
        layout = column(self, margin=24, spacing=12)
        layout.addWidget(self.title)
        layout.addWidget(self.says)
        layout.addWidget(self.table, 1)
        layout.addStretch(1)
        close = QPushButton(tr("Close"))
        close.clicked.connect(self.reject)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        self.focus_first(close)
        self.enter_presses(close)
        work = partial(verify, context.workspace)
        context.ask(self, work, self._show, self._fail, topic="verify", lane="background")

    def _fail(self, sentence: str) -> None:
        self.title.setText(tr("Verification could not be completed."))
        self.says.setText(sentence)
        set_ink(self.says, "reject")

    def _show(self, result: Verified) -> None:
        self.says.setText(
            tr(
                "Recomputed {events}, {items}, {revisions} and {splits}.",
                events=trn("1 event", "{n} events", result.events),
                items=trn("1 item", "{n} items", result.items),
                revisions=trn("1 revision", "{n} revisions", result.revisions),
                splits=trn("1 split", "{n} splits", result.splits),
            )
        )
        if result.notes:
            self.says.setText("\n".join([self.says.text(), *result.notes[:20]]))
        if result.sound:
            self.title.setText(tr("✓ No problems found."))
            return
        count = len(result.findings)
        self.title.setText(trn("✕ 1 problem found.", "✕ {n} problems found.", count))
        columns = (Column(tr("What"), 90), Column(tr("Where"), 140), Column(tr("Problem"), 420))
        rows = [(word(FINDINGS, f.kind), f.subject, f.detail) for f in result.findings[:1000]]
        self.model.show_rows(columns, rows)
        self.table.show()
        self.table.fit_columns()
