"""Results as JSON, CSV and LaTeX."""

from collections.abc import Sequence
from typing import Any

from core.agreement.base import CoefficientResult
from core.agreement.interpretation import landis_koch_caution
from core.agreement.report_table import Cell, ReportTable, csv_text
from core.text import tr


def results_to_json(results: Sequence[CoefficientResult]) -> list[dict[str, Any]]:
    """One JSON object per result; ``undefined`` is null or the reason."""
    return [result_to_json(result) for result in results]


def result_to_json(result: CoefficientResult) -> dict[str, Any]:
    """All of a result as plain values; numbers that do not exist are null."""
    return {
        "name": result.name,
        "title": result.title,
        "value": result.value,
        "low": result.low,
        "high": result.high,
        "items": result.items,
        "raters": result.raters,
        "undefined": result.undefined,
        "interval": result.interval,
        "confidence": result.confidence,
        "resamples": result.resamples,
        "seed": result.seed,
        "pairable": result.pairable,
        "coverage": result.coverage,
        "word": result.word,
        "notes": list(result.notes),
        "details": dict(result.details),
        "behind": None
        if result.behind is None
        else {
            "title": result.behind.title,
            "columns": list(result.behind.columns),
            "rows": [list(row) for row in result.behind.rows],
        },
    }


_COLUMNS = (
    "name",
    "value",
    "low",
    "high",
    "interval",
    "confidence",
    "items",
    "pairable",
    "raters",
    "coverage",
    "word",
    "undefined",
    "notes",
)


def results_to_csv(results: Sequence[CoefficientResult]) -> str:
    """One row per coefficient, stable English column names, numbers in full precision."""
    rows: list[tuple[Cell, ...]] = [_COLUMNS]
    for result in results:
        plain = result_to_json(result) | {"notes": " ".join(result.notes) or None}
        rows.append(tuple(plain[column] for column in _COLUMNS))
    return csv_text(rows)


def results_to_latex(results: Sequence[CoefficientResult], caption: str | None = None) -> str:
    """A booktabs table of the values with their intervals, reasons and notes below it."""
    return results_table(results, caption).to_latex()


def results_table(results: Sequence[CoefficientResult], caption: str | None = None) -> ReportTable:
    """The results as a printed table."""
    rows = tuple(
        (result.title, result.value, result.low, result.high, result.items, result.raters)
        for result in results
    )
    reasons = [
        tr("{title}: undefined. {reason}", title=result.title, reason=result.undefined)
        for result in results
        if result.undefined
    ]
    notes = dict.fromkeys(note for result in results for note in result.notes)
    caution = [landis_koch_caution()] if any(result.word for result in results) else []
    return ReportTable(
        title=caption or tr("Agreement between raters"),
        columns=(
            tr("Coefficient"),
            tr("Value"),
            tr("Low"),
            tr("High"),
            tr("Items"),
            tr("Raters"),
        ),
        rows=rows,
        notes=(*reasons, *notes, *caution),
    )
