"""Reports that are written: agreement of a file, CoreEval's and CIF-Bench's human evaluation.

Every coefficient in them is computed a second time by ``independent_check``.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.agreement import coefficient
from core.agreement.compute import coefficients_for
from core.agreement.independent_check import checked_results, summary_of
from core.agreement.intervals import mean_interval
from core.agreement.rating_files import read_ratings
from core.agreement.ratings import (
    RatingTable,
    Scale,
    as_number,
    declared_scale,
    is_missing,
    table_of_rows,
)
from core.agreement.serialise import check_notes, interval_words
from core.agreement.shared_sources import SharedSources
from core.agreement.statistic import CoefficientResult
from core.errors import InputError
from core.i18n import listed, sentences, stored_bounds, tr
from core.report_table import Cell, ReportTable

RESAMPLES = 1000
_NO_WIDTH = 1e-12
COREEVAL_CRITERIA = ("Fluency", "Coherence", "Factuality", "Accuracy")


@dataclass(frozen=True, slots=True)
class CriterionRating:
    """One rater's value for one criterion of one item; ``group`` is the data set or the task,
    ``source`` what the item shares with others, such as its article (empty: nothing known)."""

    item: str
    rater: str
    criterion: str
    value: float | str
    group: str = ""
    source: str = ""


@dataclass(frozen=True)
class NamedReport:
    """A report with every coefficient that it was made from, checked."""

    table: ReportTable
    results: tuple[CoefficientResult, ...]
    groups: tuple[str, ...] = ()
    """What each result is of: data set and criterion."""

    @property
    def checked_with(self) -> dict[str, dict[str, Any]]:
        """By name of the coefficient: package, version, largest difference, number of tables."""
        return summary_of(self.results)


def agreement_of_file(
    path: Path,
    layout: str | None = None,
    coefficients: Sequence[str] | None = None,
    interval: str = "bca",
    resamples: int = 1000,
    seed: int = 0,
    sheet: str = "",
    source_column: str = "",
    rater_columns: Sequence[str] = (),
) -> list[CoefficientResult]:
    """Agreement of ratings that were never in a workspace; see ``rating_files.read_ratings``."""
    table = read_ratings(path, layout, sheet, source_column, rater_columns)
    results = coefficients_for(table, coefficients, interval, resamples, seed)
    return checked_results(table, results)


def coreeval_human(
    ratings: Iterable[CriterionRating],
    criteria: Sequence[str] = COREEVAL_CRITERIA,
    scales: Mapping[str, Sequence[float]] | None = None,
) -> NamedReport:
    """CoreEval's Table 2: per data set the mean of each criterion and Fleiss' kappa.

    The paper prints one kappa per data set without saying how the criteria were joined; here each
    criterion has its own, and the last column is the mean of those that are defined. Raises
    InputError without ratings, CheckError where a package computes another kappa.
    """
    cuts = _by_group_and_criterion(ratings)
    scales = scales or {}
    missing: dict[tuple[str, str], list[str]] = {}
    rows, undefined = [], []
    results: list[CoefficientResult] = []
    named: list[str] = []
    for group in _groups(cuts):
        reasons: list[str] = []
        means: list[Cell] = []
        kappas: list[Cell] = []
        own: list[tuple[RatedTable, CoefficientResult]] = []
        items: set[str] = set()
        raters: set[str] = set()
        for criterion in criteria:
            part = cuts.get((group, criterion), [])
            items.update(rating.item for rating in part)
            raters.update(rating.rater for rating in part)
            means.append(_mean_value(part))
            rated = _rated(part, scales.get(criterion))
            (result,) = _results(rated, ("fleiss_kappa",))
            results.append(result)
            named.append(_of(group, criterion))
            own.append((rated, result))
            kappas += (result.value, _span(result))
            if result.undefined:
                missing.setdefault((criterion, result.undefined), []).append(group)
                reasons.append(_undefined_note(criterion, result.undefined, [group], len(cuts)))
        overall = _mean_with_span(own)
        rows.append((group, len(items), len(raters), *means, *kappas, *overall))
        undefined.append(sentences(reasons))
    table = ReportTable(
        title=tr("Human evaluation of data quality"),
        columns=(
            tr("Data set"),
            tr("Items"),
            tr("Raters"),
            *criteria,
            *(
                name
                for criterion in criteria
                for name in _spanned(tr("κ {criterion}", criterion=criterion))
            ),
            *_spanned(tr("κ mean")),
        ),
        rows=tuple(rows),
        notes=(
            tr("κ is Fleiss' kappa; the mean is over the criteria where it is defined."),
            *(_undefined_note(*why, groups, len(rows)) for why, groups in missing.items()),
            *_interval_notes(list(zip(named, results, strict=True))),
            *check_notes([("", result) for result in results]),
        ),
        undefined=tuple(undefined),
    )
    return NamedReport(table, tuple(results), tuple(named))


def cif_human(
    ratings: Iterable[CriterionRating],
    judge: Mapping[str, float] | None = None,
) -> NamedReport:
    """CIF-Bench's human verification: per form of question and overall.

    Means over every criterion of every task (``group``) of pairwise agreement, Cohen's kappa
    (binary form) or its cost-weighted form besides (Likert), and Spearman's and Kendall's
    correlation over items of the judge's score with the mean of the raters. Criteria with at most
    two different values are binary. Raises InputError without ratings, CheckError where a package
    computes another value.
    """
    cuts = _by_group_and_criterion(ratings)
    binary = _two_valued(cuts)
    forms = {
        tr("Binary"): [cut for cut in cuts if cut[1] in binary],
        tr("Likert"): [cut for cut in cuts if cut[1] not in binary],
        tr("All"): list(cuts),
    }
    agreement = {cut: _agreement_of(_rated(part, None)) for cut, part in cuts.items()}
    rows, undefined = [], []
    results = [result for part in agreement.values() for _, result in part.values()]
    named = [_of(*cut) for cut, part in agreement.items() for _ in part]
    for form, form_cuts in forms.items():
        correlations, judged, no_judge = _with_judge([cuts[cut] for cut in form_cuts], judge or {})
        results += correlations.values()
        named += [form] * len(correlations)
        row, reasons = _cif_row(
            form, {cut: agreement[cut] for cut in form_cuts}, correlations, judged, no_judge
        )
        rows.append(row)
        undefined.append(reasons)
    table = ReportTable(
        title=tr("Human verification"),
        columns=(
            tr("Scale"),
            tr("Tasks"),
            tr("Tasks × criteria"),
            *_spanned(tr("Pairwise agreement")),
            *_spanned(tr("Cohen's kappa")),
            tr("With kappa"),
            *_spanned(tr("Cohen's kappa, cost-weighted")),
            tr("Items with judge"),
            *_spanned(tr("Spearman with judge")),
            *_spanned(tr("Kendall with judge")),
        ),
        rows=tuple(rows),
        notes=(
            tr(
                "Agreement and kappa are means over the criteria of the tasks; undefined "
                "kappas are excluded."
            ),
            *dict.fromkeys(reason for reasons in undefined for reason in reasons),
            *_interval_notes(list(zip(named, results, strict=True))),
            *check_notes([("", result) for result in results]),
        ),
        undefined=tuple(map(sentences, undefined)),
    )
    return NamedReport(table, tuple(results), tuple(named))


_CIF_COEFFICIENTS = ("percent", "cohen_kappa", "cohen_kappa_cost")
_CORRELATIONS = ("spearman", "kendall")

Results = Mapping[str, CoefficientResult]
"""Results by the names of their coefficients."""


@dataclass(frozen=True)
class RatedTable:
    """A table of ratings with the source of each of its items, "" where none is known."""

    table: RatingTable
    sources: tuple[str, ...]


Parts = Mapping[str, tuple[RatedTable, CoefficientResult]]
"""By the names of coefficients what each was computed on, and what it came to."""


def _agreement_of(rated: RatedTable) -> Parts:
    return {result.name: (rated, result) for result in _results(rated, _CIF_COEFFICIENTS)}


def _cif_row(
    form: str,
    parts: Mapping[tuple[str, str], Parts],
    correlations: Results,
    judged: int,
    no_judge: str | None,
) -> tuple[tuple[Cell, ...], list[str]]:
    """A row, and why any of its numbers is undefined."""
    if not parts:
        empty = (form, 0, 0, *_NOTHING, *_NOTHING, 0, *_NOTHING, 0, *_NOTHING, *_NOTHING)
        return empty, [tr("{form}: no criterion with this scale was rated.", form=form)]
    of = {name: [part[name] for part in parts.values()] for name in _CIF_COEFFICIENTS}
    why = Counter(result.undefined for _, result in of["cohen_kappa"])
    reasons = [
        tr("{form}: κ is undefined in {count} of {total}. {reason}", form=form, count=count,
           total=len(parts), reason=reason)
        for reason, count in why.items()
        if reason
    ]  # fmt: skip
    if no_judge:
        reasons.append(
            tr("{form}: no correlation with a judge. {reason}", form=form, reason=no_judge)
        )
    row = (
        form,
        len({group for group, _ in parts}),
        len(parts),
        *_mean_with_span(of["percent"]),
        *_mean_with_span(of["cohen_kappa"]),
        sum(result.value is not None for _, result in of["cohen_kappa"]),
        *_mean_with_span(of["cohen_kappa_cost"]),
        judged,
        *(cell for name in _CORRELATIONS for cell in _cells(correlations.get(name))),
    )
    return row, reasons


def _with_judge(
    parts: Sequence[Sequence[CriterionRating]], judge: Mapping[str, float]
) -> tuple[Results, int, str | None]:
    """Correlations over the items that both judged, how many these are, or why there is none."""
    values: dict[str, list[float]] = {}
    source: dict[str, str] = {}
    for part in parts:
        for rating in part:
            number = as_number(rating.value)
            if number is not None and rating.item in judge:
                values.setdefault(rating.item, []).append(number)
                source[rating.item] = rating.source
    if not values:
        return {}, 0, tr("No rated items have a judge's score.")
    rows: list[tuple[str, str, float]] = []
    for item, numbers in values.items():
        rows += [(item, "people", math.fsum(numbers) / len(numbers)), (item, "judge", judge[item])]
    rated = RatedTable(table_of_rows(rows), tuple(source[item] for item in values))
    correlations = {result.name: result for result in _results(rated, _CORRELATIONS)}
    return correlations, len(values), correlations["spearman"].undefined


def _by_group_and_criterion(
    ratings: Iterable[CriterionRating],
) -> dict[tuple[str, str], list[CriterionRating]]:
    cuts: dict[tuple[str, str], list[CriterionRating]] = {}
    for rating in ratings:
        if not is_missing(rating.value):
            cuts.setdefault((rating.group, rating.criterion), []).append(rating)
    if not cuts:
        raise InputError.tr(
            "There are no ratings to report. Collect ratings first, or select more."
        )
    return cuts


def _groups(cuts: Mapping[tuple[str, str], object]) -> list[str]:
    return list(dict.fromkeys(group for group, _ in cuts))


def _two_valued(cuts: Mapping[tuple[str, str], Sequence[CriterionRating]]) -> list[str]:
    values: dict[str, set[float | str]] = {}
    for (_, criterion), part in cuts.items():
        values.setdefault(criterion, set()).update(rating.value for rating in part)
    return [criterion for criterion, used in values.items() if len(used) <= 2]


def _rated(ratings: Sequence[CriterionRating], scale: Sequence[float] | None) -> RatedTable:
    declared: Scale | None = declared_scale(scale) if scale is not None else None
    source = {rating.item: rating.source for rating in ratings}
    table = table_of_rows(((r.item, r.rater, r.value) for r in ratings), declared)
    return RatedTable(table, tuple(source[item] for item in table.item_ids or ()))


def _results(rated: RatedTable, names: Sequence[str]) -> list[CoefficientResult]:
    """With the interval that ``agreement`` and its dashboard give."""
    results = coefficients_for(rated.table, names, sources=rated.sources)
    return checked_results(rated.table, results)


def _of(group: str, criterion: str) -> str:
    return " · ".join(filter(None, (group, criterion)))


def _spanned(name: str) -> tuple[str, str]:
    """The names of a coefficient's column and of that with its interval."""
    return name, tr("{name}, 95%", name=name)


