"""What sealing reads of a split: its rows in order a page at a time, what made its items, and what
people said of them."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Select, select, text, union_all

from db import ledger
from db.session import Session
from db.splits import StoredContent, stored_content
from db.tables import COMMENT, DECISION, ITEM, SCREENING, SPLIT_ITEM
from db.vocabulary import EventKind

_PAGE = 2000
_MEMBERS = text(
    "SELECT s.position, s.item_id, s.revision, i.family, i.format, i.domain, r.payload, "  # noqa: S608 (names of our own)
    "r.provenance, r.content_hash FROM split_item s JOIN item i ON i.id = s.item_id "
    "JOIN revision r ON r.item_id = s.item_id AND r.number = s.revision "
    f"WHERE s.split_id = :split AND s.position > :last ORDER BY s.position LIMIT {_PAGE}"
)

_LOOKS = (EventKind.SECOND_LOOK, EventKind.LOOKED_AGAIN, EventKind.ERRATUM)
_FIELDS = ("note", "given", "answer")


def stream(session: Session, split_id: int) -> Iterator[tuple[int, StoredContent]]:
    """(position, item in its frozen revision, with a payload that nobody has read yet where it lies
    in plain text) in the split's order; a page is held at a time."""
    last = -1
    while True:
        rows = session.execute(_MEMBERS, {"split": split_id, "last": last}).all()
        for row in rows:
            yield row[0], stored_content(row[1:])
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


def said_of(session: Session, split_id: int) -> Iterator[tuple[int, str]]:
    """(item id, words) of notes of decisions, comments and second looks, which stay as they are."""
    members = select(SPLIT_ITEM.c.item_id).where(SPLIT_ITEM.c.split_id == split_id)
    written: list[Select[tuple[int, str]]] = [
        select(column.table.c.item_id, column).where(
            column != "", column.table.c.item_id.in_(members)
        )
        for column in (DECISION.c.note, COMMENT.c.text)
    ]
    said: Any = union_all(*written)
    yield from ((row[0], row[1]) for row in session.execute(said))
    told = ledger.of_kinds(session, _LOOKS)
    for number, stored in session.execute(
        select(told.c.item_id, told.c.data).where(told.c.item_id.in_(members))
    ):
        data = ledger.as_told(stored)
        for name in _FIELDS:
            yield number, str(data.get(name) or "")
