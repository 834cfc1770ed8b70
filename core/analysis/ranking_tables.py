"""Leaderboards and the analyses as tables, each of which names the runs behind it.

Pure functions: the window, the report and the command line show the same tables.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.analysis.cif import CifScores
from core.analysis.contamination import (
    AVERAGE,
    FEW_SEEDS,
    Delta,
    DeltaSpread,
    mean_over_models,
    mean_over_tasks,
)
from core.analysis.item_analysis import ItemAnalysis
from core.analysis.lengths import LengthRow
from core.analysis.rugged_notes import some_of
from core.analysis.rugged_table import SCORES, RuggedScores
from core.analysis.score_correlation import Correlation
from core.analysis.stability import FormatStability
from core.evaluation.mean_interval import score_intervals_note
from core.evaluation.report_parts.seen_before import (
    SeenBefore,
    seen_before_of,
    seen_items,
    seen_notes,
)
from core.evaluation.report_tables import counts_notes, ways_notes
from core.evaluation.scoring import AccuracyEstimate, Report
from core.i18n import listed, stored_bounds, tr
from core.report_table import Cell, ReportTable

F1BySet = Mapping[str, Mapping[str, float | None]]
IntervalsBySet = Mapping[str, Mapping[str, tuple[float | None, float | None]]]
"""By set and task, in 0…1."""


@dataclass(frozen=True, slots=True)
class LeaderboardEntry:
    """A model's place: accuracy in 0…1 with its standard error, by part and in all."""

    model: str
    total: AccuracyEstimate
    parts: Mapping[str, AccuracyEstimate]
    missing: int
    run: str
    seen: SeenBefore | None


def ranked_reports(reports: Sequence[Report], by: str = "domain") -> list[LeaderboardEntry]:
    """Models from best to worst; those without an answer at the end, by name."""
    rows = [
        LeaderboardEntry(
            r.model or r.engine,
            r.total,
            r.by[by],
            r.missing,
            str(r.origin.get("run", "")),
            seen_before_of(r),
        )
        for r in reports
    ]
    return sorted(
        rows, key=lambda row: (row.total.accuracy is None, -(row.total.accuracy or 0), row.model)
    )


def leaderboard_table(reports: Sequence[Report], by: str = "domain") -> ReportTable:
    """A row per model: accuracy by part and in all in percent, error, missing, exposure, run."""
    rows = ranked_reports(reports, by)
    parts = sorted({part for row in rows for part in row.parts})
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        shares = [cell for part in parts for cell in _share_cells(row.parts.get(part))]
        interval = row.total.interval
        ends = (
            _percent(row.total.accuracy), _percent(row.total.stderr), _percent(interval.low),
            _percent(interval.high), row.total.n, row.missing, seen_items(row.seen),
            row.total.clusters, row.total.caution, row.run,
        )  # fmt: skip
        cells.append((row.model, *shares, *ends))
    heads = (
        tr("Model"),
        *(head for part in parts for head in (part or "–", tr("Low"), tr("High"))),
        tr("All"),
        tr("Standard error"),
        tr("Low"),
        tr("High"),
        tr("Scored"),
        tr("Missing"),
        tr("Seen before"),
        tr("Sources"),
        tr("Remark"),
        tr("Run"),
    )
    notes = rough_intervals(
        (row.model, {**{name or "–": part.caution for name, part in row.parts.items()},
                     tr("All"): row.total.caution})
        for row in rows
    )  # fmt: skip
    seen = seen_notes((row.model, row.seen) for row in rows)
    named = {report.model or report.engine: report for report in reports}
    counts = {p: [row.parts[p].n for row in rows if p in row.parts] for p in parts}
    more = (*ways_notes(named), *seen, *counts_notes(counts))
    legend = tr(
        "Beside All is the standard error of all items. Scored: answers with a score. Missing: "
        "questions without an answer. Seen before: items that had been sent to whoever serves the "
        "model. Sources: articles or other texts that items share."
    )
    return ReportTable(
        tr("Accuracy (%)"), heads, tuple(cells), (*notes, *more, legend, score_intervals_note()), 1
    )


def rough_intervals(cautions: Iterable[tuple[str, Mapping[str, str]]]) -> tuple[str, ...]:
    """Why intervals are rough, each reason once with its columns, and with its models where it is
    not all of them; ``cautions`` are models with the caution of each column, empty for none."""
    models: list[str] = []
    columns: dict[tuple[str, str], list[str]] = {}
    for model, by_column in cautions:
        models.append(model)
        for column, why in by_column.items():
            if why:
                columns.setdefault((why, column), []).append(model)
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (why, column), whose in columns.items():
        alike.setdefault((why, tuple(whose)), []).append(column)
    return tuple(
        tr("{a}: {reason}", a=listed(named), reason=why)
        if len(whose) == len(models)
        else tr("{parts} ({models}): {reason}", parts=listed(named), models=some_of(whose),
                reason=why)
        for (why, whose), named in alike.items()
    )  # fmt: skip


