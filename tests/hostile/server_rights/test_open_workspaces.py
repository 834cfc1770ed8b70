"""What whoever administers a server does under a workspace that is open: one sentence each, the
exit code 3, and no decision that is lost for it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from core.errors import BenchsealError, StandsAlreadyError
from core.workflow import people
from core.workflow.check import review
from core.workflow.check.outbox import KeptDecision, Outbox
from core.workflow.workspace import Workspace
from tests.postgres import PostgresServer
from tests.workspaces import BENCHMARK, make_task, write_items

LOGIN = "zed"
END = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{LOGIN}'"
RUNGS = (
    "SELECT g.rolname FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid "
    f"JOIN pg_roles r ON r.oid = m.member WHERE r.rolname = '{LOGIN}'"
)


@dataclass(frozen=True)
class Open:
    """A reviewer's workspace that is open, with an item in hand, and its server."""

    server: PostgresServer
    database: str
    ws: Workspace
    number: int

    def administer(self, *statements: str) -> None:
        """Do something as the superuser."""
        with psycopg.connect(self.server.url(self.database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(sql.SQL(statement))

    def rungs(self) -> list[str]:
        """The groups that the reviewer's login is a member of."""
        with psycopg.connect(self.server.url(self.database)) as connection:
            return [row[0] for row in connection.execute(RUNGS)]

    def everything(self) -> Iterator[Callable[[], object]]:
        """What a window does, first a step and last the next start."""
        ws = self.ws
        yield lambda: review.next_card(ws, LOGIN, BENCHMARK, leave_out=(self.number,))
        yield lambda: review.decide(ws, LOGIN, self.number, "accept")
        yield lambda: review.queue(ws, LOGIN, BENCHMARK)
        yield lambda: review.skip(ws, LOGIN, self.number, "too long")
        yield lambda: ws.listen().close()
        yield lambda: Workspace.open(self.server.url(self.database, LOGIN)).close()


@pytest.fixture
def opened(
    pg_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Open]:
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    database = pg_server.create()
    with ExitStack() as stack:
        stack.callback(pg_server.execute, f"DROP ROLE IF EXISTS {LOGIN}")
        stack.callback(pg_server.drop, database)
        Workspace.create(pg_server.url(database), "boss", "boss").close()
        boss = Workspace.open(pg_server.url(database, "boss"))
        stack.callback(boss.close)
        people.ensure_person(boss, LOGIN, "annotator")
        make_task(boss, overlap=2)
        write_items(boss, 3, author="boss")
        ws = Workspace.open(pg_server.url(database, LOGIN))
        stack.callback(ws.close)
        card = review.next_card(ws, LOGIN, BENCHMARK)
        assert card is not None
        yield Open(pg_server, database, ws, card.number)


def disabled(at: Open) -> None:
    boss = Workspace.open(at.server.url(at.database, "boss"))
    people.set_active(boss, LOGIN, False, "boss")
    boss.close()


def login_dropped(at: Open) -> None:
    at.administer(f"DROP ROLE {LOGIN}")


def membership_revoked(at: Open) -> None:
    at.administer(*(f'REVOKE "{rung}" FROM {LOGIN}' for rung in at.rungs()))


def tables_out_of_sight(at: Open) -> None:
    at.administer(f"ALTER ROLE {LOGIN} SET search_path = pg_catalog", END)


def functions_gone(at: Open) -> None:
    at.administer("DROP SCHEMA benchseal CASCADE")


def read_only(at: Open) -> None:
    at.administer(f'ALTER DATABASE "{at.database}" SET default_transaction_read_only = on', END)


def no_connection_left(at: Open) -> None:
    at.administer(f"ALTER ROLE {LOGIN} CONNECTION LIMIT 0", END)


def database_renamed(at: Open) -> None:
    name = at.database
    end = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    at.server.execute(end)
    at.server.execute(f'ALTER DATABASE "{name}" RENAME TO "{name}_elsewhere"')


def ends_who_rests(at: Open) -> None:
    at.administer(f"ALTER ROLE {LOGIN} SET idle_session_timeout = '1ms'", END)


TROUBLES = {
    disabled: ("no role", "closed"),
    login_dropped: ("no role",),
    membership_revoked: ("no role",),
    tables_out_of_sight: ("does not find", "does not answer"),
    functions_gone: ("brought up to date", "no role"),
    read_only: ("accepts no changes", "does not answer"),
    no_connection_left: ("as many connections", "does not answer"),
    database_renamed: ("no database", "does not answer"),
    ends_who_rests: ("does not answer",),
}


def refusal(deed: Callable[[], object]) -> BenchsealError | None:
    """Why something was not done; None where it was, or where it needs no doing."""
    try:
        deed()
    except StandsAlreadyError:  # written before the connection was ended
        return None
    except BenchsealError as error:
        return None if "is not assigned" in str(error) else error
    return None


@pytest.mark.parametrize("act", TROUBLES, ids=lambda act: act.__name__)
def test_what_an_administrator_does_is_said_in_one_sentence(
    opened: Open, act: Callable[[Open], None]
) -> None:
    act(opened)
    said = [error for deed in opened.everything() if (error := refusal(deed)) is not None]
    for error in said:
        assert error.exit_code == 3, error
        assert "\n" not in str(error)
        assert any(words in str(error) for words in TROUBLES[act]), error
    if act is not ends_who_rests:  # whoever goes on at once is never ended
        assert said
    if act is database_renamed:
        opened.server.execute(
            f'ALTER DATABASE "{opened.database}_elsewhere" RENAME TO "{opened.database}"'
        )


@pytest.mark.parametrize("act", [disabled, membership_revoked, read_only, no_connection_left])
def test_a_decision_that_the_server_cannot_take_now_waits(
    opened: Open, act: Callable[[Open], None]
) -> None:
    outbox = Outbox(opened.ws, LOGIN)
    act(opened)
    assert isinstance(outbox.decide(opened.number, "accept"), KeptDecision)
    assert [kept.number for kept in outbox.send().waiting] == [opened.number]
