"""A form that is closed: nothing writes in it, and it opens again whatever came of the hand-in."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
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
from tests.gui.scene import THIRD, Scene, bench_of, rest
from tests.gui.stages_workspace import MOODS, TITLES, make_stages, triplet

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
def place(tmp_path: Path) -> Path:
    return make_stages(tmp_path / "stages")


@pytest.fixture
def panel(scene: Scene, place: Path) -> WritePanel:
    """An item that is ready to be handed in."""
    found = scene.at(scene.open(place, THIRD), "write")
    assert isinstance(found, WritePanel)
    found.choose_task(TITLES)
    scene.until(lambda: found.ready() and not found.context.tasks.busy)
    found.new_item()
    for name in ("instruction", "input", "output"):
        found.form.put(name, triplet("新的一封信")[name])
    return found


@contextmanager
def written_by_another(place: Path) -> Iterator[sqlite3.Connection]:
    """Nothing of ours is committed meanwhile; what the other writes is, at the end."""
    other = sqlite3.connect(place / "workspace.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield other
    finally:
        other.execute("COMMIT")
        other.close()


def test_no_wording_is_taken_while_an_item_is_handed_in(
    scene: Scene, panel: WritePanel, place: Path
):
    before = panel.form.payload()
    with written_by_another(place):
        panel.submit()
        panel.left.wording_chosen.emit(InstructionVariant("9", "另写一句。"))
        assert panel.form.payload() == before
        assert "discarded" in panel.says.text()
    rest(scene, panel)


def test_a_refusal_after_the_task_changed_is_said_and_leaves_an_open_form(
    scene: Scene, panel: WritePanel, place: Path
):
    notice = bench_of(panel.window()).notice
    with written_by_another(place) as other:
        panel.submit()
        panel.choose_task(MOODS)
        other.execute(
            "CREATE TRIGGER full BEFORE INSERT ON item "
            "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )
    scene.until(lambda: panel.ready() and notice.isVisible())
    rest(scene, panel)
    assert panel.task() == MOODS
    assert "full" in notice.text
    panel.form.enter()
    QTest.keyClicks(panel.window().focusWidget(), "ok")
    assert "ok" in str(panel.form.payload())


def test_a_list_keeps_an_entry_of_several_lines_as_one(qtbot):
    made = FamilyForm()
    qtbot.addWidget(made)
    made.build((FormField("options", "Options", "list"),))
    made.fill({"options": ["first line\nsecond line", "other"]})
    assert made.payload()["options"] == ["first line\nsecond line", "other"]
