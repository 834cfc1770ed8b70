"""What a panel is, and what the registry says about it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QWidget
from shiboken6 import isValid

from core.workflow.changes import Topic
from core.workflow.rights import Action, is_allowed
from gui.actions import typing
from gui.context import Change, WindowContext, touches
from gui.widgets.page import ItemPage


class Panel(QWidget):
    """One place of the window. Built when it is first shown; reads when it is shown and stale."""

    topics: tuple[Topic, ...] = ()
    """What this panel shows: a change of one of these makes it stale."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__()
        self.context = context
        self.stale = True
        context.changed.connect(self._on_changed)
        context.benchmark_changed.connect(self._on_benchmark)
        context.reading_changed.connect(self.relayout)

    def refresh(self) -> None:
        """Ask for everything that is shown; must not wait for it. Every panel has its own."""

    def take(self, argument: Any) -> None:
        """What another panel handed over when it sent the person here."""

    def place(self) -> Any:
        """Where the person is in this panel, for ``return_to``: what ``take`` or a choice replaces.

        A panel stays alive behind others with its selection and scroll place; None where that is
        all there is to keep.
        """
        return None

    def return_to(self, place: Any) -> None:
        """Back where ``place`` was, selection and scroll place included."""

    def focus_place(self) -> QWidget | None:
        """What has the focus in this panel, for ``come_back``; None for the panel itself."""
        focused = self.window().focusWidget()
        return focused if focused is not None and self.isAncestorOf(focused) else None

    def come_back(self, place: Any, focus: QWidget | None) -> None:
        """As the panel was left, with the keys where they were: but in no text, where the next key
        would be written instead of doing what it says."""
        if place is not None:
            self.return_to(place)
        if focus is None or not isValid(focus) or typing(focus) or not self.isAncestorOf(focus):
            return
        if focus.isVisibleTo(self) and focus.isEnabled():
            focus.setFocus()

    def bind_button(self, command_id: str, button: QPushButton) -> None:
        """Make what a button does a command, which is found from every panel; it is possible when
        the button can be seen here and pressed."""
        possible = partial(self._offers, button)
        self.context.actions.bind(command_id, self, button.click, possible)

    def _offers(self, button: QPushButton) -> bool:
        return button.isVisibleTo(self) and button.isEnabled()

    def why_not(self, command_id: str) -> str:
        """What the label named ``why-not-…`` after a command says while that is not possible;
        empty where there is none."""
        says = self.findChild(QLabel, f"why-not-{command_id}")
        return says.text() if says is not None else ""

    def item(self) -> int:
        """Number of the item in front here; 0 where there is none."""
        return 0

    def reading(self) -> ItemPage | None:
        """The page that scrolls by keys, wherever the focus is; None where there is none."""
        return None

    def searched(self) -> ItemPage | None:
        """The page in which words are looked for; None where there is none."""
        pages = (page for page in self.findChildren(ItemPage) if page.isVisible())
        return self.reading() or next(pages, None)

    def relayout(self) -> None:
        """The text of items is set in another size: lay out what is shown again."""
        if (page := self.reading()) is not None:
            page.fit()
        self.spoil()

    def waiting(self) -> int:
        """How many items wait here for this person; -1 where the panel does not know."""
        return -1

    def task(self) -> str:
        """The task in front here; empty where there is none."""
        return ""

    def pause(self) -> None:
        """The panel is not seen any more: stop what only matters to the eye."""

    def ready(self) -> bool:
        """Whether everything that was asked for is on the screen: for pictures and tests."""
        return not self.stale

    def _on_changed(self, change: Change) -> None:
        if not self.wrote(change.by) and touches(change, self.topics):
            self.spoil()

    def wrote(self, writer: QObject | None) -> bool:
        """Whether a write was this panel's own, which shows the outcome by itself."""
        return writer is self

    def _on_benchmark(self, _name: str) -> None:
        self.spoil()

    def spoil(self) -> None:
        """Read again: now when in front, else when it comes there."""
        self.stale = True
        if self.isVisible():
            self.stale = False
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Read what became stale while something else was in front.

        Enter presses the button that has the focus, as in dialogs; outside of them Qt knows only
        Space.
        """
        super().showEvent(event)
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(True)
        if self.stale:
            self.stale = False
            self.refresh()
        self.context.actions.update()

    def focusNextPrevChild(self, next: bool) -> bool:
        """A button that goes out of use while it has the focus gives it to the panel: Qt would
        choose whatever comes after it, and the next key would change a field that nobody chose."""
        focused = self.window().focusWidget()
        if isinstance(focused, QAbstractButton) and not (
            focused.isEnabled() and focused.isVisibleTo(self)
        ):
            self.setFocus()
            return True
        return super().focusNextPrevChild(next)

    def hideEvent(self, event: QHideEvent) -> None:
        """Rest while something else is in front."""
        super().hideEvent(event)
        self.pause()


class ItemPanel(Panel):
    """A panel with a page on which the item in front is laid out."""

    page: ItemPage

    def _draw(self) -> None:
        """Lay the item in front out on the page; nothing where there is none."""

    def relayout(self) -> None:
        """Lay the item out in the new type."""
        self.page.fit()
        self._draw()


@dataclass(frozen=True, slots=True)
class PanelSpec:
    """One entry of the registry, seen by those who may do its ``action``."""

    id: str
    title: Callable[[], str]
    group: Callable[[], str]
    factory: Callable[[WindowContext], Panel]
    action: Action

    def seen_by(self, role: str) -> bool:
        """Whether a person of that role has this place."""
        return is_allowed(role, self.action)
