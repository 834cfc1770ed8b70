"""The three stages at the desks of the window, by keys: write, settle, rate, audit."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from core.workflow import audit, finding, look, rate, review, tasks, undo, verify, write
from core.workflow.workspace import Workspace
from gui.main_window import MainWindow
from gui.panels.adjudicate import AdjudicatePanel
from gui.panels.audit import AuditPanel
from gui.panels.base import Panel
from gui.panels.rate import RatePanel
from gui.panels.write import WritePanel
from gui.widgets.form import GrowingText
from gui.widgets.import_sheet import ImportSheet
from gui.widgets.verify import VerifyDialog
from tests.gui.scene import BENCHMARK, LEAD, SECOND, THIRD, Scene, bench_of, copy_of, settle
from tests.gui.stages_scene import (
    FOURTH,
    MOODS,
    REWRITES,
    TITLES,
    add_tasks,
    make_people,
    make_stages,
    start_audit,
    triplet,
)

CTRL = Qt.KeyboardModifier.ControlModifier
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def stages_template(tmp_path_factory) -> Path:
    return make_stages(tmp_path_factory.mktemp("stages") / "full")


@pytest.fixture
def place(stages_template: Path, tmp_path: Path) -> Path:
    return copy_of(stages_template, tmp_path / "stages")


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A workspace with people and tasks, and nothing written yet."""
    folder = tmp_path / "fresh"
    ws = Workspace.create(folder)
    make_people(ws)
    add_tasks(ws)
    ws.close()
    return folder


