"""The lots of the list, what waits first, and what is read of the one in front."""

from dataclasses import dataclass

from core.audit.sampling import SamplingPlan
from core.workflow.audit import lead_view, lots
from core.workflow.audit.auditors import LotAuditors, auditors, has_something_for
from core.workflow.audit.lead_view import AuditTask, PlanOdds
from core.workflow.audit.lots import LotInfo
from core.workflow.check.review import ReviewCard
from core.workflow.workspace import Workspace

NEW = 0
"""The number of a lot that is not made yet."""


@dataclass(frozen=True, slots=True)
class LotListRow:
    """One line of the list: a lot, or (``lot`` 0) a lot that could be made of what is accepted."""

    task: AuditTask
    lot: int

    @property
    def info(self) -> LotInfo | None:
        """The lot, None for one that is not made yet."""
        return next((lot for lot in self.task.lots if lot.id == self.lot), None)


@dataclass(frozen=True, slots=True)
class LotView:
    """What is shown of a lot: ``key`` is its task and number; the next drawn item; the odds; who
    may audit what waits of it."""

    key: tuple[str, int]
    card: ReviewCard | None
    odds: PlanOdds | None
    who: LotAuditors


@dataclass(frozen=True, slots=True)
class LotList:
    """The lots of a benchmark, and which of them comes to the front (0 where there is none)."""

    rows: tuple[LotListRow, ...]
    front: int


def read_lots(ws: Workspace, person: str, benchmark: str, wanted: tuple[str, int]) -> LotList:
    """The lots of a benchmark; ``wanted`` (task and lot) is in front, where it is not there the
    first that waits for an auditor and that this person may audit, else the first."""
    rows = rows_of(lead_view.audit_tasks(ws, benchmark))
    waiting = [
        place
        for place, entry in enumerate(rows)
        if entry.info is None or entry.info.state == "open"
    ]
    for place, entry in enumerate(rows):
        if (entry.task.task, entry.lot) == wanted:
            return LotList(tuple(rows), place)
    own = (p for p in waiting if has_something_for(ws, rows[p].task.task, person, benchmark))
    return LotList(tuple(rows), next(own, 0) if len(waiting) > 1 else 0)


def read_lot(
    ws: Workspace,
    person: str,
    benchmark: str,
    row_: LotListRow,
    plan: SamplingPlan | None,
    size: int,
) -> LotView:
    """The next drawn item of an open lot, and what the plan means."""
    info = row_.info
    card = None
    if info is not None and info.state == "open":
        card = lots.next_card(ws, row_.task.task, person, benchmark)
    odds = lead_view.plan_odds(plan, size) if plan is not None else None
    waits = card is None and (info is None or info.state == "open")
    who = auditors(ws, row_.task.task, person, benchmark) if waits else LotAuditors()
    return LotView((row_.task.task, row_.lot), card, odds, who)


def rows_of(audit_tasks: tuple[AuditTask, ...]) -> list[LotListRow]:
    """What waits first: open lots, then lots that could be made, then the past, newest first."""
    open_ = [LotListRow(t, lot.id) for t in audit_tasks for lot in t.lots if lot.state == "open"]
    ready = [
        LotListRow(t, NEW)
        for t in audit_tasks
        if t.waiting and all(lot.state != "open" for lot in t.lots)
    ]
    past = [
        LotListRow(t, lot.id)
        for t in audit_tasks
        for lot in reversed(t.lots)
        if lot.state != "open"
    ]
    return [*open_, *ready, *past]
