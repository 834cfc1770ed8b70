"""My work: what one did, also when the queue is empty, and the questions that are asked."""

from pathlib import Path

from PySide6.QtCore import Qt

from core.workflow import people
from core.workflow.check import blinding, questions, review
from core.workflow.production import write
from core.workflow.workspace import Workspace
from gui.dialogs.confirm import ConfirmDialog
from gui.dialogs.question import QuestionDialog
from gui.panels.my_work.panel import MyWorkPanel
from gui.panels.review.panel import ReviewPanel
from gui.preferences import Preferences
from tests.gui.scene import BENCHMARK, CTRL, LEAD, SECOND, THIRD, Scene, bench_of, press, type_text
from tests.gui.stages_workspace import TITLES, triplet


def my_work(scene: Scene, place: Path, person: str = LEAD) -> MyWorkPanel:
    panel = scene.at(scene.open(place, person), "my_work")
    assert isinstance(panel, MyWorkPanel)
    return panel


def choose(scene: Scene, panel: MyWorkPanel, title: str) -> None:
    """Go through the lists by their key until the one of that title is in front."""
    for _ in range(panel.lists.count()):
        if panel.lists.currentItem().text().startswith(title):
            break
        press(panel, Qt.Key.Key_T)
    scene.until(lambda: panel.ready() and not panel.context.tasks.busy)
    assert panel.lists.currentItem().text().startswith(title)


def test_what_was_decided_and_skipped_is_listed_and_leads_back(scene, small_place):
    ws = Workspace.open(small_place)
    first = review.next_card(ws, LEAD, BENCHMARK).number
    review.decide(ws, LEAD, first, "reject", reason="formula", note="broken")
    second = review.next_card(ws, LEAD, BENCHMARK).number
    review.skip(ws, LEAD, second)
    ws.close()
    panel = my_work(scene, small_place)
    choose(scene, panel, "Skipped")
    assert panel.item() == second
    press(panel, Qt.Key.Key_Return)
    bench = bench_of(panel.window())
    scene.until(lambda: bench.front == "review")
    back = bench.panel("review")
    assert isinstance(back, ReviewPanel)
    scene.until(lambda: back.item() == second and back.ready())
    press(back, Qt.Key.Key_A)
    scene.until(lambda: back.item() != second and back.ready())
    bench.show_panel("my_work")
    scene.until(lambda: panel.ready() and not panel.context.tasks.busy)
    choose(scene, panel, "Decided")
    assert "2" in panel.lists.currentItem().text()
    press(panel, Qt.Key.Key_J)
    scene.until(lambda: panel.item() == first and panel.ready())
    press(panel, Qt.Key.Key_Return)
    scene.until(lambda: back.item() == first and back.ready())
    assert back.decision.text == "broken"
    press(back, Qt.Key.Key_A)
    scene.until(lambda: back.item() != first and back.ready())
    scene.until(lambda: not back.context.tasks.busy)
    ws = Workspace.open(small_place)
    verdicts = {entry.number: entry.verdict for entry in review.queue(ws, LEAD, BENCHMARK).recent}
    ws.close()
    assert verdicts == {first: "accept", second: "accept"}


def test_states_and_decisions_are_whole_where_tasks_and_notes_give_way(scene, small_place):
    ws = Workspace.open(small_place)
    for verdict in ("accept", "reject"):
        card = review.next_card(ws, LEAD, BENCHMARK)
        assert card is not None
        note = "a note that is far longer than the room that there is for it"
        review.decide(ws, LEAD, card.number, verdict, reason="formula" * (verdict == "reject"),
                      note=note)  # fmt: skip
    ws.close()
    window = scene.open(small_place, LEAD, kept=Preferences(size=(1100, 720)))
    panel = scene.at(window, "my_work")
    assert isinstance(panel, MyWorkPanel)
    choose(scene, panel, "Decided")
    table, heads = panel.table, panel.table.model()
    titles = [heads.headerData(i, Qt.Orientation.Horizontal) for i in range(heads.columnCount())]
    cut = [
        title for place, title in enumerate(titles)
        if table.columnWidth(place) < table.sizeHintForColumn(place)
    ]  # fmt: skip
    assert "Text" in cut
    assert not {"Decision", "State", "When"} & set(cut)


def test_my_work_is_there_when_the_queue_is_empty(scene, small_place):
    ws = Workspace.open(small_place)
    while (card := review.next_card(ws, LEAD, BENCHMARK)) is not None:
        review.decide(ws, LEAD, card.number, "accept")
    ws.close()
    panel = my_work(scene, small_place)
    choose(scene, panel, "Decided")
    assert "12" in panel.lists.currentItem().text()
    assert panel.page.toPlainText()