_NOTHING = (None, None)


def _cells(result: CoefficientResult | None) -> tuple[Cell, Cell]:
    return _NOTHING if result is None else (result.value, _span(result))


def _span(result: CoefficientResult) -> str | None:
    """The interval in brackets, with a word where it rests on little."""
    if result.low is None or result.high is None:
        return None
    return _bounds(result.low, result.high, result.rough)


def _bounds(low: float, high: float, rough: bool) -> str:
    figure = stored_bounds(low, high, 3)
    return tr("{figure} (rough)", figure=figure) if rough else figure


def _mean_with_span(parts: Sequence[tuple[RatedTable, CoefficientResult]]) -> tuple[Cell, Cell]:
    """The mean of a coefficient over tables, and its interval; sources are drawn for all of them
    together. Rough where so is that of any table alone, so that many do not hide few sources."""
    defined = [(rated, result) for rated, result in parts if result.value is not None]
    if not defined:
        return _NOTHING
    if len(defined) == 1:
        return _cells(defined[0][1])
    mean = math.fsum(result.value or 0.0 for _, result in defined) / len(defined)
    numbers: dict[str, int] = {}
    codes = [
        [numbers.setdefault(source or f"\0{rated.table.item_id(row)}", len(numbers))
         for row, source in enumerate(rated.sources)]
        for rated, _ in defined
    ]  # fmt: skip
    measure = coefficient(defined[0][1].name)
    found = mean_interval(
        [measure.statistic(rated.table) for rated, _ in defined],
        [SharedSources(np.asarray(own, np.int64), len(numbers)) for own in codes],
        RESAMPLES,
        0,
    )
    if found.low is None or found.high is None or found.high - found.low < _NO_WIDTH:
        return mean, None
    return mean, _bounds(found.low, found.high, any(result.rough for _, result in defined))


