"""What an older program can still read of a workspace that a newer one has written, and what of
the schema is not there at all."""

from collections.abc import Iterator

from sqlalchemy import Connection, inspect

from db.tables import METADATA


def lacking(connection: Connection) -> Iterator[str]:
    """The tables and columns of ours that a database does not have; new ones do no harm."""
    inspector = inspect(connection)
    tables = set(inspector.get_table_names())
    for table in METADATA.sorted_tables:
        if table.name not in tables:
            yield f"no table {table.name}"
            continue
        there = {column["name"] for column in inspector.get_columns(table.name)}
        yield from (f"no column {one}" for one in table.columns if one.name not in there)


def can_be_read(connection: Connection) -> bool:
    """Whether everything that we read is still there."""
    return not any(lacking(connection))
