"""A freeze of many items: nobody waits for it, and a kill or a failure keeps nothing."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from core.cli import main
from core.errors import ConnectionLostError, NotFoundError, StateError
from core.workflow import people, short_steps
from core.workflow.check import review
from core.workflow.items import state_counts, undo
from core.workflow.lost_connections import carried_through
from core.workflow.short_steps import ShortSteps
from core.workflow.splits import freeze, freeze_steps
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import items, ledger
from db.server import calls
from db.session import Session
from db.vocabulary import EventKind
from tests.core.workflow.sent_twice import sent_twice
from tests.paths import ROOT
from tests.postgres import own_server
from tests.workspaces import BENCHMARK, accept_all, make_task, write_items

ITEMS = 20
STEP = 3
LEAD = "boss"

KILLED = """
import os, signal, sys
from core.workflow import people, short_steps
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from db import items

short_steps.FEW = short_steps.LEAST = short_steps.MOST = 3
original, steps = items.change, []

def change(session, numbers, **values):
    steps.append(numbers)
    if len(steps) == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
    original(session, numbers, **values)

items.change = change
freeze.freeze(Workspace.open(sys.argv[1]), sys.argv[2], "bench", "boss")
"""


@pytest.fixture
def accepted(ws, monkeypatch):
    """Items that were accepted and no audit saw, in a workspace whose steps are of three."""
    monkeypatch.setattr(short_steps, "FEW", STEP)
    monkeypatch.setattr(short_steps, "LEAST", STEP)
    monkeypatch.setattr(short_steps, "MOST", STEP)
    make_task(ws)
    accept_all(ws, write_items(ws, ITEMS), "li")
    return ws


@pytest.fixture
def after_each_step(monkeypatch) -> Callable[[Callable[[int], None]], None]:
    """What is to be done between two steps, given how many there were."""

    def put(done: Callable[[int], None]) -> None:
        steps: list[int] = []
        original = ShortSteps.end

        def end(self: ShortSteps, *numbers: int) -> None:
            original(self, *numbers)
            steps.append(1)
            done(len(steps))

        monkeypatch.setattr(ShortSteps, "end", end)

    return put


def killed(location: str, name: str, step: int) -> None:
    """A freeze in a process of its own, which dies in one of its steps."""
    command = [sys.executable, "-c", KILLED, location, name, str(step)]
    assert subprocess.run(command, cwd=ROOT, timeout=120).returncode == -signal.SIGKILL


def left_frozen(ws) -> int:
    return states(ws)["frozen"] - sum(split.size for split in freeze.all_splits(ws))


def states(ws) -> dict[str, int]:
    return {state: count for state, count in state_counts.counts(ws, BENCHMARK).items() if count}


def folders(ws) -> list[str]:
    return sorted(path.name for path in ws.releases.iterdir())


def test_many_items_are_frozen_in_steps_and_the_split_is_there_at_the_end(
    accepted, after_each_step
):
    looks: list[tuple[int, int]] = []
    after_each_step(
        lambda _: looks.append((len(freeze.all_splits(accepted)), states(accepted)["frozen"]))
    )
    split = freeze.freeze(accepted, "p", BENCHMARK, LEAD)
    assert (split.size, split.unaudited, states(accepted)) == (ITEMS, ITEMS, {"frozen": ITEMS})
    assert [count for count, _ in looks] == [0] * len(looks)
    assert [held for _, held in looks][:1] == [STEP]
    assert len(looks) > 2
    assert folders(accepted) == ["p"]
    assert freeze.check(accepted, "p") == []
    assert verify(accepted).findings == ()


def test_others_decide_between_the_steps_of_a_freeze(accepted, after_each_step):
    (later,) = write_items(accepted, 1, start=ITEMS)

    def decide(step: int) -> None:
        if step == 1:
            review.decide(accepted, "li", later, "accept")

    after_each_step(decide)
    assert freeze.freeze(accepted, "p", BENCHMARK, LEAD).size == ITEMS
    assert states(accepted) == {"frozen": ITEMS, "accepted": 1}
    assert verify(accepted).findings == ()


def test_a_killed_freeze_leaves_no_split_and_is_taken_up_under_its_name(accepted, location):
    killed(location, "p", 6)
    held = left_frozen(accepted)
    assert 0 < held < ITEMS
    assert states(accepted) == {"frozen": held, "accepted": ITEMS - held}
    assert freeze.all_splits(accepted) == ()
    assert f"it holds {held} items" in freeze_steps.unfinished_freezes(accepted)[0]
    assert freeze.freezable(accepted, BENCHMARK).unfinished
    assert verify(accepted).findings == ()
    split = freeze.freeze(accepted, "p", BENCHMARK, LEAD)
    assert (split.size, split.unaudited) == (ITEMS, ITEMS)
    with accepted.reading() as session:
        assert len(ledger.of_kind(session, EventKind.FROZEN)) == ITEMS
        assert ledger.of_kind(session, EventKind.UNDONE) == []
    assert not freeze_steps.unfinished_freezes(accepted)
    assert freeze.check(accepted, "p") == []
    assert verify(accepted).findings == ()


def test_what_another_draw_does_not_take_is_given_back(accepted, location):
    killed(location, "p", 6)
    split = freeze.freeze(accepted, "p", BENCHMARK, LEAD, sizes={"titles": 2}, seed=1)
    assert split.size == 2
    assert states(accepted) == {"frozen": 2, "accepted": ITEMS - 2}
    assert freeze.check(accepted, "p") == []
    assert verify(accepted).findings == ()


def test_a_lead_gives_up_a_freeze_that_nobody_finishes(accepted, location, capsys):
    killed(location, "p", 6)
    held = left_frozen(accepted)
    assert freeze.freeze(accepted, "q", BENCHMARK, LEAD).size == ITEMS - held
    place = ["--workspace", location]
    assert main([*place, "doctor"]) in (0, 1)
    assert "Freezing “p” is not finished" in capsys.readouterr().out
    assert main([*place, "freeze", "p", "--give-up", "--user", LEAD]) == 0
    assert f"{held} items" in capsys.readouterr().out
    assert states(accepted) == {"frozen": ITEMS - held, "accepted": held}
    assert verify(accepted).findings == ()
    with pytest.raises(NotFoundError):
        freeze_steps.give_up(accepted, LEAD, "p")
    # nothing of it stands in the way of taking back what came before
    newest = _last_decision_on(accepted, "accepted")
    assert undo.undo(accepted, "li", newest.id).number == newest.item_id


def _last_decision_on(ws, state: str) -> ledger.LedgerEvent:
    with ws.reading() as session:
        numbers = {row.id for row in items.in_state(session, [state])}
        decided = ledger.of_kind(session, EventKind.DECIDED)
    return max((event for event in decided if event.item_id in numbers), key=lambda e: e.id)


def test_a_freeze_that_finds_an_item_changed_keeps_none(accepted, after_each_step):
    last = _last_decision_on(accepted, "accepted")

    def take_back(step: int) -> None:
        if step == 1:
            undo.undo(accepted, "li", last.id)

    after_each_step(take_back)
    with pytest.raises(StateError, match="have changed since they were checked"):
        freeze.freeze(accepted, "p", BENCHMARK, LEAD)
    assert states(accepted) == {"draft": 1, "accepted": ITEMS - 1}
    assert (folders(accepted), freeze.all_splits(accepted)) == ([], ())
    assert verify(accepted).findings == ()


def test_an_item_that_was_given_back_meanwhile_is_in_no_split(accepted, after_each_step):
    def give_up(step: int) -> None:
        if step == 2:
            freeze_steps.give_up(accepted, LEAD, "p")

    after_each_step(give_up)
    with pytest.raises(StateError, match="have changed since they were checked"):
        freeze.freeze(accepted, "p", BENCHMARK, LEAD)
    assert states(accepted) == {"accepted": ITEMS}
    assert verify(accepted).findings == ()


def test_of_two_who_freeze_in_steps_one_is_told(accepted, after_each_step):
    def freeze_too(step: int) -> None:
        if step == 1:
            freeze.freeze(accepted, "q", BENCHMARK, LEAD)

    after_each_step(freeze_too)
    with pytest.raises(StateError, match="have changed since they were checked"):
        freeze.freeze(accepted, "p", BENCHMARK, LEAD)
    assert [split.name for split in freeze.all_splits(accepted)] == ["q"]
    assert freeze.freeze(accepted, "p", BENCHMARK, LEAD).size == STEP
    assert verify(accepted).findings == ()


@pytest.mark.parametrize("arrives", [True, False])
def test_what_a_lost_connection_may_have_frozen_is_frozen_once(accepted, monkeypatch, arrives):
    """Each step and the end are sent twice: the first time nobody hears whether they arrived."""
    sent: list[int] = []
    writing_as = sent_twice(freeze_steps.writing_as, sent, arrives=arrives)
    monkeypatch.setattr(freeze_steps, "writing_as", writing_as)
    split = freeze.freeze(accepted, "p", BENCHMARK, LEAD)
    assert len(sent) > 4
    assert (split.size, states(accepted)) == (ITEMS, {"frozen": ITEMS})
    assert folders(accepted) == ["p"]
    assert freeze.check(accepted, "p") == []
    with accepted.reading() as session:
        assert len(ledger.of_kind(session, EventKind.FROZEN)) == ITEMS
        assert len(ledger.of_kind(session, EventKind.SPLIT)) == 1
    assert verify(accepted).findings == ()


def test_a_freeze_whose_server_does_not_come_back_is_finished_by_the_next_one(
    accepted, monkeypatch
):
    original, sent = freeze_steps.writing_as, []

    @contextmanager
    def writing_as(*who: Any) -> Iterator[Any]:
        sent.append(len(sent))
        if len(sent) > 2:
            raise ConnectionLostError("away")
        with original(*who) as opened:
            yield opened

    with monkeypatch.context() as away:
        away.setattr(freeze_steps, "writing_as", writing_as)
        away.setattr(carried_through, "__defaults__", (0.0,))
        with pytest.raises(ConnectionLostError):
            freeze.freeze(accepted, "p", BENCHMARK, LEAD)
    assert len(sent) == 3
    assert (folders(accepted), freeze.all_splits(accepted)) == ([], ())
    assert freeze.freeze(accepted, "p", BENCHMARK, LEAD).size == ITEMS
    assert verify(accepted).findings == ()


def test_a_freeze_goes_on_when_its_server_is_back(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    monkeypatch.setattr(short_steps, "FEW", STEP)
    monkeypatch.setattr(short_steps, "LEAST", STEP)
    monkeypatch.setattr(short_steps, "MOST", STEP)
    with own_server() as server:
        database = server.create()
        Workspace.create(server.url(database), LEAD, LEAD).close()
        frees_early, steps = calls.frees_early, []

        def restart(session: Session) -> None:
            frees_early(session)
            steps.append(len(steps))
            if len(steps) == 2:  # in the middle of a step
                server.stop()
                server.start()

        monkeypatch.setattr(calls, "frees_early", restart)
        with closing(Workspace.open(server.url(database, LEAD))) as ws:
            people.ensure_person(ws, "li", "annotator")
            make_task(ws, overlap=1)
            numbers = write_items(ws, 3 * STEP, author=LEAD)
            with closing(Workspace.open(server.url(database, "li"))) as li:
                accept_all(li, numbers, "li")
            assert freeze.freeze(ws, "p", BENCHMARK, LEAD).size == 3 * STEP
            assert len(steps) == 4
            assert states(ws) == {"frozen": 3 * STEP}
            assert verify(ws).findings == ()