def asked_again(scene, window, panel):
    scene.until(lambda: not window.tasks.busy)
    window.activateWindow()
    scene.until(window.isActiveWindow)
    press(panel, Qt.Key.Key_Q)
    scene.until(lambda: bool(window.findChildren(QuestionDialog)))
    (dialog,) = window.findChildren(QuestionDialog)
    scene.until(dialog.isActiveWindow)
    return dialog


def test_the_notice_of_a_new_question_leads_to_it_whatever_list_was_in_front(scene, small_place):
    window = scene.open(small_place, LEAD)
    panel = scene.at(window, "my_work")
    choose(scene, panel, "Decided")
    scene.at(window, "review")
    ws = Workspace.open(small_place)
    card = review.next_card(ws, SECOND, BENCHMARK)
    questions.ask_question(ws, SECOND, card.number, "Is B not right?")
    ws.close()
    bench = bench_of(window)
    bench.poll()
    scene.until(lambda: "question waits" in bench.notice.text)
    scene.until(bench.notice.link.isVisible)
    bench.notice.link.click()
    scene.until(lambda: bench.front == "my_work")
    scene.until(lambda: panel.lists.currentItem().text().startswith("Questions to answer"))
    scene.until(lambda: panel.item() == card.number)


def test_a_lead_who_has_answered_one_of_two_questions_stays_with_the_other(scene, small_place):
    ws = Workspace.open(small_place)
    card = review.next_card(ws, SECOND, BENCHMARK)
    assert card is not None
    for words in ("Is B not right?", "And what of C?"):
        questions.ask_question(ws, SECOND, card.number, words)
    blinding.reveal(ws, LEAD, card.number)
    ws.close()
    lead = my_work(scene, small_place)
    choose(scene, lead, "Questions to answer")
    press(lead, Qt.Key.Key_Return)
    scene.until(lambda: bool(lead.window().findChildren(QuestionDialog)))
    (reply,) = lead.window().findChildren(QuestionDialog)
    scene.until(lambda: "what of C" in reply.page.toPlainText() and reply.isActiveWindow())
    type_text(reply, "No.")
    press(reply, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: "No." in reply.page.toPlainText())
    type_text(reply, "Nor that.")
    press(reply, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: not lead.window().findChildren(QuestionDialog))
    ws = Workspace.open(small_place)
    assert questions.waiting_threads(ws, LEAD) == ()
    ws.close()


def test_a_question_is_asked_and_answered_by_keys_and_both_are_told(scene, small_place):
    window = scene.open(small_place, SECOND)
    panel = scene.review(window)
    number = panel.item()
    press(panel, Qt.Key.Key_Q)
    scene.until(lambda: bool(window.findChildren(QuestionDialog)))
    (dialog,) = window.findChildren(QuestionDialog)
    scene.until(dialog.isActiveWindow)
    type_text(dialog, "Is B not right as well?")
    press(dialog, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: not window.findChildren(QuestionDialog))
    assert bench_of(window).notice.text.startswith(f"Question sent to {LEAD}")
    dialog = asked_again(scene, window, panel)
    scene.until(lambda: "Is B not right" in dialog.page.toPlainText())
    assert dialog.field.toPlainText() == ""
    type_text(dialog, "half of another")
    press(dialog, Qt.Key.Key_Escape)
    scene.until(lambda: not window.findChildren(QuestionDialog))
    again = asked_again(scene, window, panel)
    scene.until(lambda: again.field.toPlainText() == "half of another")
    type_text(again, " one")
    assert again.field.toPlainText() == "half of another one"
    again.close()

    ws = Workspace.open(small_place)
    blinding.reveal(ws, LEAD, number)
    ws.close()
    lead = my_work(scene, small_place)
    choose(scene, lead, "Questions to answer")
    assert lead.item() == number
    press(lead, Qt.Key.Key_Return)
    scene.until(lambda: bool(lead.window().findChildren(QuestionDialog)))
    (reply,) = lead.window().findChildren(QuestionDialog)
    scene.until(lambda: "Is B not right" in reply.page.toPlainText() and reply.isActiveWindow())
    type_text(reply, "No, see the guideline.")
    press(reply, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: not lead.window().findChildren(QuestionDialog))
    assert bench_of(lead.window()).notice.text == "Answer sent; the person who asked is notified."
    bench_of(window).poll()
    scene.until(lambda: "answered" in bench_of(window).notice.text)


