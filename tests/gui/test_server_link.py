"""The server goes while somebody decides by keys: nothing stands still, and nothing is lost."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from core.errors import BenchsealError, ConflictError
from core.workflow import people
from core.workflow.check import leases, rate, review
from core.workflow.check.outbox import Outbox
from core.workflow.items import history, undo
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from gui.dialogs.outbox import OutboxDialog
from gui.panels.adjudicate.panel import AdjudicatePanel
from gui.panels.rate.panel import RatePanel
from gui.panels.rate.rubric import CriterionRow
from gui.panels.review.panel import ReviewPanel
from gui.window.main_window import MainWindow
from tests.gui.scene import Scene, bench_of, press
from tests.hostile.attackers.children import Child, Say
from tests.postgres import OwnServer, own_server
from tests.workspaces import BENCHMARK, make_task, write_items

TEAM = ("ann", "bob", "cy", "dan")


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    with own_server() as started:
        yield started


@pytest.fixture
def items() -> int:
    """How many items the workspace has."""
    return 60


@pytest.fixture
def address(
    server: OwnServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, items: int
) -> Callable[[str], str]:
    """The address of a workspace with items, as somebody of the team has it."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    database = server.create()
    Workspace.create(server.url(database), "boss", "boss").close()
    with ExitStack() as stack:
        boss = stack.enter_context(opened(server.url(database, "boss")))
        for name in TEAM:
            people.ensure_person(boss, name, "annotator")
        make_task(boss, overlap=1)
        write_items(stack.enter_context(opened(server.url(database, "ann"))), items)
    return lambda who: server.url(database, who)


class opened:  # noqa: N801 (reads as the block that it opens)
    """A workspace, closed at the end."""

    def __init__(self, address: str) -> None:
        self._address = address

    def __enter__(self) -> Workspace:
        self._ws = Workspace.open(self._address)
        return self._ws

    def __exit__(self, *_: object) -> None:
        self._ws.close()


def at_review(scene: Scene, window: MainWindow) -> ReviewPanel:
    panel = scene.review(window)
    scene.until(lambda: panel.ready() and not window.tasks.busy)
    return panel


def decide(scene: Scene, window: MainWindow, panel: ReviewPanel) -> int:
    """Accept the item on the page by its key; returns its number once the next one is there."""
    scene.until(lambda: panel.ready() and panel.listens())
    number = panel.item()
    press(window, Qt.Key.Key_A)
    scene.until(lambda: panel.item() != number and not panel.queue.writing)
    return number


def test_the_window_says_so_goes_on_and_sends_what_it_kept(scene, server, address):
    window = open_at(scene, address("bob"), "bob")
    panel = at_review(scene, window)
    link = bench_of(window).context.link
    first = decide(scene, window, panel)
    queue = panel.queue
    scene.until(lambda: len(queue.reserve) == 4 and queue.following is not None)  # None is no "no"
    scene.until(lambda: not window.tasks.busy)
    server.stop()
    try:
        kept = [decide(scene, window, panel) for _ in range(3)]
        scene.until(lambda: link.is_lost)
        status = bench_of(window).status
        assert "not connected" in status.connected.text()
        assert link.waiting == 3
        assert "this computer" in status.saved.text()
        while panel.queue.current is not None:
            kept.append(decide(scene, window, panel))
        assert len(kept) == 6  # all that was held: the one in front, the next, and four more
        assert "6 decisions are kept here" in shown_text(panel)
    finally:
        server.start()
    link.try_now()
    scene.until(lambda: not link.is_lost and link.waiting == 0)
    scene.until(lambda: panel.ready() and panel.item() not in (0, first, *kept))
    with opened(address("boss")) as boss:
        for number in (first, *kept):
            assert history.state_of(boss, number) == "accepted"
        assert verify(boss).findings == ()


def open_at(scene: Scene, location: str, person: str) -> MainWindow:
    return scene.open(location, person)  # type: ignore[arg-type]  # an address is a place as well


def shown_text(panel: ReviewPanel | RatePanel | AdjudicatePanel) -> str:
    return " ".join(one.text() for one in panel.empty.findChildren(QLabel))


