"""What sealing reads of a split: its rows in order a page at a time, and what made its items."""

from collections.abc import Iterator

from sqlalchemy import select

from db.session import Session
from db.splits import MemberContent
from db.tables import ITEM, REVISION, SCREENING, SPLIT_ITEM

_PAGE = 500


def stream(session: Session, split_id: int) -> Iterator[tuple[int, MemberContent]]:
    """(position, item in its frozen revision) in the split's order; a page is held at a time."""
    last = -1
    while True:
        query = (
            select(
                SPLIT_ITEM.c.position, SPLIT_ITEM.c.item_id, SPLIT_ITEM.c.revision, ITEM.c.family,
                ITEM.c.format, ITEM.c.domain, REVISION.c.payload, REVISION.c.provenance,
            )
            .join(ITEM, ITEM.c.id == SPLIT_ITEM.c.item_id)
            .join(
                REVISION,
                (REVISION.c.item_id == SPLIT_ITEM.c.item_id)
                & (REVISION.c.number == SPLIT_ITEM.c.revision),
            )
            .where(SPLIT_ITEM.c.split_id == split_id, SPLIT_ITEM.c.position > last)
            .order_by(SPLIT_ITEM.c.position)
            .limit(_PAGE)
        )  # fmt: skip
        rows = session.execute(query).all()
        for row in rows:
            yield row[0], MemberContent(*row[1:])
        if len(rows) < _PAGE:
            return
        last = rows[-1][0]


def task_ids(session: Session, split_id: int) -> list[int]:
    """The tasks that the items of a split are of."""
    query = (
        select(ITEM.c.task_id)
        .join(SPLIT_ITEM, SPLIT_ITEM.c.item_id == ITEM.c.id)
        .where(SPLIT_ITEM.c.split_id == split_id)
        .distinct()
        .order_by(ITEM.c.task_id)
    )
    return [row[0] for row in session.execute(query)]


def run_ids(session: Session, split_id: int) -> list[str]:
    """The runs that made items of a split."""
    query = (
        select(ITEM.c.run_id)
        .join(SPLIT_ITEM, SPLIT_ITEM.c.item_id == ITEM.c.id)
        .where(SPLIT_ITEM.c.split_id == split_id, ITEM.c.run_id.is_not(None))
        .distinct()
        .order_by(ITEM.c.run_id)
    )
    return [str(row[0]) for row in session.execute(query)]


def screening_run_ids(session: Session, split_id: int) -> list[str]:
    """The runs that screened items of a split."""
    query = (
        select(SCREENING.c.run_id)
        .join(SPLIT_ITEM, SPLIT_ITEM.c.item_id == SCREENING.c.item_id)
        .where(SPLIT_ITEM.c.split_id == split_id)
        .distinct()
        .order_by(SCREENING.c.run_id)
    )
    return [str(row[0]) for row in session.execute(query)]


def screened_by(session: Session, split_id: int) -> list[tuple[str, str]]:
    """(model, prompt version) of every screening of items of a split."""
    query = (
        select(SCREENING.c.model, SCREENING.c.prompt_version)
        .join(SPLIT_ITEM, SPLIT_ITEM.c.item_id == SCREENING.c.item_id)
        .where(SPLIT_ITEM.c.split_id == split_id)
        .distinct()
        .order_by(SCREENING.c.model, SCREENING.c.prompt_version)
    )
    return [(row[0], row[1]) for row in session.execute(query)]
