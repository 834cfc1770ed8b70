"""Items that an import is still bringing, which nobody sees before all of them are there.

An import of many rows writes them in transactions of some hundred, so that nobody waits for it. The
numbers of what it has written so far stand in ``pending_import``, as ranges; every statement that
begins with the items leaves them out by ``is_shown``. The last transaction takes the ranges away:
that one moment shows all the items, however many. What an import that was killed has left stays
hidden; the next one that brings the same contents into the task shows it with its own.
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    and_,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from db.evidence import written_rows
from db.evidence.bindings import touch
from db.session import Session
from db.tables import EVENT, ITEM, PENDING_IMPORT, REVISION, now
from db.vocabulary import EventKind

Range = tuple[int, int]
"""The first number and the last."""

RANGES = "ranges"  # where an event of the end of an import keeps which items it showed
GIVEN_UP = "given_up"  # where an event says which imports nobody waits for any longer
_LARGEST = 2**63 - 1
_SPELLED = 100  # ranges in one statement, which SQLite bounds
_FIELDS = ("id", "import_id", "task_id", "file", "first", "last", "person_id", "at")
_COLUMNS = tuple(PENDING_IMPORT.c[name] for name in _FIELDS)

# By the index of the events of items: those that are of none are few.
_ENDS = select(EVENT.c.data).where(EVENT.c.item_id.is_(None), EVENT.c.kind == EventKind.IMPORTED)


class HiddenItem(NamedTuple):
    """An item that nobody sees yet, with what its import said of it."""

    id: int
    content_hash: str
    author_id: int | None
    run_id: str | None
    provenance: Mapping[str, Any]


def is_shown() -> ColumnElement[bool]:
    """Whether an item is there for anybody; a condition for statements on the items.

    Ranges are disjoint: only the last one that begins at or before an item can hold it. That is
    asked of few items: those before all ranges and those of the longest one need no look.
    """
    last_before = (
        select(PENDING_IMPORT.c.last)
        .where(PENDING_IMPORT.c.first <= ITEM.c.id)
        .order_by(PENDING_IMPORT.c.first.desc())
        .limit(1)
        .correlate(ITEM)
        .scalar_subquery()
    )
    longest = PENDING_IMPORT.c.last - PENDING_IMPORT.c.first
    start, end = (
        select(column).order_by(longest.desc(), PENDING_IMPORT.c.id).limit(1).scalar_subquery()
        for column in (PENDING_IMPORT.c.first, PENDING_IMPORT.c.last)
    )
    return or_(before_hidden(), and_(~ITEM.c.id.between(start, end), ITEM.c.id > last_before))


def hide(
    session: Session, import_id: str, task_id: int, file: str, numbers: Sequence[int],
    person_id: int | None,
) -> None:  # fmt: skip
    """Keep items, by ascending number, from sight; said in the transaction that writes them."""
    for first, last in ranges_of(numbers):
        longer = (
            update(PENDING_IMPORT)
            .where(PENDING_IMPORT.c.import_id == import_id, PENDING_IMPORT.c.last == first - 1)
            .values(last=last)
        )
        grown = session.execute(longer.returning(PENDING_IMPORT.c.id)).scalars().all()
        if grown:
            touch(session, "pending_import", grown)
        else:
            grown = _add(session, (import_id, task_id, file, first, last, person_id, now()))
        written_rows.read(session, "pending_import", grown)


def _add(session: Session, values: Sequence[object]) -> Sequence[int]:
    new = insert(PENDING_IMPORT).values(dict(zip(_FIELDS[1:], values, strict=True)))
    added = session.execute(new.returning(PENDING_IMPORT.c.id)).scalars().all()
    touch(session, "pending_import", added)
    return added


@dataclass(frozen=True, slots=True)
class Ending:
    """What the end of an import shows: the ``ranges`` of its event, which stand in ``rows``."""

    ranges: list[Range]
    rows: tuple[Row[Any], ...]


def ending(session: Session, import_id: str, numbers: Iterable[int] = ()) -> Ending:
    """What an import shows that has written everything: its own items, and other hidden ones by
    number."""
    wanted = sorted(set(numbers))
    query = select(*_COLUMNS).order_by(PENDING_IMPORT.c.first)
    if not wanted:
        query = query.where(PENDING_IMPORT.c.import_id == import_id)
    rows: list[Row[Any]] = []
    shown: list[Range] = []
    for row in session.execute(query):
        if row.import_id == import_id:
            ranges = [(row.first, row.last)]
        else:
            ranges = ranges_of(
                wanted[bisect_left(wanted, row.first) : bisect_right(wanted, row.last)]
            )
        if ranges:
            shown += ranges
            rows.append(row)
    return Ending(shown, tuple(rows))


def show(session: Session, ended: Ending) -> None:
    """Let everybody see what an end of an import named, once its event is written; the database of
    a team's server has done so by itself then. What another import hides beside it stays hidden."""
    gone = [row.id for row in ended.rows]
    if _there(session, gone):
        _take_out(session, ended)
    imports = sorted({row.import_id for row in ended.rows})
    left = select(PENDING_IMPORT.c.id).where(PENDING_IMPORT.c.import_id.in_(imports))
    touch(session, "pending_import", [*gone, *session.execute(left).scalars()])


