"""What is wrong with a SQLite database, looked for once something in it could not be read."""

from collections.abc import Iterator

from sqlalchemy import Boolean, Connection, Integer, String, Table, text
from sqlalchemy.exc import DBAPIError

from db.engine import Store
from db.evidence import newer_schema
from db.schema.column_types import Json, UtcDateTime
from db.tables import METADATA


def damage(store: Store) -> str:
    """The first fault of the database in the database's own words; empty where none is found.

    Looks at pages, tables, references, and whether each cell holds what its column is for. Takes
    as long as reading the whole file.
    """
    if not store.is_sqlite:
        return ""
    try:
        with store.engine.connect() as connection:
            return next(_faults(connection), "")
    except DBAPIError as error:
        return str(error.orig)
    except UnicodeDecodeError as error:
        # what is malformed is not a text, and SQLite repeats it
        return error.object.decode("utf-8", "replace")


def _faults(connection: Connection) -> Iterator[str]:
    state = connection.execute(text("PRAGMA quick_check(1)")).scalar()
    if state != "ok":
        yield str(state)
    yield from newer_schema.lacking(connection)
    for table in METADATA.sorted_tables:  # all of them are there
        yield from _cells(connection, table)
    for row in connection.execute(text("PRAGMA foreign_key_check")):
        yield f"a row of {row[0]} belongs to a missing row of {row[2]}"


def _cells(connection: Connection, table: Table) -> Iterator[str]:
    for column in table.columns:
        name = f'"{table.name}"."{column.name}"'
        wrong = []
        if not column.nullable:
            wrong.append(f"{name} IS NULL")
        if isinstance(column.type, Integer | Boolean):
            wrong.append(f"typeof({name}) NOT IN ('integer', 'null')")
        elif isinstance(column.type, UtcDateTime):
            wrong.append(f"({name} IS NOT NULL AND julianday({name}) IS NULL)")
        elif isinstance(column.type, Json):
            wrong.append(f"({name} IS NOT NULL AND NOT json_valid({name}))")
        elif isinstance(column.type, String):
            wrong.append(f"typeof({name}) NOT IN ('text', 'null')")
        if not wrong:
            continue
        # the names are those of our own tables, never of somebody else
        query = f'SELECT rowid FROM "{table.name}" WHERE {" OR ".join(wrong)} LIMIT 1'  # noqa: S608 (names of our own)
        row = connection.execute(text(query)).first()
        if row is not None:
            yield f"{table.name}.{column.name} of row {row[0]}"
