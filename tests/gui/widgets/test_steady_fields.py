"""Fields that keep their value while the wheel scrolls the page that they stand on."""

import ast

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from gui.app import application
from gui.preferences import Preferences
from gui.widgets.steady_fields import ChoiceBox, DayBox, DecimalBox, NumberBox
from tests.paths import ROOT

PLAIN = {"QComboBox", "QSpinBox", "QDoubleSpinBox", "QDateEdit", "QTimeEdit", "QDateTimeEdit",
         "QSlider", "QFontComboBox"}  # fmt: skip


def turned(widget):
    """Turn the wheel once over a widget, as a mouse does; whether the page is left to scroll."""
    middle = QPointF(widget.rect().center())
    event = QWheelEvent(
        middle, QPointF(widget.mapToGlobal(middle.toPoint())), QPoint(0, 0), QPoint(0, -120),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase,
        False,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)
    return not event.isAccepted()


@pytest.mark.parametrize("kind", [ChoiceBox, NumberBox, DecimalBox, DayBox])
@pytest.mark.parametrize("focused", [True, False])
def test_the_wheel_is_left_to_the_page_and_changes_no_field(qtbot, kind, focused):
    field = kind()
    qtbot.addWidget(field)
    if isinstance(field, ChoiceBox):
        field.setEditable(focused)
        field.addItems(["first", "second", "third"])
    with qtbot.waitExposed(field):
        field.show()
    if focused:
        field.setFocus()
    said = field.currentText if isinstance(field, ChoiceBox) else field.text
    before = said()
    assert turned(field)
    assert said() == before
    assert field.focusPolicy() == Qt.FocusPolicy.StrongFocus


def test_every_field_of_the_window_is_a_steady_one():
    plain = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "gui").rglob("*.py"))
        if path.name != "steady_fields.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PLAIN
        )
        or (isinstance(node, ast.ClassDef) and {getattr(b, "id", "") for b in node.bases} & PLAIN)
    ]
    assert plain == []


@pytest.mark.parametrize(
    "whole", ["Random choice (baseline:random)", "all", "一二三四五六七八九十"]
)
def test_a_choice_at_its_own_width_is_whole_in_the_style_of_the_window(qtbot, whole):
    application(Preferences())
    box = ChoiceBox()
    qtbot.addWidget(box)
    box.addItem(whole)
    box.show()
    box.resize(box.sizeHint())
    assert box.shown_text == whole


def test_a_choice_that_has_no_room_ends_in_dots(qtbot):
    """“Random choice (baseli” read as if that were its name."""
    box = ChoiceBox()
    qtbot.addWidget(box)
    whole = "Random choice (baseline:random)"
    box.addItem(whole)
    box.resize(box.sizeHint())
    box.show()
    assert box.shown_text == whole
    wide = box.grab().toImage()
    box.resize(120, box.height())
    assert box.shown_text.endswith("…")
    assert whole.startswith(box.shown_text[:-1])
    narrow = box.grab().toImage()
    assert narrow != wide.copy(narrow.rect())
