"""What keeps somebody from a team's server: one sentence each, and the exit code 3."""

import io
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from core.cli import main
from core.workflow.workspace import Workspace
from tests.servers.older_server import older_server
from tests.servers.strict_server import ELSEWHERE, PASSWORD, StrictServer

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command on a workspace; returns the exit code and the complaint."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))

    def call(address: str, *words: str, password: str = PASSWORD) -> tuple[int, str]:
        monkeypatch.setenv("PGPASSWORD", password)
        code = main(["--workspace", address, *(words or ("workspace",))])
        return code, capsys.readouterr().err

    return call


def told(outcome: tuple[int, str], words: str) -> None:
    """One sentence with these words, and the exit code of something outside."""
    code, said = outcome
    assert code == 3, said
    assert words in said
    assert said.count("\n") == 1
    assert PASSWORD not in said
    assert "Traceback" not in said


@contextmanager
def server_without_tls() -> Iterator[int]:
    """Something that answers the question for TLS with no; its port."""
    with socket.create_server((ELSEWHERE, 0)) as door:

        def answer() -> None:
            while True:
                try:
                    caller, _ = door.accept()
                except OSError:
                    return
                with caller:
                    caller.recv(8)
                    caller.sendall(b"N")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        try:
            yield door.getsockname()[1]
        finally:
            door.shutdown(socket.SHUT_RDWR)
            thread.join(5)


def test_the_right_password_opens_it_here_and_over_tls(run: Run, strict_server: StrictServer):
    for host in ("127.0.0.1", ELSEWHERE):
        assert run(strict_server.address("wu", host)) == (0, "")


def test_each_trouble_with_signing_in_has_its_sentence(
    run: Run, strict_server: StrictServer, outside_attempts: list[str]
):
    here = strict_server.address
    told(run(here("wu"), password="something else"), "does not accept this login")
    told(run(here("nobody")), "does not accept this login")
    told(run(here("wu", database="no_such")), "has no database")
    told(run("postgresql://wu@no-such-host.invalid/team"), "No computer has the name")
    told(run("postgresql://wu@127.0.0.1:9/team?connect_timeout=2"), "does not answer")
    told(run(here("wu", ELSEWHERE, trusting=False)), "cannot be trusted")
    with server_without_tls() as port:
        told(run(f"postgresql://wu@{ELSEWHERE}:{port}/team"), "does not offer TLS")


def test_a_password_is_wanted_where_none_is_given(
    run: Run, strict_server: StrictServer, monkeypatch: pytest.MonkeyPatch
):
    told(run(strict_server.address("wu"), password=""), "requires a password")


def test_an_expired_certificate_is_named(run: Run, strict_server: StrictServer):
    strict_server.certify(days=5)
    try:
        told(run(strict_server.address("wu", ELSEWHERE)), "has expired")
    finally:
        strict_server.certify()
    assert run(strict_server.address("wu", ELSEWHERE)) == (0, "")


def test_who_has_left_finds_the_login_closed(run: Run, strict_server: StrictServer):
    ruth = strict_server.address("ruth")
    assert run(ruth, "people", "disable", "wu")[0] == 0
    try:
        told(run(strict_server.address("wu")), "is closed")
    finally:
        assert run(ruth, "people", "enable", "wu")[0] == 0


def test_a_server_that_is_too_old_is_named_and_makes_no_workspace(
    run: Run, strict_server: StrictServer
):
    empty = strict_server.server.create()
    strict_server.server.execute(f"ALTER ROLE postgres PASSWORD '{PASSWORD}'")
    with older_server(strict_server.port, "14.9") as port:
        place = f"127.0.0.1:{port}"
        team = f"postgresql://wu@{place}/{strict_server.database}?sslmode=disable"
        told(run(team), "must be PostgreSQL 15.0 or newer")
        admin = f"postgresql://postgres@{place}/{empty}?sslmode=disable"
        told(run(admin, "init", "--lead", "ruth"), "must be PostgreSQL 15.0 or newer")
    strict_server.server.drop(empty)


def test_a_schema_that_is_too_new(run: Run, pg_url: str, tmp_path: Path):
    with psycopg.connect(pg_url) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.execute("ALTER TABLE run RENAME COLUMN kind TO sort")
    told(run(pg_url), "newer version of Benchseal")
    ws = Workspace.create(tmp_path / "file")
    with ws.writing() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        session.connection().exec_driver_sql("ALTER TABLE run RENAME COLUMN kind TO sort")
    ws.close()
    told(run(str(tmp_path / "file")), "newer version of Benchseal")


def test_a_full_disk_of_the_server_and_of_this_machine(
    run: Run, pg_server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    database = pg_server.create()
    address = pg_server.url(database)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))
    assert run(address, "init", "--lead", "ruth", "--login", "ruth_full")[0] == 0
    with psycopg.connect(address) as connection:
        connection.execute(
            "CREATE FUNCTION public.full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE "
            "EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$"
        )
        connection.execute(
            "CREATE TRIGGER z_full BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION full()"
        )
    place = tmp_path / "one.jsonl"
    place.write_text('{"instruction": "a", "input": "b", "output": "c"}\n', encoding="utf-8")
    ruth = pg_server.url(database, "ruth_full")
    words = ("import", str(place), "--task", "t", "--benchmark", "b", "--family", "instruction",
             "--item-format", "triplet")  # fmt: skip
    told(run(ruth, *words), "is full")
    pg_server.drop(database)