def _share_cells(part: AccuracyEstimate | None) -> list[Cell]:
    """Accuracy and the bounds of its interval, in percent; three empty cells for no part."""
    found = (part.accuracy, part.interval.low, part.interval.high) if part else (None,) * 3
    return [_percent(value) for value in found]


def rugged_table(table: Sequence[RuggedScores]) -> ReportTable:
    """RS_I as it is, RS_II in points, its normalised form in percent, with intervals."""
    rows: list[tuple[Cell, ...]] = []
    without: dict[str, dict[str, None]] = {}
    notes: dict[str, None] = {}
    for row in table:
        cells: list[Cell] = [row.model]
        for name in SCORES:
            score, factor = row.scores[name], 100 if name.startswith("rs2") else 1
            cells += [_times(score.value, factor), _interval(score.low, score.high, factor)]
            if score.reason:
                without.setdefault(score.reason, {})[row.model] = None
            if score.interval_reason:
                notes[score.interval_reason] = None
            if score.caution:
                notes[tr("The intervals are rough ({why}).", why=score.caution)] = None
        if row.scores["rs2"].low == 0 and row.scores["rs2"].value:
            without.setdefault(_luck(), {})[row.model] = None
        rows.append((*cells, row.private_items, row.public_items, ", ".join(row.runs)))
    heads = (
        tr("Model"),
        "RS I", tr("{part}, 95% interval", part="RS I"),
        tr("RS I, ranks"), tr("{part}, 95% interval", part=tr("RS I, ranks")),
        tr("RS II, points"), tr("{part}, 95% interval", part="RS II"),
        tr("RS II without noise, points"),
        tr("{part}, 95% interval", part=tr("RS II without noise")),
        tr("RS II normalised, %"), tr("{part}, 95% interval", part=tr("RS II normalised")),
        tr("Private items"), tr("Public items"), tr("Run"),
    )  # fmt: skip
    reasons = [tr("{a}: {reason}", a=some_of(names), reason=r) for r, names in without.items()]
    digests = {name: digest for row in table for name, digest in row.digests.items()}
    files = [tr("{file}: SHA-256 {digest}", file=f, digest=d) for f, d in digests.items()]
    if any(score.low is not None for row in table for score in row.scores.values()):
        notes[_rugged_intervals()] = None
    return ReportTable(tr("Rugged scores"), heads, tuple(rows), (*reasons, *notes, *files), 2)


def _rugged_intervals() -> str:
    return tr(
        "Intervals are of a bootstrap over items, or over articles where these are known, less its "
        "bias. Those of RS II are of the true spread: the non-central chi-square distribution is "
        "inverted for it."
    )


def _luck() -> str:
    return tr("RS II may be due to chance with so few items; its interval starts at 0.")


def correlation_rows(correlations: Sequence[Correlation]) -> ReportTable:
    """A row per pair and coefficient."""
    rows = tuple(
        (c.a, c.b, c.measure, c.value, _interval(c.low, c.high, 1), c.n) for c in correlations
    )
    notes = dict.fromkeys(tr("{a} and {b}: {reason}", a=c.a, b=c.b, reason=c.reason)
                          for c in correlations if c.reason)  # fmt: skip
    cautions = dict.fromkeys(c.caution for c in correlations if c.caution and c.low is not None)
    notes |= dict.fromkeys(
        tr("Intervals of correlations are rough ({why}).", why=why) for why in cautions
    )
    heads = (
        tr("First measure"),
        tr("Second measure"),
        tr("Coefficient"),
        tr("Value"),
        tr("95% interval"),
        "n",
    )
    return ReportTable(tr("Correlations"), heads, rows, tuple(notes), 2)


def stability_table(formats: Sequence[FormatStability]) -> ReportTable:
    """A row per format, in percent and points."""
    rows = tuple(
        (
            row.format or tr("all"),
            len(row.accuracies),
            _percent(row.mean),
            _percent(row.deviation),
            _percent(row.sampling_error),
            _percent(min(row.accuracies, default=None)),
            _percent(max(row.accuracies, default=None)),
        )
        for row in formats
    )
    heads = (
        tr("Format"), tr("Seeds"), tr("Mean accuracy, %"), tr("Standard deviation, points"),
        tr("Standard error, points"), tr("Lowest"), tr("Highest"),
    )  # fmt: skip
    return ReportTable(tr("Stability over regeneration"), heads, rows, (), 2)


