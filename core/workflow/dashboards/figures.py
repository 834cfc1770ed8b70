"""Figures as values: marks with intervals on named axes, and matrices; as CSV, JSON and words."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from core.i18n import joined_clauses, printed, tr
from core.report_table import Cell, ReportTable, csv_text

Pick = Callable[[], Iterable[int]]
Form = Literal["bars", "line", "points", "band", "rule"]


@dataclass(frozen=True, slots=True)
class ItemSelection:
    """The items of a task (empty: of all) in some states (empty: in any).

    Calling it gives their numbers; whoever shows them can keep to the task and the states instead,
    and so stay true while items move on.
    """

    find: Callable[[str, tuple[str, ...]], Iterable[int]]
    task: str = ""
    states: tuple[str, ...] = ()

    def __call__(self) -> Iterable[int]:
        """Numbers of the items."""
        return self.find(self.task, self.states)


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark: where it stands (``at``), its value, and the items behind it.

    ``low`` and ``high`` bound an interval; for bars ``low`` is where the bar begins. ``value`` is
    None where it is undefined, and ``note`` then says why. ``pick`` names the items behind.
    """

    at: float
    value: float | None
    low: float | None = None
    high: float | None = None
    label: str = ""
    note: str = ""
    pick: Pick | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Series:
    """Marks that belong together. ``state`` names a state whose own colour they have."""

    name: str
    form: Form
    marks: tuple[Mark, ...]
    state: str = ""


@dataclass(frozen=True, slots=True)
class Axis:
    """``title`` carries the unit. ``names`` stand at 0, 1, 2 …; ``kind`` says how numbers read."""

    title: str
    names: tuple[str, ...] = ()
    kind: Literal["number", "count", "percent", "date"] = "number"
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """Series over two axes; with ``horizontal`` the places are on the vertical axis, from the top.

    With ``radar`` the places stand around a middle, and each series is a line around it.
    """

    id: str
    title: str
    places: Axis
    values: Axis
    series: tuple[Series, ...]
    horizontal: bool = False
    empty: str = ""
    radar: bool = False

    @property
    def marks(self) -> Iterator[tuple[Series, Mark]]:
        """Every mark with its series."""
        return ((series, mark) for series in self.series for mark in series.marks)


@dataclass(frozen=True, slots=True)
class GridCell:
    """One cell of a matrix; ``value`` None with the reason in ``note``."""

    value: float | None
    note: str = ""
    pick: Pick | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Grid:
    """A matrix of numbers, painted by value between ``low`` and ``high``."""

    id: str
    title: str
    row_title: str
    column_title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[GridCell, ...], ...]
    low: float = 0.0
    high: float = 1.0
    digits: int = 2
    empty: str = ""

    def label(self, row: int, column: int) -> str:
        """What a cell says when it is pointed at."""
        cell = self.cells[row][column]
        value = cell.note or "–" if cell.value is None else f"{cell.value:,.{self.digits}f}"
        return tr(
            "{row} × {column}: {value}",
            row=self.rows[row],
            column=self.columns[column],
            value=value,
        )


Figure = Chart | Grid


