"""The team panel by keys: adding somebody, pausing them, assigning a task, inviting."""

import pytest
from PySide6.QtCore import QDate, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from core.accounts import login
from core.workflow import people, tasks, team
from core.workflow.check import gold, qualification, review
from core.workflow.workspace import Workspace
from gui.panels.team.assign_dialog import AssignDialog
from gui.panels.team.invite_dialog import InviteDialog
from gui.panels.team.person_dialog import PAUSED, PersonDialog
from tests.gui.scene import BENCHMARK, LEAD, SECOND, Scene, bench_of, make_small


@pytest.fixture
def place(tmp_path):
    return make_small(tmp_path / "small")


def opened(panel: QWidget, kind: type) -> QWidget:
    (dialog,) = [child for child in panel.findChildren(kind) if child.isVisible()]
    return dialog


def gone(panel: QWidget, kind: type) -> bool:
    return not [child for child in panel.findChildren(kind) if child.isVisible()]


def typed(dialog: QWidget, text: str) -> None:
    QTest.keyClicks(dialog.focusWidget(), text)


def test_somebody_is_added_by_keys_and_the_lead_stays_who_they_are(scene: Scene, place):
    window = scene.open(place)
    panel = scene.at(window, "team")
    panel.add.setFocus()
    QTest.keyClick(panel.add, Qt.Key.Key_Space)
    dialog = opened(panel, PersonDialog)
    assert not dialog.reason.isVisible()  # who is added is not paused
    assert not dialog.state.isVisible()
    typed(dialog, "wu")
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    scene.until(lambda: gone(panel, PersonDialog))
    scene.until(lambda: "wu" in [member.name for member in panel.shown.members])
    assert panel.member().name == "wu"  # who is invited next, and given tasks
    assert bench_of(window).context.person.name == LEAD
    (wu,) = [p for p in people.people(bench_of(window).context.workspace) if p.name == "wu"]
    assert wu.role == "annotator"


def test_a_name_that_is_there_is_refused_in_the_dialog(scene: Scene, place):
    panel = scene.at(scene.open(place), "team")
    panel.open_add()
    dialog = opened(panel, PersonDialog)
    dialog.name.setText(SECOND.upper())
    dialog.run()
    assert "in the list already" in dialog.trouble.text()
    assert dialog.focusWidget() is dialog.name


def test_somebody_is_paused_and_goes_on(scene: Scene, place):
    panel = scene.at(scene.open(place), "team")
    panel.people_table.selectRow(0)
    panel.open_change()
    dialog = opened(panel, PersonDialog)
    assert not dialog.reason.isVisible()
    dialog.state.setCurrentIndex(dialog.state.findData(PAUSED))
    assert dialog.reason.isVisible()
    dialog.reason.setText("holiday")
    dialog.save.click()
    scene.until(lambda: gone(panel, PersonDialog) and panel.member().pause == "holiday")
    assert panel.people.index(0, 2).data() == "paused: holiday"
    panel.open_change()
    opened(panel, PersonDialog).state.setCurrentIndex(0)
    opened(panel, PersonDialog).save.click()
    scene.until(lambda: gone(panel, PersonDialog) and panel.member().pause is None)


def test_the_last_lead_is_told_in_the_dialog_why_they_stay(scene: Scene, place):
    ws = Workspace.open(place)
    people.set_active(ws, login(), False)
    ws.close()
    panel = scene.at(scene.open(place), "team")
    panel.people_table.selectRow(1)
    assert panel.member().name == LEAD
    panel.open_change()
    dialog = opened(panel, PersonDialog)
    dialog.role.setCurrentIndex(0)
    dialog.save.click()
    scene.until(lambda: "only lead" in dialog.trouble.text())


def test_a_task_is_assigned_by_keys_shown_and_taken_away(scene: Scene, place):
    window = scene.open(place)
    panel = scene.at(window, "team")
    panel.people_table.selectRow(0)
    panel.assign.click()
    dialog = opened(panel, AssignDialog)
    assert dialog.focusWidget() is dialog.tasks
    QTest.keyClick(dialog.tasks, Qt.Key.Key_Space)
    dialog.limited.setChecked(True)
    dialog.most.setValue(3)
    dialog.dated.setChecked(True)
    name = dialog.tasks.item(0).text()
    assert name in dialog.consequence.text()
    dialog.save.click()
    scene.until(lambda: gone(panel, AssignDialog) and panel.share() is not None)
    assert (panel.share().task, panel.share().person, panel.share().most) == (name, SECOND, 3)
    panel.drop_share.click()
    scene.until(lambda: panel.share() is None)
    assert "everybody" in bench_of(window).notice.text


def test_a_task_whose_people_are_gone_is_said_and_its_share_can_be_changed(scene: Scene, place):
    window = scene.open(place)
    panel = scene.at(window, "team")
    task = panel.shown.tasks[0]
    ws = Workspace.open(place)
    team.assign(ws, [task], [SECOND], LEAD, most=4, benchmark=BENCHMARK)
    people.set_active(ws, SECOND, False, LEAD)
    ws.close()
    window.workbench.context.read_news()
    scene.until(lambda: task in panel.stranded.text())
    panel.edit_share.click()
    dialog = opened(panel, AssignDialog)
    assert (dialog.tasks.chosen(), dialog.people.chosen()) == ([task], [SECOND])
    assert dialog.most.value() == 4
    dialog.due.setDate(dialog.due.date().addYears(-2))
    assert dialog.due.date() == QDate.currentDate()
    dialog.people.tick_all()
    dialog.save.click()
    scene.until(lambda: panel.ready() and panel.stranded.isHidden())


