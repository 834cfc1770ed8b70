"""The day of a reviewer: keys decide, nothing is decided twice, hidden things stay hidden."""

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from core.workflow import people, team
from core.workflow.check import leases, review
from core.workflow.items import history
from core.workflow.workspace import Workspace
from db import items
from gui.panels.review.panel import ReviewPanel
from tests.gui.scene import (
    CTRL,
    LEAD,
    SECOND,
    Scene,
    bench_of,
    decisions_of,
    make_small,
    press,
    rest,
    type_text,
)
from tests.gui.stages_workspace import make_stages


@pytest.fixture
def panel(scene: Scene, small_place: Path) -> ReviewPanel:
    return scene.review(scene.open(small_place))


def number(panel: ReviewPanel) -> int:
    assert panel.queue.shown is not None
    return panel.queue.shown.card.number


def decide(scene: Scene, panel: ReviewPanel, *keys: Qt.Key) -> int:
    """Press keys and wait for the next item; returns the number of the one decided."""
    scene.until(panel.ready)
    before = number(panel)
    for key in keys:
        press(panel, key)
    scene.until(lambda: panel.queue.shown is None or number(panel) != before)
    scene.until(lambda: panel.ready() and not panel.context.tasks.busy)
    return before


def test_one_key_accepts_and_the_next_item_is_there(scene, panel, small_place):
    following = panel.queue.following
    assert following is not None
    first = decide(scene, panel, Qt.Key.Key_A)
    assert number(panel) == following.card.number
    assert decisions_of(small_place, LEAD) == [(first, "accept")]


@pytest.mark.parametrize(
    ("digit", "reason"),
    [
        (Qt.Key.Key_1, "ambiguous"),
        (Qt.Key.Key_2, "not_solvable"),
        (Qt.Key.Key_3, "formula"),
        (Qt.Key.Key_4, "language"),
    ],
)
def test_r_and_a_digit_reject_with_that_reason(digit, reason, scene, panel, small_place):
    decided = decide(scene, panel, Qt.Key.Key_R, digit)
    ws = Workspace.open(small_place)
    life = history.item_history(ws, decided, LEAD)
    ws.close()
    assert [(d.verdict, d.reason) for d in life.decisions] == [("reject", reason)]


def test_skipping_leaves_the_total_as_it_is_and_says_what_is_set_aside(scene, panel):
    rest(scene, panel)
    assert panel.queue_column.left == "12 left of 12"
    first = decide(scene, panel, Qt.Key.Key_S)
    rest(scene, panel)
    assert panel.queue_column.left == "11 left of 12, 1 skipped"
    decide(scene, panel, Qt.Key.Key_A)
    rest(scene, panel)
    assert panel.queue_column.left == "10 left of 12, 1 skipped"
    panel.queue_column.list.chosen.emit(first)
    scene.until(lambda: number(panel) == first)
    decide(scene, panel, Qt.Key.Key_A)
    rest(scene, panel)
    assert panel.queue_column.left == "10 left of 12"


def test_undoing_a_skip_counts_the_item_again_at_once(scene, panel):
    decide(scene, panel, Qt.Key.Key_S)
    press(panel, Qt.Key.Key_Z, CTRL)
    rest(scene, panel)
    assert panel.queue_column.left == "12 left of 12"


def test_a_digit_alone_does_nothing(scene, panel, small_place):
    before = number(panel)
    press(panel, Qt.Key.Key_1)
    scene.until(lambda: not panel.context.tasks.busy)
    assert number(panel) == before
    assert decisions_of(small_place, LEAD) == []


