"""A button for a command, which looks like every other button beside it."""

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton


class ActionButton(QPushButton):
    """Has the words, icon and hint of its action, and is in use when that is; a tool button of Qt
    would do the same, but be higher than the buttons in its line."""

    def __init__(self, action: QAction) -> None:
        super().__init__()
        self._action = action
        action.changed.connect(self._follow)
        self.clicked.connect(action.trigger)
        self._follow()

    def _follow(self) -> None:
        action = self._action
        self.setText(action.text())
        self.setIcon(action.icon())
        self.setToolTip(action.toolTip())
        self.setEnabled(action.isEnabled())
