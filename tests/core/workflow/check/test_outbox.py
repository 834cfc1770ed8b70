"""Decisions outlive the server: kept here, sent in order, each in the ledger exactly once."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy.exc import DBAPIError

from core.cli import main
from core.errors import ConflictError, InputError
from core.workflow import people
from core.workflow.check import adjudicate, leases, rate, review
from core.workflow.check.outbox import KeptDecision, Outbox
from core.workflow.check.review import CommittedDecision
from core.workflow.items import change_decision, history, undo
from core.workflow.production import write
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import tables
from tests.db.statements import sent_statements
from tests.postgres import OwnServer, own_server
from tests.servers.losing_proxy import losing_proxy
from tests.workspaces import BENCHMARK, make_task, payload, write_items

ITEMS = 6


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    with own_server() as started:
        yield started


@pytest.fixture
def boss(server: OwnServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """The lead's workspace with items that ``bob`` and ``cy`` can review."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    database = server.create()
    Workspace.create(server.url(database), "boss", "boss").close()
    ws = Workspace.open(server.url(database, "boss"))
    for name in ("ann", "bob", "cy"):
        people.ensure_person(ws, name, "annotator")
    make_task(ws, overlap=1)
    for name in ("sue", "sam"):
        people.ensure_person(ws, name, "specialist")
    ann = Workspace.open(server.url(database, "ann"))
    write_items(ann, ITEMS)
    ann.close()
    yield ws
    assert verify(ws).findings == ()
    ws.close()


@pytest.fixture
def sit_down(boss: Workspace, server: OwnServer) -> Iterator[Callable[[str], Workspace]]:
    """Open the workspace as somebody."""
    with ExitStack() as stack:
        database = boss.place.database.rpartition("/")[2].partition("?")[0]

        def opened(who: str) -> Workspace:
            ws = Workspace.open(server.url(database, who))
            stack.callback(ws.close)
            return ws

        yield opened


def decided_events(ws: Workspace, number: int) -> list[str]:
    return [event.kind for event in history.item_history(ws, number, "boss").events
            if event.kind == "decided"]  # fmt: skip


def claim(ws: Workspace, who: str, count: int) -> list[int]:
    held: list[int] = []
    for _ in range(count):
        card = review.next_card(ws, who, BENCHMARK, leave_out=tuple(held))
        assert card is not None
        held.append(card.number)
    return held


def test_with_the_server_there_nothing_stays_behind(boss, sit_down):
    bob = sit_down("bob")
    (number,) = claim(bob, "bob", 1)
    outbox = Outbox(bob, "bob")
    done = outbox.decide(number, "accept")
    assert isinstance(done, CommittedDecision)
    assert outbox.read().waiting == ()
    assert Path(outbox.place).read_bytes() == b""


def test_what_is_decided_while_the_server_is_away_is_sent_once_it_is_back(boss, sit_down, server):
    bob = sit_down("bob")
    first, second, third = claim(bob, "bob", 3)
    outbox = Outbox(bob, "bob")
    server.stop()
    try:
        kept = outbox.decide(first, "accept", note="fine")
        assert isinstance(kept, KeptDecision)
        assert isinstance(outbox.decide(second, "reject", reason="formula"), KeptDecision)
        assert isinstance(outbox.skip(third), KeptDecision)
        assert outbox.send().trouble
        # another process of the same person finds them
        assert [one.number for one in Outbox(bob, "bob").read().waiting] == [first, second, third]
    finally:
        server.start()
    report = Outbox(bob, "bob").send()
    assert [one.number for one in report.sent] == [first, second, third]
    assert (report.waiting, report.refused, report.trouble) == ((), (), "")
    assert history.state_of(boss, first) == "accepted"
    assert history.state_of(boss, second) == "rejected"
    (event,) = [e for e in history.item_history(boss, first, "boss").events if e.kind == "decided"]
    assert event.data["token"] == kept.token
    assert event.data["made"] == kept.made
    assert outbox.send().sent == ()


