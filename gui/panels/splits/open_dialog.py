"""Opening a split under its policy: for which model, and why."""

from functools import partial

from PySide6.QtWidgets import QGridLayout, QLineEdit, QWidget
from typing_extensions import override

from core.i18n import tr
from core.workflow.splits import lifecycle
from gui.context import WindowContext
from gui.panels.splits.key_dialog import KeySheet, Work
from gui.widgets.elements import caption, label


class OpenDialog(KeySheet):
    """What the policy refuses is said here, and what was typed stays."""

    def __init__(
        self, context: WindowContext, split: str, parent: QWidget, *, locked: bool = False
    ) -> None:
        """``locked`` items are encrypted in the workspace: a key is asked for as well."""
        size = (620, 380 if locked else 300)
        super().__init__(context, tr("Open the split?"), tr("Open"), parent, size)
        self._split = split
        self.model, self.reason = QLineEdit(), QLineEdit()
        layout, last = self.with_body(margin=20, spacing=10)
        layout.addWidget(label(
            tr("This opening allows one evaluation of one model. It is counted and cannot be taken "
               "back; a second one for the same model needs a second lead."), wrap=True,
        ))  # fmt: skip
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        for line, (title, field) in enumerate((
            (tr("Model, as the evaluation names it"), self.model),
            (tr("Reason for opening it"), self.reason),
        )):  # fmt: skip
            field.setAccessibleName(title)
            grid.addWidget(caption(title), line, 0)
            grid.addWidget(field, line, 1)
        grid.setColumnStretch(1, 1)
        layout.addLayout(grid)
        layout.addWidget(self.keys)
        self.keys.setVisible(locked)
        self.keys.line_up_with(grid)
        layout.addStretch(1)
        self._end_with_buttons(last)
        self.focus_first(self.model)

    @override
    def _work_now(self) -> Work:
        return partial(
            lifecycle.open_split, self._context.workspace, self._split, self._context.person.name,
            self.reason.text().strip(), self.model.text().strip(),
        )  # fmt: skip

    @override
    def _to_mend(self) -> QWidget:
        reason, model = self.reason.text().strip(), self.model.text().strip()
        if reason and model and not self.keys.isHidden():
            return self.keys.files
        return self.model if reason else self.reason
