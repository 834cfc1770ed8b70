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

from core.agreement.compute import coefficients_for
from core.agreement.independent_check import checked_results, summary_of
from core.agreement.rating_files import read_ratings
from core.agreement.ratings import (
    RatingTable,
    Scale,
    as_number,
    declared_scale,
    is_missing,
    table_of_rows,
)
from core.agreement.serialise import check_notes
from core.agreement.statistic import CoefficientResult
from core.errors import InputError
from core.i18n import tr
from core.report_table import Cell, ReportTable

COREEVAL_CRITERIA = ("Fluency", "Coherence", "Factuality", "Accuracy")


@dataclass(frozen=True, slots=True)
class CriterionRating:
    """One rater's value for one criterion of one item; ``group`` is the data set or the task."""

    item: str
    rater: str
    criterion: str
    value: float | str
    group: str = ""


@dataclass(frozen=True)
class NamedReport:
    """A report with every coefficient that it was made from, checked."""

    table: ReportTable
    results: tuple[CoefficientResult, ...]

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
    confidence: float = 0.95,
    sheet: str = "",
) -> list[CoefficientResult]:
    """Agreement of ratings that were never in a workspace; see ``rating_files.read_ratings``."""
    table = read_ratings(path, layout, sheet)
    results = coefficients_for(table, coefficients, interval, resamples, seed, confidence)
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
    for group in _groups(cuts):
        reasons: list[str] = []
        means: list[Cell] = []
        kappas: list[float | None] = []
        items: set[str] = set()
        raters: set[str] = set()
        for criterion in criteria:
            part = cuts.get((group, criterion), [])
            items.update(rating.item for rating in part)
            raters.update(rating.rater for rating in part)
            means.append(_mean_value(part))
            result = _result(_table(part, scales.get(criterion)), "fleiss_kappa")
            results.append(result)
            kappas.append(result.value)
            if result.undefined:
                missing.setdefault((criterion, result.undefined), []).append(group)
                reasons.append(_undefined_note(criterion, result.undefined, [group], len(cuts)))
        defined = [kappa for kappa in kappas if kappa is not None]
        overall = float(np.mean(defined)) if defined else None
        rows.append((group, len(items), len(raters), *means, *kappas, overall))
        undefined.append(" ".join(reasons))
    table = ReportTable(
        title=tr("Human evaluation of data quality"),
        columns=(
            tr("Data set"),
            tr("Items"),
            tr("Raters"),
            *criteria,
            *(tr("κ {criterion}", criterion=criterion) for criterion in criteria),
            tr("κ mean"),
        ),
        rows=tuple(rows),
        notes=(
            tr("κ is Fleiss' kappa; the mean is over the criteria where it is defined."),
            *(_undefined_note(*why, groups, len(rows)) for why, groups in missing.items()),
            *check_notes([("", result) for result in results]),
        ),
        undefined=tuple(undefined),
    )
    return NamedReport(table, tuple(results))


def cif_human(
    ratings: Iterable[CriterionRating],
    judge: Mapping[str, float] | None = None,
    binary: Sequence[str] | None = None,
) -> NamedReport:
    """CIF-Bench's human verification: per form of question and overall.

    Means over every criterion of every task (``group``) of pairwise agreement, Cohen's kappa
    (binary form) or its cost-weighted form besides (Likert), and Spearman's and Kendall's
    correlation over items of the judge's score with the mean of the raters. ``binary`` names the
    dichotomous criteria; None means those with at most two different values. Raises InputError
    without ratings, CheckError where a package computes another value.
    """
    cuts = _by_group_and_criterion(ratings)
    if binary is None:
        binary = _two_valued(cuts)
    forms = {
        tr("Binary"): [cut for cut in cuts if cut[1] in binary],
        tr("Likert"): [cut for cut in cuts if cut[1] not in binary],
        tr("All"): list(cuts),
    }
    agreement = {cut: _agreement_of(_table(part, None)) for cut, part in cuts.items()}
    rows, undefined = [], []
    results = [result for part in agreement.values() for result in part.values()]
    for form, form_cuts in forms.items():
        correlations, judged, no_judge = _with_judge([cuts[cut] for cut in form_cuts], judge or {})
        results += correlations.values()
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
            tr("Pairwise agreement"),
            tr("Cohen's kappa"),
            tr("With kappa"),
            tr("Cohen's kappa, cost-weighted"),
            tr("Items with judge"),
            tr("Spearman with judge"),
            tr("Kendall with judge"),
        ),
        rows=tuple(rows),
        notes=(
            tr(
                "Agreement and kappa are means over the criteria of the tasks; undefined "
                "kappas are excluded."
            ),
            *dict.fromkeys(reason for reasons in undefined for reason in reasons),
            *check_notes([("", result) for result in results]),
        ),
        undefined=tuple(" ".join(reasons) for reasons in undefined),
    )
    return NamedReport(table, tuple(results))