def test_reading_a_question_on_an_undecided_item_asks_before_it_reveals(scene, small_place):
    ws = Workspace.open(small_place)
    card = review.next_card(ws, SECOND, BENCHMARK)
    assert card is not None
    questions.ask_question(ws, SECOND, card.number, "Is B not right as well?")
    ws.close()
    lead = my_work(scene, small_place)
    choose(scene, lead, "Questions to answer")
    press(lead, Qt.Key.Key_Return)
    scene.until(lambda: bool(lead.window().findChildren(QuestionDialog)))
    (dialog,) = lead.window().findChildren(QuestionDialog)
    scene.until(dialog.reveal.isVisible)
    dialog.reveal.click()
    (asking,) = dialog.findChildren(ConfirmDialog)
    press(asking, Qt.Key.Key_Return)  # Enter leaves everything as it is
    scene.until(lambda: not dialog.findChildren(ConfirmDialog))
    scene.until(lambda: not lead.context.tasks.busy)
    assert dialog.reveal.isVisible()
    dialog.reveal.setFocus()
    press(dialog, Qt.Key.Key_Space)
    (asking,) = dialog.findChildren(ConfirmDialog)
    asking.act.click()
    scene.until(lambda: "Is B not right" in dialog.page.toPlainText())
    assert dialog.focusWidget() is dialog.field
    dialog.close()


def test_u_marks_an_item_as_unsure_and_the_lead_sees_it(scene, small_place):
    panel = scene.review(scene.open(small_place, SECOND))
    number = panel.item()
    press(panel, Qt.Key.Key_U)
    scene.until(lambda: number in panel.queue.unsure)
    lead = my_work(scene, small_place)
    choose(scene, lead, "Marked as unsure")
    assert lead.item() == number
    panel.window().activateWindow()
    scene.until(panel.window().isActiveWindow)
    press(panel, Qt.Key.Key_U)
    scene.until(lambda: number not in panel.queue.unsure)
    scene.until(lambda: not panel.context.tasks.busy)
    ws = Workspace.open(small_place)
    assert questions.unsure_items(ws, LEAD, BENCHMARK) == ()
    ws.close()


def test_drafts_are_told_apart_by_their_own_texts(scene, place):
    ws = Workspace.open(place)
    write.save_draft(ws, THIRD, TITLES, triplet("雪天"))
    ws.close()
    panel = my_work(scene, place, THIRD)
    choose(scene, panel, "My drafts")
    model = panel.table.model()
    texts = {model.index(row, model.columnCount() - 1).data() for row in range(model.rowCount())}
    assert len(texts) == 2
    assert all(text.startswith("文章：") for text in texts)


def leave_only_the_lead(ws: Workspace) -> None:
    """Nobody else may answer questions, also not who made the workspace."""
    for name in questions.answerers(ws, LEAD):
        people.set_active(ws, name, False, LEAD)


def test_a_question_on_what_the_only_lead_wrote_is_told_to_them_and_is_answered(scene, fresh):
    ws = Workspace.open(fresh)
    number = write.submit(ws, LEAD, TITLES, triplet("一封信")).number
    leave_only_the_lead(ws)
    assert review.next_card(ws, SECOND, BENCHMARK).number == number
    assert questions.answerers(ws, SECOND) == (LEAD,)
    thread = questions.ask_question(ws, SECOND, number, "Is the title too long?")
    assert questions.sent_words(questions.answerers(ws, SECOND)) == f"Question sent to {LEAD}."
    assert questions.question_news(ws, LEAD).waiting == 1
    ws.close()
    panel = my_work(scene, fresh)
    choose(scene, panel, "Questions to answer")
    assert panel.item() == number
    press(panel, Qt.Key.Key_Return)
    scene.until(lambda: bool(panel.window().findChildren(QuestionDialog)))
    (dialog,) = panel.window().findChildren(QuestionDialog)
    scene.until(dialog.reveal.isVisible)
    dialog.reveal.click()
    (asking,) = dialog.findChildren(ConfirmDialog)
    asking.act.click()
    scene.until(lambda: "Is the title too long?" in dialog.page.toPlainText())
    dialog.activateWindow()  # as a window manager does
    scene.until(dialog.isActiveWindow)
    type_text(dialog, "No.")
    press(dialog, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: not panel.window().findChildren(QuestionDialog))
    ws = Workspace.open(fresh)
    assert questions.question_news(ws, SECOND).answered == 1
    assert questions.own_threads(ws, SECOND)[0].id == thread
    ws.close()


def test_a_question_that_nobody_may_answer_says_so(scene, fresh):
    ws = Workspace.open(fresh)
    leave_only_the_lead(ws)
    assert questions.answerers(ws, LEAD) == ()
    ws.close()
    assert "Nobody else here may answer it yet" in questions.sent_words(())
