"""New workspaces of the tests get their schema by the statements of the migrations that ran first.

Alembic takes ten times as long to find the statements as SQLite takes to carry them out, and tests
make some thousand workspaces.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Connection


class Recorded:
    """Runs ``migrate`` on the first empty SQLite database, and on later ones what it executed;
    every other database is left to ``migrate``."""

    def __init__(self, migrate: Callable[[Connection], None]) -> None:
        self._migrate = migrate
        self._statements: list[tuple[str, Any]] = []

    def __call__(self, connection: Connection) -> None:
        """Bring the connection's database to the newest schema, in its own transaction."""
        if connection.dialect.name != "sqlite" or not _is_empty(connection):
            self._migrate(connection)
        elif self._statements:
            for statement, parameters in self._statements:
                connection.exec_driver_sql(statement, parameters)
        else:
            self._statements = self._executed(connection)

    def _executed(self, connection: Connection) -> list[tuple[str, Any]]:
        seen = []

        def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
            if not statement.lstrip().startswith(("SELECT", "PRAGMA")):  # which only look
                seen.append((statement, parameters))

        event.listen(connection, "before_cursor_execute", note)
        try:
            self._migrate(connection)
        finally:
            event.remove(connection, "before_cursor_execute", note)
        return seen


def _is_empty(connection: Connection) -> bool:
    return not connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar()


@pytest.fixture(autouse=True, scope="session")
def _recorded_schema() -> Iterator[None]:
    """The migrations are looked for once a session."""
    from db import engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "migrate_in", Recorded(engine.migrate_in))
        yield
