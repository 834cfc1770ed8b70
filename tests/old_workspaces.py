"""Workspaces as earlier versions of the program wrote them."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import text

from db import engine
from db.engine import Store, sqlite_url

_AT = "'2026-01-01 00:00:00'"
_ROWS = (
    "INSERT INTO benchmark VALUES (1, 'b', '2026-01-01')",
    "INSERT INTO task (id, benchmark_id, name, family, format, domain, round, profile, at) "
    f"VALUES (1, 1, 't', 'instruction', '', '', 1, '{{}}', {_AT})",
    "INSERT INTO item (id, benchmark_id, task_id, family, format, domain, label, state, revision, "
    "content_hash, open_slots, taken, disputed, barred, round, at, changed_at) VALUES "
    f"(1, 1, 1, 'instruction', '', '', '', 'draft', 1, 'h', 0, 0, 0, '', 1, {_AT}, {_AT})",
    "INSERT INTO revision (item_id, number, content_hash, payload, provenance, defects, note, at) "
    f"VALUES (1, 1, 'h', :payload, '{{}}', '[]', '', {_AT})",
)


def first_schema(path: Path) -> None:
    """A database at the first schema, with one item whose text is ``旋律``."""
    store = Store(sqlite_url(path))
    config = Config()
    config.set_main_option("script_location", str(Path(engine.__file__).parent / "migrations"))
    with store.engine.connect().execution_options(writes=True) as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        for row in _ROWS:
            values = {"payload": '{"input": "旋律"}'} if ":payload" in row else {}
            connection.execute(text(row), values)
    store.close()
