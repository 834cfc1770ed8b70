"""A whole dashboard as one page: alarms, the answer, figures two by two, tables below."""

from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLayout, QPushButton, QWidget

from core.i18n import tr
from core.report_table import Cell
from core.workflow.dashboards.figures import Chart, Dashboard, DashboardTable, Figure, Grid
from gui import i18n
from gui.charts.alarm_lines import AlarmLines
from gui.charts.figure_card import FigureCard, Step
from gui.charts.matrix import MatrixFigure
from gui.theme import Tokens
from gui.widgets.chips import FlowLayout
from gui.widgets.elements import caption, column, heading, label, row
from gui.widgets.table_model import Column, TableModel, width_of
from gui.widgets.table_view import ROW_HEIGHT, ReadingTable

_MOST_ROWS = 10
_MARGIN, _GAP = 24, 8
_CARD_HEIGHT = 318
_MATRIX_FRAME, _MATRIX_ROW = 130, 19


def card_for(figure: Figure, colours: Tokens) -> FigureCard:
    """An empty card of the kind that a figure needs."""
    if isinstance(figure, Chart) and figure.radar:
        from gui.charts.radar import RadarFigure

        return FigureCard(RadarFigure(colours))
    if isinstance(figure, Chart):
        from gui.charts.chart import ChartFigure

        return FigureCard(ChartFigure(colours))
    return FigureCard(MatrixFigure(colours))


def show_in(card: FigureCard, figure: Figure, colours: Tokens) -> None:
    """Show a figure in its card."""
    if isinstance(figure, Chart):
        from gui.charts.chart import legend_of

        card.show_figure(figure, legend_of(figure, colours))
    else:
        card.show_figure(figure)


class TablePart(QWidget):
    """One table of a dashboard with its title; a row leads to the items behind it."""

    wanted = Signal(object)
    """``(words of the row, pick)``."""
    settle_wanted = Signal(object)
    """Number of the item that is to be settled."""

    def __init__(self, table_id: str) -> None:
        super().__init__()
        self._part: DashboardTable | None = None
        self._title = caption()
        self.model = TableModel((), self)
        self.table = ReadingTable(self.model)
        self.table.activated.connect(self._on_activated)
        self.settle = QPushButton(tr("Adjudicate the item…"))
        self.settle.clicked.connect(self._on_settle)
        layout = column(self, spacing=4)
        head = row()
        head.addWidget(self._title)
        head.addStretch(1)
        head.addWidget(self.settle)
        layout.addLayout(head)
        layout.addWidget(self.table)
        # once it has a place: a widget without one would come up as a window of its own
        self.settle.setVisible(table_id == "work_list")

    def show_part(self, part: DashboardTable) -> None:
        """Show other rows; the row in front stays in front."""
        self._part = part
        row = self.table.currentIndex().row()
        table = part.table
        self._title.setText(table.title)
        columns = [
            _column(name, [r[i] for r in table.rows]) for i, name in enumerate(table.columns)
        ]
        rows = [[_cell(cell, table.digits) for cell in line] for line in table.rows]
        self.model.show_rows(columns, rows)
        self.table.setAccessibleName(table.title)
        self.table.setFixedHeight(min(_MOST_ROWS, max(1, len(rows))) * ROW_HEIGHT + 44)
        self.table.fit_columns()
        self.settle.setEnabled(bool(rows))
        if 0 <= row < len(rows):
            self.table.selectRow(row)
        self.setVisible(bool(rows))

    def chosen(self) -> str:
        """The first cell of the row that was chosen; empty where none was."""
        rows = self.table.selectionModel().selectedRows()
        return str(rows[0].data() or "") if rows else ""

    def _on_activated(self, index: QModelIndex) -> None:
        part = self._part
        if part is not None and index.row() < len(part.picks):
            pick = part.picks[index.row()]
            if pick is not None:
                self.wanted.emit((str(self.model.index(index.row(), 0).data() or ""), pick))

    def _on_settle(self) -> None:
        part, place = self._part, max(0, self.table.currentIndex().row())
        if part is not None and place < len(part.picks) and (pick := part.picks[place]) is not None:
            for number in pick():
                self.settle_wanted.emit(number)


def _column(title: str, cells: Sequence[Cell]) -> Column:
    words = [cell for cell in cells if isinstance(cell, str)]
    title = title[:1].upper() + title[1:]  # a state or a criterion, which a sentence names as well
    return Column(title, width_of(words) if words else 96, number=not words)


def _cell(cell: Cell, digits: int) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    return i18n.number(cell) if isinstance(cell, int) else i18n.number(cell, digits)


def _rows(figure: Figure) -> int:
    """Rows of a matrix, or of a horizontal chart, none of which is ever lower than its text."""
    if isinstance(figure, Grid):
        return len(figure.rows)
    return len(figure.places.names) if figure.horizontal else 0


def _take_away(shown: dict[str, Any], layout: QLayout, wanted: Set[str]) -> None:
    """Take the widgets away that are not wanted any more."""
    for name in [name for name in shown if name not in wanted]:
        old = shown.pop(name)
        layout.removeWidget(old)
        old.hide()
        old.deleteLater()


