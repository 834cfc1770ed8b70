"""Analyses of what the workspace measured: reads runs and splits, writes nothing."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.analysis.accuracies import AccuracyRow, Side
from core.analysis.benchmark_pairs import PairCatalogue
from core.analysis.item_analysis import ItemAnalysis, analyse_items
from core.analysis.public_scores import read_public, under_our_names
from core.analysis.rugged_notes import uneven_accuracies
from core.analysis.rugged_table import RuggedOptions, RuggedScores, rs_table
from core.analysis.stability import SEEDS, FormatStability, stability
from core.errors import BenchsealError, InputError, NotFoundError, StateError
from core.evaluation.scoring import Report
from core.evaluation.types import EngineContext, EngineParams
from core.families import family
from core.generation.spec import ScpSpec
from core.i18n import listed, tr, trn
from core.sources.articles.read_paths import read_paths
from core.workflow.evaluation import score_run
from core.workflow.evaluation.finished_runs import (
    finished_reports,
    finished_runs,
    passed_over_notes,
)
from core.workflow.runs import runs
from core.workflow.splits import freeze, lifecycle
from core.workflow.splits.readings import Act
from core.workflow.workspace import Workspace

Reader = Callable[[Workspace, str], Report]
"""Reads the report of a run by its name."""


@dataclass(frozen=True)
class RuggedReport:
    """Rugged scores with what was noticed on the way."""

    models: tuple[RuggedScores, ...]
    notes: tuple[str, ...] = ()


def reports_of(ws: Workspace, names: Sequence[str]) -> list[Report]:
    """The reports of named evaluation runs, in order."""
    return [score_run.report(ws, name) for name in names]


def readable(
    ws: Workspace, names: Iterable[str], read: Reader = score_run.report
) -> tuple[list[Report], list[str]]:
    """The reports of those runs that can be read, and what is wrong with each of the others."""
    reports, notes = [], []
    for name in names:
        try:
            reports.append(read(ws, name))
        except BenchsealError as error:
            notes.append(left_out(ws, name, error))
    return reports, notes


def left_out(ws: Workspace, run: str, error: BenchsealError) -> str:
    """A note on a run that cannot be read; a report goes to others, so without our folder."""
    reason = str(error).replace(f"{ws.place.folder}{os.sep}", "")
    return tr("Run “{run}” is excluded: {reason}", run=run, reason=reason)


def rows_of(report: Report, side: Side) -> list[AccuracyRow]:
    """One accuracy per format and domain that has answers; an unnamed domain is the split's."""
    rows = []
    for cell, part in report.by["format_domain"].items():
        domain = cell.partition("/")[2] or report.split
        if part.accuracy is not None:
            run = str(report.origin.get("run", ""))
            model = report.model or report.engine
            sources = part.sums.by_cluster() if part.sums else None
            rows.append(
                AccuracyRow(model, side, domain, part.accuracy, part.n, run, sources=sources)
            )
    return rows