def press(panel: QWidget, key: Qt.Key, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    window = panel.window()
    QTest.keyClick(window.focusWidget() or window, key, modifier)


def type_text(panel: QWidget, text: str) -> None:
    """Text as an input method commits it, into whatever has the focus."""
    event = QInputMethodEvent("", [])
    event.setCommitString(text)
    QCoreApplication.sendEvent(panel.window().focusWidget(), event)


def rest(scene: Scene, panel: Panel) -> None:
    scene.until(lambda: panel.ready() and not panel.desk.tasks.busy)


def writing(scene: Scene, place: Path, person: str = THIRD) -> WritePanel:
    panel = scene.at(scene.open(place, person), "write")
    assert isinstance(panel, WritePanel)
    return panel


def opened(place: Path) -> Workspace:
    return Workspace.open(place)


def states(place: Path, task: str) -> dict[str, int]:
    ws = opened(place)
    try:
        return {name: n for name, n in tasks.show(ws, task, BENCHMARK).states.items() if n}
    finally:
        ws.close()


def drafts(place: Path, person: str = THIRD) -> list[dict]:
    ws = opened(place)
    try:
        return [draft.payload for draft in write.my_drafts(ws, person)]
    finally:
        ws.close()


def fill_by_keys(panel: WritePanel, **fields: str) -> None:
    """Go into the form and write the fields in their order, Tab between them."""
    press(panel, Qt.Key.Key_F)
    for path, text in fields.items():
        widget = panel.form.field(path)
        while panel.window().focusWidget() is not widget:
            press(panel, Qt.Key.Key_Tab)
        press(panel, Qt.Key.Key_A, CTRL)
        type_text(panel, text)


# --- the whole loop ---------------------------------------------------------------------------


def choose_titles(scene: Scene, panel: WritePanel) -> None:
    while panel.left.tasks.currentText() != TITLES:
        press(panel, Qt.Key.Key_T)
        rest(scene, panel)


def test_an_item_is_written_returned_fixed_accepted_and_audited_by_keys_alone(scene, fresh):
    window = scene.open(fresh, THIRD)
    panel = scene.at(window, "write")
    choose_titles(scene, panel)
    fill_by_keys(panel, input="文章：春天来了，河水涨了。", output="很长很长的标题")
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    assert states(fresh, TITLES) == {"draft": 1}

    reviewing = scene.review(scene.open(fresh, SECOND))
    press(reviewing, Qt.Key.Key_E)
    type_text(reviewing, "标题太长。")
    press(reviewing, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: reviewing.deck.leaf is None and not reviewing.desk.tasks.busy)
    assert states(fresh, TITLES) == {"returned": 1}

    again = writing(scene, fresh)
    choose_titles(scene, again)
    assert "标题太长。" in again.page.toPlainText()
    fill_by_keys(again, output="春水")
    press(again, Qt.Key.Key_Return, CTRL)
    rest(scene, again)
    assert states(fresh, TITLES) == {"draft": 1}

    accepting = scene.review(scene.open(fresh, SECOND))
    press(accepting, Qt.Key.Key_A)
    scene.until(lambda: accepting.deck.leaf is None and not accepting.desk.tasks.busy)
    assert states(fresh, TITLES) == {"accepted": 1}

    auditing = scene.at(scene.open(fresh, FOURTH), "audit")
    press(auditing, Qt.Key.Key_B)
    rest(scene, auditing)
    press(auditing, Qt.Key.Key_A)
    rest(scene, auditing)
    assert states(fresh, TITLES) == {"approved": 1}
    assert "The lot passed" in auditing.page.toPlainText()
    assert FOURTH in auditing.page.toPlainText()
    ws = opened(fresh)
    assert verify.verify(ws).sound
    ws.close()


# --- writing ----------------------------------------------------------------------------------


def new_item(scene: Scene, panel: WritePanel) -> None:
    press(panel, Qt.Key.Key_N)
    rest(scene, panel)


def test_what_came_back_is_in_front_with_the_words_of_the_reviewer(scene, place):
    panel = writing(scene, place)
    said = panel.page.toPlainText()
    assert "标题太长，也没有概括文章。" in said
    assert "71% like" in said or "% like #" in said
    assert SECOND not in said


def test_the_difference_to_what_came_back_is_shown_while_writing(scene, place):
    panel = writing(scene, place)
    fill_by_keys(panel, output="河边")
    scene.until(lambda: "What you changed" in panel.page.toPlainText())


def test_what_is_alike_is_shown_while_writing(scene, place):
    panel = writing(scene, place)
    new_item(scene, panel)
    fill_by_keys(panel, **{k: triplet("第1封信")[k] for k in ("input", "output")})
    scene.until(lambda: "100% like #1" in panel.page.toPlainText())


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


def test_an_instruction_of_the_task_is_written_as_an_item(scene, place):
    panel = writing(scene, place)
    press(panel, Qt.Key.Key_M)
    fill_by_keys(panel, text="用不超过十个字概括下文。")
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    ws = opened(place)
    newest = finding.page(ws, finding.Filters(BENCHMARK, task=TITLES, format="instruction")).rows
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
from gui.pictures import wait_for
from gui.app import application
from gui.main_window import MainWindow
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
        assert settle(60, lambda: any("断电" in d["input"] for d in drafts(fresh)))
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


# --- settling, rating, auditing ---------------------------------------------------------------


def test_a_dispute_shows_both_reasons_without_names_and_is_settled_by_a_key(scene, place):
    panel = scene.at(scene.open(place, LEAD), "adjudicate")
    assert isinstance(panel, AdjudicatePanel)
    said = panel.page.toPlainText()
    assert "“一般”是中性，不是正面。" in said
    assert SECOND not in said
    assert FOURTH not in said
    press(panel, Qt.Key.Key_A)
    rest(scene, panel)
    press(panel, Qt.Key.Key_R)
    press(panel, Qt.Key.Key_1)
    rest(scene, panel)
    assert states(place, MOODS) == {"accepted": 3, "rejected": 1}
    assert "Nothing is disputed." in panel.empty._title.text()


def test_who_reviewed_an_item_is_not_asked_to_settle_it(scene, place):
    panel = scene.at(scene.open(place, SECOND), "adjudicate")
    assert panel.list.count() == 0


def test_a_rewrite_is_rated_by_digits_and_tab(scene, place):
    panel = scene.at(scene.open(place, THIRD), "rate")
    assert isinstance(panel, RatePanel)
    number = panel._card.card.number
    for digit in (Qt.Key.Key_3, Qt.Key.Key_2, Qt.Key.Key_1, Qt.Key.Key_1):
        press(panel, digit)
        press(panel, Qt.Key.Key_Tab)
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    assert panel._card.card.number != number
    ws = opened(place)
    life = look.life(ws, number, THIRD)
    ws.close()
    given = {rating.criterion: rating.value for rating in life.ratings}
    assert given == {"fluency": 3, "coherence": 2, "factuality": 1, "accuracy": 1}


def test_a_digit_outside_the_scale_is_refused_with_the_scale(scene, place):
    panel = scene.at(scene.open(place, THIRD), "rate")
    press(panel, Qt.Key.Key_0)
    assert "1, 2, 3" in panel.rubric.hint.text()
    assert panel.rubric.values == {}


def test_others_ratings_are_hidden_until_ones_own_are_handed_in(scene, place):
    ws = opened(place)
    drawn = rate.next_card(ws, REWRITES, SECOND, BENCHMARK).card.number
    rate.rate(ws, SECOND, drawn, {"fluency": 1, "coherence": 1, "factuality": 0, "accuracy": 0})
    ws.close()
    panel = scene.at(scene.open(place, THIRD), "rate")
    assert panel._card.card.number == drawn
    assert panel.strip.isHidden()
    for digit in (Qt.Key.Key_3, Qt.Key.Key_3, Qt.Key.Key_1, Qt.Key.Key_1):
        press(panel, digit)
        press(panel, Qt.Key.Key_Tab)
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    assert "Others gave: Fluency 1" in panel.says.text()


def test_the_semantic_rewrite_is_shown_on_request(scene, place):
    panel = scene.at(scene.open(place, THIRD), "rate")
    assert "Semantic rewrite" not in panel.page.toPlainText()
    press(panel, Qt.Key.Key_K)
    assert "Semantic rewrite" in panel.page.toPlainText()


def test_a_failed_item_returns_the_lot_with_its_reason(scene, place):
    start_audit(place)
    panel = scene.at(scene.open(place, FOURTH), "audit")
    assert isinstance(panel, AuditPanel)
    press(panel, Qt.Key.Key_R)
    press(panel, Qt.Key.Key_Return, CTRL)
    assert states(place, TITLES)["accepted"] == 6
    type_text(panel, "标题与文章无关。")
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)
    said = panel.page.toPlainText()
    assert "The lot was returned" in said
    assert "标题与文章无关。" in said
    assert states(place, TITLES)["returned"] == 7


