"""The named reports: CoreEval's human evaluation and CIF-Bench's human verification."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.agreement.compute import coefficients_for
from core.agreement.ratings import (
    RatingTable,
    Scale,
    as_number,
    declared_scale,
    is_missing,
    table_of_rows,
)
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


def coreeval_human(
    ratings: Iterable[CriterionRating],
    criteria: Sequence[str] = COREEVAL_CRITERIA,
    scales: Mapping[str, Sequence[float]] | None = None,
) -> ReportTable:
    """CoreEval's Table 2: per data set the mean of each criterion and Fleiss' kappa.

    The paper prints one kappa per data set without saying how the criteria were joined; here each
    criterion has its own, and the last column is the mean of those that are defined.
    """
    cuts = _by_group_and_criterion(ratings)
    scales = scales or {}
    missing: dict[tuple[str, str], list[str]] = {}
    rows, undefined = [], []
    for group in _groups(cuts):
        reasons: list[str] = []
        means: list[Cell] = []
        kappas: list[float | None] = []
        items: set[str] = set()
        raters: set[str] = set()
        for criterion in criteria:
            found = cuts.get((group, criterion), [])
            items.update(rating.item for rating in found)
            raters.update(rating.rater for rating in found)
            means.append(_mean_value(found))
            kappa, reason = _value(_table(found, scales.get(criterion)), "fleiss_kappa")
            kappas.append(kappa)
            if reason:
                missing.setdefault((criterion, reason), []).append(group)
                reasons.append(_undefined_note(criterion, reason, [group], len(cuts)))
        defined = [kappa for kappa in kappas if kappa is not None]
        overall = float(np.mean(defined)) if defined else None
        rows.append((group, len(items), len(raters), *means, *kappas, overall))
        undefined.append(" ".join(reasons))
    return ReportTable(
        title=tr("Human evaluation of the data quality"),
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
            tr("κ is Fleiss' kappa; its mean is over the defined criteria."),
            *(_undefined_note(*why, groups, len(rows)) for why, groups in missing.items()),
        ),
        undefined=tuple(undefined),
    )


def cif_human(
    ratings: Iterable[CriterionRating],
    judge: Mapping[str, float] | None = None,
    binary: Sequence[str] | None = None,
) -> ReportTable:
    """CIF-Bench's human verification: per form of question and overall.

    Means over every criterion of every task (``group``) of pairwise agreement, Cohen's kappa
    (binary form) or its cost-weighted form besides (Likert), and Spearman's and Kendall's
    correlation over items of the judge's score with the mean of the raters. ``binary`` names the
    dichotomous criteria; None means those with at most two different values.
    """
    cuts = _by_group_and_criterion(ratings)
    if binary is None:
        binary = _two_valued(cuts)
    forms = {
        tr("Binary"): [cut for cut in cuts if cut[1] in binary],
        tr("Likert"): [cut for cut in cuts if cut[1] not in binary],
        tr("All"): list(cuts),
    }
    found = [
        _cif_row(form, {cut: cuts[cut] for cut in chosen}, judge) for form, chosen in forms.items()
    ]
    return ReportTable(
        title=tr("Human verification"),
        columns=(
            tr("Form"),
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
        rows=tuple(row for row, _ in found),
        notes=(
            tr(
                "Agreement and kappa are means over the criteria of the tasks; where kappa is "
                "undefined it is left out."
            ),
            *dict.fromkeys(reason for _, reasons in found for reason in reasons),
        ),
        undefined=tuple(" ".join(reasons) for _, reasons in found),
    )


def _cif_row(
    name: str,
    parts: Mapping[tuple[str, str], Sequence[CriterionRating]],
    judge: Mapping[str, float] | None,
) -> tuple[tuple[Cell, ...], list[str]]:
    """A row, and why any of its numbers is undefined."""
    if not parts:
        empty = (name, 0, 0, None, None, 0, None, 0, None, None)
        return empty, [tr("{form}: no criterion of this form was rated.", form=name)]
    tables = [_table(part, None) for part in parts.values()]
    agreed = [_value(table, "percent")[0] for table in tables]
    kappas = [_value(table, "cohen_kappa") for table in tables]
    weighted = [_value(table, "cohen_kappa_cost")[0] for table in tables]
    judged, correlations, no_judge = _with_judge(list(parts.values()), judge or {})
    why = Counter(reason for _, reason in kappas if reason)
    reasons = [
        tr("{form}: κ is undefined in {count} of {total}. {reason}", form=name, count=count,
           total=len(parts), reason=reason)
        for reason, count in why.items()
    ]  # fmt: skip
    if no_judge:
        reasons.append(
            tr("{form}: no correlation with a judge. {reason}", form=name, reason=no_judge)
        )
    row = (
        name,
        len({group for group, _ in parts}),
        len(parts),
        _mean(agreed),
        _mean([value for value, _ in kappas]),
        sum(value is not None for value, _ in kappas),
        _mean(weighted),
        judged,
        *correlations,
    )
    return row, reasons


def _with_judge(
    parts: Sequence[Sequence[CriterionRating]], judge: Mapping[str, float]
) -> tuple[int, tuple[float | None, float | None], str | None]:
    """Items that both judged, Spearman's and Kendall's correlation over them, or why it is none."""
    values: dict[str, list[float]] = {}
    for part in parts:
        for rating in part:
            number = as_number(rating.value)
            if number is not None and rating.item in judge:
                values.setdefault(rating.item, []).append(number)
    rows: list[tuple[str, str, float]] = []
    for item, numbers in values.items():
        rows += [(item, "people", math.fsum(numbers) / len(numbers)), (item, "judge", judge[item])]
    if not values:
        return 0, (None, None), tr("No rated item has a judge's score.")
    table = table_of_rows(rows)
    (spearman, reason), (kendall, _) = _value(table, "spearman"), _value(table, "kendall")
    return len(values), (spearman, kendall), reason


def _by_group_and_criterion(
    ratings: Iterable[CriterionRating],
) -> dict[tuple[str, str], list[CriterionRating]]:
    cuts: dict[tuple[str, str], list[CriterionRating]] = {}
    for rating in ratings:
        if not is_missing(rating.value):
            cuts.setdefault((rating.group, rating.criterion), []).append(rating)
    if not cuts:
        raise InputError(
            tr("There are no ratings to report. Collect ratings first, or widen the choice.")
        )
    return cuts


def _groups(cuts: Mapping[tuple[str, str], object]) -> list[str]:
    return list(dict.fromkeys(group for group, _ in cuts))


def _two_valued(cuts: Mapping[tuple[str, str], Sequence[CriterionRating]]) -> list[str]:
    values: dict[str, set[float | str]] = {}
    for (_, criterion), part in cuts.items():
        values.setdefault(criterion, set()).update(rating.value for rating in part)
    return [criterion for criterion, found in values.items() if len(found) <= 2]


def _table(ratings: Sequence[CriterionRating], scale: Sequence[float] | None) -> RatingTable:
    declared: Scale | None = declared_scale(scale) if scale is not None else None
    return table_of_rows(((r.item, r.rater, r.value) for r in ratings), declared)


def _value(table: RatingTable, name: str) -> tuple[float | None, str | None]:
    result = coefficients_for(table, [name], interval="none")[0]
    return result.value, result.undefined


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
            "κ of “{criterion}” is undefined throughout. {reason}",
            criterion=criterion,
            reason=reason,
        )
    return tr(
        "κ of “{criterion}” is undefined in {groups}. {reason}",
        criterion=criterion,
        groups=", ".join(f"“{group}”" for group in groups),
        reason=reason,
    )
