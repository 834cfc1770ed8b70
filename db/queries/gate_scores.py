"""Reads for the gate page: scores beside what became of the items."""

from dataclasses import dataclass

from sqlalchemy import exists, select
from sqlmodel import Session

from db.tables import ITEM, SCREENING, TASK


@dataclass(frozen=True, slots=True)
class GateLine:
    """The newest screening of an item's present revision, and the item's state now."""

    item_id: int
    task: str
    outcome: str
    score: float | None
    threshold: float
    audited: bool
    state: str


def screened(
    session: Session, benchmark_id: int | None = None, task_id: int | None = None
) -> list[GateLine]:
    """All items whose present revision was screened, by number."""
    newer = SCREENING.alias("newer")
    is_newest = ~exists().where(
        newer.c.item_id == SCREENING.c.item_id,
        newer.c.revision == SCREENING.c.revision,
        newer.c.id > SCREENING.c.id,
    )
    query = (
        select(
            ITEM.c.id,
            TASK.c.name,
            SCREENING.c.outcome,
            SCREENING.c.score,
            SCREENING.c.threshold,
            SCREENING.c.audited,
            ITEM.c.state,
        )
        .join(ITEM, (ITEM.c.id == SCREENING.c.item_id) & (ITEM.c.revision == SCREENING.c.revision))
        .join(TASK, TASK.c.id == ITEM.c.task_id)
        .where(is_newest)
        .order_by(ITEM.c.id)
    )
    if benchmark_id is not None:
        query = query.where(ITEM.c.benchmark_id == benchmark_id)
    if task_id is not None:
        query = query.where(ITEM.c.task_id == task_id)
    return [GateLine(*row) for row in session.execute(query)]
