"""Items that a freeze of many has taken, whose split is not there yet: see
``core.workflow.splits.freeze_steps``."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import func, select

from db.server import logins
from db.session import Session
from db.tables import EVENT, ITEM, SPLIT, SPLIT_ITEM
from db.vocabulary import EventKind, ItemState, SplitState

_AT_ONCE = 500  # items

TakenBack = tuple[int, dict[str, Any]]
"""The number of an event to take back, and the columns as they were before it."""


class HeldItem(NamedTuple):
    """An item that is frozen for the split of a ``name``, which is not there: the steps that
    brought it there, newest first, and the state before them."""

    id: int
    name: str
    steps: tuple[TakenBack, ...]
    state: str


def held_items(
    session: Session, benchmark_id: int | None = None, among: Sequence[int] | None = None
) -> list[HeldItem]:
    """The held items of a benchmark, or of all, by id; only those ``among`` some, where given."""
    rows = session.execute(select(SPLIT.c.id, SPLIT.c.name, SPLIT.c.state)).all()
    frozen = select(ITEM.c.id).where(ITEM.c.state == ItemState.FROZEN)
    members = select(SPLIT_ITEM.c.item_id)
    if among is not None:
        numbers: list[int] = []
        every = [row.id for row in rows]  # with an item the key of a place in a split
        for start in range(0, len(among), _AT_ONCE):
            part = among[start : start + _AT_ONCE]
            inside = members.where(SPLIT_ITEM.c.split_id.in_(every), SPLIT_ITEM.c.item_id.in_(part))
            numbers += session.execute(frozen.where(ITEM.c.id.in_(part)).except_(inside)).scalars()
    elif _are_more_than_members(session, benchmark_id):
        if benchmark_id is not None:
            frozen = frozen.where(ITEM.c.benchmark_id == benchmark_id)
        numbers = list(session.execute(frozen.except_(members)).scalars())
    else:
        return []
    # the members of sealed splits are not everybody's to see
    sealed = {row.name for row in rows if row.state == SplitState.SEALED}
    held = _told(session, sorted(numbers))
    return [item for item in held if item.name and item.name not in sealed]


def _are_more_than_members(session: Session, benchmark_id: int | None) -> bool:
    """Whether more items are frozen than splits have members; true where nobody can say so."""
    if logins.secured(session):
        return True  # what policies keep from sight is not counted
    frozen = select(func.count()).where(ITEM.c.state == ItemState.FROZEN)
    members = select(func.coalesce(func.sum(SPLIT.c.size), 0))
    if benchmark_id is not None:
        frozen = frozen.where(ITEM.c.benchmark_id == benchmark_id)
        members = members.where(SPLIT.c.benchmark_id == benchmark_id)
    return bool(
        session.execute(select(frozen.scalar_subquery() > members.scalar_subquery())).scalar()
    )


def _told(session: Session, numbers: list[int]) -> Iterator[HeldItem]:
    columns = (EVENT.c.item_id, EVENT.c.id, EVENT.c.kind, EVENT.c.data)
    for start in range(0, len(numbers), _AT_ONCE):
        query = select(*columns).where(
            EVENT.c.item_id.in_(numbers[start : start + _AT_ONCE]),
            EVENT.c.kind.in_((EventKind.APPROVED, EventKind.FROZEN)),
        )
        rows = session.execute(query.order_by(EVENT.c.item_id, EVENT.c.id.desc()))
        for number, events in groupby(rows, itemgetter(0)):
            yield _held(number, [(row[1], row[2], json.loads(row[3])) for row in events])


def _held(number: int, events: list[tuple[int, str, dict[str, Any]]]) -> HeldItem:
    (event, kind, data), *earlier = events
    if kind != EventKind.FROZEN:
        return HeldItem(number, "", (), "")
    steps = [(event, data.get("before", {}))]
    if earlier and earlier[0][1] == EventKind.APPROVED and "why" in earlier[0][2]:
        steps.append((earlier[0][0], earlier[0][2].get("before", {})))
    return HeldItem(number, str(data.get("split", "")), tuple(steps), str(steps[-1][1]["state"]))


def are_frozen_for(session: Session, split_id: int, size: int) -> bool:
    """Whether the members of a split are ``size`` frozen items, in the revisions that it names,
    of which none is in another split."""
    there = (
        select(func.count())
        .select_from(SPLIT_ITEM)
        .join(ITEM, (ITEM.c.id == SPLIT_ITEM.c.item_id))
        .where(
            SPLIT_ITEM.c.split_id == split_id,
            ITEM.c.revision == SPLIT_ITEM.c.revision,
            ITEM.c.state == ItemState.FROZEN,
        )
    )
    own = SPLIT_ITEM.alias("own")
    is_own = select(own.c.item_id).where(
        own.c.split_id == split_id, own.c.item_id == SPLIT_ITEM.c.item_id
    )
    elsewhere = select(SPLIT_ITEM.c.item_id).where(
        SPLIT_ITEM.c.split_id != split_id, is_own.exists()
    )
    return (
        session.execute(there).scalar_one() == size
        and session.execute(elsewhere.limit(1)).first() is None
    )
