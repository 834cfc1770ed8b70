"""Items and their revisions: writing them, and reading one with its content."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from sys import intern
from typing import Any, NamedTuple, overload

import orjson
from sqlalchemy import (
    String,
    Table,
    Update,
    and_,
    bindparam,
    cast,
    func,
    insert,
    select,
    text,
    update,
)
from typing_extensions import override

from db import search
from db.counting import item_counts
from db.errors import StoreError
from db.evidence import written_rows
from db.evidence.bindings import BY_TABLE, bound_columns, touch
from db.importing.pending_imports import is_shown
from db.queries import search_backlog
from db.schema.json_text import SpelledPayload, write_json
from db.server import logins
from db.session import Session
from db.tables import ITEM, REVISION, now


class NewItem(NamedTuple):
    """An item about to be written, with its first revision."""

    task_id: int
    benchmark_id: int
    family: str
    format: str
    domain: str
    content_hash: str
    payload: Mapping[str, Any]
    provenance: Mapping[str, Any]
    state: str
    open_slots: int
    label: str = ""
    barred: str = ""
    defects: Sequence[Mapping[str, str]] = ()
    author_id: int | None = None
    run_id: str | None = None
    round: int = 1


class ItemRow(NamedTuple):
    """An item as it stands now, without its content."""

    id: int
    benchmark_id: int
    task_id: int
    family: str
    format: str
    domain: str
    label: str
    state: str
    revision: int
    content_hash: str
    open_slots: int
    taken: int
    disputed: bool
    barred: str
    round: int
    author_id: int | None
    run_id: str | None
    lot_id: int | None


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """The content of one item revision."""

    item_id: int
    number: int
    content_hash: str
    payload: dict[str, Any]
    provenance: dict[str, Any]
    defects: list[dict[str, str]] = field(default_factory=list)
    author_id: int | None = None
    note: str = ""


_TASK_LOCK = 0x7461736B  # any number will do that no other lock of two numbers has
_BOUND = frozenset(bound_columns(BY_TABLE["item"], ITEM.c.keys()))
_COLUMNS = tuple(ITEM.c[name] for name in ItemRow._fields)
_row = ItemRow._make


def known_hashes(session: Session, task_ids: Iterable[int]) -> set[tuple[int, str]]:
    """(task, content hash) of all items of some tasks, to leave out what is there already."""
    query = select(ITEM.c.task_id, ITEM.c.content_hash).where(ITEM.c.task_id.in_(list(task_ids)))
    return {(row[0], row[1]) for row in session.execute(query)}


def any_of(session: Session, task_id: int) -> bool:
    """Whether a task has items that are shown."""
    query = select(ITEM.c.id).where(ITEM.c.task_id == task_id, is_shown()).limit(1)
    return session.execute(query).first() is not None


# each is looked up by itself: a server that has not counted the rows yet would read the whole task
_NUMBERS = text(
    "SELECT hash, id FROM (SELECT h.hash, (SELECT i.id FROM item i WHERE i.task_id = :task "
    "AND i.content_hash = h.hash) AS id FROM unnest(CAST(:hashes AS text[])) h (hash)) found "
    "WHERE id IS NOT NULL"
)
_LISTED_NUMBERS = text(
    "SELECT content_hash, id FROM item WHERE task_id = :task "
    "AND content_hash IN (SELECT value FROM json_each(:hashes))"
)


def numbers_of(session: Session, task_id: int, hashes: Sequence[str]) -> dict[str, int]:
    """The items of a task with some contents, by content hash, whether or not they are shown."""
    if session.dialect.name == "postgresql":
        rows = session.execute(_NUMBERS, {"task": task_id, "hashes": list(hashes)})
        return {row[0]: row[1] for row in rows}
    given = {"task": task_id, "hashes": orjson.dumps(list(hashes)).decode()}
    return {row[0]: row[1] for row in session.execute(_LISTED_NUMBERS, given)}


def one_writer(session: Session, task_id: int) -> None:
    """Keep other imports from writing items of a task until the transaction ends: what one of them
    finds missing, the other would write as well. On SQLite every writer is alone."""
    if session.dialect.name == "postgresql":
        query = text("SELECT pg_advisory_xact_lock(:lock, :task)")
        session.execute(query, {"lock": _TASK_LOCK, "task": task_id})


def _next_ids(session: Session, table: str, count: int) -> list[int]:
    """The numbers that the next rows of a table have, in order: with them rows are written in one
    statement, eleven times as quickly as by asking the database which it gave."""
    if session.dialect.name == "postgresql":
        drawn = text(
            "SELECT nextval(pg_get_serial_sequence(:table, 'id')) FROM generate_series(1, :count)"
        )
        return sorted(session.execute(drawn, {"table": table, "count": count}).scalars())
    last = session.execute(text(f'SELECT coalesce(max(id), 0) FROM "{table}"')).scalar_one()  # noqa: S608 (names of our own)
    return list(range(last + 1, last + 1 + count))


_ITEM_COLUMNS = (
    "id", "benchmark_id", "task_id", "family", "format", "domain", "label", "state", "revision",
    "content_hash", "open_slots", "taken", "disputed", "barred", "round", "author_id", "run_id",
    "at", "changed_at",
)  # fmt: skip
_REVISION_COLUMNS = (
    "id", "item_id", "number", "content_hash", "payload", "provenance", "defects", "author_id",
    "note", "at",
)  # fmt: skip


def add(session: Session, new: Sequence[NewItem], *, index_later: bool = False) -> list[int]:
    """Write items with their first revisions; returns their ids in the order given.

    ``index_later`` leaves their texts to ``search_backlog``, where there is one: on SQLite.
    """
    if not new:
        return []
    if there := _added_there(session, new):
        return there
    moment = now()
    ids = _next_ids(session, "item", len(new))
    texts = _next_ids(session, "revision", len(new))
    _add_rows(
        session,
        ITEM,
        _ITEM_COLUMNS,
        [
            (number, item.benchmark_id, item.task_id, item.family, item.format, item.domain,
             item.label, item.state, 1, item.content_hash, item.open_slots, 0, False, item.barred,
             item.round, item.author_id, item.run_id, moment, moment)
            for number, item in zip(ids, new, strict=True)
        ],
        ids,
    )  # fmt: skip
    _add_rows(
        session,
        REVISION,
        _REVISION_COLUMNS,
        [
            (place, number, 1, item.content_hash, _payload(item), dict(item.provenance),
             [dict(defect) for defect in item.defects], item.author_id, "", moment)
            for place, number, item in zip(texts, ids, new, strict=True)
        ],
        ids,
    )  # fmt: skip
    if index_later and session.dialect.name == "sqlite":
        search_backlog.put_off(session, ids)
    else:
        search.write(session, [(n, 1, item.payload) for n, item in zip(ids, new, strict=True)])
    return ids


def _payload(item: NewItem) -> dict[str, Any]:
    return item.payload if type(item.payload) is SpelledPayload else dict(item.payload)


_ADD = text("SELECT * FROM benchseal.add_items(CAST(:given AS jsonb))")


def _added_there(session: Session, new: Sequence[NewItem]) -> list[int]:
    """Let a server write new items in one statement; none where it cannot, or leaves it to us."""
    login = logins.login_in(session)
    if login is None or not login.adds_items:
        return []
    texts = search.server_rows([(0, 1, item.payload) for item in new])
    rows = [
        (item.benchmark_id, item.task_id, item.family, item.format, item.domain, str(item.state),
         item.content_hash, item.open_slots, item.barred, item.round, item.author_id, item.run_id,
         *(orjson.Fragment(write_json(value)) for value in
           (dict(item.payload), dict(item.provenance), [dict(one) for one in item.defects])),
         item.label, body, grams)
        for item, (_, _, body, grams) in zip(new, texts, strict=True)
    ]  # fmt: skip
    try:
        given = orjson.dumps(rows).decode()
    except (TypeError, UnicodeEncodeError):  # half a character
        return []
    written = session.execute(_ADD, {"given": given}).all()
    ids = [int(row[0]) for row in written]
    for table, unit, digest in (("item", 0, 2), ("revision", 1, 3)):
        touch(session, table, [row[unit] for row in written], ids)
        written_rows.told(session, table, {row[unit]: row[digest] for row in written})
    return ids


def _add_rows(
    session: Session,
    table: Table,
    names: Sequence[str],
    rows: Sequence[Sequence[Any]],
    item_ids: Sequence[int],
) -> None:
    """Write rows that begin with their id, and bind them to the events of their items."""
    name = str(table.name)  # SQLAlchemy's own kind of text is not a key for orjson
    touch(session, name, [row[0] for row in rows], item_ids)
    session.add_rows(table, names, rows, partial(written_rows.bind, session, name, names))
    if session.dialect.name == "postgresql":
        written_rows.read(session, name, [row[0] for row in rows])


# Statements of the hot path are made once: building them costs more than running them.
_ONE = select(*_COLUMNS).where(ITEM.c.id == bindparam("item"), is_shown())
_LOCKED = _ONE.with_for_update()


def get(session: Session, item_id: int, *, lock: bool = False) -> ItemRow | None:
    """One item; ``lock`` keeps other writers away from it until the transaction ends."""
    row = session.connection().execute(_LOCKED if lock else _ONE, {"item": item_id}).first()
    return _row(row) if row else None


def _run_on(numbers: Sequence[int]) -> bool:
    """Whether several numbers follow one another: as a range they are one value and not many."""
    first = numbers[0] if len(numbers) > 1 else None
    return first is not None and list(numbers) == list(range(first, first + len(numbers)))


def get_many(
    session: Session, item_ids: Sequence[int], *, lock: bool = False, hidden: bool = False
) -> list[ItemRow]:
    """Items by id, in ascending order of id; unknown ids are left out, and unless ``hidden`` is
    set those that an import keeps hidden."""
    items: list[ItemRow] = []
    for start in range(0, len(item_ids), 500):
        part = item_ids[start : start + 500]
        those = ITEM.c.id.between(part[0], part[-1]) if _run_on(part) else ITEM.c.id.in_(part)
        query = select(*_COLUMNS).where(those).order_by(ITEM.c.id)
        if not hidden:
            query = query.where(is_shown())
        if lock:
            query = query.with_for_update()
        items.extend(_row(row) for row in session.execute(query))
    return sorted(items, key=lambda row: row.id)


def in_state(
    session: Session,
    states: Sequence[str],
    *,
    benchmark_id: int | None = None,
    task_id: int | None = None,
    run_id: str | None = None,
    hidden: bool = False,
) -> list[ItemRow]:
    """All items in some states, by id; with ``hidden`` also those that an import keeps hidden."""
    query = select(*_COLUMNS).where(ITEM.c.state.in_(states)).order_by(ITEM.c.id)
    query = query if hidden else query.where(is_shown())
    if benchmark_id is not None:
        query = query.where(ITEM.c.benchmark_id == benchmark_id)
    if task_id is not None:
        query = query.where(ITEM.c.task_id == task_id)
    if run_id is not None:
        query = query.where(ITEM.c.run_id == run_id)
    return list(map(_row, session.execute(query)))


def count_of_run(session: Session, run_id: str) -> int:
    """How many items a run brought."""
    query = select(func.count(ITEM.c.id)).where(ITEM.c.run_id == run_id)
    return int(session.execute(query).scalar_one())


def first_of_run(session: Session, run_id: str) -> int:
    """The number of the first item that a run brought; 0 where it brought none."""
    query = select(func.min(ITEM.c.id)).where(ITEM.c.run_id == run_id, is_shown())
    return int(session.execute(query).scalar_one() or 0)


def marked(session: Session, task_id: int, name: str) -> set[int]:
    """The items of a task whose current revision's provenance says something under a name."""
    current = and_(REVISION.c.item_id == ITEM.c.id, REVISION.c.number == ITEM.c.revision)
    said = func.coalesce(cast(REVISION.c.provenance[name].as_string(), String), "") != ""
    query = select(ITEM.c.id).join(REVISION, current).where(ITEM.c.task_id == task_id, said)
    return {row[0] for row in session.execute(query)}