def rugged(
    ws: Workspace,
    private: Sequence[str],
    public: Sequence[str],
    pairs: PairCatalogue,
    *,
    seed: int = 0,
    resamples: int = 2000,
    expired: bool = True,
    read: Reader = score_run.report,
) -> RuggedReport:
    """Rugged scores of the models of private runs, against public runs, files and folders.

    A private run whose split has expired joins the public side, as the paper wants (§2.1); with
    ``expired`` so does what the same models reached on any other expired split. Where all splits
    of the private runs have expired, the one that expired last stays the private one for the runs
    that were begun before, so that a paper's table is the same after the split is published.
    """
    rows: list[AccuracyRow] = []
    notes: list[str] = []
    reports = _once([read(ws, name) for name in private])
    sides = _sides(ws, reports)
    for report in reports:
        rows += rows_of(report, "private" if sides.is_private(report) else "public")
        if report.missing:
            notes.append(_missing_note(report))
    ours = [row.model for row in rows]
    outside: list[AccuracyRow] = []
    known = {report.split for report in reports if not sides.is_private(report)}
    for source in public:
        if Path(source).exists():
            outside += read_public(Path(source))
        else:
            report = _public_run(ws, source, read)
            if report.split in {one.split for one in reports} and sides.is_private(report):
                raise InputError.tr(
                    "Run “{run}” evaluated split “{split}”, which is already on the "
                    "private side; it would be compared with itself.",
                    run=source,
                    split=report.split,
                )
            if report.split in sides.expired:
                known.add(report.split)
            outside += rows_of(report, "public")
    if expired:
        others = sorted(sides.published - known - {sides.last})
        earlier, notes_on_runs = _expired_rows(ws, others, set(ours), read)
        notes += notes_on_runs
        known |= set(earlier)
        outside += [row for accuracies in earlier.values() for row in accuracies]
    if sides.last:
        sentence = tr("Split “{name}” has expired; runs started before that count as private.",
                      name=sides.last)  # fmt: skip
        notes.append(sentence)
    notes += [
        tr("Split “{name}” has expired and counts as public.", name=name)
        for name in sorted(known - {sides.last})
    ]
    rows += under_our_names(outside, ours)
    models = set(ours)
    rows = sorted((row for row in rows if row.model in models), key=lambda row: row.set)
    if left := sorted({row.model for row in outside} - {row.model for row in rows}):
        notes.append(
            tr("Public scores of models without a private run were excluded: {names}.",
               names=listed(left[:8]))
        )  # fmt: skip
    options = RuggedOptions(pairs=pairs, seed=seed, resamples=resamples)
    table = rs_table(rows, options, [report.model or report.engine for report in reports])
    return RuggedReport(tuple(table), tuple(dict.fromkeys((*notes, *uneven_accuracies(rows)))))


def _once(reports: Sequence[Report]) -> list[Report]:
    """A run that is named twice counts once: its answers are not twice as many."""
    return list({str(report.origin.get("run", "")): report for report in reports}.values())


def _public_run(ws: Workspace, name: str, read: Reader) -> Report:
    try:
        runs.find(ws, name)
    except NotFoundError as error:
        raise NotFoundError.tr("“{name}” is neither a file nor a run.", name=name) from error
    return read(ws, name)


@dataclass(frozen=True)
class _Sides:
    """Which runs are of the private side: those on a split that has not expired and, where there
    is none, those begun before ``last`` expired. ``published`` had expired before it."""

    expired: frozenset[str]
    published: frozenset[str]
    last: str = ""
    in_time: frozenset[str] = frozenset()

    def is_private(self, report: Report) -> bool:
        """Whether a run counts as private."""
        return report.split not in self.expired or str(report.origin.get("run")) in self.in_time


def _sides(ws: Workspace, reports: Sequence[Report]) -> _Sides:
    ends = lifecycle.expiries(ws)
    expired = frozenset(ends)
    named = {report.split for report in reports}
    if not named or not named <= expired:
        return _Sides(expired, expired)
    last = max(named, key=ends.__getitem__)
    in_time = {
        entry.purpose
        for entry in lifecycle.split_life(ws, last).readings
        if entry.act == Act.EVALUATION and entry.event < ends[last]
    }
    if not in_time & {str(report.origin.get("run")) for report in reports}:
        return _Sides(expired, expired)
    published = frozenset(name for name in expired if ends[name] < ends[last])
    return _Sides(expired, published, last, frozenset(in_time))


def newest_private(ws: Workspace, periods: Iterable[str]) -> str | None:
    """The last of these splits, oldest first, that has not expired; the last where all have."""
    over = lifecycle.expiries(ws)
    newest_first = list(periods)[::-1]
    return next((name for name in newest_first if name not in over), next(iter(newest_first), None))