def test_the_plan_is_said_with_its_odds_and_others_are_looked_at(scene, fresh):
    ws = opened(fresh)
    tasks.set_protocol(ws, TITLES, {"audit_sample": "20"}, person=LEAD, benchmark=BENCHMARK)
    for number in range(200):
        done = write.submit(ws, THIRD, TITLES, triplet(f"第{number}封信"), benchmark=BENCHMARK)
        review.decide(ws, SECOND, done.number, "accept")
    ws.close()
    panel = scene.at(scene.open(fresh, LEAD), "audit")
    assert panel.says.text().startswith(
        "20 drawn, none may fail: a lot with 10% defects passes 11% of the time"
    )
    press(panel, Qt.Key.Key_P)
    rest(scene, panel)
    assert panel.says.text().startswith("32 drawn, none may fail")
    press(panel, Qt.Key.Key_B)
    rest(scene, panel)
    ws = opened(fresh)
    assert audit.status(ws, TITLES, BENCHMARK).lots == ()
    ws.close()
    for _ in range(3):
        press(panel, Qt.Key.Key_P)
        rest(scene, panel)
    assert panel.says.text().startswith("20 drawn, none may fail")
    press(panel, Qt.Key.Key_P)
    rest(scene, panel)
    panel.choose.click()
    rest(scene, panel)
    ws = opened(fresh)
    assert tasks.show(ws, TITLES, BENCHMARK).protocol.audit_sample == 32
    ws.close()


