"""Results as JSON, CSV and LaTeX."""

import math
from collections.abc import Sequence
from typing import Any

from core.agreement.intervals import STUDENT
from core.agreement.statistic import CoefficientResult
from core.i18n import sentences, tr, trn
from core.report_table import Cell, ReportTable


def results_to_json(results: Sequence[CoefficientResult]) -> list[dict[str, Any]]:
    """One JSON object per result."""
    return [result.as_json() for result in results]


_COLUMNS = (
    "name",
    "value",
    "low",
    "high",
    "interval",
    "confidence",
    "items",
    "compared",
    "pairable",
    "raters",
    "coverage",
    "word",
    "undefined",
    "notes",
    "checked_with",
    "difference",
)

Grouped = Sequence[tuple[str, CoefficientResult]]
"""Results with the name of the group they are of; "" for all ratings."""


def results_data(rows: Grouped) -> ReportTable:
    """One row per coefficient for programs: stable English column names, all there is to know."""
    table: list[tuple[Cell, ...]] = []
    for group, result in rows:
        check = result.checked_with
        plain = result.as_json() | {
            "notes": sentences(result.notes) or None,
            "checked_with": f"{check.package} {check.version}" if check else result.not_checked,
            "difference": check.difference if check else None,
        }
        table.append((group, *(plain[column] for column in _COLUMNS)))
    return ReportTable(tr("Agreement between raters"), ("group", *_COLUMNS), tuple(table))


def results_table(rows: Grouped) -> ReportTable:
    """The results as a printed table, with reasons, intervals and notes below it."""
    grouped = any(group for group, _ in rows)
    reasons = [
        tr("{title}: undefined. {reason}", title=result.title, reason=result.undefined)
        for _, result in rows
        if result.undefined
    ]
    notes = (*reasons, *interval_words(rows), *attributed_notes(rows), *check_notes(rows))
    return ReportTable(
        title=tr("Agreement between raters"),
        columns=(
            *((tr("Group"),) if grouped else ()),
            tr("Coefficient"),
            tr("Value"),
            tr("Low"),
            tr("High"),
            tr("Items compared"),
            tr("Raters"),
        ),
        rows=tuple(
            (
                *((group or tr("all"),) if grouped else ()),
                *(result.title, result.value, result.low, result.high),
                *(result.compared, result.raters),
            )
            for group, result in rows
        ),
        notes=tuple(dict.fromkeys(notes)),
    )


def interval_words(rows: Grouped) -> list[str]:
    """How the intervals were found, one sentence for each way; nothing where there are none."""
    with_interval = [result for _, result in rows if result.low is not None]
    return list(dict.fromkeys(_interval_words(result) for result in with_interval))


def _interval_words(result: CoefficientResult) -> str:
    level = f"{result.confidence:.0%}"
    if result.interval == "analytic":
        return tr("Intervals: {level}, analytic over items as if independent.", level=level)
    if result.interval == STUDENT:
        return tr("Intervals: {level}, Student's with jackknife errors over what items share "
                  "({over}).", level=level, over=result.shared)  # fmt: skip
    resamples = trn("1 resample", "{n} resamples", result.resamples)
    values = {"level": level, "resamples": resamples, "seed": result.seed}
    if result.shared:
        return tr(
            "Intervals: {level}, bootstrap over what items share ({over}), {resamples}, seed "
            "{seed}.",
            over=result.shared, **values,
        )  # fmt: skip
    if result.interval == "bootstrap-bca":
        return tr(
            "Intervals: {level}, BCa bootstrap over items as if independent, {resamples}, seed "
            "{seed}.",
            **values,
        )
    return tr(
        "Intervals: {level}, percentile bootstrap over items as if independent, {resamples}, seed "
        "{seed}.",
        **values,
    )


def words_of(result: CoefficientResult) -> str:
    """How a value reads beside its number: why there is none, else the words for its interval and
    whether that is rough."""
    if result.undefined or not result.rough:
        return result.undefined or result.word or ""
    return tr("{figure} (rough)", figure=result.word) if result.word else tr("rough")


def check_notes(rows: Grouped) -> list[str]:
    """Which package computed which coefficients as well, and why others were not checked."""
    results = [result for _, result in rows]
    checks: dict[tuple[str, str], list[CoefficientResult]] = {}
    reasons: dict[str, list[CoefficientResult]] = {}
    for result in results:
        if result.checked_with is not None:
            package = result.checked_with.package, result.checked_with.version
            checks.setdefault(package, []).append(result)
        elif result.not_checked is not None:
            reasons.setdefault(result.not_checked, []).append(result)
    notes = [
        tr(
            "{what}: checked with {package} {version}: equal to {bound}.",
            what=_titles(checked), package=package, version=version, bound=_power_above(checked),
        )
        for (package, version), checked in checks.items()
    ]  # fmt: skip
    for reason, unchecked in reasons.items():
        names = {result.name for result in unchecked}
        total = sum(result.name in names and result.value is not None for result in results)
        values = {"what": _titles(unchecked), "reason": reason}
        if len(unchecked) < total:
            notes.append(
                trn(
                    "{what} in {count} of 1 table: {reason}",
                    "{what} in {count} of {n} tables: {reason}",
                    total,
                    count=len(unchecked),
                    **values,
                )
            )
        else:
            notes.append(tr("{what}: {note}", what=values["what"], note=reason))
    return notes


def _titles(results: Sequence[CoefficientResult]) -> str:
    return " · ".join(dict.fromkeys(result.title for result in results))


def _power_above(results: Sequence[CoefficientResult]) -> str:
    """The power of ten, 1e-12 at least, that no difference exceeds."""
    largest = max(result.checked_with.difference for result in results if result.checked_with)
    return f"1e{max(-12, math.ceil(math.log10(largest)) if largest else -12)}"


def attributed_notes(rows: Grouped) -> list[str]:
    """Every note once, after the coefficients it is about, unless it is about all of them; after
    the group too where it is about one alone."""
    groups = {group for group, _ in rows}
    about: dict[str, list[tuple[str, str]]] = {}
    for group, result in rows:
        for note in result.notes:
            about.setdefault(note, []).append((group, result.title))
    return [
        note if len(places) == len(rows) else _attributed(note, places, len(groups))
        for note, places in about.items()
    ]


def _attributed(note: str, places: Sequence[tuple[str, str]], groups: int) -> str:
    named = list(dict.fromkeys(title for _, title in places))
    within = {group for group, _ in places}
    if groups > 1 and len(within) == 1:
        named.insert(0, within.pop() or tr("all"))
    return tr("{what}: {note}", what=" · ".join(named), note=note)
