"""What a new annotator was puzzled by in an hour of 200 items, by keys."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QLabel, QScrollArea

from core.errors import ConflictError
from core.workflow import people, tasks
from core.workflow.check import gold, review
from core.workflow.check.review import REASONS, reasons_of
from core.workflow.items import undo
from core.workflow.production import import_items
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from gui.dialogs.task import TaskDialog
from gui.panels.my_work.panel import MyWorkPanel
from gui.panels.review.panel import ReviewPanel
from gui.widgets.elements import OneLine
from gui.widgets.key_button import KeyButton
from tests.gui.scene import (
    BENCHMARK,
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

SHIFT = Qt.KeyboardModifier.ShiftModifier


def number(panel: ReviewPanel) -> int:
    assert panel.queue.shown is not None
    return panel.queue.shown.card.number


def pressed(scene: Scene, panel: ReviewPanel, key: Qt.Key, *modifier: Qt.KeyboardModifier) -> None:
    scene.until(lambda: panel.ready() and not panel.context.tasks.busy)
    press(panel, key, *modifier)
    scene.until(lambda: panel.ready() and not panel.context.tasks.busy)


def words(panel: ReviewPanel) -> list[str]:
    return [part.text() for part in panel.window().findChildren(QLabel) if part.isVisible()]


def test_the_same_decision_once_more_is_no_failure_and_goes_on(scene: Scene, small_place: Path):
    panel = scene.review(scene.open(small_place))
    pressed(scene, panel, Qt.Key.Key_A)
    waits = number(panel)
    pressed(scene, panel, Qt.Key.Key_J, SHIFT)
    assert number(panel) != waits
    pressed(scene, panel, Qt.Key.Key_A)
    assert number(panel) == waits
    assert "not saved ✕" not in words(panel)
    assert "That is your decision already." in words(panel)


def test_at_the_end_of_the_queue_the_newest_decision_is_one_key_away(scene: Scene, tmp_path: Path):
    panel = scene.review(scene.open(make_small(tmp_path / "two", count=2)))
    pressed(scene, panel, Qt.Key.Key_A)
    last = number(panel)
    pressed(scene, panel, Qt.Key.Key_A)
    scene.until(lambda: "You have no items left to review in arxiv-2026b." in words(panel))
    pressed(scene, panel, Qt.Key.Key_J, SHIFT)
    assert number(panel) == last
    pressed(scene, panel, Qt.Key.Key_R)
    pressed(scene, panel, Qt.Key.Key_1)
    assert (last, "reject") in decisions_of(tmp_path / "two", LEAD)
    pressed(scene, panel, Qt.Key.Key_J)
    scene.until(lambda: "You have no items left to review in arxiv-2026b." in words(panel))


def test_an_undo_that_is_refused_loses_nothing_and_says_so(scene: Scene, tmp_path: Path):
    place = make_small(tmp_path / "built")
    panel = scene.review(scene.open(place))
    pressed(scene, panel, Qt.Key.Key_A)
    ws = Workspace.open(place)
    undo.undo(ws, LEAD)
    ws.close()
    pressed(scene, panel, Qt.Key.Key_Z, CTRL)
    scene.until(lambda: "nothing to undo" in bench_of(panel.window()).notice.text)
    assert "not saved ✕" not in words(panel)


def test_what_cannot_be_undone_is_named_with_the_reason(scene: Scene, tmp_path: Path):
    place = make_small(tmp_path / "frozen", count=1)
    panel = scene.review(scene.open(place))
    here = number(panel)
    pressed(scene, panel, Qt.Key.Key_A)
    ws = Workspace.open(place)
    freeze.freeze(ws, "july", BENCHMARK, LEAD)
    ws.close()
    bench = bench_of(panel.window())
    bench.poll()
    undo_ = bench.actions_.action("undo")
    scene.until(lambda: not undo_.isEnabled())
    assert undo_.text() == f"Undo: accept #{here}"
    assert "can no longer be undone" in undo_.toolTip()


def test_no_reason_is_offered_before_the_first_item_says_those_of_its_task(
    scene: Scene, small_place: Path
):
    window = scene.open(small_place)
    built = ReviewPanel(bench_of(window).context)
    built.setParent(window)  # the commands are bound to it now, and it lives as long as they do
    assert built.decision.reasons == ()
    assert scene.review(window).decision.reasons == REASONS


def test_a_note_is_there_again_when_its_decision_is_undone(scene: Scene, small_place: Path):
    panel = scene.review(scene.open(small_place))
    here = number(panel)
    pressed(scene, panel, Qt.Key.Key_E)
    type_text(panel, "name the unit")
    pressed(scene, panel, Qt.Key.Key_Return, CTRL)
    assert number(panel) != here
    pressed(scene, panel, Qt.Key.Key_E)
    type_text(panel, "half a no")
    pressed(scene, panel, Qt.Key.Key_Escape)
    pressed(scene, panel, Qt.Key.Key_Z, CTRL)
    assert number(panel) == here
    assert panel.decision.note.toPlainText() == "name the unit"
    pressed(scene, panel, Qt.Key.Key_A)
    assert panel.decision.note.toPlainText() == "half a no"


def test_an_answer_that_was_explained_is_not_offered_to_be_undone(scene: Scene, tmp_path: Path):
    place = make_small(tmp_path / "trained", count=4)
    ws = Workspace.open(place)
    people.ensure_person(ws, "Ann", "annotator")
    for _ in range(2):
        card = review.next_card(ws, SECOND, BENCHMARK)
        assert card is not None
        review.decide(ws, SECOND, card.number, "accept")
        gold.mark_gold(ws, LEAD, card.number, "accept", "the order is unique")
    names = [info.name for info in tasks.tasks(ws, BENCHMARK)]
    tasks.set_protocols(ws, names, {"qualification": "2"}, person=LEAD, benchmark=BENCHMARK)
    ws.close()
    panel = scene.review(scene.open(place, "Ann"))
    bench = bench_of(panel.window())
    offered: list[str] = []
    bench.context.undo_changed.connect(offered.append)
    pressed(scene, panel, Qt.Key.Key_A)
    assert any("the order is unique" in said for said in words(panel)), " | ".join(words(panel))
    assert set(offered) == {""}


def test_the_last_answer_of_a_round_is_explained_though_nothing_comes_after_it(
    scene: Scene, tmp_path: Path
):
    place = make_small(tmp_path / "trained", count=6)
    ws = Workspace.open(place)
    people.ensure_person(ws, "Ann", "annotator")
    card = review.next_card(ws, SECOND, BENCHMARK)
    assert card is not None
    review.decide(ws, SECOND, card.number, "accept")
    gold.mark_gold(ws, LEAD, card.number, "accept", "the order is unique")
    names = [info.name for info in tasks.tasks(ws, BENCHMARK)]
    tasks.set_protocols(ws, names, {"qualification": "2"}, person=LEAD, benchmark=BENCHMARK)
    ws.close()
    window = scene.open(place, "Ann")
    window.resize(960, 540)
    panel = scene.review(window)
    pressed(scene, panel, Qt.Key.Key_A)
    notice = bench_of(panel.window()).notice
    scene.until(lambda: "the order is unique" in notice.text.split("\n"))
    why = f"{len(names)} tasks begin with a qualification round, but have no gold item left for you"
    scene.until(lambda: any(why in said for said in words(panel)))
    scene.settle(window)
    button = panel.empty.button
    assert button.isVisible()
    place_of = QRect(button.mapTo(window, QPoint()), button.size())
    assert not QRect(notice.mapTo(window, QPoint()), notice.size()).intersects(place_of)


def test_who_may_try_a_qualification_round_again_is_told_in_the_open_window(
    scene: Scene, tmp_path: Path
):
    place = make_small(tmp_path / "trained", count=12)
    ws = Workspace.open(place)
    people.ensure_person(ws, "Ann", "annotator")
    while (card := review.next_card(ws, SECOND, BENCHMARK)) is not None:
        review.decide(ws, SECOND, card.number, "accept")
        gold.mark_gold(ws, LEAD, card.number, "accept", "the order is unique")
    names = [info.name for info in tasks.tasks(ws, BENCHMARK)]
    tasks.set_protocols(ws, names, {"qualification": "1"}, person=LEAD, benchmark=BENCHMARK)
    panel = scene.review(scene.open(place, "Ann"))
    while panel.queue.current is not None:
        pressed(scene, panel, Qt.Key.Key_R)
        pressed(scene, panel, Qt.Key.Key_1)
    scene.until(lambda: any("You did not pass the qualification round" in w for w in words(panel)))
    gold.lift_pause(ws, LEAD, "Ann")
    ws.close()
    bench = bench_of(panel.window())
    bench.read_again()
    scene.until(lambda: panel.queue.current is not None)
    scene.until(lambda: "A lead lets you try the qualification round again." in words(panel))


def test_the_queue_is_headed_by_the_task_of_what_is_left_also_while_one_looks_back(
    scene: Scene, tmp_path: Path
):
    place = tmp_path / "mixed"
    ws = Workspace.create(place, LEAD)
    for name, count in (("moods", 1), ("titles", 2)):
        path = tmp_path / f"{name}.csv"
        rows = [f"Say it.,A text of {name} number {n}.,yes" for n in range(count)]
        path.write_text("\n".join(["instruction,input,output", *rows]) + "\n", encoding="utf-8")
        order = import_items.ImportOrder(path, name, BENCHMARK, person=LEAD)
        import_items.import_file(ws, order)
    ws.close()
    panel = scene.review(scene.open(place, LEAD))
    pressed(scene, panel, Qt.Key.Key_A)
    scene.until(lambda: "titles" in words(panel))
    pressed(scene, panel, Qt.Key.Key_J, SHIFT)
    assert panel.task() == "moods"
    assert "titles" in words(panel)
    assert any("An item of “moods”. You decided:" in said for said in words(panel))
    pressed(scene, panel, Qt.Key.Key_Escape)
    assert panel.task() == "titles"
    assert not any("An item of" in said for said in words(panel))


def test_what_was_decided_in_another_window_says_how_to_change_it(small_place: Path):
    ws = Workspace.open(small_place)
    card = review.next_card(ws, LEAD, BENCHMARK)
    assert card is not None
    review.decide(ws, LEAD, card.number, "accept")
    with pytest.raises(ConflictError) as refused:
        review.decide(ws, LEAD, card.number, "accept")
    assert "“My work” lists that decision; it can be changed there" in str(refused.value)
    assert f"benchseal decide {card.number} --change" in refused.value.on_command_line
    ws.close()


def test_the_item_after_the_one_in_front_comes_next_when_the_window_opens_again(
    scene: Scene, tmp_path: Path
):
    place = make_small(tmp_path / "again", count=6)
    panel = scene.review(scene.open(place))
    pressed(scene, panel, Qt.Key.Key_A)
    assert panel.queue.following is not None
    here, after = number(panel), panel.queue.following.card.number
    kept = panel.context.preferences
    scene.close()
    panel = scene.review(scene.open(place, kept=kept))
    scene.until(lambda: panel.queue.following is not None)
    assert [number(panel), panel.queue.following.card.number] == [here, after]


def test_formulas_of_a_guideline_are_drawn_and_code_stays_as_it_is(scene: Scene, small_place: Path):
    panel = scene.review(scene.open(small_place))
    ws = Workspace.open(small_place)
    tasks.change(ws, panel.task(), LEAD, guideline="Mass is $E = m_0 c^2$; write `$x_1$` so.",
                 benchmark=BENCHMARK)  # fmt: skip
    ws.close()
    pressed(scene, panel, Qt.Key.Key_F2)
    page = panel.guideline.page
    scene.until(lambda: "\ufffc" in page.toPlainText())
    assert page.toPlainText().startswith("Guideline\nMass is \ufffc; write $x_1$ so.")


def test_code_of_a_guideline_is_in_a_type_of_one_width(scene: Scene, small_place: Path):
    panel = scene.review(scene.open(small_place))
    ws = Workspace.open(small_place)
    said = "Answer with `x_1` alone, **never** more.\n\n```sql\nSELECT 1\n```\n"
    tasks.change(ws, panel.task(), LEAD, guideline=said, benchmark=BENCHMARK)
    ws.close()
    pressed(scene, panel, Qt.Key.Key_F2)
    page = panel.guideline.page
    scene.until(lambda: "SELECT" in page.toPlainText())
    for text, is_code in (("x_1", True), ("SELECT", True), ("never", False)):
        written = page.document().find(text).charFormat()
        assert ("monospace" in (written.fontFamilies() or [])) is is_code, text
        assert (written.fontWeight() > 500) is not is_code, text


def test_no_hint_moves_or_hides_a_button_beside_the_item(scene: Scene, small_place: Path):
    window = scene.open(small_place)
    window.resize(1280, 720)
    panel = scene.review(window)
    pressed(scene, panel, Qt.Key.Key_A)
    scene.settle(window, panel.ready)
    buttons = panel.decision.findChildren(KeyButton)
    before = [(button.width(), button.x()) for button in buttons]
    pressed(scene, panel, Qt.Key.Key_J, SHIFT)
    scene.settle(window, panel.ready)
    assert any("Decide again to change it" in said for said in words(panel))
    assert [(button.width(), button.x()) for button in buttons] == before
    assert [button.text() for button in buttons if button.visibleRegion().isEmpty()] == []
    area = panel.decision.findChild(QScrollArea)
    assert area is not None
    assert area.verticalScrollBar().maximum() == 0


def test_two_lines_of_a_note_can_be_read_while_it_is_written(scene: Scene, tmp_path: Path):
    """The hint took the room of the first line, and the note was written without seeing it."""
    place, path = tmp_path / "keys", tmp_path / "keys.csv"
    ws = Workspace.create(place, LEAD)
    path.write_text("question,A,B,answer\nWhich is even?,1,2,B\n", encoding="utf-8")
    import_items.import_file(ws, import_items.ImportOrder(path, "keys", BENCHMARK, person=LEAD))
    ws.close()
    window = scene.open(place, LEAD)
    window.resize(1280, 720)
    panel = scene.review(window)
    pressed(scene, panel, Qt.Key.Key_E)
    type_text(panel, "Please name the unit; 请写明单位。")
    scene.settle(window, panel.ready)
    note = panel.decision.note
    assert len(panel.decision.reasons) == 6
    assert note.document().size().height() == 2
    assert note.verticalScrollBar().maximum() == 0
    area = panel.decision.findChild(QScrollArea)
    assert area is not None
    assert area.verticalScrollBar().maximum() == 0


def test_where_nothing_is_left_a_button_leads_to_what_one_decided(scene: Scene, tmp_path: Path):
    place = make_small(tmp_path / "two", count=2)
    ws = Workspace.open(place)
    people.ensure_person(ws, "Nora", "annotator")
    ws.close()
    panel = scene.review(scene.open(place, "Nora"))
    for _ in range(2):
        pressed(scene, panel, Qt.Key.Key_A)
    scene.until(lambda: panel.empty.button.isVisible())
    panel.empty.button.click()
    mine = bench_of(scene.windows[-1]).panel("my_work")
    assert isinstance(mine, MyWorkPanel)
    rest(scene, mine)
    assert mine.isVisible()
    assert mine.table.model().rowCount() == 2
    assert mine.button.text().startswith("Change the decision")


def test_where_nothing_is_left_a_button_leads_to_a_benchmark_with_items(
    scene: Scene, tmp_path: Path
):
    place = make_small(tmp_path / "two", count=2)
    ws = Workspace.open(place)
    path = tmp_path / "one.csv"
    path.write_text("instruction,input,output\nSay it.,A text of one.,yes\n", encoding="utf-8")
    import_items.import_file(ws, import_items.ImportOrder(path, "one", "second", person=LEAD))
    ws.close()
    window = scene.open(place, SECOND)
    bench_of(window).context.choose_benchmark("second")
    panel = scene.review(window)
    pressed(scene, panel, Qt.Key.Key_A)
    scene.until(lambda: "2 items wait for you in arxiv-2026b." in " ".join(words(panel)))
    assert panel.empty.button.text() == "Review arxiv-2026b"
    panel.empty.button.setFocus()
    press(panel, Qt.Key.Key_Space)
    scene.until(lambda: panel.ready() and panel.queue.current is not None)
    assert panel.context.benchmark == BENCHMARK


def test_who_may_only_read_a_task_opens_it_as_a_page(scene: Scene, small_place: Path):
    ws = Workspace.open(small_place)
    people.ensure_person(ws, "Nora", "annotator")
    ws.close()
    for person, reads in (("Nora", True), (LEAD, False)):
        panel = scene.review(scene.open(small_place, person))
        press(panel, Qt.Key.Key_G, CTRL)
        scene.until(lambda opened=panel: bool(opened.window().findChildren(TaskDialog)))
        (dialog,) = panel.window().findChildren(TaskDialog)
        rest(scene, panel)
        assert (dialog.tabs.currentWidget() is dialog.reading) == reads
        dialog.close()


def test_what_does_not_fit_into_the_strip_ends_in_dots(qtbot):
    line = OneLine("a long sentence that nobody can read to its end in here")
    qtbot.addWidget(line)
    line.resize(120, 24)
    line.show()
    assert line.shown.endswith("…")
    assert line.text().startswith(line.shown[:-1])
    line.resize(900, 24)
    assert line.shown == line.text()


def test_a_wrong_key_is_a_reason_where_the_items_have_one():
    assert "wrong_key" in reasons_of({}, "choice")
    assert "wrong_key" in reasons_of({}, "answer")
    assert reasons_of({}, "choice")[-1] == "other"
    assert "wrong_key" not in reasons_of({}, "scp")
    assert "wrong_key" not in reasons_of({"reasons": ["dull"]}, "choice")


@pytest.mark.parametrize("word", ["other", "Other…", "其他", "其它：", " others "])
def test_a_tasks_own_word_for_other_is_the_reason_that_every_task_has(word):
    assert reasons_of({"reasons": ["太长", word, "离题"]}, "choice") == ("太长", "离题", "other")


def test_what_one_was_unsure_about_says_so_in_the_list(scene: Scene, small_place: Path):
    panel = scene.review(scene.open(small_place))
    here = number(panel)
    pressed(scene, panel, Qt.Key.Key_U)
    pressed(scene, panel, Qt.Key.Key_A)
    said = panel.queue_column.list.accessibleDescription()
    assert f"#{here} accepted, unsure" in said


def test_the_list_is_in_the_order_of_the_decisions_also_after_one_was_changed(
    scene: Scene, small_place: Path
):
    panel = scene.review(scene.open(small_place))
    first = number(panel)
    for _ in range(3):
        pressed(scene, panel, Qt.Key.Key_A)
    for _ in range(3):
        pressed(scene, panel, Qt.Key.Key_J, SHIFT)
    assert number(panel) == first
    press(panel, Qt.Key.Key_R)
    press(panel, Qt.Key.Key_1)
    orders: list[list[int]] = []
    panel.queue.changed.connect(lambda _: orders.append([row.number for row in panel.queue.rows]))
    scene.until(lambda: bool(orders))
    assert orders == [[entry for entry, _ in decisions_of(small_place, LEAD)]]
    assert orders[0][-1] == first


def test_an_undone_change_leaves_the_decision_that_it_replaced(scene: Scene, small_place: Path):
    panel = scene.review(scene.open(small_place))
    here = number(panel)
    pressed(scene, panel, Qt.Key.Key_A)
    waits = number(panel)
    pressed(scene, panel, Qt.Key.Key_J, SHIFT)
    pressed(scene, panel, Qt.Key.Key_R)
    pressed(scene, panel, Qt.Key.Key_1)
    assert (here, "reject") in decisions_of(small_place, LEAD)
    pressed(scene, panel, Qt.Key.Key_Z, CTRL)
    assert number(panel) == here
    assert decisions_of(small_place, LEAD) == [(here, "accept")]
    notice = f"Undone: reject #{here}. Your decision on #{here} is now: accepted."
    assert bench_of(panel.window()).notice.text == notice
    assert f"#{here} accepted" in panel.queue_column.list.accessibleDescription()
    assert panel.queue.done == 1
    pressed(scene, panel, Qt.Key.Key_Escape)
    assert number(panel) == waits
    pressed(scene, panel, Qt.Key.Key_Z, CTRL)
    assert number(panel) == here
    assert decisions_of(small_place, LEAD) == []
    pressed(scene, panel, Qt.Key.Key_A)
    assert decisions_of(small_place, LEAD) == [(here, "accept")]
