"""Who touched the items of a split, from the rows of the work and of the runs."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Select,
    Subquery,
    case,
    exists,
    func,
    literal,
    or_,
    select,
    text,
    union_all,
)

from db import ledger
from db.queries.own_work import OpenTo
from db.server import logins
from db.session import Session
from db.tables import (
    ANSWER,
    ASSIGNMENT,
    COMMENT,
    DECISION,
    ITEM,
    PERSON,
    RATING,
    REVISION,
    RUN,
    SCREENING,
    SPLIT,
    SPLIT_ITEM,
)
from db.vocabulary import AssignmentState, EventKind


class Touched(NamedTuple):
    """How many different items of a split somebody (``who``: a name, or a run's id) touched in one
    ``way``, and when for the first and the last time."""

    who: str
    way: str
    items: int
    first: datetime
    last: datetime


_OF_PEOPLE = {
    "wrote": (REVISION, REVISION.c.author_id),
    "was given": (ASSIGNMENT, ASSIGNMENT.c.person_id),
    "decided": (DECISION, DECISION.c.person_id),
    "rated": (RATING, RATING.c.person_id),
    "commented": (COMMENT, COMMENT.c.person_id),
}


def by_people(session: Session, split_id: int, viewer: OpenTo) -> list[Touched]:
    """What people wrote, were given, decided, rated and commented, also what was undone since, of
    the items about which nothing is hidden from the viewer; ratings where they rated themselves.

    Read are the rows of the work on the split, and not its items, of which there may be a million;
    where nothing is hidden, only those that are newer than what its freezing counted (``keep``).
    """
    hidden = _hidden(split_id, viewer).cte("hidden")  # looked for once, and not for each way
    is_open = session.execute(select(hidden.c.item_id).limit(1)).first() is None
    kept = _kept(session, split_id) if is_open else {}
    parts: list[Select[Any]] = []
    for way, (table, _) in _OF_PEOPLE.items():
        touched = _touching(split_id, way, after=kept[way]["upto"] if way in kept else 0)
        if not is_open:
            touched = touched.where(table.c.item_id.not_in(select(hidden.c.item_id)))
        if table is RATING:
            rated = select(RATING.c.item_id).where(RATING.c.person_id == viewer.person_id)
            touched = touched.where(table.c.item_id.in_(rated))
        own = touched.subquery()
        columns = (PERSON.c.name, literal(way), own.c["items"], own.c["first"], own.c["last"])
        parts.append(select(*columns).join(own, own.c.person_id == PERSON.c.id))
    found = {row[:2]: Touched(*row) for row in session.execute(union_all(*parts))}
    names = dict(session.execute(select(PERSON.c.id, PERSON.c.name)).all()) if kept else {}
    for way, counted in kept.items():
        for person, (items, *times) in counted["people"].items():
            first, last = map(datetime.fromisoformat, times)
            key = names[int(person)], way
            new = found.get(key, Touched(*key, 0, first, last))
            first, last = min(first, new.first), max(last, new.last)
            found[key] = Touched(*key, items + new.items, first, last)
    return list(found.values())


def _touching(split_id: int, way: str, *, after: int = 0, upto: int | None = None) -> Select[Any]:
    """Person, items, first and last time of one way, of the rows after one number and up to
    another; of a person's items only those that none of the earlier rows has."""
    table, person_id = _OF_PEOPLE[way]
    item: ColumnElement[int] = table.c.item_id
    if after:
        before = table.alias("before")
        seen = exists().where(
            before.c.item_id == item,
            before.c[person_id.name] == person_id,
            before.c.id <= after,
        )
        item = case((~seen, item))
    columns = (
        person_id.label("person_id"),
        func.count(item.distinct()).label("items"),
        func.min(table.c.at).label("first"),
        func.max(table.c.at).label("last"),
    )
    query = select(*columns).where(person_id.is_not(None), _is_member(split_id, table.c.item_id))
    if after:
        query = query.where(table.c.id > after)
    if upto is not None:
        query = query.where(table.c.id <= upto)
    return query.group_by(person_id)


KEPT = "touched"
"""The field of an event's data that holds, by way, up to which row was counted (``upto``), and for
each person's number how many items of a split they touched, first and last."""
_LASTING = tuple(way for way in _OF_PEOPLE if way != "rated")  # who looks decides about ratings


def keep(session: Session, split_id: int, name: str) -> None:
    """Count at the freezing of a split who touched its items, and keep it in the ledger: to count
    the rows of a million items takes seconds, whenever somebody asks.

    Only on SQLite, where no other transaction can write a row of an earlier number later; the
    event is one of those that on a server only some see, for a workspace may be copied there.
    """
    if session.dialect.name != "sqlite":
        return
    counts = {way: _counted(session, split_id, way) for way in _LASTING}
    ledger.append(session, ledger.NewEvent(EventKind.BOUND, "", subject=name, data={KEPT: counts}))


def _counted(session: Session, split_id: int, way: str, upto: int | None = None) -> dict[str, Any]:
    table, _ = _OF_PEOPLE[way]
    if upto is None:
        upto = session.execute(select(func.max(table.c.id))).scalar() or 0
    rows = session.execute(_touching(split_id, way, upto=upto))
    people = {
        str(person): [items, first.isoformat(), last.isoformat()]
        for person, items, first, last in rows
    }
    return {"upto": upto, "people": people}


def _kept(session: Session, split_id: int) -> dict[str, dict[str, Any]]:
    """What the freezing of a split counted, by way; nothing where it did not, or on a server."""
    if session.dialect.name != "sqlite":
        return {}
    name = select(SPLIT.c.name).where(SPLIT.c.id == split_id)
    told = ledger.of_subject(session, EventKind.BOUND, session.execute(name).scalar_one())
    return next((event.data[KEPT] for event in told if KEPT in event.data), {})


def is_kept_rightly(session: Session, split_id: int) -> bool:
    """Whether the rows give as many items as the freezing of a split counted."""
    return all(
        _items(counted) == _items(_counted(session, split_id, way, counted["upto"]))
        for way, counted in _kept(session, split_id).items()
    )


def _items(counted: Mapping[str, Any]) -> dict[str, int]:
    return {person: number for person, (number, *_) in counted["people"].items()}


def _is_member(split_id: int, item_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Whether an item is of a split: looked up for each, for a list of all would be made first."""
    return exists().where(SPLIT_ITEM.c.split_id == split_id, SPLIT_ITEM.c.item_id == item_id)


def _hidden(split_id: int, viewer: OpenTo) -> Select[tuple[int]]:
    """The items of a split about which something is hidden from a viewer: looked for among those
    that are open, of which a frozen split has none, and those that are held."""
    home = select(SPLIT.c.benchmark_id).where(SPLIT.c.id == split_id).scalar_subquery()
    open_items = select(ITEM.c.id).where(
        ITEM.c.benchmark_id == home, ITEM.c.state.in_(viewer.states)
    )
    held = select(ASSIGNMENT.c.item_id).where(ASSIGNMENT.c.state == AssignmentState.LEASED)
    return select(ITEM.c.id.label("item_id")).where(
        ITEM.c.id.in_(union_all(open_items, held)),
        _is_member(split_id, ITEM.c.id),
        ~viewer.condition(),
    )


_PARTICIPANTS = text("SELECT name FROM benchseal.participants(:split)")


def everybody(session: Session, split_id: int) -> set[str]:
    """The names of all who wrote, were given, decided, rated or discussed an item of a split; the
    same for everybody who may look at people's figures."""
    if logins.secured(session):
        return set(session.execute(_PARTICIPANTS, {"split": split_id}).scalars())
    ways = [
        exists().where(person_id == PERSON.c.id, _is_member(split_id, table.c.item_id))
        for table, person_id in _OF_PEOPLE.values()
    ]
    return set(session.execute(select(PERSON.c.name).where(or_(*ways))).scalars())


def sent_in_runs(session: Session, split_id: int, run_ids: Collection[str]) -> dict[str, int]:
    """How many different items of a split each of these runs certainly sent: those it made,
    screened or had answers to; without runs that sent none."""
    sent = _sent(split_id, run_ids)
    rows = session.execute(
        select(sent.c.run_id, func.count(sent.c.item_id.distinct())).group_by(sent.c.run_id)
    )
    return {str(run_id): int(count) for run_id, count in rows}


def made_in_runs(session: Session, split_id: int, run_ids: Collection[str]) -> dict[str, int]:
    """How many items of a split each of these runs made; without runs that made none."""
    made = _made(split_id, run_ids).subquery()
    rows = session.execute(select(made.c.run_id, func.count()).group_by(made.c.run_id))
    return {str(run_id): int(count) for run_id, count in rows}


def sent_items(session: Session, split_id: int, run_ids: Collection[str]) -> int:
    """How many different items of a split these runs certainly sent together."""
    sent = _sent(split_id, run_ids)
    return session.execute(select(func.count(sent.c.item_id.distinct()))).scalar_one()


def _sent(split_id: int, run_ids: Collection[str]) -> Subquery:
    """Run and item for each way in which a run certainly sent it."""
    members = SPLIT_ITEM.c.split_id == split_id
    screened = select(SCREENING.c.run_id, SCREENING.c.item_id).join(
        SPLIT_ITEM, SPLIT_ITEM.c.item_id == SCREENING.c.item_id
    )
    answered = (
        select(ANSWER.c.run_id, ANSWER.c.item_id)
        .join(RUN, RUN.c.id == ANSWER.c.run_id)
        .where(RUN.c.split_id == split_id)
    )
    parts = (
        _made(split_id, run_ids),
        screened.where(members, SCREENING.c.run_id.in_(run_ids)),
        answered.where(RUN.c.id.in_(run_ids)),
    )
    return union_all(*parts).subquery()


def _made(split_id: int, run_ids: Collection[str]) -> Select[Any]:
    """Run and item for each item of a split that a run made."""
    made = select(ITEM.c.run_id, ITEM.c.id.label("item_id")).join(
        SPLIT_ITEM, SPLIT_ITEM.c.item_id == ITEM.c.id
    )
    return made.where(SPLIT_ITEM.c.split_id == split_id, ITEM.c.run_id.in_(run_ids))
