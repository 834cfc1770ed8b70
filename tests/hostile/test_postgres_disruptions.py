"""PostgreSQL that dies while people decide: no acknowledged decision is lost, and the program goes
on, or says in one sentence that the server does not answer.

The server is one of its own that flushes what it commits, as a team's does.
"""

import os
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from core.errors import BenchsealError
from core.workflow import people
from core.workflow.check import review
from core.workflow.workspace import Workspace
from tests.hostile.attackers.children import Child, Say, Work
from tests.hostile.attackers.deciding import lost
from tests.hostile.conftest import Attack
from tests.polling import becomes_true, until
from tests.postgres import OwnServer, own_server
from tests.tampering import without_logins
from tests.workspaces import BENCHMARK, make_task, write_items

SAFE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
WRITERS = 2

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    with own_server(SAFE) as started:
        yield started


@pytest.fixture
def location(server: OwnServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A workspace with items to decide on, in a database of its own."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    url = server.url(server.create())
    ws = without_logins(url)
    make_task(ws, overlap=1)
    write_items(ws, 2_000)  # more than are decided in all rounds
    ws.close()
    return url


@pytest.fixture(params=["names", "logins"])
def seats(request: pytest.FixtureRequest, location: str, server: OwnServer) -> Callable[[str], str]:
    """Where each person works: all at one address, or each under a login of their own, for whom the
    server does each step in one statement."""
    if request.param == "names":
        return lambda _person: location
    Workspace.secured(location, "boss", "boss").close()
    database = location.rpartition("/")[2].partition("?")[0]
    boss = Workspace.open(server.url(database, "boss"))
    for number in range(WRITERS):
        people.ensure_person(boss, f"person-{number}", "annotator")
    boss.close()
    return lambda person: server.url(database, person)


def going_on(location: str, person: str) -> Work:
    """A reviewer who tries again, with the same open workspace, whatever the program answers."""

    def work(say: Say) -> None:
        ws = Workspace.open(location)
        refusals: set[str] = set()

        def answered() -> bool:
            try:
                card = review.next_card(ws, person, BENCHMARK)
                assert card is not None, "nothing is left to decide"
                say(["decided", review.decide(ws, person, card.number, "accept").number])
            except BenchsealError as error:
                if str(error) not in refusals:
                    refusals.add(str(error))
                    say(["refused", str(error)])
                return False
            return True

        while True:
            until(answered)

    return work


def a_backend_is_killed(server: OwnServer, rng: random.Random) -> None:
    """SIGKILL for one session: the server ends all others too, and recovers by itself."""
    with psycopg.connect(server.base) as connection:
        rows = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname LIKE 'test%'"
        ).fetchall()
    if rows:
        os.kill(rng.choice(rows)[0], signal.SIGKILL)


def all_sessions_are_ended(server: OwnServer, _: random.Random) -> None:
    """What an administrator does."""
    server.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test%'"
    )


def the_server_is_killed(server: OwnServer, _: random.Random) -> None:
    """SIGKILL for all its processes, and a start that recovers."""
    server.kill()
    server.start()


@pytest.mark.parametrize(
    "disrupt",
    [a_backend_is_killed, all_sessions_are_ended, the_server_is_killed],
    ids=lambda disrupt: disrupt.__name__,
)
def test_no_acknowledged_decision_is_lost(
    server: OwnServer,
    seats: Callable[[str], str],
    disrupt: Callable[[OwnServer, random.Random], None],
    attack: Callable[[str], Attack],
) -> None:
    row = attack(f"PostgreSQL: {disrupt.__name__.replace('_', ' ')}")
    rng = random.Random(7)
    acknowledged: set[tuple[str, int]] = set()
    for _ in range(7):
        names = [f"person-{number}" for number in range(WRITERS)]
        children = [Child(going_on(seats(name), name)) for name in names]
        for child in children:
            child.hear(2, 60)
        children[0].hear(seconds=rng.uniform(0.0, 0.03))
        disrupt(server, rng)
        faults: list[str] = []
        for place, child in enumerate(children):
            # it works again, with the workspace that was open all the time
            since = len(child.hear())
            worked = becomes_true(
                lambda child=child, since=since: any(
                    kind == "decided" for kind, _ in child.hear(seconds=0.05)[since + 1 :]
                )
            )
            said = child.kill()
            if not worked:
                faults.append(f"does not work again: {said[-1]}")
            acknowledged |= {(f"person-{place}", n) for kind, n in said if kind == "decided"}
            faults += [str(text) for kind, text in said if kind == "refused" and "\n" in text]
        ws = Workspace.open(seats("boss"))
        faults += lost(ws, acknowledged)
        ws.close()
        row.tried("; ".join(faults))
    row.note = f"{len(acknowledged)} acknowledged"
