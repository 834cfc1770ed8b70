"""The lots of a benchmark beside one another, and what plans would mean for them."""

from dataclasses import dataclass

from core.audit.sampling import PlanMeaning, SamplingPlan, meaning, operating_curve
from core.workflow import tasks
from core.workflow.audit import lots
from core.workflow.audit.lots import LotInfo
from core.workflow.workspace import Workspace
from db.vocabulary import ItemState, LotState

USUAL = (SamplingPlan(20, 0), SamplingPlan(32, 0), SamplingPlan(50, 1), SamplingPlan(80, 2))
"""Plans that are compared with the task's own."""


@dataclass(frozen=True, slots=True)
class AuditTask:
    """A task as the audit sees it: ``waiting`` items are accepted and in no lot yet."""

    task: str
    round: int
    waiting: int
    plan: SamplingPlan | None
    lots: tuple[LotInfo, ...]


@dataclass(frozen=True, slots=True)
class PlanOdds:
    """What a plan means for a lot, its operating curve, and other plans for comparison."""

    own: PlanMeaning
    curve: tuple[tuple[float, float], ...]
    others: tuple[PlanMeaning, ...]


def audit_tasks(ws: Workspace, benchmark: str) -> tuple[AuditTask, ...]:
    """The tasks of a benchmark that have lots, or items that could make one; by name."""
    audited = []
    for info in tasks.tasks(ws, benchmark):
        task_lots = lots.status(ws, info.name, benchmark).lots
        in_lot = sum(lot.size for lot in task_lots if lot.state == LotState.OPEN)
        waiting = max(0, info.states.get(ItemState.ACCEPTED, 0) - in_lot)
        sample, allowed = info.protocol.audit_sample, info.protocol.audit_allowed
        plan = SamplingPlan(sample, allowed) if allowed < sample else None
        if task_lots or waiting:
            audited.append(AuditTask(info.name, info.round, waiting, plan, task_lots))
    return tuple(audited)


def plan_odds(plan: SamplingPlan, lot: int) -> PlanOdds:
    """What ``plan`` means for a lot of that many items, and what the usual plans would mean."""
    size = lot or None
    compared = tuple(other for other in USUAL if other != plan and (not lot or other.sample < lot))
    return PlanOdds(
        meaning(plan, size),
        tuple(operating_curve(plan, size, highest=0.3, points=61)),
        tuple(meaning(other, size) for other in compared),
    )
