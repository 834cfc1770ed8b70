"""Items that somebody asked to look at a second time; the ledger alone tells of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, Subquery, exists, select

from db import ledger
from db.importing.pending_imports import is_shown
from db.session import Session
from db.tables import BENCHMARK, ITEM, TASK
from db.vocabulary import EventKind, ItemState

_KINDS = (EventKind.SECOND_LOOK, EventKind.LOOKED_AGAIN)
# as the partial index of the ledger spells it, or SQLite reads all of the ledger
_INDEXED = "event.kind IN ('second_look', 'looked_again')"
_GONE = (ItemState.REJECTED, ItemState.SCREENED_OUT)


@dataclass(frozen=True, slots=True)
class SecondLookRow:
    """An open request: the newest event about it, and the item as it is now."""

    event: int
    at: str
    actor: str
    data: dict[str, Any]
    item_id: int
    benchmark: str
    task: str
    state: str
    content_hash: str


def _open(session: Session) -> Subquery:
    """The events that ask and were not answered, with all their columns."""
    told = ledger.of_kinds(session, (EventKind.SECOND_LOOK,), _INDEXED)
    newer = ledger.of_kinds(session, _KINDS, _INDEXED)
    answered = exists().where(newer.c.item_id == told.c.item_id, newer.c.id > told.c.id)
    return select(told).where(~answered).subquery()


def waiting(session: Session) -> Select[Any]:
    """The items that wait for a second look, for a condition."""
    return select(_open(session).c.item_id)


def requests(session: Session) -> list[SecondLookRow]:
    """The open requests, by item."""
    told = _open(session)
    query = (
        select(
            told.c.id, told.c.at, told.c.actor, told.c.data, ITEM.c.id, BENCHMARK.c.name,
            TASK.c.name, ITEM.c.state, ITEM.c.content_hash,
        )
        .join(ITEM, ITEM.c.id == told.c.item_id)
        .join(TASK, TASK.c.id == ITEM.c.task_id)
        .join(BENCHMARK, BENCHMARK.c.id == ITEM.c.benchmark_id)
        .order_by(ITEM.c.id)
    )  # fmt: skip
    return [
        SecondLookRow(row[0], row[1], row[2], ledger.as_told(row[3]), *row[4:])
        for row in session.execute(query)
    ]


def waiting_among(session: Session, item_ids: Sequence[int]) -> set[int]:
    """Those of some items that wait for a second look."""
    found: set[int] = set()
    told = _open(session)
    for start in range(0, len(item_ids), 500):
        query = select(told.c.item_id).where(told.c.item_id.in_(item_ids[start : start + 500]))
        found.update(session.execute(query).scalars())
    return found


def namesakes(session: Session, content_hashes: Sequence[str]) -> list[tuple[int, str, str]]:
    """(item, benchmark, content hash) of the items with one of these contents, rejected ones
    left out."""
    rows: list[tuple[int, str, str]] = []
    for start in range(0, len(content_hashes), 500):
        query = (
            select(ITEM.c.id, BENCHMARK.c.name, ITEM.c.content_hash)
            .join(BENCHMARK, BENCHMARK.c.id == ITEM.c.benchmark_id)
            .where(
                ITEM.c.content_hash.in_(content_hashes[start : start + 500]),
                ITEM.c.state.not_in(_GONE),
                is_shown(),
            )
            .order_by(ITEM.c.id)
        )
        rows += [(row[0], row[1], row[2]) for row in session.execute(query)]
    return rows
