"""What the window shows first: it imports next to nothing."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from core.i18n import tr
from gui.widgets.elements import column, label


class OpeningNotice(QWidget):
    """One quiet sentence while the workspace is opened."""

    def __init__(self, location: str) -> None:
        super().__init__()
        layout = column(self, margin=24)
        layout.addStretch(1)
        sentence = label(tr("Opening {location} …", location=location), ink="muted", wrap=True)
        sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout.addWidget(sentence)
        layout.addStretch(1)
