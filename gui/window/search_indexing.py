"""Texts that an import left to be indexed: done in the background, a moment at a time."""

from functools import partial

from PySide6.QtCore import QObject

from core.workflow.items import search_index
from gui.context import Change, WindowContext
from gui.timers import single_shot

_TURN = 0.5  # seconds of one piece of work; the window may close after each
_REST_MS = 1500
"""After a change, so that nothing is looked up between a decision and the next item; and while
somebody waits for something else, who has the disk for that long then."""


class SearchIndexing(QObject):
    """Completes the search index while the window is open."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._context = context
        self._busy = False
        self._again = False
        self._rest = single_shot(self, _REST_MS, self.go_on)
        context.changed.connect(self._on_changed)

    def go_on(self) -> None:
        """Index what waits, if nobody does already."""
        if self._context.workspace.has_logins:
            return  # a server indexes a text when it is written
        self._again = self._busy
        if not self._busy:
            self._busy = True
            work = partial(search_index.index_for, self._context.workspace, _TURN)
            self._context.ask(self, work, self._on_turn, self._on_trouble, lane="background")

    def _on_changed(self, change: Change) -> None:
        if "items" in change.topics and not self._rest.isActive():
            self._rest.start()

    def _on_turn(self, more: bool) -> None:
        self._busy = False
        if not (more or self._again):
            return
        if self._context.tasks.busy:
            self._rest.start()
        else:
            self.go_on()

    def _on_trouble(self, _sentence: str) -> None:
        """Whoever searches next is told how far the search reaches, and the index goes on then."""
        self._busy = False
