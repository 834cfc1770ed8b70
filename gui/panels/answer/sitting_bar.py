"""What begins and ends a sitting: a split, who answers it, and the sittings that are open."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFrame, QLineEdit, QPushButton, QWidget

from core.i18n import tr
from gui import i18n
from gui.widgets.elements import column, row
from gui.widgets.steady_fields import ChoiceBox


class SittingBar(QFrame):
    """Two lines of fields above the questions, for those who evaluate."""

    began = Signal(str, str)
    """A split, and names between commas."""
    closed = Signal(str)
    """A run."""
    look_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "strip")
        layout = column(self, spacing=6)
        layout.setContentsMargins(24, 24, 24, 8)
        first, second = row(spacing=8), row(spacing=8)
        self.splits = ChoiceBox()
        self.splits.setAccessibleName(tr("Split to answer"))
        self.splits.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.splits.setMaximumWidth(420)
        self.names = QLineEdit()
        self.names.setPlaceholderText(tr("Who answers: names with commas"))
        self.names.setAccessibleName(tr("Who answers"))
        self.names.textChanged.connect(self._show_state)
        self.begin = QPushButton(tr("Ask these people"))
        self.begin.clicked.connect(self._on_begin)
        self.names.returnPressed.connect(self.begin.click)
        first.addWidget(self.splits)
        first.addWidget(self.names, 1)
        first.addWidget(self.begin)
        self.looks = QPushButton()
        self.looks.setToolTip(
            tr("Answer items whose key is in doubt, without seeing key or models' answers.")
        )
        self.looks.clicked.connect(self.look_wanted)
        first.addWidget(self.looks)
        self._open = QWidget()
        self.runs = ChoiceBox()
        self.runs.setAccessibleName(tr("Open runs with people"))
        self.runs.setMinimumContentsLength(16)
        self.close_button = QPushButton(tr("Close and score"))
        self.close_button.setToolTip(
            tr("Ends the run; what nobody has answered counts as missing.")
        )
        self.close_button.clicked.connect(self._on_close)
        second.addWidget(self.runs)
        second.addWidget(self.close_button)
        second.addStretch(1)
        self._open.setLayout(second)
        second.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(first)
        layout.addWidget(self._open)
        self.show_choices((), ())

    def show_choices(self, splits: tuple[str, ...], runs: tuple[str, ...], looks: int = 0) -> None:
        """Offer these splits, these open runs to close, and so many second looks."""
        self.looks.setText(tr("Second looks ({count})…", count=i18n.number(looks)))
        self.looks.setVisible(looks > 0)
        for box, names in ((self.splits, splits), (self.runs, runs)):
            if [box.itemText(place) for place in range(box.count())] != list(names):
                box.clear()
                box.addItems(list(names))
        self._open.setVisible(bool(runs))
        self._show_state()

    def _show_state(self) -> None:
        ready = bool(self.names.text().strip()) and self.splits.count() > 0
        self.begin.setEnabled(ready)

    def _on_begin(self) -> None:
        self.began.emit(self.splits.currentText(), self.names.text())

    def _on_close(self) -> None:
        self.closed.emit(self.runs.currentText())
