"""Items of runs: what takes long is done while nobody is kept from writing."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from core.errors import InputError
from core.families.base import Defect, ItemContent
from core.generation.spec import ScpSpec
from core.sources.articles.read_paths import read_paths
from core.workflow.items import history, state_counts
from core.workflow.production import take_in_items
from core.workflow.production.hidden_items import HiddenItems
from core.workflow.production.new_items import created_events, new_item
from core.workflow.production.take_in_items import GeneratedItems
from core.workflow.runs import runs as finished
from core.workflow.runs import take_in
from core.workflow.short_steps import FEW
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger, runs
from db.importing import pending_imports
from db.runs import RunRow
from db.session import Session
from db.vocabulary import EventKind, ItemState
from resources import resource
from tests.core.workflow.sent_twice import sent_twice
from tests.workload import content

MANY = FEW + 60


@pytest.fixture
def of_run(ws: Workspace) -> Callable[..., GeneratedItems]:
    """Takes in a run of items of two tasks, of which the last ten were screened out."""
    with ws.writing() as session:
        runs.add(session, "r", "generate")

    def taken(count: int = MANY) -> GeneratedItems:
        made = [content(n) for n in range(count)]
        made[:20] = [replace(one, domain="MATH") for one in made[:20]]
        return take_in_items.take_in_items(
            ws, "r", "b", made[:-10], {"made": count}, screened_out=made[-10:]
        )

    return taken


def parts_of(monkeypatch: pytest.MonkeyPatch, done: Callable[[int], None]) -> None:
    """Has something done after each part, given how many there were."""
    original, parts = HiddenItems.write, []

    def write(self: HiddenItems, makes: Any) -> list[int | None]:
        numbers = original(self, makes)
        parts.append(len(numbers))
        done(len(parts))
        return numbers

    monkeypatch.setattr(HiddenItems, "write", write)


def counts(ws: Workspace) -> tuple[int, int]:
    states = state_counts.counts(ws)
    return states["draft"], states["screened_out"]


def test_many_items_are_seen_together_at_the_end(ws: Workspace, of_run, monkeypatch) -> None:
    seen: list[tuple[int, int]] = []
    parts_of(monkeypatch, lambda _: seen.append(counts(ws)))
    assert of_run() == GeneratedItems(MANY, 0)
    assert seen == [(0, 0)] * len(seen)
    assert len(seen) >= 2
    assert counts(ws) == (MANY - 10, 10)
    with ws.reading() as session:
        assert runs.get(session, "r").summary == {"made": MANY}
        assert {row.run_id for row in items.in_state(session, list(ItemState))} == {"r"}
        shown = ledger.of_kind(session, EventKind.IMPORTED)
    assert sum(event.data["items"] for event in shown) == MANY
    assert of_run() == GeneratedItems(0, MANY)
    assert verify(ws).findings == ()


def test_what_was_killed_is_taken_in_again_and_is_there_once(
    ws: Workspace, of_run, monkeypatch
) -> None:
    def end(parts: int) -> None:
        if parts == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        parts_of(patch, end)
        with pytest.raises(KeyboardInterrupt):
            of_run()
    assert counts(ws) == (0, 0)
    with ws.reading() as session:
        assert runs.get(session, "r").taken_in_at is None
    assert of_run() == GeneratedItems(MANY, 0)
    assert counts(ws) == (MANY - 10, 10)
    with ws.reading() as session:
        created = [event.item_id for event in ledger.of_kind(session, EventKind.CREATED)]
    assert len(created) == len(set(created)) == MANY
    assert verify(ws).findings == ()


def test_two_who_take_in_one_run_leave_nothing_hidden(ws: Workspace, of_run, monkeypatch) -> None:
    other: list[GeneratedItems] = []

    def again(parts: int) -> None:
        if parts == 1:
            other.append(of_run())
            assert counts(ws) == (MANY - 10, 10)

    parts_of(monkeypatch, again)
    of_run()
    assert [taken.added for taken in other] == [MANY]
    assert counts(ws) == (MANY - 10, 10)
    with ws.reading() as session:
        assert pending_imports.unfinished(session) == []


def test_what_an_import_hides_is_counted_as_such(ws: Workspace, of_run, monkeypatch) -> None:
    of_run(20)
    with ws.writing() as session:
        task = benchmarks.tasks(session)[0]
        one = replace(content(5000), domain=task.domain)
        row = new_item(one, task, None)
        hidden = items.add(session, [row])
        pending_imports.hide(session, "i", task.id, "rows.jsonl", hidden, None)
        ledger.append(session, *created_events([(hidden[0], row)], "boss", {}))
    taken = take_in_items.take_in_items(ws, "r", "b", [one, replace(one, domain="NEW")])
    assert taken == GeneratedItems(1, 1, 1)
    assert taken.as_json() == {"added": 1, "known": 1, "hidden": 1}


def test_defects_are_looked_for_while_others_can_write_and_once(
    sqlite_ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = take_in_items.defects_of_items
    looked: list[int] = []

    def look(contents: Sequence[ItemContent]) -> list[list[Defect]]:
        with closing(sqlite3.connect(sqlite_ws.place.database, timeout=0)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.rollback()
        looked.append(len(contents))
        return [[Defect("short", str(place))] for place, _ in enumerate(original(contents))]

    monkeypatch.setattr(take_in_items, "defects_of_items", look)
    with sqlite_ws.writing() as session:
        runs.add(session, "r", "generate")
    made = [content(number) for number in range(6)]
    first = take_in_items.take_in_items(sqlite_ws, "r", "b", made[:4])
    again = take_in_items.take_in_items(sqlite_ws, "r", "b", [made[0], made[5]])
    assert (first.added, again.added, again.known) == (4, 1, 1)
    assert looked == [4, 1]
    lives = [history.item_history(sqlite_ws, number, "") for number in range(1, 6)]
    found = [life.revisions[0].defects for life in lives]
    assert [defects[0].detail for defects in found] == ["0", "1", "2", "3", "0"]


@pytest.mark.parametrize("count", [4, MANY])
def test_runs_keep_writers_from_their_tasks_in_one_order(
    ws: Workspace, of_run, monkeypatch, count: int
) -> None:
    of_run(40)  # makes the tasks of MATH and CS
    kept: list[int] = []
    found = runs.get

    def begin(session: Session, run_id: str, *, lock: bool = False) -> RunRow | None:
        kept.clear()
        return found(session, run_id, lock=lock)

    monkeypatch.setattr(runs, "get", begin)
    monkeypatch.setattr(items, "one_writer", lambda _session, task_id: kept.append(task_id))
    domains = ("CS", "MATH")  # the other way round
    made = [replace(content(1000 + n), domain=domains[n % 2]) for n in range(count)]
    assert take_in_items.take_in_items(ws, "r", "b", made).added == count
    with ws.reading() as session:
        assert kept[:2] == sorted(task.id for task in benchmarks.tasks(session))


@pytest.mark.parametrize("arrives", [True, False])
def test_what_a_lost_connection_may_have_taken_in_is_there_once(
    ws: Workspace, of_run, monkeypatch, arrives: bool
) -> None:
    """Each transaction is sent twice: the first time nobody hears whether it arrived."""
    sent: list[int] = []
    writing = sent_twice(Workspace.writing, sent, arrives=arrives)
    with monkeypatch.context() as away:
        away.setattr(Workspace, "writing", writing)
        taken = of_run()
    assert len(sent) > 6
    assert (taken.added, taken.known, taken.hidden) == (MANY, 0, 0)
    assert sum(counts(ws)) == MANY
    with ws.reading() as session:
        told = ledger.of_kind(session, EventKind.IMPORTED)
    assert sum(event.data["items"] for event in told) == MANY
    assert verify(ws).findings == ()


def test_who_generates_is_told_what_was_made_though_a_window_took_it_in_before(
    ws: Workspace,
) -> None:
    read = read_paths([resource("demo", "stat__averages.txt")])
    spec = ScpSpec(per_article=2, seed=1)
    run = take_in_items.start_generation(ws, read, "b", spec).spec().id
    finished.wait(ws, run, 120)
    take_in.take_in(ws, run)
    made = take_in.take_in(ws, run)
    assert made["added"] > 0
    assert made["known"] == 0
    again = take_in_items.start_generation(ws, read, "b", spec).spec().id
    finished.wait(ws, again, 120)
    second = take_in.take_in(ws, again)
    assert (second["added"], second["known"]) == (0, made["added"])


def test_a_finished_generation_that_lost_results_brings_no_items(ws: Workspace) -> None:
    read = read_paths([resource("demo", "stat__averages.txt")])
    folder = take_in_items.start_generation(ws, read, "b", ScpSpec(per_article=2, seed=1))
    finished.wait(ws, folder.spec().id, 120)
    shard = folder.path / "shard-000.jsonl"
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-1])
    with pytest.raises(InputError, match="1 of 1 are gone"):
        take_in.take_in(ws, folder.spec().id)
    assert counts(ws) == (0, 0)
    shard.write_bytes(whole)
    assert take_in.take_in(ws, folder.spec().id)["added"] > 0
