"""Agreement: the answer in one sentence, the coefficients with their intervals, and the table."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QScrollArea, QStackedLayout, QWidget

from core.text import tr
from core.workflow import measure
from core.workflow.measure import Agreement, Scope
from gui import i18n, words
from gui.desk import Desk
from gui.models.table import Column, TableModel
from gui.panels.base import Panel
from gui.widgets.empty import EmptyState
from gui.widgets.figures import Interval, IntervalPlot
from gui.widgets.table import ROW_HEIGHT, Table
from gui.widgets.words import caption, column, heading, label

if TYPE_CHECKING:
    from core.agreement.base import CoefficientResult
    from core.agreement.report_table import ReportTable

_LEADING = ("fleiss_kappa", "cohen_kappa", "krippendorff_alpha_nominal", "percent")
"""The coefficient of the sentence is the first of these that is defined."""


class AgreementPanel(Panel):
    """How far the reviewers agree on the decisions that stand."""

    topics = ("decisions", "items", "benchmarks")

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._shown = False
        page = QWidget()
        page.setProperty("look", "page")
        layout = column(page, margin=24, spacing=8)
        self.sentence = heading()
        self.sentence.setWordWrap(True)
        self.where = label("", ink="muted", wrap=True)
        self.plot = IntervalPlot(desk.colours)
        self.coefficients = TableModel((), self)
        self.behind = TableModel((), self)
        self._tables = (Table(self.coefficients), Table(self.behind))
        self._behind_title = caption()
        self._notes = label("", ink="muted", wrap=True)
        layout.addWidget(self.sentence)
        layout.addWidget(self.where)
        layout.addSpacing(12)
        layout.addWidget(caption(tr("Coefficients with 95% intervals; 1 is full agreement")))
        layout.addWidget(self.plot)
        layout.addSpacing(12)
        layout.addWidget(self._tables[0])
        layout.addWidget(self._notes)
        layout.addSpacing(12)
        layout.addWidget(self._behind_title)
        layout.addWidget(self._tables[1])
        layout.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(page)
        self.empty = EmptyState()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(area)
        self._stack.addWidget(self.empty)
        self.empty.pressed.connect(self._to_review)

    def refresh(self) -> None:
        """Measure again."""
        if not self.desk.benchmark:
            self._show_empty()
            return
        scope = Scope(benchmark=self.desk.benchmark)
        work = partial(measure.agreement, self.desk.workspace, scope)
        self.desk.ask(
            self, work, self._show, self.desk.complain, topic="agreement", lane="background"
        )

    def _show_empty(self) -> None:
        self._shown = True
        self.empty.say(
            tr("There is nothing to compare yet."),
            tr("Agreement needs items that two or more people have decided on."),
            tr("Review items"),
        )
        self._stack.setCurrentIndex(1)

    def _show(self, found: Agreement) -> None:
        self._shown = True
        results = found.coefficients
        if not results or not results[0].items:
            self._show_empty()
            return
        self._stack.setCurrentIndex(0)
        self.sentence.setText(_sentence(results))
        self.where.setText(
            tr(
                "{decisions} decisions on {items} items; {pairable} items have two or more. "
                "Reviewers: {people}.",
                decisions=i18n.number(_given(found)),
                items=i18n.number(results[0].items),
                pairable=i18n.number(results[0].pairable),
                people=", ".join(found.table.rater_ids),
            )
        )
        self.plot.show_rows(
            [Interval(r.title, r.value, r.low, r.high, r.undefined or "") for r in results]
        )
        self._fill(results)
        leading = _leading(results)
        self._show_behind(leading.behind if leading else None)
        notes = dict.fromkeys(note for result in results for note in result.notes)
        self._notes.setText("\n".join(notes))
        self._notes.setVisible(bool(notes))

    def _fill(self, results: "tuple[CoefficientResult, ...]") -> None:
        columns = (
            Column(tr("Coefficient"), 240),
            Column(tr("Value"), 90, number=True),
            Column(tr("from"), 80, number=True),
            Column(tr("to"), 80, number=True),
            Column(tr("items"), 80, number=True),
            Column(tr("raters"), 80, number=True),
            Column(tr("In words"), 420),
        )
        rows = [
            (
                r.title,
                _figure(r.value),
                _figure(r.low),
                _figure(r.high),
                i18n.number(r.pairable),
                i18n.number(r.raters),
                r.undefined or r.word or "",
            )
            for r in results
        ]
        self._fill_table(self._tables[0], self.coefficients, columns, rows)

    def _show_behind(self, table: "ReportTable | None") -> None:
        self._tables[1].setVisible(table is not None)
        self._behind_title.setVisible(table is not None)
        if table is None:
            return
        self._behind_title.setText(tr("{title} (the table behind the number)", title=table.title))
        columns = [
            Column(_verdict(name), 130, number=i > 0) for i, name in enumerate(table.columns)
        ]
        rows = [
            [_verdict(c) if isinstance(c, str) else _cell(c, table.digits) for c in line]
            for line in table.rows
        ]
        self._fill_table(self._tables[1], self.behind, columns, rows)

    @staticmethod
    def _fill_table(
        table: Table,
        model: TableModel,
        columns: Sequence[Column],
        rows: Sequence[Sequence[str]],
    ) -> None:
        model.show_rows(columns, rows)
        table.fit_columns()
        table.setFixedHeight(min(12, len(rows)) * ROW_HEIGHT + 44)

    def _to_review(self) -> None:
        self.desk.go_to("review")

    def ready(self) -> bool:
        """Whether the coefficients are on the screen."""
        return self._shown and not self.stale


def _given(found: Agreement) -> int:
    codes = found.table.codes
    return 0 if codes is None else int((codes >= 0).sum())


def _leading(results: "tuple[CoefficientResult, ...]") -> "CoefficientResult | None":
    by_name = {result.name: result for result in results if result.value is not None}
    return next((by_name[name] for name in _LEADING if name in by_name), None)


def _sentence(results: "tuple[CoefficientResult, ...]") -> str:
    leading = _leading(results)
    if leading is None:
        reason = next((r.undefined for r in results if r.undefined), "")
        return tr("No coefficient is defined: {reason}", reason=reason)
    values = {
        "name": leading.title,
        "value": _figure(leading.value),
        "items": i18n.number(leading.pairable),
        "raters": leading.raters,
    }
    if leading.low is None or leading.high is None:
        return tr("{name} {value} over {items} items and {raters} raters.", **values)
    return tr(
        "{name} {value} [{low}, {high}] over {items} items and {raters} raters.",
        low=_figure(leading.low),
        high=_figure(leading.high),
        **values,
    )


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _cell(value: float | int | None, digits: int) -> str:
    if value is None:
        return ""
    return i18n.number(value) if isinstance(value, int) else f"{value:.{digits}f}"


def _verdict(text: str) -> str:
    return words.word(words.VERDICT_NAMES, text) if text in words.VERDICT_NAMES else text