def test_another_reason_needs_a_note_and_ctrl_enter(scene, panel, small_place):
    press(panel, Qt.Key.Key_R)
    press(panel, Qt.Key.Key_5)
    assert panel.decision.note.hasFocus()
    press(panel, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert decisions_of(small_place, LEAD) == []
    QTest.keyClicks(panel.decision.note, "Bad arse, too")
    first = number(panel)
    press(panel, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    scene.until(lambda: number(panel) != first)
    assert decisions_of(small_place, LEAD) == [(first, "reject")]
    assert panel.decision.note.toPlainText() == ""
    assert not panel.decision.note.hasFocus()


def test_enter_alone_never_decides(scene, panel, small_place):
    press(panel, Qt.Key.Key_E)
    QTest.keyClicks(panel.decision.note, "shorter")
    press(panel, Qt.Key.Key_Return)
    scene.until(lambda: not panel.context.tasks.busy)
    assert decisions_of(small_place, LEAD) == []
    assert panel.decision.note.toPlainText() == "shorter\n"


def test_a_return_carries_its_note(scene, panel, small_place):
    first = number(panel)
    press(panel, Qt.Key.Key_E)
    QTest.keyClicks(panel.decision.note, "shorter")
    press(panel, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    scene.until(lambda: number(panel) != first)
    assert decisions_of(small_place, LEAD) == [(first, "return")]


def test_letters_in_the_note_decide_nothing(scene, panel, small_place):
    panel.decision.note.setFocus()
    QTest.keyClicks(panel.decision.note, "a r e s k o d 1 2 3 ? A")
    scene.until(lambda: not panel.context.tasks.busy)
    assert decisions_of(small_place, LEAD) == []
    assert panel.decision.note.toPlainText() == "a r e s k o d 1 2 3 ? A"


def test_a_letter_that_belongs_to_an_input_method_decides_nothing(scene, panel, small_place):
    note = panel.decision.note
    note.setFocus()
    QCoreApplication.sendEvent(note, QInputMethodEvent("jia", []))
    press(panel, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    press(panel, Qt.Key.Key_A)
    commit = QInputMethodEvent()
    commit.setCommitString("加")
    QCoreApplication.sendEvent(note, commit)
    scene.until(lambda: not panel.context.tasks.busy)
    assert decisions_of(small_place, LEAD) == []
    assert "加" in note.toPlainText()


def test_skipping_gives_the_item_to_others(scene, panel, small_place):
    first = decide(scene, panel, Qt.Key.Key_S)
    assert decisions_of(small_place, LEAD) == []
    ws = Workspace.open(small_place)
    offered = set()
    while (card := review.next_card(ws, SECOND, "arxiv-2026b")) is not None:
        offered.add(card.number)
        review.decide(ws, SECOND, card.number, "accept")
    ws.close()
    assert first in offered


def test_undo_brings_the_item_back_and_the_present_one_waits(scene, panel, small_place):
    first = decide(scene, panel, Qt.Key.Key_A)
    second = number(panel)
    press(panel, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    scene.until(lambda: number(panel) == first)
    assert decisions_of(small_place, LEAD) == []
    assert panel.queue.following is not None
    assert panel.queue.following.card.number == second
    decide(scene, panel, Qt.Key.Key_R, Qt.Key.Key_1)
    assert decisions_of(small_place, LEAD) == [(first, "reject")]
    assert number(panel) == second


def test_the_status_line_names_what_undo_would_undo(scene, panel):
    bench = bench_of(panel.window())
    assert bench.status.undo.text() == "Nothing to undo"
    first = decide(scene, panel, Qt.Key.Key_A)
    assert bench.status.undo.text() == f"Undo: accept #{first}"
    assert bench.status.saved.text().startswith("saved ✓")


def test_keys_pressed_before_the_page_turns_decide_nothing(scene, panel, small_place):
    first, second = number(panel), panel.queue.following.card.number
    for _ in range(5):
        press(panel, Qt.Key.Key_A)
    scene.until(lambda: number(panel) == second and panel.ready())
    assert decisions_of(small_place, LEAD) == [(first, "accept")]


def test_all_items_can_be_decided_and_then_the_panel_says_so(scene, panel, small_place):
    for _ in range(12):
        before = number(panel)
        press(panel, Qt.Key.Key_A)
        scene.until(lambda b=before: panel.queue.shown is None or number(panel) != b)
        scene.until(panel.ready)
    scene.until(lambda: panel.empty.isVisible())
    assert len(decisions_of(small_place, LEAD)) == 12


def test_the_key_is_shown_on_request_only(scene, panel):
    assert "✓" not in panel.page.toPlainText()
    press(panel, Qt.Key.Key_K)
    assert "✓" in panel.page.toPlainText()
    press(panel, Qt.Key.Key_K)
    assert "✓" not in panel.page.toPlainText()


def test_what_others_said_is_shown_after_deciding_and_not_before(scene, tmp_path):
    place = make_small(tmp_path / "two", overlap=2)
    ws = Workspace.open(place)
    for _ in range(3):
        card = review.next_card(ws, SECOND, "arxiv-2026b")
        review.decide(ws, SECOND, card.number, "reject", reason="formula")
    ws.close()
    panel = scene.review(scene.open(place))
    said = panel.page.toPlainText() + panel.strip.text
    assert "formula" not in said
    assert "rejected" not in said
    decide(scene, panel, Qt.Key.Key_A)
    assert "another reviewer: rejected (formula)" in panel.strip.text
    assert "disagree" in panel.strip.text


def test_an_earlier_item_that_is_decided_again_gives_way_to_the_one_that_waits(
    scene, panel, small_place
):
    first = decide(scene, panel, Qt.Key.Key_A)
    press(panel, Qt.Key.Key_Up)
    scene.until(lambda: number(panel) == first and panel.page.in_sight == first)
    press(panel, Qt.Key.Key_R)
    press(panel, Qt.Key.Key_1)
    scene.until(lambda: number(panel) != first and not panel.context.tasks.busy)
    assert decisions_of(small_place, LEAD) == [(first, "reject")]
    assert panel.can_decide()


def test_a_decision_that_is_refused_says_why_and_what_still_waits_is_in_front(
    scene, panel, small_place
):
    before = number(panel)
    ws = Workspace.open(small_place)
    leases.release(ws, LEAD)
    review.claim_item(ws, SECOND, before)
    review.decide(ws, SECOND, before, "accept")
    ws.close()
    press(panel, Qt.Key.Key_R)
    press(panel, Qt.Key.Key_5)
    type_text(panel, "Not a sentence.")
    press(panel, Qt.Key.Key_Return, CTRL)
    bench = bench_of(panel.window())
    scene.until(lambda: bench.notice.isVisible())
    assert bench.status.saved.text() == "not saved ✕"
    assert f"#{before}" in bench.notice.text
    scene.until(lambda: number(panel) != before and panel.ready())
    assert not panel.decision.note.hasFocus()  # keys are for the item that is in front now
    second = decide(scene, panel, Qt.Key.Key_A)
    assert decisions_of(small_place, LEAD) == [(second, "accept")]


@pytest.mark.parametrize("key", [Qt.Key.Key_A, Qt.Key.Key_S])
@pytest.mark.parametrize("skipped", [False, True])
def test_what_one_did_in_another_window_is_told_quietly_and_the_next_item_comes(
    scene, panel, small_place, key, skipped
):
    before = number(panel)
    ws = Workspace.open(small_place)
    if skipped:
        review.skip(ws, LEAD, before)
    else:
        review.decide(ws, LEAD, before, "accept")
    ws.close()
    bench = bench_of(panel.window())
    press(panel, key)
    scene.until(lambda: number(panel) != before and panel.ready())
    if skipped and key == Qt.Key.Key_A:
        assert decisions_of(small_place, LEAD) == [(before, "accept")]
        return
    told = f"You skipped item #{before}" if skipped else f"You decided on item #{before} already"
    assert bench.notice.text.startswith(told)
    assert LEAD not in bench.notice.text
    assert bench.notice.property("tone") != "reject"
    assert bench.status.saved.text() != "not saved ✕"
    verdict = "skipped" if skipped else "accepted"
    scene.until(lambda: f"#{before} {verdict}" in panel.queue_column.list.accessibleDescription())


def test_a_skipped_item_stays_in_the_list_when_the_counts_are_read_again(scene, panel, small_place):
    first = decide(scene, panel, Qt.Key.Key_A)
    skipped = decide(scene, panel, Qt.Key.Key_S)
    last = decide(scene, panel, Qt.Key.Key_A)
    panel.queue.count()
    scene.until(lambda: not panel.context.tasks.busy)
    rows = [(row.number, row.verdict) for row in panel.queue.rows]
    assert rows == [(first, "accept"), (skipped, "skip"), (last, "accept")]


def test_an_items_own_decision_counts_not_its_skip_before(scene, panel, small_place):
    skipped = decide(scene, panel, Qt.Key.Key_S)
    panel.queue.take_up(skipped)
    scene.until(lambda: number(panel) == skipped and panel.ready())
    press(panel, Qt.Key.Key_A)
    scene.until(lambda: not panel.context.tasks.busy and panel.ready())
    panel.queue.count()
    scene.until(lambda: not panel.context.tasks.busy)
    assert [(row.number, row.verdict) for row in panel.queue.rows] == [(skipped, "accept")]


def test_an_item_rewritten_meanwhile_comes_back_in_its_new_words(scene, tmp_path):
    place = make_stages(tmp_path / "stages")
    panel = scene.review(scene.open(place, SECOND))
    first = number(panel)
    ws = Workspace.open(place)
    people.ensure_person(ws, "孙老师", "specialist")
    with ws.writing() as session:
        items.change(session, [first], open_slots=2)
    review.decide(ws, "孙老师", first, "return", note="请改短。")
    ws.close()
    press(panel, Qt.Key.Key_A)
    bench = bench_of(panel.window())
    scene.until(lambda: bench.notice.isVisible())
    scene.until(lambda: number(panel) != first and panel.ready())
    assert panel.can_decide()


def test_the_source_is_shown_in_its_article(scene, full_place):
    panel = scene.review(scene.open(full_place, "王芳"))
    press(panel, Qt.Key.Key_O)
    scene.until(lambda: panel.queue.shown.text.passage is not None)
    passage = panel.queue.shown.text.passage
    assert (
        passage.text in panel.page.toPlainText().replace("\n", "\n\n")
        or passage.text.split("\n")[0] in panel.page.toPlainText()
    )
    assert "In the article" in panel.page.toPlainText()


def test_chinese_items_keep_to_the_measure(scene, panel):
    assert 560 <= panel.page.measure <= 680


def test_closing_the_window_gives_undecided_items_to_the_others(scene, tmp_path):
    place = make_small(tmp_path / "two", count=2)
    window = scene.open(place)
    scene.review(window)
    scene.close()
    ws = Workspace.open(place)
    assert review.next_card(ws, SECOND, "arxiv-2026b") is not None
    ws.close()


def test_a_new_item_appears_by_itself_where_nothing_was_left(scene, tmp_path):
    from tests.gui.scene import add_items
    from tests.splits import varied

    place = make_small(tmp_path / "one", count=1)
    panel = scene.review(scene.open(place))
    press(panel, Qt.Key.Key_A)
    scene.until(lambda: panel.empty.isVisible())
    ws = Workspace.open(place)
    add_items(ws, [varied(77)])
    ws.close()
    scene.until(lambda: panel.queue.current is not None)
    assert not panel.empty.isVisible()


def test_the_count_in_the_list_of_places_goes_down_and_up_again_with_an_undo(scene, small_place):
    window = scene.open(small_place)
    panel = scene.review(window)
    bench = bench_of(window)
    badge = bench.navigation.findChild(QLabel, "badge of review")
    bench.poll()
    scene.until(lambda: badge.text() == "12")
    decide(scene, panel, Qt.Key.Key_A)
    bench.poll()
    scene.until(lambda: badge.text() == "11")
    press(panel, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    scene.until(lambda: badge.text() == "12")


def test_who_is_paused_reads_so_where_the_next_item_would_be(scene: Scene, small_place):
    panel = scene.review(scene.open(small_place, SECOND))
    ws = Workspace.open(small_place)
    team.change_member(ws, SECOND, team.MemberChange(pause="holiday until Monday"), LEAD)
    for _ in range(2):  # what is in hand may be finished
        rest(scene, panel)
        press(panel, Qt.Key.Key_A)
    scene.until(panel.empty.isVisible)
    rest(scene, panel)
    assert len(decisions_of(small_place, SECOND)) == 2
    why = "Chen is paused: holiday until Monday. Contact a lead."

    def read() -> list[str]:
        return [part.text() for part in panel.empty.findChildren(QLabel)]

    assert why in read()
    press(panel, Qt.Key.Key_J, Qt.KeyboardModifier.ShiftModifier)
    scene.until(lambda: not panel.empty.isVisible())
    press(panel, Qt.Key.Key_J)  # back from what was decided it reads the same
    scene.until(panel.empty.isVisible)
    assert why in read()
    team.change_member(ws, SECOND, team.MemberChange(resume=True), LEAD)
    ws.close()
    panel.empty.button.click()
    scene.until(lambda: panel.can_decide() and not panel.empty.isVisible())
