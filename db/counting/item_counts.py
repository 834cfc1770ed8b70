"""How many items there are, by what screens ask for: kept on SQLite, counted on a server.

Counting a million rows takes a quarter of a second, and a window asks at every look. In a SQLite
file ``item_count`` has a row for each combination of ``KEY`` that items have; triggers keep it, so
that no way of writing an item passes it by. A server counts: one row for all that its clients
change would have them wait for one another, and would tell of items that somebody must not see.
Items that an import still hides are counted there like others and taken off again here.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, func, not_, select, text

from db.importing.pending_imports import is_shown
from db.session import Session
from db.tables import ITEM

KEY = (
    "benchmark_id", "task_id", "state", "format", "domain", "label", "is_open", "is_free",
)  # fmt: skip
"""What items are counted by. ``is_open``: somebody more may review it; ``is_free``: it is in no lot
and not barred."""
_VALUES = {name: f"{{row}}{name}" for name in KEY} | {
    "is_open": "{row}taken < {row}open_slots",
    "is_free": "{row}lot_id IS NULL AND {row}barred = ''",
}
_READ = "benchmark_id, task_id, state, format, domain, label, open_slots, taken, lot_id, barred"
_TABLE = """
CREATE TABLE item_count (
    benchmark_id INTEGER NOT NULL,
    task_id INTEGER NOT NULL,
    state VARCHAR NOT NULL,
    format VARCHAR NOT NULL,
    domain VARCHAR NOT NULL,
    label VARCHAR NOT NULL,
    is_open INTEGER NOT NULL,
    is_free INTEGER NOT NULL,
    items INTEGER NOT NULL,
    PRIMARY KEY (benchmark_id, task_id, state, format, domain, label, is_open, is_free)
) WITHOUT ROWID
"""
# its few ranges first, each of which is then looked up among the items
_HIDDEN = (
    "SELECT {values}, -1 AS items FROM pending_import CROSS JOIN item "
    "ON item.id BETWEEN pending_import.first AND pending_import.last"
)


class CountDifference(NamedTuple):
    """A combination of ``KEY`` of which not as many items are there as are kept."""

    key: tuple[Any, ...]
    kept: int
    there: int


def are_kept(session: Session) -> bool:
    """Whether this database keeps them: asking for them then costs next to nothing."""
    return session.dialect.name == "sqlite"


def counted(session: Session, by: Sequence[str], **wanted: Any) -> list[tuple[Any, ...]]:
    """The values of some columns of ``KEY`` with how many items that are shown have them, of those
    alone whose columns have ``wanted`` values; in no order."""
    if not are_kept(session):
        return _counted_there(session, by, wanted)
    names, read = ", ".join(by), dict.fromkeys((*by, *wanted))
    where = " AND ".join(f"{name} = :{name}" for name in wanted) or "1"
    hidden = _HIDDEN.format(
        values=", ".join(f"{_value(name, 'item.')} AS {name}" for name in read) or "1"
    )
    kept = f"SELECT {', '.join(read) or '1'}, items FROM item_count WHERE {where}"  # noqa: S608 (names of our own)
    query = (
        f"SELECT {names}{', ' * bool(by)}sum(items) FROM ({kept} UNION ALL "  # noqa: S608 (as above)
        f"SELECT * FROM ({hidden}) WHERE {where}){' GROUP BY ' * bool(by)}{names}"
    )
    # one row that says nothing where there is none and nothing it is counted by
    return [tuple(row) for row in session.execute(text(query), wanted) if row[-1]]


def _counted_there(
    session: Session, by: Sequence[str], wanted: Mapping[str, Any]
) -> list[tuple[Any, ...]]:
    columns = [_column(name) for name in by]
    narrowed = [_has(name, value) for name, value in wanted.items()]
    query = select(*columns, func.count()).where(*narrowed, is_shown()).group_by(*columns)
    return [tuple(row) for row in session.execute(query)]


def total(session: Session, **wanted: Any) -> int:
    """How many items that are shown have some values."""
    rows = counted(session, (), **wanted)
    return int(rows[0][0]) if rows else 0


def differences(session: Session) -> list[CountDifference]:
    """Where what is kept in a SQLite file is not what its items come to, read in one pass; nothing
    where the table is gone, which is a difference of the database itself."""
    if not are_kept(session) or not _is_there(session):
        return []
    names = ", ".join(KEY)
    query = text(
        f"SELECT {names}, sum(kept), sum(there) FROM ("  # noqa: S608 (names of our own)
        f"SELECT {names}, items AS kept, 0 AS there FROM item_count UNION ALL "
        f"SELECT {_values()}, 0, count(*) FROM item GROUP BY {_places()}) "
        f"GROUP BY {_places()} HAVING sum(kept) <> sum(there)"
    )
    rows = session.execute(query)
    return [CountDifference(tuple(row[:-2]), row[-2], row[-1]) for row in rows]


def _is_there(session: Session) -> bool:
    found = text("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'item_count'")
    return session.execute(found).first() is not None


def keep_counts() -> Iterator[str]:
    """The statements that make the table and its triggers in a SQLite file and fill it."""
    yield _TABLE.strip()
    into = "INSERT INTO item_count VALUES ({key}, 1) ON CONFLICT DO UPDATE SET items = items + 1"
    one_more = into.format(key=_values("NEW."))
    old = " AND ".join(f"{name} = {_value(name, 'OLD.')}" for name in KEY)
    # none is left at nought: what an item was called may be told by nothing once it is sealed
    one_less = (
        f"UPDATE item_count SET items = items - 1 WHERE {old}; "  # noqa: S608 (names of our own)
        f"DELETE FROM item_count WHERE {old} AND items = 0"
    )
    yield f"CREATE TRIGGER item_counted_in AFTER INSERT ON item BEGIN {one_more}; END"
    yield (
        f"CREATE TRIGGER item_counted_on AFTER UPDATE OF {_READ} ON item "
        f"WHEN ({_values('OLD.')}) IS NOT ({_values('NEW.')}) "
        f"BEGIN {one_less}; {one_more}; END"
    )
    yield f"CREATE TRIGGER item_counted_out AFTER DELETE ON item BEGIN {one_less}; END"
    yield _fill()


def _fill() -> str:
    return (
        f"INSERT INTO item_count SELECT {_values()}, count(*) FROM item "  # noqa: S608 (names of our own)
        f"GROUP BY {_places()}"
    )


def _values(row: str = "") -> str:
    """The values of ``KEY`` of a row of items."""
    return ", ".join(_value(name, row) for name in KEY)


def _value(name: str, row: str) -> str:
    return f"({_VALUES[name].format(row=row)})"


def _places() -> str:
    return ", ".join(str(1 + place) for place in range(len(KEY)))


def _column(name: str) -> ColumnElement[Any]:
    if name == "is_open":
        return ITEM.c.taken < ITEM.c.open_slots
    if name == "is_free":
        return and_(ITEM.c.lot_id.is_(None), ITEM.c.barred == "")
    return ITEM.c[name]


def _has(name: str, value: Any) -> ColumnElement[bool]:
    """Whether an item has a value; of two values as an index spells it."""
    column = _column(name)
    if name in ("is_open", "is_free"):
        return column if value else not_(column)
    same: ColumnElement[bool] = column == value
    return same
