"""What stands beside the form of a task: how its labels are spread, and its wordings."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from db.counting import item_counts
from db.importing.pending_imports import is_shown
from db.schema.sealed_values import is_locked
from db.session import Session
from db.splits import is_sealed
from db.tables import ITEM, REVISION
from db.vocabulary import ItemState

GONE = (ItemState.REJECTED, ItemState.SCREENED_OUT)
"""States of items that are out of the pipeline."""


def counted(session: Session, task_id: int) -> list[tuple[str, str, str, int]]:
    """(state, format, label, items) of a task."""
    rows = item_counts.counted(session, ("state", "format", "label"), task_id=task_id)
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def labelled_otherwise(session: Session, task_id: int, labels: Sequence[str]) -> list[int]:
    """Items of a task, still in the pipeline, whose label is none of some; those without stay out.

    Labels are stored by their first 200 letters.
    """
    known = [label[:200] for label in labels]
    query = select(ITEM.c.id).where(
        ITEM.c.task_id == task_id,
        ITEM.c.state.not_in(GONE),
        ITEM.c.label != "",
        ITEM.c.label.not_in(known),
        is_shown(),
    )
    return [int(number) for number in session.execute(query.order_by(ITEM.c.id)).scalars()]


def payloads_of_format(session: Session, task_id: int, format: str) -> list[dict[str, Any]]:
    """The present payloads of a task's items of one format that can be read here, the oldest item
    first; none of a split that is sealed."""
    query = (
        select(REVISION.c.payload)
        .join(ITEM, (REVISION.c.item_id == ITEM.c.id) & (REVISION.c.number == ITEM.c.revision))
        .where(
            ITEM.c.task_id == task_id,
            ITEM.c.format == format,
            ITEM.c.state.not_in(GONE),
            ~is_sealed(),
            is_shown(),
        )
        .order_by(ITEM.c.id)
    )
    return [payload for payload in session.execute(query).scalars() if not is_locked(payload)]