def lengths_table(lengths: Sequence[LengthRow]) -> ReportTable:
    """Words per kind of text, as ArxivRoll's table 5."""
    rows = tuple(
        (r.format or r.family, r.text, r.samples, r.mean, float(r.median), r.longest, r.shortest)
        for r in lengths
    )
    heads = (
        tr("Format"), tr("Text"), tr("Samples"), tr("Mean words"), tr("Median"), tr("Longest"),
        tr("Shortest"),
    )  # fmt: skip
    return ReportTable(tr("Lengths in words"), heads, rows, (), 2)


def item_rows(analysis: ItemAnalysis) -> ReportTable:
    """A row per item."""
    rows = tuple(
        (
            i.id, i.format, i.domain, i.models, i.difficulty, i.discrimination, i.item_total,
            i.slope, _interval(i.slope_low, i.slope_high, 1), i.location, i.location_error,
            ", ".join(i.unpicked),
        )
        for i in analysis.items
    )  # fmt: skip
    heads = (
        tr("Item"), tr("Format"), tr("Domain"), tr("Models"), tr("Accuracy"),
        tr("Discrimination"), tr("Item–total r"), tr("Slope a"), tr("95% interval"),
        tr("Location b"), tr("Standard error"), tr("Options never selected"),
    )  # fmt: skip
    return ReportTable(tr("Item analysis"), heads, rows, analysis.notes, 2)


def cif_table(scores: Sequence[CifScores]) -> ReportTable:
    """Models × overall and categories, as CIF-Bench's tables 3 and 4."""
    categories = list(scores[0].categories) if scores else []
    ranked = sorted(scores, key=lambda row: -(row.overall or 0))
    rows = tuple(
        (row.model, row.overall, _cif_interval(row, "overall"),
         *(row.categories[c] for c in categories), ", ".join(row.runs))
        for row in ranked
    )  # fmt: skip
    whose: dict[str, dict[str, None]] = {}
    for row in scores:
        for note in row.notes:
            whose.setdefault(note, {})[row.model] = None
    notes = tuple(
        note if len(models) == len(scores) else tr("{a}: {reason}", a=some_of(models), reason=note)
        for note, models in whose.items()
    )
    notes += _rough(row.cautions.get("overall", "") for row in scores)
    overall = tr("Overall"), tr("{part}, 95% interval", part=tr("Overall"))
    heads = (tr("Model"), *overall, *categories, tr("Run"))
    return ReportTable(tr("Scores by category"), heads, rows, notes, 3)


def cif_shift_table(scores: Sequence[CifScores]) -> ReportTable:
    """Private less public, by kind of task, and variances in thousandths (tables 7, 8, 9)."""
    rows = tuple(
        (
            r.model, r.public, r.private_one, r.difference, _cif_interval(r, "difference"),
            r.existing, _cif_interval(r, "existing"), r.new, _cif_interval(r, "new"),
            _times(r.variance_one, 1000), _times(r.variance_all, 1000), r.instructions,
        )
        for r in scores
    )  # fmt: skip
    heads = (
        tr("Model"), tr("Public"), tr("Private"), tr("Private − public"),
        tr("{part}, 95% interval", part=tr("Private − public")), tr("Existing tasks"),
        tr("{part}, 95% interval", part=tr("Existing tasks")), tr("New tasks"),
        tr("{part}, 95% interval", part=tr("New tasks")), tr("Variance, one instruction"),
        tr("Variance, all instructions"), tr("Instructions"),
    )  # fmt: skip
    notes = _rough(r.cautions.get(n, "") for r in scores for n in ("difference", "existing", "new"))
    return ReportTable(tr("Public against private"), heads, rows, notes, 3)


def _rough(cautions: Iterable[str]) -> tuple[str, ...]:
    """Why intervals are rough, each reason once."""
    known = dict.fromkeys(filter(None, cautions))
    return tuple(tr("The intervals are rough ({why}).", why=why) for why in known)


def _cif_interval(scores: CifScores, name: str) -> str | None:
    low, high = scores.intervals.get(name, (None, None))
    return _interval(low, high, 1)


def delta_table(all_deltas: Sequence[Delta]) -> ReportTable:
    """A row per model, set and proportion, in points."""
    rows = tuple(
        (d.model, d.task, _set_of(d), d.evaluated, d.proportion, d.delta1,
         _interval(d.low1, d.high1, 1), d.delta2, _interval(d.low2, d.high2, 1),
         max(d.seeds1, d.seeds2), d.run)
        for d in all_deltas
    )  # fmt: skip
    heads = (
        tr("Model"), tr("Task"), tr("Set"), tr("Evaluated on"), tr("Proportion, %"), "δ1",
        tr("{part}, 95% interval", part="δ1"), "δ2", tr("{part}, 95% interval", part="δ2"),
        tr("Seeds"), tr("Run"),
    )  # fmt: skip
    keys = [row[:5] for row in rows]
    notes = list(_delta_reasons(all_deltas))
    if any(1 < n < FEW_SEEDS for d in all_deltas for n in (d.seeds1, d.seeds2)):
        notes.append(
            tr("Some figures rest on fewer than {few} seeds: their intervals are rough.",
               few=FEW_SEEDS)
        )  # fmt: skip
    if any(1 in (d.seeds1, d.seeds2) for d in all_deltas):
        notes.append(
            tr("Some figures rest on one seed: their intervals are over items and leave out the "
               "differences between training runs. Simulate with several seeds.")
        )  # fmt: skip
    if len(set(keys)) < len(keys):
        notes.append(
            tr("Some models have several simulations with different settings or data; averages "
                "use their mean.")
        )  # fmt: skip
    title = tr("Contamination resistance, points")
    return ReportTable(title, heads, rows, tuple(notes), 2)


