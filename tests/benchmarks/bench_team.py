"""A team on one PostgreSQL over loopback: 8 and 32 reviewers, each a process with its own login.

A step is claiming the next item and deciding on the present one, as Review does, through the
journal that keeps decisions when the server goes away. First everybody goes as fast as they can,
then at the pace of five hundred people of whom each decides every eight seconds: 63 decisions a
second in all. The server commits to the disk. Times of a step are wall times and mean little where
others use the machine; processor time of the clients, of the server and the number of statements
mean more. ``BENCHSEAL_BENCH_CLIENTS`` names other numbers of clients (``8,32``),
``BENCHSEAL_BENCH_SECONDS`` how long each part lasts.
"""

import json
import multiprocessing
import os
import resource
import socket
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection

import psutil
from sqlalchemy import Engine, event

from core.workflow import people
from core.workflow.check import review
from core.workflow.check.outbox import Outbox
from core.workflow.workspace import Workspace
from db import ledger
from db.vocabulary import EventKind
from tests.postgres import OwnServer, own_server
from tests.workload import BENCHMARK, fill

PACE = 63.0
GOAL_MS = 25.0
ITEMS = 3_000
WARM_UP = 10
_STEPS_KEPT = 4_000


@dataclass(frozen=True)
class Worked:
    """What one reviewer did: seconds of each step, processor seconds, statements, and when."""

    steps: list[float]
    processor: float
    statements: int


def main() -> None:
    """Print a row for each number of clients and each pace."""
    counts = [int(n) for n in os.environ.get("BENCHSEAL_BENCH_CLIENTS", "8,32").split(",")]
    seconds = float(os.environ.get("BENCHSEAL_BENCH_SECONDS", "15"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "listen_addresses": "127.0.0.1", "port": str(port), "max_connections": "200",
        "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on",
    }  # fmt: skip
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
    print("clients  pace   a second    p50 ms    p95 ms    p99 ms  worst ms  client CPU ms"
          "  server CPU ms  statements")  # fmt: skip
    with (
        tempfile.TemporaryDirectory(prefix="benchseal-bench-") as folder,
        own_server(settings) as server,
    ):
        os.environ["BENCHSEAL_FOLDER"] = folder
        os.environ["XDG_DATA_HOME"] = folder
        for count in counts:
            for pace in (0.0, PACE):
                _row(server, port, count, pace, seconds)
    print(f"goal at {PACE:g} a second: p95 under {GOAL_MS:g} ms")


def _row(server: OwnServer, port: int, count: int, pace: float, seconds: float) -> None:
    database = server.create()
    names = [f"reviewer{number}" for number in range(count)]
    _lay_out(server, database, names)
    addresses = [f"postgresql://{name}@127.0.0.1:{port}/{database}" for name in names]
    worked, server_seconds = _together(
        list(zip(names, addresses, strict=True)), pace / count, seconds
    )
    ws = Workspace.open(server.url(database, "boss"))
    with ws.reading() as session:
        assert ledger.broken_links(session) == []
        assert len(ledger.of_kind(session, EventKind.DECIDED)) == sum(map(_made, worked))
    ws.close()
    steps = sorted(step for one in worked for step in one.steps)
    made = sum(len(one.steps) for one in worked)
    assert made, "nobody decided anything"
    share = [
        1000 * steps[min(len(steps) - 1, int(part * len(steps)))] for part in (0.5, 0.95, 0.99, 1.0)
    ]
    client = 1000 * sum(one.processor for one in worked) / made
    statements = sum(one.statements for one in worked) / made
    print(
        f"{count:7}  {f'{pace:g}/s' if pace else 'full':>5} {made / seconds:10.1f} "
        f"{''.join(f'{one:9.1f} ' for one in share)}{client:14.1f} "
        f"{1000 * server_seconds / made:14.1f} {statements:11.1f}",
        flush=True,
    )
    server.drop(database)


def _lay_out(server: OwnServer, database: str, names: Sequence[str]) -> None:
    fill(server.url(database), ITEMS).close()
    Workspace.secured(server.url(database), "boss", "boss").close()
    boss = Workspace.open(server.url(database, "boss"))
    for name in names:
        people.ensure_person(boss, name, "annotator")
    boss.close()


def _made(worked: Worked) -> int:
    return WARM_UP + len(worked.steps)


def _server_seconds() -> float:
    """Processor seconds of every process of the server, those that ended included."""
    total = 0.0
    for process in psutil.process_iter(["name", "ppid", "pid"]):
        if process.info["name"] == "postgres" and _is_ours(process):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def _is_ours(process: psutil.Process) -> bool:
    return any(parent.pid == os.getpid() for parent in process.parents())


def _together(
    team: Sequence[tuple[str, str]], pace: float, seconds: float
) -> tuple[list[Worked], float]:
    """Let everybody begin in one moment; what each of them did, and the server's seconds."""
    forked = multiprocessing.get_context("fork")
    pipes = []
    for number, (name, address) in enumerate(team):
        ours, theirs = forked.Pipe()
        delay = number / (len(team) * pace) if pace else 0.0
        child = forked.Process(target=_review, args=(theirs, name, address, pace, delay, seconds))
        child.start()
        pipes.append((ours, child))
    for ours, _ in pipes:
        ours.recv()
    before = _server_seconds()
    for ours, _ in pipes:
        ours.send("go")
    worked = [Worked(*json.loads(ours.recv())) for ours, _ in pipes]
    used = _server_seconds() - before
    for _, child in pipes:
        child.join()
    return worked, used


def _review(
    pipe: Connection, name: str, address: str, pace: float, delay: float, seconds: float
) -> None:
    ws = Workspace.open(address)
    outbox = Outbox(ws, name)
    statements = 0

    @event.listens_for(Engine, "before_cursor_execute")
    def count(*_: object) -> None:
        nonlocal statements
        statements += 1

    card = review.next_card(ws, name, BENCHMARK)
    for _ in range(WARM_UP):  # a new session of the server reads its catalogue first
        card = _step(ws, outbox, name, card)
    pipe.send("ready")
    pipe.recv()
    statements = 0
    steps: list[float] = []
    used, start = _processor(), time.monotonic()
    due = start + delay
    while card is not None and time.monotonic() - start < seconds and len(steps) < _STEPS_KEPT:
        if pace:
            pipe.poll(max(0.0, due - time.monotonic()))  # nobody says anything: until it is due
            due += 1 / pace
        began = time.perf_counter()
        card = _step(ws, outbox, name, card)
        steps.append(time.perf_counter() - began)
    pipe.send(json.dumps([steps, _processor() - used, statements]))
    ws.close()


def _step(
    ws: Workspace, outbox: Outbox, name: str, card: review.ReviewCard | None
) -> review.ReviewCard | None:
    """Claim the next item and decide on the present one; the next."""
    assert card is not None, "nothing is left to decide"
    following = review.next_card(ws, name, BENCHMARK, leave_out=(card.number,))
    outbox.decide(card.number, "accept", revision=card.revision)
    return following


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
