"""Texts that wait for the search index of a SQLite workspace.

An import writes its items in one transaction and leaves only the places of their texts here; the
index follows in small transactions, in this process or in the next one. A text leaves the backlog
in the transaction that puts it into the index, so that it is there exactly once.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import BigInteger, Column, MetaData, and_, delete, func, literal, select
from sqlalchemy import Table as SqlTable

from db import search, splits
from db.counting import item_counts
from db.importing.pending_imports import is_shown
from db.schema.sealed_values import SEALED_PAYLOADS, as_stored
from db.search import LAST_REVISION, REVISION_BITS
from db.session import Session
from db.tables import ITEM, REVISION

SEARCH_PENDING = SqlTable(
    "search_pending",
    MetaData(),  # part of the index, and so none of the tables that are copied and bound
    Column("place", BigInteger, primary_key=True),  # item << 12 | revision, as in the index
)

# Parts of the index that are merged by the way, or at once where there are too many, and the fewest
# that are merged when it is asked for.
_WHILE_MANY_WAIT = {"automerge": 0, "crisismerge": 1999, "usermerge": 16}
_USUAL = {"automerge": 4, "crisismerge": 99, "usermerge": 4}
_MERGED = 250  # pages that are merged in one transaction
_FEW_PARTS = 40  # a search takes half a millisecond longer than in one
_MOST_PARTS = 1000  # FTS5 takes 2,000, and says that the disk is full where there is one more
_INDEXES = ("search_long", "search_short")


def put_off(session: Session, item_ids: Iterable[int]) -> None:
    """Leave the first revisions of new items to be indexed later."""
    session.add_rows(SEARCH_PENDING, ("place",), [(n << REVISION_BITS | 1,) for n in item_ids])


def put_back(session: Session, revisions: Iterable[tuple[int, int]]) -> None:
    """Leave revisions (item, number) that the index does not have to be indexed later."""
    places = (
        (item_id << REVISION_BITS | number,)
        for item_id, number in revisions
        if number <= LAST_REVISION
    )
    session.add_rows(SEARCH_PENDING, ("place",), places)


def take_out(session: Session, revisions: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Let revisions (item, number) wait no longer, before they are taken out of the index, whose
    parts are merged later; those that waited, which the index does not have."""
    _configure(session, _WHILE_MANY_WAIT)
    chosen = SEARCH_PENDING.c.place.in_([n << REVISION_BITS | r for n, r in revisions])
    gone = delete(SEARCH_PENDING).where(chosen).returning(SEARCH_PENDING.c.place)
    places = session.execute(gone).scalars()
    return {(place >> REVISION_BITS, place & LAST_REVISION) for place in places}


def rebuild(session: Session) -> None:
    """Empty the index, and leave every revision that does not lie sealed to be indexed later."""
    connection = session.connection()
    for name in _INDEXES:
        connection.exec_driver_sql(f"INSERT INTO {name} ({name}) VALUES ('delete-all')")  # noqa: S608 (names of our own)
    session.execute(delete(SEARCH_PENDING))
    rest = (
        f"INSERT INTO search_pending (place) SELECT item_id << {REVISION_BITS} | number "  # noqa: S608 (names of our own)
        f"FROM revision WHERE number <= {LAST_REVISION} AND payload NOT LIKE ?"
    )
    connection.exec_driver_sql(rest, (SEALED_PAYLOADS,))


def is_waiting(session: Session) -> bool:
    """Whether any text waits."""
    if session.dialect.name != "sqlite":
        return False
    return session.execute(select(SEARCH_PENDING.c.place).limit(1)).first() is not None


def reach(session: Session) -> tuple[int, int]:
    """(items whose present text the index has, items that it will have in the end): those that lie
    sealed are neither."""
    place = SEARCH_PENDING.c.place
    waiting = (
        select(func.count())
        .select_from(SEARCH_PENDING)
        .join(ITEM, ITEM.c.id == place.op(">>")(literal(REVISION_BITS)))
        .where(ITEM.c.revision == place.op("&")(literal(LAST_REVISION)), is_shown())
    )
    sealed = [
        row.size for row in splits.all_splits(session) if splits.is_sealed_split(session, row.id)
    ]
    total = item_counts.total(session) - sum(sealed)
    return total - session.execute(waiting).scalar_one(), total


