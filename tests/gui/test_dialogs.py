"""Every dialog of the program: where its focus is, what Esc and Enter do, and that it fits."""

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QDialog,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
)
from shiboken6 import isValid

from core.workflow.dashboards import alarms
from core.workflow.items import state_counts
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from gui.actions import typing
from gui.window.main_window import MainWindow
from tests.gui.dialog_openers import OPENERS, dialog_classes
from tests.gui.scene import Scene

NAMES = sorted(OPENERS)
ACTS = {
    "Freeze", "Discard", "Reject selected items…", "Show hidden details", "Start", "Import",
    "Start rewriting", "Save as new version",
}  # fmt: skip
"""Buttons that change something for good: nobody finds the focus on one of them."""

TYPED = {
    "BulkDialog", "CommandPalette", "FilterNameDialog", "ImportDialog", "NewTaskDialog",
    "QuestionDialog", "RewriteDialog", "ScreeningDialog", "FreezeDialog",
}  # fmt: skip
"""Dialogs in which one types first."""

CARELESS = {"CommandPalette", "FilterDialog", "QuestionDialog"}
"""Dialogs of searching, and one that keeps what was typed for the next time: nothing is lost."""

LOW = QSize(640, 360)  # a screen of 1280×720 at 200%


def opened(scene: Scene, place, name: str) -> tuple[MainWindow, QDialog]:
    window = scene.open(place)
    OPENERS[name](scene, window)

    def found() -> QDialog | None:
        dialogs = window.findChildren(QDialog)
        return next((d for d in dialogs if type(d).__name__ == name and d.isVisible()), None)

    scene.until(lambda: found() is not None and not window.tasks.busy)
    dialog = found()
    assert dialog is not None
    return window, dialog


def test_every_dialog_has_an_opener():
    assert sorted({kind.__name__ for kind in dialog_classes()}) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_one_begins_where_the_focus_is_all_is_in_sight_and_enter_there_changes_nothing(
    scene: Scene, place, name: str
):
    before = counted(place)
    window, dialog = opened(scene, place, name)
    assert without_parent() == []  # such a part would outlive the dialog, and show as a window
    focus = dialog.focusWidget()
    assert focus is not None
    assert focus.isVisible()
    if isinstance(focus, QPushButton):
        assert focus.text() not in ACTS
    if name in TYPED:
        assert typing(focus), f"{type(focus).__name__} {focus.accessibleName()}"
    fits(scene, dialog)
    if name != "CommandPalette":  # whose first entry is what Enter runs
        QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    scene.until(lambda: not window.tasks.busy)
    if isValid(dialog):
        dialog.close()
    scene.close()
    assert counted(place) == before


@pytest.mark.parametrize("name", NAMES)
def test_esc_leaves_and_asks_first_where_something_was_typed(scene: Scene, place, name: str):
    window, dialog = opened(scene, place, name)
    field = _field(dialog)
    if field is not None:
        field.setFocus()
        QTest.keyClicks(field, "words")
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        if name not in CARELESS:
            assert dialog.isVisible()
            assert "words" in _text(field)
            assert dialog.focusWidget() is _button(dialog, "Keep editing")
            QTest.keyClick(dialog, Qt.Key.Key_Escape)
            assert dialog.isVisible()
            assert "words" in _text(field)
            QTest.keyClick(dialog, Qt.Key.Key_Escape)
            _button(dialog, "Discard").click()
    else:
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
    scene.until(lambda: not isValid(dialog) or not dialog.isVisible())
    scene.until(lambda: not window.tasks.busy)


def fits(scene: Scene, dialog: QDialog) -> None:
    """On a small screen everything has room, and what Enter does is in sight."""
    assert dialog.width() <= 1280
    assert dialog.height() <= 720
    least = dialog.minimumSizeHint().expandedTo(dialog.minimumSize())
    assert least.width() <= LOW.width(), least
    assert least.height() <= LOW.height() - 40, least  # 40 for the title of the window
    dialog.resize(LOW.width(), LOW.height() - 40)
    scene.turn()
    last = [b for b in dialog.findChildren(QPushButton) if b.isVisible() and b.isDefault()]
    for button in last:
        seen = button.rect().translated(button.mapTo(dialog, button.rect().topLeft()))
        assert dialog.rect().contains(seen), button.text()


def without_parent() -> list[str]:
    """Widgets that should be parts of a window and are none's."""
    return [
        f"{type(widget).__name__} “{widget.accessibleName() or getattr(widget, 'text', str)()}”"
        for widget in QApplication.topLevelWidgets()
        if widget.parentWidget() is None and not isinstance(widget, QDialog | QMainWindow)
    ]


def counted(place) -> dict[str, int]:
    ws = Workspace.open(place)
    try:
        counts = state_counts.counts(ws)
        # the window holds items for its reviewer, which are under review from then on
        counts["draft"] += counts.pop("in_review")
        return {**counts, "alarms": len(alarms.alarms(ws)), "runs": len(runs.runs(ws))}
    finally:
        ws.close()


def _field(dialog: QDialog) -> QLineEdit | QPlainTextEdit | None:
    """A field in which a person could have typed something that is worth keeping."""
    focus = dialog.focusWidget()
    if isinstance(focus, QLineEdit | QPlainTextEdit) and not focus.isReadOnly():
        return focus
    for kind in (QPlainTextEdit, QLineEdit):
        for field in dialog.findChildren(kind):
            spin = isinstance(field.parentWidget(), QAbstractSpinBox)
            if field.isVisible() and field.isEnabled() and not field.isReadOnly() and not spin:
                return field
    return None


def _text(field: QLineEdit | QPlainTextEdit) -> str:
    return field.text() if isinstance(field, QLineEdit) else field.toPlainText()


def _button(dialog: QDialog, text: str) -> QPushButton:
    return next(b for b in dialog.findChildren(QPushButton) if b.text() == text and b.isVisible())
