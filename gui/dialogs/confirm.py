"""Asking before what cannot be taken back: what will happen, why, and a button that is never
pressed by accident."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from core.i18n import tr
from gui.widgets.elements import caption, face, label
from gui.widgets.sheet import Sheet

_WIDTH = 480


class ConfirmDialog(Sheet):
    """Says what an act will do. Esc and Enter leave everything as it is; the focus is never on
    the button that acts. Where a reason is needed, the focus is there.
    """

    def __init__(
        self,
        parent: QWidget,
        title: str,
        sentences: Sequence[str],
        act: str,
        agreed: Callable[[str], None],
        *,
        reason: str = "",
    ) -> None:
        """``agreed`` gets the reason; ``reason`` names its field, none is asked for when empty."""
        super().__init__(parent, title)
        self.setFixedWidth(_WIDTH)
        self._agreed = agreed
        self._reason_title = reason
        layout, line = self.with_body(margin=20, spacing=12)
        for sentence in sentences:
            layout.addWidget(label(sentence, wrap=True))
        self.reason = QLineEdit(self)
        self.reason.setAccessibleName(reason)
        if reason:
            title_label = caption(reason)
            title_label.setBuddy(self.reason)
            layout.addWidget(title_label)
            layout.addWidget(self.reason)
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.clicked.connect(self.reject)
        self.act = QPushButton(face(act))
        self.act.setProperty("look", "filled")
        self.act.clicked.connect(self.agree)
        line.addStretch(1)
        line.addWidget(self.cancel)
        line.addWidget(self.act)
        self.reason.setVisible(bool(reason))
        self.ctrl_enter_presses(self.act)
        self.focus_first(self.reason if reason else self.cancel)
        if not reason:
            self.enter_presses(self.cancel)

    def agree(self) -> None:
        """Do it, once the reason is there."""
        words = self.reason.text().strip()
        if self._reason_title and not words:
            self.say_trouble(tr("Give a reason; it is recorded in the ledger."), self.reason)
            return
        self.accept()
        self._agreed(words)


def ask_reveal(parent: QWidget, number: int, agreed: Callable[[str], None]) -> None:
    """Ask before what is hidden of an item is shown, which keeps one from judging it."""
    says = (
        tr("The author, score and decisions of others are shown, and the ledger records that "
           "you asked."),
        tr("You can then neither review, adjudicate nor rate this revision. This cannot be "
           "undone."),
    )  # fmt: skip
    title = tr("Show what is hidden of item #{number}?", number=number)
    ConfirmDialog(parent, title, says, tr("Show"), agreed).open()
