"""The Audit dashboard: lots by round, why items failed, and what the plans can find."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from core.audit.sampling import SamplingPlan, defects_of, operating_curve, pass_chance, proven_bound
from core.i18n import tr, trn
from core.report_table import ReportTable
from core.workflow.dashboards.columns import item_numbers
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
from core.workflow.dashboards.judgements import Judgements, standing_rows
from core.workflow.dashboards.registry import DashboardRequest
from core.workflow.labels import label_of
from core.workflow.workspace import Workspace
from db import lots
from db.engine import Session
from db.lots import LotRow
from db.vocabulary import LotState, Verdict

MOST_LOTS = 12
MOST_PLANS = 4
_TEN = 10  # items: a tenth of fewer is less than one


@dataclass(frozen=True, slots=True)
class LotFigures:
    """One lot. ``proves`` is the share of defects that its sample rules out from above at 95%,
    None before the sample is decided."""

    id: int
    task: str
    round: int
    attempt: int
    state: str
    size: int
    sample: int
    decided: int
    failed: int
    allowed: int
    proves: float | None


@dataclass(frozen=True, slots=True)
class PlanCurve:
    """The operating characteristic of a plan on lots of a size: (share of defects, chance)."""

    sample: int
    allowed: int
    size: int
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class AuditNumbers:
    """The whole panel. ``rounds`` maps a round to lots per state; ``reasons`` counts failures."""

    lots: tuple[LotFigures, ...]
    rounds: Mapping[int, Mapping[str, int]]
    reasons: Mapping[str, int]
    curves: tuple[PlanCurve, ...]
    sentence: str


def audit_numbers(ws: Workspace, view: Judgements, benchmark_id: int) -> AuditNumbers:
    """Everything the Audit dashboard shows of a benchmark."""
    names = {task.id: task.name for task in view.tasks if task.benchmark_id == benchmark_id}
    with ws.reading() as session:
        rows = _lots_of(session, names)
    decisions = standing_rows(view.detailed)
    audited = decisions.rows(np.isin(decisions["lot_id"], [lot.id for lot in rows]))
    failures = audited.rows(audited["verdict"].among((Verdict.REJECT,)))
    decided, failed = (Counter(part["lot_id"].tolist()) for part in (audited, failures))
    figures = tuple(
        _figures_of(lot, names[lot.task_id], decided[lot.id], failed[lot.id]) for lot in rows
    )
    rounds: dict[int, Counter[str]] = {}
    for lot in figures:
        rounds.setdefault(lot.round, Counter())[lot.state] += 1
    return AuditNumbers(
        figures,
        dict(sorted(rounds.items())),
        failures["reason"].counts(),
        _plan_curves(figures),
        audit_sentence(figures),
    )


def _lots_of(session: Session, tasks: Mapping[int, str]) -> list[LotRow]:
    rows = [lot for state in LotState for lot in lots.in_state(session, state)]
    return sorted((lot for lot in rows if lot.task_id in tasks), key=lambda lot: lot.id)


def _figures_of(lot: LotRow, task: str, decided: int, failed: int) -> LotFigures:
    proves = None
    if lot.sample and decided >= lot.sample:
        plan = SamplingPlan(lot.sample, min(lot.allowed, lot.sample - 1))
        proves = proven_bound(plan, failed, lot=lot.size)
    return LotFigures(
        lot.id, task, lot.round, lot.attempt, str(lot.state), lot.size, lot.sample, decided,
        failed, lot.allowed, proves,
    )  # fmt: skip


def _plan_curves(figures: tuple[LotFigures, ...]) -> tuple[PlanCurve, ...]:
    """The plans in use, the most frequent first, each on the middle size of its lots."""
    plans: dict[tuple[int, int], list[int]] = {}
    for lot in figures:
        if lot.sample > lot.allowed:
            plans.setdefault((lot.sample, lot.allowed), []).append(lot.size)
    ranked = sorted(plans.items(), key=lambda entry: (-len(entry[1]), entry[0]))[:MOST_PLANS]
    curves = []
    for (sample, allowed), sizes in ranked:
        size = sorted(sizes)[len(sizes) // 2]
        points = operating_curve(SamplingPlan(sample, allowed), size, highest=0.4, points=41)
        curves.append(PlanCurve(sample, allowed, size, tuple(points)))
    return tuple(curves)


def audit_sentence(figures: tuple[LotFigures, ...]) -> str:
    """How the lots fared, and what of their samples still waits."""
    if not figures:
        return tr("No lots have been audited yet.")
    ended = [lot for lot in figures if lot.state != LotState.OPEN]
    passed = sum(lot.state == LotState.PASSED for lot in ended)
    waiting = sum(lot.sample - lot.decided for lot in figures if lot.state == LotState.OPEN)
    if not ended:
        return trn(
            "{count}; 1 drawn item waiting.",
            "{count}; {n} drawn items waiting.",
            waiting,
            count=trn("1 lot under audit", "{n} lots under audit", len(figures)),
        )
    values = {
        "ended": trn(
            "{passed} of 1 finished lot passed",
            "{passed} of {n} finished lots passed",
            len(ended),
            passed=f"{passed:,}",
        ),
        "drawn": trn(
            "{failed} of 1 audited item failed",
            "{failed} of {n} audited items failed",
            sum(lot.decided for lot in figures),
            failed=f"{sum(lot.failed for lot in figures):,}",
        ),
    }
    if not waiting:
        return tr("{ended}; {drawn}.", **values)
    return trn(
        "{ended}; {drawn}, and 1 drawn item is waiting.",
        "{ended}; {drawn}, and {n} drawn items are waiting.",
        waiting,
        **values,
    )


def dashboard(request: DashboardRequest) -> Dashboard:
    """Sentence, rounds, samples, reasons, operating characteristic, and the table of lots."""
    view = request.book.read(("decisions", "details"))
    benchmark = request.benchmark_id
    numbers = audit_numbers(request.ws, view, -1 if benchmark is None else benchmark)
    if not numbers.lots:
        missing = EmptyReason(
            numbers.sentence,
            tr("A task's accepted items are audited together as a lot; each round appears here."),
            tr("Show accepted items"),
            "progress",
        )
        return Dashboard("audit", request.benchmark, view.tip, missing.title, missing=missing)
    return Dashboard(
        panel="audit",
        benchmark=request.benchmark,
        tip=view.tip,
        sentence=numbers.sentence,
        figures=(
            _rounds(request.ws, numbers),
            _samples(request.ws, numbers, view),
            _reasons(numbers, view),
            _curves(request.ws, numbers),
        ),
        tables=(_table(request.ws, numbers),),
    )


def members(ws: Workspace, lot_ids: tuple[int, ...]) -> list[int]:
    """Numbers of all items in some lots."""
    with ws.reading() as session:
        return [member[0] for lot_id in lot_ids for member in lots.members(session, lot_id)]


def audited(
    view: Judgements, lot_ids: tuple[int, ...], verdict: str = "", reason: str | None = None
) -> list[int]:
    """Numbers of the items that were audited in some lots, of a verdict, for a reason."""
    frame = standing_rows(view.detailed)
    wanted = np.isin(frame["lot_id"], lot_ids)
    if verdict:
        wanted &= frame["verdict"].among((verdict,))
    if reason is not None:
        wanted &= frame["reason"].among((reason,))
    return item_numbers(frame["item_id"][wanted])


def drawn_unaudited(ws: Workspace, view: Judgements, lot_id: int) -> list[int]:
    """Numbers of the drawn items of a lot on which no auditor has decided yet."""
    done = set(audited(view, (lot_id,)))
    with ws.reading() as session:
        return [number for number in lots.drawn(session, lot_id) if number not in done]


def _rounds(ws: Workspace, numbers: AuditNumbers) -> Chart:
    rounds = list(numbers.rounds)
    parts = []
    for state, ink in ((LotState.PASSED, "accepted"), (LotState.RETURNED, "returned"),
                       (LotState.OPEN, "in_review")):  # fmt: skip
        by_round = [
            tuple(lot.id for lot in numbers.lots if lot.round == number and lot.state == state)
            for number in rounds
        ]
        picks = [partial(members, ws, lot_ids) for lot_ids in by_round]
        parts.append((label_of(state), ink, [float(len(ids)) for ids in by_round], picks))
    return Chart(
        id="rounds",
        title=tr("Lots by round and outcome"),
        places=Axis(tr("round"), names=tuple(str(number) for number in rounds)),
        values=Axis(tr("lots"), kind="count", low=0),
        series=stacked(parts),
    )


def _samples(ws: Workspace, numbers: AuditNumbers, view: Judgements) -> Chart:
    shown = numbers.lots[-MOST_LOTS:]
    passed = [float(lot.decided - lot.failed) for lot in shown]
    failed = [float(lot.failed) for lot in shown]
    waiting = [
        float(lot.sample - lot.decided) if lot.state == LotState.OPEN else 0.0 for lot in shown
    ]
    good = [partial(audited, view, (lot.id,), Verdict.ACCEPT.value) for lot in shown]
    bad = [partial(audited, view, (lot.id,), Verdict.REJECT.value) for lot in shown]
    unaudited = [partial(drawn_unaudited, ws, view, lot.id) for lot in shown]
    names = tuple(
        tr("{task}, round {round}", task=lot.task, round=lot.round)
        if lot.attempt == 1
        else tr("{task}, round {round}.{attempt}", task=lot.task, round=lot.round,
                attempt=lot.attempt)
        for lot in shown
    )  # fmt: skip
    return Chart(
        id="samples",
        title=tr("Items drawn from the newest lots"),
        places=Axis("", names=names),
        values=Axis(tr("items"), kind="count", low=0),
        series=stacked(
            [
                (tr("good"), "accepted", passed, good),
                (tr("bad"), "rejected", failed, bad),
                (tr("waiting"), "in_review", waiting, unaudited),
            ]
        ),
        horizontal=True,
    )


def _reasons(numbers: AuditNumbers, view: Judgements) -> Chart:
    lot_ids = tuple(lot.id for lot in numbers.lots)
    ranked = sorted(numbers.reasons.items(), key=lambda entry: -entry[1])[:MOST_LOTS]
    marks = tuple(
        Mark(place, count, low=0.0,
             pick=partial(audited, view, lot_ids, Verdict.REJECT.value, name))
        for place, (name, count) in enumerate(ranked)
    )  # fmt: skip
    return Chart(
        id="reasons",
        title=tr("Reasons for failed audits"),
        places=Axis("", names=tuple(label_of(name) for name, _ in ranked)),
        values=Axis(tr("items"), kind="count", low=0),
        series=(Series("", "bars", marks, "rejected"),),
        horizontal=True,
        empty="" if marks else tr("No audited items have failed."),
    )


def _curves(ws: Workspace, numbers: AuditNumbers) -> Chart:
    series = []
    for curve in numbers.curves:
        name = trn(
            "{sample} drawn of {size}, 1 failure allowed",
            "{sample} drawn of {size}, {n} failures allowed",
            curve.allowed,
            sample=f"{curve.sample:,}",
            size=f"{curve.size:,}",
        )
        ids = tuple(
            lot.id for lot in numbers.lots
            if (lot.sample, lot.allowed) == (curve.sample, curve.allowed)
        )  # fmt: skip
        pick = partial(members, ws, ids)
        marks = tuple(Mark(share, chance, pick=pick) for share, chance in curve.points)
        series.append(Series(name, "line", marks))
    return Chart(
        id="curve",
        title=tenth_sentence(numbers.curves),
        places=Axis(tr("share of defects"), kind="percent", low=0),
        values=Axis(tr("probability of passing"), kind="percent", low=0, high=1),
        series=tuple(series),
        empty="" if series else tr("No lots were sampled."),
    )


def tenth_sentence(curves: tuple[PlanCurve, ...]) -> str:
    """What the plans in use do with a lot of which a tenth is defective, or the whole items that
    come nearest to a tenth: a lot of two has no tenth."""
    found = [(defects_of(0.1, curve.size), curve) for curve in curves]
    chances = [
        pass_chance(SamplingPlan(curve.sample, curve.allowed), defects / curve.size, curve.size)
        for defects, curve in found
    ]
    if not chances:
        return tr("Probability that a lot passes, by its share of defects")
    low, high = f"{min(chances):.0%}", f"{max(chances):.0%}"
    if any(curve.size < _TEN for curve in curves):
        if len(found) == 1:
            defects, curve = found[0]
            return trn(
                "A lot of {size} with 1 defective item passes {chance} of the time",
                "A lot of {size} with {n} defective items passes {chance} of the time",
                defects, size=f"{curve.size:,}", chance=low,
            )  # fmt: skip
        if low == high:
            return tr(
                "A lot with about 10% defects, and at least 1, passes {chance} of the time",
                chance=low,
            )
        return tr(
            "A lot with about 10% defects, and at least 1, passes {low} to {high} of the time, "
            "depending on its plan",
            low=low,
            high=high,
        )
    if low == high:
        return tr("A lot with 10% defects passes {chance} of the time", chance=low)
    return tr(
        "A lot with 10% defects passes {low} to {high} of the time, depending on its plan",
        low=low,
        high=high,
    )


def _table(ws: Workspace, numbers: AuditNumbers) -> DashboardTable:
    newest = tuple(reversed(numbers.lots))
    table = ReportTable(
        title=tr("Lots, newest first"),
        columns=(
            tr("Task"), tr("round"), tr("state"), tr("items"), tr("drawn"), tr("audited"),
            tr("bad"), tr("may fail"), tr("defects at most (95%)"),
        ),
        rows=tuple(
            (
                lot.task, lot.round, label_of(lot.state), lot.size, lot.sample, lot.decided,
                lot.failed, lot.allowed, lot.proves,
            )
            for lot in newest
        ),
    )  # fmt: skip
    picks = tuple(partial(members, ws, (lot.id,)) for lot in newest)
    return DashboardTable("lots", table, picks)
