"""A task's own rubric, written beside what raters will read, and rated by keys."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from core.workflow import tasks
from core.workflow.check import rate
from core.workflow.rubrics import own_criteria, rubric
from core.workflow.workspace import Workspace
from gui.dialogs.rubric_editor import RubricEditor
from gui.panels.dashboards.agreement import AgreementPanel
from gui.panels.rate.panel import RatePanel
from gui.panels.rate.rubric import CriterionRow
from tests.gui.dialogs.test_task import context_of, opened_on
from tests.gui.scene import BENCHMARK, LEAD, SECOND, THIRD, Scene, bench_of, press
from tests.gui.stages_workspace import MOODS
from tests.workspaces import ratings_of

OWN = """Clarity: Is it clear what is asked?
1 no
2 yes

难度：有多难？
0 容易
3 一般
5 难
7 很难
9 极难"""


def test_a_lead_writes_a_rubric_and_reads_it_as_raters_will(scene: Scene, place):
    sheet = opened_on(scene, place, MOODS)
    editor = sheet.rubric
    sheet.tabs.setCurrentWidget(editor)
    assert "Fluency" in editor.reading.toPlainText()  # what counts without own criteria
    editor.set_text("Clarity: Is it clear?\n1 no\nyes")
    assert editor.reading.toPlainText().startswith("Line 3 of the rubric")
    scene.until(lambda: "Line 3" in sheet.preview.text())
    assert not sheet.save.isEnabled()
    editor.set_text(OWN)
    assert "极难" in editor.reading.toPlainText()
    scene.until(sheet.save.isEnabled)
    assert "rubric" in sheet.preview.text()
    assert "Existing ratings stay" in sheet.preview.text()
    sheet.save.click()
    scene.until(lambda: len(context_of(place, MOODS).versions[-1].rubric) == 2)
    scene.until(lambda: not sheet.unsaved())
    sheet.close()


def test_one_begins_with_the_shipped_criteria_which_stay_the_same_ones(scene: Scene, place):
    sheet = opened_on(scene, place, MOODS)
    sheet.tabs.setCurrentWidget(sheet.rubric)
    sheet.rubric.begin.click()
    assert sheet.rubric.text.startswith("Fluency: ")
    assert not sheet.rubric.begin.isEnabled()
    scene.until(sheet.save.isEnabled)
    sheet.save.click()
    names = [criterion.name for criterion in rubric("coreeval").criteria]
    scene.until(lambda: [c.name for c in context_of(place, MOODS).versions[-1].rubric] == names)


def test_only_a_lead_writes_it(scene: Scene, place):
    sheet = opened_on(scene, place, MOODS, THIRD)
    sheet.tabs.setCurrentWidget(sheet.rubric)
    assert sheet.rubric.field.isReadOnly()
    assert not sheet.rubric.begin.isVisible()


def test_tags_in_a_rubric_stay_text(qtbot):
    holder = QWidget()
    qtbot.addWidget(holder)
    editor = RubricEditor("#777777", holder)
    editor.show_rubric((), "", may_edit=True)
    editor.set_text("<b>x</b>: <img src=a>?\n1 <i>\n2 b")
    assert "<img src=a>?" in editor.reading.toPlainText()
    assert "<b>x</b>" in editor.reading.toPlainText()


def with_own_rubric(place) -> None:
    ws = Workspace.open(place)
    tasks.set_protocol(ws, MOODS, {"rating_sample": "2", "raters": "2"}, person=LEAD)
    tasks.change(ws, MOODS, LEAD, rubric=OWN)
    rate.draw(ws, MOODS, LEAD, seed=1)
    ws.close()


def test_an_item_is_rated_by_the_digits_of_an_own_rubric(scene: Scene, place):
    with_own_rubric(place)
    window = scene.open(place, SECOND)
    panel = scene.at(window, "rate")
    assert isinstance(panel, RatePanel)
    names = [panel.tasks.itemText(row) for row in range(panel.tasks.count())]
    panel.tasks.setCurrentIndex(names.index(MOODS))
    panel.tasks.activated.emit(names.index(MOODS))
    scene.until(lambda: panel.task() == MOODS and panel.item() > 0)
    scene.until(lambda: not window.tasks.busy and panel.page.painted > 0)
    # those of the rubric before linger for a moment
    scene.until(lambda: len(panel.rubric.findChildren(CriterionRow)) == 2)
    assert "answer key" not in panel.rubric.hint.text()  # the answer is in sight
    number = panel.item()
    for key in (Qt.Key.Key_2, Qt.Key.Key_9):
        press(panel, key)
    assert panel.rubric.values == {"Clarity": 2, "难度": 9}
    press(panel, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    scene.until(lambda: panel.item() != number)
    ws = Workspace.open(place)
    assert ratings_of(ws, SECOND, number)[SECOND] == {"Clarity": 2.0, "难度": 9.0}
    assert len(own_criteria(tasks.show(ws, MOODS, BENCHMARK).profile)) == 2
    ws.close()


def test_the_agreement_on_an_own_criterion_can_be_chosen(scene: Scene, place):
    with_own_rubric(place)
    window = scene.open(place, LEAD)
    panel = scene.at(window, "agreement")
    assert isinstance(panel, AgreementPanel)
    scene.until(lambda: panel.criterion.findData("难度") > 0)
    at = panel.criterion.findData("难度")
    panel.criterion.setCurrentIndex(at)
    panel.criterion.activated.emit(at)
    scene.until(lambda: panel.ready() and panel.request.criterion == "难度")
    scene.until(lambda: not window.tasks.busy)
    assert panel.criterion.currentData() == "难度"
    assert bench_of(window).front == "agreement"
