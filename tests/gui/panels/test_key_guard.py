"""Keys pressed faster than the disk: none is lost in silence, none lands on another item."""

import itertools
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QPointF, Qt, QTimer
from PySide6.QtGui import QEnterEvent, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from core.workflow import people
from core.workflow.audit import lead_view, lots
from core.workflow.check import adjudicate, rate
from core.workflow.items import history
from core.workflow.workspace import Workspace
from gui.ledger_watch import LedgerWatch
from gui.panels.adjudicate.panel import AdjudicatePanel
from gui.panels.audit.panel import AuditPanel
from gui.panels.base import Panel
from gui.panels.rate.panel import RatePanel
from gui.panels.rate.rubric import CriterionRow
from gui.panels.review.panel import ReviewPanel
from gui.panels.write.panel import WritePanel
from gui.widgets.key_button import KeyButton
from tests.gui.scene import (
    BENCHMARK,
    CTRL,
    LEAD,
    THIRD,
    Scene,
    bench_of,
    decisions_of,
    make_small,
    press,
    rest,
)
from tests.gui.stages_workspace import FOURTH, REWRITES, TITLES, start_audit, triplet

KEY = Qt.Key
SAVING = "still being saved"
UNSEEN = "not shown yet"


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Somebody else writes: nothing of ours is committed meanwhile."""
    other = sqlite3.connect(place / "workspace.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def while_locked(
    scene: Scene, place: Path, panel: Panel, first: Callable[[], None], again: Callable[[], None]
) -> None:
    """Decide, and press on with the window alive, while nothing can be written."""
    with locked(place):
        first()
        for _ in range(4):
            again()
            scene.turn()


def hint(panel: ReviewPanel | AdjudicatePanel | AuditPanel) -> str:
    return panel.decision.findChild(QLabel, "hint").text()


def standing(place: Path, number: int, person: str) -> list[str]:
    """Verdicts of a person on an item, read from the disk."""
    ws = Workspace.open(place)
    try:
        found = history.item_history(ws, number, LEAD).decisions
        return [decision.verdict for decision in found if decision.person == person]
    finally:
        ws.close()


# --- review -----------------------------------------------------------------------------------


def on_page(panel: ReviewPanel) -> int:
    assert panel.queue.current is not None
    return panel.queue.current.card.number


@pytest.mark.parametrize("again", [KEY.Key_A, KEY.Key_R, KEY.Key_E, KEY.Key_S])
def test_review_says_of_a_key_pressed_while_saving_that_it_was_not_taken(again, scene, small_place):
    panel = scene.review(scene.open(small_place))
    first = on_page(panel)
    while_locked(
        scene, small_place, panel, lambda: press(panel, KEY.Key_A), lambda: press(panel, again)
    )
    assert SAVING in hint(panel)
    rest(scene, panel)
    assert decisions_of(small_place, LEAD) == [(first, "accept")]
    assert on_page(panel) != first
    assert f"#{first}" in hint(panel)
    press(panel, KEY.Key_A)
    assert hint(panel) == ""


def test_review_gives_no_key_to_an_item_that_is_not_painted_yet(scene, small_place):
    panel = scene.review(scene.open(small_place))
    first = on_page(panel)
    panel.queue.turned.connect(lambda _leaf: press(panel, KEY.Key_A))
    press(panel, KEY.Key_A)
    scene.until(lambda: panel.ready() and on_page(panel) != first)
    rest(scene, panel)
    assert decisions_of(small_place, LEAD) == [(first, "accept")]
    assert UNSEEN in hint(panel)


def test_review_gives_no_key_to_another_item_while_one_is_taken_back(scene, small_place):
    panel = scene.review(scene.open(small_place))
    first = on_page(panel)
    press(panel, KEY.Key_A)
    rest(scene, panel)
    second = on_page(panel)
    press(panel, KEY.Key_Z, CTRL)
    for key in (KEY.Key_R, KEY.Key_1):
        press(panel, key)
    scene.until(lambda: panel.ready() and on_page(panel) == first)
    rest(scene, panel)
    assert decisions_of(small_place, LEAD) == []
    assert "undone" in hint(panel)
    assert second in [entry.number for entry in panel.queue.listed()]


def test_a_storm_of_keys_decides_what_was_in_sight_and_nothing_else(scene, tmp_path):
    place = make_small(tmp_path / "many", count=20)
    panel = scene.review(scene.open(place))
    taken: list[tuple[int, str]] = []
    verdicts = {KEY.Key_A: "accept", KEY.Key_1: "reject"}
    quick, slow = (KEY.Key_A, KEY.Key_R, KEY.Key_1), (KEY.Key_R, KEY.Key_1, KEY.Key_A)
    for round_ in itertools.count():
        if panel.empty.isVisible():
            break
        with locked(place):
            for key in slow if len(taken) % 3 else quick:
                seen, open_ = panel.page.in_sight, not panel.queue.writing
                choosing = panel.is_choosing_reason()
                press(panel, key)
                if panel.queue.writing and open_ and key in verdicts:
                    assert key is KEY.Key_A or choosing
                    taken.append((seen, verdicts[key]))
                elif key is KEY.Key_A:
                    assert hint(panel)
        for _ in range(1 + round_ % 4):
            scene.turn()
    scene.until(lambda: not panel.context.tasks.busy)
    assert {verdict for _, verdict in taken} == {"accept", "reject"}
    assert len(taken) == 20
    assert decisions_of(place, LEAD) == taken


def test_words_written_on_after_handing_in_do_not_vanish_with_the_note(scene, small_place):
    panel = scene.review(scene.open(small_place))
    first = on_page(panel)
    press(panel, KEY.Key_E)
    QTest.keyClicks(panel.decision.note, "shorter")
    with locked(small_place):
        press(panel, KEY.Key_Return, CTRL)
        press(panel, KEY.Key_A)
        assert SAVING in hint(panel)
        assert panel.decision.note.toPlainText() == "shorter"
    rest(scene, panel)
    assert decisions_of(small_place, LEAD) == [(first, "return")]


# --- settle, rate, audit ----------------------------------------------------------------------


@pytest.mark.parametrize("again", [KEY.Key_A, KEY.Key_R, KEY.Key_E])
def test_settle_says_of_a_key_pressed_while_saving_that_it_was_not_taken(again, scene, place):
    panel = scene.at(scene.open(place, LEAD), "adjudicate")
    assert isinstance(panel, AdjudicatePanel)
    first = panel.page.in_sight
    while_locked(scene, place, panel, lambda: press(panel, KEY.Key_A), lambda: press(panel, again))
    assert SAVING in hint(panel)
    rest(scene, panel)
    assert standing(place, first, LEAD) == ["accept"]
    assert panel.page.in_sight != first
    assert standing(place, panel.page.in_sight, LEAD) == []
    assert hint(panel)


def test_settle_gives_no_key_to_an_item_that_is_not_painted_yet(scene, place):
    panel = scene.at(scene.open(place, LEAD), "adjudicate")
    assert isinstance(panel, AdjudicatePanel)
    first = panel.page.in_sight
    press(panel, KEY.Key_A)
    while panel.page.in_sight in (0, first):
        press(panel, KEY.Key_R)
        press(panel, KEY.Key_1)
        scene.turn()
    rest(scene, panel)
    assert standing(place, panel.page.in_sight, LEAD) == []


def test_settle_keeps_the_item_in_front_when_somebody_else_settles_it(scene, place):
    panel = scene.at(scene.open(place, LEAD), "adjudicate")
    assert isinstance(panel, AdjudicatePanel)
    first = panel.page.in_sight
    ws = Workspace.open(place)
    people.ensure_person(ws, "孙老师", "researcher")
    adjudicate.settle(ws, "孙老师", first, "accept")
    ws.close()
    panel.spoil()
    rest(scene, panel)
    assert panel.page.in_sight == first
    press(panel, KEY.Key_R)
    press(panel, KEY.Key_1)
    rest(scene, panel)
    assert panel.page.in_sight != first
    assert f"#{first}" in bench_of(panel.window()).notice.text
    assert standing(place, panel.page.in_sight, LEAD) == []


def rated(place: Path, number: int) -> dict[str, float]:
    ws = Workspace.open(place)
    try:
        return {r.criterion: r.value for r in history.item_history(ws, number, THIRD).ratings}
    finally:
        ws.close()


GIVEN = {"fluency": 3, "coherence": 2, "factuality": 1, "accuracy": 1}


def rate_all(panel: Panel) -> None:
    for digit in (KEY.Key_3, KEY.Key_2, KEY.Key_1, KEY.Key_1):
        press(panel, digit)
    press(panel, KEY.Key_Return, CTRL)


def test_rate_says_of_a_key_pressed_while_saving_that_it_was_not_taken(scene, place):
    panel = scene.at(scene.open(place, THIRD), "rate")
    assert isinstance(panel, RatePanel)
    first = panel.page.in_sight
    while_locked(scene, place, panel, lambda: rate_all(panel), lambda: press(panel, KEY.Key_1))
    assert SAVING in panel.rubric.hint.text()
    assert panel.rubric.values == GIVEN
    rest(scene, panel)
    assert rated(place, first) == GIVEN
    assert panel.page.in_sight != first
    assert panel.rubric.values == {}
    assert SAVING in panel.rubric.hint.text()


def test_rate_gives_no_digit_to_an_item_that_is_not_painted_yet(scene, place):
    panel = scene.at(scene.open(place, THIRD), "rate")
    assert isinstance(panel, RatePanel)
    first = panel.page.in_sight
    rate_all(panel)
    while panel.page.in_sight in (0, first):
        press(panel, KEY.Key_1)
        scene.turn()
    assert panel.rubric.values == {}
    rest(scene, panel)
    assert rated(place, first) == GIVEN


def test_values_given_while_the_panel_reads_again_stay_on_their_item(scene, place):
    panel = scene.at(scene.open(place, THIRD), "rate")
    assert isinstance(panel, RatePanel)
    first = panel.page.in_sight
    press(panel, KEY.Key_3)
    panel.spoil()
    press(panel, KEY.Key_2)
    rest(scene, panel)
    assert panel.page.in_sight == first
    assert panel.rubric.values == {"fluency": 3, "coherence": 2}


def test_digits_go_to_the_criterion_with_the_focus_though_the_pointer_is_elsewhere(scene, place):
    panel = scene.at(scene.open(place, THIRD), "rate")
    assert isinstance(panel, RatePanel)
    panel.window().clearFocus()
    panel.setFocus()
    here = QPointF(2, 2)
    others = panel.rubric.findChildren(CriterionRow)
    QCoreApplication.sendEvent(others[3], QEnterEvent(here, here, here))
    rate_all(panel)
    rest(scene, panel)
    assert rated(place, _only_rated(place)) == GIVEN


def _only_rated(place: Path) -> int:
    ws = Workspace.open(place)
    try:
        drawn = rate.sample(ws, REWRITES, BENCHMARK).items
    finally:
        ws.close()
    return next(number for number, count in drawn if count)


def test_audit_says_of_a_key_pressed_while_saving_that_it_was_not_taken(scene, place):
    start_audit(place)
    panel = scene.at(scene.open(place, FOURTH), "audit")
    assert isinstance(panel, AuditPanel)
    first = panel.page.in_sight
    while_locked(
        scene, place, panel, lambda: press(panel, KEY.Key_A), lambda: press(panel, KEY.Key_A)
    )
    assert SAVING in hint(panel)
    rest(scene, panel)
    assert panel.page.in_sight not in (0, first)
    assert audited(place) == [first]
    assert SAVING in hint(panel)


def test_audit_gives_no_key_to_an_item_that_is_not_painted_yet(scene, place):
    start_audit(place)
    panel = scene.at(scene.open(place, FOURTH), "audit")
    assert isinstance(panel, AuditPanel)
    first = panel.page.in_sight
    press(panel, KEY.Key_A)
    while panel.page.in_sight in (0, first):
        press(panel, KEY.Key_A)
        scene.turn()
    rest(scene, panel)
    assert audited(place) == [first]


def test_audit_drops_an_answer_that_was_read_before_the_decision(scene, place, monkeypatch):
    start_audit(place)
    panel = scene.at(scene.open(place, FOURTH), "audit")
    assert isinstance(panel, AuditPanel)
    first = panel.page.in_sight
    next_card, audit_tasks = lots.next_card, lead_view.audit_tasks
    was_read, old_may_come, list_may_come = (threading.Event() for _ in range(3))

    def slow_card(*asked):
        card = next_card(*asked)
        if not was_read.is_set():
            was_read.set()
            old_may_come.wait(30)
        return card

    def slow_tasks(*asked):
        found = audit_tasks(*asked)
        if was_read.is_set():
            list_may_come.wait(30)
        return found

    monkeypatch.setattr(lots, "next_card", slow_card)
    monkeypatch.setattr(lead_view, "audit_tasks", slow_tasks)
    panel.spoil()
    scene.until(was_read.is_set)
    press(panel, KEY.Key_A)
    scene.until(lambda: audited(place) == [first] and not panel.can_decide())
    old_may_come.set()
    for _ in range(20):
        scene.turn()
        assert not panel.can_decide(), "the item of the old answer is offered again"
    list_may_come.set()
    rest(scene, panel)
    assert panel.page.in_sight not in (0, first)


@pytest.mark.parametrize("name", ["adjudicate", "audit"])
def test_a_decision_made_from_a_button_leaves_the_keys_on_the_page(name, scene, place):
    if name == "audit":
        start_audit(place)
    panel = scene.at(scene.open(place, FOURTH if name == "audit" else LEAD), name)
    assert isinstance(panel, AdjudicatePanel | AuditPanel)
    button = panel.decision.findChildren(KeyButton)[0]
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert panel.window().focusWidget() is button
    press(panel, KEY.Key_Space)
    rest(scene, panel)
    assert panel.window().focusWidget() is not panel.decision.note


def audited(place: Path) -> list[int]:
    ws = Workspace.open(place)
    try:
        drawn = lots.status(ws, TITLES, BENCHMARK).lots[-1].drawn
        return [one.number for one in drawn if one.verdict]
    finally:
        ws.close()


# --- write ------------------------------------------------------------------------------------


def test_write_takes_nothing_typed_while_handing_in_and_says_so(scene, place):
    panel = scene.at(scene.open(place, THIRD), "write")
    assert isinstance(panel, WritePanel)
    panel.new_item()
    fields = {name: triplet("新的一封信")[name] for name in ("instruction", "input", "output")}
    for name, text in fields.items():
        panel.form.put(name, text)
    panel.form.field("output").setFocus()
    task, title = panel.task(), panel.title
    with locked(place):
        press(panel, KEY.Key_Return, CTRL)
        for key in (KEY.Key_N, KEY.Key_T, KEY.Key_M, KEY.Key_V, KEY.Key_X):
            press(panel, key)
        commit = QInputMethodEvent("", [])
        commit.setCommitString("还在写")
        QCoreApplication.sendEvent(panel.form.field("output"), commit)
        assert "discarded" in panel.says.text()
        assert panel.form.payload()["output"] == fields["output"]
        scene.turn()
    rest(scene, panel)
    assert (panel.task(), panel.title) == (task, title)
    assert panel.form.payload()["output"] == ""
    commit.setCommitString("下一封")
    QCoreApplication.sendEvent(panel.form.field("output"), commit)
    assert panel.form.payload()["output"] == "下一封"


# --- undo, and the truth about saving ---------------------------------------------------------


def test_undo_pressed_ten_times_takes_back_ten_decisions(scene, small_place):
    window = scene.open(small_place)
    panel = scene.review(window)
    for _ in range(11):
        press(panel, KEY.Key_A)
        rest(scene, panel)
    assert len(decisions_of(small_place, LEAD)) == 11
    for _ in range(10):
        press(panel, KEY.Key_Z, CTRL)
    scene.until(lambda: not panel.context.undoing and not panel.context.tasks.busy)
    rest(scene, panel)
    left = decisions_of(small_place, LEAD)
    assert len(left) == 1
    assert on_page(panel) != left[0][0]


def test_undo_pressed_more_often_than_there_is_something_to_undo_says_so(scene, small_place):
    window = scene.open(small_place)
    panel = scene.review(window)
    press(panel, KEY.Key_A)
    rest(scene, panel)
    for _ in range(3):
        press(panel, KEY.Key_Z, CTRL)
    scene.until(lambda: not panel.context.undoing and not panel.context.tasks.busy)
    assert decisions_of(small_place, LEAD) == []
    assert "nothing to undo" in bench_of(window).notice.text


def test_the_status_line_says_while_something_waits_to_be_saved(scene, small_place):
    window = scene.open(small_place)
    panel = scene.review(window)
    status = bench_of(window).status
    with locked(small_place):
        press(panel, KEY.Key_A)
        scene.until(lambda: status.saved.text() == "saving…")
    scene.until(lambda: status.saved.text().startswith("saved ✓"))


# --- a small window ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["review", "adjudicate", "rate", "audit"])
def test_an_item_can_be_read_to_the_end_of_its_lines_in_the_smallest_window(name, scene, place):
    start_audit(place)
    window = scene.open(place, FOURTH if name == "audit" else LEAD)
    window.resize(window.minimumSize())
    panel = scene.at(window, name)
    page = panel.page
    scene.until(lambda: page.document().idealWidth() <= page.viewport().width() + 1)
    assert page.viewport().width() >= 260


def test_the_reason_and_its_hint_do_not_overlap_in_the_smallest_window(scene, place):
    start_audit(place)
    window = scene.open(place, FOURTH)
    window.resize(window.minimumSize())
    panel = scene.at(window, "audit")
    assert isinstance(panel, AuditPanel)
    press(panel, KEY.Key_R)
    column = panel.decision
    hint_ = column.findChild(QLabel, "hint")
    scene.until(lambda: hint_.geometry().top() >= column.note.geometry().bottom())


def test_imports_for_the_dashboards_wait_while_somebody_decides(scene, small_place):
    panel = scene.review(scene.open(small_place))
    watch = LedgerWatch.of(panel.context)
    waiting = next(t for t in watch.findChildren(QTimer) if t.isSingleShot())
    waiting.start()
    scene.until(lambda: waiting.remainingTime() < waiting.interval() - 100)
    before = waiting.remainingTime()
    press(panel, KEY.Key_A)
    assert waiting.remainingTime() > before
    assert waiting.isActive()
    rest(scene, panel)


def test_an_item_taken_back_stays_in_front_when_its_new_decision_is_refused(scene, small_place):
    panel = scene.review(scene.open(small_place))
    first = on_page(panel)
    press(panel, KEY.Key_A)
    rest(scene, panel)
    press(panel, KEY.Key_Z, CTRL)
    scene.until(lambda: not panel.context.undoing and not panel.context.tasks.busy)
    rest(scene, panel)
    assert on_page(panel) == first
    panel.decision.note.setPlainText("about this one")
    with refusing(small_place):
        press(panel, KEY.Key_A)
        scene.until(lambda: not panel.context.tasks.busy and not panel.queue.writing)
    rest(scene, panel)
    assert on_page(panel) == first
    assert panel.decision.note.toPlainText() == "about this one"


# --- a folder that cannot be written ----------------------------------------------------------


@pytest.mark.parametrize("name", ["review", "rate"])
def test_a_decision_that_cannot_be_written_keeps_the_item_and_its_values(name, scene, place):
    panel = scene.at(scene.open(place, THIRD if name == "rate" else LEAD), name)
    seen = panel.page.in_sight
    bench = bench_of(panel.window())
    with refusing(place):
        if isinstance(panel, RatePanel):
            rate_all(panel)
        else:
            press(panel, KEY.Key_A)
        scene.until(lambda: bench.notice.isVisible() and not panel.context.tasks.busy)
    assert panel.page.in_sight == seen
    assert bench.status.saved.text() == "not saved ✕"
    if isinstance(panel, RatePanel):
        assert panel.rubric.values == GIVEN
        press(panel, KEY.Key_Return, CTRL)
    else:
        press(panel, KEY.Key_A)
    rest(scene, panel)
    assert panel.page.in_sight != seen
    assert bench.status.saved.text().startswith("saved ✓")


@contextmanager
def refusing(place: Path) -> Iterator[None]:
    """A database that refuses every decision and rating, as a full disk does."""
    other = sqlite3.connect(place / "workspace.db", isolation_level=None)
    for table in ("decision", "rating"):
        other.execute(
            f"CREATE TRIGGER full_{table} BEFORE INSERT ON {table} "
            "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )
    try:
        yield
    finally:
        for table in ("decision", "rating"):
            other.execute(f"DROP TRIGGER full_{table}")
        other.close()
