"""Review: one item in the middle, one key decides, and the next item is there at once.

The next card is claimed and laid out while the present one is read. A decision is written on the
database's worker; the page turns when the commit is acknowledged and not before, so what a person
sees go by is on disk. Keys pressed between the decision and the turn decide nothing.
"""

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QToolButton, QWidget

from core.text import tr
from core.workflow import passages, review
from core.workflow.passages import Passage
from core.workflow.review import REASONS, Decided, ReviewCard, ReviewQueue, Undone
from core.workflow.workspace import Workspace
from gui import theme, words
from gui.desk import Desk
from gui.editors.card import CardText, card_document
from gui.panels.base import Panel
from gui.widgets.empty import EmptyState
from gui.widgets.page import ItemPage
from gui.widgets.review_parts import DecisionColumn, QueueColumn, QueueRow, RevealStrip
from gui.widgets.words import column, frame, row, rule

_LISTED = 40
"""Decided items that the queue lists."""
_UNPAINTED_MS = 250
"""Where nothing paints (the window is covered), the next item is claimed after so long."""
_SETTLE_MS = 1500
"""After so long without a decision the counts are read again; until then they are reckoned."""


@dataclass(frozen=True, slots=True)
class _Begin:
    queue: ReviewQueue
    card: ReviewCard | None


@dataclass(slots=True)
class _Leaf:
    """A card and its document, laid out for the page."""

    card: ReviewCard
    text: CardText
    document: QTextDocument | None
    shown_at: float = 0.0


def _begin(ws: Workspace, person: str, benchmark: str) -> _Begin:
    card = review.next_card(ws, person, benchmark)
    return _Begin(review.queue(ws, person, benchmark), card)


