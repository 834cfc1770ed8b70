"""The Gate board: the model's score against what people decided."""

from functools import partial

from core.agreement.report_table import Cell, ReportTable
from core.text import tr
from core.workflow.boards.asking import Asked
from core.workflow.boards.figures import (
    Axis,
    Board,
    BoardTable,
    Chart,
    Mark,
    Missing,
    Series,
    stacked,
)
from core.workflow.boards.progress import benchmark_id, numbers_of
from core.workflow.boards.words import word
from core.workflow.columns import Frame
from core.workflow.dashboards.gate import Gate, gate, newest


def board(asked: Asked) -> Board:
    """Sentence, distribution, ROC, calibration, thresholds, and the table of counts and cost."""
    view = asked.book.read(("screenings",))
    number = benchmark_id(asked)
    frame = newest(view, number)
    if number is None or not len(frame):
        missing = Missing(
            tr("Nothing has been screened yet."),
            tr("Screen drafts with a language model; its scores then stand here against people."),
            tr("Go to runs"),
            "runs",
        )
        return Board("gate", asked.benchmark, view.tip, missing.title, missing=missing)
    found = gate(view, number)
    return Board(
        panel="gate",
        benchmark=asked.benchmark,
        tip=view.tip,
        sentence=found.sentence,
        figures=(
            _scores(found, frame),
            _roc(found, frame),
            _calibration(found, frame),
            _thresholds(found, frame),
        ),
        tables=(_table(found, frame),),
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


def _scores(found: Gate, frame: Frame) -> Chart:
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


def _roc(found: Gate, frame: Frame) -> Chart:
    marks = tuple(
        Mark(
            point.false_positive_rate,
            point.true_positive_rate,
            label=tr("threshold {value}", value=f"{point.threshold:g}"),
            pick=partial(scored_between, frame, point.threshold, 11.0),
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


def _calibration(found: Gate, frame: Frame) -> Chart:
    marks = tuple(
        Mark(
            place,
            one.accepted.value,
            low=one.accepted.low,
            high=one.accepted.high,
            note=one.accepted.undefined,
            pick=partial(scored_between, frame, one.low, 11.0 if one.high == 10 else one.high),
        )
        for place, one in enumerate(found.calibration)
        if one.items
    )
    return Chart(
        id="calibration",
        title=tr("What people accept, by score, with 95% intervals"),
        places=Axis(
            tr("score, 0 to 10"),
            names=tuple(f"{one.low:g}–{one.high:g}" for one in found.calibration),
        ),
        values=Axis(tr("accepted by people"), kind="percent", low=0, high=1),
        series=(Series(tr("accepted"), "points", marks),),
        empty="" if found.judged else tr("No screened item was judged by people yet."),
    )


def _thresholds(found: Gate, frame: Frame) -> Chart:
    good, bad = [], []
    for place, point in enumerate(found.roc):
        low, high = 0.0, point.threshold
        if point.true_positive_rate is not None:
            pick = partial(scored_between, frame, low, high, True)
            good.append(Mark(place, 1 - point.true_positive_rate, pick=pick))
        if point.false_positive_rate is not None:
            pick = partial(scored_between, frame, low, high, False)
            bad.append(Mark(place, 1 - point.false_positive_rate, pick=pick))
    return Chart(
        id="thresholds",
        title=tr("What a threshold would screen out"),
        places=Axis(tr("threshold"), names=tuple(f"{point.threshold:g}" for point in found.roc)),
        values=Axis(tr("screened out"), kind="percent", low=0, high=1),
        series=(
            Series(tr("of what people accepted"), "line", tuple(good)),
            Series(tr("of what people rejected"), "line", tuple(bad)),
        ),
        empty="" if found.judged else tr("No screened item was judged by people yet."),
    )


def _table(found: Gate, frame: Frame) -> BoardTable:
    rate, total = found.false_rejects, len(frame)
    rows: list[tuple[Cell, ...]] = [
        (tr("screened"), total, None, None, ""),
        *((word(name), count, None, None, "") for name, count in found.outcomes.items()),
        (tr("judged by people"), found.judged, None, None, ""),
        (tr("false-reject rate"), rate.value, rate.low, rate.high,
         rate.undefined or tr("{count} of {total} audited", count=rate.count, total=rate.total)),
        (tr("area under the curve"), found.auc, None, None, found.auc_undefined),
        (tr("tokens"), found.tokens, None, None, ""),
        (tr("tokens per item"), found.tokens / total, None, None, ""),
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
    return BoardTable("gate", table, picks)


def _of_outcome(frame: Frame, outcomes: tuple[str, ...]) -> list[int]:
    part = frame.rows(frame["outcome"].among(outcomes)) if outcomes else frame
    return numbers_of(part["item_id"])


def _judged(frame: Frame, audited: bool) -> list[int]:
    wanted = frame["settled"]
    if audited:
        wanted = wanted & (frame["audited"] != 0)
    return numbers_of(frame["item_id"][wanted])