def test_what_was_given_to_somebody_else_meanwhile_is_shown(scene, server, address):
    window = open_at(scene, address("bob"), "bob")
    panel = at_review(scene, window)
    link = bench_of(window).context.link
    server.stop()
    number = decide(scene, window, panel)
    scene.until(lambda: link.is_lost)
    server.start()
    with opened(address("bob")) as bob, opened(address("cy")) as cy:
        leases.release(bob, "bob")
        review.claim_item(cy, "cy", number)
        review.decide(cy, "cy", number, "reject", reason="formula")
    link.try_now()
    scene.until(lambda: bool(link.report.refused) and not link.is_lost)
    bench_of(window).actions_.action("outbox").trigger()
    (dialog,) = bench_of(window).findChildren(OutboxDialog)
    scene.until(lambda: f"#{number}" in dialog.page.toPlainText())
    assert dialog.forget.isVisible()
    dialog.forget.click()
    scene.until(lambda: not link.report.refused)
    dialog.reject()
    scene.until(lambda: not window.tasks.busy)


def prepare_rating(location: str, number: int) -> None:
    """A drawn item on which Bob and Cy disagree, and that Dan, a specialist, may settle."""
    with opened(location) as boss:
        people.set_role(boss, "dan", "specialist")
        make_task(boss, "rated", overlap=2, rubric="coreeval", raters=2, rating_sample=2)
        numbers = write_items(boss, 2, author="boss", task="rated", start=900)
        rate.draw(boss, "rated", "boss", seed=1)
    for who, verdict in (("bob", "accept"), ("cy", "reject")):
        with opened(location.replace("boss@", f"{who}@")) as ws:
            review.claim_item(ws, who, numbers[number])
            review.decide(ws, who, numbers[number], verdict, reason="ambiguous")


@pytest.mark.parametrize("items", [1])
def test_ratings_are_kept_while_the_server_is_away_and_sent_after(scene, server, address):
    prepare_rating(address("boss"), 0)
    window = open_at(scene, address("bob"), "bob")
    panel = scene.at(window, "rate")
    link = bench_of(window).context.link
    scene.until(lambda: panel.ready() and panel.item() and not window.tasks.busy)
    number = panel.item()
    server.stop()
    try:
        for row in panel.rubric.findChildren(CriterionRow):
            row.choose(row.criterion.values[0].value)
        scene.until(panel.rubric.submit.isEnabled)
        panel.hand_in()
        scene.until(lambda: link.is_lost and link.waiting == 1)
        assert "1 decision is kept here" in shown_text(panel)
        (kept,) = link.report.waiting
        assert (kept.kind, kept.number) == ("rate", number)
    finally:
        server.start()
    panel.empty.button.click()
    scene.until(lambda: not link.is_lost and link.waiting == 0)
    scene.until(lambda: panel.ready() and panel.item() not in (0, number))
    with opened(address("bob")) as bob:
        assert set(rate.rating_card(bob, "bob", number).own) == {name for name, _ in kept.values}


@pytest.mark.parametrize("items", [1])
def test_an_adjudication_is_kept_while_the_server_is_away_and_sent_after(scene, server, address):
    prepare_rating(address("boss"), 0)
    window = open_at(scene, address("dan"), "dan")
    panel = scene.at(window, "adjudicate")
    link = bench_of(window).context.link
    scene.until(lambda: panel.ready() and panel.item() and not window.tasks.busy)
    number = panel.item()
    server.stop()
    try:
        scene.until(lambda: panel.page.in_sight == number)
        press(window, Qt.Key.Key_A)
        scene.until(lambda: link.is_lost and link.waiting == 1)
        assert "1 decision is kept here" in shown_text(panel)
    finally:
        server.start()
    panel.empty.button.click()
    scene.until(lambda: not link.is_lost and link.waiting == 0)
    with opened(address("boss")) as boss:
        assert history.state_of(boss, number) == "accepted"


def kept_before(location: str, *, revision: int | None = None) -> int:
    """Bob's decision on his first item, kept by a window that is gone; the item's number."""
    with opened(location) as bob:
        card = review.next_card(bob, "bob", BENCHMARK)
        assert card is not None
        Outbox(bob, "bob").decide(card.number, "accept", revision=revision, sending=False)
        return card.number


