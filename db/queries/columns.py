"""Tables in bulk, column by column: what a dashboard takes in at once.

A driver hands rows over one by one, and each takes the interpreter for itself: a hundred thousand
of them would cost a third of the second that a first picture has. So SQLite is asked to gather
each column of a batch into one text (a JSON array), which it does beside the interpreter and which
is read in one go; of PostgreSQL the driver's rows are turned into columns.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic_core import from_json
from sqlalchemy import Float, Integer, Select, bindparam, case, cast, func

from db.schema.column_types import Json, UtcDateTime
from db.session import Session

Rows = list[tuple[Any, ...]]
Columns = tuple[Sequence[Any] | npt.NDArray[np.int64] | npt.NDArray[np.datetime64], ...]
"""Plain values, one sequence per field, all of one length."""
Batches = Iterator[Columns]

_MOMENT = "datetime64[us]"
BATCH = 20_000
"""Rows read at once: no step of it holds the window's thread up for longer than a millisecond."""


def batches(session: Session, query: Select[Any], after: int = 0) -> Batches:
    """The columns of a query, the first of which is an id, for one range of ids after another, in
    the order of the ids; only ids above ``after``."""
    if session.connection().dialect.name == "sqlite":
        return _gathered(session, query, after)
    return _turned(session, query, after)


def plain_rows(session: Session, query: Select[Any]) -> Rows:
    """The rows as the driver gives them: on SQLite times are text, which numpy reads at once."""
    connection = session.connection()
    plain = query.compile(connection, compile_kwargs={"literal_binds": True})
    cursor = connection.connection.cursor()
    try:
        cursor.execute(str(plain))
        return list(cursor.fetchall())
    finally:
        cursor.close()


def _turned(session: Session, query: Select[Any], after: int) -> Batches:
    key = query.selected_columns[0]
    ordered = query.where(key > after).order_by(key)
    connection = session.connection()
    plain = ordered.compile(connection, compile_kwargs={"literal_binds": True})
    cursor = connection.connection.cursor()
    try:
        cursor.execute(str(plain))
        while batch := cursor.fetchmany(BATCH):
            yield tuple(zip(*batch, strict=True))
    finally:
        cursor.close()


def _gathered(session: Session, query: Select[Any], after: int) -> Batches:
    columns = tuple(query.selected_columns)
    key = columns[0]
    least = query.with_only_columns(func.min(key)).where(key > bindparam("after"))
    # one lower bound and no other: of two, SQLite would begin at the first that it meets
    part = query.where(key.between(bindparam("first"), bindparam("last")))
    gathered = part.with_only_columns(*[func.json_group_array(_written(one)) for one in columns])
    while (first := session.execute(least, {"after": after}).scalar()) is not None:
        after = first + BATCH - 1  # ids may have wide gaps
        within = {"first": first, "last": after}
        texts = session.execute(gathered, within).one()
        yield _columns(session, texts, part.params(within))


def _columns(session: Session, texts: Sequence[str], part: Select[Any]) -> Columns:
    """The columns of one batch. One pass gathers all of them, so their values stand row by row."""
    columns = tuple(part.selected_columns)
    arrays = [_read(text, one) for text, one in zip(texts, columns, strict=True)]
    if (np.diff(arrays[0]) < 0).any():  # an index was gone through instead of the table
        order = np.argsort(arrays[0])
        arrays = [
            one[order] if isinstance(one, np.ndarray) else [one[row] for row in order.tolist()]
            for one in arrays
        ]
    for place, one in enumerate(columns):
        if isinstance(one.type, Float) and None in arrays[place]:
            ordered = part.with_only_columns(one).order_by(columns[0])
            arrays[place] = [row[0] for row in plain_rows(session, ordered)]
    return tuple(arrays)


def _read(text: str, column: Any) -> Any:
    """A JSON array; numpy reads one of whole numbers alone in half the time, and one of moments in
    a fifth."""
    if isinstance(column.type, Integer) and not column.nullable:
        return np.fromstring(text[1:-1], np.int64, sep=",")
    if isinstance(column.type, UtcDateTime) and (moments := _moments(text)) is not None:
        return moments
    try:
        return from_json(text, cache_strings="all")
    except ValueError:
        return json.loads(text)  # it also reads half a surrogate pair


def _moments(text: str) -> npt.NDArray[np.datetime64] | None:
    """A JSON array of moments as SQLite keeps them, all of one length; None for any other."""
    written = np.frombuffer(text.encode(), np.uint8)[1:]
    cell = len('"2026-08-03 08:00:00.000000",')
    if len(written) % cell:
        return None
    cells = written.reshape(-1, cell)
    if (cells[:, [0, -2]] != ord('"')).any():
        return None
    try:
        return np.ascontiguousarray(cells[:, 1:-2]).view(f"S{cell - 3}").ravel().astype(_MOMENT)
    except ValueError:
        return None


def _written(column: Any) -> Any:
    """A column as SQLite may write it: of floating numbers it writes 15 digits, too few for those
    that are not whole; these are left out here and read as they are. JSON stays JSON."""
    if isinstance(column.type, Float):
        as_integer = cast(column, Integer)
        return case((column == as_integer, as_integer))
    return func.json(column) if isinstance(column.type, Json) else column
