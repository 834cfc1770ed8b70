"""Assigning tasks: which, to whom, how many items at most, and until when."""

from collections.abc import Sequence
from datetime import date
from functools import partial

from PySide6.QtCore import QDate, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QPushButton, QWidget

from core.i18n import listed, sentences, tr, trn
from core.workflow import team
from core.workflow.team import Team
from gui import theme
from gui.context import WindowContext
from gui.widgets.checked_list import CheckedList
from gui.widgets.elements import caption, column, label, row
from gui.widgets.sheet import Sheet
from gui.widgets.steady_fields import DayBox, NumberBox

_WEEK = 7  # days until the day that is offered


class AssignDialog(Sheet):
    """``assigned`` is emitted when the shares are written."""

    assigned = Signal()

    def __init__(
        self,
        context: WindowContext,
        known: Team,
        parent: QWidget,
        tasks: Sequence[str] = (),
        names: Sequence[str] = (),
    ) -> None:
        super().__init__(parent, tr("Assign tasks"), (640, 520))
        self._context, self._known = context, known
        self.tasks, self.people = CheckedList(tr("Tasks")), CheckedList(tr("People"))
        self.tasks.show_names(known.tasks, tasks)
        working = [m.name for m in known.members if m.active or m.name in names]
        self.people.show_names(working, names)
        self.limited, self.dated = QCheckBox(tr("At most")), QCheckBox(tr("Until"))
        self.most, self.due = NumberBox(), DayBox()
        self.consequence = label("", wrap=True)
        self.short = label("", ink="reject", wrap=True)
        self.cancel = QPushButton(tr("Cancel"))
        self.save = QPushButton(tr("Assign"))
        self._build()
        self._preset(known, tasks, names)
        self._show_consequence()
        self.focus_first(self.tasks)
        self.enter_presses(self.save)

    def _build(self) -> None:
        layout, last = self.with_body(margin=20, spacing=10)
        both = row(spacing=16)
        for words, entries in ((tr("Tasks"), self.tasks), (tr("People"), self.people)):
            side = QWidget()
            inner = column(side, spacing=4)
            inner.addWidget(caption(words))
            inner.addWidget(entries)
            both.addWidget(side, 1)
            entries.itemChanged.connect(self._show_consequence)
        layout.addLayout(both, 1)
        self.most.setRange(1, 1_000_000)
        self.most.setValue(50)
        self.most.lineEdit().setTextMargins(6, 0, 6, 0)
        self.most.setAccessibleName(tr("Most items per person and task"))
        self.due.setCalendarPopup(True)
        self.due.setDisplayFormat("yyyy-MM-dd")
        self.due.setMinimumDate(QDate.currentDate())
        self.due.setDate(QDate.currentDate().addDays(_WEEK))
        self.due.setAccessibleName(tr("Day until which it should be done"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        rows = (
            (self.limited, self.most, tr("items for each person in each task")),
            (self.dated, self.due, tr("a reminder: nothing closes on that day")),
        )
        for line, (box, field, words) in enumerate(rows):
            field.setMinimumWidth(132)
            field.setEnabled(False)
            box.toggled.connect(field.setEnabled)
            box.toggled.connect(self._show_consequence)
            for place, part in enumerate((box, field, caption(words))):
                grid.addWidget(part, line, place)
        grid.setColumnStretch(2, 1)
        layout.addLayout(grid)
        self.most.valueChanged.connect(self._show_consequence)
        layout.addWidget(self.consequence)
        layout.addWidget(self.short)
        hint = tr("People may finish what they hold already.")
        layout.addWidget(label(hint, ink="muted", size=theme.SMALL_PX, wrap=True))
        self.save.setProperty("look", "filled")
        last.addStretch(1)
        for button in (self.cancel, self.save):
            last.addWidget(button)
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self.run)

    def _preset(self, known: Team, tasks: Sequence[str], names: Sequence[str]) -> None:
        """The terms of the one share that is changed."""
        for share in known.shares:
            if (share.task,) == tuple(tasks) and (share.person,) == tuple(names):
                self.limited.setChecked(share.most is not None)
                self.most.setValue(share.most or self.most.value())
                self.dated.setChecked(share.due is not None)
                if share.due is not None:
                    due = QDate(share.due.year, share.due.month, share.due.day)
                    self.due.setMinimumDate(min(due, QDate.currentDate()))
                    self.due.setDate(due)

    def _show_consequence(self, _value: object = None) -> None:
        tasks, names = self.tasks.chosen(), self.people.chosen()
        self.save.setEnabled(bool(tasks and names))
        short = team.too_few_reviewers(self._known, tasks, names) if names else ()
        self.short.setText(sentences(short))
        self.short.setVisible(bool(short))
        if not tasks or not names:
            self.consequence.setText(tr("Choose at least one task and one person."))
            return
        self.consequence.setText(
            trn(
                "From now on only this person, and whoever it is assigned to already, is given "
                "items of {tasks}.",
                "From now on only these {n} people, and whoever it is assigned to already, are "
                "given items of {tasks}.",
                len(names),
                tasks=listed(tasks),
            )
        )

    def run(self) -> None:
        """Write the shares; what is wrong is said here."""
        context = self._context
        due = self.due.date()
        day = date(due.year(), due.month(), due.day())
        work = partial(
            team.assign, context.workspace, self.tasks.chosen(), self.people.chosen(),
            context.person.name, benchmark=context.benchmark,
            most=self.most.value() if self.limited.isChecked() else None,
            due=day if self.dated.isChecked() else None,
        )  # fmt: skip
        self.save.setEnabled(False)
        context.write(self, work, self._on_saved, self._fail)

    def _on_saved(self, _shares: object) -> None:
        self.assigned.emit()
        self.drop()

    def _fail(self, sentence: str) -> None:
        self.save.setEnabled(True)
        self.say_trouble(sentence)
