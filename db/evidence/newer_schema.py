"""What an older program can still read of a workspace that a newer one has written."""

from sqlalchemy import Connection, inspect

from db.tables import METADATA


def can_be_read(connection: Connection) -> bool:
    """Whether every column that we read is still there; new tables and columns do no harm."""
    inspector = inspect(connection)
    tables = set(inspector.get_table_names())
    return all(
        table.name in tables
        and {column.name for column in table.columns}
        <= {column["name"] for column in inspector.get_columns(table.name)}
        for table in METADATA.sorted_tables
    )