def _expired_rows(
    ws: Workspace, splits: Sequence[str], models: set[str], read: Reader
) -> tuple[dict[str, list[AccuracyRow]], list[str]]:
    """What these models reached on expired splits, by split; those without any stay out.

    Nobody named these runs: one that cannot be read is left out, with a note.
    """
    known = finished_runs(ws)
    by_split = {}
    notes = []
    for split in splits:
        names = [run for model, run in known.get(split, {}).items() if model in models]
        reports, excluded = readable(ws, names, read)
        notes += excluded
        rows = [row for report in reports for row in rows_of(report, "public")]
        if rows:
            by_split[split] = rows
    return by_split, notes


def _missing_note(report: Report) -> str:
    return trn(
        "{run}: {missing} of 1 item without an answer, excluded.",
        "{run}: {missing} of {n} items without an answer, excluded.",
        report.items,
        run=report.origin.get("run", ""),
        missing=report.missing,
    )


def stability_of(
    sources: Sequence[Path],
    spec: ScpSpec,
    params: EngineParams,
    folder: Path,
    *,
    seeds: int = SEEDS,
) -> list[FormatStability]:
    """Generate ``seeds`` times from articles and evaluate each; ``folder`` is for engine logs."""
    read = read_paths(sources)
    if not read.articles:
        raise InputError.tr("There is no readable article to generate items from.")
    context = EngineContext(params, folder)
    all_seeds = tuple(range(spec.seed, spec.seed + seeds))
    return stability(read.articles, spec, params, context, seeds=all_seeds)


def reports_of_one_split(ws: Workspace, names: Sequence[str]) -> tuple[list[Report], list[str]]:
    """The reports of named runs, which must be of one split, and what was noticed.

    Without names those on the newest split that three models were evaluated on, or else on the
    newest that one was. Of several runs of a model the last counts. Raises InputError.
    """
    if names:
        reports = _once(reports_of(ws, names))
        splits = list(dict.fromkeys(report.split for report in reports))
        if len(splits) > 1:
            raise InputError.tr(
                "The runs are on different splits ({names}), whose scores cannot be compared. "
                "Choose runs of one split.",
                names=listed(splits),
            )
        by_model = {report.model or report.engine: report for report in reports}
        again = [
            known_report.model or known_report.engine
            for known_report in reports
            if known_report not in by_model.values()
        ]
        notes = [
            tr("Model {model} has several runs; the last one is used.", model=model)
            for model in dict.fromkeys(again)
        ]
        return list(by_model.values()), notes
    known = finished_runs(ws)
    splits = [info.name for info in freeze.all_splits(ws) if known.get(info.name)]
    if not splits:
        raise StateError.tr(
            "No finished evaluations. Evaluate a model first, or give --scores FILE.csv."
        )
    split = next((name for name in splits if len(known[name]) > 2), splits[0])
    notes = []
    if len(splits) > 1:
        notes.append(tr("The scores are from split “{split}”; name runs to use others.",
                        split=split))  # fmt: skip
    return list(finished_reports(ws, split).values()), [*notes, *passed_over_notes(ws, split)]


def scores_by_format(reports: Sequence[Report]) -> dict[str, dict[str, float]]:
    """Accuracy by format (and over all, under an empty name) and model."""
    scores: dict[str, dict[str, float]] = {}
    for report in reports:
        model = report.model or report.engine
        for name, part in (*report.by["format"].items(), ("", report.total)):
            if part.accuracy is not None:
                scores.setdefault(name, {})[model] = part.accuracy
    return scores


def items_of(ws: Workspace, split: str, known: Sequence[Report] = ()) -> ItemAnalysis:
    """Item analysis of a split over all models that were evaluated on it, or over known reports."""
    reports = {report.model or report.engine: report for report in known} or finished_reports(
        ws, split
    )
    if not reports:
        raise StateError.tr(
            "No evaluation of split “{name}” is finished; evaluate it first.", name=split
        )
    choices = {}
    for member in freeze.members_of(ws, split):
        prompt = family(member.content.family).prompt(member.content)
        choices[member.uid] = prompt.choices
    return analyse_items(reports, choices)
