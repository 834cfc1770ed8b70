"""The workspaces of the tests of the workflow for tests of what lies below it, and bare stores."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from db.engine import Store, sqlite_url
from tests.core.conftest import (
    location,
    place,
    postgres_template,
    sqlite_template,
    sqlite_ws,
    ws,
)

__all__ = ["location", "place", "postgres_template", "sqlite_template", "sqlite_ws", "ws"]


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An open store of each kind at the newest schema."""
    if request.param == "sqlite":
        opened = Store.create(sqlite_url(tmp_path / "a.db"))
    else:
        opened = Store.open(request.getfixturevalue("pg_url"))
    yield opened
    opened.close()