@dataclass(frozen=True, slots=True)
class DashboardTable:
    """A table of a dashboard, and the items behind each of its rows."""

    id: str
    table: ReportTable
    picks: tuple[Pick | None, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class EmptyReason:
    """Why a dashboard is empty, and the place that gets what is missing."""

    title: str
    text: str
    button: str
    panel: str


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A whole panel: the answer, at most four figures, the tables.

    ``alarms`` are the sentences of those that ring, ``alarm_tasks`` the task of each. ``facts``
    are the numbers behind, for JSON.
    """

    panel: str
    benchmark: str
    tip: int
    sentence: str
    figures: tuple[Figure, ...] = ()
    tables: tuple[DashboardTable, ...] = ()
    remarks: tuple[str, ...] = ()
    alarms: tuple[str, ...] = ()
    alarm_tasks: tuple[str, ...] = ()
    missing: EmptyReason | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    recheck: "Callable[[Dashboard], Dashboard] | None" = field(
        default=None, compare=False, repr=False
    )

    def checked(self) -> "Dashboard":
        """The same once independent packages have computed its coefficients as well, which is
        said in the remarks; CheckError where they differ. What is written must be checked."""
        return self if self.recheck is None else self.recheck(self)


def place_name(axis: Axis, at: float) -> str:
    """How a place on an axis is said."""
    if axis.names:
        place = round(at)
        return axis.names[place] if 0 <= place < len(axis.names) else f"{at:g}"
    return number_name(axis, at)


def number_name(axis: Axis, value: float) -> str:
    """A number of an axis in words."""
    if axis.kind == "date":
        return date.fromordinal(round(value)).isoformat()
    if axis.kind == "percent":
        return f"{value:.0%}"
    whole = abs(value) >= 100 or float(value).is_integer()
    return printed(value, 0 if whole else 2, thousands=True)


def mark_text(chart: Chart, series: Series, mark: Mark) -> str:
    """A mark in words: what it is, its value, its interval, or why there is none."""
    place = mark.label or place_name(chart.places, mark.at)
    if series.form == "bars" and mark.value is not None:
        length = mark.value - (mark.low or 0.0)
        value = number_name(chart.values, length)
    elif mark.value is None:
        value = mark.note or "–"
    else:
        value = number_name(chart.values, mark.value)
        if mark.low is not None and mark.high is not None:
            low, high = number_name(chart.values, mark.low), number_name(chart.values, mark.high)
            value = tr("{value} [{low}, {high}]", value=value, low=low, high=high)
            if mark.note:
                value = tr("{value}; {note}", value=value, note=mark.note)
    if not series.name or series.name == place:
        return tr("{place}: {value}", place=place, value=value)
    return tr("{place}, {series}: {value}", place=place, series=series.name, value=value)


_MOST_TOLD = 40  # marks in the text alternative of a figure


def figure_text(figure: Figure) -> str:
    """The text alternative of a figure: its title and what its first 40 marks say."""
    if figure.empty:
        return tr("{title}. {reason}", title=figure.title, reason=figure.empty)
    if isinstance(figure, Grid):
        parts = [
            figure.label(row, column)
            for row in range(len(figure.rows))
            for column in range(len(figure.columns))
        ]
    else:
        parts = [
            mark_text(figure, series, mark)
            for series, mark in figure.marks
            if series.form not in ("band", "rule")
        ]
    marks = joined_clauses([*parts[:_MOST_TOLD], *(["…"] if len(parts) > _MOST_TOLD else [])])
    return tr("{title}. {reason}", title=figure.title, reason=marks)


_HEAD = ("figure", "series", "place", "value", "low", "high", "note")


def figure_rows(figure: Figure) -> list[tuple[Cell, ...]]:
    """The marks of a figure as rows: figure, series, place, value, low, high, note."""
    if isinstance(figure, Grid):
        return [
            (figure.id, name, column, cell.value, None, None, cell.note or None)
            for name, line in zip(figure.rows, figure.cells, strict=True)
            for column, cell in zip(figure.columns, line, strict=True)
        ]
    rows: list[tuple[Cell, ...]] = []
    for series, mark in figure.marks:
        value, low, high = mark.value, mark.low, mark.high
        if series.form == "bars" and value is not None:
            value, low, high = value - (low or 0.0), None, None
        place = place_name(figure.places, mark.at)
        rows.append((figure.id, series.name, place, value, low, high, mark.note or None))
    return rows


def figure_csv(figure: Figure) -> str:
    """One figure as CSV, numbers in full precision."""
    return csv_text([_HEAD, *figure_rows(figure)])


def dashboard_csv(dashboard: Dashboard) -> str:
    """Every figure and table of a dashboard in one CSV; an empty dashboard gives its reason.

    A cell of a table is a row: ``table:`` with its id, the column, the row's first cell, then the
    number, or the words as the note.
    """
    rows: list[tuple[Cell, ...]] = [_HEAD]
    for figure in dashboard.figures:
        rows += figure_rows(figure)
        if figure.empty:
            rows.append((figure.id, None, None, None, None, None, figure.empty))
    for part in dashboard.tables:
        rows += _table_rows(part)
    if dashboard.missing is not None:
        rows.append((dashboard.panel, None, None, None, None, None, dashboard.missing.title))
    return csv_text(rows)


def _table_rows(part: DashboardTable) -> Iterator[tuple[Cell, ...]]:
    for first, *cells in part.table.rows:
        for title, cell in zip(part.table.columns[1:], cells, strict=True):
            if cell not in (None, ""):
                words = isinstance(cell, str)
                number, note = (None, cell) if words else (cell, None)
                yield f"table:{part.id}", title, first, number, None, None, note


def dashboard_json(dashboard: Dashboard) -> dict[str, Any]:
    """All of a dashboard as plain values."""
    return {
        "panel": dashboard.panel,
        "benchmark": dashboard.benchmark,
        "sentence": dashboard.sentence,
        "alarms": list(dashboard.alarms),
        "missing": dashboard.missing.title if dashboard.missing else None,
        **dashboard.facts,
        "figures": [
            {
                "id": figure.id,
                "title": figure.title,
                "undefined": figure.empty or None,
                "marks": [
                    dict(zip(_HEAD[1:], row[1:], strict=True)) for row in figure_rows(figure)
                ],
            }
            for figure in dashboard.figures
        ],
        "tables": [
            {
                "id": part.id,
                "title": part.table.title,
                "columns": list(part.table.columns),
                "rows": [list(row) for row in part.table.rows],
            }
            for part in dashboard.tables
        ],
    }


def stacked(
    parts: Sequence[tuple[str, str, Sequence[float], Sequence[Pick | None]]],
) -> tuple[Series, ...]:
    """Stacked bars from (name, state, value at each place, items behind each)."""
    series = []
    base = [0.0] * (len(parts[0][2]) if parts else 0)
    for name, state, values, picks in parts:
        marks = []
        for place, (value, pick) in enumerate(zip(values, picks, strict=True)):
            if value:
                marks.append(Mark(place, base[place] + value, low=base[place], pick=pick))
                base[place] += value
        if marks:
            series.append(Series(name, "bars", tuple(marks), state))
    return tuple(series)
