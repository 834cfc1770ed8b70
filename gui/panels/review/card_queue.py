"""The cards of one reviewer: the one to decide, the one after it, and one looked at again.

The next card is claimed and laid out while the present one is read. A decision is written on the
database's worker; ``turned`` is emitted when the commit is acknowledged and not before, so what a
person sees go by is on disk. Nothing can be decided between a decision and the turn.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextDocument

from core.workflow.check import review
from core.workflow.check.outbox import KeptDecision, SendReport
from core.workflow.check.review import CommittedDecision, ReviewCard, ReviewQueue
from core.workflow.items import change_decision
from core.workflow.items.change_decision import EarlierCard, same_decision
from core.workflow.workspace import Workspace
from gui.context import WindowContext
from gui.documents.item_card import CardText, card_document
from gui.panels.review.first_card import Begun, begun
from gui.panels.review.queue_column import QueueRow
from gui.server_link import ServerLink
from gui.timers import single_shot

_SETTLE_MS = 1500
"""After so long without a decision the counts are read again; until then they are reckoned."""
_UNPAINTED_MS = 250
"""Where nothing paints (the window is covered), the next item is claimed after so long."""
_AHEAD = 4
"""Items that are held beyond the next one on a server, which may go away, at most."""
_SHARE = 10
"""So many items are left to this person for each of them: the last ones are for everybody."""
_LISTED = 40
"""Decided items that the queue lists."""


@dataclass(slots=True)
class QueuedCard:
    """A card, what is written on it, and its document while that waits for the page."""

    card: ReviewCard
    text: CardText
    document: QTextDocument | None = None
    shown_at: float = 0.0
    earlier: EarlierCard | None = None
    """What was decided on it before, where it is looked at again."""

    @property
    def refusal(self) -> str:
        """Why a decision on it is none, or cannot be changed; empty where it can be made."""
        return self.earlier.refusal if self.earlier is not None else ""


def _skip(ws: Workspace, person: str, number: int, reason: str) -> int:
    review.skip(ws, person, number, reason)
    return number


def _skip_or_keep(link: ServerLink, number: int, reason: str) -> int | KeptDecision:
    return link.skip(number, reason) or number


def _nothing(_sentence: str) -> None:
    """Why the decision was not written is said already."""


class CardQueue(QObject):
    """Claims, keeps and decides the cards of one person in one benchmark."""

    turned = Signal(object)
    """The ``QueuedCard`` to put on the page."""
    counted = Signal()
    """The queue or its counts changed."""
    decided = Signal(object)
    """A ``CommittedDecision``, committed."""
    kept = Signal(object)
    """A ``KeptDecision``: the server is away, and it waits on this computer."""
    stranded = Signal()
    """The server is away, and nothing that is held here is left to decide."""
    halted = Signal(object)
    """Nothing is held here, and no more is given: why, in a sentence."""
    changed = Signal(object)
    """An earlier decision was changed: the ``CommittedDecision`` in its place."""
    skipped = Signal(object)
    """The number of the item that was given back."""
    emptied = Signal()
    """Nothing is left for this person, or there is no benchmark."""
    refused = Signal(object)
    """A decision was not written: why, in a sentence."""
    repeated = Signal()
    """The decision that stands was made once more: nothing is written."""
    unpainted = Signal()
    """A turned page was not painted within a while: the window is covered."""

    def __init__(self, context: WindowContext, width: Callable[[], int], parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._width = width
        self.current: QueuedCard | None = None
        self.following: QueuedCard | None = None
        self.past: QueuedCard | None = None
        self.reserve: list[ReviewCard] = []
        """What is held beyond the next item, for when the server goes away."""
        self._put_off: tuple[int, ...] = ()
        """What is held here and comes after the new items that were gone to."""
        self.rows: list[QueueRow] = []
        self.done = self.left = self.aside = 0
        self.unsure: frozenset[int] = frozenset()
        """The items that this person marked as unsure."""
        self.writing = False
        self.bringing = False
        """Whether an item whose decision was taken back is on its way to the page."""
        self._fetching = False
        self._began = False
        self._exhausted = False
        self._halt = ""
        context.link.back.connect(self._on_back_again)
        self._settle = single_shot(self, _SETTLE_MS, self.count)
        # claiming the next item waits for the paint: the two would fight over the interpreter
        self._unpainted = single_shot(self, _UNPAINTED_MS, self.unpainted.emit)

    # -- reading ----------------------------------------------------------------------------

    @property
    def shown(self) -> QueuedCard | None:
        """What is on the page: an earlier item that is looked at, else the one to decide."""
        return self.past or self.current

    @property
    def complete(self) -> bool:
        """Whether everything that was asked for is here, the next card included."""
        if not self._context.benchmark or (self._context.link.is_lost and not self.writing):
            return True
        waits = (
            self.writing
            or self.bringing
            or self._fetching
            or self._unpainted.isActive()
            or not self._began
        )
        following = self.following is not None or self._exhausted or self.current is None
        return not waits and following

    def forget(self) -> None:
        """Another benchmark: start over."""
        self.current = self.following = self.past = None
        self.reserve, self.rows, self._put_off = [], [], ()
        self.done = self.left = self.aside = 0
        self._exhausted = self._began = False

    def begin(self) -> None:
        """Claim the first item, or read how far we are when one is on the page already."""
        if not self._context.benchmark:
            self.emptied.emit()
        elif self.current is not None:
            self.count()
            if self._exhausted:
                self._exhausted = False
                self.fetch()
        elif self._context.link.is_lost:
            self.stranded.emit()
        else:
            self._began, self._halt = False, ""
            context = self._context
            wanted, context.wanted_item = context.wanted_item, 0
            call = partial(begun, wanted, context.workspace, context.person.name, context.benchmark)
            context.ask(self, call, self._on_begun, self._on_not_begun, topic="begin")

    def _on_not_begun(self, sentence: str) -> None:
        if self._context.link.is_lost:
            self._on_trouble(sentence)
            self.stranded.emit()
        else:
            self._began, self._halt = True, sentence
            self.halted.emit(sentence)

    def _on_begun(self, first: Begun) -> None:
        self._began, self._put_off = True, ()
        self.unsure = first.unsure
        self._take_queue(first.queue)
        if first.card is None:
            self.current = self.following = self.past = None
            self.emptied.emit()
        else:
            self._turn(self.make(first.card))

    def count(self) -> None:
        """Read how far we are, beside the lane on which decisions are written."""
        context = self._context
        if context.benchmark:
            work = partial(review.queue, context.workspace, context.person.name, context.benchmark)
            context.ask(
                self, work, self._on_queue, self._on_trouble, topic="queue", lane="background"
            )

    def _on_queue(self, queue: ReviewQueue) -> None:
        if not self.writing:
            self._take_queue(queue)

    def _take_queue(self, queue: ReviewQueue) -> None:
        self.done, self.left, self.aside = queue.done, queue.left, queue.skipped
        here = self._held()  # what was skipped and has come again waits once more
        self.rows = [QueueRow(entry.number, entry.verdict) for entry in reversed(queue.recent)
                     if entry.verdict != "skip" or entry.number not in here]  # fmt: skip
        self.counted.emit()

    def fetch(self, *, again: bool = False) -> None:
        """Claim and lay out the item after the one on the page; ``again`` where what was claimed
        was held here already."""
        self._unpainted.stop()
        if self.following is None and self.current is not None and self.reserve:
            self.following = self.make(self.reserve.pop(0))
            self.counted.emit()
        enough = self.following is not None and len(self.reserve) >= self._ahead()
        if self._fetching or enough or self._exhausted or self.current is None:
            return
        self._fetching = True
        context = self._context
        work = partial(
            review.next_card,
            context.workspace,
            context.person.name,
            context.benchmark,
            leave_out=self._held(),
        )
        context.ask(
            self, work, partial(self._on_fetched, again), self._on_fetch_failed, topic="next"
        )

    def _ahead(self) -> int:
        return min(_AHEAD, self.left // _SHARE) if self._context.link.keeps else 0

    def _held(self, *, without_current: bool = False) -> tuple[int, ...]:
        """The items that are here already."""
        queued = (None if without_current else self.current, self.following)
        cards = [one.card for one in queued if one is not None]
        return (*(card.number for card in (*cards, *self.reserve)), *self._put_off)

    def _on_fetched(self, again: bool, card: ReviewCard | None) -> None:
        self._fetching = False
        if card is None and self._put_off:
            self._put_off = ()
            self.begin() if self.current is None else self.fetch()
        elif card is None:
            self._exhausted = True
            if self.current is None:
                self.emptied.emit()
        elif self.current is None:
            self._turn(self.make(card))
        elif card.number not in self._held():
            if self.following is None:
                self.following = self.make(card)
                self.counted.emit()
            else:
                self.reserve.append(card)
            self.fetch()
        elif not again:  # the claim on it had run out, and is held again: the next comes after it
            self.fetch(again=True)

    def _on_fetch_failed(self, sentence: str) -> None:
        self._fetching = False
        if self.current is None:
            self._on_not_begun(sentence)
        elif self._context.link.is_lost:
            self._on_trouble(sentence)
        else:
            self._exhausted = True  # why is read where the next item would be

    def _on_trouble(self, sentence: str) -> None:
        self._context.complain(sentence)

    def make(self, card: ReviewCard) -> QueuedCard:
        """A card laid out for the page."""
        text = CardText(card.number, card.content)
        return QueuedCard(card, text, card_document(text, self._context.colours, self._width()))

    def _turn(self, queued: QueuedCard) -> None:
        self.current, self.past = queued, None
        number = queued.card.number
        self.rows = [row for row in self.rows if (row.number, row.verdict) != (number, "skip")]
        self.turned.emit(queued)
        self._unpainted.start()

    # -- deciding ---------------------------------------------------------------------------

    @property
    def open(self) -> bool:
        """Whether the item on the page waits for this person's decision, or may get another."""
        if self.past is not None:
            return not (self.writing or self.past.refusal)
        return self.current is not None and not self.writing

    @property
    def coming(self) -> bool:
        """Whether the item to decide is on its way: one is being written, or the next is read."""
        claiming = self.current is None and (self._fetching or not self._began)
        reading = self.bringing or claiming
        return self.past is None and bool(self._context.benchmark) and (self.writing or reading)

    def decide(self, verdict: str, reason: str, note: str) -> None:
        """Write a decision on the item on the page."""
        if self.past is not None:
            self._change(self.past, verdict, reason, note)
            return
        queued = self.current
        if queued is None or not self.open:
            return
        context, revision = self._context, queued.card.revision
        deed: Callable[..., Any] = context.link.decide
        if not context.link.keeps:
            deed = partial(review.decide, context.workspace, context.person.name)
        work = self._decision(deed, queued, verdict, reason, note)
        self.writing = True
        context.write(self, partial(work, revision=revision), self._on_decided,
                      self._on_not_written, kept=context.link.keeps)  # fmt: skip

    def _decision(
        self, deed: Callable[..., Any], queued: QueuedCard, verdict: str, reason: str, note: str
    ) -> Callable[..., Any]:
        seconds = time.monotonic() - queued.shown_at
        return partial(deed, queued.card.number, verdict, reason=reason, note=note, seconds=seconds)

    def _change(self, queued: QueuedCard, verdict: str, reason: str, note: str) -> None:
        """Decide on an item that is looked at again: a change where one had decided, else a first
        decision."""
        if not self.open:
            return
        earlier = queued.earlier
        again = earlier is not None and bool(earlier.verdict)
        if earlier is not None and same_decision(earlier, verdict, reason, note):
            self.repeated.emit()
            self.back_to_current()
            return
        change = change_decision.change if again else review.decide
        deed = partial(change, self._context.workspace, self._context.person.name)
        work = self._decision(deed, queued, verdict, reason, note)
        self.writing = True
        self._context.write(self, work, partial(self._on_changed, again), self._on_not_changed)

    def _on_changed(self, again: bool, decided: CommittedDecision) -> None:
        self.writing = False
        self.aside -= QueueRow(decided.number, "skip") in self.rows
        self._show_newest(QueueRow(decided.number, decided.verdict))
        self.done += not again
        self.past = None
        self.changed.emit(decided)
        if self.current is not None:
            self.back_to_current()
        else:
            self.begin()
        self._settle.start()

    def _show_newest(self, entry: QueueRow) -> None:
        """What was decided or skipped last, at the end of the list, as it is read from the disk."""
        others = [row for row in self.rows if row.number != entry.number]
        self.rows = [*others[1 - _LISTED :], entry]

    def _on_not_changed(self, sentence: str) -> None:
        self.writing = False
        self.refused.emit(sentence)
        if self.past is not None:
            self.look_at(self.past.card.number)

    def skip(self, reason: str) -> None:
        """Give the item on the page back undecided; ``reason`` is what stands in the note."""
        if self.current is None or self.past is not None or not self.open:
            return
        context, number = self._context, self.current.card.number
        work: Callable[[], Any] = partial(_skip_or_keep, context.link, number, reason)
        if not context.link.keeps:
            work = partial(_skip, context.workspace, context.person.name, number, reason)
        self.writing = True
        context.write(self, work, self._on_skipped, self._on_not_written, kept=context.link.keeps)

    def _on_decided(self, decided: CommittedDecision | KeptDecision) -> None:
        self.done += 1
        self._leave(QueueRow(decided.number, decided.verdict))
        if isinstance(decided, KeptDecision):
            self._context.link.keep(decided)
            self.kept.emit(decided)
        else:
            self.decided.emit(decided)
        self._advance()

    def _on_skipped(self, skipped: int | KeptDecision) -> None:
        if isinstance(skipped, KeptDecision):
            self._context.link.keep(skipped)
            skipped = skipped.number
        self._leave(QueueRow(skipped, "skip"))
        self.skipped.emit(skipped)
        self._advance()

    def _leave(self, entry: QueueRow) -> None:
        self.writing = False
        self.left = max(0, self.left - 1)
        self.aside += entry.verdict == "skip"
        self._show_newest(entry)
        self._settle.start()

    def _advance(self) -> None:
        following, self.following = self.following, None
        self.current = None
        if following is None and self.reserve:
            following = self.make(self.reserve.pop(0))
        if following is not None:
            self._turn(following)
        elif self._context.link.is_lost:
            self.stranded.emit()
        elif not self._fetching:
            self._exhausted = False
            self.begin()

    def _on_back_again(self, report: SendReport) -> None:
        """The server is back: what it did not take is not decided, and more can be claimed."""
        gone = {kept.number for kept in report.refused}
        self.rows = [row for row in self.rows if row.number not in gone]
        if self._began:
            self._fetching = self._exhausted = False
            self.fetch()
        if self._context.benchmark and self.current is None:
            self.begin()
        else:
            self.count()

    def _on_not_written(self, sentence: str) -> None:
        self.writing = False
        self.refused.emit(sentence)
        self._settle.start()
        context = self._context
        # an item that was taken back is held longer than the one that follows, yet comes after it
        aside = self._held(without_current=True)
        work = partial(
            review.next_card,
            context.workspace,
            context.person.name,
            context.benchmark,
            leave_out=aside,
        )
        context.ask(self, work, self._on_what_waits, _nothing, topic="again")

    def _on_what_waits(self, card: ReviewCard | None) -> None:
        """Leave an item that does not wait for this person any more, or not in these words."""
        if self.writing or self.current is None:
            return
        here, following = self.current.card, self.following
        if card is not None and (card.number, card.revision) == (here.number, here.revision):
            return
        self.following = None
        if following is not None:
            self._turn(following)
        elif card is not None:
            self._turn(self.make(card))
        else:
            self.current = None
            self._exhausted = True
            self.emptied.emit()

    # -- looking ----------------------------------------------------------------------------

    def bring_back(self, number: int, stands: str = "") -> None:
        """A decision was taken back: its item is the one to decide again, or is looked at where
        an earlier decision stands again."""
        if stands:
            self.rows = [
                QueueRow(number, stands) if row.number == number else row for row in self.rows
            ]
            self._look_back(number)
            self._settle.start()
            return
        skipped = QueueRow(number, "skip") in self.rows
        self.rows = [entry for entry in self.rows if entry.number != number]
        self.done = max(0, self.done - (not skipped))
        self.aside = max(0, self.aside - skipped)
        self.left += 1
        self._bring(review.review_card, number, self._on_back)

    def bring_in(self, number: int) -> None:
        """An item that has just come in is the next to decide, if it waits for this person."""
        if self.current is None:
            self._context.wanted_item = number
            self.begin()
        else:
            self._bring(review.claim_item, number, self._on_new)

    def _on_new(self, card: ReviewCard) -> None:
        """What is held here stays so, and waits until the new items are done."""
        self._put_off = tuple(held for held in self._held() if held != card.number)
        self.current, self.following, self.reserve = None, None, []
        self._on_back(card)

    def _bring(
        self,
        read: Callable[[Workspace, str, int], ReviewCard],
        number: int,
        done: Callable[[ReviewCard], None],
    ) -> None:
        self.bringing = True
        work = partial(read, self._context.workspace, self._context.person.name, number)
        self._context.ask(self, work, done, self._on_not_back, topic="card")

    def _on_not_back(self, sentence: str) -> None:
        self.bringing = False
        self._on_trouble(sentence)

    def _on_back(self, card: ReviewCard) -> None:
        self.bringing = False
        # it is held again, and may have been claimed as one that comes later
        self.reserve = [one for one in self.reserve if one.number != card.number]
        if self.following is not None and self.following.card.number == card.number:
            self.following = None
        before = self.current
        if before is not None and before.card.number != card.number:
            # the item that was on the page stays claimed and is the next one again
            before.document = None
            self.following = before
        self._turn(self.make(card))
        self._settle.start()

    def look_at(self, number: int) -> None:
        """Look at an item of the queue again; it cannot be decided from there."""
        if self.bringing:
            return
        if self.current is not None and number == self.current.card.number:
            self.back_to_current()
        elif self.following is None or number != self.following.card.number:
            self._look_back(number)

    def _look_back(self, number: int) -> None:
        context = self._context
        work = partial(change_decision.earlier, context.workspace, context.person.name, number)
        context.ask(self, work, self._on_past, self._on_trouble, topic="card")

    def _on_past(self, earlier: EarlierCard) -> None:
        self.past = self.make(earlier.card)
        self.past.earlier = earlier
        self.turned.emit(self.past)

    def take_up(self, number: int) -> None:
        """Bring an item to the front that was skipped or left, or look at what was decided."""
        if self.bringing or (self.current is not None and number == self.current.card.number):
            self.back_to_current()
            return
        if self.following is not None and number == self.following.card.number:
            before = self.current
            if before is not None:
                before.document = None
            self.current, self.past, self.following = self.following, None, before
            self.turned.emit(self.current)
            return
        self._look_back(number)

    def back_to_current(self) -> None:
        """Back to the item that waits for a decision."""
        self.past = None
        if self.current is not None:
            self.turned.emit(self.current)
        elif self._halt:
            self.halted.emit(self._halt)
        elif self._exhausted or self._began:
            self.emptied.emit()

    def move(self, step: int) -> None:
        """One up (-1) or down (1) in the queue; below the newest decision is the empty page where
        nothing is left."""
        queued = self.shown
        numbers = [entry.number for entry in self.rows]
        if self.current is not None:
            numbers.append(self.current.card.number)
        if queued is not None and queued.card.number not in numbers:
            return
        target = (numbers.index(queued.card.number) if queued else len(numbers)) + step
        if 0 <= target < len(numbers):
            self.look_at(numbers[target])
        elif queued is not None and target == len(numbers) and self.current is None:
            self.back_to_current()

    def listed(self) -> list[QueueRow]:
        """The queue as it is shown: the decided ones, the present one, the next one."""
        rows = list(self.rows)
        for queued in (self.current, self.following):
            if queued is not None and all(entry.number != queued.card.number for entry in rows):
                rows.append(QueueRow(queued.card.number))
        return rows
