"""The Gate board: the model's score against what people decided."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from core.i18n import tr
from core.report_table import Cell, ReportTable
from core.screening.threshold import ScoreBin
from core.workflow.dashboard_labels import word
from core.workflow.dashboards.columns import Frame
from core.workflow.dashboards.figures import (
    Axis,
    Chart,
    Dashboard,
    DashboardTable,
    EmptyReason,
    Mark,
    Series,
    stacked,
)
from core.workflow.dashboards.gate_board_numbers import GateNumbers, gate, newest
from core.workflow.dashboards.progress import benchmark_id, numbers_of
from core.workflow.dashboards.registry import DashboardRequest


def board(asked: DashboardRequest) -> Dashboard:
    """Sentence, distribution, ROC, false rejects, calibration; counts and cost, thresholds."""
    view = asked.book.read(("screenings",))
    number = benchmark_id(asked)
    frame = newest(view, number)
    if number is None or not len(frame):
        missing = EmptyReason(
            tr("Nothing has been screened yet."),
            tr("Screen drafts with a language model; its scores then stand here against people."),
            tr("Go to runs"),
            "runs",
        )
        return Dashboard("gate", asked.benchmark, view.tip, missing.title, missing=missing)
    found = gate(view, number)
    return Dashboard(
        panel="gate",
        benchmark=asked.benchmark,
        tip=view.tip,
        sentence=found.sentence,
        figures=(
            _scores(found, frame),
            _roc(found, frame),
            _false_rejects(found, frame),
            _calibration(found, frame),
        ),
        tables=(_table(found, frame), _thresholds(found, frame)),
        facts={"auc": found.auc, "auc_undefined": found.auc_undefined or None},
    )


def scored_between(
    frame: Frame,
    low: float,
    high: float,
    accepted: bool | None = None,
    outcome: tuple[str, ...] = (),
) -> list[int]:
    """Items with low ≤ score < high, of one verdict of people, of some outcomes."""
    wanted = (frame["score"] >= low) & (frame["score"] < high)
    if accepted is not None:
        wanted &= frame["settled"] & (frame["accepted"] == accepted)
    if outcome:
        wanted &= frame["outcome"].among(outcome)
    return numbers_of(frame["item_id"][wanted])


def _scores(found: GateNumbers, frame: Frame) -> Chart:
    bins = found.histogram
    out = [gone for _, _, gone in bins]
    passed = [count - gone for _, count, gone in bins]
    series = stacked(
        [
            (tr("screened out"), "screened_out", out,
             [partial(scored_between, frame, low, low + 0.5, None, ("screened_out",))
              for low, _, _ in bins]),
            (tr("passed"), "accepted", passed,
             [partial(scored_between, frame, low, low + 0.5, None, ("passed",))
              for low, _, _ in bins]),
        ]
    )  # fmt: skip
    return Chart(
        id="scores",
        title=tr("How the model scored the items"),
        places=Axis(tr("score, 0 to 10"), names=tuple(f"{low:g}" for low, _, _ in bins)),
        values=Axis(tr("items"), kind="count", low=0),
        series=series,
        empty="" if any(count for _, count, _ in bins) else tr("No item has a score."),
    )


def _roc(found: GateNumbers, frame: Frame) -> Chart:
    judged = frame.rows(frame["settled"])
    marks = tuple(
        Mark(
            point.false_positive_rate,
            point.true_positive_rate,
            label=tr("threshold {value}", value=f"{point.threshold:g}"),
            pick=partial(scored_between, judged, point.threshold, 11.0),
        )
        for point in found.roc
        if point.true_positive_rate is not None and point.false_positive_rate is not None
    )
    marks += (Mark(0.0, 0.0, label=tr("nothing passes")),) if marks else ()
    title = (
        tr("The score against people (ROC; area {area})", area=f"{found.auc:.2f}")
        if found.auc is not None
        else tr("The score against people (ROC)")
    )
    chance = (Mark(0, 0), Mark(1, 1))
    return Chart(
        id="roc",
        title=title,
        places=Axis(tr("of the rejected, passed"), kind="percent", low=0, high=1),
        values=Axis(tr("of the accepted, passed"), kind="percent", low=0, high=1),
        series=(
            Series(tr("score"), "line", marks),
            Series(tr("chance"), "rule", chance),
        ),
        empty=found.auc_undefined,
    )


def _binned(bins: Sequence[ScoreBin], frame: Frame, first: int = 0) -> tuple[Mark, ...]:
    """A mark with its interval for every bin that holds items, from place ``first`` on."""
    return tuple(
        Mark(
            place,
            one.accepted.value,
            low=one.accepted.low,
            high=one.accepted.high,
            label=tr("score {low} to {high}", low=f"{one.low:g}", high=f"{one.high:g}"),
            pick=partial(scored_between, frame, one.low, 11.0 if one.high == 10 else one.high),
        )
        for place, one in enumerate(bins, first)
        if one.items
    )


def _bin_names(bins: Sequence[ScoreBin]) -> tuple[str, ...]:
    return tuple(f"{one.low:g}–{one.high:g}" for one in bins)


def _false_rejects(found: GateNumbers, frame: Frame) -> Chart:
    rate = found.false_rejects
    audited = frame.rows((frame["audited"] != 0) & frame["settled"])
    whole = Mark(
        0, rate.value, rate.low, rate.high, note=rate.undefined,
        pick=partial(_judged, frame, True),
    )  # fmt: skip
    return Chart(
        id="false_rejects",
        title=tr("Good items among those screened out (false rejects), with 95% intervals"),
        places=Axis(tr("score, 0 to 10"), names=(tr("all"), *_bin_names(found.false_by_score))),
        values=Axis(tr("accepted by people"), kind="percent", low=0, high=1),
        series=(
            Series(tr("of all that were seen"), "points", (whole,)),
            Series(tr("by score"), "points", _binned(found.false_by_score, audited, 1)),
        ),
        empty=""
        if rate.value is not None
        else tr("No screened-out item was judged by people, so nobody knows what the gate loses."),
    )


def _calibration(found: GateNumbers, frame: Frame) -> Chart:
    judged = frame.rows(frame["settled"])
    return Chart(
        id="calibration",
        title=tr("What people accept, by score, with 95% intervals"),
        places=Axis(tr("score, 0 to 10"), names=_bin_names(found.calibration)),
        values=Axis(tr("accepted by people"), kind="percent", low=0, high=1),
        series=(Series(tr("accepted"), "points", _binned(found.calibration, judged)),),
        empty="" if found.judged else tr("No screened item was judged by people yet."),
    )


def _thresholds(found: GateNumbers, frame: Frame) -> DashboardTable:
    table = ReportTable(
        title=tr("What another threshold would have done to the items that people judged"),
        columns=(
            tr("threshold"), tr("good, passed"), tr("good, screened out"), tr("bad, passed"),
            tr("bad, screened out"), tr("of the good, passed"), tr("of the bad, passed"),
        ),
        rows=tuple(
            (
                f"{one.threshold:g}", one.passed_accepted, one.out_accepted, one.passed_rejected,
                one.out_rejected, one.true_positive_rate, one.false_positive_rate,
            )
            for one in found.roc
        ) if found.judged else (),
    )  # fmt: skip
    judged = frame.rows(frame["settled"])
    picks = tuple(partial(scored_between, judged, -1.0, one.threshold) for one in found.roc)
    return DashboardTable("thresholds", table, picks if found.judged else ())


def _table(found: GateNumbers, frame: Frame) -> DashboardTable:
    rate, total = found.false_rejects, len(frame)
    rows: list[tuple[Cell, ...]] = [
        (tr("screened"), total, None, None, ""),
        *((word(name), count, None, None, "") for name, count in found.outcomes.items()),
        (tr("judged by people"), found.judged, None, None, ""),
        (tr("false-reject rate"), rate.value, rate.low, rate.high,
         rate.undefined or tr("{count} of {total} audited", count=rate.count, total=rate.total)),
        (tr("area under the curve"), found.auc, None, None, found.auc_undefined),
        (tr("tokens"), found.tokens, None, None, ""),
        (tr("tokens per item"), _whole(found.tokens / total), None, None, ""),
    ]  # fmt: skip
    table = ReportTable(
        title=tr("The gate in figures"),
        columns=("", tr("Value"), tr("from"), tr("to"), ""),
        rows=tuple(rows),
    )
    every = partial(_of_outcome, frame, ())
    picks = (
        every,
        *(partial(_of_outcome, frame, (name,)) for name in found.outcomes),
        partial(_judged, frame, False),
        partial(_judged, frame, True),
        partial(_judged, frame, False),
        every,
        every,
    )
    return DashboardTable("gate", table, picks)


def _whole(value: float) -> float | int:
    return int(value) if value.is_integer() else value


def _of_outcome(frame: Frame, outcomes: tuple[str, ...]) -> list[int]:
    part = frame.rows(frame["outcome"].among(outcomes)) if outcomes else frame
    return numbers_of(part["item_id"])


def _judged(frame: Frame, audited: bool) -> list[int]:
    seen = frame["audited"] != 0 if audited else ~np.isnan(frame["score"])
    wanted = frame["settled"] & seen
    return numbers_of(frame["item_id"][wanted])