# --- importing and verifying ------------------------------------------------------------------


def sheet_of(scene: Scene, window: MainWindow) -> ImportSheet:
    panel = scene.at(window, "sources")
    panel.open_import()
    sheet = window.findChild(ImportSheet)
    assert sheet is not None
    scene.until(lambda: not window.tasks.busy)
    return sheet


def test_a_file_is_looked_at_mapped_and_imported_with_every_row_accounted_for(
    scene, fresh, tmp_path
):
    path = tmp_path / "题目.csv"
    lines = ["问题,答案,说明", "第一题,甲,请回答。", "第二题,,请回答。", "第一题,甲,请回答。"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    window = scene.open(fresh, LEAD)
    sheet = sheet_of(scene, window)
    sheet.benchmark.setText(BENCHMARK)
    sheet.task.setCurrentText(TITLES)
    sheet.open_path(str(path))
    scene.until(lambda: not window.tasks.busy)
    for field, source in (("instruction", "说明"), ("input", "问题"), ("output", "答案")):
        sheet._fields[field].setCurrentText(source)
    assert sheet.import_button.isEnabled()
    sheet.check()
    scene.until(lambda: not window.tasks.busy)
    assert "Of 3 rows 1 would be taken, 1 are known already, 1 cannot" in sheet.says.text()
    assert states(fresh, TITLES) == {}
    sheet.start()
    scene.until(lambda: not window.tasks.busy)
    assert "Of 3 rows 1 are taken" in sheet.says.text()
    assert states(fresh, TITLES) == {"draft": 1}
    assert sheet.model.rowCount() == 2
    sheet.close()


def test_a_file_that_is_no_table_is_refused_in_words(scene, fresh, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\x00\x01\xff")
    window = scene.open(fresh, LEAD)
    sheet = sheet_of(scene, window)
    sheet.open_path(str(path))
    scene.until(lambda: not window.tasks.busy)
    assert "x.jsonl" in sheet.says.text()
    assert not sheet.import_button.isEnabled()
    sheet.close()


def test_a_lead_verifies_from_the_window(scene, place):
    window = scene.open(place, LEAD)
    bench = bench_of(window)
    bench.actions_.action("verify").trigger()
    dialog = window.findChild(VerifyDialog)
    scene.until(lambda: not window.tasks.busy)
    assert dialog.title.text() == "✓ Everything fits."
    dialog.close()


def test_only_leads_find_the_command_that_verifies(scene, place):
    window = scene.open(place, THIRD)
    assert "verify" not in bench_of(window).actions_.bound()


def test_an_annotator_has_no_desk_of_the_overseers(scene, place):
    window = scene.open(place, THIRD)
    assert set(bench_of(window).places) >= {"write", "review", "rate"}
    assert not {"adjudicate", "audit"} & set(bench_of(window).places)


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


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("theme_name", ["light", "dark"])
def test_every_desk_shows_a_workspace_in_full_work(code, theme_name, scene, place):
    window = scene.open(place, LEAD, theme_name=theme_name, language=code)
    for name in ("write", "adjudicate", "rate", "audit"):
        image = scene.at(window, name).grab().toImage()
        inks = {
            image.pixel(x, y)
            for x in range(0, image.width(), 3)
            for y in range(0, image.height(), 3)
        }
        assert len(inks) > 30, name
        assert not bench_of(window).notice.isVisible(), bench_of(window).notice.text


def test_what_came_back_is_counted_in_the_list_of_places_and_again_after_an_undo(scene, fresh):
    ws = opened(fresh)
    number = write.submit(ws, THIRD, TITLES, triplet("第一封信")).number
    review.decide(ws, SECOND, number, "return", note="太短")
    ws.close()
    window = scene.open(fresh, THIRD)
    bench = bench_of(window)
    badge = bench.navigation._badges["write"]
    scene.until(lambda: badge.text() == "1")
    ws = opened(fresh)
    undo.undo(ws, SECOND)
    ws.close()
    bench.beat()
    scene.until(lambda: badge.text() == "")
