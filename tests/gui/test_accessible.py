"""What a screen reader and the Tab key meet: names, roles, the order of reading, contrast."""

from itertools import pairwise

import pytest
from PySide6.QtCore import SIGNAL, QObject, QPoint, QRect
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QScrollBar,
    QWidget,
)

from gui import theme
from tests.gui.picture_walk import name_of, seen
from tests.gui.scene import LEAD, Scene, bench_of
from tests.gui.test_picture_walk import DIALOGS, opened

_ROLES = {
    QAccessible.Role.Button, QAccessible.Role.CheckBox, QAccessible.Role.RadioButton,
    QAccessible.Role.EditableText, QAccessible.Role.ComboBox, QAccessible.Role.SpinBox,
    QAccessible.Role.Table, QAccessible.Role.Tree, QAccessible.Role.List,
    QAccessible.Role.PageTabList, QAccessible.Role.ButtonMenu, QAccessible.Role.ProgressBar,
}  # fmt: skip


def nameless(root: QWidget) -> list[str]:
    """Controls of a window without a name, and what takes the focus without a role."""
    found = []
    for widget in seen(root):
        inner = isinstance(widget.parentWidget(), QAbstractSpinBox | QComboBox)
        if isinstance(widget, QScrollBar) or inner:
            continue
        interface = QAccessible.queryAccessibleInterface(widget)
        if interface is None:
            continue
        is_control = interface.role() in _ROLES or isinstance(widget, QAbstractButton)
        named = interface.text(QAccessible.Text.Name).strip()
        if is_control and not named:
            found.append(f"no name: {name_of(widget)} ({interface.role().name})")
        if widget.focusPolicy() and interface.role() == QAccessible.Role.NoRole:
            found.append(f"no role: {name_of(widget)}")
    return found


def only_by_click(root: QWidget) -> list[str]:
    """Buttons that can be checked and whose window hears of it only when they are clicked.

    A screen reader's action on such a button is ``toggle``, which clicks nothing.
    """

    def deaf(source: QObject, clicked: str, toggled: str) -> bool:
        return bool(source.receivers(SIGNAL(clicked))) and not source.receivers(SIGNAL(toggled))

    found = []
    for button in root.findChildren(QAbstractButton):
        if not button.isCheckable():
            continue
        group = button.group()
        if deaf(button, "clicked(bool)", "toggled(bool)") or (group is not None and deaf(
            group, "buttonClicked(QAbstractButton*)", "buttonToggled(QAbstractButton*,bool)"
        )):  # fmt: skip
            found.append(f"deaf to a reader's toggle: {name_of(button)}")
    return found


def tab_order(root: QWidget) -> list[QWidget]:
    """The widgets at which the Tab key stops, in its order."""
    order: list[QWidget] = []
    widget = root.nextInFocusChain()
    while widget is not None and widget is not root:
        stops = widget.focusPolicy().value & 1
        if stops and widget.isVisibleTo(root) and widget.isEnabled() and root.isAncestorOf(widget):
            order.append(widget)
        widget = widget.nextInFocusChain()
    return order


def out_of_order(dialog: QDialog) -> list[str]:
    """Steps of the Tab key that go up, or left on one line, within one parent."""
    found = []
    stops = tab_order(dialog)
    for before, after in pairwise(stops):
        if before.parentWidget() is not after.parentWidget():
            continue
        first = before.mapTo(dialog, QPoint(0, before.height() // 2))
        second = after.mapTo(dialog, QPoint(0, after.height() // 2))
        same_line = abs(first.y() - second.y()) <= max(before.height(), after.height()) // 2
        if (same_line and second.x() < first.x()) or (not same_line and second.y() < first.y()):
            beside = after.x() >= before.x() + before.width()  # the next column, from its top
            if not beside:
                found.append(f"{name_of(before)} → {name_of(after)}")
    return found


def goes_back(panel: QWidget) -> list[str]:
    """Steps of the Tab key in a panel that go up without going right, or left on one height."""
    found = []
    for before, after in pairwise(tab_order(panel)):
        first = QRect(before.mapTo(panel, QPoint(0, 0)), before.size())
        second = QRect(after.mapTo(panel, QPoint(0, 0)), after.size())
        up = second.bottom() <= first.top() and second.left() <= first.right()
        left = second.right() <= first.left() and second.top() < first.bottom()
        if up or left:
            found.append(f"{name_of(before)} → {name_of(after)}")
    return found


def reads_back(root: QWidget) -> list[str]:
    """Steps of a screen reader among what is seen that go up without going right, or left on one
    height; Qt itself keeps the pages of a tab widget before the tabs."""
    found = []
    waiting = [QAccessible.queryAccessibleInterface(root)]
    while waiting:
        of = waiting.pop()
        children = [of.child(place) for place in range(of.childCount())]
        shown = [one for one in children if one is not None and isinstance(one.object(), QWidget)]
        shown = [one for one in shown if one.rect().width() > 0]
        for before, after in pairwise(shown):
            first, second = before.rect(), after.rect()
            up = second.bottom() <= first.top() and second.left() <= first.right()
            left = second.right() <= first.left() and second.top() < first.bottom()
            beside = left and first.top() < second.bottom()
            if (up or beside) and after.role() != QAccessible.Role.PageTabList:
                found.append(f"{name_of(before.object())} → {name_of(after.object())}")
        waiting += shown
    return found


@pytest.mark.parametrize("which", ["full_place", "place"])
def test_every_control_of_every_panel_has_a_name_and_a_role_and_tab_follows_the_eye(
    which, scene: Scene, request
):
    window = scene.open(request.getfixturevalue(which), LEAD)
    found = []
    for name in bench_of(window).places:
        panel = scene.at(window, name)
        found += [f"{name}: {fault}" for fault in nameless(window) + only_by_click(window)]
        found += [f"{name}: Tab goes back: {step}" for step in goes_back(panel)]
        found += [f"{name}: a reader goes back: {step}" for step in reads_back(panel)]
    assert "\n".join(sorted(set(found))) == ""


def test_every_control_of_every_dialog_has_a_name_and_tab_follows_the_eye(scene: Scene, place):
    window = scene.open(place, LEAD)
    found = []
    for name in DIALOGS:
        dialog = opened(scene, window, name)
        found += [f"{name}: {fault}" for fault in nameless(dialog) + only_by_click(dialog)]
        found += [f"{name}: Tab goes back: {step}" for step in out_of_order(dialog)]
        dialog.close()
        scene.until(lambda: not window.tasks.busy)
    assert "\n".join(sorted(set(found))) == ""


@pytest.mark.parametrize("name", ["light", "dark"])
def test_words_stand_out_from_every_ground_and_lines_can_be_seen(name):
    colours = theme.tokens(name)
    for ink, colour in colours.inks.items():
        for ground, below in colours.grounds.items():
            assert theme.contrast(colour, below) >= 4.5, f"{ink} on {ground}"
    assert theme.contrast(colours.on_fill, colours.accent) >= 4.5
    # the border of a field with the focus (WCAG 2.2, 1.4.11)
    for below in (colours.background, colours.surface):
        assert theme.contrast(colours.accent, below) >= 3.0
