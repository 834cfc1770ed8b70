"""What the sheets share that put a worker to work: one line that says how it stands."""

from PySide6.QtWidgets import QWidget

from gui.widgets.elements import label, set_ink
from gui.widgets.sheet import Sheet


class BusyDialog(Sheet):
    """A sheet whose button starts work, with ``says`` for how it stands and what went wrong."""

    ink = "text"  # of what is not a failure

    def __init__(self, parent: QWidget, title: str, size: tuple[int, int] | None = None) -> None:
        super().__init__(parent, title, size)
        self._busy = False
        self.says = label("", ink=self.ink, wrap=True, selectable=True)

    def _say(self, text: str, ink: str = "") -> None:
        self.says.setText(text)
        set_ink(self.says, ink or self.ink)

    def _fail(self, sentence: str) -> None:
        """The work ended badly; what a person gave stays, to be put right."""
        self._busy = False
        self._say(sentence, "reject")
        self._show_state()

    def _show_state(self) -> None:
        """Allow what can be done now."""
