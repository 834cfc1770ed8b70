"""The Audit board: lots by round, why items failed, and what the plans can find."""

from functools import partial

import numpy as np

from core.audit.sampling import SamplingPlan, pass_chance
from core.i18n import tr
from core.report_table import ReportTable
from core.workflow.dashboard_labels import word
from core.workflow.dashboards.audit_numbers import AuditNumbers, audit
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
from core.workflow.dashboards.judgements import Judgements, standing
from core.workflow.dashboards.progress import benchmark_id, numbers_of
from core.workflow.dashboards.registry import DashboardRequest
from core.workflow.workspace import Workspace
from db import lots
from db.vocabulary import LotState, Verdict

MOST_LOTS = 12


def board(asked: DashboardRequest) -> Dashboard:
    """Sentence, rounds, samples, reasons, operating characteristic, and the table of lots."""
    view = asked.book.read(("decisions", "details"))
    number = benchmark_id(asked)
    found = audit(asked.ws, view, number if number is not None else -1)
    if not found.lots:
        missing = EmptyReason(
            found.sentence,
            tr("The accepted items of a task go to the audit together; the rounds stand here."),
            tr("See what is accepted"),
            "progress",
        )
        return Dashboard("audit", asked.benchmark, view.tip, missing.title, missing=missing)
    return Dashboard(
        panel="audit",
        benchmark=asked.benchmark,
        tip=view.tip,
        sentence=found.sentence,
        figures=(
            _rounds(asked.ws, found),
            _samples(found, view),
            _reasons(found, view),
            _curves(asked.ws, found),
        ),
        tables=(_table(asked.ws, found),),
    )


def members(ws: Workspace, numbers: tuple[int, ...]) -> list[int]:
    """Numbers of all items in some lots."""
    with ws.reading() as session:
        return [member[0] for number in numbers for member in lots.members(session, number)]


def audited(
    view: Judgements, numbers: tuple[int, ...], verdict: str = "", reason: str | None = None
) -> list[int]:
    """Numbers of the items that were audited in some lots, of a verdict, for a reason."""
    frame = standing(view.detailed)
    wanted = np.isin(frame["lot_id"], numbers)
    if verdict:
        wanted &= frame["verdict"].among((verdict,))
    if reason is not None:
        wanted &= frame["reason"].among((reason,))
    return numbers_of(frame["item_id"][wanted])


def _rounds(ws: Workspace, found: AuditNumbers) -> Chart:
    rounds = list(found.rounds)
    parts = []
    for state, ink in ((LotState.PASSED, "accepted"), (LotState.RETURNED, "returned"),
                       (LotState.OPEN, "in_review")):  # fmt: skip
        numbers = [
            tuple(lot.id for lot in found.lots if lot.round == one and lot.state == state)
            for one in rounds
        ]
        picks = [partial(members, ws, lot_ids) for lot_ids in numbers]
        parts.append((word(state), ink, [float(len(ids)) for ids in numbers], picks))
    return Chart(
        id="rounds",
        title=tr("Lots by round: how each ended"),
        places=Axis(tr("round"), names=tuple(str(one) for one in rounds)),
        values=Axis(tr("lots"), kind="count", low=0),
        series=stacked(parts),
    )


def _samples(found: AuditNumbers, view: Judgements) -> Chart:
    shown = found.lots[-MOST_LOTS:]
    passed = [float(lot.decided - lot.failed) for lot in shown]
    failed = [float(lot.failed) for lot in shown]
    waiting = [
        float(lot.sample - lot.decided) if lot.state == LotState.OPEN else 0.0 for lot in shown
    ]
    good = [partial(audited, view, (lot.id,), Verdict.ACCEPT.value) for lot in shown]
    bad = [partial(audited, view, (lot.id,), Verdict.REJECT.value) for lot in shown]
    names = tuple(
        tr("{task}, round {round}", task=lot.task, round=lot.round)
        if lot.attempt == 1
        else tr("{task}, round {round}.{attempt}", task=lot.task, round=lot.round,
                attempt=lot.attempt)
        for lot in shown
    )  # fmt: skip
    return Chart(
        id="samples",
        title=tr("Drawn items of the newest lots"),
        places=Axis("", names=names),
        values=Axis(tr("items"), kind="count", low=0),
        series=stacked(
            [
                (tr("good"), "accepted", passed, good),
                (tr("bad"), "rejected", failed, bad),
                (tr("waiting"), "in_review", waiting, [None for _ in shown]),
            ]
        ),
        lying=True,
    )


def _reasons(found: AuditNumbers, view: Judgements) -> Chart:
    numbers = tuple(lot.id for lot in found.lots)
    ranked = sorted(found.reasons.items(), key=lambda entry: -entry[1])[:MOST_LOTS]
    marks = tuple(
        Mark(place, count, low=0.0,
             pick=partial(audited, view, numbers, Verdict.REJECT.value, name))
        for place, (name, count) in enumerate(ranked)
    )  # fmt: skip
    return Chart(
        id="reasons",
        title=tr("Why audited items failed"),
        places=Axis("", names=tuple(word(name) for name, _ in ranked)),
        values=Axis(tr("items"), kind="count", low=0),
        series=(Series("", "bars", marks, "rejected"),),
        lying=True,
        empty="" if marks else tr("No audited item has failed."),
    )


def _curves(ws: Workspace, found: AuditNumbers) -> Chart:
    series = []
    for curve in found.curves:
        name = tr(
            "{sample} drawn of {size}, {allowed} may fail",
            sample=f"{curve.sample:,}",
            size=f"{curve.size:,}",
            allowed=f"{curve.allowed:,}",
        )
        ids = tuple(
            lot.id for lot in found.lots
            if (lot.sample, lot.allowed) == (curve.sample, curve.allowed)
        )  # fmt: skip
        pick = partial(members, ws, ids)
        marks = tuple(Mark(share, chance, pick=pick) for share, chance in curve.points)
        series.append(Series(name, "line", marks))
    return Chart(
        id="curve",
        title=_tenth(found),
        places=Axis(tr("share of defects"), kind="percent", low=0),
        values=Axis(tr("chance to pass"), kind="percent", low=0, high=1),
        series=tuple(series),
        empty="" if series else tr("No lot was sampled."),
    )


def _tenth(found: AuditNumbers) -> str:
    """What the plans in use do with a lot of which a tenth is defective."""
    chances = [
        pass_chance(SamplingPlan(curve.sample, curve.allowed), 0.1, curve.size)
        for curve in found.curves
    ]
    if not chances:
        return tr("Chance that a lot passes, by its share of defects")
    low, high = f"{min(chances):.0%}", f"{max(chances):.0%}"
    if low == high:
        return tr("A lot with 10% defects passes {chance} of the time", chance=low)
    return tr(
        "A lot with 10% defects passes {low} to {high} of the time, by its plan",
        low=low,
        high=high,
    )


def _table(ws: Workspace, found: AuditNumbers) -> DashboardTable:
    newest = tuple(reversed(found.lots))
    table = ReportTable(
        title=tr("Lots, newest first"),
        columns=(
            tr("Task"), tr("round"), tr("state"), tr("items"), tr("drawn"), tr("decided"),
            tr("bad"), tr("may fail"), tr("defects below (95%)"),
        ),
        rows=tuple(
            (
                lot.task, lot.round, word(lot.state), lot.size, lot.sample, lot.decided,
                lot.failed, lot.allowed, lot.proves,
            )
            for lot in newest
        ),
    )  # fmt: skip
    picks = tuple(partial(members, ws, (lot.id,)) for lot in newest)
    return DashboardTable("lots", table, picks)
