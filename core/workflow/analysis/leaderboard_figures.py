"""The leaderboard's shares with their errors, and its figures: radar, accuracy against RS I,
periods, δ over proportions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean, stdev
from typing import Any

from core.analysis.cif import task_means
from core.analysis.contamination import deltas
from core.analysis.ranking_tables import delta_lines
from core.analysis.rugged_table import ScoreWithInterval
from core.evaluation.mean_interval import FEW_CLUSTERS
from core.evaluation.report_parts.seen_before import SeenBefore
from core.evaluation.scoring import AccuracyEstimate, Report
from core.families.catalogue import cif_bench
from core.i18n import tr, trn
from core.proportion import student_quantile
from core.workflow.analysis import cif_scores, coreeval_scores
from core.workflow.dashboards.figures import Axis, Chart, Mark, Pick, Series
from core.workflow.runs import runs
from core.workflow.workspace import Workspace

MOST = 7
"""So many models have a colour and a marker of their own."""
_FEWEST, _MOST = 3, 16
_BANDS = 3
_ROOM = 5.0  # points on each side of a single accuracy
_CIF_FORMATS = frozenset({"triplet", "instruction"})


@dataclass(frozen=True, slots=True)
class ScoreShare:
    """A share in 0…1 with its standard error and its 95% interval over ``n`` items, or tasks for
    a category; ``caution`` says where the interval rests on little."""

    value: float | None
    error: float | None
    n: int
    low: float | None = None
    high: float | None = None
    caution: str = ""


def share_of(part: AccuracyEstimate) -> ScoreShare:
    """A proportion as a share."""
    interval = part.interval
    return ScoreShare(part.accuracy, part.stderr, part.n, interval.low, interval.high, part.caution)


def may_have_categories(report: Report) -> bool:
    """Whether a report, also one without its answers, can be of tasks of CIF-Bench."""
    return not _CIF_FORMATS.isdisjoint(report.by["format"])


def category_shares(ws: Workspace, report: Report) -> dict[str, ScoreShare]:
    """Mean and standard error over the tasks of each category of CIF-Bench; empty without any.

    ``report`` has all of its answers.
    """
    means = task_means(cif_scores.cif_scores_of(ws, report))
    catalogue = cif_bench()
    parts = {}
    for category in catalogue.categories:
        values = [means[t.id] for t in catalogue.in_category(category.id) if t.id in means]
        if values:
            parts[category.name] = over_tasks(values)
    return parts


def over_tasks(scores: Sequence[float]) -> ScoreShare:
    """Mean and error over tasks, with Student's interval."""
    mean, count = fmean(scores), len(scores)
    error = stdev(scores) / count**0.5 if count > 1 else None
    why = trn("few tasks: 1", "few tasks: {n}", count) if count < FEW_CLUSTERS else ""
    if not error:
        return ScoreShare(mean, None, count)
    reach = student_quantile(count - 1.0) * error
    return ScoreShare(mean, error, count, max(0.0, mean - reach), min(1.0, mean + reach), why)


@dataclass(frozen=True, slots=True)
class LeaderRow:
    """One model; ``parts`` are in the order of the columns, None where it was not asked.
    ``seen`` is what its provider had been sent before, None where no model was asked."""

    model: str
    run: str
    total: ScoreShare
    parts: tuple[ScoreShare | None, ...]
    missing: int
    rs1: ScoreWithInterval
    rs2: ScoreWithInterval
    seen: SeenBefore | None


@dataclass
class FigureRuns:
    """The runs behind each mark, by the number that the mark picks."""

    _runs: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def by_mark(self) -> tuple[tuple[str, ...], ...]:
        """All of them, by number."""
        return tuple(self._runs)

    def to(self, *names: str) -> Pick:
        """A pick that leads to these runs."""
        self._runs.append(tuple(dict.fromkeys(name for name in names if name)))
        return partial(_one, len(self._runs) - 1)


def _one(number: int) -> tuple[int]:
    return (number,)


def in_percent(share: ScoreShare) -> str:
    """``41.2% (95% interval 37.1 to 45.3)``; a dash for no share."""
    if share.value is None:
        return "–"
    value = f"{100 * share.value:.1f}"
    if share.low is None or share.high is None:
        return f"{value}%"
    return tr("{value}% (95% interval {low} to {high})", value=value,
              low=f"{100 * share.low:.1f}", high=f"{100 * share.high:.1f}")  # fmt: skip


def radar(columns: Sequence[str], rows: Sequence[LeaderRow], runs_behind: FigureRuns) -> Chart:
    """The best models over the columns, in percent."""
    series = []
    for row in rows[:MOST]:
        marks = [
            _share_mark(place, share, runs_behind.to(row.run))
            for place, share in enumerate(row.parts)
            if share is not None
        ]
        series.append(Series(row.model, "line", tuple(marks)))
    empty = ""
    if not _FEWEST <= len(columns) <= _MOST:
        empty = trn(
            "A radar chart shows 3 to 16 columns; there is 1.",
            "A radar chart shows 3 to 16 columns; there are {n}.",
            len(columns),
        )
    title = tr("Accuracy of the top {n}, percent", n=len(series))
    if len(rows) == 1:
        title = tr("Accuracy of {model}, percent", model=rows[0].model)
    return Chart(
        "radar",
        title,
        Axis("", tuple(name or "–" for name in columns)),
        Axis(tr("Accuracy, percent"), low=0.0, high=100.0),
        tuple(series),
        empty=empty,
        radar=True,
    )


def _share_mark(place: float, share: ScoreShare, pick: Pick) -> Mark:
    if share.value is None:
        return Mark(place, None, note=tr("no items answered"), pick=pick)
    low, high = _interval(share)
    return Mark(place, 100 * share.value, low, high, pick=pick)


