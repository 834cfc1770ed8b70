"""A button that shows its key."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from gui import theme
from gui.widgets.elements import label, row


class KeyButton(QPushButton):
    """A button that shows its key before its words."""

    def __init__(self, key: str, text: str, colour: str, *, small: bool = False) -> None:
        super().__init__()
        self.setProperty("look", "flat" if small else "")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedHeight(28 if small else 36)
        self.setAccessibleName(text)
        inner = row(self, spacing=12 if not small else 8)
        inner.setContentsMargins(12 if not small else 4, 0, 8, 0)
        cap = label(key, bold=True, size=theme.SMALL_PX if small else theme.TEXT_PX)
        if colour:
            cap.setStyleSheet(f"color: {colour};")
        self._name = name = label(text, size=14 if small else theme.TEXT_PX)
        cap.setMinimumWidth(16)
        for part in (cap, name):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            inner.addWidget(part)
        inner.addStretch(1)

    def say(self, text: str) -> None:
        """Other words beside the key."""
        self._name.setText(text)
        self.setAccessibleName(text)
