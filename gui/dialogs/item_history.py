"""The life of one item in a window of its own, and the button that shows what is hidden."""

from functools import partial

from PySide6.QtWidgets import QPushButton, QWidget

from core.i18n import tr
from core.workflow.check import blinding
from core.workflow.items import history
from core.workflow.items.history import ItemHistory
from core.workflow.rights import Action
from gui.context import WindowContext
from gui.dialogs.confirm import ask_reveal
from gui.documents.item_history_page import history_document
from gui.widgets.elements import column, frame, label, row
from gui.widgets.page import ItemPage
from gui.widgets.sheet import Sheet


class ItemHistoryDialog(Sheet):
    """Payload, revisions with differences, decisions, scores, answers and ledger."""

    def __init__(self, item_history: ItemHistory, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent, tr("Item #{number}", number=item_history.number), (760, 720))
        self._context = context
        self.page = ItemPage()
        self.hidden = frame("strip")
        self.reveal = QPushButton(tr("Show hidden details…"))
        self.reveal.setAutoDefault(False)
        self.reveal.clicked.connect(self._ask_reveal)
        self._why = label("", ink="muted", wrap=True)
        line = row(self.hidden, spacing=12)
        line.setContentsMargins(24, 8, 24, 8)
        line.addWidget(self._why, 1)
        line.addWidget(self.reveal)
        self.trace_button = QPushButton(tr("Trace the rewriting step by step…"))
        self.trace_button.setAutoDefault(False)
        self.trace_button.clicked.connect(self._open_trace)
        below = row()
        below.setContentsMargins(24, 8, 24, 8)
        below.addWidget(self.trace_button)
        below.addStretch(1)
        layout = column(self, spacing=0)
        layout.addWidget(self.page, 1)
        layout.addLayout(below)
        layout.addWidget(self.hidden)
        self.show_history(item_history)
        self.focus_first(self.page)

    def show_history(self, shown: ItemHistory) -> None:
        """Write the life down, and say when something of it is hidden."""
        self.item_history = shown
        self.page.turn_to(history_document(shown, self._context.colours))
        may = self._context.may(Action.REVEAL)
        self._why.setText(
            tr(
                "The author, score and decisions of others are hidden during review. "
                "Showing them is recorded, and you can then neither review, adjudicate nor rate "
                "this revision."
            )
            if may
            else tr("The score and decisions of others are hidden until the review is over.")
            if shown.own
            else tr("The author, score and decisions of others are hidden until you have decided.")
        )
        self.hidden.setVisible(shown.hidden)
        first = shown.revisions[0].content
        made_here = first.family == "rewrite" and bool(first.provenance.get("run"))
        self.trace_button.setVisible(made_here and not shown.hidden)
        self.reveal.setVisible(may)
        self.reveal.setEnabled(True)

    def _open_trace(self) -> None:
        from gui.dialogs.rewrite_trace import open_trace

        open_trace(self._context, str(self.item_history.number), self)

    def _ask_reveal(self) -> None:
        ask_reveal(self, self.item_history.number, self._on_reveal)

    def _on_reveal(self, _reason: str = "") -> None:
        self.reveal.setEnabled(False)
        work = partial(_revealed, self._context, self.item_history.number)
        self._context.write(self, work, self._on_revealed, self._fail)

    def _on_revealed(self, shown: ItemHistory) -> None:
        self.show_history(shown)

    def _fail(self, sentence: str) -> None:
        self._why.setText(sentence)
        self.reveal.setEnabled(True)


def _revealed(context: WindowContext, number: int) -> ItemHistory:
    blinding.reveal(context.workspace, context.person.name, number)
    return history.item_history(context.workspace, number, context.person.name)


def open_history(context: WindowContext, number: int, parent: QWidget) -> None:
    """Read the life of an item as this person may see it, and show it."""
    work = partial(history.item_history, context.workspace, number, context.person.name)
    show = partial(_show, context, parent)
    context.ask(parent, work, show, context.complain, topic="life of one", lane="background")


def _show(context: WindowContext, parent: QWidget, shown: ItemHistory) -> None:
    ItemHistoryDialog(shown, context, parent).open()