def _set_of(row: Delta | DeltaSpread) -> str:
    return tr("{set}, text only", set=row.dataset) if row.text_only else row.dataset


def _delta_reasons(all_deltas: Sequence[Delta] | Sequence[DeltaSpread]) -> dict[str, None]:
    """Why a δ1 or a δ2 is missing, each reason once."""
    reasons: dict[str, None] = {}
    for row in all_deltas:
        for name, reason in (("δ1", row.reason1), ("δ2", row.reason2)):
            if reason:
                reasons[tr("{a}: {reason}", a=name, reason=reason)] = None
    return reasons


def spread_table(all_spreads: Sequence[DeltaSpread]) -> ReportTable:
    """Means and sample deviations over proportions (tables 11 and 12)."""
    rows = tuple(
        (s.task, _set_of(s), s.evaluated, s.mean1, s.deviation1, s.mean2, s.deviation2)
        for s in all_spreads
    )
    heads = (
        tr("Task"), tr("Set"), tr("Evaluated on"), tr("Mean δ1"), "σ(δ1)", tr("Mean δ2"), "σ(δ2)",
    )  # fmt: skip
    title = tr("δ over proportions, points")
    return ReportTable(title, heads, rows, tuple(_delta_reasons(all_spreads)), 2)


def delta_lines(
    all_deltas: Sequence[Delta], delta: str
) -> dict[str, list[tuple[float, float | None]]]:
    """``delta1`` or ``delta2`` over proportions (mean over models), a line per task and set."""
    lines: dict[str, list[tuple[float, float | None]]] = {}
    for row in sorted(mean_over_models(all_deltas), key=lambda mean: mean.proportion):
        label = tr("{task}, {set}", task=row.task, set=_set_of(row))
        if row.evaluated not in ("", row.dataset):
            label = tr("{task}, {set}, evaluated on {asked}", task=row.task, set=_set_of(row),
                       asked=row.evaluated)  # fmt: skip
        lines.setdefault(label, []).append((float(row.proportion), getattr(row, delta)))
    return lines


def series(
    reports: Mapping[str, Sequence[Report]],
) -> dict[str, list[tuple[str, float | None]]]:
    """Accuracy (0…1) of every model over evaluation periods: ``reports`` is by period, in order."""
    models = dict.fromkeys(r.model or r.engine for rows in reports.values() for r in rows)
    return {
        model: [
            (period, next((r.total.accuracy for r in rows if (r.model or r.engine) == model), None))
            for period, rows in reports.items()
        ]
        for model in models
    }


def _percent(value: float | None) -> float | None:
    return _times(value, 100)


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else factor * value


def _interval(low: float | None, high: float | None, factor: float) -> str | None:
    if low is None or high is None:
        return None
    return stored_bounds(factor * low, factor * high, 2)


def zero_shot_table(
    scores: Iterable[tuple[str, str, F1BySet, IntervalsBySet, str]],
) -> ReportTable:
    """(model, run, F1 by set and task, its intervals, why they are rough) as macro F1 in percent
    with AVG (CoreEval table 10)."""
    entries = list(scores)
    tasks = sorted({task for _, _, sets, *_ in entries for by in sets.values() for task in by})
    rows: list[tuple[Cell, ...]] = []
    for model, run, sets, intervals, _ in entries:
        for name, by in sets.items():
            cells: list[Cell] = [model, name]
            for task in tasks:
                low, high = intervals.get(name, {}).get(task, (None, None))
                cells += [_percent(by.get(task)), _interval(low, high, 100)]
            low, high = intervals.get(name, {}).get(AVERAGE, (None, None))
            rows.append((*cells, _percent(mean_over_tasks(by)), _interval(low, high, 100), run))
    heads = [tr("Model"), tr("Set")]
    for task in tasks:
        heads += [task, tr("{part}, 95% interval", part=task)]
    heads += [AVERAGE, tr("{part}, 95% interval", part=AVERAGE), tr("Run")]
    notes = _rough(why for *_, why in entries)
    return ReportTable(tr("Zero-shot macro F1, percent"), tuple(heads), tuple(rows), notes, 2)