def counted_for_freezing(
    session: Session, benchmark_id: int, states: Sequence[str]
) -> list[tuple[int, str, str, bool, int]]:
    """(task, state, format, whether it is in no lot and not barred, number of items) of the items
    of a benchmark in some states, by the counts that are kept."""
    by = ("task_id", "state", "format", "is_free")
    return [
        (task_id, state, format, bool(free), number)
        for wanted in states
        for task_id, state, format, free, number in item_counts.counted(
            session, by, benchmark_id=benchmark_id, state=wanted
        )
    ]


class FreezableRow(NamedTuple):
    """What a freeze chooses an item by."""

    id: int
    task_id: int
    format: str
    label: str
    domain: str
    revision: int
    state: str
    author_id: int | None
    is_free: bool
    """Whether it is in no lot and not barred."""


class FreezableRows(Sequence[FreezableRow]):
    """Rows that are made when they are asked for: sixteen bytes for each of those that share all
    but their number."""

    def __init__(self, rows: Iterable[FreezableRow] = ()) -> None:
        self._ids, self._places = array("q"), array("q")
        self._known: dict[tuple[Any, ...], int] = {}
        self._shared: list[tuple[Any, ...]] = []
        for row in rows:
            self.append(row)

    def append(self, row: FreezableRow) -> None:
        """Add a row at the end."""
        shared = row[1:]
        place = self._known.setdefault(shared, len(self._shared))
        if place == len(self._shared):
            self._shared.append(shared)
        self._ids.append(row.id)
        self._places.append(place)

    def _row(self, number: int, place: int) -> FreezableRow:
        return FreezableRow._make((number, *self._shared[place]))

    @override
    def __len__(self) -> int:
        return len(self._ids)

    @override
    def __iter__(self) -> Iterator[FreezableRow]:
        return map(self._row, self._ids, self._places)

    @overload
    def __getitem__(self, place: int) -> FreezableRow: ...

    @overload
    def __getitem__(self, place: slice) -> list[FreezableRow]: ...

    @override
    def __getitem__(self, place: int | slice) -> FreezableRow | list[FreezableRow]:
        if isinstance(place, slice):
            return list(map(self._row, self._ids[place], self._places[place]))
        return self._row(self._ids[place], self._places[place])


