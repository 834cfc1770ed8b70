"""What a panel shows when it has nothing to show: what is missing, and the button that gets it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from core.i18n import tr, trn
from gui.widgets.elements import column, heading, label

_WIDEST = 520  # pixels of a line of explanation


class EmptyState(QWidget):
    """Two sentences and at most one button."""

    pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = heading()
        self._text = label("", ink="muted", wrap=True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.button = QPushButton()
        self.button.setProperty("look", "filled")
        self.button.clicked.connect(self.pressed)
        layout = column(self, margin=24, spacing=12)
        layout.addStretch(2)
        layout.addWidget(self._title)
        layout.addWidget(self._text, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addSpacing(8)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)

    def say_away(self, kept: int) -> None:
        """The server does not answer, and so much of what was done here waits to be sent."""
        self.say(
            tr("The server does not answer, and no item is left on this computer."),
            "\n".join((
                trn("1 decision is kept here and will be sent.",
                    "{n} decisions are kept here and will be sent.", kept),
                tr("New items will appear here when the connection is back."),
            )),
            tr("Try again now"),
        )  # fmt: skip

    def say_halted(self, sentence: str) -> None:
        """No item is given to this person now: why, such as that a lead paused them."""
        self.say(tr("You are given no items now."), sentence, tr("Try again now"))

    def say(self, title: str, text: str, button: str = "") -> None:
        """What is missing, why or where from, and what the button does (none when empty)."""
        self._title.setText(title)
        self._text.setText(text)
        natural = self._text.fontMetrics().horizontalAdvance(text) + 8
        width = min(_WIDEST, natural)
        self._text.setFixedWidth(width)
        # A centred label gets its hinted height only, which is that of one line.
        self._text.setMinimumHeight(self._text.heightForWidth(width))
        self.button.setText(button)
        self.button.setVisible(bool(button))
