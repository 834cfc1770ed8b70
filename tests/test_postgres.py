"""The private PostgreSQL of the tests: migrated once, copied for each test, dropped after it."""

import os
from pathlib import Path

import psycopg
import pytest

from tests.postgres import PostgresServer, in_memory


def tables(url: str) -> set[str]:
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', "
            "'information_schema')"
        ).fetchall()
    return {name for (name,) in rows}


def test_a_database_is_at_the_newest_schema(pg_url: str) -> None:
    assert "alembic_version" in tables(pg_url)


@pytest.mark.parametrize("turn", [1, 2])
def test_no_test_sees_what_another_wrote(pg_empty_url: str, turn: int) -> None:
    assert not tables(pg_empty_url)
    with psycopg.connect(pg_empty_url) as connection:
        connection.execute("CREATE TABLE left_behind (id int)")
    assert tables(pg_empty_url) == {"left_behind"}


def test_another_role_can_sign_in(pg_server: PostgresServer, pg_empty_url: str) -> None:
    database = pg_empty_url.partition("?")[0].rpartition("/")[2]
    pg_server.execute("CREATE ROLE reader LOGIN")
    try:
        with psycopg.connect(pg_server.url(database, "reader", "p@ss/word")) as connection:
            assert connection.execute("SELECT current_user").fetchone() == ("reader",)
    finally:
        pg_server.execute("DROP ROLE reader")


def test_chinese_text_is_stored_and_lowered(pg_empty_url: str) -> None:
    with psycopg.connect(pg_empty_url) as connection:
        assert connection.execute("SELECT lower('É审核'), length('审核')").fetchone() == (
            "é审核",
            2,
        )


def test_a_folder_in_memory_goes_and_takes_those_of_killed_tests_along(tmp_path: Path) -> None:
    left, alive = tmp_path / f"bpgm-{2**31 - 1}-left", tmp_path / f"bpgm-{os.getpid()}-alive"
    for folder in (left, alive):
        folder.mkdir()
        (folder / "base").write_text("rows")
    with in_memory(tmp_path, 0) as made:
        assert made is not None
        assert sorted(tmp_path.iterdir()) == sorted([alive, made])
    assert list(tmp_path.iterdir()) == [alive]


def test_where_there_is_no_room_the_databases_stay_on_the_disk(tmp_path: Path) -> None:
    with in_memory(tmp_path, 1 << 60) as made:
        assert made is None