def _interval_notes(rows: Sequence[tuple[str, CoefficientResult]]) -> list[str]:
    """How intervals were found, and after the data sets and criteria why some are rough."""
    why: dict[str, list[str]] = {}
    for name, result in rows:
        for reason in result.rough_because:
            why.setdefault(reason, []).append(name)
    return [
        *interval_words(rows),
        *(tr("{what}: {note}", what=" · ".join(dict.fromkeys(names)), note=reason)
          for reason, names in why.items()),
    ]  # fmt: skip


def _mean_value(ratings: Sequence[CriterionRating]) -> float | None:
    numbers = [number for r in ratings if (number := as_number(r.value)) is not None]
    return math.fsum(numbers) / len(numbers) if numbers else None


def _undefined_note(criterion: str, reason: str, groups: Sequence[str], total: int) -> str:
    """Why a criterion has no κ, in one data set, in some, or in every one."""
    if len(groups) == 1:
        return tr(
            "κ of “{criterion}” in “{group}” is undefined. {reason}",
            criterion=criterion,
            group=groups[0],
            reason=reason,
        )
    if len(groups) == total:
        return tr(
            "κ of “{criterion}” is undefined in all groups. {reason}",
            criterion=criterion,
            reason=reason,
        )
    return tr(
        "κ of “{criterion}” is undefined in {groups}. {reason}",
        criterion=criterion,
        groups=listed(f"“{group}”" for group in groups),
        reason=reason,
    )