def _there(session: Session, rows: Sequence[int]) -> bool:
    query = select(PENDING_IMPORT.c.id).where(PENDING_IMPORT.c.id.in_(rows[:1]))
    return session.execute(query).first() is not None


def _take_out(session: Session, ended: Ending) -> None:
    gone = [row.id for row in ended.rows]
    for start in range(0, len(gone), 500):
        part = gone[start : start + 500]
        session.execute(delete(PENDING_IMPORT).where(PENDING_IMPORT.c.id.in_(part)))
    for row in ended.rows:
        first = bisect_left(ended.ranges, (row.first, row.first))
        last = bisect_right(ended.ranges, (row.last, row.last))
        for left in _between(row.first, row.last, ended.ranges[first:last]):
            _add(session, (*row[1:4], *left, *row[6:]))


def ranges_of(numbers: Sequence[int]) -> list[Range]:
    """Ascending numbers as ranges."""
    ranges: list[Range] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return ranges


def _between(first: int, last: int, ranges: Sequence[Range]) -> list[Range]:
    """What is left of a range without others that lie in it, in ascending order."""
    left: list[Range] = []
    for start, end in ranges:
        if first < start:
            left.append((first, start - 1))
        first = end + 1
    return [*left, (first, last)] if first <= last else left


def before_hidden() -> ColumnElement[bool]:
    """Whether an item lies before all that is hidden: a condition that an index follows."""
    first = select(func.min(PENDING_IMPORT.c.first)).scalar_subquery()
    return ITEM.c.id < func.coalesce(first, _LARGEST)


def visible_ranges(session: Session, most: int) -> list[Range]:
    """The numbers after the first hidden ones that nothing hides, as the first ``most`` ranges;
    empty where nothing is hidden."""
    other = PENDING_IMPORT.alias("other")
    last = PENDING_IMPORT.c.last
    beside = select(other.c.id).where(other.c.first == last + 1).exists()
    following = select(func.min(other.c.first)).where(other.c.first > last).scalar_subquery()
    query = select(last + 1, func.coalesce(following - 1, _LARGEST)).where(~beside)
    rows = session.execute(query.order_by(PENDING_IMPORT.c.first).limit(most))
    return [(row[0], row[1]) for row in rows]


def hidden_in(session: Session, task_id: int) -> list[HiddenItem]:
    """The items of a task that nobody sees yet."""
    query = select(
        ITEM.c.id, ITEM.c.content_hash, ITEM.c.author_id, ITEM.c.run_id, REVISION.c.provenance
    ).join(REVISION, (REVISION.c.item_id == ITEM.c.id) & (REVISION.c.number == ITEM.c.revision))
    rows = session.execute(query.where(_is_hidden_in(task_id)))
    return [HiddenItem(*row) for row in rows]


def hidden_hashes(session: Session, task_id: int) -> set[str]:
    """The contents of the items of a task that nobody sees yet."""
    query = select(ITEM.c.content_hash).where(_is_hidden_in(task_id))
    return set(session.execute(query).scalars())


def _is_hidden_in(task_id: int) -> ColumnElement[bool]:
    """Whether an item of a task is hidden; a join would compare each with every range before it."""
    first = select(func.min(PENDING_IMPORT.c.first)).scalar_subquery()
    return and_(ITEM.c.task_id == task_id, ITEM.c.id >= first, ~is_shown())


