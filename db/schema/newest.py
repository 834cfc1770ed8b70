"""The tables of a new SQLite file, by the statements that its migrations come to.

To find these out takes Alembic twenty times as long as it takes SQLite to carry them out.
``packaging/tables.py update`` writes them, from a file that the migrations made.
"""

from pathlib import Path

from sqlalchemy import Connection

STATEMENTS = Path(__file__).parent.parent / "migrations" / "newest.sql"
BETWEEN = ";\n\n"  # what no statement has in it


def is_empty(connection: Connection) -> bool:
    """Whether a SQLite database has no table yet."""
    return not connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar()


def make_tables(connection: Connection) -> None:
    """Bring an empty SQLite database to the newest schema, in the connection's transaction."""
    for statement in STATEMENTS.read_text(encoding="utf-8").removesuffix(BETWEEN).split(BETWEEN):
        connection.exec_driver_sql(statement)
