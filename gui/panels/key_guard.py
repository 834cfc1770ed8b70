"""Whether a key that decides is taken; one that is not leaves a sentence in plain sight."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from core.i18n import tr
from gui.context import WindowContext
from gui.widgets.page import ItemPage


class KeyGuard:
    """Gives a key to the item that was in sight when it was pressed, or says that it did not.

    A person who is quicker than the disk presses keys while a decision is being written or taken
    back, or before the next item is painted. Such a key belongs to no item that waits for it.
    """

    def __init__(self, context: WindowContext, page: ItemPage, show: Callable[[], None]) -> None:
        """``show`` is called when ``refusal`` changed."""
        self._context = context
        self._page = page
        self._show = show
        self.refusal = ""
        """Why the newest key was not taken; empty when it was."""

    def takes(self, number: int, saving: bool) -> bool:
        """Whether a key pressed now is for item ``number``; 0 while another is on its way."""
        if self._context.undoing:
            refusal = tr("Key press ignored: a decision was still being undone.")
        elif saving:
            refusal = (
                tr("Key press ignored: #{number} was still being saved.", number=number)
                if number
                else tr("Key press ignored: the previous change was still being saved.")
            )
        elif not number or self._page.in_sight != number:
            refusal = tr("Key press ignored: the next item was not shown yet.")
        else:
            refusal = ""
        changed, self.refusal = refusal != self.refusal, refusal
        if changed:
            self._show()
        return not refusal


def leave(note: QWidget, page: ItemPage) -> bool:
    """Move the focus from a decision that is handed in to the page; whether it was in the note.

    What is typed on while the decision is written would be lost with the note otherwise. From a
    button, which rests meanwhile, Qt would move it on into the note, and keys would be typed there.
    """
    focus, decision = note.window().focusWidget(), note.parentWidget() or note
    if focus is not None and (focus is note or decision.isAncestorOf(focus)):
        page.setFocus()
    return focus is note