def test_a_decision_whose_answer_was_lost_is_not_doubled(boss, sit_down, server):
    with losing_proxy(boss.place.database.replace("boss@", "bob@")) as (proxy, address):
        bob = Workspace.open(address)
        try:
            first, second = claim(bob, "bob", 2)
            outbox = Outbox(bob, "bob")
            proxy.lose_next_answer()
            assert isinstance(outbox.decide(first, "accept"), KeptDecision)
            assert proxy.lost == 1
            assert decided_events(boss, first) == ["decided"]
            # the next one sends it first, and finds that it is there
            assert isinstance(outbox.decide(second, "accept"), CommittedDecision)
            assert outbox.read().waiting == ()
            (undone,) = claim(bob, "bob", 1)
            proxy.lose_next_answer()
            assert isinstance(outbox.decide(undone, "accept"), KeptDecision)
            undo.undo(bob, "bob")
            assert [one.number for one in outbox.send().sent] == [undone]
            assert history.state_of(boss, undone) == "in_review"  # not decided a second time
        finally:
            bob.close()
    assert decided_events(boss, first) == ["decided"]
    assert decided_events(boss, second) == ["decided"]


def test_what_was_given_away_meanwhile_is_shown_and_stands_in_nobodys_way(boss, sit_down):
    bob, cy = sit_down("bob"), sit_down("cy")
    gone, still = claim(bob, "bob", 2)
    outbox = Outbox(bob, "bob")
    outbox.decide(gone, "accept", sending=False)
    outbox.decide(still, "accept", sending=False)
    leases.release(bob, "bob")
    review.claim_item(cy, "cy", gone)
    review.decide(cy, "cy", gone, "reject", reason="formula")
    report = outbox.send()
    assert [one.number for one in report.sent] == [still]
    (refused,) = report.refused
    assert refused.number == gone
    assert refused.refusal
    assert Outbox(bob, "bob").read().refused == (refused,)
    assert outbox.put_away((refused.token,)).refused == ()
    assert Path(outbox.place).read_bytes() == b""
    assert history.state_of(boss, gone) == "rejected"


def test_a_revision_that_moved_on_is_a_conflict(boss, sit_down):
    bob = sit_down("bob")
    (number,) = claim(bob, "bob", 1)
    outbox = Outbox(bob, "bob")
    outbox.decide(number, "accept", revision=7, sending=False)
    (refused,) = outbox.send().refused
    assert "changed" in refused.refusal


def test_an_answer_of_the_server_is_no_reason_to_keep_anything(boss, sit_down):
    bob = sit_down("bob")
    (number,) = claim(bob, "bob", 1)
    outbox = Outbox(bob, "bob")
    with pytest.raises(InputError):
        outbox.decide(number, "reject")
    with pytest.raises(ConflictError):
        outbox.decide(number, "accept", revision=7)
    assert outbox.read().waiting == ()
    waiting = outbox.decide(number, "accept", sending=False)
    assert isinstance(waiting, KeptDecision)
    assert outbox.put_away((waiting.token,)).waiting == (waiting,)  # only what was refused goes
    outbox.send()


def test_a_server_that_lets_nobody_in_from_here_has_refused_no_decision(boss, sit_down, server):
    bob = sit_down("bob")
    (number,) = claim(bob, "bob", 1)
    outbox = Outbox(bob, "bob")
    outbox.decide(number, "accept", sending=False)
    allowed = server.let_in("local all postgres trust\n")
    try:
        report = outbox.send()
        assert report.trouble
        assert [one.number for one in report.waiting] == [number]
        assert report.refused == ()
    finally:
        server.let_in(allowed)
    assert [one.number for one in outbox.send().sent] == [number]


