"""Looks up what is like the text in the form while it is written, and shows it beside the form."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal

from core.families.base import ItemContent
from core.workflow.production.author_view import TextCheck
from core.workflow.production.duplicates import DuplicateWatch
from core.workflow.production.write import ReturnedItem
from gui.context import WindowContext
from gui.documents.writer import is_chinese
from gui.panels.write import requests
from gui.panels.write.check_document import check_document
from gui.panels.write.requests import DraftSlot, words_of
from gui.timers import single_shot
from gui.widgets.page import ItemPage

_QUIET_MS = 350


@dataclass(frozen=True, slots=True)
class CheckedText:
    """What is in the form: where it is kept, its content, and the item that came back, if any."""

    slot: DraftSlot
    content: ItemContent
    returned: ReturnedItem | None


class TextChecker(QObject):
    """One check at a time, since the index of the task's texts is not to be shared."""

    failed = Signal(object)
    """Why a check was not made, in a sentence."""

    def __init__(
        self,
        context: WindowContext,
        page: ItemPage,
        text: Callable[[], CheckedText | None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._page = page
        self._text = text
        self._result: TextCheck | None = None
        self._watch: DuplicateWatch | None = None
        self._again = False
        self.is_checking = False
        """Whether a check is under way."""
        self._timer = single_shot(self, _QUIET_MS, self._check)

    def forget_task(self) -> None:
        """Another task is written: its texts are indexed when the first check asks for them."""
        self._watch = None

    @property
    def is_due(self) -> bool:
        """Whether a check begins once the person stops typing."""
        return self._timer.isActive()

    def begin(self, *, now: bool) -> None:
        """Another item is in the form; ``now`` checks it before anything is typed."""
        self._timer.stop()
        self._again = False
        self._result = None
        self._show()
        if now:
            self._check()

    def start_soon(self) -> None:
        """Check once the person stops typing for a moment."""
        self._timer.start()

    def pause(self) -> None:
        """Nobody looks: do not begin another check."""
        self._timer.stop()

    def _check(self) -> None:
        self._timer.stop()
        text = self._text()
        if text is None:
            return
        if self.is_checking:
            self._again = True
            return
        self.is_checking = True
        slot = text.slot
        work = partial(
            requests.look, self._context.workspace, self._watch, slot.task, slot.benchmark,
            text.content, slot.item,
        )  # fmt: skip
        self._context.ask(
            self, work, partial(self._on_checked, slot), self._on_failed, topic="alike",
            lane="background",
        )  # fmt: skip

    def _on_checked(self, slot: DraftSlot, answer: tuple[str, DuplicateWatch, TextCheck]) -> None:
        task, watch, result = answer
        self.is_checking = False
        text = self._text()
        if text is not None and task == text.slot.task:
            self._watch = watch
            if not self._again and text.slot is slot:  # else it is about what was in the form
                self._result = result
                self._show()
        if self._again:
            self._again = False
            self._check()

    def _on_failed(self, sentence: str) -> None:
        self.is_checking = self._again = False
        self.failed.emit(sentence)

    def _show(self) -> None:
        text = self._text()
        if text is None:
            return
        now = words_of(text.content)
        before = words_of(text.returned.content) if text.returned else now
        bar = self._page.verticalScrollBar()
        place = bar.value()
        self._page.turn_to(
            check_document(
                self._result, text.returned, (before, now), self._context.colours,
                self._page.measure, is_chinese(now) or None,
            )
        )  # fmt: skip
        bar.setValue(place)
