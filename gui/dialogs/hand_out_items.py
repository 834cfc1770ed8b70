"""Handing items out in a work package: to whom, of which task, how many, and for how long."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit, QPushButton, QWidget

from core.errors import InputError
from core.i18n import tr
from core.workflow.packages.hand_out import (
    MOST_DAYS,
    MOST_ITEMS,
    HandedOut,
    PackageOrder,
    check_recipient,
    hand_out,
)
from core.workflow.team import Team
from gui import theme
from gui.context import WindowContext
from gui.widgets.elements import label
from gui.widgets.file_dialogs import ask_where
from gui.widgets.sheet import Sheet
from gui.widgets.steady_fields import ChoiceBox, NumberBox


class HandOutDialog(Sheet):
    """``handed`` is emitted with the path and the ``HandedOut``; what is wrong is said here."""

    handed = Signal(str, object)

    def __init__(self, context: WindowContext, known: Team, parent: QWidget) -> None:
        super().__init__(parent, tr("Hand out items"), (560, 380))
        self._context = context
        self.person, self.task = ChoiceBox(), ChoiceBox()
        for member in known.members:
            if member.active and member.pause is None:
                self.person.addItem(member.name)
        self.task.addItem(tr("every task"), "")
        for name in known.tasks:
            self.task.addItem(name, name)
        self.key = QLineEdit()
        self.items, self.days = NumberBox(), NumberBox()
        self.cancel, self.act = QPushButton(tr("Cancel")), QPushButton(tr("Choose a file…"))
        self._build()
        self.focus_first(self.person)
        self.enter_presses(self.act)

    def _build(self) -> None:
        layout, last = self.with_body(margin=20, spacing=10)
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.key.setPlaceholderText(tr("begins with age1"))
        for count, most, usual in ((self.items, MOST_ITEMS, 50), (self.days, MOST_DAYS, 30)):
            count.setRange(1, most)
            count.setValue(usual)
            count.lineEdit().setTextMargins(6, 0, 6, 0)
        fields: tuple[tuple[str, QWidget], ...] = (
            (tr("Person"), self.person),
            (tr("Their key"), self.key),
            (tr("Task"), self.task),
            (tr("Items at most"), self.items),
            (tr("Days"), self.days),
        )
        for words, field in fields:
            field.setAccessibleName(words)
            form.addRow(words, field)
        layout.addLayout(form)
        hint = tr(
            "They will find their key under “Work packages…”, also on the start page. The items "
            "are kept for them until the last day."
        )
        layout.addWidget(label(hint, ink="muted", size=theme.SMALL_PX, wrap=True))
        layout.addStretch(1)
        self.act.setProperty("look", "filled")
        last.addStretch(1)
        for button, slot in ((self.cancel, self.reject), (self.act, self.choose_file)):
            button.clicked.connect(slot)
            last.addWidget(button)

    def choose_file(self) -> None:
        """Ask where the package goes, once there is a key."""
        if not self.key.text().strip():
            self.say_trouble(
                tr("Enter the key of {name}; it begins with age1.", name=self.person.currentText()),
                self.key,
            )
            return
        try:
            check_recipient(self.key.text().strip())
        except InputError as error:
            self.say_trouble(str(error), self.key)
            return
        name = f"{self.person.currentText()}.package"
        ask_where(self, tr("Hand out items"), name, self.write_to)

    def write_to(self, path: str) -> None:
        """Claim the items and write them into a new file."""
        context = self._context
        order = PackageOrder(
            self.person.currentText(), self.items.value(), self.key.text().strip(),
            str(self.task.currentData()), context.benchmark, self.days.value(),
        )  # fmt: skip
        work = partial(hand_out, context.workspace, order, Path(path), context.person.name)
        self.act.setEnabled(False)
        context.write(self, work, partial(self._on_handed, path), self._on_refused)

    def _on_handed(self, path: str, made: HandedOut) -> None:
        self.handed.emit(path, made)
        self.drop()

    def _on_refused(self, sentence: str) -> None:
        self.act.setEnabled(True)
        self.say_trouble(sentence, self.person)
