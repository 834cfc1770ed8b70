"""The sheet on which the list of items is narrowed: one field for each condition."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QWidget,
)

from core.i18n import tr
from core.workflow.items.search import FilterChoices, Filters
from gui import labels
from gui.widgets.elements import caption
from gui.widgets.sheet import Sheet
from gui.widgets.steady_fields import ChoiceBox

_ANY = ""
_SIDES = 3  # fields beside each other


class FilterDialog(Sheet):
    """Shows a filter; ``chosen`` is emitted with the new one. Enter shows the items.

    Fields by which this person may not narrow are not there.
    """

    chosen = Signal(object)

    def __init__(self, filters: Filters, choices: FilterChoices, parent: QWidget) -> None:
        super().__init__(parent, tr("Filter items"), (760, 580))
        self._filters = filters
        self._overseer = choices.overseer
        self.fields: dict[str, QComboBox | QLineEdit] = {}
        self.states = {name: QCheckBox(labels.word(labels.ITEM_STATES, name))
                       for name in labels.ITEM_STATES}  # fmt: skip
        layout, foot = self.with_body(spacing=12)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        self._grid = grid
        layout.addLayout(grid)
        self._build_choices(filters, choices)
        self._build_ranges(filters)
        layout.addWidget(caption(tr("State")))
        layout.addLayout(self._build_states(filters))
        layout.addStretch(1)
        self._build_buttons(foot)
        self.focus_first(self.fields["benchmark"])

    def unsaved(self) -> bool:
        return False  # a way of looking, not of writing

    def _build_choices(self, filters: Filters, choices: FilterChoices) -> None:
        named: tuple[tuple[str, str, Sequence[str], labels.Words | None], ...] = (
            ("benchmark", tr("Benchmark"), choices.benchmarks, None),
            ("task", tr("Task"), choices.tasks, None),
            ("family", tr("Family"), choices.families, labels.FAMILIES),
            ("format", tr("Format"), choices.formats, labels.FORMATS),
            ("stage", tr("Stage"), ("1", "2", "3"), labels.STAGES),
            ("domain", tr("Domain"), choices.domains, None),
            ("label", tr("Label"), choices.labels, None),
            ("person", tr("Author or reviewer"), choices.people, None),
            ("run", tr("Run"), choices.runs, None),
            ("disputed", tr("Disputed"), ("yes", "no"), labels.YES_OR_NO),
            ("second_look", tr("Waiting for a second look"), ("yes", "no"), labels.YES_OR_NO),
        )
        now = {
            "disputed": _said(filters.disputed),
            "second_look": _said(filters.second_look),
            "stage": "" if filters.stage is None else str(filters.stage),
        }
        for place, (name, title, values, known) in enumerate(named):
            present = now[name] if name in now else str(getattr(filters, name))
            box = _choice(values, known, present, title)
            self.fields[name] = box
            self._put(place, title, box)

    def _build_ranges(self, filters: Filters) -> None:
        today = f"{datetime.now().astimezone():%Y-%m-%d}"
        scores = {"score_from": filters.score_from, "score_to": filters.score_to}
        lines = [
            ("since", tr("Changed from"), filters.since, today),
            ("until", tr("Changed until"), filters.until, today),
        ]
        if self._overseer:
            shown = {name: "" if v is None else f"{v:g}" for name, v in scores.items()}
            lines += [
                ("score_from", tr("Score from"), shown["score_from"], tr("0 to 10")),
                ("score_to", tr("Score to"), shown["score_to"], tr("0 to 10")),
            ]
        for place, (name, title, text, hint) in enumerate(lines, len(self.fields)):
            field = QLineEdit(text)
            field.setPlaceholderText(hint)
            field.setAccessibleName(title)
            self.fields[name] = field
            self._put(place, title, field)

    def _put(self, place: int, title: str, field: QWidget) -> None:
        line, side = divmod(place, _SIDES)
        self._grid.addWidget(caption(title), 2 * line, side)
        self._grid.addWidget(field, 2 * line + 1, side)
        field.setMinimumWidth(220)

    def _build_states(self, filters: Filters) -> QGridLayout:
        grid = QGridLayout()
        for place, (name, box) in enumerate(self.states.items()):
            box.setChecked(name in filters.states)
            grid.addWidget(box, place // 3, place % 3)
        return grid

    def _build_buttons(self, line: QHBoxLayout) -> None:
        clear = QPushButton(tr("Clear all filters"))
        clear.clicked.connect(self.clear)
        show = QPushButton(tr("Show items"))
        show.setProperty("look", "filled")
        show.clicked.connect(self.apply)
        self.enter_presses(show)
        line.addWidget(clear)
        line.addStretch(1)
        line.addWidget(show)

    def _text(self, name: str) -> str:
        field = self.fields.get(name)
        if isinstance(field, QLineEdit):
            return field.text().strip()
        if isinstance(field, QComboBox):
            at = field.findText(field.currentText())
            return str(field.itemData(at)) if at >= 0 else field.currentText().strip()
        return ""

    def clear(self) -> None:
        """Empty every field."""
        for field in self.fields.values():
            if isinstance(field, QComboBox):
                field.setCurrentIndex(0)
            else:
                field.clear()
        for box in self.states.values():
            box.setChecked(False)

    def apply(self) -> None:
        """Emit the filter, or say which field is wrong."""
        stage = self._text("stage")
        try:
            score_from, score_to = self._score("score_from"), self._score("score_to")
            for name in ("since", "until"):
                if text := self._text(name):
                    datetime.fromisoformat(text)
        except ValueError:
            self.say_trouble(tr("Enter scores as a number from 0 to 10 and dates as 2026-03-31."))
            return
        texts: dict[str, Any] = {name: self._text(name) for name in _TEXTS}
        filters = replace(
            self._filters,
            **texts,
            states=tuple(name for name, box in self.states.items() if box.isChecked()),
            stage=int(stage) if stage else None,
            disputed=_MEANT.get(self._text("disputed")),
            second_look=_MEANT.get(self._text("second_look")),
            score_from=score_from,
            score_to=score_to,
        )
        self.chosen.emit(filters)
        self.accept()

    def _score(self, name: str) -> float | None:
        text = self._text(name)
        if not text:
            return None
        score = float(text.replace(",", "."))
        if not 0 <= score <= 10:
            raise ValueError(text)
        return score


_TEXTS = (
    "benchmark", "task", "family", "format", "domain", "label", "person", "run", "since", "until",
)  # fmt: skip


_MEANT = {"yes": True, "no": False}


def _said(value: bool | None) -> str:
    """What the list of yes and no shows for a condition; "" for none."""
    return "" if value is None else ("no", "yes")[value]


def _choice(
    values: Sequence[str], known: labels.Words | None, present: str, title: str
) -> QComboBox:
    """A list that can be typed into, with nothing chosen as its first entry."""
    title_of: Callable[[str], str] = (lambda value: labels.word(known, value)) if known else str
    box = ChoiceBox()
    box.setEditable(known is None)
    box.setAccessibleName(title)
    box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.addItem("" if known is None else tr("any"), _ANY)
    for value in values:
        box.addItem(title_of(value), value)
    if present and present not in values:
        box.addItem(title_of(present), present)
    box.setCurrentIndex(max(0, box.findData(present)))
    if completer := box.completer():
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
    if box.isEditable() and (line := box.lineEdit()):
        line.setPlaceholderText(tr("any"))
    return box
