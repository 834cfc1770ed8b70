"""An item's journey through a rewriting run, opened step by step with prompts and replies.

``open_trace`` is how any panel shows it.
"""

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from core.i18n import tr
from core.rewriting.trace import Trace
from gui.context import WindowContext
from gui.documents.rewrite_trace_page import overview_document, step_document, step_title
from gui.widgets.elements import column, label, set_ink, side_by_side
from gui.widgets.page import ItemPage
from gui.widgets.sheet import Sheet


class RewriteTraceDialog(Sheet):
    """The steps on the left, what was asked and answered on the right.

    ``read`` fetches the journey; it is called on a worker.
    """

    def __init__(
        self, context: WindowContext, title: str, read: Callable[[], Trace], parent: QWidget | None
    ) -> None:
        super().__init__(parent, tr("Trace of {item}", item=title), (1040, 720))
        self._context = context
        self.trace: Trace | None = None
        self.says = label(tr("Reading…"), ink="muted", wrap=True)
        self.steps = QListWidget()
        self.steps.setAccessibleName(tr("Steps"))
        self.steps.currentRowChanged.connect(self._show_step)
        self.page = ItemPage()
        split = side_by_side(self.steps, self.page, widths=(300, 740))
        split.setStretchFactor(1, 1)
        self.focus_first(self.steps)
        layout = column(self, margin=16, spacing=8)
        layout.addWidget(self.says)
        layout.addWidget(split, 1)
        context.ask(self, read, self._on_trace, self._fail, topic="journey", lane="background")

    def _on_trace(self, trace: Trace) -> None:
        self.trace = trace
        self.says.setVisible(False)
        self.steps.addItem(tr("Complete trace"))
        colours = self._context.colours
        for step in trace.steps:
            good = step.outcome == "ok" and not (step.query and not step.facts)
            entry = QListWidgetItem(step_title(step) if good else f"✕ {step_title(step)}")
            if not good:
                entry.setForeground(QColor(colours.reject))
            self.steps.addItem(entry)
        self.steps.setCurrentRow(0)
        self.steps.setFocus()

    def _show_step(self, row: int) -> None:
        trace = self.trace
        if trace is None or not 0 <= row <= len(trace.steps):
            return
        colours, width = self._context.colours, self.page.measure
        if row == 0:
            self.page.turn_to(overview_document(trace, colours, width))
        else:
            self.page.turn_to(step_document(trace.steps[row - 1], colours, width))

    def _fail(self, sentence: str) -> None:
        self.says.setText(sentence)
        set_ink(self.says, "reject")


def open_trace(
    context: WindowContext, item: str, parent: QWidget, *, run: str = ""
) -> RewriteTraceDialog:
    """Open the journey of an item: its number in the workspace, or its base id and a run."""
    from core.workflow.production import rewrite_runs

    read = partial(rewrite_runs.trace, context.workspace, item, run)
    dialog = RewriteTraceDialog(context, item, read, parent)
    dialog.open()
    return dialog