def freezable(session: Session, benchmark_id: int, states: Sequence[str]) -> Iterator[FreezableRow]:
    """The items of a benchmark in some states by id, read as they are asked for."""
    free = and_(ITEM.c.lot_id.is_(None), ITEM.c.barred == "")
    columns = (
        ITEM.c.id, ITEM.c.task_id, ITEM.c.format, ITEM.c.label, ITEM.c.domain, ITEM.c.revision,
        ITEM.c.state, ITEM.c.author_id, free,
    )  # fmt: skip
    query = (
        select(*columns)
        .where(ITEM.c.benchmark_id == benchmark_id, ITEM.c.state.in_(states), is_shown())
        .order_by(ITEM.c.id)
        .execution_options(yield_per=5000)
    )
    for id, task_id, format, label, domain, revision, state, author, is_free in session.execute(
        query
    ):
        # texts that many items share are held once
        yield FreezableRow(id, task_id, intern(format), intern(label), intern(domain), revision,
                           intern(state), author, bool(is_free))  # fmt: skip


def present_items(
    session: Session, benchmark_id: int | None = None, *, lock: bool = False
) -> list[tuple[int, int, str]]:
    """(item, revision, state) of all items, or of a benchmark's, by id; locked if asked."""
    query = select(ITEM.c.id, ITEM.c.revision, ITEM.c.state).where(is_shown()).order_by(ITEM.c.id)
    if benchmark_id is not None:
        query = query.where(ITEM.c.benchmark_id == benchmark_id)
    rows = session.execute(query.with_for_update() if lock else query)
    return [(row[0], row[1], row[2]) for row in rows]


