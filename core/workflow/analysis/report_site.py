"""The static report of a workspace: leaderboards, rugged scores, items, contamination."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.analysis.benchmark_pairs import PairCatalogue, shipped_pairs
from core.analysis.cif import cif_analysis
from core.analysis.contamination import Delta, SimulationScore, deltas, spreads
from core.analysis.lengths import length_table
from core.analysis.ranking_tables import (
    cif_table,
    delta_lines,
    delta_table,
    item_rows,
    leaderboard_table,
    lengths_table,
    ranked_reports,
    rugged_table,
    series,
    spread_table,
    zero_shot_table,
)
from core.analysis.rugged_table import RuggedScores
from core.analysis.site import RUNS, ReportSection, WrittenSite, safe_name, write_site
from core.analysis.svg import SPOKES, Figure, line_figure, radar_figure, scatter_figure
from core.errors import BenchsealError
from core.evaluation.report_parts.methods_text import methods_paragraph
from core.evaluation.report_parts.seen_before import with_seen
from core.evaluation.report_tables import counts_notes
from core.evaluation.scoring import Report
from core.i18n import tr
from core.report_table import Moment, ReportTable
from core.workflow import people
from core.workflow.analysis import analyze, cif_scores, coreeval_scores, sent_items
from core.workflow.evaluation import pairwise_judging, public_score_files
from core.workflow.evaluation.finished_runs import finished_runs, passed_over_notes
from core.workflow.runs import runs
from core.workflow.splits import freeze, surface_gate
from core.workflow.workspace import Workspace


def site(
    ws: Workspace,
    out: Path,
    *,
    public: Sequence[str] = (),
    pairs: PairCatalogue | None = None,
) -> WrittenSite:
    """Write the report of everything finished in the workspace to a folder.

    A run that cannot be read is left out, and the page says so.
    """
    periods: dict[str, list[Report]] = {}
    names: dict[str, str] = {}
    finished = finished_runs(ws)
    notes: list[str] = []
    warnings: list[str] = []
    for number, info in enumerate(reversed(freeze.all_splits(ws))):
        reports, left_out = analyze.readable(ws, finished.get(info.name, {}).values())
        notes += left_out
        if reports:
            seen = sent_items.seen_before(ws, _runs(reports))
            reports = [with_seen(report, seen) for report in reports]
            periods[info.name] = reports
            names[info.name] = f"{number:02d}-{safe_name(info.name)}"
            warning = surface_gate.warning(surface_gate.surface_gate(ws, info.name))
            warnings += [warning] if warning else []
            notes += passed_over_notes(ws, info.name)
    # the newest period's models first: they have the looks that are told apart most easily
    newest_first = (rows for _, rows in reversed(periods.items()))
    order = tuple(dict.fromkeys(row.model for rows in newest_first for row in ranked_reports(rows)))
    sections = [
        *_rugged(ws, periods, public, pairs or shipped_pairs(), order),
        *_periods(periods, order),
    ]
    for split, reports in periods.items():
        sections += _of_split(ws, split, names[split], reports, order)
    sections += _contamination(ws, notes)
    sections += _source_runs(ws, sections)
    day = tr("Created on {day}.", day=f"{datetime.now(UTC):%Y-%m-%d}")
    notes = [*warnings, people.names_sentence(ws), *notes]
    return write_site(out, tr("Benchmark report"), sections, day, notes)


def _runs(reports: Sequence[Report]) -> tuple[str, ...]:
    return tuple(str(report.origin.get("run", "")) for report in reports)


def _source_runs(ws: Workspace, sections: Sequence[ReportSection]) -> list[ReportSection]:
    """A row for every run that a number came from."""
    named = dict.fromkeys(run for section in sections for run in section.runs)
    known = {info.id: info for info in runs.runs(ws) if info.id in named}
    if not known:
        return []
    rows = tuple(
        (
            run_info.id,
            run_info.title,
            Moment(run_info.started),
            run_info.done,
            run_info.total,
        )
        for run_info in (known[run] for run in named if run in known)
    )
    heads = (tr("Run"), tr("Title"), tr("Started (UTC)"), tr("Done"), tr("Planned"))
    return [ReportSection(RUNS, ReportTable(tr("Runs"), heads, rows), (), tuple(known))]


def _of_split(
    ws: Workspace, split: str, name: str, reports: Sequence[Report], order: Sequence[str]
) -> list[ReportSection]:
    best = ranked_reports(reports, "domain")[:8]
    radar = radar_figure(
        f"radar-{name}",
        tr("Accuracy by domain on {split}, percent", split=split),
        {
            row.model: {
                part or "–": None if p.accuracy is None else 100 * p.accuracy
                for part, p in row.parts.items()
            }
            for row in best
        },
        order=order,
    )
    spokes = {part for row in best for part in row.parts}
    titles = {
        "domain": tr("{split}: accuracy by domain, percent", split=split),
        "format": tr("{split}: accuracy by format, percent", split=split),
    }
    sections = []
    for cut in titles:
        table = leaderboard_table(reports, cut)
        title = titles[cut]
        figures = (radar,) if cut == "domain" and len(spokes) in SPOKES else ()
        sections.append(
            ReportSection(f"{cut}-{name}", _titled(table, title), figures, _runs(reports))
        )
    gate = surface_gate.surface_gate(ws, split)
    if gate.solvers:
        sections.append(ReportSection(f"surface-{name}", surface_gate.surface_table(gate)))
    pairs = pairwise_judging.finished(ws, split)
    if pairs:
        table = pairwise_judging.strength_table(pairwise_judging.standings(ws, pairs))
        names = tuple(row.id for row in pairs)
        sections.append(ReportSection(f"pairs-{name}", table, (), names))
    rows = tuple((report.model or report.engine, methods_paragraph(report)) for report in reports)
    methods = ReportTable(tr("{split}: methods", split=split), (tr("Model"), tr("Methods")), rows)
    sections.append(ReportSection(f"methods-{name}", methods, (), _runs(reports)))
    lengths = lengths_table(length_table(m.content for m in freeze.members_of(ws, split)))
    title = tr("{split}: lengths in words", split=split)
    sections.append(ReportSection(f"lengths-{name}", _titled(lengths, title)))
    if len(reports) > 1:
        items = item_rows(analyze.items_of(ws, split, reports))
        title = tr("{split}: items", split=split)
        sections.append(ReportSection(f"items-{name}", _titled(items, title), (), _runs(reports)))
    return sections + _of_papers(ws, split, name, reports)


def _of_papers(
    ws: Workspace, split: str, name: str, reports: Sequence[Report]
) -> list[ReportSection]:
    """CIF-Bench's categories and CoreEval's zero-shot F1, where the split has such items."""
    kinds = {m.content.family for m in freeze.members_of(ws, split)}
    sections = []
    if "instruction" in kinds:
        scores = [score for r in reports for score in cif_scores.cif_scores_of(ws, r)]
        if scores:
            table = cif_table(cif_analysis(scores))
            title = tr("{split}: scores by category", split=split)
            sections.append(
                ReportSection(f"categories-{name}", _titled(table, title), (), _runs(reports))
            )
    if "rewrite" in kinds:
        shots = [coreeval_scores.zero_shot(ws, report) for report in reports]
        table = zero_shot_table(
            (shot.model, shot.run, shot.f1, shot.intervals, shot.caution) for shot in shots
        )
        title = tr("{split}: zero-shot macro F1, percent", split=split)
        sections.append(
            ReportSection(f"zero-shot-{name}", _titled(table, title), (), _runs(reports))
        )
    return sections


def _titled(table: ReportTable, title: str) -> ReportTable:
    return replace(table, title=title)


def _rugged(
    ws: Workspace,
    periods: dict[str, list[Report]],
    public: Sequence[str],
    pairs: PairCatalogue,
    order: Sequence[str],
) -> list[ReportSection]:
    """Rugged scores over the newest private period (``analyze.newest_private``)."""
    newest = analyze.newest_private(ws, periods)
    if newest is None:
        return []
    stored, notes = public_score_files.usable_files(ws)
    report = analyze.rugged(ws, _runs(periods[newest]), [*stored, *public], pairs)
    points = {
        row.model: (100 * row.private_mean, 100 * row.scores["rs2"].value)
        for row in report.models
        if row.private_mean is not None and row.scores["rs2"].value is not None
    }
    against = {
        row.model: (100 * row.private_mean, row.scores["rs1"].value)
        for row in report.models
        if row.private_mean is not None and row.scores["rs1"].value is not None
    }
    mean = tr("Mean accuracy over domains, percent")
    spans = {"rs1": _spans(report.models, "rs1", 1), "rs2": _spans(report.models, "rs2", 100)}
    titles = {
        "rs1": tr("Mean accuracy over domains against RS I, with 95% intervals")
        if spans["rs1"] else tr("Mean accuracy over domains against RS I"),
        "rs2": tr("Mean accuracy over domains against RS II, with 95% intervals")
        if spans["rs2"] else tr("Mean accuracy over domains against RS II"),
    }  # fmt: skip
    figures = [
        scatter_figure(f"accuracy-{name}", titles[name], marks, (mean, axis), spans[name], order)
        for name, marks, axis in (
            ("rs1", against, "RS I"), ("rs2", points, tr("RS II, points")),
        )
        if marks
    ]  # fmt: skip
    names = tuple(dict.fromkeys(run for row in report.models for run in row.runs))
    table = rugged_table(report.models)
    table = replace(table, notes=(*notes, *report.notes, *table.notes))
    return [ReportSection("rugged", table, tuple(figures), names)]


def _spans(
    models: Sequence[RuggedScores], name: str, factor: float
) -> dict[str, tuple[float, float]]:
    """The intervals of one score by model; without those that have none."""
    scores = {row.model: row.scores[name] for row in models}
    return {
        model: (factor * score.low, factor * score.high)
        for model, score in scores.items()
        if score.low is not None and score.high is not None
    }


def _periods(periods: dict[str, list[Report]], order: Sequence[str]) -> list[ReportSection]:
    if len(periods) < 2:
        return []
    ticks = {float(place): name for place, name in enumerate(periods)}
    places = {name: place for place, name in ticks.items()}
    lines = {
        model: [(places[p], None if v is None else 100 * v) for p, v in values]
        for model, values in series(periods).items()
    }
    figure = line_figure(
        "periods", tr("Accuracy over evaluation periods"), lines,
        (tr("Period"), tr("Accuracy (%)")), ticks, order,
    )  # fmt: skip
    rows = tuple((model, *(value for _, value in values)) for model, values in lines.items())
    counts = {period: [report.total.n for report in reports] for period, reports in periods.items()}
    table = ReportTable(
        tr("Accuracy over evaluation periods"), (tr("Model"), *periods), rows,
        tuple(counts_notes(counts)), 1,
    )  # fmt: skip
    reports = [report for rows in periods.values() for report in rows]
    return [ReportSection("periods", table, (figure,), _runs(reports))]


def _contamination(ws: Workspace, notes: list[str]) -> list[ReportSection]:
    names: list[str] = []
    scores: list[SimulationScore] = []
    for info in runs.runs(ws):
        if info.kind == "finetune" and info.state == "finished":
            try:
                scores += coreeval_scores.coreeval(ws, [info.id]).simulated
            except BenchsealError as error:
                notes.append(analyze.left_out(ws, info.id, error))
            else:
                names.append(info.id)
    all_deltas = deltas(scores)
    if not all_deltas:
        return []
    return [
        ReportSection("deltas", delta_table(all_deltas), delta_curves(all_deltas), tuple(names)),
        ReportSection("spreads", spread_table(spreads(all_deltas)), (), tuple(names)),
    ]


def delta_curves(all_deltas: Sequence[Delta]) -> tuple[Figure, ...]:
    """One figure for δ1 and one for δ2 over proportions, a line per task and set."""
    figures = []
    for name, title in (("delta1", "δ1"), ("delta2", "δ2")):
        lines = delta_lines(all_deltas, name)
        axes = (tr("Proportion, %"), tr("{delta}, points", delta=title))
        figures.append(line_figure(name, tr("{delta} over proportions", delta=title), lines, axes))
    return tuple(figures)