def next_texts(session: Session, most: int) -> list[tuple[int, int, dict[str, Any]]]:
    """The first of the texts that wait: item, revision and payload."""
    if session.dialect.name != "sqlite":
        return []
    place = SEARCH_PENDING.c.place
    first = select(place).order_by(place).limit(most).subquery()
    query = select(REVISION.c.item_id, REVISION.c.number, REVISION.c.payload).join(
        first,
        and_(
            REVISION.c.item_id == first.c.place.op(">>")(literal(REVISION_BITS)),
            REVISION.c.number == first.c.place.op("&")(literal(LAST_REVISION)),
        ),
    )
    with as_stored():
        return [(row[0], row[1], row[2]) for row in session.execute(query)]


def index(session: Session, texts: Sequence[search.IndexedText]) -> None:
    """Put those of the texts that still wait into the index, in the session's transaction."""
    _configure(session, _WHILE_MANY_WAIT)
    still: list[search.IndexedText] = []
    for start in range(0, len(texts), 500):
        part = texts[start : start + 500]
        chosen = SEARCH_PENDING.c.place.in_([text.place for text in part])
        gone = delete(SEARCH_PENDING).where(chosen).returning(SEARCH_PENDING.c.place)
        taken = set(session.execute(gone).scalars())
        still += [text for text in part if text.place in taken]
    search.write_texts(session, still)


def is_crowded(session: Session) -> bool:
    """Whether the index has so many parts that some are to be merged before more are written."""
    return any(_parts(session, name) > _MOST_PARTS for name in _INDEXES)


def thin_out(session: Session) -> None:
    """Merge some of the parts of a crowded index, in the session's transaction."""
    for name in _INDEXES:
        if _parts(session, name) > _MOST_PARTS:
            _set(session, name, "merge", _MERGED)


def _parts(session: Session, index: str) -> int:
    """How many parts an index has: each is looked up by the number of the one before it."""
    following = f"SELECT min(segid) FROM {index}_idx WHERE segid >"  # noqa: S608 (names of our own)
    query = (
        f"WITH RECURSIVE part(id) AS ({following} 0 UNION ALL "  # noqa: S608 (as above)
        f"SELECT ({following} part.id) FROM part WHERE part.id IS NOT NULL) "
        "SELECT count(id) FROM part"
    )
    return int(session.connection().exec_driver_sql(query).scalar_one())


def is_tidy(session: Session) -> bool:
    """Whether ``tidy`` has nothing to do."""
    if session.dialect.name != "sqlite":
        return True
    return _settings(session, _INDEXES[0]).get("automerge") != _WHILE_MANY_WAIT["automerge"]


def tidy(session: Session) -> bool:
    """Merge some parts of the index, in the session's transaction; False once nothing waits and
    there are no more to merge than a search or a later writer does not notice."""
    if is_tidy(session):
        return False
    for name in _INDEXES:
        if _parts(session, name) <= _FEW_PARTS:
            continue
        before = _changes(session)
        _set(session, name, "merge", _MERGED)
        if _changes(session) - before > 1:
            return True
    _configure(session, _USUAL)
    return False


def _changes(session: Session) -> int:
    connection: Any = session.connection().connection.driver_connection
    return int(connection.total_changes)


def _settings(session: Session, index: str) -> dict[str, int]:
    rows = session.connection().exec_driver_sql(f"SELECT k, v FROM {index}_config").all()  # noqa: S608 (names of our own)
    return {row[0]: row[1] for row in rows}


def _configure(session: Session, settings: dict[str, int]) -> None:
    for name in _INDEXES:
        known = _settings(session, name)
        for key, value in settings.items():
            if known.get(key) != value:
                _set(session, name, key, value)


def _set(session: Session, index: str, key: str, value: int) -> None:
    statement = f"INSERT INTO {index} ({index}, rank) VALUES (?, ?)"  # noqa: S608 (names of our own)
    session.connection().exec_driver_sql(statement, (key, value))
