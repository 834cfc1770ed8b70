"""A day at the desk by keys: the guideline beside the item, scrolling, type, places, notes."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QPushButton, QScrollArea

from core.families.base import ItemContent
from core.workflow import people, tasks
from core.workflow.workspace import Workspace
from gui import preferences, theme
from gui.panels.review.panel import ReviewPanel
from gui.preferences import Preferences
from gui.window.main_window import MainWindow
from tests.gui.scene import (
    BENCHMARK,
    CTRL,
    LEAD,
    THIRD,
    Scene,
    add_items,
    bench_of,
    press,
    type_text,
)
from tests.splits import varied

GUIDELINE = """# What counts

Accept only if **one** order fits.

- no formula

| a | b |
|---|---|
| x | y |

<b>tag</b> ![p](file:///etc/passwd)"""
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(autouse=True)
def _usual_type():
    yield
    theme.read_in(theme.ReadingType())


def long_item(number: int) -> ItemContent:
    """A cloze whose text is longer than any window."""
    item = varied(3 * number + 1)
    payload = dict(item.payload)
    payload["text"] = payload["text"] + "\n\n" + "\n\n".join(["It rains. " * 40] * 12)
    return ItemContent(item.family, item.format, payload, item.provenance, item.domain)


@pytest.fixture
def long_place(tmp_path: Path) -> Path:
    """A workspace with three long items in one task that has a guideline."""
    place = tmp_path / "long"
    ws = Workspace.create(place)
    people.ensure_person(ws, LEAD, "lead")
    add_items(ws, [long_item(number) for number in range(3)])
    for task in tasks.tasks(ws, BENCHMARK):
        tasks.change(ws, task.name, LEAD, guideline=GUIDELINE, settings={"overlap": "1"},
                     reasons=["too easy", "wrong domain"], benchmark=BENCHMARK)  # fmt: skip
    ws.close()
    return place


def number(panel: ReviewPanel) -> int:
    assert panel.queue.shown is not None
    return panel.queue.shown.card.number


def rest(scene: Scene, panel: ReviewPanel) -> None:
    scene.until(lambda: panel.ready() and not panel.context.tasks.busy)


def test_f2_shows_the_guideline_formatted_and_ctrl_g_the_task_of_the_item(scene, long_place):
    panel = scene.review(scene.open(long_place))
    window = panel.window()
    assert not panel.guideline.isVisible()
    press(panel, Qt.Key.Key_F2)
    scene.until(lambda: "What counts" in panel.guideline.page.toPlainText())
    assert panel.guideline.isVisible()
    text = panel.guideline.page.toPlainText()
    assert "**" not in text
    assert "<b>tag</b>" in text
    assert "too easy" in text
    assert panel.page.width() >= 500
    press(panel, Qt.Key.Key_G, CTRL)
    scene.until(lambda: bool(QApplication.activeModalWidget() or window.findChildren(QPushButton)))
    from gui.dialogs.task import TaskDialog

    (dialog,) = window.findChildren(TaskDialog)
    scene.until(lambda: dialog.shown is not None)
    assert dialog.shown is not None
    assert dialog.shown.info.name == panel.task()
    dialog.close()
    scene.until(lambda: not window.findChildren(TaskDialog))
    window.activateWindow()
    scene.until(window.isActiveWindow)
    press(panel, Qt.Key.Key_F2)
    assert not panel.guideline.isVisible()
    assert panel.queue_column.isVisible()


def test_the_numbers_of_a_list_in_the_guideline_are_whole_in_larger_type(scene, long_place):
    panel = scene.review(scene.open(long_place))
    press(panel, Qt.Key.Key_F2)
    scene.until(lambda: "too easy" in panel.guideline.page.toPlainText())
    for _ in range(4):
        press(panel, Qt.Key.Key_Plus, CTRL)
    rest(scene, panel)
    entry = panel.guideline.page.document().find("wrong domain")
    type_px = entry.charFormat().font().pixelSize()
    room = panel.guideline.page.document().documentLayout().blockBoundingRect(entry.block()).left()
    assert room + entry.blockFormat().leftMargin() >= 1.5 * type_px  # of “10.” in that type


def top_of(panel: ReviewPanel) -> int:
    return panel.page.cursorForPosition(QPoint(4, 4)).position()


def is_seen(panel: ReviewPanel, position: int) -> bool:
    cursor = panel.page.textCursor()
    cursor.setPosition(position)
    return panel.page.viewport().rect().intersects(panel.page.cursorRect(cursor))


def test_what_one_reads_stays_in_sight_when_the_guideline_comes_and_the_type_changes(
    scene, long_place
):
    window = scene.open(long_place)
    window.resize(1280, 720)
    panel = scene.review(window)
    bar = panel.page.verticalScrollBar()
    guideline, larger, smaller = (
        (Qt.Key.Key_F2,),
        (Qt.Key.Key_Plus, CTRL),
        (Qt.Key.Key_Minus, CTRL),
    )
    changes = (guideline, guideline, larger, smaller)
    press(panel, Qt.Key.Key_End)
    for change in changes:
        press(panel, *change)
        rest(scene, panel)
        assert bar.value() == bar.maximum() > 0
    press(panel, Qt.Key.Key_PageUp)
    before, place = top_of(panel), bar.value()
    for change in changes:
        press(panel, *change)
        rest(scene, panel)
        assert is_seen(panel, before)
        assert abs(top_of(panel) - before) < 150  # about two lines
    assert bar.value() == place


def test_the_key_comes_into_sight_and_goes_without_moving_the_page(scene, long_place):
    panel = scene.review(scene.open(long_place))
    bar = panel.page.verticalScrollBar()
    press(panel, Qt.Key.Key_K)
    assert is_seen(panel, panel.page.document().find("✓").position())
    place = bar.value()
    assert place > 0
    press(panel, Qt.Key.Key_K)
    assert bar.value() == place


def test_page_keys_space_home_and_end_scroll_the_item_without_a_click(scene, long_place):
    panel = scene.review(scene.open(long_place))
    bar = panel.page.verticalScrollBar()
    assert bar.maximum() > 0
    press(panel, Qt.Key.Key_PageDown)
    after_one = bar.value()
    assert 0 < after_one < bar.pageStep()
    press(panel, Qt.Key.Key_Space)
    assert bar.value() > after_one
    press(panel, Qt.Key.Key_Space, SHIFT)
    assert bar.value() == after_one
    press(panel, Qt.Key.Key_End)
    assert bar.value() == bar.maximum()
    press(panel, Qt.Key.Key_PageUp)
    assert bar.value() < bar.maximum()
    press(panel, Qt.Key.Key_Home)
    assert bar.value() == 0
    panel.decision.note.setFocus()
    press(panel, Qt.Key.Key_Space)
    press(panel, Qt.Key.Key_End)
    assert bar.value() == 0


def test_space_presses_the_button_that_has_the_focus(scene, long_place):
    panel = scene.review(scene.open(long_place))
    first = number(panel)
    accept = next(
        b for b in panel.decision.findChildren(QPushButton) if b.accessibleName() == "Accept"
    )
    accept.setFocus()
    press(panel, Qt.Key.Key_Space)
    scene.until(lambda: number(panel) != first)
    rest(scene, panel)


def test_every_option_is_in_sight_or_scrolls_at_the_smallest_height(scene, long_place):
    window = scene.open(long_place)
    window.resize(1280, 600)
    panel = scene.review(window)
    reasons = (*(f"reason {n}" for n in range(8)), "other")
    panel.decision.show_reasons(reasons)
    scene.settle(window)
    bar = panel.decision.findChild(QScrollArea).verticalScrollBar()

    def in_sight(name: str) -> bool:
        bar.setValue(bar.maximum())
        buttons = panel.decision.findChildren(QPushButton)
        return any(b.accessibleName() == name and not b.visibleRegion().isEmpty() for b in buttons)

    scene.until(lambda: in_sight("other…") and in_sight("Skip"))
    assert window.height() == 600


def test_the_size_of_the_text_changes_by_keys_and_wheel_and_is_remembered(scene, long_place):
    window = scene.open(long_place)
    panel = scene.review(window)
    kept: list[Preferences] = []
    bench_of(window).preferences_changed.connect(kept.append)

    def size() -> int:
        return panel.page.document().defaultFont().pixelSize()

    assert size() == theme.ITEM_PX
    press(panel, Qt.Key.Key_Plus, CTRL)
    assert size() == 19
    turn = QWheelEvent(
        QPointF(50, 50), panel.page.mapToGlobal(QPointF(50, 50)), QPoint(), QPoint(0, 120),
        Qt.MouseButton.NoButton, CTRL, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(panel.page.viewport(), turn)
    assert size() == 21
    press(panel, Qt.Key.Key_Minus, CTRL)
    press(panel, Qt.Key.Key_Minus, CTRL)
    press(panel, Qt.Key.Key_Minus, CTRL)
    assert size() == 15
    assert kept[-1].text_size == 15
    assert kept[-1].reading.size == 15
    press(panel, Qt.Key.Key_0, CTRL)
    assert size() == theme.ITEM_PX
    bench_of(window).actions_.action("line-height").trigger()
    bench_of(window).actions_.action("density").trigger()
    assert (kept[-1].line_height, kept[-1].density) == (1.8, 1.5)


def test_the_tasks_own_reasons_stand_behind_the_digits(scene, long_place):
    panel = scene.review(scene.open(long_place))
    first = number(panel)
    assert panel.decision.reasons == ("too easy", "wrong domain", "other")
    press(panel, Qt.Key.Key_R)
    press(panel, Qt.Key.Key_7)
    press(panel, Qt.Key.Key_2)
    scene.until(lambda: number(panel) != first)
    rest(scene, panel)
    press(panel, Qt.Key.Key_Up)
    scene.until(lambda: number(panel) == first)
    assert panel.queue.past is not None
    assert panel.queue.past.earlier.reason == "wrong domain"


def test_an_earlier_decision_is_changed_in_its_place_and_the_way_leads_back(scene, small_place):
    panel = scene.review(scene.open(small_place))
    first = number(panel)
    for _ in range(2):
        rest(scene, panel)
        before = number(panel)
        press(panel, Qt.Key.Key_A)
        scene.until(lambda before=before: number(panel) != before)
    rest(scene, panel)
    here = number(panel)
    panel.decision.note.setFocus()
    type_text(panel, "half a note")
    press(panel, Qt.Key.Key_Escape)
    press(panel, Qt.Key.Key_Up)
    scene.until(lambda: number(panel) != here and panel.page.in_sight == number(panel))
    press(panel, Qt.Key.Key_Up)
    scene.until(lambda: number(panel) == first and panel.page.in_sight == first)
    assert panel.decision.text == ""
    press(panel, Qt.Key.Key_R)
    press(panel, Qt.Key.Key_3)
    scene.until(lambda: number(panel) == here)
    rest(scene, panel)
    assert panel.decision.text == "half a note"
    verdicts = {row.number: row.verdict for row in panel.queue.rows}
    assert verdicts[first] == "reject"
    assert list(verdicts.values()).count("accept") == 1


def test_a_skip_is_taken_back_by_ctrl_z(scene, small_place):
    panel = scene.review(scene.open(small_place))
    first = number(panel)
    press(panel, Qt.Key.Key_S)
    scene.until(lambda: number(panel) != first)
    rest(scene, panel)
    press(panel, Qt.Key.Key_Z, CTRL)
    scene.until(lambda: number(panel) == first and panel.can_decide())
    rest(scene, panel)
    assert all(row.verdict != "skip" for row in panel.queue.rows)


def test_the_place_the_item_and_a_half_written_note_survive_closing(scene, small_place):
    window = scene.open(small_place)
    panel = scene.review(window)
    press(panel, Qt.Key.Key_S)
    rest(scene, panel)
    here = number(panel)
    panel.decision.note.setFocus()
    type_text(panel, "is B not right as well?")
    kept = bench_of(window).remember(Preferences(size=(1280, 820)))
    window.close()
    again = scene.review(scene.open(small_place, kept=kept))
    scene.until(lambda: again.decision.text != "")
    assert number(again) == here
    assert again.decision.text == "is B not right as well?"
    bench_of(again.window()).show_panel("items")
    kept = bench_of(again.window()).remember(kept)
    third = scene.open(small_place, kept=kept)
    scene.until(lambda: bench_of(third).front == "items")


def test_two_windows_have_two_titles_and_keep_each_others_preferences(scene, small_place, home):
    first = MainWindow(str(small_place), Preferences())
    second = MainWindow(str(small_place), Preferences())
    for window in (first, second):
        scene.windows.append(window)
        window.open_(LEAD)
        window.show()
        scene.until(lambda window=window: window.workbench is not None)
    assert first.windowTitle() != second.windowTitle()
    assert "small" in first.windowTitle()
    bench_of(first).actions_.action("text-larger").trigger()
    bench_of(second).actions_.action("guideline").trigger()
    scene.until(lambda: not (first.tasks.busy or second.tasks.busy))
    first.close()
    second.close()
    kept = preferences.load()
    assert (kept.text_size, kept.guideline) == (19, True)


def test_preferences_that_another_window_wrote_stay(home):
    began = Preferences()
    preferences.save(began.with_columns("items", ("a",)), began)
    preferences.save(began.model_copy(update={"theme": "dark"}), began)
    preferences.save(began.with_person("/b", "Li").opened("/b"), began)
    preferences.save(began.opened("/a"), began)
    kept = preferences.load()
    assert (kept.theme, dict(kept.columns), dict(kept.person)) == (
        "dark", {"items": ("a",)}, {"/b": "Li"},
    )  # fmt: skip
    assert kept.recent == ("/a", "/b")


def test_a_digit_rates_and_goes_to_the_next_criterion_and_a_comment_is_sent(scene, place):
    panel = scene.at(scene.open(place, THIRD), "rate")
    names = []
    for key in (Qt.Key.Key_3, Qt.Key.Key_3, Qt.Key.Key_1, Qt.Key.Key_1):
        names.append(panel.window().focusWidget().accessibleName())
        press(panel, key)
    assert len(set(names)) == 4
    assert panel.rubric.complete
    press(panel, Qt.Key.Key_C)
    type_text(panel, "reads well")
    assert panel.rubric.comment == "reads well"
    before = panel.item()
    press(panel, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: panel.item() != before and panel.ready())
    scene.until(lambda: not panel.context.tasks.busy)
    assert panel.rubric.comment == ""
    from core.workflow.check import rate

    ws = Workspace.open(place)
    people.ensure_person(ws, "new", "annotator", actor=LEAD)
    done = rate.rate(ws, "new", before, {"fluency": 2})
    ws.close()
    assert done.comments == ("reads well",)
