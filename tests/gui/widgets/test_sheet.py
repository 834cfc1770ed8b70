"""What a sheet says and where one types is in sight, however much stands in it."""

from functools import partial

import pytest
from PySide6.QtCore import QCoreApplication, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget

from gui.dialogs.confirm import ConfirmDialog
from gui.widgets.sheet import Sheet


class Tall(Sheet):
    """Forty fields, of which a low sheet shows a few."""

    def __init__(self) -> None:
        super().__init__(None, "Tall", (500, 300))
        self.body, foot = self.with_body()
        self.fields = [self.add() for _ in range(40)]
        self.button = QPushButton("Go on")
        foot.addWidget(self.button)
        self.focus_first(self.fields[0])

    def add(self) -> QLineEdit:
        """One more field at the end."""
        field = QLineEdit()
        self.body.addWidget(field)
        return field


@pytest.fixture
def tall(qtbot) -> Tall:
    sheet = Tall()
    qtbot.addWidget(sheet)
    with qtbot.waitActive(sheet):
        sheet.show()
    return sheet


def is_in_sight(widget: QWidget) -> bool:
    """Whether nothing of a widget is cut off by what it stands in."""
    return widget.isVisible() and widget.visibleRegion().boundingRect() == widget.rect()


def test_the_field_that_gets_the_focus_scrolls_into_sight(tall: Tall, qtbot):
    assert not is_in_sight(tall.fields[30])
    tall.fields[30].setFocus()
    qtbot.waitUntil(lambda: is_in_sight(tall.fields[30]))


def test_a_field_that_is_added_and_gets_the_focus_at_once_is_in_sight(tall: Tall, qtbot):
    new = [tall.add() for _ in range(3)]
    new[1].setFocus()
    qtbot.waitUntil(lambda: is_in_sight(new[1]))


def test_what_went_wrong_is_said_beside_the_buttons_with_the_field_in_focus(tall: Tall, qtbot):
    tall.fields[35].setText("wrong")
    tall.say_trouble("No such thing.", tall.fields[35])
    qtbot.waitUntil(lambda: is_in_sight(tall.trouble) and is_in_sight(tall.fields[35]))
    assert is_in_sight(tall.button)
    assert (tall.trouble.text(), tall.focusWidget()) == ("No such thing.", tall.fields[35])
    assert tall.fields[35].selectedText() == "wrong"


def test_a_sheet_makes_room_for_what_came_but_not_beyond_the_screen(tall: Tall, qtbot):
    tall.make_room()
    room = tall.screen().availableGeometry()
    qtbot.waitUntil(lambda: tall.height() > 300)
    assert room.contains(QRect(tall.pos(), tall.size()))


def test_a_sheet_with_room_enough_stays_as_it_is(qtbot):
    sheet = Sheet(None, "Low", (500, 300))
    body, _foot = sheet.with_body()
    assert isinstance(body, QVBoxLayout)
    body.addWidget(QLineEdit())
    qtbot.addWidget(sheet)
    with qtbot.waitActive(sheet):
        sheet.show()
    sheet.make_room()
    QCoreApplication.processEvents()
    assert sheet.height() == 300


def test_a_sheet_has_room_for_what_was_just_put_into_it(qtbot):
    sheet = Sheet(None, "Low", (500, 200))
    body, _foot = sheet.with_body()
    qtbot.addWidget(sheet)
    with qtbot.waitActive(sheet):
        sheet.show()
    fields = [QLineEdit() for _ in range(8)]
    for field in fields:
        body.addWidget(field)
    sheet.make_room()
    qtbot.waitUntil(lambda: all(map(is_in_sight, fields)))


def test_enter_presses_the_button_that_has_the_focus(tall: Tall, qtbot):
    other = QPushButton("Show")
    tall.body.addWidget(other)
    tall.enter_presses(tall.button)
    pressed: list[str] = []
    for button in (tall.button, other):
        button.setAutoDefault(False)
        button.clicked.connect(partial(pressed.append, button.text()))
    other.setFocus()
    qtbot.waitUntil(other.hasFocus)
    QTest.keyClick(other, Qt.Key.Key_Return)
    QTest.keyClick(other, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)
    assert pressed == ["Show", "Show"]
    tall.fields[0].setFocus()
    QTest.keyClick(tall.fields[0], Qt.Key.Key_Return)
    assert pressed == ["Show", "Show", "Go on"]


def test_what_cannot_be_undone_is_done_with_enter_on_its_button_alone(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()
    agreed: list[str] = []
    sheet = ConfirmDialog(parent, "Show it?", ("It is shown.",), "Show", agreed.append)
    with qtbot.waitActive(sheet):
        sheet.open()
    QTest.keyClick(sheet.focusWidget(), Qt.Key.Key_Tab)
    assert sheet.focusWidget() is sheet.act
    QTest.keyClick(sheet.focusWidget(), Qt.Key.Key_Return)
    assert agreed == [""]