class DashboardPage(QWidget):
    """One dashboard. ``steps`` does the work in pieces, so that no piece holds the window up."""

    wanted = Signal(object)
    settle_wanted = Signal(object)
    task_wanted = Signal(object)
    """Name of the task whose items are wanted."""
    refused = Signal(object)
    """Why a figure could not be kept."""

    def __init__(self, colours: Tokens) -> None:
        super().__init__()
        self._colours = colours
        self.dashboard: Dashboard | None = None
        self.work_aside: Callable[[Callable[[], Dashboard], Callable[[Dashboard], None]], None]
        self.work_aside = lambda work, done: done(work())
        """Does some work, off the window's thread where there is a window, then calls back."""
        self.card_height = _CARD_HEIGHT
        self.cards: dict[str, FigureCard] = {}
        self.parts: dict[str, TablePart] = {}
        self.setProperty("look", "page")
        self._head = QWidget()
        self._head.setVisible(False)
        self.head = FlowLayout(self._head, gap=8)
        self.sentence = heading()
        self.sentence.setWordWrap(True)
        self.alarms = AlarmLines()
        self.alarms.wanted.connect(self.task_wanted)
        self.remarks = label("", ink="muted", wrap=True)
        self._figures = QWidget()
        self._grid = QGridLayout(self._figures)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(12)
        for side in (0, 1):
            self._grid.setColumnStretch(side, 1)
        tables = QWidget()
        self._tables = column(tables, spacing=12)
        layout = column(self, margin=_MARGIN, spacing=_GAP)
        layout.addWidget(self._head)
        layout.addWidget(self.sentence)
        layout.addWidget(self.alarms)
        layout.addSpacing(4)
        layout.addWidget(self._figures)
        layout.addWidget(self.remarks)
        layout.addWidget(tables)
        layout.addStretch(1)

    def add_choice(self, widget: QWidget) -> None:
        """Put a control into the line above the answer."""
        self._head.setVisible(True)
        self.head.addWidget(widget)

    @contextmanager
    def pictured(self) -> Iterator[tuple[int, int]]:
        """While a picture is taken: no hints, no buttons.

        Yields the height of the choices that are left out, and of the margin in their place.
        """
        hints = {card: card.hint.text() for card in self.cards.values()}
        buttons = [part.settle for part in self.parts.values() if part.settle.isVisible()]
        buttons += [button for button in self.alarms.buttons if button.isVisible()]
        for card in hints:
            card.hint.setText("")
        for button in buttons:
            button.hide()
        try:
            top = self._head.geometry().bottom() + 1 if self._head.isVisible() else 0
            yield top, _MARGIN - _GAP if top else 0
        finally:
            for card, text in hints.items():
                card.hint.setText(text)
            for button in buttons:
                button.show()

    def steps(self, dashboard: Dashboard) -> list[Step]:
        """The pieces of work that show a dashboard, to be done in their order."""
        steps: list[Step] = [
            partial(self._show_words, dashboard),
            partial(self._place_cards, dashboard),
        ]
        for figure in dashboard.figures:
            steps += [partial(self._place_card, figure), partial(self._show_figure, figure)]
        steps += [partial(self._show_table, part) for part in dashboard.tables]
        return steps

    def when_checked(self, step: Step) -> None:
        """Call ``step`` once other packages have computed the coefficients in sight as well: what
        is written must be checked. Where they differ it is never called."""
        if self.dashboard is None or self.dashboard.recheck is None:
            step()
            return
        self.work_aside(self.dashboard.checked, partial(self._on_checked, self.dashboard, step))

    def _on_checked(self, shown: Dashboard, step: Step, checked: Dashboard) -> None:
        if self.dashboard is shown:
            self._show_words(checked)
        self.when_checked(step)

    def show_dashboard(self, dashboard: Dashboard) -> None:
        """Show a dashboard at once."""
        for step in self.steps(dashboard):
            step()

    def _show_words(self, dashboard: Dashboard) -> None:
        self.dashboard = dashboard
        self.sentence.setText(dashboard.sentence)
        sentences = [tr("Alarm: {what}", what=alarm) for alarm in dashboard.alarms]
        self.alarms.show_alarms(list(zip(sentences, dashboard.alarm_tasks, strict=True)))
        self.remarks.setText("\n".join(dashboard.remarks))
        self.remarks.setVisible(bool(dashboard.remarks))

    def _place_cards(self, dashboard: Dashboard) -> None:
        """Take the cards and tables away that this dashboard does not have; the rest goes where it
        belongs."""
        wanted = {part.id for part in (*dashboard.figures, *dashboard.tables)}
        _take_away(self.cards, self._grid, wanted)
        _take_away(self.parts, self._tables, wanted)

    def _place_card(self, figure: Figure) -> None:
        """Make the card of a figure where there is none yet, and give it its height."""
        assert self.dashboard is not None
        place = [other.id for other in self.dashboard.figures].index(figure.id)
        if figure.id not in self.cards:
            card = card_for(figure, self._colours)
            card.wanted.connect(self.wanted)
            card.refused.connect(self.refused)
            card.when_checked = self.when_checked
            self.cards[figure.id] = card
            self._grid.addWidget(card, place // 2, place % 2, Qt.AlignmentFlag.AlignTop)
        beside = self.dashboard.figures[place - place % 2 :][:2]
        height = max(
            self.card_height, *(_MATRIX_FRAME + _rows(other) * _MATRIX_ROW for other in beside)
        )
        self.cards[figure.id].setFixedHeight(height)

    def _show_figure(self, figure: Figure) -> None:
        show_in(self.cards[figure.id], figure, self._colours)

    def _show_table(self, part: DashboardTable) -> None:
        if part.id not in self.parts:
            shown = TablePart(part.id)
            shown.wanted.connect(self.wanted)
            shown.settle_wanted.connect(self.settle_wanted)
            self.parts[part.id] = shown
            self._tables.addWidget(shown, 0, Qt.AlignmentFlag.AlignTop)
        self.parts[part.id].show_part(part)
