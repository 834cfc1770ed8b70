"""Triggers that make history append-only in the database itself.

A migration that rebuilds one of these tables (Alembic's batch mode on SQLite drops the triggers)
must run these statements again for it; a test asks that they are there.
"""

from collections.abc import Iterator

# Table to the operations that are refused on it.
APPEND_ONLY = (
    ("event", ("UPDATE", "DELETE")),
    ("revision", ("UPDATE", "DELETE")),
    ("decision", ("DELETE",)),
    ("rating", ("DELETE",)),
    ("item", ("DELETE",)),
    ("split_item", ("UPDATE", "DELETE")),
)

_PG_FUNCTION = """
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'table % is append-only', TG_TABLE_NAME USING ERRCODE = '42501'; END $$
"""


def trigger_name(table: str, operation: str) -> str:
    """Name of the trigger which refuses an operation on a table."""
    return f"{table}_no_{operation.lower()}"


def append_only(dialect: str) -> Iterator[str]:
    """The statements that make the triggers, for ``sqlite`` or ``postgresql``."""
    if dialect == "postgresql":
        yield _PG_FUNCTION
    for table, operations in APPEND_ONLY:
        for operation in operations:
            name = trigger_name(table, operation)
            if dialect == "postgresql":
                yield (
                    f"CREATE TRIGGER {name} BEFORE {operation} ON {table} "
                    "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
                )
            else:
                yield (
                    f"CREATE TRIGGER {name} BEFORE {operation} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, 'table {table} is append-only'); END"
                )
