"""The alarms that ring, one a line, each with the way to its items."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from core.i18n import tr
from gui import theme
from gui.widgets.elements import column, label, row


class AlarmLines(QWidget):
    """Sentences with a button each; ``wanted`` is emitted with the task of an alarm."""

    wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layout = column(self, spacing=4)
        self._shown: tuple[tuple[str, str], ...] = ()
        self._lines: list[QWidget] = []
        self.buttons: list[QPushButton] = []

    def text(self) -> str:
        """All sentences, one a line."""
        return "\n".join(sentence for sentence, _ in self._shown)

    def rings(self) -> bool:
        """Whether an alarm is shown."""
        return bool(self.buttons)

    def press_first(self) -> None:
        """To the items of the first alarm."""
        self.buttons[0].click()

    def show_alarms(self, alarms: Sequence[tuple[str, str]]) -> None:
        """(sentence, task) of each alarm that rings."""
        self.setVisible(bool(alarms))
        if tuple(alarms) == self._shown:
            return
        self._shown = tuple(alarms)
        for line in self._lines:
            line.hide()
            line.deleteLater()
        self._lines, self.buttons = [], []
        for sentence, task in alarms:
            self._add(sentence, task)

    def _add(self, sentence: str, task: str) -> None:
        line = QWidget()
        inner = row(line)
        inner.addWidget(label(sentence, ink="reject", wrap=True), 1)
        button = QPushButton(tr("Show items"))
        button.setProperty("look", "flat")
        button.setFont(theme.font(theme.SMALL_PX))
        button.setObjectName(task)
        button.setAccessibleDescription(sentence)
        button.clicked.connect(self._on_clicked)
        inner.addWidget(button)
        self._layout.addWidget(line)
        self._lines.append(line)
        self.buttons.append(button)

    def _on_clicked(self) -> None:
        self.wanted.emit(self.sender().objectName())