def test_an_error_that_nobody_foresaw_keeps_nothing_and_stops_no_other_decision(boss, sit_down):
    bob = sit_down("bob")
    first, second = claim(bob, "bob", 2)
    outbox = Outbox(bob, "bob")
    with pytest.raises(DBAPIError):
        outbox.decide(first, "accept", note="\0")  # no text for PostgreSQL
    assert outbox.read().waiting == ()
    assert isinstance(outbox.decide(second, "accept"), CommittedDecision)


def test_a_computer_whose_clock_is_ahead_decides_and_skips(boss, sit_down, monkeypatch):
    bob = sit_down("bob")
    first, second = claim(bob, "bob", 2)
    true = tables.now
    for module in tuple(sys.modules.values()):
        if getattr(module, "now", None) is true:
            monkeypatch.setattr(module, "now", lambda: true() + timedelta(minutes=5))
    assert isinstance(Outbox(bob, "bob").decide(first, "accept"), CommittedDecision)
    review.skip(bob, "bob", second)


def test_a_disk_that_keeps_nothing_stops_nobody_who_is_connected(boss, sit_down, home):
    (home / ".local" / "share").mkdir(parents=True)
    (home / ".local" / "share" / "benchseal").write_text("a file where the folder should be")
    bob = sit_down("bob")
    (number,) = claim(bob, "bob", 1)
    assert isinstance(Outbox(bob, "bob").decide(number, "accept"), CommittedDecision)


