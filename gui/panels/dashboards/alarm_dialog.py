"""The alarms that a lead sets: those there are, one more, one less."""

from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QFormLayout,
    QPushButton,
    QWidget,
)

from core.i18n import tr
from core.workflow.dashboards import alarms
from core.workflow.dashboards.alarms import Alarm
from gui.context import WindowContext
from gui.widgets.elements import caption
from gui.widgets.sheet import Sheet
from gui.widgets.steady_fields import ChoiceBox, DecimalBox, NumberBox
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable

_COEFFICIENTS = ("fleiss_kappa", "cohen_kappa", "krippendorff_alpha_nominal", "gwet_ac1", "percent")


class AlarmDialog(Sheet):
    """Every alarm counts for every task of its benchmark."""

    changed = Signal()

    def __init__(
        self, context: WindowContext, known: tuple[Alarm, ...], coefficient: str, parent: QWidget
    ) -> None:
        from core.agreement import coefficient as named

        super().__init__(parent, tr("Alarms"), (680, 380))
        self._context = context
        self._known = known
        self._model = TableModel((), self)
        self.table = ReadingTable(self._model)
        self.table.setAccessibleName(tr("Alarms"))
        self.which = ChoiceBox()
        for name in _COEFFICIENTS:
            self.which.addItem(named(name).title, name)
        self.which.setCurrentIndex(max(0, self.which.findData(coefficient)))
        self.below = DecimalBox()
        self.below.setRange(-1, 1)
        self.below.setSingleStep(0.05)
        self.below.setValue(0.6)
        self.items = NumberBox()
        self.items.setRange(2, 1_000_000)
        self.items.setValue(50)
        for box in (self.below, self.items):
            box.lineEdit().setTextMargins(6, 0, 6, 0)
        self.add = QPushButton(tr("Set alarm"))
        self.remove = QPushButton(tr("Remove alarm"))
        self._build()
        self._show(known)
        self.focus_first(self.which)

    def _build(self) -> None:
        layout, last = self.with_body()
        layout.addWidget(caption(tr("Raised for every task whose agreement is too low")))
        layout.addWidget(self.table, 1)
        form = QFormLayout()
        for word, field in (
            (tr("Alarm when"), self.which),
            (tr("is below"), self.below),
            (tr("over at least (items)"), self.items),
        ):
            field.setAccessibleName(word)
            form.addRow(word, field)
        layout.addLayout(form)
        self.leave = QPushButton(tr("Close"))
        last.addWidget(self.leave)
        last.addStretch(1)
        last.addWidget(self.remove)
        last.addWidget(self.add)
        self.add.setProperty("look", "filled")
        self.add.clicked.connect(self._on_add)
        self.remove.clicked.connect(self._on_remove)
        self.leave.clicked.connect(self.reject)

    def _show(self, known: tuple[Alarm, ...]) -> None:
        from core.agreement import coefficient

        self._known = known
        self._model.show_rows(
            (
                Column(tr("Coefficient"), 220),
                Column(tr("Below"), 90, number=True),
                Column(tr("Items"), 80, number=True),
                Column(tr("Task"), 160),
            ),
            [
                (
                    coefficient(a.coefficient).title,
                    f"{a.below:g}",
                    str(a.items),
                    a.task or tr("all"),
                )
                for a in known
            ],
        )
        self.table.fit_columns()
        self.remove.setEnabled(bool(known))
        if known:
            self.table.selectRow(0)

    def _on_add(self) -> None:
        alarm = Alarm(
            str(self.which.currentData()),
            round(self.below.value(), 4),
            self.items.value(),
            benchmark=self._context.benchmark,
        )
        self._write(
            partial(alarms.set_alarm, self._context.workspace, self._context.person.name, alarm)
        )

    def _on_remove(self) -> None:
        place = self.table.currentIndex().row()
        if 0 <= place < len(self._known):
            number = self._known[place].number
            context = self._context
            self._write(
                partial(alarms.remove_alarm, context.workspace, context.person.name, number)
            )

    def _write(self, work: Any) -> None:
        self._context.write(self, work, self._on_written, self.say_trouble)

    def _on_written(self, _made: Any) -> None:
        self.changed.emit()
        work = partial(alarms.alarms, self._context.workspace)
        self._context.ask(self, work, self._show, self.say_trouble, topic="alarms")