def hidden_among(session: Session, numbers: Sequence[int]) -> set[int]:
    """Those of some items, of which there are at most some hundred, that nobody sees yet."""
    query = select(ITEM.c.id).where(ITEM.c.id.in_(numbers), ~is_shown())
    return set(session.execute(query).scalars()) if numbers else set()


def of_run(session: Session, numbers: Sequence[int], run_id: str | None) -> set[int]:
    """Those of some items, of which there are at most some hundred, that a run made."""
    if run_id is None or not numbers:
        return set()
    query = select(ITEM.c.id).where(ITEM.c.id.in_(numbers), ITEM.c.run_id == run_id)
    return set(session.execute(query).scalars())


def of_import(session: Session, numbers: Sequence[int], import_id: str) -> set[int]:
    """Those of some items, of which there are at most some hundred, that one import hides."""
    ranges = select(PENDING_IMPORT.c.id).where(
        PENDING_IMPORT.c.import_id == import_id,
        PENDING_IMPORT.c.first <= ITEM.c.id,
        PENDING_IMPORT.c.last >= ITEM.c.id,
    )
    query = select(ITEM.c.id).where(ITEM.c.id.in_(numbers), ranges.exists())
    return set(session.execute(query).scalars()) if numbers else set()


def hiding(session: Session, item_id: int) -> str:
    """The file of the import that hides an item; empty for one that is shown."""
    query = select(PENDING_IMPORT.c.file).where(
        PENDING_IMPORT.c.first <= item_id, PENDING_IMPORT.c.last >= item_id
    )
    return str(session.execute(query).scalar() or "")


class Unfinished(NamedTuple):
    """An import that has not ended, and that nobody has given up."""

    import_id: str
    task_id: int
    file: str
    items: int


def unfinished(session: Session, task_id: int | None = None) -> list[Unfinished]:
    """The imports into a task, or into all, that have not ended, by file."""
    imports = (PENDING_IMPORT.c.import_id, PENDING_IMPORT.c.task_id, PENDING_IMPORT.c.file)
    count = func.sum(PENDING_IMPORT.c.last - PENDING_IMPORT.c.first + 1)
    query = select(*imports, count).group_by(*imports).order_by(PENDING_IMPORT.c.file)
    if task_id is not None:
        query = query.where(PENDING_IMPORT.c.task_id == task_id)
    rows = session.execute(query).all()
    over = _given_up(session) if rows else set()
    return [Unfinished(*row[:3], int(row[3])) for row in rows if row[0] not in over]


def _given_up(session: Session) -> set[str]:
    told = _ENDS.where(EVENT.c.data.contains(f'"{GIVEN_UP}":', autoescape=True))
    return {
        name
        for data in session.execute(told).scalars()
        for name in json.loads(data).get(GIVEN_UP, ())
    }


def hidden_at(session: Session, until: str) -> list[Range]:
    """The items that nobody saw at a moment (ISO 8601, UTC), though they were written by then:
    ranges of which none overlaps another, in ascending order."""
    now_hidden = session.execute(select(PENDING_IMPORT.c.first, PENDING_IMPORT.c.last))
    later = _shown_by(session, _ENDS.where(EVENT.c.at > until))
    return sorted([*((row[0], row[1]) for row in now_hidden), *later])


def lies_in(number: int, ranges: Sequence[Range]) -> bool:
    """Whether one of some ranges, of which none overlaps another and in order, has a number."""
    place = bisect_right(ranges, number, key=_first)
    return place > 0 and number <= ranges[place - 1][1]


def _first(numbers: Range) -> int:
    return numbers[0]


def _shown_by(session: Session, ends: Select[str]) -> list[Range]:
    """The items that some ends of imports showed."""
    return [
        (first, last)
        for data in session.execute(ends).scalars()
        for first, last in json.loads(data).get(RANGES, ())
    ]


def shown_after(session: Session, event: int) -> ColumnElement[bool] | None:
    """The items that ends of imports showed after an event; None where none was. For whoever reads
    only what changed: no event of the item itself tells of it."""
    ranges = _shown_by(session, _ENDS.where(EVENT.c.id > event))
    if len(ranges) > _SPELLED:  # reading more than what changed does no harm
        ranges = [(min(ranges)[0], max(last for _, last in ranges))]
    if not ranges:
        return None
    return or_(*(ITEM.c.id.between(first, last) for first, last in ranges))
