"""The Gate dashboard: the model's score against what people decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from core.families.shared_source import recognised, shared_words
from core.i18n import joined_clauses, sentences, tr, trn
from core.proportion import Proportion
from core.report_table import Cell, ReportTable
from core.screening.gate_curve import (
    GateCurve,
    Reviewed,
    ScoreBin,
    gate_curve,
    score_bins,
    share_accepted,
)
from core.workflow.dashboards.columns import Frame, Ints, item_numbers, last_of_each
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
from core.workflow.dashboards.judgements import JudgementBook, Judgements, Part
from core.workflow.dashboards.registry import DashboardRequest
from core.workflow.labels import label_of
from core.workflow.lookup import task_in
from core.workflow.people import benchmark_in
from core.workflow.workspace import Workspace
from db.vocabulary import ItemState, ScreeningOutcome

_ACCEPTED = (ItemState.ACCEPTED.value, ItemState.APPROVED.value, ItemState.FROZEN.value)
_HALF_POINTS = 21  # 0, 0.5, … 10
_PARTS: tuple[Part, ...] = ("screenings", "sources")


@dataclass(frozen=True, slots=True)
class GateNumbers:
    """The gate of a benchmark or a task against what people decided.

    ``histogram`` is (score from, items, of them screened out). ``audited`` counts the screened-out
    items of the random share that people see anyway, ``decided`` those of them with a verdict;
    ``false_rejects`` is the share of these that people accepted, ``false_by_score`` the same by
    the model's score. ``judged`` counts the decided items that stand for all screened ones in
    ``curve`` and ``calibration``; ``shared`` says in words what these share and how that is known,
    empty where they share nothing.
    """

    screened: int
    outcomes: dict[str, int]
    audited: int
    decided: int
    histogram: tuple[tuple[float, int, int], ...]
    curve: GateCurve
    false_rejects: Proportion
    false_by_score: tuple[ScoreBin, ...]
    calibration: tuple[ScoreBin, ...]
    tokens: int
    judged: int
    shared: str
    sentence: str


def gate_of(ws: Workspace, benchmark: str = "", task: str = "") -> GateNumbers:
    """The gate of a benchmark, a task, or of everything; NotFoundError for an unknown name."""
    with ws.reading() as session:
        benchmark_id = benchmark_in(session, benchmark).id if benchmark else None
        task_id = task_in(session, task, benchmark).id if task else None
    view = JudgementBook(ws).read(_PARTS)
    return gate_numbers(newest_screenings(view, benchmark_id, task_id))


def gate_numbers(screenings: Frame) -> GateNumbers:
    """Everything about the gate, from the newest screening of each item."""
    scored = screenings.rows(~np.isnan(screenings["score"]))
    sample = _reviewed(scored)
    audited = screenings["audited"] != 0
    decided = screenings.rows(audited & screenings["settled"])
    seen = decided.rows(~np.isnan(decided["score"]))
    curve = gate_curve(sample)
    false_rejects = share_accepted(_all_of(decided))
    outcomes = screenings["outcome"].counts()
    shared = _shared(scored.rows(_counted(scored)))
    return GateNumbers(
        screened=len(screenings),
        outcomes=outcomes,
        audited=int(np.count_nonzero(audited)),
        decided=len(decided),
        histogram=_histogram(scored),
        curve=curve,
        false_rejects=false_rejects,
        false_by_score=score_bins(_all_of(seen)),
        calibration=score_bins(sample),
        tokens=int(screenings["tokens"].sum()),
        judged=len(sample.scores),
        shared=shared,
        sentence=_sentence(len(screenings), outcomes, curve, false_rejects, shared),
    )


def _reviewed(scored: Frame) -> Reviewed:
    """The decided items as a sample of those with a score, by task and outcome.

    Of the screened-out ones only the random share counts: what a lead reopened was picked. A task
    of whose items of an outcome none is decided yet is represented by those of all tasks.
    """
    screened_out = scored["outcome"].among((ScreeningOutcome.SCREENED_OUT,))
    counted = _counted(scored)
    tasks, places = np.unique(scored["task_id"], return_inverse=True)
    whole = np.empty(len(scored), np.int64)
    out = np.array([], bool)
    for outcome in (False, True):
        own = screened_out == outcome
        screened = np.bincount(places[own], minlength=len(tasks))
        seen = np.bincount(places[own & counted], minlength=len(tasks))
        by_task = bool((seen[screened > 0] > 0).all())
        whole[own] = len(out) + (places[own] if by_task else 0)
        out = np.append(out, np.full(len(tasks) if by_task else 1, outcome))
    sizes = np.bincount(whole, minlength=len(out)).astype(np.float64)
    judged = scored.rows(counted)
    return Reviewed(judged["score"], judged["accepted"], whole[counted], sizes, out,
                    _sources(judged))  # fmt: skip


def _all_of(judged: Frame) -> Reviewed:
    return Reviewed.of_all(judged["score"], judged["accepted"], _sources(judged))


def _sources(judged: Frame) -> Ints | None:
    """What items share, as numbers from 0; None where no two share anything."""
    names, codes = np.unique(judged["source"], return_inverse=True)
    return codes if len(names) < len(codes) else None


def _shared(judged: Frame) -> str:
    """What items share, in words; empty where no two share anything."""
    sources = np.unique(judged["source"])
    if len(sources) == len(judged):
        return ""
    names = set(judged["shared"].tolist())
    return shared_words(len(sources), int(np.count_nonzero(sources < 0)), recognised(names))


def sources_sentence(curve: GateCurve, false_rejects: Proportion, shared: str) -> str:
    """Over what the intervals of the gate are; empty where items share nothing, or there are no
    intervals yet."""
    if not shared or (false_rejects.value is None and curve.area is None):
        return ""
    return tr("Its intervals allow for what the reviewed items share: {shared}.", shared=shared)


def _counted(screenings: Frame) -> Any:
    """Which screenings stand for the others: decided, and not picked by a person."""
    screened_out = screenings["outcome"].among((ScreeningOutcome.SCREENED_OUT,))
    picked = screened_out & (screenings["audited"] == 0)
    return screenings["settled"] & ~picked & ~np.isnan(screenings["score"])


def newest_screenings(
    view: Judgements, benchmark_id: int | None = None, task_id: int | None = None
) -> Frame:
    """The newest screening of every item's present revision.

    With ``state`` and ``task_id`` of the item, ``accepted`` by people, ``settled``: whether they
    decided, ``source``, a number that items of one article share, and ``shared``, its name.
    """
    items, screenings = view.items, view.screenings
    place = np.searchsorted(items["id"], screenings["item_id"])
    present = items["revision"][place] == screenings["revision"]
    if benchmark_id is not None:
        present &= items["benchmark_id"][place] == benchmark_id
    if task_id is not None:
        present &= items["task_id"][place] == task_id
    rows = np.flatnonzero(present)
    rows = rows[last_of_each(screenings["item_id"][rows])]
    state = items["state"][place[rows]]
    accepted = state.among(_ACCEPTED)
    settled = accepted | state.among((ItemState.REJECTED.value,))
    task_ids = items["task_id"][place[rows]]
    numbers = screenings["item_id"][rows]
    source, shared = view.sources_of(numbers)
    return screenings.rows(rows).having(
        state=state, accepted=accepted, settled=settled, task_id=task_ids, source=source,
        shared=shared,
    )  # fmt: skip


def _histogram(scored: Frame) -> tuple[tuple[float, int, int], ...]:
    """Items in each half point of score, from 0 up."""
    places = _half_points(scored["score"])
    out = scored["outcome"].among((ScreeningOutcome.SCREENED_OUT,))
    counts = np.bincount(places, minlength=_HALF_POINTS).tolist()
    screened_out = np.bincount(places[out], minlength=_HALF_POINTS).tolist()
    return tuple((place / 2, counts[place], screened_out[place]) for place in range(_HALF_POINTS))


def _half_points(scores: Any) -> Ints:
    """The half point in which each score lies, 0 to 20."""
    return np.asarray(np.clip(np.floor(scores * 2), 0, _HALF_POINTS - 1), np.int64)


def _sentence(
    screened: int,
    outcomes: dict[str, int],
    curve: GateCurve,
    false_rejects: Proportion,
    shared: str,
) -> str:
    if not screened:
        return tr("Nothing has been screened yet.")
    first = trn(
        "The gate screened 1 item and screened out {share:.0%}.",
        "The gate screened {n} items and screened out {share:.0%}.",
        screened,
        share=outcomes.get(ScreeningOutcome.SCREENED_OUT, 0) / screened,
    )
    rough = ""
    if false_rejects.value is None:
        second = tr(
            "Its false-reject rate is unknown: no screened-out items were reviewed by people."
        )
    else:
        second = tr(
            "People would have accepted {rate:.0%} [{low:.0%}, {high:.0%}] of the items it "
            "screened out.",
            rate=false_rejects.value,
            low=false_rejects.low or 0.0,
            high=false_rejects.high or 0.0,
        )
        if false_rejects.caution:
            rough = tr("Treat the interval with caution: {why}.", why=false_rejects.caution)
    third = (
        tr(
            "Area under the ROC curve of its score: {area:.2f} [{low:.2f}, {high:.2f}].",
            area=curve.area,
            low=curve.low or 0.0,
            high=curve.high or 0.0,
        )
        if curve.area is not None
        else tr("The area under the ROC curve is undefined: {why}", why=curve.undefined)
    )
    over = sources_sentence(curve, false_rejects, shared)
    return sentences((first, second, rough, third, over, curve.caution))


def dashboard(request: DashboardRequest) -> Dashboard:
    """Sentence, distribution, ROC, false rejects, calibration; counts and cost, thresholds."""
    view = request.book.read(_PARTS)
    benchmark = request.benchmark_id
    frame = newest_screenings(view, benchmark)
    if benchmark is None or not len(frame):
        missing = EmptyReason(
            tr("Nothing has been screened yet."),
            tr(
                "Screen drafts with a language model; its scores are then compared with "
                "people's decisions here."
            ),
            tr("Go to Runs"),
            "runs",
        )
        return Dashboard("gate", request.benchmark, view.tip, missing.title, missing=missing)
    numbers = gate_numbers(frame)
    unknown = thresholds_unknown(numbers)
    return Dashboard(
        panel="gate",
        benchmark=request.benchmark,
        tip=view.tip,
        sentence=numbers.sentence,
        figures=(
            _scores(numbers, frame),
            _roc(numbers, frame),
            _false_rejects(numbers, frame),
            _calibration(numbers, frame),
        ),
        tables=(_table(numbers, frame), *(() if unknown else (_thresholds(numbers, frame),))),
        remarks=(unknown,) if unknown else (),
        facts={
            "auc": numbers.curve.area,
            "auc_low": numbers.curve.low,
            "auc_high": numbers.curve.high,
            "auc_undefined": numbers.curve.undefined or None,
        },
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
    return item_numbers(frame["item_id"][wanted])


def _scores(numbers: GateNumbers, frame: Frame) -> Chart:
    bins = numbers.histogram
    out = [screened_out for _, _, screened_out in bins]
    passed = [count - screened_out for _, count, screened_out in bins]
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
        title=tr("Distribution of the model's scores"),
        places=Axis(tr("score, 0 to 10"), names=tuple(f"{low:g}" for low, _, _ in bins)),
        values=Axis(tr("items"), kind="count", low=0),
        series=series,
        empty="" if any(count for _, count, _ in bins) else tr("No items have a score."),
    )


def _roc(numbers: GateNumbers, frame: Frame) -> Chart:
    judged = frame.rows(_counted(frame))
    marks = tuple(
        Mark(
            point.false_positive_rate,
            point.true_positive_rate,
            label=tr("threshold {value}", value=f"{point.threshold:g}"),
            pick=partial(scored_between, judged, point.threshold, 11.0),
        )
        for point in numbers.curve.points
        if point.true_positive_rate is not None and point.false_positive_rate is not None
    )
    marks += (Mark(0.0, 0.0, label=tr("nothing passes")),) if marks else ()
    title = (
        tr("Score against people's decisions (ROC; area {area})", area=f"{numbers.curve.area:.2f}")
        if numbers.curve.area is not None
        else tr("Score against people's decisions (ROC)")
    )
    chance = (Mark(0, 0), Mark(1, 1))
    return Chart(
        id="roc",
        title=title,
        places=Axis(tr("rejected items that passed"), kind="percent", low=0, high=1),
        values=Axis(tr("accepted items that passed"), kind="percent", low=0, high=1),
        series=(
            Series(tr("score"), "line", marks),
            Series(tr("chance"), "rule", chance),
        ),
        empty=numbers.curve.undefined,
    )


def _binned(bins: Sequence[ScoreBin], frame: Frame, first: int = 0) -> tuple[Mark, ...]:
    """A mark with its interval for every bin that holds items, from place ``first`` on."""
    return tuple(
        Mark(
            place,
            part.accepted.value,
            low=part.accepted.low,
            high=part.accepted.high,
            label=tr("score {low} to {high}", low=f"{part.low:g}", high=f"{part.high:g}"),
            note=part.accepted.caution,
            pick=partial(scored_between, frame, part.low, 11.0 if part.high == 10 else part.high),
        )
        for place, part in enumerate(bins, first)
        if part.items
    )


def _bin_names(bins: Sequence[ScoreBin]) -> tuple[str, ...]:
    return tuple(f"{part.low:g}–{part.high:g}" for part in bins)


def _false_rejects(numbers: GateNumbers, frame: Frame) -> Chart:
    rate = numbers.false_rejects
    audited = frame.rows((frame["audited"] != 0) & frame["settled"])
    whole = Mark(
        0, rate.value, rate.low, rate.high, note=rate.undefined or rate.caution,
        pick=partial(_judged, frame, True),
    )  # fmt: skip
    return Chart(
        id="false_rejects",
        title=tr("Good items among those screened out (false rejects), with 95% intervals"),
        places=Axis(tr("score, 0 to 10"), names=(tr("all"), *_bin_names(numbers.false_by_score))),
        values=Axis(tr("accepted by people"), kind="percent", low=0, high=1),
        series=(
            Series(tr("all reviewed items"), "points", (whole,)),
            Series(tr("by score"), "points", _binned(numbers.false_by_score, audited, 1)),
        ),
        empty="" if rate.value is not None else _losses_unknown(),
    )


def thresholds_unknown(numbers: GateNumbers) -> str:
    """Why nobody knows what another threshold would do; empty where that can be estimated."""
    if not numbers.judged:
        return tr("No screened items have been reviewed by people yet.")
    if numbers.outcomes.get(ScreeningOutcome.SCREENED_OUT) and not numbers.decided:
        return _losses_unknown()
    return ""


def _losses_unknown() -> str:
    return tr(
        "No screened-out items have been reviewed by people, so the gate's losses are unknown."
    )


def _calibration(numbers: GateNumbers, frame: Frame) -> Chart:
    judged = frame.rows(_counted(frame))
    return Chart(
        id="calibration",
        title=tr("Share accepted by people, by score, with 95% intervals"),
        places=Axis(tr("score, 0 to 10"), names=_bin_names(numbers.calibration)),
        values=Axis(tr("accepted by people"), kind="percent", low=0, high=1),
        series=(Series(tr("accepted"), "points", _binned(numbers.calibration, judged)),),
        empty="" if numbers.judged else tr("No screened items have been reviewed by people yet."),
    )


def _thresholds(numbers: GateNumbers, frame: Frame) -> DashboardTable:
    table = ReportTable(
        title=tr("Effect of other thresholds, estimated for all screened items"),
        columns=(
            tr("threshold"), tr("good, passed"), tr("good, screened out"), tr("bad, passed"),
            tr("bad, screened out"), tr("good items that passed"), tr("from"), tr("to"),
            tr("bad items that passed"), tr("from"), tr("to"),
        ),
        rows=tuple(
            (
                f"{row.threshold:g}", round(row.passed_accepted), round(row.out_accepted),
                round(row.passed_rejected), round(row.out_rejected), row.true_positive_rate,
                row.true_positive_low, row.true_positive_high, row.false_positive_rate,
                row.false_positive_low, row.false_positive_high,
            )
            for row in numbers.curve.thresholds
        ),
    )  # fmt: skip
    judged = frame.rows(_counted(frame))
    picks = tuple(
        partial(scored_between, judged, -1.0, row.threshold) for row in numbers.curve.thresholds
    )
    return DashboardTable("thresholds", table, picks)


def _table(numbers: GateNumbers, frame: Frame) -> DashboardTable:
    rate, total = numbers.false_rejects, numbers.screened
    rows: list[tuple[Cell, ...]] = [
        (tr("screened"), total, None, None, ""),
        *((label_of(name), count, None, None, "") for name, count in numbers.outcomes.items()),
        (tr("reviewed by people"), numbers.judged, None, None, numbers.shared),
        (tr("false-reject rate"), rate.value, rate.low, rate.high,
         rate.undefined or joined_clauses(filter(None, (
             tr("{count} of {total} audited", count=rate.count, total=rate.total), rate.caution)))),
        (tr("area under the curve"), numbers.curve.area, numbers.curve.low, numbers.curve.high,
         numbers.curve.undefined or numbers.curve.caution),
        (tr("tokens"), numbers.tokens, None, None, ""),
        (tr("tokens per item"), _whole(numbers.tokens / total), None, None, ""),
    ]  # fmt: skip
    table = ReportTable(
        title=tr("Gate figures"),
        columns=("", tr("Value"), tr("from"), tr("to"), ""),
        rows=tuple(rows),
    )
    all_screened = partial(_of_outcome, frame, ())
    picks = (
        all_screened,
        *(partial(_of_outcome, frame, (name,)) for name in numbers.outcomes),
        partial(_judged, frame, False),
        partial(_judged, frame, True),
        partial(_judged, frame, False),
        all_screened,
        all_screened,
    )
    return DashboardTable("gate", table, picks)


def _whole(value: float) -> float | int:
    return int(value) if value.is_integer() else value


def _of_outcome(frame: Frame, outcomes: tuple[str, ...]) -> list[int]:
    part = frame.rows(frame["outcome"].among(outcomes)) if outcomes else frame
    return item_numbers(part["item_id"])


def _judged(frame: Frame, audited: bool) -> list[int]:
    wanted = frame["settled"] & (frame["audited"] != 0) if audited else _counted(frame)
    return item_numbers(frame["item_id"][wanted])