def test_the_command_sends_what_waits_and_says_what_was_not_taken(boss, sit_down, capsys):
    bob = sit_down("bob")
    first, second = claim(bob, "bob", 2)
    outbox = Outbox(bob, "bob")
    outbox.decide(first, "accept", sending=False)
    outbox.decide(second, "accept", revision=7, sending=False)
    place = ["--workspace", bob.place.database, "outbox"]
    assert main([*place, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [entry["number"] for entry in said["sent"]] == [first]
    assert [entry["number"] for entry in said["refused"]] == [second]
    assert main([*place, "--forget"]) == 0
    capsys.readouterr()
    assert main(place) == 0
    assert "Nothing waits" in capsys.readouterr().out


VALUES = {"fluency": 3.0, "coherence": 2.0, "factuality": 1.0, "accuracy": 1.0}


@pytest.fixture
def drawn(boss: Workspace) -> list[int]:
    """Items of a task whose items two people rate, all of them drawn."""
    make_task(boss, "rated", overlap=2, rubric="coreeval", raters=2, rating_sample=2)
    numbers = write_items(boss, 2, author="boss", task="rated", start=50)
    rate.draw(boss, "rated", "boss", seed=1)
    return numbers


def test_ratings_of_a_time_without_the_server_are_there_once(boss, drawn, sit_down, server):
    bob = sit_down("bob")
    card = rate.next_card(bob, "rated", "bob")
    assert card is not None
    number = card.card.number
    outbox = Outbox(bob, "bob")
    server.stop()
    try:
        kept = outbox.rate(number, VALUES, comment="fine", revision=1)
        assert isinstance(kept, KeptDecision)
        assert Outbox(bob, "bob").read().waiting == (kept,)
    finally:
        server.start()
    assert [one.number for one in outbox.send().sent] == [number]
    assert outbox.send().sent == ()
    assert rate.rating_card(bob, "bob", number).own == VALUES
    events = [e for e in history.item_history(boss, number, "boss").events if e.kind == "rated"]
    assert len(events) == 1


def test_ratings_and_adjudications_whose_answer_was_lost_are_not_doubled(boss, drawn, sit_down):
    disagree(boss, sit_down, drawn[0])
    with losing_proxy(boss.place.database.replace("boss@", "sam@")) as (proxy, address):
        sam = Workspace.open(address)
        try:
            outbox = Outbox(sam, "sam")
            shown = adjudicate.disputed_card(sam, "sam", drawn[0])
            deeds = (
                lambda: outbox.rate(drawn[1], VALUES, revision=1),
                lambda: outbox.adjudicate(drawn[0], "accept", decisions=shown.decisions),
            )
            for deed in deeds:
                proxy.lose_next_answer()
                assert isinstance(deed(), KeptDecision)
                assert len(outbox.send().sent) == 1
        finally:
            sam.close()
    for number, kind in ((drawn[1], "rated"), (drawn[0], "adjudicated")):
        kinds = [event.kind for event in history.item_history(boss, number, "boss").events]
        assert kinds.count(kind) == 1
    assert history.state_of(boss, drawn[0]) == "accepted"


def disagree(boss: Workspace, sit_down: Callable[[str], Workspace], number: int) -> None:
    """Bob and Cy decide differently on an item."""
    for who, verdict in (("bob", "accept"), ("cy", "reject")):
        ws = sit_down(who)
        review.claim_item(ws, who, number)
        review.decide(ws, who, number, verdict, reason="ambiguous")


def test_the_second_adjudicator_is_told_what_the_first_one_said(boss, drawn, sit_down, server):
    disagree(boss, sit_down, drawn[0])
    sam, sue = sit_down("sam"), sit_down("sue")
    shown = adjudicate.disputed_card(sam, "sam", drawn[0])
    outbox = Outbox(sam, "sam")
    outbox.adjudicate(drawn[0], "accept", revision=1, decisions=shown.decisions, sending=False)
    adjudicate.settle(sue, "sue", drawn[0], "reject", reason="formula", note="twice the same")
    (refused,) = outbox.send().refused
    assert "already adjudicated" in refused.refusal
    assert "twice the same" in refused.refusal
    assert history.state_of(boss, drawn[0]) == "rejected"


def test_a_reviewer_who_changed_their_mind_is_noticed_by_who_adjudicates(boss, drawn, sit_down):
    disagree(boss, sit_down, drawn[0])
    sam, cy = sit_down("sam"), sit_down("cy")
    shown = adjudicate.disputed_card(sam, "sam", drawn[0])
    change_decision.change(cy, "cy", drawn[0], "reject", reason="formula", note="another reason")
    seen = {"revision": shown.card.revision, "decisions": shown.decisions}
    with pytest.raises(ConflictError, match="changed their decision"):
        adjudicate.settle(sam, "sam", drawn[0], "accept", **seen)
    shown = adjudicate.disputed_card(sam, "sam", drawn[0])
    done = adjudicate.settle(sam, "sam", drawn[0], "accept", decisions=shown.decisions)
    assert done.state == "accepted"


def test_a_rating_of_an_item_that_was_revised_says_what_changed(boss, drawn, sit_down):
    bob, cy = sit_down("bob"), sit_down("cy")
    number = drawn[0]
    outbox = Outbox(bob, "bob")
    assert rate.next_card(bob, "rated", "bob") is not None
    assert rate.next_card(bob, "rated", "bob") is not None
    outbox.rate(number, VALUES, revision=1, sending=False)
    review.claim_item(cy, "cy", number)
    review.decide(cy, "cy", number, "return", note="the title is wrong")
    write.revise(boss, "boss", number, payload("改过的"), note="a new title")
    rate.draw(boss, "rated", "boss", seed=1)
    (refused,) = outbox.send().refused
    assert "revision 2" in refused.refusal
    assert "a new title" in refused.refusal
    assert dict(refused.values) == VALUES


def test_claiming_the_next_item_and_deciding_takes_few_statements(sit_down):
    bob = sit_down("bob")
    outbox = Outbox(bob, "bob")
    card = review.next_card(bob, "bob", BENCHMARK)
    counts, numbers = [], []
    with sent_statements() as sent:
        for _ in range(4):
            assert card is not None
            sent.clear()
            following = review.next_card(bob, "bob", BENCHMARK, leave_out=(card.number,))
            assert outbox.decide(card.number, "accept", revision=card.revision).state == "accepted"
            counts.append(len(sent))
            numbers.append(card.number)
            card = following
    assert numbers == sorted(set(numbers))
    assert counts == [2, 2, 2, 2]