def test_saving_somebody_leaves_what_another_lead_changed_meanwhile(scene: Scene, place):
    window = scene.open(place)
    panel = scene.at(window, "team")
    panel.people_table.selectRow(0)
    panel.change.click()
    dialog = opened(panel, PersonDialog)
    ws = Workspace.open(place)
    people.set_role(ws, SECOND, "annotator", LEAD)
    ws.close()
    dialog.state.setCurrentIndex(dialog.state.findData(PAUSED))
    dialog.save.click()
    scene.until(lambda: gone(panel, PersonDialog))
    ws = Workspace.open(place)
    (member,) = [m for m in team.team(ws, LEAD).members if m.name == SECOND]
    ws.close()
    assert (member.role, member.pause) == ("annotator", "")


def test_of_two_leads_who_give_somebody_another_role_the_second_is_told_first(scene: Scene, place):
    panel = scene.at(scene.open(place), "team")
    panel.people_table.selectRow(0)
    panel.change.click()
    dialog = opened(panel, PersonDialog)
    dialog.role.setCurrentIndex(dialog.role.findData("researcher"))
    ws = Workspace.open(place)
    people.set_role(ws, SECOND, "annotator", LEAD)
    dialog.run()
    scene.until(lambda: "somebody else has changed this meanwhile: role" in dialog.trouble.text())
    roles = {person.name: person.role for person in people.people(ws)}
    assert roles[SECOND] == "annotator"
    dialog.run()
    scene.until(lambda: gone(panel, PersonDialog))
    roles = {person.name: person.role for person in people.people(ws)}
    ws.close()
    assert roles[SECOND] == "researcher"


def test_assigning_to_fewer_people_than_an_item_needs_is_said_before_and_after(
    scene: Scene, tmp_path
):
    panel = scene.at(scene.open(make_small(tmp_path / "two", overlap=2)), "team")
    panel.people_table.selectRow(0)
    panel.open_assign()
    dialog = opened(panel, AssignDialog)
    assert not dialog.short.isVisible()
    dialog.tasks.tick_all()
    scene.turn()
    assert "needs 2 reviewers, but only 1 person" in dialog.short.text()
    assert dialog.short.isVisible()
    dialog.people.tick_all()
    assert not dialog.short.isVisible()
    dialog.people.tick_all(False)
    assert not dialog.short.isVisible()
    dialog.people.item(0).setCheckState(Qt.CheckState.Checked)
    assert dialog.short.isVisible()
    dialog.save.click()
    scene.until(lambda: gone(panel, AssignDialog))
    scene.until(lambda: "needs 2 reviewers" in panel.stranded.text())
    assert panel.stranded.isVisible()


def test_an_invitation_is_copied(scene: Scene, place):
    panel = scene.at(scene.open(place), "team")
    panel.people_table.selectRow(0)
    panel.invite.click()
    scene.until(lambda: not gone(panel, InviteDialog))
    dialog = opened(panel, InviteDialog)
    assert dialog.note.isVisible()
    assert "One shared folder" in dialog.note.text()  # a workspace is its lead's alone at first
    assert "One shared folder" not in dialog.text.toPlainText()
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    assert f"--workspace {place}" in QApplication.clipboard().text()


def test_my_work_says_what_was_assigned_and_until_when(scene: Scene, place):
    from datetime import date

    ws = Workspace.open(place)
    name = tasks.tasks(ws, BENCHMARK)[0].name
    team.assign(ws, [name], [SECOND], LEAD, most=3, due=date(2020, 1, 2), benchmark=BENCHMARK)
    ws.close()
    panel = scene.at(scene.open(place, SECOND), "my_work")
    assert f"{name}: 0 of 3 items reviewed, due 2020-01-02 – overdue" in panel.shares.text()
    assert panel.shares.isVisible()


def test_annotators_have_no_team_panel(scene: Scene, place):
    assert "team" not in bench_of(scene.open(place, SECOND)).places


def test_a_lead_lets_somebody_try_the_qualification_round_again(scene: Scene, place):
    ws = Workspace.open(place)
    people.ensure_person(ws, "Ann", "annotator")
    card = review.next_card(ws, SECOND, BENCHMARK)
    assert card is not None
    review.decide(ws, SECOND, card.number, "accept")
    gold.mark_gold(ws, LEAD, card.number, "accept", "the order is unique")
    tasks.set_protocols(ws, [card.task], {"qualification": "1"}, person=LEAD, benchmark=BENCHMARK)
    asked = review.next_card(ws, "Ann", BENCHMARK)
    assert asked is not None
    review.decide(ws, "Ann", asked.number, "reject", reason="ambiguous")
    window = scene.open(place)
    panel = scene.at(window, "team")
    names = [member.name for member in panel.shown.members]
    rows = [panel.people.data(panel.people.index(row, 2)) for row in range(len(names))]
    assert rows[names.index("Ann")] == f"not qualified: {card.task}"
    assert rows[names.index(SECOND)] == "at work"
    panel.people_table.selectRow(names.index(SECOND))
    assert not panel.again.isVisible()
    panel.people_table.selectRow(names.index("Ann"))
    panel.again.setFocus()
    QTest.keyClick(panel.again, Qt.Key.Key_Space)
    scene.settle(window, lambda: not panel.again.isVisible())
    assert qualification.results(ws, LEAD)[0].standing.again
    ws.close()