class ReviewPanel(Panel):
    """The queue, the item and the decision."""

    topics = ("items", "decisions", "benchmarks")

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._current: _Leaf | None = None
        self._next: _Leaf | None = None
        self._past: _Leaf | None = None
        self._rows: list[QueueRow] = []
        self._done = self._left = 0
        self._writing = False
        self._fetching = False
        self._began = False
        self._exhausted = False
        self._choosing = ""
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(_SETTLE_MS)
        self._settle.timeout.connect(self._read_queue)
        # claiming the next item waits for the paint: the two would fight over the interpreter
        self._unpainted = QTimer(self)
        self._unpainted.setSingleShot(True)
        self._unpainted.setInterval(_UNPAINTED_MS)
        self._unpainted.timeout.connect(self._fetch)
        self._bind()
        self._build()

    # -- building ---------------------------------------------------------------------------

    def _bind(self) -> None:
        bind = self.desk.actions.bind
        bind("accept", self, self.accept_item, self.can_decide)
        bind("reject", self, self.begin_reject, self.can_decide)
        for index, run in enumerate(
            (self._reason_1, self._reason_2, self._reason_3, self._reason_4, self._reason_5), 1
        ):
            bind(f"reason-{index}", self, run, self.is_choosing_reason)
        bind("return", self, self.return_item, self.can_decide)
        bind("skip", self, self.skip_item, self.can_decide)
        bind("hand-in", self, self.hand_in, self.can_decide)
        bind("leave-note", self, self.leave_note)
        bind("key", self, self.toggle_key, self.has_page)
        bind("source", self, self.toggle_source, self.has_page)
        bind("defects", self, self.toggle_defects, self.has_page)
        bind("next", self, self.go_down, self.has_page)
        bind("previous", self, self.go_up, self.has_page)

    def _build(self) -> None:
        colours = self.desk.colours
        self.queue = QueueColumn(colours)
        self.page = ItemPage()
        self.strip = RevealStrip()
        self.decision = DecisionColumn(self.desk.actions, colours)
        self._empty = EmptyState()
        middle = frame("paper")
        inner = column(middle, spacing=0)
        inner.addWidget(self.page, 1)
        inner.addLayout(self._toggles())
        inner.addWidget(self.strip)
        work = QWidget()
        columns = row(work, spacing=0)
        for part in (self.queue, rule("column"), middle, rule("column"), self.decision):
            columns.addWidget(part, 1 if part is middle else 0)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(work)
        self._stack.addWidget(self._empty)
        self.page.turned.connect(self._fetch, Qt.ConnectionType.QueuedConnection)
        self.queue.list.chosen.connect(self.look_at)
        self.decision.reason_chosen.connect(self.reject_for)
        self._empty.pressed.connect(self._on_empty_pressed)

    def _toggles(self) -> QHBoxLayout:
        line = row(spacing=4)
        line.setContentsMargins(16, 4, 16, 4)
        self._toggle_buttons: dict[str, QToolButton] = {}
        for command_id in ("key", "source", "defects"):
            button = QToolButton()
            button.setProperty("look", "flat")
            button.setFont(theme.font(theme.SMALL_PX))
            button.clicked.connect(self.desk.actions.action(command_id).trigger)
            self._toggle_buttons[command_id] = button
            line.addWidget(button)
        line.addStretch(1)
        return line

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Claim the first item, or read how far we are when one is on the page already."""
        if not self.desk.benchmark:
            self._show_empty(False)
            return
        if self._current is not None:
            self._read_queue()
            if self._exhausted:
                self._exhausted = False
                self._fetch()
            return
        self._began = False
        work = partial(_begin, self.desk.workspace, self.desk.person.name, self.desk.benchmark)
        self.desk.ask(self, work, self._on_begun, self._on_trouble, topic="begin")

    def _on_benchmark(self, name: str) -> None:
        self._current = self._next = self._past = None
        self._exhausted = False
        self._choosing = ""
        self.strip.clear()
        super()._on_benchmark(name)

    def _on_begun(self, begun: _Begin) -> None:
        self._began = True
        self._take_queue(begun.queue)
        if begun.card is None:
            self._show_empty(True)
            return
        self._turn(self._leaf(begun.card))

    def _read_queue(self) -> None:
        work = partial(
            review.queue, self.desk.workspace, self.desk.person.name, self.desk.benchmark
        )
        self.desk.ask(
            self, work, self._on_queue, self._on_trouble, topic="queue", lane="background"
        )

    def _on_queue(self, queue: ReviewQueue) -> None:
        if not self._writing:
            self._take_queue(queue)

    def _take_queue(self, queue: ReviewQueue) -> None:
        self._done, self._left = queue.done, queue.left
        self._rows = [QueueRow(e.number, e.verdict) for e in reversed(queue.recent)]
        self._show_queue()

    def _fetch(self) -> None:
        """Claim and lay out the item after the one on the page."""
        self._unpainted.stop()
        if self._fetching or self._next is not None or self._exhausted or self._current is None:
            return
        self._fetching = True
        work = partial(
            review.next_card,
            self.desk.workspace,
            self.desk.person.name,
            self.desk.benchmark,
            leave_out=(self._current.card.number,),
        )
        self.desk.ask(self, work, self._on_fetched, self._on_fetch_failed, topic="next")

    def _on_fetched(self, card: ReviewCard | None) -> None:
        self._fetching = False
        if card is None:
            self._exhausted = True
            if self._current is None:
                self._show_empty(True)
        elif self._current is None:
            self._turn(self._leaf(card))
        else:
            self._next = self._leaf(card)
            self._show_queue()

    def _on_fetch_failed(self, sentence: str) -> None:
        self._fetching = False
        self._on_trouble(sentence)

    def _on_trouble(self, sentence: str) -> None:
        self.desk.complain(sentence)

    def _leaf(self, card: ReviewCard) -> _Leaf:
        text = CardText(card.number, card.content)
        return _Leaf(card, text, card_document(text, self.desk.colours, self.page.measure))

    # -- showing ----------------------------------------------------------------------------

    @property
    def leaf(self) -> _Leaf | None:
        """What is on the page: an earlier item that is looked at, else the one to decide."""
        return self._past or self._current

    def _turn(self, leaf: _Leaf) -> None:
        """Put an item to decide on the page."""
        self._current, self._past = leaf, None
        self._choosing = ""
        self.decision.ask_reason(False)
        if self._note():
            self.decision.note.clear()
        self._put(leaf)
        self._unpainted.start()

    def _put(self, leaf: _Leaf) -> None:
        self._stack.setCurrentIndex(0)
        document = leaf.document or card_document(leaf.text, self.desk.colours, self.page.measure)
        leaf.document = None
        self.page.turn_to(document)
        leaf.shown_at = time.monotonic()
        self._show_state()
        self._show_queue()

    def _redraw(self) -> None:
        if (leaf := self.leaf) is not None:
            place = self.page.verticalScrollBar().value()
            self.page.turn_to(card_document(leaf.text, self.desk.colours, self.page.measure))
            self.page.verticalScrollBar().setValue(place)
            self._show_state()

    def _show_queue(self) -> None:
        rows = self._rows = self._rows[-_LISTED:]
        rows = list(rows)
        for leaf in (self._current, self._next):
            if leaf is not None and all(entry.number != leaf.card.number for entry in rows):
                rows.append(QueueRow(leaf.card.number))
        shown = self.leaf
        self.queue.list.show_rows(rows, shown.card.number if shown else 0)
        self.queue.show_counts(shown.card.task if shown else "", self._done, self._left)

    def _show_state(self) -> None:
        leaf = self.leaf
        if leaf is not None:
            count = len(leaf.card.defects)
            key = self.desk.actions.key_text
            hidden, text = leaf.text.key, self._toggle_buttons
            text["key"].setText(
                tr("[{key}] hide the key", key=key("key"))
                if hidden
                else tr("[{key}] key", key=key("key"))
            )
            text["source"].setText(tr("[{key}] source in article", key=key("source")))
            text["defects"].setText(tr("[{key}] defects {count}", key=key("defects"), count=count))
        self.decision.allow(self.can_decide())
        self.desk.actions.update()
        self._show_hint()

    def _show_hint(self) -> None:
        hint = self.decision.hint
        leaf, key = self.leaf, self.desk.actions.key_text
        if leaf is None or self._writing:
            return
        if self._past is not None:
            verdict = words.word(words.VERDICTS, leaf.card.already or "skip")
            hint(
                tr("You decided this one: {verdict}. Undo takes the newest back.", verdict=verdict)
            )
        elif leaf.card.barred:
            hint(tr("Can never be accepted: made {why}.", why=leaf.card.barred), "reject")
        elif self._choosing == "reason":
            hint(tr("Choose a reason: 1 to 5. {key} goes back.", key=key("leave-note")), "reject")
        elif self._choosing:
            says = {
                "other": tr("Say what is wrong, then {key} rejects.", key=key("hand-in")),
                "return": tr("Say what the author should change, then {key} returns it.",
                             key=key("hand-in")),
            }  # fmt: skip
            hint(says[self._choosing], "return" if self._choosing == "return" else "reject")
        else:
            hint("")

    def _show_empty(self, has_benchmark: bool) -> None:
        self._current = self._next = self._past = None
        if has_benchmark:
            self._empty.say(
                tr("Nothing left to review for you in {benchmark}.", benchmark=self.desk.benchmark),
                tr("{done} decided. New items appear here by themselves.", done=self._done),
                tr("Look at the agreement"),
            )
        else:
            self._empty.say(
                tr("There is nothing to review yet."),
                tr("Items are made from articles: a folder of LaTeX, HTML or text files."),
                tr("Make items from articles"),
            )
        self._stack.setCurrentIndex(1)
        self.desk.actions.update()

    def _on_empty_pressed(self) -> None:
        self.desk.go_to("agreement" if self.desk.benchmark else "sources")

    # -- deciding ---------------------------------------------------------------------------

    def has_page(self) -> bool:
        """Whether an item is on the page."""
        return self.leaf is not None

    def can_decide(self) -> bool:
        """Whether the item on the page waits for this person's decision."""
        return self._current is not None and self._past is None and not self._writing

    def is_choosing_reason(self) -> bool:
        """Whether a rejection waits for its reason."""
        return self._choosing == "reason" and self.can_decide()

    def accept_item(self) -> None:
        """Accept the item on the page."""
        self._decide("accept", "")

    def begin_reject(self) -> None:
        """Ask for the reason; the next digit rejects."""
        self._choose("" if self._choosing == "reason" else "reason")

    def _reason_1(self) -> None:
        self.reject_for(REASONS[0])

    def _reason_2(self) -> None:
        self.reject_for(REASONS[1])

    def _reason_3(self) -> None:
        self.reject_for(REASONS[2])

    def _reason_4(self) -> None:
        self.reject_for(REASONS[3])

    def _reason_5(self) -> None:
        self.reject_for(REASONS[4])

    def reject_for(self, reason: str) -> None:
        """Reject; ``other`` needs a note first."""
        if not self.can_decide():
            return
        if reason == "other" and not self._note():
            self._choose("other")
            self.decision.note.setFocus()
        else:
            self._decide("reject", reason)

    def return_item(self) -> None:
        """Return the item to its author with the note; asks for one first."""
        if self._note():
            self._decide("return", "")
        else:
            self._choose("return")
            self.decision.note.setFocus()

    def hand_in(self) -> None:
        """Decide what the note was asked for."""
        if not self._note() or self._choosing not in ("other", "return"):
            return
        if self._choosing == "return":
            self._decide("return", "")
        else:
            self._decide("reject", "other")

    def leave_note(self) -> None:
        """Back from the note or the reasons; what was written stays."""
        self._choose("")
        if self._past is not None:
            self.go_to_current()
        self.page.setFocus()

    def _choose(self, what: str) -> None:
        self._choosing = what
        self.decision.ask_reason(what == "reason")
        self._show_state()

    def _note(self) -> str:
        return self.decision.note.toPlainText().strip()

    def _decide(self, verdict: str, reason: str) -> None:
        leaf = self._current
        if leaf is None or not self.can_decide():
            return
        self._begin_write()
        work = partial(
            review.decide,
            self.desk.workspace,
            self.desk.person.name,
            leaf.card.number,
            verdict,
            reason=reason,
            note=self._note(),
            seconds=time.monotonic() - leaf.shown_at,
            revision=leaf.card.revision,
        )
        self.desk.write(self, work, self._on_decided, self._on_not_written)

    def skip_item(self) -> None:
        """Give the item back undecided."""
        if self._current is None or not self.can_decide():
            return
        self._begin_write()
        number = self._current.card.number
        work = partial(_skip, self.desk.workspace, self.desk.person.name, number)
        self.desk.write(self, work, self._on_skipped, self._on_not_written)

    def _begin_write(self) -> None:
        self._writing = True

    def _on_decided(self, decided: Decided) -> None:
        """The commit is on disk: only now does the page turn."""
        self._writing = False
        self._done += 1
        self._left = max(0, self._left - 1)
        self._rows.append(QueueRow(decided.number, decided.verdict))
        self.strip.show_decided(decided)
        self._advance()
        verdict = words.word(words.VERDICT_NAMES, decided.verdict)
        self.desk.undo_changed.emit(
            tr("{verdict} #{number}", verdict=verdict, number=decided.number)
        )
        self._settle.start()

    def _on_skipped(self, number: int) -> None:
        self._writing = False
        self._left = max(0, self._left - 1)
        self._rows.append(QueueRow(number, "skip"))
        self.strip.clear()
        self._advance()
        self._settle.start()

    def _advance(self) -> None:
        following, self._next = self._next, None
        self._current = None
        if following is not None:
            self._turn(following)
        elif self._exhausted:
            self._exhausted = False
            self.refresh()
        elif not self._fetching:
            self.refresh()

    def _on_not_written(self, sentence: str) -> None:
        """Nothing was written: the item stays, and so does the note."""
        self._writing = False
        self.desk.complain(sentence)
        self._show_state()

    def take(self, argument: Any) -> None:
        """A decision was taken back: its item comes to the front again."""
        undone: Undone = argument
        self._rows = [entry for entry in self._rows if entry.number != undone.number]
        self._done = max(0, self._done - 1)
        self._left += 1
        self.strip.clear()
        work = partial(review.card, self.desk.workspace, self.desk.person.name, undone.number)
        self.desk.ask(self, work, self._on_back, self._on_trouble, topic="back")

    def _on_back(self, card: ReviewCard) -> None:
        before = self._current
        self._turn(self._leaf(card))
        if before is not None and before.card.number != card.number:
            # the item that was on the page stays claimed and is the next one again
            before.document = None
            self._next = before
        self._settle.start()

    # -- looking ----------------------------------------------------------------------------

    def toggle_key(self) -> None:
        """Show or hide the key of the item on the page."""
        if (leaf := self.leaf) is not None:
            leaf.text = replace(leaf.text, key=not leaf.text.key)
            self._redraw()

    def toggle_defects(self) -> None:
        """Show or hide what the checks found."""
        if (leaf := self.leaf) is not None:
            shown = leaf.text.defects is not None
            leaf.text = replace(leaf.text, defects=None if shown else leaf.card.defects)
            self._redraw()
            self._to_end(not shown)

    def toggle_source(self) -> None:
        """Show or hide the item's text where it stands in its article."""
        leaf = self.leaf
        if leaf is None:
            return
        if leaf.text.passage is not None:
            leaf.text = replace(leaf.text, passage=None)
            self._redraw()
            return
        work = partial(passages.passage, self.desk.workspace, leaf.card.number)
        self.desk.ask(self, work, self._on_source, self._on_trouble, topic="source")

    def _on_source(self, passage: Passage) -> None:
        leaf = self.leaf
        if leaf is not None and passage.number == leaf.card.number:
            leaf.text = replace(leaf.text, passage=passage)
            self._redraw()
            self._to_end(True)

    def _to_end(self, down: bool) -> None:
        if down:
            bar = self.page.verticalScrollBar()
            bar.setValue(bar.maximum())

    def look_at(self, number: int) -> None:
        """Look at an item of the queue again; it cannot be decided from there."""
        if self._current is not None and number == self._current.card.number:
            self.go_to_current()
        elif self._next is None or number != self._next.card.number:
            work = partial(review.card, self.desk.workspace, self.desk.person.name, number)
            self.desk.ask(self, work, self._on_past, self._on_trouble, topic="past")

    def _on_past(self, card: ReviewCard) -> None:
        self._past = self._leaf(card)
        self._put(self._past)

    def go_to_current(self) -> None:
        """Back to the item that waits for a decision."""
        self._past = None
        if self._current is not None:
            self._put(self._current)

    def go_up(self) -> None:
        """To the item decided before the one on the page."""
        self._move(-1)

    def go_down(self) -> None:
        """Towards the item that waits for a decision."""
        self._move(1)

    def _move(self, step: int) -> None:
        leaf = self.leaf
        numbers = [entry.number for entry in self._rows]
        if self._current is not None:
            numbers.append(self._current.card.number)
        if leaf is None or leaf.card.number not in numbers:
            return
        target = numbers.index(leaf.card.number) + step
        if 0 <= target < len(numbers):
            self.look_at(numbers[target])

    def ready(self) -> bool:
        """Whether the page, and the one after it, are there."""
        if self.stale or self._writing or self._fetching:
            return False
        if not self.desk.benchmark:
            return True
        return self._began and (self._current is None or self._exhausted or self._next is not None)


def _skip(ws: Workspace, person: str, number: int) -> int:
    review.skip(ws, person, number)
    return number