_REVISION = select(REVISION).where(
    REVISION.c.item_id == bindparam("item"), REVISION.c.number == bindparam("revision")
)


def revision(session: Session, item_id: int, number: int) -> RevisionRow:
    """The content of one revision of an item; StoreError where a server does not show it to this
    login."""
    keys = {"item": item_id, "revision": number}
    result = session.connection().execute(_REVISION, keys)
    if not logins.secured(session):
        return _revision(result.one())
    if (row := result.first()) is None:
        raise StoreError("private", str(item_id))
    return _revision(row)


def has_written(session: Session, item_id: int, person_id: int) -> bool:
    """Whether a person wrote any revision of an item."""
    query = select(REVISION.c.id).where(
        REVISION.c.item_id == item_id, REVISION.c.author_id == person_id
    )
    return session.execute(query.limit(1)).first() is not None


def newest_revision(session: Session, item_id: int) -> int:
    """The highest revision number ever written of an item, also when it was taken back."""
    query = select(func.max(REVISION.c.number)).where(REVISION.c.item_id == item_id)
    return int(session.execute(query).scalar_one())


def same_content(session: Session, task_id: int, content_hash: str) -> int | None:
    """The item of a task that has this content now."""
    query = select(ITEM.c.id).where(ITEM.c.task_id == task_id, ITEM.c.content_hash == content_hash)
    number = session.execute(query.limit(1)).scalar()
    return None if number is None else int(number)


