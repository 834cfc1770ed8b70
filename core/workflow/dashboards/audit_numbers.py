"""Audit: rounds of every task, why items failed, and what the plans can find."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.audit.sampling import SamplingPlan, operating_curve, proven_bound
from core.i18n import tr, trn
from core.workflow.dashboards.judgements import Judgements, standing
from core.workflow.workspace import Workspace
from db import lots as rows
from db.engine import Session
from db.lots import LotRow
from db.vocabulary import LotState, Verdict

MOST_PLANS = 4


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


def audit(ws: Workspace, view: Judgements, benchmark_id: int) -> AuditNumbers:
    """Everything the Audit board shows of a benchmark."""
    names = {task.id: task.name for task in view.tasks if task.benchmark_id == benchmark_id}
    with ws.reading() as session:
        every = _lots(session, names)
    decisions = standing(view.detailed)
    said = decisions.rows(np.isin(decisions["lot_id"], [lot.id for lot in every]))
    failures = said.rows(said["verdict"].among((Verdict.REJECT,)))
    decided, failed = (Counter(part["lot_id"].tolist()) for part in (said, failures))
    found = tuple(
        _figures(lot, names[lot.task_id], decided[lot.id], failed[lot.id]) for lot in every
    )
    rounds: dict[int, Counter[str]] = {}
    for lot in found:
        rounds.setdefault(lot.round, Counter())[lot.state] += 1
    return AuditNumbers(
        found,
        dict(sorted(rounds.items())),
        failures["reason"].counts(),
        _curves(found),
        _sentence(found),
    )


def _lots(session: Session, names: Mapping[int, str]) -> list[LotRow]:
    every = [lot for state in LotState for lot in rows.in_state(session, state)]
    return sorted((lot for lot in every if lot.task_id in names), key=lambda lot: lot.id)


def _figures(lot: LotRow, task: str, decided: int, failed: int) -> LotFigures:
    proves = None
    if lot.sample and decided >= lot.sample:
        plan = SamplingPlan(lot.sample, min(lot.allowed, lot.sample - 1))
        proves = proven_bound(plan, failed, lot=lot.size)
    return LotFigures(
        lot.id, task, lot.round, lot.attempt, str(lot.state), lot.size, lot.sample, decided,
        failed, lot.allowed, proves,
    )  # fmt: skip


def _curves(found: tuple[LotFigures, ...]) -> tuple[PlanCurve, ...]:
    """The plans in use, the most frequent first, each on the middle size of its lots."""
    plans: dict[tuple[int, int], list[int]] = {}
    for lot in found:
        if lot.sample > lot.allowed:
            plans.setdefault((lot.sample, lot.allowed), []).append(lot.size)
    ranked = sorted(plans.items(), key=lambda entry: (-len(entry[1]), entry[0]))[:MOST_PLANS]
    curves = []
    for (sample, allowed), sizes in ranked:
        size = sorted(sizes)[len(sizes) // 2]
        points = operating_curve(SamplingPlan(sample, allowed), size, highest=0.4, points=41)
        curves.append(PlanCurve(sample, allowed, size, tuple(points)))
    return tuple(curves)


def _sentence(found: tuple[LotFigures, ...]) -> str:
    if not found:
        return tr("No lot has been audited yet.")
    ended = [lot for lot in found if lot.state != LotState.OPEN]
    passed = sum(lot.state == LotState.PASSED for lot in ended)
    waiting = sum(lot.sample - lot.decided for lot in found if lot.state == LotState.OPEN)
    if not ended:
        return trn(
            "{count}; 1 drawn item waits.",
            "{count}; {n} drawn items wait.",
            waiting,
            count=trn("1 lot is being audited", "{n} lots are being audited", len(found)),
        )
    return trn(
        "{ended}; {drawn}, and 1 drawn item waits.",
        "{ended}; {drawn}, and {n} drawn items wait.",
        waiting,
        ended=trn(
            "{passed} of 1 finished lot passed",
            "{passed} of {n} finished lots passed",
            len(ended),
            passed=f"{passed:,}",
        ),
        drawn=trn(
            "{failed} of 1 audited item failed",
            "{failed} of {n} audited items failed",
            sum(lot.decided for lot in found),
            failed=f"{sum(lot.failed for lot in found):,}",
        ),
    )
