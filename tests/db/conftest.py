"""The workspaces of the tests of the workflow, for tests of what lies below it."""

from tests.core.conftest import location, place, sqlite_template, sqlite_ws, ws

__all__ = ["location", "place", "sqlite_template", "sqlite_ws", "ws"]
