"""The Agreement dashboard: coefficients, weeks, pairs of raters, criteria of tasks, confusion."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from core.i18n import language, listed, tr, trn
from core.report_table import ReportTable
from core.workflow.check.visibility import viewer_in, visibility_of
from core.workflow.dashboards.agreement_cuts import AgreementNumbers, agreement_numbers
from core.workflow.dashboards.agreement_query import DECISION, Agreement, Scope, judgements
from core.workflow.dashboards.columns import item_numbers
from core.workflow.dashboards.figures import (
    Axis,
    Chart,
    Dashboard,
    DashboardTable,
    EmptyReason,
    Figure,
    Grid,
    GridCell,
    Mark,
    Series,
)
from core.workflow.dashboards.registry import DashboardRequest, items_behind
from core.workflow.labels import criterion_label, label_of
from core.workflow.rights import Action, is_allowed
from db import items

if TYPE_CHECKING:
    from core.agreement.statistic import CoefficientResult

MOST_ROWS = 14


def dashboard(request: DashboardRequest) -> Dashboard:
    """Sentence, four figures, the coefficients, and the items that hurt agreement most."""
    from core.agreement.interpretation import landis_koch_caution
    from core.agreement.serialise import attributed_notes, results_to_json

    view = request.book.read(("decisions", "ratings", "sources"))
    tip, confusion = view.tip, request.detail != "tasks"
    numbers: AgreementNumbers = request.book.last_made(
        view,
        (request.scope, request.coefficient, confusion, language()),
        lambda: agreement_numbers(
            request.ws, request.scope, request.coefficient, request.book, confusion=confusion
        ),
    )
    if not numbers.whole.table.n_items and not _has_judgements(request):
        return _nothing(request, tip)
    results = numbers.whole.coefficients
    caution = [landis_koch_caution()] if any(result.word for result in results) else []
    return Dashboard(
        panel="agreement",
        benchmark=request.benchmark,
        tip=tip,
        sentence=numbers.sentence,
        figures=_figures(request, numbers),
        tables=(_coefficients(numbers.whole), _work_list(request, numbers)),
        remarks=(*attributed_notes([("", result) for result in results]), *caution),
        facts={"coefficients": results_to_json(results)},
        recheck=partial(_rechecked, numbers),
    )


def _rechecked(numbers: AgreementNumbers, dashboard: Dashboard) -> Dashboard:
    """The dashboard after other packages computed every coefficient in its figures."""
    from core.agreement.independent_check import checked_pairs, checked_results
    from core.agreement.serialise import check_notes, results_to_json

    whole = checked_results(numbers.whole.table, numbers.whole.coefficients)
    for part in (*numbers.weeks, *numbers.criteria, *numbers.tasks):
        checked_results(part.table, part.coefficients)
    if numbers.matrix is not None:
        checked_pairs(numbers.whole.table, numbers.matrix)
    return replace(
        dashboard,
        remarks=(*dashboard.remarks, *check_notes([("", result) for result in whole])),
        facts={"coefficients": results_to_json(whole)},
        recheck=None,
    )


def _has_judgements(request: DashboardRequest) -> bool:
    """Whether anybody judged anything: then it is a choice that leaves nothing, and the choices
    have to stay in sight."""
    scope = Scope(benchmark=request.benchmark)
    return any(
        len(judgements(request.ws, replace(scope, criterion=criterion), request.book))
        for criterion in (DECISION, "*")
    )


def _nothing(request: DashboardRequest, tip: int) -> Dashboard:
    missing = EmptyReason(
        tr("Nothing to compare yet."),
        tr("Agreement needs items decided by two or more people."),
        tr("Review items"),
        "review",
    )
    return Dashboard("agreement", request.benchmark, tip, missing.title, missing=missing)


def _figures(request: DashboardRequest, numbers: AgreementNumbers) -> tuple[Figure, ...]:
    figures: list[Figure] = [_bars(numbers.whole), _weeks(numbers), _raters(numbers)]
    if request.detail in ("tasks", "both"):
        figures.append(_heat(request, numbers))
    if request.detail in ("confusion", "both"):
        figures.append(_confusion(numbers))
    return tuple(figures)


def _value_axis(results: "Sequence[CoefficientResult]", title: str) -> Axis:
    bounds = [b for r in results for b in (r.value, r.low) if b is not None]
    return Axis(title, low=min([0.0, *bounds]), high=1.0)


def _mark(place: int, result: "CoefficientResult", part: Agreement) -> Mark:
    return Mark(
        place,
        result.value,
        low=result.low,
        high=result.high,
        note=result.undefined or "",
        pick=partial(_items_of, part),
    )


def _items_of(part: Agreement) -> list[int]:
    """Numbers of the items of one group of judgements."""
    return _numbers(part.table.item_ids or ())


def _bars(whole: Agreement) -> Chart:
    results = whole.coefficients
    marks = tuple(_mark(place, result, whole) for place, result in enumerate(results))
    return Chart(
        id="coefficients",
        title=tr("Coefficients with 95% intervals"),
        places=Axis("", names=tuple(result.title for result in results)),
        values=_value_axis(results, tr("agreement (1 = perfect)")),
        series=(Series("", "points", marks),),
        horizontal=True,
    )


def _weeks(numbers: AgreementNumbers) -> Chart:
    parts = numbers.weeks
    results = [part.coefficients[0] for part in parts]
    title = next((r.title for r in results), "")
    marks = tuple(
        _mark(place, result, part)
        for place, (part, result) in enumerate(zip(parts, results, strict=True))
    )
    defined = any(mark.value is not None for mark in marks)
    return Chart(
        id="weeks",
        title=tr("{coefficient} by week, with 95% intervals", coefficient=title),
        places=Axis(
            tr("ISO week of the last decision or rating"), names=tuple(p.group for p in parts)
        ),
        values=_value_axis(results, tr("agreement (1 = perfect)")),
        series=(Series(title, "line", marks),),
        empty="" if defined else _first_reason(results),
    )


def _first_reason(results: "Sequence[CoefficientResult]") -> str:
    return next((r.undefined for r in results if r.undefined), tr("There are no ratings."))


def _raters(numbers: AgreementNumbers) -> Grid:
    from core.agreement import coefficient

    matrix = numbers.matrix
    if matrix is None:
        title = tr("Pairwise agreement of raters")
        why = _first_reason(numbers.whole.coefficients)
        return Grid("raters", title, "", "", (), (), (), empty=why)
    names = matrix.raters
    places = range(len(names))
    cells = tuple(tuple(_pair_cell(numbers, a, b) for b in places) for a in places)
    return Grid(
        id="raters",
        title=tr(
            "Pairwise agreement of raters ({coefficient})",
            coefficient=coefficient(matrix.coefficient).title,
        ),
        row_title=tr("rater"),
        column_title=tr("rater"),
        rows=names,
        columns=names,
        cells=cells,
    )


def _pair_cell(numbers: AgreementNumbers, a: int, b: int) -> GridCell:
    assert numbers.matrix is not None
    common = int(numbers.matrix.common[a, b])
    pick = partial(_common_items, numbers.whole, numbers.matrix.raters[a], numbers.matrix.raters[b])
    if a == b:
        return GridCell(None, trn("1 item", "{n} items", common), pick)
    value = float(numbers.matrix.values[a, b])
    if np.isnan(value):
        why = (
            tr("No item was rated by two raters, so there is no overlap.")
            if not common
            else trn("undefined over 1 item", "undefined over {n} items", common)
        )
        return GridCell(None, why, pick)
    return GridCell(value, "", pick)


def _common_items(whole: Agreement, first: str, second: str) -> list[int]:
    codes = whole.table.codes
    assert codes is not None
    columns = [whole.table.rater_index(name) for name in (first, second)]
    both = np.flatnonzero((codes[:, columns] >= 0).all(axis=1))
    return _numbers(whole.table.item_id(int(row)) for row in both)


def _heat(request: DashboardRequest, numbers: AgreementNumbers) -> Grid:
    from core.agreement import coefficient

    criteria = list(dict.fromkeys(criterion for _, criterion in numbers.heat))
    tasks = list(dict.fromkeys(task for task, _ in numbers.heat))
    tasks.sort(key=lambda task: _lowest(numbers, task, criteria))
    shown = tasks[:MOST_ROWS]
    cells = tuple(
        tuple(_heat_cell(request, numbers, task, criterion) for criterion in criteria)
        for task in shown
    )
    title = coefficient(request.coefficient).title
    return Grid(
        id="tasks",
        title=tr("{coefficient} of each task by criterion, weakest first", coefficient=title),
        row_title=tr("task"),
        column_title=tr("criterion"),
        rows=tuple(shown),
        columns=tuple(criterion_label(criterion) for criterion in criteria),
        cells=cells,
    )


def _lowest(numbers: AgreementNumbers, task: str, criteria: Sequence[str]) -> tuple[float, str]:
    values = [numbers.heat.get((task, criterion)) for criterion in criteria]
    return min((v for v in values if v is not None), default=2.0), task


def _heat_cell(
    request: DashboardRequest, numbers: AgreementNumbers, task: str, criterion: str
) -> GridCell:
    value = numbers.heat.get((task, criterion))
    note = "" if value is not None else numbers.reasons.get((task, criterion), tr("not rated"))
    return GridCell(value, note, partial(_judged_in, request, task, criterion))


def _judged_in(request: DashboardRequest, task: str, criterion: str) -> list[int]:
    frame = judgements(
        request.ws, replace(request.scope, task=task, criterion=criterion), request.book
    )
    return item_numbers(frame["item_id"])


def _confusion(numbers: AgreementNumbers) -> Grid:
    matrix = numbers.confusion
    title = tr("Confusion matrix of ratings (pairs of ratings, all raters)")
    if matrix is None:
        why = _first_reason(numbers.whole.coefficients)
        return Grid("confusion", title, "", "", (), (), (), empty=why)
    used = [
        i for i in range(len(matrix.labels)) if matrix.counts[i].sum() or matrix.counts[:, i].sum()
    ]
    names = tuple(label_of(matrix.labels[place]) for place in used)
    cells = tuple(
        tuple(
            GridCell(
                float(matrix.counts[a, b]), "", partial(_numbers, matrix.items.get((a, b), ()))
            )
            for b in used
        )
        for a in used
    )
    high = float(matrix.counts.max()) if matrix.counts.size else 1.0
    return Grid(
        "confusion", title, tr("first rater"), tr("second rater"), names, names, cells,
        high=max(1.0, high), digits=0,
    )  # fmt: skip


def _numbers(names: Iterable[str]) -> list[int]:
    return [int(name.partition("r")[0]) for name in names]


def _coefficients(whole: Agreement) -> DashboardTable:
    from core.agreement.serialise import words_of

    rows = tuple(
        (r.title, r.value, r.low, r.high, r.compared, r.raters, words_of(r))
        for r in whole.coefficients
    )
    columns = (
        tr("Coefficient"), tr("Value"), tr("from"), tr("to"), tr("items compared"), tr("raters"),
        tr("Interpretation"),
    )  # fmt: skip
    picks = tuple(partial(_items_of, whole) for _ in rows)
    return DashboardTable("coefficients", ReportTable(tr("Coefficients"), columns, rows), picks)


def _digits(gains: "Sequence[float | None]") -> int:
    """Four digits, or as many as show the largest gain: among many items each matters little."""
    largest = max((abs(gain) for gain in gains if gain is not None), default=0.0)
    if not largest:
        return 4
    return min(9, max(4, 2 - math.floor(math.log10(largest))))


def _disputed(request: DashboardRequest, numbers: Sequence[int]) -> set[int]:
    """The disputed ones among the items, for people who may adjudicate."""
    with request.ws.reading() as session:
        viewer = viewer_in(session, request.viewer)
        if viewer is None or not is_allowed(viewer.role, Action.ADJUDICATE):
            return set()
        visibility = visibility_of(session, viewer)
        return {
            row.id
            for row in items.get_many(session, numbers)
            if row.disputed and not visibility.takes_for_review(row.id, row.revision)
        }


def _work_list(request: DashboardRequest, numbers: AgreementNumbers) -> DashboardTable:
    """The items on which people differ. What they said is left out of a disputed item that is
    hidden from the viewer, and other hidden items are left out: the viewer may have to judge them.
    """
    behind = _numbers(entry.item for entry in numbers.work_list)
    shown = set(items_behind(request, lambda: behind))
    disputed = _disputed(request, behind)
    entries = [
        entry
        for entry, number in zip(numbers.work_list, behind, strict=True)
        if number in shown or number in disputed
    ]
    rows = tuple(
        (
            f"#{entry.item}",
            entry.disagreement,
            entry.influence,
            listed(label_of(rating) for rating in entry.ratings.values())
            if _numbers((entry.item,))[0] in shown
            else tr("hidden until it is decided"),
        )
        for entry in entries
    )
    table = ReportTable(
        title=tr("Items that lower agreement most"),
        columns=(
            tr("Item"), tr("pairs that disagree"), tr("gain in alpha without it"), tr("ratings"),
        ),
        rows=rows,
        digits=_digits([entry.influence for entry in entries]),
    )  # fmt: skip
    picks = tuple(partial(_numbers, (entry.item,)) for entry in entries)
    return DashboardTable("work_list", table, picks)