def _interval(share: ScoreShare) -> tuple[float | None, float | None]:
    """The 95% interval of a share in percent."""
    if share.low is None or share.high is None:
        return None, None
    return 100 * share.low, 100 * share.high


def against_rs1(rows: Sequence[LeaderRow], runs_behind: FigureRuns) -> Chart:
    """Accuracy against RS I with its interval: one series per model while colours last."""
    placed = [row for row in rows if row.rs1.value is not None and row.total.value is not None]
    by_model = {
        row.model: Mark(
            100 * (row.total.value or 0.0),
            row.rs1.value,
            row.rs1.low,
            row.rs1.high,
            label=row.model,
            pick=runs_behind.to(row.run),
        )
        for row in placed
    }
    marks = list(by_model.values())
    if len(rows) <= MOST:
        # also for a model without a mark: the others keep the colours that they have elsewhere
        series = tuple(
            Series(row.model, "points", (by_model[row.model],) if row.model in by_model else ())
            for row in rows
        )
    else:
        series = (Series(tr("models"), "points", tuple(marks)),)
    values = [mark.at for mark in marks]
    near = bool(values) and max(values) - min(values) < 1  # points in one place need an axis too
    reasons = [row.rs1.reason for row in rows if row.rs1.reason]
    return Chart(
        "against_rs1",
        tr("Overestimation (RS I) against accuracy, with 95% intervals"),
        Axis(
            tr("Accuracy, percent"),
            low=min(values) - _ROOM if near else None,
            high=max(values) + _ROOM if near else None,
        ),
        Axis("RS I"),
        series,
        empty="" if placed else tr("RS I compares a model's private accuracy with its public "
                                   "one. {reason}",
                                   reason=reasons[0] if reasons else ""),
    )  # fmt: skip


def over_periods(
    models: Sequence[str],
    periods: Mapping[str, Mapping[str, tuple[str, ScoreShare]]],
    runs_behind: FigureRuns,
) -> Chart:
    """Accuracy of models on every split, oldest first; ``periods`` hold (run, accuracy) by model.

    A model that was not asked in a period has no mark there. Intervals stand while they can be
    told apart.
    """
    banded = len(models) <= _BANDS
    title = tr("Accuracy over evaluation periods, percent")
    if banded:
        title = tr("Accuracy over evaluation periods, percent, with 95% intervals")
    series = []
    for model in models:
        marks = []
        for place, known in enumerate(periods.values()):
            run, share = known.get(model, ("", None))
            if share is not None and share.value is not None:
                low, high = _interval(share) if banded else (None, None)
                marks.append(Mark(place, 100 * share.value, low, high, pick=runs_behind.to(run)))
        series.append(Series(model, "line", tuple(marks)))
    return Chart(
        "periods",
        title,
        Axis("", tuple(periods)),
        Axis(tr("Accuracy, percent")),
        tuple(series),
    )


def delta_charts(ws: Workspace, runs_behind: FigureRuns) -> tuple[Chart, ...]:
    """δ1 and δ2 over proportions, where a simulation is finished."""
    names = [i.id for i in runs.runs(ws) if i.kind == "finetune" and i.state == "finished"]
    all_deltas = deltas(coreeval_scores.coreeval(ws, names).simulated) if names else []
    charts = []
    for name, title in (("delta1", "δ1"), ("delta2", "δ2")):
        lines = {
            label: tuple(
                Mark(x, y, pick=runs_behind.to(*names)) for x, y in line if y is not None
            )
            for label, line in delta_lines(all_deltas, name).items()
        }  # fmt: skip
        lines = {label: marks for label, marks in lines.items() if marks}
        if lines:
            charts.append(
                Chart(
                    name,
                    tr("{delta} over the share of test data seen, points", delta=title),
                    Axis(tr("Proportion, %")),
                    Axis(tr("{delta}, points", delta=title)),
                    tuple(Series(label, "line", marks) for label, marks in lines.items()),
                )
            )
    return tuple(charts)


def elo_chart(
    table: Mapping[str, Any], rows: Sequence[LeaderRow], runs_behind: FigureRuns
) -> Chart:
    """Elo of the models that were compared in pairs, with 95% intervals, the strongest first."""
    run_of = {row.model: row.run for row in rows}
    placed = [one for one in table["models"] if one["elo"] is not None]
    marks = tuple(
        Mark(place, one["elo"], one["low"], one["high"],
             pick=runs_behind.to(run_of.get(one["model"], "")))
        for place, one in enumerate(placed)
    )  # fmt: skip
    reasons = [one["reason"] for one in table["models"] if one["reason"]]
    return Chart(
        "elo",
        tr("Elo from comparisons in pairs, with 95% intervals"),
        Axis("", tuple(one["model"] for one in placed)),
        Axis("Elo"),
        (Series(tr("models"), "points", marks),) if marks else (),
        empty="" if marks else "".join(reasons[:1]),
    )


def adaptive_chart(found: Sequence[Mapping[str, Any]], runs_behind: FigureRuns) -> Chart:
    """Scores on all items as adaptive runs estimate them, with 95% intervals, the best first."""
    marks = tuple(
        Mark(place, 100 * one["score"], 100 * one["low"], 100 * one["high"],
             note=tr("asked {asked} of {items}", asked=one["asked"], items=one["items"]),
             pick=runs_behind.to(one["run"]))
        for place, one in enumerate(found)
    )  # fmt: skip
    return Chart(
        "adaptive",
        tr("Adaptive evaluation: score on all items, percent, with 95% intervals"),
        Axis("", tuple(one["model"] for one in found)),
        Axis(tr("Accuracy, percent")),
        (Series(tr("models"), "points", marks),),
    )
