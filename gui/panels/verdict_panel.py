"""What reviewing and settling share: a rejection asks for its reason, a return for its note."""

from core.i18n import tr
from gui.context import WindowContext
from gui.panels.base import ItemPanel
from gui.widgets.note_keeper import NoteKeeper
from gui.widgets.verdict_column import VerdictColumn


class VerdictPanel(ItemPanel):
    """Verdicts by keys. A panel says whether a key is taken, and what a decision does."""

    decision: VerdictColumn
    notes: NoteKeeper

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._choosing = ""
        """What a decision waits for: ``reason``, or the note of ``other`` or ``return``."""
        self._wrote_note = False

    def can_decide(self) -> bool:
        """Whether the item on the page waits for this person's decision."""
        return False

    def pause(self) -> None:
        """Something else comes to the front, or the window goes: the note is kept."""
        self.notes.keep()

    def _accepts_key(self) -> bool:
        """Whether a key that was pressed now is for the item on the page; else it is told."""
        return False

    def _decide(self, verdict: str, reason: str = "") -> None:
        """Write the decision, with what stands in the note."""

    def _show_state(self) -> None:
        """Show what can be done now, and what is asked for."""

    def is_choosing_reason(self) -> bool:
        """Whether a rejection waits for its reason."""
        return self._choosing == "reason" and self.can_decide()

    def accept_item(self) -> None:
        """Accept the item on the page."""
        if self._accepts_key():
            self._decide("accept")

    def begin_reject(self) -> None:
        """Ask for the reason; the next digit rejects."""
        if self._accepts_key():
            self._choose("" if self._choosing == "reason" else "reason")

    def reject_for(self, reason: str) -> None:
        """Reject; ``other`` needs a note first."""
        if not self._accepts_key():
            return
        if reason == "other" and not self.decision.text:
            self._choose("other")
            self.decision.note.setFocus()
        else:
            self._decide("reject", reason)

    def reject_by_digit(self, digit: int) -> None:
        """Reject for the reason that stands behind a digit; nothing where the task has fewer."""
        if digit <= len(self.decision.reasons):
            self.reject_for(self.decision.reasons[digit - 1])

    def return_item(self) -> None:
        """Return the item to its author with the note; asks for one first."""
        if not self._accepts_key():
            return
        if self.decision.text:
            self._decide("return")
        else:
            self._choose("return")
            self.decision.note.setFocus()

    def hand_in(self) -> None:
        """Decide what the note was asked for."""
        if self._choosing not in ("return", "other") or not self.decision.text:
            return
        if self._accepts_key():
            self._decide(*(("return",) if self._choosing == "return" else ("reject", "other")))

    def _choose(self, what: str) -> None:
        self._choosing = what
        self.decision.ask_reason(what == "reason")
        self._show_state()

    def _asks(self, leave: str, hand_in: str) -> tuple[str, str]:
        """What is asked for, and its ink, with the keys of two commands; empty for nothing."""
        key = self.context.actions.key_text
        if self._choosing == "reason":
            return tr(
                "Choose a reason from 1 to {last}, or press {key} to go back.",
                last=len(self.decision.reasons),
                key=key(leave),
            ), "reject"
        if self._choosing == "other":
            return tr(
                "Describe the problem, then press {key} to reject.", key=key(hand_in)
            ), "reject"
        if self._choosing == "return":
            hint = tr(
                "Describe what the author should change, then press {key} to return the item.",
                key=key(hand_in),
            )
            return hint, "return"
        return "", "reject"
