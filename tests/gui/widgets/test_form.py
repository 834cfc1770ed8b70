"""A form that is closed: nothing writes in it, and it opens again whatever came of the hand-in."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from core.families.base import FormField
from core.workflow.production.author_view import InstructionVariant
from gui.panels.write.panel import WritePanel
from gui.widgets.form import Choice, FamilyForm, GrowingText
from tests.gui.scene import THIRD, Scene, bench_of
from tests.gui.stages_workspace import MOODS, TITLES, make_stages

FIELDS = (
    FormField("title", "Title", "text"),
    FormField("body", "Body", "long_text"),
    FormField("level", "Level", "choice", options=("easy", "hard")),
)
FILLED = {"title": "春", "body": "夏", "level": 0}
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def form(qtbot) -> FamilyForm:
    made = FamilyForm()
    qtbot.addWidget(made)
    made.build(FIELDS)
    made.fill(FILLED)
    made.show()
    return made


def drop(field: GrowingText) -> bool:
    data = QMimeData()
    data.setText("别处")
    action, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    entered = QDragEnterEvent(QPoint(4, 4), action, data, LEFT, none)
    QGuiApplication.sendEvent(field.viewport(), entered)
    event = QDropEvent(QPointF(4, 4), action, data, LEFT, none)
    QGuiApplication.sendEvent(field.viewport(), event)
    return entered.isAccepted()


def test_a_closed_form_takes_nothing_by_mouse_menu_or_drop_and_says_so(form, qtbot):
    title, body, level = (form.field(name) for name in ("title", "body", "level"))
    assert isinstance(title, QLineEdit)
    assert isinstance(body, GrowingText)
    assert isinstance(level, Choice)
    form.allow(False)
    with qtbot.waitSignal(form.refused):
        assert not drop(body)
    for target in (title, body.viewport()):
        for press in (QTest.mousePress, QTest.mouseRelease):
            with qtbot.waitSignal(form.refused):
                press(target, Qt.MouseButton.MiddleButton)
        asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(4, 4), QPoint(4, 4))
        with qtbot.waitSignal(form.refused):
            QGuiApplication.sendEvent(target, asked)
    with qtbot.waitSignal(form.refused):
        QTest.mouseClick(level, LEFT)
    assert not level.view().isVisible()
    assert form.payload() == FILLED
    form.allow(True)
    assert drop(body)
    assert "别处" in form.payload()["body"]


@pytest.fixture
def panel(scene: Scene, tmp_path: Path) -> WritePanel:
    """The context while an item is being handed in."""
    found = scene.at(scene.open(make_stages(tmp_path / "stages"), THIRD), "write")
    assert isinstance(found, WritePanel)
    found.choose_task(TITLES)
    scene.until(lambda: found.ready() and not found.context.tasks.busy)
    found._handing_in = True
    found._show_state()
    return found


def test_no_wording_is_taken_while_an_item_is_handed_in(panel: WritePanel):
    before = panel.form.payload()
    panel.left.wording_chosen.emit(InstructionVariant("9", "另写一句。"))
    assert panel.form.payload() == before
    assert "not taken" in panel.says.text()


def test_a_refusal_after_the_task_changed_is_said_and_leaves_an_open_form(
    scene: Scene, panel: WritePanel
):
    panel.choose_task(MOODS)
    scene.until(lambda: panel.ready() and not panel.context.tasks.busy)
    panel._on_refused("The disk is full.")
    scene.until(lambda: panel.ready() and panel._slot is not None)
    assert panel._slot is not None
    assert panel._slot.task == MOODS
    assert bench_of(panel.window()).notice.text == "The disk is full."
    panel.form.enter()
    QTest.keyClicks(panel.window().focusWidget(), "ok")
    assert "ok" in str(panel.form.payload())