_CIF_COEFFICIENTS = ("percent", "cohen_kappa", "cohen_kappa_cost")
_CORRELATIONS = ("spearman", "kendall")

Results = Mapping[str, CoefficientResult]
"""Results by the names of their coefficients."""


def _agreement_of(table: RatingTable) -> Results:
    return {name: _result(table, name) for name in _CIF_COEFFICIENTS}


def _cif_row(
    form: str,
    parts: Mapping[tuple[str, str], Results],
    correlations: Results,
    judged: int,
    no_judge: str | None,
) -> tuple[tuple[Cell, ...], list[str]]:
    """A row, and why any of its numbers is undefined."""
    if not parts:
        empty = (form, 0, 0, None, None, 0, None, 0, None, None)
        return empty, [tr("{form}: no criterion with this scale was rated.", form=form)]
    values = {name: [part[name].value for part in parts.values()] for name in _CIF_COEFFICIENTS}
    why = Counter(part["cohen_kappa"].undefined for part in parts.values())
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
        _mean(values["percent"]),
        _mean(values["cohen_kappa"]),
        sum(value is not None for value in values["cohen_kappa"]),
        _mean(values["cohen_kappa_cost"]),
        judged,
        *(correlations[name].value if correlations else None for name in _CORRELATIONS),
    )
    return row, reasons


def _with_judge(
    parts: Sequence[Sequence[CriterionRating]], judge: Mapping[str, float]
) -> tuple[Results, int, str | None]:
    """Correlations over the items that both judged, how many these are, or why there is none."""
    values: dict[str, list[float]] = {}
    for part in parts:
        for rating in part:
            number = as_number(rating.value)
            if number is not None and rating.item in judge:
                values.setdefault(rating.item, []).append(number)
    if not values:
        return {}, 0, tr("No rated items have a judge's score.")
    rows: list[tuple[str, str, float]] = []
    for item, numbers in values.items():
        rows += [(item, "people", math.fsum(numbers) / len(numbers)), (item, "judge", judge[item])]
    table = table_of_rows(rows)
    correlations = {name: _result(table, name) for name in _CORRELATIONS}
    return correlations, len(values), correlations["spearman"].undefined


def _by_group_and_criterion(
    ratings: Iterable[CriterionRating],
) -> dict[tuple[str, str], list[CriterionRating]]:
    cuts: dict[tuple[str, str], list[CriterionRating]] = {}
    for rating in ratings:
        if not is_missing(rating.value):
            cuts.setdefault((rating.group, rating.criterion), []).append(rating)
    if not cuts:
        raise InputError(
            tr("There are no ratings to report. Collect ratings first, or select more.")
        )
    return cuts


def _groups(cuts: Mapping[tuple[str, str], object]) -> list[str]:
    return list(dict.fromkeys(group for group, _ in cuts))


def _two_valued(cuts: Mapping[tuple[str, str], Sequence[CriterionRating]]) -> list[str]:
    values: dict[str, set[float | str]] = {}
    for (_, criterion), part in cuts.items():
        values.setdefault(criterion, set()).update(rating.value for rating in part)
    return [criterion for criterion, used in values.items() if len(used) <= 2]


def _table(ratings: Sequence[CriterionRating], scale: Sequence[float] | None) -> RatingTable:
    declared: Scale | None = declared_scale(scale) if scale is not None else None
    return table_of_rows(((r.item, r.rater, r.value) for r in ratings), declared)


def _result(table: RatingTable, name: str) -> CoefficientResult:
    return checked_results(table, coefficients_for(table, [name], interval="none"))[0]


def _mean_value(ratings: Sequence[CriterionRating]) -> float | None:
    numbers = [number for r in ratings if (number := as_number(r.value)) is not None]
    return math.fsum(numbers) / len(numbers) if numbers else None


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None


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
        groups=", ".join(f"“{group}”" for group in groups),
        reason=reason,
    )
