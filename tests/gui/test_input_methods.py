"""Where keys decide no input method is in between, and where one composes no key decides."""

from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QDialog, QLineEdit, QWidget

from gui.actions import typing
from gui.window.main_window import MainWindow
from tests.gui.picture_walk import name_of
from tests.gui.scene import CTRL, LEAD, THIRD, Scene, bench_of, decisions_of, press
from tests.gui.stages_workspace import FOURTH, start_audit

KEY = Qt.Key
PLAIN = Qt.KeyboardModifier.NoModifier
KEYS = (
    KEY.Key_A, KEY.Key_R, KEY.Key_E, KEY.Key_S, KEY.Key_K, KEY.Key_O, KEY.Key_D, KEY.Key_U,
    KEY.Key_N, KEY.Key_F, KEY.Key_J, KEY.Key_1, KEY.Key_3, KEY.Key_Question, KEY.Key_Space,
    KEY.Key_Return, KEY.Key_Enter, KEY.Key_Escape, KEY.Key_Down, KEY.Key_PageDown,
)  # fmt: skip


def focusable(window: MainWindow) -> Iterator[QWidget]:
    for widget in window.findChildren(QWidget):
        focuses = widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        if focuses and widget.isVisible() and widget.isEnabled():
            yield widget


def takes_text(widget: QWidget) -> bool:
    editable = isinstance(widget, QComboBox) and widget.isEditable()
    return typing(widget) or isinstance(widget, QAbstractSpinBox) or editable


def compose(widget: QWidget, text: str = "ni") -> None:
    QCoreApplication.sendEvent(widget, QInputMethodEvent(text, []))


def note(done: list[str], name: str, *_: bool) -> None:
    done.append(name)


@pytest.mark.parametrize("person", [LEAD, THIRD, FOURTH])
def test_an_input_method_gets_no_key_that_is_no_text(scene: Scene, place, person):
    """With pinyin on, A would begin to compose and never accept."""
    start_audit(place)
    window = scene.open(place, person)
    for name in bench_of(window).places:
        scene.at(window, name)
        composing = [
            f"{name}: {name_of(widget)}"
            for widget in focusable(window)
            if widget.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
            and not takes_text(widget)
        ]
        assert composing == []


def test_no_key_acts_while_a_word_is_composed(scene: Scene, place):
    start_audit(place)
    window = scene.open(place, LEAD)
    bench = bench_of(window)
    composed: dict[str, int] = {}
    done: list[str] = []
    for name in bench.places:
        scene.at(window, name)
        for id_ in bench.actions_.bound():
            act = bench.actions_.action(id_)
            if act.property("noted") is None:
                act.setProperty("noted", True)
                act.triggered.connect(partial(note, done, id_))
        for field in [widget for widget in focusable(window) if takes_text(widget)]:
            field.setFocus()
            target = window.focusWidget()
            if target is None or not takes_text(target):
                continue
            composed[name] = composed.get(name, 0) + 1
            for key in KEYS:
                for modifier in (PLAIN, CTRL):
                    compose(target)
                    QTest.keyClick(target, key, modifier)
            compose(target, "")
            assert done == []
    assert {"review", "adjudicate", "audit", "write", "items"} <= composed.keys()
    assert decisions_of(place, LEAD) == []


def test_the_enter_that_ends_composing_hands_in_nothing(scene: Scene, place):
    window = scene.open(place, LEAD)
    scene.review(window)
    press(window, KEY.Key_K, CTRL)
    scene.until(lambda: any(dialog.isVisible() for dialog in window.findChildren(QDialog)))
    (palette,) = [dialog for dialog in window.findChildren(QDialog) if dialog.isVisible()]
    field = palette.focusWidget()
    assert isinstance(field, QLineEdit)
    palette.activateWindow()
    scene.until(field.hasFocus)
    for key in (KEY.Key_Return, KEY.Key_Enter, KEY.Key_Escape):
        compose(field)
        QTest.keyClick(field, key)
        assert palette.isVisible()
    compose(field, "")
    QTest.keyClick(field, KEY.Key_Escape)
    assert not palette.isVisible()


def test_a_page_that_is_read_takes_no_text_from_an_input_method(scene: Scene, small_place):
    panel = scene.review(scene.open(small_place, LEAD))
    before = panel.page.toPlainText()
    panel.page.setFocus()
    for committed in ("", "你"):
        event = QInputMethodEvent("" if committed else "ni", [])
        event.setCommitString(committed)
        QCoreApplication.sendEvent(panel.page, event)
        assert panel.page.toPlainText() == before
        assert panel.page.textCursor().block().layout().preeditAreaText() == ""
