"""A team on a server: an empty database that is dropped afterwards, and commands under a login."""

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from tests.e2e.json_keys import only_named_keys
from tests.postgres import PostgresServer

__all__ = ["only_named_keys"]

Call = Callable[..., Any]


@pytest.fixture
def team(
    pg_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], str]]:
    """The address of the team's empty database as one of them has it; dropped afterwards."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    database = pg_server.create()
    yield lambda login: pg_server.url(database, login)
    pg_server.drop(database)


@pytest.fixture
def act(
    team: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    """Run a command as somebody; returns its document, or the complaint where it ends with 1."""

    def call(who: str, *words: object, code: int = 0) -> Any:
        monkeypatch.setattr("sys.stdin", io.StringIO("a long password\n"))
        found = main(["--workspace", team(who), *map(str, words), "--json"])
        out, err = capsys.readouterr()
        assert found == code, f"{who} {words}: {err}"
        return json.loads(out) if code == 0 else err

    return call