def test_what_an_earlier_window_kept_is_sent_before_the_first_item_is_shown(scene, server, address):
    number = kept_before(address("bob"))
    window = open_at(scene, address("bob"), "bob")
    panel = at_review(scene, window)
    assert panel.item() != number
    with opened(address("boss")) as boss:
        assert history.state_of(boss, number) == "accepted"


def test_a_decision_of_an_earlier_window_that_is_not_taken_is_said(scene, server, address):
    kept_before(address("bob"), revision=7)
    window = open_at(scene, address("bob"), "bob")
    at_review(scene, window)
    notice = bench_of(window).notice
    assert "not taken" in " ".join(one.text() for one in notice.findChildren(QLabel))


def test_closing_the_window_gives_nothing_away_that_was_decided(scene, server, address):
    window = open_at(scene, address("bob"), "bob")
    panel = at_review(scene, window)
    link = bench_of(window).context.link
    server.stop()
    number = decide(scene, window, panel)
    scene.until(lambda: link.is_lost and link.waiting == 1)
    link.stop()  # it is not asked again in time
    server.start()
    window.close()
    with opened(address("cy")) as cy, opened(address("bob")) as bob:
        with pytest.raises(ConflictError):
            review.claim_item(cy, "cy", number)
        report = Outbox(bob, "bob").send()
        assert [kept.number for kept in report.sent] == [number]


def test_an_item_that_is_brought_back_is_not_held_a_second_time(scene, server, address):
    window = open_at(scene, address("bob"), "bob")
    panel = at_review(scene, window)
    queue = panel.queue
    number = decide(scene, window, panel)
    scene.until(lambda: len(queue.reserve) == 4 and not window.tasks.busy)
    with opened(address("bob")) as bob:
        undo.undo(bob, "bob")
    decide(scene, window, panel)
    scene.until(lambda: number in [card.number for card in queue.reserve])
    queue.bring_back(number)
    scene.until(lambda: panel.item() == number)
    assert number not in [card.number for card in queue.reserve]


@pytest.mark.parametrize("items", [12])
def test_few_items_are_left_for_others(scene, server, address):
    window = open_at(scene, address("bob"), "bob")
    panel = at_review(scene, window)
    scene.until(lambda: panel.queue.following is not None and not window.tasks.busy)
    assert len(panel.queue.reserve) == 1  # of twelve; with forty it is four


class Colleague:
    """A process of somebody with a journal of their own, who decides as often as they are told."""

    def __init__(self, location: str, person: str) -> None:
        self.person, self._location = person, location
        self._told, self._tell = os.pipe()
        self._child = Child(self._work)
        self._wanted = 0

    def go_on(self, count: int) -> None:
        """Let them make so many more decisions."""
        self._wanted += count
        os.write(self._tell, b"." * count)

    def made(self) -> list[tuple[str, int]]:
        """Their decisions, once they made all that they were told."""
        assert len(self._child.hear(self._wanted, 60)) == self._wanted
        return [(self.person, number) for number in self._child.said]

    def die(self) -> None:
        """SIGKILL."""
        self._child.kill()

    def _work(self, say: Say) -> None:
        ws = Workspace.open(self._location)
        outbox = Outbox(ws, self.person)
        outbox.send()
        held: list[review.ReviewCard] = []
        while True:
            leave_out = tuple(card.number for card in held)
            with suppress(BenchsealError):
                while len(held) < 4 and (
                    card := review.next_card(ws, self.person, BENCHMARK, leave_out=leave_out)
                ):
                    held.append(card)
                    leave_out = (*leave_out, card.number)
            os.read(self._told, 1)
            card = held.pop(0)
            outbox.decide(card.number, "accept", revision=card.revision)
            say(card.number)


