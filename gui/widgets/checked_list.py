"""A list of names with a box before each."""

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QWidget

from gui.widgets.name_list import NameList

_LEAST_PX = 150
_ROW_PX = 28


class CheckedList(NameList):
    """Space ticks the name in front."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.setMinimumHeight(_LEAST_PX)

    def show_names(
        self, names: Iterable[str], ticked: Iterable[str] = (), notes: Iterable[str] = ()
    ) -> None:
        """Show names, some of them ticked, each with a note behind it where there are notes.

        A name that is the only one begins ticked: there is nothing else to choose.
        """
        shown, chosen, behind = list(names), set(ticked), list(notes)
        if not self.count() and len(shown) == 1:
            chosen = set(shown)
        blocked = self.blockSignals(True)
        self.clear()
        for place, name in enumerate(shown):
            words = f"{name}   ·   {behind[place]}" if place < len(behind) else name
            entry = self.add_name(words)
            entry.setData(Qt.ItemDataRole.UserRole, name)
            entry.setFlags(entry.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            entry.setSizeHint(QSize(0, _ROW_PX))
            state = Qt.CheckState.Checked if name in chosen else Qt.CheckState.Unchecked
            entry.setCheckState(state)
        if self.count():
            self.setCurrentRow(0)
        self.blockSignals(blocked)

    def chosen(self) -> list[str]:
        """The ticked names, in their order."""
        entries = [self.item(place) for place in range(self.count())]
        return [
            str(entry.data(Qt.ItemDataRole.UserRole))
            for entry in entries
            if entry.checkState() == Qt.CheckState.Checked
        ]

    def tick_all(self, ticked: bool = True) -> None:
        """Tick every name, or none."""
        state = Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked
        for place in range(self.count()):
            self.item(place).setCheckState(state)
