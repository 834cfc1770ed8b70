"""A task in a window of its own: read by everybody, edited by leads."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QScrollArea

from core.llm import keys
from core.workflow import tasks
from core.workflow.labels import METRICS
from core.workflow.production import task_view
from core.workflow.tasks import TASK_METRICS
from core.workflow.workspace import Workspace
from gui.dialogs.new_task import NewTaskDialog
from gui.dialogs.protocols import ProtocolsDialog
from gui.dialogs.task import TaskDialog
from tests.gui.scene import BENCHMARK, LEAD, THIRD, Scene, bench_of, press, type_text
from tests.gui.stages_workspace import LABELS, MOODS, TITLES


def opened_on(scene: Scene, place, task: str, person=LEAD) -> TaskDialog:
    window = scene.open(place, person)
    bench = bench_of(window)
    sheet = TaskDialog(bench.context, task, bench)
    sheet.open()
    scene.until(lambda: sheet.shown is not None)
    return sheet


def context_of(place, task: str) -> task_view.TaskView:
    ws = Workspace.open(place)
    try:
        return task_view.task_view(ws, task, BENCHMARK, LEAD)
    finally:
        ws.close()


def test_a_lead_is_told_what_an_edit_does_and_then_it_is_a_version(scene: Scene, place):
    sheet = opened_on(scene, place, MOODS)
    assert sheet.labels.toPlainText().split() == list(LABELS)
    assert not sheet.save.isEnabled()
    sheet.guideline.setPlainText("看整体语气。")
    sheet.protocol.fields["overlap"].setText("3")
    sheet.protocol.fields["overlap"].textEdited.emit("3")
    scene.until(sheet.save.isEnabled)
    said = sheet.preview.text()
    assert "guideline" in said
    assert "Version 2 of the protocol" in said or "Version 3 of the protocol" in said
    assert context_of(place, MOODS).versions[-1].guideline == ""
    sheet.save.click()
    scene.until(lambda: context_of(place, MOODS).versions[-1].guideline == "看整体语气。")
    scene.until(lambda: sheet.shown is not None and sheet.shown.info.protocol.overlap == 3)
    assert "→ 3" in sheet.which.text()
    assert sheet.versions.model().rowCount() >= 4


def test_a_guideline_is_written_with_eight_lines_in_sight(scene: Scene, place):
    sheet = opened_on(scene, place, TITLES)
    sheet.resize(900, 500)
    sheet.guideline.setPlainText("\n".join(f"Rule {number}" for number in range(40)))
    top = sheet.guideline.cursorForPosition(sheet.guideline.viewport().rect().topLeft())
    end = sheet.guideline.cursorForPosition(sheet.guideline.viewport().rect().bottomLeft())
    assert end.blockNumber() - top.blockNumber() >= 7


def test_what_judges_are_told_is_a_text_of_the_task(scene: Scene, place):
    sheet = opened_on(scene, place, MOODS)
    sheet.judge.setPlainText("语气相近也算对。")
    scene.until(sheet.save.isEnabled)
    assert "instructions for judges" in sheet.preview.text()
    sheet.save.click()
    scene.until(lambda: context_of(place, MOODS).versions[-1].judge == "语气相近也算对。")


def test_a_lead_chooses_what_measures_answers_in_free_text(scene: Scene, place):
    sheet = opened_on(scene, place, TITLES)
    box = sheet.measured_by
    assert box.isVisibleTo(sheet)
    assert [box.itemData(n) for n in range(box.count())] == ["", *TASK_METRICS]
    box.setCurrentIndex(box.findData("judge"))
    scene.until(sheet.save.isEnabled)
    assert "metric" in sheet.preview.text()
    sheet.save.click()
    scene.until(lambda: context_of(place, TITLES).versions[-1].metric == "judge")
    scene.until(lambda: sheet.shown is not None and not sheet.unsaved())
    assert box.currentData() == "judge"


def test_nothing_in_it_is_wider_than_the_window(scene: Scene, place):
    sheet = opened_on(scene, place, TITLES)
    for tab in range(sheet.tabs.count()):
        sheet.tabs.setCurrentIndex(tab)
        scene.turn()
        wide = [a for a in sheet.findChildren(QScrollArea) if a.horizontalScrollBar().maximum()]
        assert wide == [], sheet.tabs.tabText(tab)


def test_a_wrong_setting_is_said_and_nothing_is_saved(scene: Scene, place):
    sheet = opened_on(scene, place, MOODS)
    sheet.protocol.fields["threshold"].setText("eleven")
    sheet.protocol.fields["threshold"].textEdited.emit("eleven")
    scene.until(lambda: "eleven" in sheet.preview.text())
    assert not sheet.save.isEnabled()


def test_an_annotator_reads_it_and_cannot_change_it(scene: Scene, place):
    sheet = opened_on(scene, place, TITLES, THIRD)
    assert "标题不超过二十个字" in sheet.guideline.toPlainText()
    assert sheet.guideline.isReadOnly()
    assert sheet.protocol.fields["overlap"].isReadOnly()
    assert not sheet.protocol.fields["gate"].isEnabled()
    assert not sheet.save.isVisible()
    assert not sheet.add.isEnabled()


def test_the_texts_of_an_earlier_version_come_back_into_the_form(scene: Scene, place):
    ws = Workspace.open(place)
    tasks.change(ws, TITLES, LEAD, guideline="新规定。", benchmark=BENCHMARK)
    ws.close()
    sheet = opened_on(scene, place, TITLES)
    assert sheet.guideline.toPlainText() == "新规定。"
    sheet.versions.selectRow(1)
    sheet.bring_back.click()
    assert "标题不超过二十个字" in sheet.guideline.toPlainText()
    scene.until(sheet.save.isEnabled)


def test_a_wording_is_added_and_stands_in_the_list(scene: Scene, place):
    sheet = opened_on(scene, place, TITLES)
    before = sheet.variants.model().rowCount()
    sheet.variant.setText("请为下文拟一个标题。")
    sheet.public.setChecked(True)
    QTest.keyClick(sheet.variant, Qt.Key.Key_Return)
    scene.until(lambda: sheet.variants.model().rowCount() == before + 1)
    assert any(v.public and v.text == "请为下文拟一个标题。" for v in sheet.shown.variants)


def test_a_task_of_the_catalogue_is_added_with_its_facts(scene: Scene, place):
    window = scene.open(place)
    bench = bench_of(window)
    bench.open_new_task()
    new = bench.findChild(NewTaskDialog)
    scene.until(lambda: not window.tasks.busy)
    assert not new.gate.isChecked()
    assert "no model server" in new.gate_note.text()
    new.catalogue.setCurrentIndex(new.catalogue.findText("45 ", Qt.MatchFlag.MatchStartsWith))
    assert "categories (assumed): " in new.facts.text()
    name = new.name.text()
    new.target.setValue(40)
    new.run()
    scene.until(lambda: bench.front == "write" and bench.panel("write").task() == name)
    assert "The gate is off" in bench.notice.text
    form = bench.panel("write").form
    scene.until(lambda: form.isAncestorOf(window.focusWidget()))
    bench.open_task()
    sheet = bench.findChild(TaskDialog)
    scene.until(lambda: sheet.shown is not None and sheet.shown.info.name == name)
    assert sheet.shown.info.profile["catalogue_id"] == 45
    assert sheet.shown.info.protocol.gate == "off"
    assert sheet.shown.info.protocol.target == 40
    stored = sheet.shown.info.profile["metric"]
    assert f"metric: {METRICS[stored]()}" in sheet.facts.text().replace(" (assumed)", "")
    assert set(METRICS) == set(TASK_METRICS)


def test_a_new_task_has_a_gate_where_there_is_a_server_and_its_language(scene: Scene, place):
    keys.allow_server("http://models.example:8000/v1")
    window = scene.open(place)
    bench_of(window).open_new_task()
    new = bench_of(window).findChild(NewTaskDialog)
    scene.until(new.gate.isChecked)
    type_text(new, "moods of films")
    press(new, Qt.Key.Key_Return)
    scene.until(lambda: not window.tasks.busy)
    ws = Workspace.open(place)
    made = tasks.show(ws, "moods of films", BENCHMARK)
    ws.close()
    assert made.protocol.gate == "required"
    assert made.profile["languages"] == ["en"]


def test_a_name_that_is_taken_is_refused_in_the_sheet(scene: Scene, place):
    sheet = opened_on(scene, place, TITLES)
    sheet.open_new()
    new = sheet.findChild(NewTaskDialog)
    new.name.setText(TITLES)
    new.run()
    scene.until(lambda: TITLES in new.trouble.text())


def test_write_leads_to_its_own_task_by_a_key(scene: Scene, place):
    window = scene.open(place, THIRD)
    panel = scene.at(window, "write")
    wanted = panel.task()
    bench_of(window).actions_.action("task").trigger()
    sheet = bench_of(window).findChild(TaskDialog)
    scene.until(lambda: sheet.shown is not None)
    assert sheet.shown.info.name == wanted


def test_the_preview_shows_the_guideline_as_reviewers_see_it_before_it_is_saved(
    scene: Scene, place
):
    sheet = opened_on(scene, place, MOODS)
    sheet.guideline.setPlainText("# Mood\n\nUse **one** label.\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    sheet.tabs.setCurrentWidget(sheet.reading)
    shown = sheet.reading.toPlainText()
    assert "Use one label." in shown
    assert "#" not in shown
    assert "|" not in shown
    assert LABELS[0] in shown
    assert context_of(place, MOODS).versions[-1].guideline == ""


def test_a_setting_of_several_tasks_is_changed_by_keys(scene: Scene, place):
    sheet = opened_on(scene, place, MOODS)
    sheet.many.click()
    (dialog,) = sheet.findChildren(ProtocolsDialog)
    scene.until(lambda: dialog.names.count() >= 2)
    assert dialog.focusWidget() is dialog.setting
    dialog.setting.setCurrentIndex(dialog.setting.findData("overlap"))
    dialog.text.setText("4")
    assert not dialog.save.isEnabled()
    dialog.everything.click()
    scene.until(dialog.save.isEnabled)
    assert "protocols change" in dialog.consequence.text()
    dialog.save.click()
    scene.until(lambda: context_of(place, MOODS).info.protocol.overlap == 4)
    scene.until(lambda: context_of(place, TITLES).info.protocol.overlap == 4)


def test_of_two_leads_who_change_several_tasks_the_second_is_told_first(scene: Scene, place):
    sheet = opened_on(scene, place, MOODS)
    sheet.many.click()
    (dialog,) = sheet.findChildren(ProtocolsDialog)
    scene.until(lambda: dialog.names.count() >= 2)
    dialog.setting.setCurrentIndex(dialog.setting.findData("overlap"))
    dialog.text.setText("4")
    dialog.everything.click()
    scene.until(dialog.save.isEnabled)
    ws = Workspace.open(place)
    tasks.set_protocol(ws, MOODS, {"overlap": "3"}, person=LEAD, benchmark=BENCHMARK)
    ws.close()
    dialog.save.click()
    scene.until(lambda: "somebody else has changed this meanwhile" in dialog.consequence.text())
    scene.until(dialog.save.isEnabled)
    assert "somebody else has changed this meanwhile" in dialog.consequence.text()
    assert context_of(place, MOODS).info.protocol.overlap == 3
    assert context_of(place, TITLES).info.protocol.overlap != 4
    dialog.save.click()
    scene.until(lambda: context_of(place, MOODS).info.protocol.overlap == 4)


def test_a_wrong_value_for_several_tasks_is_said_and_cannot_be_saved(scene: Scene, place):
    sheet = opened_on(scene, place, MOODS)
    sheet.open_many()
    (dialog,) = sheet.findChildren(ProtocolsDialog)
    scene.until(lambda: dialog.names.count() >= 2)
    dialog.setting.setCurrentIndex(dialog.setting.findData("overlap"))
    dialog.names.tick_all()
    dialog.text.setText("many")
    scene.until(lambda: "many" in dialog.consequence.text())
    assert not dialog.save.isEnabled()


def typed_guideline(scene: Scene, sheet: TaskDialog, text: str) -> None:
    """Write into the guideline by keys, and wait for what that would do."""
    sheet.guideline.setFocus()
    type_text(sheet, text)
    scene.until(sheet.save.isEnabled)


def asked(sheet: TaskDialog) -> list[QPushButton]:
    """The buttons of the question whether to discard what was typed, if it is asked."""
    return [b for b in sheet.findChildren(QPushButton) if b.text() in ("Discard", "Keep editing")]


def test_another_task_does_not_come_over_what_is_typed_unasked(scene: Scene, place):
    sheet = opened_on(scene, place, MOODS)
    typed_guideline(scene, sheet, "看整体语气。")
    sheet.tasks.setFocus()
    press(sheet, Qt.Key.Key_Down)
    keep = next(button for button in asked(sheet) if button.hasFocus())
    assert keep.text() == "Keep editing"
    assert sheet.tasks.currentText() == MOODS
    press(sheet, Qt.Key.Key_Return)
    assert sheet.guideline.toPlainText() == "看整体语气。"
    sheet.tasks.setFocus()
    press(sheet, Qt.Key.Key_Down)
    next(button for button in asked(sheet) if button.text() == "Discard").click()
    scene.until(lambda: sheet.shown is not None and sheet.shown.info.name == TITLES)
    assert sheet.tasks.currentText() == TITLES
    assert not sheet.unsaved()
    assert context_of(place, MOODS).versions[-1].guideline == ""


def test_a_new_wording_leaves_what_is_typed_elsewhere(scene: Scene, place):
    sheet = opened_on(scene, place, TITLES)
    before = sheet.variants.model().rowCount()
    typed_guideline(scene, sheet, "更短。")
    sheet.variant.setText("请为下文拟一个标题。")
    QTest.keyClick(sheet.variant, Qt.Key.Key_Return)
    scene.until(lambda: sheet.variants.model().rowCount() == before + 1)
    assert "更短。" in sheet.guideline.toPlainText()
    scene.until(sheet.save.isEnabled)


def test_saving_leaves_what_another_lead_changed_meanwhile(scene: Scene, place):
    sheet = opened_on(scene, place, MOODS)
    ws = Workspace.open(place)
    tasks.change(ws, MOODS, LEAD, judge="Theirs.", settings={"target": "41"}, benchmark=BENCHMARK)
    ws.close()
    typed_guideline(scene, sheet, "看整体语气。")
    sheet.save.click()
    scene.until(lambda: context_of(place, MOODS).versions[-1].guideline == "看整体语气。")
    saved = context_of(place, MOODS)
    assert saved.versions[-1].judge == "Theirs."
    assert saved.info.protocol.target == 41


def test_of_two_leads_who_save_the_same_field_the_second_is_told_and_nothing_is_lost(
    scene: Scene, place
):
    sheet = opened_on(scene, place, MOODS)
    typed_guideline(scene, sheet, "看整体语气。")
    sheet.protocol.type_in({"target": "42"})
    scene.until(sheet.save.isEnabled)
    ws = Workspace.open(place)
    tasks.change(ws, MOODS, LEAD, guideline="Theirs.", settings={"target": "41"},
                 benchmark=BENCHMARK)  # fmt: skip
    ws.close()
    sheet.save.click()  # before the window has looked for news
    scene.until(lambda: "Others have changed this meanwhile" in sheet.preview.text())
    assert "guideline" in sheet.preview.text()
    assert "Target number of items" in sheet.preview.text()
    saved = context_of(place, MOODS)
    assert saved.versions[-1].guideline == "Theirs."
    assert saved.info.protocol.target == 41
    assert "看整体语气。" in sheet.guideline.toPlainText()
    scene.until(sheet.save.isEnabled)
    sheet.save.click()
    scene.until(lambda: "看整体语气。" in context_of(place, MOODS).versions[-1].guideline)
    assert context_of(place, MOODS).info.protocol.target == 42


def test_what_another_lead_changes_is_shown_and_what_it_would_replace_is_said(scene: Scene, place):
    sheet = opened_on(scene, place, MOODS)
    typed_guideline(scene, sheet, "看整体语气。")
    ws = Workspace.open(place)
    tasks.change(ws, MOODS, LEAD, guideline="Theirs.", judge="Be strict.", benchmark=BENCHMARK)
    ws.close()
    sheet.parentWidget().context.read_news()
    scene.until(lambda: sheet.judge.toPlainText() == "Be strict.")
    assert sheet.guideline.toPlainText() == "看整体语气。"
    scene.until(lambda: "Others have changed this meanwhile: guideline" in sheet.preview.text())
    scene.until(sheet.save.isEnabled)
    sheet.save.click()
    scene.until(lambda: context_of(place, MOODS).versions[-1].guideline == "看整体语气。")
    assert context_of(place, MOODS).versions[-1].judge == "Be strict."
    scene.until(lambda: sheet.shown is not None and not sheet.unsaved())