def test_three_outages_and_a_death_lose_and_double_nothing(scene, server, address):
    team = {name: Colleague(address(name), name) for name in ("cy", "dan")}
    for one in team.values():
        one.go_on(1)
        one.made()
    window = open_at(scene, address("bob"), "bob")
    panel = at_review(scene, window)
    link = bench_of(window).context.link
    made: list[tuple[str, int]] = []
    for outage in range(3):
        for one in team.values():
            one.go_on(2)
        made += [("bob", decide(scene, window, panel)) for _ in range(2)]
        for one in team.values():
            one.made()
        server.stop()
        for one in team.values():
            one.go_on(1)
        made += [("bob", decide(scene, window, panel)) for _ in range(2)]
        for one in team.values():
            one.made()
        if outage == 1:  # one dies with a decision in the journal, and comes again
            made += team["cy"].made()
            team["cy"].die()
        server.start()
        if outage == 1:
            team["cy"] = Colleague(address("cy"), "cy")
        link.try_now()
        scene.until(lambda: not link.is_lost and not link.waiting)
    for one in team.values():
        one.go_on(1)
        made += one.made()
        one.die()
    scene.until(lambda: not window.tasks.busy)
    with opened(address("boss")) as boss:
        for name in team:
            with opened(address(name)) as own:
                assert not Outbox(own, name).send().trouble
        there = Counter(
            (event.actor, number)
            for number in range(1, 61)
            for event in history.item_history(boss, number, "boss").events
            if event.kind == "decided"
        )
        assert set(there) == set(made)
        assert len(made) == 12 + 11 + 11
        assert set(there.values()) == {1}
        assert verify(boss).findings == ()


@contextmanager
def full_disk(superuser: str) -> Iterator[None]:
    """The server has no room for a decision."""
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute(
            "CREATE FUNCTION public.full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE "
            "EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$"
        )
        connection.execute(
            "CREATE TRIGGER z_full BEFORE INSERT ON decision FOR EACH ROW EXECUTE FUNCTION full()"
        )
        try:
            yield
        finally:
            connection.execute("DROP TRIGGER z_full ON decision")
            connection.execute("DROP FUNCTION public.full()")


def test_a_full_disk_of_the_server_is_said_and_decisions_are_kept_until_there_is_room(
    scene: Scene, address: Callable[[str], str]
):
    window = open_at(scene, address("bob"), "bob")
    panel = at_review(scene, window)
    scene.until(lambda: panel.queue.following is not None and len(panel.queue.reserve) == 4)
    bench, link = bench_of(window), bench_of(window).context.link
    kept = []
    with full_disk(address("postgres")):
        for _ in range(2):
            scene.until(lambda: panel.ready() and panel.listens())
            kept.append(panel.item())
            press(window, Qt.Key.Key_A)
            scene.until(lambda: panel.item() != kept[-1] and not panel.queue.writing)
        scene.until(lambda: link.waiting == 2 and bench.notice.isVisible())
        assert "is full" in bench.notice.text
        assert "does not answer" not in bench.notice.text
        assert "not connected" not in bench.status.connected.text()
        assert "2 decisions wait here" in bench.status.connected.text()
    link.try_now()
    scene.until(lambda: not link.is_lost and link.waiting == 0)
    assert "connected ●" in bench.status.connected.text()
    with opened(address("boss")) as boss:
        assert [history.state_of(boss, number) for number in kept] == ["accepted"] * 2
        assert verify(boss).findings == ()


def test_a_decision_that_this_computer_cannot_keep_stays_in_front(
    scene: Scene, address: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    blocked = tmp_path / "no folder"
    blocked.write_bytes(b"")
    monkeypatch.setenv("XDG_DATA_HOME", os.fspath(blocked))
    window = open_at(scene, address("bob"), "bob")
    panel = at_review(scene, window)
    bench = bench_of(window)
    number = panel.item()
    with full_disk(address("postgres")):
        press(window, Qt.Key.Key_A)
        scene.until(lambda: bench.notice.isVisible() and not panel.queue.writing)
        assert "full" in bench.notice.text
        scene.until(lambda: panel.ready() and panel.item() == number)
    scene.until(lambda: panel.listens())
    press(window, Qt.Key.Key_A)
    scene.until(lambda: panel.item() != number and not panel.queue.writing)
    with opened(address("boss")) as boss:
        assert history.state_of(boss, number) == "accepted"