def revisions(session: Session, item_id: int) -> list[RevisionRow]:
    """All revisions of an item, oldest first."""
    query = select(REVISION).where(REVISION.c.item_id == item_id).order_by(REVISION.c.number)
    return [_revision(row) for row in session.execute(query)]


def contents(session: Session, item_ids: Sequence[int], *, back: int = 0) -> dict[int, RevisionRow]:
    """Present revision of each of some items, or the one so many before it, by item id."""
    number = ITEM.c.revision - back if back else ITEM.c.revision
    by_id: dict[int, RevisionRow] = {}
    for start in range(0, len(item_ids), 500):
        query = (
            select(REVISION)
            .join(ITEM, (ITEM.c.id == REVISION.c.item_id) & (number == REVISION.c.number))
            .where(ITEM.c.id.in_(item_ids[start : start + 500]))
        )
        for row in session.execute(query):
            by_id[row.item_id] = _revision(row)
    return by_id


def _revision(row: Any) -> RevisionRow:
    return RevisionRow(
        row.item_id,
        row.number,
        row.content_hash,
        row.payload,
        row.provenance,
        row.defects,
        row.author_id,
        row.note,
    )


def add_revision(
    session: Session,
    item_id: int,
    number: int,
    *,
    content_hash: str,
    payload: Mapping[str, Any],
    provenance: Mapping[str, Any],
    defects: Sequence[Mapping[str, str]] = (),
    author_id: int | None = None,
    note: str = "",
) -> None:
    """Write another revision of an item; the item itself is pointed to it by ``change``."""
    query = insert(REVISION).values(
        item_id=item_id,
        number=number,
        content_hash=content_hash,
        payload=dict(payload),
        provenance=dict(provenance),
        defects=[dict(defect) for defect in defects],
        author_id=author_id,
        note=note,
        at=now(),
    )
    written = session.execute(query.returning(REVISION.c.id)).scalar_one()
    touch(session, "revision", [written], [item_id])
    search.write(session, [(item_id, number, payload)])


@cache
def _change(names: tuple[str, ...], run_on: bool) -> Update:
    columns: dict[str, Any] = {name: bindparam(f"new_{name}") for name in (*names, "changed_at")}
    those = (
        ITEM.c.id.between(bindparam("first_one"), bindparam("last_one"))
        if run_on
        else ITEM.c.id.in_(bindparam("those", expanding=True))
    )
    return update(ITEM).where(those).values(columns)


def change(session: Session, item_ids: Sequence[int], **values: Any) -> None:
    """Set columns of some items, and when they changed."""
    new = {f"new_{name}": value for name, value in values.items()}
    for start in range(0, len(item_ids), 500):
        part = list(item_ids[start : start + 500])
        run_on = _run_on(part)
        those = {"first_one": part[0], "last_one": part[-1]} if run_on else {"those": part}
        session.execute(_change(tuple(values), run_on), {**those, "new_changed_at": now(), **new})
    if not _BOUND.isdisjoint(values):
        touch(session, "item", item_ids, item_ids)


def point_to_revision(session: Session, item_id: int) -> None:
    """Bring an item's content hash in line with the revision it points to."""
    present = (
        select(REVISION.c.content_hash)
        .where(REVISION.c.item_id == ITEM.c.id, REVISION.c.number == ITEM.c.revision)
        .scalar_subquery()
    )
    session.execute(update(ITEM).where(ITEM.c.id == item_id).values(content_hash=present))
