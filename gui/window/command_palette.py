"""Find or run anything: places, commands and items behind one line of text."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QPushButton, QWidget

from core.errors import NotFoundError
from core.i18n import tr
from core.workflow.items import history
from core.workflow.items.search import Filters
from core.workflow.workspace import Workspace
from gui import labels, theme
from gui.actions import COMMANDS, PLACES, command
from gui.context import WindowContext
from gui.dialogs.item_history import open_history
from gui.panels.base import Panel, PanelSpec
from gui.widgets.elements import column
from gui.widgets.sheet import Sheet

_SHOWN = 12


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One thing that can be chosen."""

    kind: str
    id: str
    title: str
    place: str
    key: str = ""


def match(entries: Sequence[PaletteEntry], text: str) -> list[PaletteEntry]:
    """Entries that hold every word of ``text``; those that begin with it first."""
    wanted = text.casefold().split()
    matches = [e for e in entries if all(w in f"{e.title} {e.place}".casefold() for w in wanted)]
    return sorted(matches, key=lambda e: not e.title.casefold().startswith(text.strip().casefold()))


def item_entry(ws: Workspace, number: int) -> PaletteEntry | None:
    """The item of that number, None where there is none."""
    try:
        state = history.state_of(ws, number)
    except NotFoundError:
        return None
    state_word = labels.word(labels.ITEM_STATES, state)
    return PaletteEntry("item", str(number), tr("Item #{number}", number=number), state_word)


def _search_entry(text: str) -> PaletteEntry:
    """The items in which these words stand."""
    return PaletteEntry("words", text, tr("Search the items for “{text}”", text=text), tr("Items"))


class CommandPalette(Sheet):
    """A line of text and what it finds. Enter chooses, arrows move, Esc leaves."""

    panel_chosen = Signal(object)
    elsewhere_chosen = Signal(object)
    """Id of a command whose panel is not in front."""

    def __init__(
        self, context: WindowContext, places: Sequence[PanelSpec], front: str, parent: QWidget
    ) -> None:
        """``front`` is the panel whose commands are done where they are; empty: none."""
        super().__init__(parent, tr("Search or run a command"), (620, 460))
        self._context = context
        self._front = front
        self._above = parent  # outlives the dialog, which is gone once something is chosen
        self._entries = [
            PaletteEntry("panel", spec.id, spec.title(), spec.group()) for spec in places
        ]
        self._entries += [*self._commands(), *self._elsewhere({spec.id for spec in places})]
        self._buttons = self._dialog_buttons()
        title = next((spec.title() for spec in places if spec.id == front), "")
        self._entries += [PaletteEntry("button", words, words, title) for words in self._buttons]
        self._item: PaletteEntry | None = None
        self._has_items = any(spec.id == "items" for spec in places)
        self.field = QLineEdit()
        self.field.setFont(theme.font(17))
        self.field.setPlaceholderText(
            tr("A panel, a command, an item number or text from an item")
            if self._has_items
            else tr("A panel, a command or an item number")
        )
        self.field.setAccessibleName(tr("Search or run a command"))
        self.field.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("What was found"))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout = column(self, margin=12)
        layout.addWidget(self.field)
        layout.addWidget(self.list, 1)
        self.field.textChanged.connect(self._on_text)
        self.field.returnPressed.connect(self._choose)
        self.focus_first(self.field)
        self.list.itemClicked.connect(self._on_clicked)
        self._show()

    def unsaved(self) -> bool:
        return False  # a search

    def _commands(self) -> list[PaletteEntry]:
        """What can be done here and now."""
        actions = self._context.actions
        entries = []
        for command_id in actions.bound():
            spec = command(command_id)
            is_here = spec.place in ("window", self._front)
            if is_here and command_id != "find" and actions.action(command_id).isEnabled():
                place, key = PLACES[spec.place](), actions.key_text(command_id)
                entries.append(PaletteEntry("command", command_id, spec.title(), place, key))
        return entries

    def _dialog_buttons(self) -> dict[str, QPushButton]:
        """What else opens a dialog in the panel in front, by its words."""
        known = {entry.title for entry in self._entries}
        return {
            words: button
            for panel in self._above.findChildren(Panel)
            if panel.isVisible()
            for button in panel.findChildren(QPushButton)
            if (words := button.text()).endswith("…") and words not in known
            if button.isVisible() and button.isEnabled()
        }

    def _elsewhere(self, places: set[str]) -> list[PaletteEntry]:
        """Commands of the other panels that this person has."""
        return [
            PaletteEntry("elsewhere", spec.id, spec.title(), PLACES[spec.place]())
            for spec in COMMANDS
            if spec.place in places - {self._front}
        ]

    def _on_text(self, text: str) -> None:
        self._item = None
        digits = text.strip().lstrip("#")
        self._looks = digits.isdecimal() and len(digits) <= 12
        if self._looks:
            work = partial(item_entry, self._context.workspace, int(digits))
            self._context.ask(self, work, self._on_item, topic="item", lane="background")
        self._show()

    def _on_item(self, entry: PaletteEntry | None) -> None:
        self._item, self._looks = entry, False
        self._show()

    def _show(self) -> None:
        entries = match(self._entries, self.field.text())[:_SHOWN]
        if self._item is not None:
            entries.insert(0, self._item)
        text = self.field.text().strip()
        if text and not text.lstrip("#").isdecimal() and self._has_items:
            entries.append(_search_entry(text))
        self.list.clear()
        for entry in entries:
            line = tr("{title}   ·   {place}", title=entry.title, place=entry.place)
            if entry.key:
                line = tr("{line}   ·   {key}", line=line, key=entry.key)
            row = QListWidgetItem(line)
            row.setData(Qt.ItemDataRole.UserRole, (entry.kind, entry.id))
            self.list.addItem(row)
        if not entries and not self._looks:
            words = tr("No panel, command or item is called “{text}”.", text=text)
            nothing = QListWidgetItem(words)
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(nothing)
            return
        self.list.setCurrentRow(0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows move in the list while the text keeps the focus."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
            if step and self.list.count():
                self.list.setCurrentRow((self.list.currentRow() + step) % self.list.count())
                return True
        return super().eventFilter(watched, event)

    def _on_clicked(self, row: QListWidgetItem) -> None:
        self.list.setCurrentItem(row)
        self._choose()

    def _choose(self) -> None:
        row = self.list.currentItem()
        if row is None:
            return
        kind, chosen = row.data(Qt.ItemDataRole.UserRole)
        self.accept()
        if kind == "panel":
            self.panel_chosen.emit(chosen)
        elif kind == "elsewhere":
            self.elsewhere_chosen.emit(chosen)
        elif kind == "button":
            self._buttons[chosen].click()
        elif kind == "item" and self._has_items:
            self._context.go_to("items", int(chosen))
        elif kind == "item":
            open_history(self._context, int(chosen), self._above)
        elif kind == "words":
            self._context.go_to("items", Filters(words=chosen))
        else:
            self._context.actions.action(chosen).trigger()
