"""Opening a split under its policy: for which model, and why."""

from functools import partial

from PySide6.QtWidgets import QGridLayout, QLineEdit, QPushButton, QWidget

from core.i18n import tr
from core.workflow.splits import lifecycle
from gui.context import WindowContext
from gui.panels.splits.key_dialog import KeyFields, with_key
from gui.widgets.elements import caption, label
from gui.widgets.sheet import Sheet


class OpenDialog(Sheet):
    """What the policy refuses is said here, and what was typed stays."""

    def __init__(
        self, context: WindowContext, split: str, parent: QWidget, *, locked: bool = False
    ) -> None:
        """``locked`` items are encrypted in the workspace: a key is asked for as well."""
        super().__init__(parent, tr("Open the split?"), (620, 380 if locked else 300))
        self._context, self._split = context, split
        self.keys = KeyFields()
        self._busy = False
        self.model, self.reason = QLineEdit(), QLineEdit()
        self.cancel, self.act = QPushButton(tr("Cancel")), QPushButton(tr("Open"))
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
        self.act.setProperty("look", "filled")
        last.addStretch(1)
        for button, slot in ((self.cancel, self.reject), (self.act, self.run)):
            button.clicked.connect(slot)
            last.addWidget(button)
        self.ctrl_enter_presses(self.act)
        self.focus_first(self.model)

    def run(self) -> None:
        """Open the split for the model that was named."""
        if self._busy:
            return
        self._busy = True
        self.act.setEnabled(False)
        context = self._context
        work = partial(lifecycle.open_split, context.workspace, self._split, context.person.name,
                       self.reason.text().strip(), self.model.text().strip())  # fmt: skip
        context.write(
            self, with_key(self.keys, work), self._on_opened, self._on_refused, lane="background"
        )

    def _on_opened(self, _life: object) -> None:
        self.keys.passphrase.clear()
        self.accept()

    def _on_refused(self, sentence: str) -> None:
        self._busy = False
        self.act.setEnabled(True)
        field = self.model if self.reason.text().strip() else self.reason
        is_named = self.reason.text().strip() and self.model.text().strip()
        self.say_trouble(
            sentence, self.keys.files if is_named and not self.keys.isHidden() else field
        )
