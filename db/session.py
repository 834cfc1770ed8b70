"""A session: the statements of one use case, on one connection, in one transaction."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain, islice
from types import TracebackType
from typing import Any, TypeVarTuple, overload

from sqlalchemy import Boolean, Connection, CursorResult, Dialect, Engine, Executable, Table, insert
from sqlalchemy.sql.selectable import TypedReturnsRows

from db.schema.column_types import Json, UtcDateTime
from db.schema.json_text import write_json, write_payload

_AT_ONCE = 5000  # rows
_IN_ONE = 25  # of a statement: what its triggers may have to take back is kept once for all of them

Row = TypeVarTuple("Row")
Values = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None


class Session:
    """Statements on one connection, which it takes from the engine with the first of them.

    ``info`` holds what the functions of ``db`` must know until the commit. Leaving it rolls back
    what was not committed and gives a connection that it took back.
    """

    def __init__(self, bind: Engine | Connection) -> None:
        self.info: dict[str, Any] = {}
        self._bind = bind
        self._connection = bind if isinstance(bind, Connection) else None

    def __enter__(self) -> "Session":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._connection is not None and self._connection is not self._bind:
            self._connection.close()
            self._connection = None

    def get_bind(self) -> Engine | Connection:
        """What it was made with; its ``dialect`` says which database this is."""
        return self._bind

    @property
    def dialect(self) -> Dialect:
        """The database's dialect; its ``name`` is ``sqlite`` or ``postgresql``."""
        return self._bind.dialect

    def connection(self, execution_options: Mapping[str, Any] | None = None) -> Connection:
        """The connection; options count where this is the first that is asked of it."""
        if self._connection is None:
            assert isinstance(self._bind, Engine)
            self._connection = self._bind.connect()
            if execution_options:
                self._connection.execution_options(**execution_options)
        return self._connection

    @overload
    def execute(
        self, statement: TypedReturnsRows[*Row], values: Values = None
    ) -> CursorResult[*Row]: ...

    @overload
    def execute(
        self, statement: Executable, values: Values = None
    ) -> CursorResult[*tuple[Any, ...]]: ...

    def execute(
        self, statement: Executable, values: Values = None
    ) -> CursorResult[*tuple[Any, ...]]:
        """Run a statement once, or once for each of the values."""
        return self.connection().execute(statement, values)

    def add_rows(
        self,
        table: Table,
        names: Sequence[str],
        rows: Iterable[Sequence[Any]],
        seen: Callable[[Sequence[Sequence[Any]]], None] | None = None,
    ) -> None:
        """Write many rows, each with the values of the named columns; the others stay empty.

        SQLite takes them without SQLAlchemy looking at each value, in a quarter of the time; there
        ``seen`` is given the rows as they are kept, some thousands at a time.
        """
        sqlite = self.dialect.name == "sqlite"
        stored = [_as_stored(table, name) if sqlite else None for name in names]
        columns, places = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
        statement = f'INSERT INTO "{table.name}" ({columns}) VALUES '  # noqa: S608 (names of our own)
        waiting = iter(rows)
        while part := list(islice(waiting, _AT_ONCE)):
            if not sqlite:
                self.execute(insert(table), [dict(zip(names, row, strict=True)) for row in part])
                continue
            ready = _as_kept(part, stored) if any(stored) else part
            whole = len(ready) // _IN_ONE * _IN_ONE
            for size, some in ((_IN_ONE, ready[:whole]), (1, ready[whole:])):
                flat = [tuple(chain.from_iterable(some[at : at + size]))
                        for at in range(0, len(some), size)]  # fmt: skip
                if flat:
                    written = statement + ", ".join([f"({places})"] * size)
                    self.connection().exec_driver_sql(written, flat)
            if seen is not None:
                seen(ready)

    def commit(self) -> None:
        """Keep what was written."""
        if self._connection is not None:
            self._connection.commit()

    def rollback(self) -> None:
        """Undo what was not committed."""
        if self._connection is not None:
            self._connection.rollback()


def _as_kept(
    rows: Sequence[Sequence[Any]], stored: Sequence[Callable[[Any], Any] | None]
) -> list[tuple[Any, ...]]:
    """Rows with what SQLite keeps of their values; column by column, for most stay as they are."""
    columns = zip(stored, zip(*rows, strict=True), strict=True)
    kept = [values if change is None else map(change, values) for change, values in columns]
    return list(zip(*kept, strict=True))


def _as_stored(table: Table, name: str) -> Callable[[Any], Any] | None:
    """What makes of a column's value what SQLite keeps; None where it keeps the value."""
    kind = table.c[name].type
    if isinstance(kind, Json):
        return write_payload if name == "payload" else write_json
    if isinstance(kind, Boolean):
        return _flag
    return _time if isinstance(kind, UtcDateTime) else None


def _flag(value: bool | None) -> int | None:
    return None if value is None else int(value)


@lru_cache(maxsize=16)
def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
