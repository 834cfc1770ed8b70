"""Writing at the context: by keys, never lost, never handed in by accident."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from core.families.base import ItemContent
from core.workflow import tasks
from core.workflow.check import review
from core.workflow.items import history, search, undo
from core.workflow.production import write
from core.workflow.production.author_view import TextCheck
from core.workflow.production.duplicates import SimilarItem
from core.workflow.workspace import Workspace
from gui import theme
from gui.panels.write.check_document import check_document
from gui.panels.write.panel import WritePanel
from gui.panels.write.requests import DraftSlot
from gui.panels.write.text_checker import CheckedText, TextChecker
from gui.widgets.form import GrowingText
from gui.window.status_poll import undo_words
from tests.gui.scene import (
    BENCHMARK,
    CTRL,
    LEAD,
    SECOND,
    THIRD,
    Scene,
    bench_of,
    press,
    rest,
)
from tests.gui.stages_workspace import (
    LABELS,
    MOODS,
    TITLES,
    fill_by_keys,
    mood,
    start_audit,
    states,
    triplet,
    writing,
)
from tests.paths import ROOT
from tests.polling import until


def drafts(place: Path, person: str = THIRD) -> list[dict]:
    ws = Workspace.open(place)
    try:
        return [draft.payload for draft in write.my_drafts(ws, person)]
    finally:
        ws.close()


def new_item(scene: Scene, panel: WritePanel) -> None:
    press(panel, Qt.Key.Key_N)
    rest(scene, panel)


def test_what_came_back_is_in_front_with_the_words_of_the_reviewer(scene, place):
    panel = writing(scene, place)
    said = panel.page.toPlainText()
    assert "标题太长，也没有概括文章。" in said
    assert "71% similar to #" in said
    assert SECOND not in said


def test_the_difference_to_what_came_back_is_shown_while_writing(scene, place):
    panel = writing(scene, place)
    fill_by_keys(panel, output="河边")
    scene.until(lambda: "What you changed" in panel.page.toPlainText())


def test_what_is_alike_is_shown_while_writing(scene, place):
    panel = writing(scene, place)
    new_item(scene, panel)
    fill_by_keys(panel, **{k: triplet("第1封信")[k] for k in ("input", "output")})
    scene.until(lambda: "100% similar to #1" in panel.page.toPlainText())


def test_what_was_noticed_about_one_text_is_never_said_of_the_next(scene, place):
    panel = writing(scene, place)
    new_item(scene, panel)
    fill_by_keys(panel, **{k: triplet("第1封信")[k] for k in ("input", "output")})
    assert panel.check.is_due
    press(panel, Qt.Key.Key_Escape)
    press(panel, Qt.Key.Key_N)
    assert not panel.check.is_due
    rest(scene, panel)
    alike = ItemContent("instruction", "triplet", triplet("第1封信"))
    front = [DraftSlot(panel.task(), BENCHMARK, "triplet"), DraftSlot(panel.task(), BENCHMARK, "")]
    checker = TextChecker(
        panel.context, panel.page, lambda: CheckedText(front[0], alike, None), panel
    )
    checker.begin(now=True)
    front.pop(0)  # another item is in the form before the answer comes
    scene.until(lambda: not checker.is_checking)
    assert "similar to #1" not in panel.page.toPlainText()
    checker.begin(now=True)
    scene.until(lambda: "100% similar to #1" in panel.page.toPlainText())


def test_a_label_is_chosen_by_keys_and_nothing_else_happens(scene, fresh):
    panel = writing(scene, fresh)
    panel.choose_task(MOODS)
    scene.until(lambda: panel.task() == MOODS and panel.form.field("label") is not None)
    rest(scene, panel)
    fill_by_keys(panel, input="很好。", output="正面")
    press(panel, Qt.Key.Key_Tab)
    box = panel.form.field("label")
    assert panel.window().focusWidget() is box
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_N, Qt.Key.Key_T):
        press(panel, key)
    rest(scene, panel)
    assert box is panel.form.field("label")
    assert box.currentText() == LABELS[0]
    assert panel.form.payload()["input"] == "很好。"


def test_a_submission_that_is_taken_back_is_in_the_form_again(scene, fresh):
    panel = writing(scene, fresh)
    panel.choose_task(TITLES)
    scene.until(lambda: panel.task() == TITLES)
    rest(scene, panel)
    fill_by_keys(panel, input="文章：春天来了，河水涨了。", output="春水")
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    assert "submitted" in panel.says.text()
    press(panel, Qt.Key.Key_Escape)
    press(panel, Qt.Key.Key_Z, CTRL)
    scene.until(lambda: panel.title.startswith("Returned item"))
    rest(scene, panel)
    assert panel.form.payload()["output"] == "春水"
    assert not panel.says.isVisible()
    fill_by_keys(panel, output="春水涨了")
    offered: list[str] = []
    panel.context.undo_changed.connect(offered.append)
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    assert states(fresh, TITLES) == {"draft": 1}
    ws = Workspace.open(fresh)
    waits = undo.preview(ws, THIRD)
    ws.close()
    assert waits is not None
    assert offered[0] == undo_words(waits)


@pytest.mark.parametrize("saved", [False, True], ids=["at once", "once it was saved"])
def test_what_was_left_for_another_item_is_in_the_list(saved, scene, fresh):
    panel = writing(scene, fresh)
    panel.choose_task(MOODS)
    scene.until(lambda: panel.task() == MOODS)
    rest(scene, panel)
    fill_by_keys(panel, input="很好。")
    if saved:
        scene.until(lambda: len(drafts(fresh)) == 1)
        rest(scene, panel)
    press(panel, Qt.Key.Key_Escape)
    new_item(scene, panel)
    scene.until(lambda: panel.left.entries.count() == 2)
    assert "很好。" in panel.left.entries.item(0).text()
    assert panel.form.payload()["input"] == ""


def test_the_guideline_is_read_as_in_review_and_not_as_its_markdown(scene, fresh):
    ws = Workspace.open(fresh)
    tasks.change(ws, MOODS, LEAD, guideline="# Moods\n\nOne **label** each.", benchmark=BENCHMARK)
    ws.close()
    panel = writing(scene, fresh)
    panel.choose_task(MOODS)
    scene.until(lambda: panel.task() == MOODS)
    rest(scene, panel)
    assert panel.left.guideline.toPlainText().rstrip() == "Moods\nOne label each."


def test_enter_begins_a_line_and_never_hands_in(scene, fresh):
    panel = writing(scene, fresh)
    fill_by_keys(panel, instruction="一", input="二", output="三")
    for _ in range(3):
        press(panel, Qt.Key.Key_Return)
        press(panel, Qt.Key.Key_Enter)
    rest(scene, panel)
    assert panel.form.payload()["output"].startswith("三\n")
    assert states(fresh, panel.left.tasks.currentText()) == {}


@pytest.mark.parametrize("modifier", [Qt.KeyboardModifier.NoModifier, CTRL])
def test_committing_pinyin_with_enter_never_hands_in(modifier, scene, fresh):
    panel = writing(scene, fresh)
    fill_by_keys(panel, instruction="一", input="二", output="三")
    field = panel.window().focusWidget()
    composing = QInputMethodEvent("chun tian", [])
    QCoreApplication.sendEvent(field, composing)
    QTest.keyClick(field, Qt.Key.Key_Return, modifier)
    committed = QInputMethodEvent("", [])
    committed.setCommitString("春天")
    QCoreApplication.sendEvent(field, committed)
    rest(scene, panel)
    assert "春天" in panel.form.payload()["output"]
    assert states(fresh, panel.left.tasks.currentText()) == {}


def test_letters_that_are_keys_are_text_inside_the_form(scene, fresh):
    panel = writing(scene, fresh)
    press(panel, Qt.Key.Key_F)
    for key in (Qt.Key.Key_N, Qt.Key.Key_T, Qt.Key.Key_V, Qt.Key.Key_U, Qt.Key.Key_M):
        press(panel, key)
    assert panel.form.payload()["instruction"] == "ntvum"


def test_handing_in_with_a_field_empty_says_which(scene, fresh):
    panel = writing(scene, fresh)
    fill_by_keys(panel, instruction="一", input="二")
    press(panel, Qt.Key.Key_Return, CTRL)
    assert "Output" in panel.says.text()
    rest(scene, panel)
    assert states(fresh, panel.left.tasks.currentText()) == {}


def test_a_draft_is_saved_while_writing_and_gone_once_handed_in(scene, fresh):
    panel = writing(scene, fresh)
    fill_by_keys(panel, instruction="一", input="二")
    scene.until(lambda: len(drafts(fresh)) == 1)
    assert drafts(fresh)[0]["input"] == "二"
    fill_by_keys(panel, output="三")
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    assert drafts(fresh) == []


def test_handing_in_before_the_first_save_leaves_no_draft(scene, fresh):
    panel = writing(scene, fresh)
    fill_by_keys(panel, instruction="一", input="二", output="三")
    panel.save()
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    assert drafts(fresh) == []
    assert states(fresh, panel.left.tasks.currentText()) == {"draft": 1}


def test_what_is_written_is_kept_when_the_window_closes_at_once(scene, fresh):
    window = scene.open(fresh, THIRD)
    panel = scene.at(window, "write")
    fill_by_keys(panel, instruction="一", input="写到一半")
    window.close()
    assert [draft["input"] for draft in drafts(fresh)] == ["写到一半"]


def test_the_same_content_is_refused_with_the_reason_and_stays_in_the_form(scene, place):
    panel = writing(scene, place)
    new_item(scene, panel)
    fill_by_keys(panel, **{k: triplet("第1封信")[k] for k in ("input", "output")})
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    assert "#1" in panel.says.text()
    assert panel.form.payload()["output"] == triplet("第1封信")["output"]


def test_a_revision_without_a_change_is_refused_and_nothing_is_called_unsaved(scene, place):
    panel = writing(scene, place)
    assert panel.title.startswith("Returned item")
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    assert "is unchanged" in panel.says.text()
    assert "not saved" not in bench_of(panel.window()).status.saved.text()


def test_an_item_that_was_submitted_is_not_called_a_draft(qapp):
    alike = SimilarItem(7, 0.8, "a text", "draft", False)
    noticed = TextCheck((alike,), ())
    page = check_document(noticed, None, ("", ""), theme.LIGHT, 300, False).toPlainText()
    assert "submitted, not reviewed yet" in page
    assert "draft" not in page


def test_an_instruction_of_the_task_is_written_as_an_item(scene, place):
    panel = writing(scene, place)
    press(panel, Qt.Key.Key_M)
    fill_by_keys(panel, text="用不超过十个字概括下文。")
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    ws = Workspace.open(place)
    newest = search.page(
        ws, search.Filters(BENCHMARK, task=TITLES, format="instruction"), viewer=""
    ).rows
    ws.close()
    assert len(newest) == 2


def test_the_next_instruction_of_the_task_is_taken_by_a_key(scene, place):
    panel = writing(scene, place)
    new_item(scene, panel)
    press(panel, Qt.Key.Key_V)
    press(panel, Qt.Key.Key_V)
    assert panel.form.payload()["instruction"] == "请给下文起一个标题。"


def test_a_field_grows_with_its_text(scene, fresh):
    panel = writing(scene, fresh)
    field = panel.form.field("input")
    assert isinstance(field, GrowingText)
    before = field.height()
    fill_by_keys(panel, input="一行。\n" * 8)
    scene.until(lambda: field.height() > before + 60)


_TYPIST = """
import sys
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QInputMethodEvent
from gui.screenshots.panels import wait_for
from gui.app import application
from gui.window.main_window import MainWindow
from gui.preferences import Preferences
place, person = sys.argv[1:]
app = application(Preferences())
window = MainWindow(place, Preferences(), keeping=False)
window.open_(person)
window.show()
wait_for(lambda: window.workbench is not None)
bench = window.workbench
bench.show_panel("write")
panel = bench.panel("write")
wait_for(lambda: panel.ready() and not window.tasks.busy)
panel.form.field("input").setFocus()
event = QInputMethodEvent("", [])
event.setCommitString("写到一半就断电了")
QCoreApplication.sendEvent(panel.form.field("input"), event)
app.exec()
"""


def test_a_draft_survives_sigkill(fresh, home):
    command = [sys.executable, "-c", _TYPIST, str(fresh), THIRD]
    process = subprocess.Popen(command, cwd=ROOT, env=dict(os.environ))
    try:
        until(lambda: any("断电" in d["input"] for d in drafts(fresh)))
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(10)
    assert [draft["input"] for draft in drafts(fresh)] == ["写到一半就断电了"]


def test_items_of_a_failed_lot_are_handed_in_unchanged(scene, place):
    start_audit(place, failing=True)
    panel = writing(scene, place)
    panel.left.unchanged.click()
    rest(scene, panel)
    assert states(place, TITLES)["returned"] == 2  # one failed the audit, one a reviewer returned


def test_a_draft_that_was_left_and_opened_again_is_as_it_was_left(scene, place):
    panel = writing(scene, place)
    press(panel, Qt.Key.Key_J)
    rest(scene, panel)
    fill_by_keys(panel, output="第一次改")
    press(panel, Qt.Key.Key_Escape)
    press(panel, Qt.Key.Key_Up)
    rest(scene, panel)
    assert "标题太长" in panel.page.toPlainText()
    press(panel, Qt.Key.Key_J)
    rest(scene, panel)
    assert panel.form.payload()["output"] == "第一次改"


def test_a_revision_is_acknowledged_and_what_came_back_elsewhere_is_one_press_away(scene, fresh):
    ws = Workspace.open(fresh)
    for task, payload in (
        (TITLES, triplet("第一封信")),
        (MOODS, mood("菜一般，不再来了。", "负面")),
    ):
        number = write.submit(ws, THIRD, task, payload).number
        review.decide(ws, SECOND, number, "return", note="太短")
    ws.close()
    panel = writing(scene, fresh)
    here, there = panel.task(), ({TITLES, MOODS} - {panel.task()}).pop()
    assert panel.left.elsewhere.text() == f"1 returned in {there}"
    fill_by_keys(panel, input="文章：第一封很长很长的信，写给河边的祖父和他的老朋友们。" * 2)
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    assert panel.says.text().endswith("submitted.")
    assert panel.task() == here
    panel.left.elsewhere.setFocus()
    press(panel, Qt.Key.Key_Space)
    rest(scene, panel)
    assert panel.task() == there
    assert "太短" in panel.page.toPlainText()
    assert not panel.left.elsewhere.isVisible()


def test_no_button_without_words_stands_there_before_the_task_is_read(scene, fresh):
    panel = bench_of(scene.open(fresh, THIRD)).panel("write")
    assert isinstance(panel, WritePanel)
    assert [b.text() for b in panel.left.findChildren(QPushButton) if not b.isHidden()] == []


def test_what_came_back_is_counted_in_the_list_of_places_and_again_after_an_undo(scene, fresh):
    ws = Workspace.open(fresh)
    number = write.submit(ws, THIRD, TITLES, triplet("第一封信")).number
    review.decide(ws, SECOND, number, "return", note="太短")
    ws.close()
    window = scene.open(fresh, THIRD)
    bench = bench_of(window)
    badge = bench.navigation.findChild(QLabel, "badge of write")
    scene.until(lambda: badge.text() == "1")
    ws = Workspace.open(fresh)
    undo.undo(ws, SECOND)
    ws.close()
    bench.poll()
    scene.until(lambda: badge.text() == "")


def test_a_question_with_options_is_written_by_keys_and_handed_in(scene, fresh):
    ws = Workspace.open(fresh)
    tasks.add(ws, "选择题", "choice", benchmark=BENCHMARK, protocol={"gate": "off"})
    ws.close()
    panel = writing(scene, fresh)
    for _ in range(panel.left.tasks.count()):
        if panel.left.tasks.currentText() != "选择题":
            press(panel, Qt.Key.Key_T)
            rest(scene, panel)
    fill_by_keys(panel, question="谁在夜里读数？", options="磨坊主\n没有人\n镇长", key="B")
    assert panel.form.payload()["options"] == ["磨坊主", "没有人", "镇长"]
    press(panel, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: states(fresh, "选择题") == {"draft": 1})
    ws = Workspace.open(fresh)
    (number,) = search.numbers(ws, search.Filters(task="选择题"), viewer=LEAD)
    payload = history.item_history(ws, number, LEAD).revisions[0].content.payload
    ws.close()
    assert (payload["key"], payload["right"]) == ("B", "one")
