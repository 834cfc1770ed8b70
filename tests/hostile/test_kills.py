"""SIGKILL at every step of what people do, and at random moments: whole or absent, nothing lost.

To add an attack: an act in ``acts.py``, which is then killed at each of its steps; or a test here
that forks a ``Child`` and kills it.
"""

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from core.jobs.folder import RunFolder
from core.jobs.worker import run_worker
from core.workflow.workspace import Workspace
from db import assignments
from db.engine import Store, schema_revisions, sqlite_url
from db.queries import item_search
from db.queries.item_search import ItemQuery
from db.tables import now
from tests.core.jobs.copying_runs import Copies, prepare
from tests.hostile.attackers.acts import ACTS, Act, Place, copy_of
from tests.hostile.attackers.acts import prepare as prepare_acts
from tests.hostile.attackers.children import Child, Say, Work
from tests.hostile.attackers.deciding import decided, deciding, lost
from tests.hostile.conftest import Attack
from tests.old_workspaces import first_schema
from tests.postgres import PostgresServer
from tests.workspaces import make_task, write_items

IN_THE_DATABASE = ACTS[:6]
"""Acts that leave nothing outside the database."""
KILLS = 16
"""Of each act, at moments spread evenly over all its steps."""
Begin = Callable[[str], Attack]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A workspace in which every act can be done; nobody works in it."""
    folder = tmp_path_factory.mktemp("acts")
    place = Place(str(folder / "workspace"), folder)
    prepare_acts(place)
    return place


def walk(act: Act, row: Attack, fresh: Callable[[], Place]) -> None:
    """Kill an act at its steps, ``KILLS`` of them, and let it live to its end at last.

    The next try goes on in the workspace that the last one left, unless the act was done there.
    """
    place = fresh()
    before = act.look(place)
    *_, steps = doing(act, place, at_step=0).until_over()
    after = act.look(place)
    assert before != after
    place = fresh()
    for step in sorted({1 + n * steps // KILLS for n in range(KILLS)}):
        reported = doing(act, place, at_step=step).until_over()
        seen = act.look(place)
        allowed = (after,) if reported else (before, after, *act.between)
        row.tried("" if seen in allowed else f"step {step}: {seen}, reported {reported}")
        if seen != before:
            place = fresh()
    doing(act, place).until_over()
    seen = act.look(place)
    row.tried("" if seen == after else f"done, but left {seen}")


def doing(act: Act, place: Place, at_step: int | None = None) -> Child:
    """A process that does an act."""
    return Child(lambda say: act.do(place, say), at_step=at_step)


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(act, marks=[pytest.mark.slow] * bool(place), id=act.name)
        for place, act in enumerate(ACTS)
    ],
)
def test_a_process_that_is_killed_at_any_step_has_done_all_or_nothing(
    act: Act, template: Place, tmp_path: Path, attack: Begin
) -> None:
    def fresh() -> Place:
        shutil.rmtree(tmp_path / "copy", ignore_errors=True)
        return copy_of(template, tmp_path / "copy")

    walk(act, attack(f"SIGKILL at the steps of {act.name}"), fresh)


@pytest.mark.slow
@pytest.mark.parametrize("act", IN_THE_DATABASE, ids=lambda act: act.name)
def test_a_process_that_is_killed_on_postgresql_has_done_all_or_nothing(
    act: Act,
    pg_server: PostgresServer,
    pg_empty_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    attack: Begin,
) -> None:
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "workspace"))
    prepare_acts(Place(pg_empty_url, tmp_path))
    template = pg_empty_url.partition("?")[0].rpartition("/")[2]
    made: list[str] = []

    def fresh() -> Place:
        made.append(pg_server.create(template))
        return Place(pg_server.url(made[-1]), tmp_path)

    try:
        walk(act, attack(f"SIGKILL at the steps of {act.name}, PostgreSQL"), fresh)
    finally:
        for name in made:
            pg_server.drop(name)


# --- at random moments -------------------------------------------------------------------------


def kill_deciding(
    location: str, rounds: int, writers: int, seed: int, row: Attack
) -> set[tuple[str, int]]:
    """Kill reviewers, one after the other while the rest go on; returns what they acknowledged."""
    rng = random.Random(seed)
    acknowledged: set[tuple[str, int]] = set()
    for _ in range(rounds):
        children = [Child(deciding(location, f"person-{n}")) for n in range(writers)]
        rng.shuffle(children)
        for child in children:
            child.hear(1, 60)
            child.hear(seconds=rng.uniform(0.0, 0.02))
            acknowledged |= {(name, number) for name, number in child.kill()}
        ws = Workspace.open(location)
        faults = lost(ws, acknowledged)
        ws.close()
        for place, _ in enumerate(children):
            row.tried("; ".join(faults) if place == 0 else "")
    return acknowledged


@pytest.mark.parametrize(
    ("rounds", "writers"),
    [
        pytest.param(6, 1, id="a-few"),
        pytest.param(54, 1, marks=pytest.mark.slow, id="one-reviewer"),
        pytest.param(6, 8, marks=pytest.mark.slow, id="eight-reviewers"),
    ],
)
def test_a_reviewer_who_is_killed_loses_no_acknowledged_decision(
    rounds: int, writers: int, tmp_path: Path, attack: Begin
) -> None:
    location = str(tmp_path / "workspace")
    ws = Workspace.create(location)
    make_task(ws, overlap=1)
    items = write_items(ws, 6 * rounds * writers)
    ws.close()
    row = attack(f"SIGKILL while {writers} decide{'s' * (writers == 1)}, {rounds} times")
    acknowledged = kill_deciding(location, rounds, writers, 1, row)
    ws = Workspace.open(location)
    left = decided(ws) - len(acknowledged)
    assert 0 <= left <= rounds * writers, "decisions that nobody was about to make"
    # what the dead had claimed comes free when their leases run out
    with ws.writing() as session:
        assignments.expire_leases(session, now() + timedelta(days=1))
    ws.close()
    said = Child(deciding(location, "last")).until_over()
    ws = Workspace.open(location)
    assert decided(ws) == len(items)
    row.tried("; ".join(lost(ws, acknowledged | {(name, number) for name, number in said})))
    ws.close()


def working(folder: RunFolder, shard: int, shards: int) -> Work:
    """The work of a worker on its share."""
    return lambda _: run_worker(folder.path, shard, shards, lambda _: Copies())


@pytest.mark.slow
def test_a_worker_that_is_killed_is_resumed_and_does_no_item_twice(
    tmp_path: Path, attack: Begin
) -> None:
    row = attack("SIGKILL while 2 workers write their shards")
    rng = random.Random(3)
    for number in range(5):
        folder = prepare(tmp_path / f"runs-{number}", count=1500)
        done = 0
        for _ in range(4):
            children = [Child(working(folder, shard, 2)) for shard in range(2)]
            for child in children:
                child.hear(seconds=rng.uniform(0.002, 0.02))
                child.kill()
                row.tried()
            records = len(folder.records())
            row.tried("" if records >= done else f"{done} items were done, {records} are left")
            assert not folder.is_running()
            done = records
        for shard in range(2):
            run_worker(folder.path, shard, 2, lambda _: Copies())
        lines = [line for path in folder.shard_files() for line in path.read_text().splitlines()]
        row.tried("" if len(lines) == len(set(lines)) == 1500 else f"{len(lines)} of 1500 items")
        assert folder.state() == "finished"


@pytest.mark.slow
def test_a_migration_that_is_killed_leaves_the_old_schema_or_the_new(
    tmp_path: Path, attack: Begin
) -> None:
    row = attack("SIGKILL at the steps of a migration")
    old = tmp_path / "old"
    old.mkdir()
    first_schema(old / "workspace.db")
    folder = tmp_path / "workspace"

    def migrate(_: Say) -> None:
        Workspace.open(folder).close()

    shutil.copytree(old, folder)
    *_, steps = Child(migrate, at_step=0).until_over()
    for step in sorted({1 + n * steps // KILLS for n in range(KILLS)}):
        shutil.rmtree(folder)
        shutil.copytree(old, folder)
        Child(migrate, at_step=step).until_over()
        with closing(sqlite3.connect(folder / "workspace.db")) as connection:
            (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            (sound,) = connection.execute("PRAGMA integrity_check").fetchone()
        whole = sound == "ok" and revision in ("0001", schema_revisions()[-1])
        row.tried("" if whole else f"step {step}: schema {revision}, {sound}")
        store = Store.open(sqlite_url(folder / "workspace.db"))
        with store.reading() as session:
            assert item_search.ids(session, ItemQuery(words="旋律"), limit=None) == [1]
        store.close()
