"""Review: one item in the middle, one key decides, and the next item is there at once."""

import time
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QLayout, QStackedLayout, QToolButton, QWidget

from core.families import family
from core.i18n import sentences, tr, trn
from core.workflow.check import nothing_left, questions
from core.workflow.check.nothing_left import NothingToReview
from core.workflow.check.outbox import KeptDecision
from core.workflow.check.qualification import Standing, answer_sentences
from core.workflow.check.review import CommittedDecision
from core.workflow.items import source_passage
from core.workflow.items.source_passage import Passage
from core.workflow.items.undo import Undone
from core.workflow.rights import Action
from core.workflow.workspace import Workspace
from gui import labels, theme
from gui.context import ArrivedItem, WindowContext
from gui.documents.item_card import card_document
from gui.panels.key_guard import KeyGuard, leave
from gui.panels.review.card_queue import CardQueue, QueuedCard
from gui.panels.review.queue_column import QueueColumn
from gui.panels.review.reveal_strip import RevealStrip
from gui.panels.verdict_panel import VerdictPanel
from gui.widgets.chips import FlowLayout
from gui.widgets.elements import column, face, frame, row, rule
from gui.widgets.empty import EmptyState
from gui.widgets.guideline import GuidelineColumn
from gui.widgets.note_keeper import NoteKeeper
from gui.widgets.page import ItemPage
from gui.widgets.verdict_column import VerdictButton, VerdictColumn

_NothingLeft = tuple[NothingToReview, tuple[str, int]]
"""Why nothing is left in a benchmark, and another one with so many items for this person."""


def _read_nothing_left(ws: Workspace, person: str, benchmark: str) -> _NothingLeft:
    elsewhere = nothing_left.waiting_elsewhere(ws, person, benchmark)
    return nothing_left.to_review(ws, person, benchmark), elsewhere


class ReviewPanel(VerdictPanel):
    """The queue, the item and the decision."""

    topics = ("items", "decisions", "benchmarks", "people")

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._decided: CommittedDecision | None = None
        self._way_out = self._elsewhere = ""
        self._round_began = self._told_again = False
        self.page = ItemPage()
        self.key_guard = KeyGuard(context, self.page, self._show_hint)
        self.queue = CardQueue(context, self._measure, self)
        self._bind()
        self._build()
        queue = self.queue
        queue.turned.connect(self._put)
        queue.counted.connect(self._show_queue)
        queue.decided.connect(self._on_decided)
        queue.kept.connect(self._on_kept)
        queue.stranded.connect(self._show_stranded)
        queue.halted.connect(self._show_halted)
        queue.changed.connect(self._on_changed_decision)
        queue.skipped.connect(self._on_skipped)
        queue.emptied.connect(self._show_empty)
        queue.refused.connect(self._on_refused)
        queue.repeated.connect(self._on_repeated)
        queue.unpainted.connect(self._after_turn)
        self.page.turned.connect(self._after_turn, Qt.ConnectionType.QueuedConnection)

    # -- building ---------------------------------------------------------------------------

    def _bind(self) -> None:
        bind = self.context.actions.bind
        bind("accept", self, self.accept_item, self.listens)
        bind("reject", self, self.begin_reject, self.listens)
        for digit in range(1, 10):
            run = partial(self.reject_by_digit, digit)
            bind(f"reason-{digit}", self, run, self.is_choosing_reason)
        bind("return", self, self.return_item, self.listens)
        bind("skip", self, self.skip_item, self.listens)
        bind("hand-in", self, self.hand_in, self.listens)
        bind("leave-note", self, self.leave_note)
        bind("key", self, self.toggle_key, self.has_page)
        bind("source", self, self.toggle_source, self.has_page)
        bind("defects", self, self.toggle_defects, self.has_page)
        bind("unsure", self, self.toggle_unsure, self.has_page)
        bind("next", self, partial(self.queue.move, 1), self.has_page)
        bind("previous", self, partial(self.queue.move, -1), self.can_look_back)

    def _build(self) -> None:
        colours = self.context.colours
        self.queue_column = QueueColumn(colours)
        self.strip = RevealStrip()
        self.decision = VerdictColumn(
            self.context.actions,
            (
                VerdictButton("accept", tr("Accept"), colours.accept),
                VerdictButton("reject", tr("Reject ▸"), colours.reject),
                VerdictButton("return", tr("Return…"), colours.returned),
                VerdictButton("skip", tr("Skip"), colours.text),
            ),
            (),  # those of the task come with its first item
            tr("Note"),
            width=232,
        )
        self._small = {
            command_id: self.decision.add_small(command_id, text)
            for command_id, text in (
                ("unsure", tr("Unsure")),
                ("question", tr("Ask…")),
                ("guideline", tr("Guideline")),
            )
        }
        self.empty = EmptyState()
        middle = frame("paper")
        inner = column(middle, spacing=0)
        inner.addWidget(self.page, 1)
        inner.addLayout(self._toggles())
        inner.addWidget(self.strip)
        work = QWidget()
        columns = row(work, spacing=0)
        self.guideline = GuidelineColumn(self.context, self, self.queue_column)
        for part in (
            self.guideline, self.queue_column, rule("column"), middle, rule("column"),
            self.decision,
        ):  # fmt: skip
            columns.addWidget(part, 1 if part is middle else 0)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(work)
        self._stack.addWidget(self.empty)
        self.queue_column.list.chosen.connect(self.queue.look_at)
        self.decision.reason_chosen.connect(self.reject_for)
        self.notes = NoteKeeper(self.context, "review", self.decision.note, self)
        self.empty.pressed.connect(self._on_empty_pressed)

    def _toggles(self) -> QLayout:
        line = FlowLayout(gap=4)
        line.setContentsMargins(16, 4, 16, 4)
        self._toggle_buttons: dict[str, QToolButton] = {}
        for command_id in ("key", "source", "defects"):
            button = QToolButton()
            button.setProperty("look", "flat")
            button.setProperty("compact", True)
            button.setFont(theme.font(theme.SMALL_PX))
            button.clicked.connect(self.context.actions.action(command_id).trigger)
            self._toggle_buttons[command_id] = button
            line.addWidget(button)
        return line

    # -- showing ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Claim the first item, or read how far we are when one is on the page already."""
        self.queue.begin()

    def wrote(self, writer: QObject | None) -> bool:
        """The cards turn by themselves after a decision."""
        return writer is self or writer is self.queue

    def _on_benchmark(self, name: str) -> None:
        self.notes.keep()
        self.notes.forget()
        self.queue.forget()
        self.strip.clear()
        super()._on_benchmark(name)

    def _measure(self) -> int:
        return self.page.measure

    def _put(self, queued: QueuedCard) -> None:
        """Put a card on the page."""
        self._choosing = ""
        if queued.card.number != self.page.in_sight:
            leave(self.decision.note, self.page)  # also where one that was refused has gone
        self.decision.ask_reason(False)
        self.decision.show_reasons(queued.card.reasons)
        self._put_note(queued)
        if queued.card.qualification is not None:
            self.strip.make_room()
        self._stack.setCurrentIndex(0)
        document = queued.document or card_document(
            queued.text, self.context.colours, self._measure()
        )
        queued.document = None
        self.page.turn_to(document, queued.card.number)
        queued.shown_at = queued.shown_at or time.monotonic()
        self._show_state()

    def _put_note(self, queued: QueuedCard) -> None:
        """The note belongs to its item: what is written on another one waits there."""
        earlier = queued.earlier.note if queued.earlier is not None else ""
        self.notes.show_item(queued.card.number, earlier)

    def task(self) -> str:
        """The task of the item on the page."""
        queued = self.queue.shown
        return queued.card.task if queued is not None else ""

    def item(self) -> int:
        """The item on the page."""
        queued = self.queue.shown
        return queued.card.number if queued is not None else 0

    def reading(self) -> ItemPage | None:
        """The page of the item."""
        return self.page if self.has_page() else None

    def relayout(self) -> None:
        """Lay the item out in the new type, and the next one when its turn comes."""
        self.page.fit()
        if self.queue.following is not None:
            self.queue.following.document = None
        self._redraw()

    def _after_turn(self) -> None:
        """The item is painted first; what stands around it, and the next claim, come after."""
        decided, self._decided = self._decided, None
        if decided is not None:
            self.strip.show_decided(decided)
            verdict = labels.word(labels.VERDICT_NAMES, decided.verdict)
            words = tr("{verdict} #{number}", verdict=verdict, number=decided.number)
            # what a qualification round has explained is not taken back
            self.context.undo_changed.emit("" if decided.answer is not None else words)
        self._show_queue()
        self.context.review_counted.emit(self.waiting())
        self.queue.fetch()

    def _redraw(self) -> None:
        if (queued := self.queue.shown) is not None:
            document = card_document(queued.text, self.context.colours, self._measure())
            self.page.turn_to(document, queued.card.number)
            self._show_state()

    def _show_queue(self) -> None:
        queued, queue = self.queue.shown, self.queue
        if queue.following is not None and queue.following.document is not None:
            self.page.paint_beforehand(queue.following.document)
        shown = queued.card.number if queued else 0
        self.queue_column.list.show_rows(queue.listed(), shown, queue.unsure)
        waits = queue.current or queued  # an earlier one that is looked at is not what is left
        round_ = waits.card.qualification if waits else None
        self.queue_column.show_counts(
            waits.card.task if waits else "", queue.done, queue.left, queue.aside, round_
        )
        self.guideline.say_left(self.queue_column.left)
        if round_ is not None and round_.answered == 0:
            self._begin_round(round_)
        self.guideline.show_task(self.task())

    def _begin_round(self, standing: Standing) -> None:
        """The first time the guideline opens by itself; a round that one may try again is told."""
        if not self._round_began and not self.context.guideline:
            self.context.actions.action("guideline").trigger()
        if standing.again and not self._told_again:
            self.context.say(tr("A lead lets you try the qualification round again."))
        self._round_began, self._told_again = True, standing.again

    def _show_state(self) -> None:
        queued = self.queue.shown
        if queued is not None:
            key, buttons = self.context.actions.key_text, self._toggle_buttons
            buttons["key"].setText(self._key_words(queued))
            buttons["key"].setVisible(family(queued.card.family).hides_key)
            buttons["source"].setText(tr("[{key}] source in article", key=key("source")))
            buttons["source"].setVisible(bool(queued.card.content.provenance.get("article")))
            buttons["defects"].setText(
                tr("[{key}] defects {count}", key=key("defects"), count=len(queued.card.defects))
            )
            on = queued.card.number in self.queue.unsure
            self._small["unsure"].say(tr("Unsure ✓") if on else tr("Unsure"))
        self.decision.allow(self.can_decide())
        self.context.actions.update()
        self._show_hint()

    def _key_words(self, queued: QueuedCard) -> str:
        key = self.context.actions.key_text("key")
        if queued.card.family == "rewrite":
            return tr("[{key}] semantic rewrite", key=key)
        if queued.text.key:
            return tr("[{key}] hide the key", key=key)
        return tr("[{key}] key", key=key)

    def _show_hint(self) -> None:
        queued = self.queue.shown
        text, ink = self.key_guard.refusal, "reject"
        if queued is None or self.queue.writing or text:
            self.decision.hint(text, ink)
            return
        if self._choosing:
            text, ink = self._asks("leave-note", "hand-in")
        elif self.queue.past is not None:
            text, ink = self._earlier_words(self.queue.past), "muted"
        elif queued.card.barred:
            why = labels.word(labels.BARRED, queued.card.barred)
            text = tr("Cannot be accepted: generated {why}.", why=why)
        self.decision.hint(text, ink)

    def _earlier_words(self, past: QueuedCard) -> str:
        """What was decided on an item that is looked at again, and whether that can change."""
        back = self.context.actions.key_text("leave-note")
        earlier = past.earlier
        verdict = labels.word(labels.VERDICTS, earlier.verdict) if earlier is not None else ""
        if earlier is None or not verdict:
            said = tr("You have not decided on this item; you can now. {key} goes back.", key=back)
        elif earlier.refusal:
            said = tr("You decided: {verdict}. {why} {key} goes back.", verdict=verdict,
                      why=earlier.refusal, key=back)  # fmt: skip
        else:
            said = tr("You decided: {verdict}. Decide again to change it; both stay in the ledger. "
                      "{key} goes back.", verdict=verdict, key=back)  # fmt: skip
        waits = self.queue.current
        if waits is None or waits.card.task == past.card.task:
            return said
        return sentences((tr("An item of “{task}”.", task=past.card.task), said))

    def _show_empty(self) -> None:
        if self._decided is not None and self._decided.answer is not None:
            # nothing comes after it, so the strip below the item would not be seen
            self.context.say("\n".join(answer_sentences(self._decided.answer)))
        self._after_turn()
        self._way_out = ""
        if self.context.benchmark:
            self._say_nothing_left(None)
            context = self.context
            work = partial(
                _read_nothing_left, context.workspace, context.person.name, context.benchmark
            )
            context.ask(self, work, self._say_nothing_left, topic="nothing left", lane="background")
        else:
            may = self.context.may(Action.MAKE_ITEMS)
            self._way_out = "sources" if may else ""
            self.empty.say(
                tr("Nothing to review yet."),
                tr("Items are generated from articles: a folder of LaTeX, HTML or text files."),
                tr("Generate items from articles") if may else "",
            )
        self._stack.setCurrentIndex(1)
        self.context.actions.update()

    def _say_nothing_left(self, found: _NothingLeft | None) -> None:
        """Why there is nothing, and the one way on that this person has; None while that is being
        looked up, when no way is offered yet that would be another one under the hand."""
        words, self._way_out = "", ""
        why, (self._elsewhere, waiting) = found or (NothingToReview(), ("", 0))
        if found is None:
            pass
        elif waiting:
            words = face(tr("Review {benchmark}", benchmark=self._elsewhere))
            self._way_out = "elsewhere"
        elif why == NothingToReview() and self.context.may(Action.FREEZE):
            words, self._way_out = tr("Show splits"), "splits"  # all is settled
        elif why.gate and "screen" in self.context.actions.bound():
            words, self._way_out = tr("Start screening…"), "screen"
        elif self.context.may(Action.SEE_QUALITY):
            words, self._way_out = tr("Show agreement"), "agreement"
        elif self.queue.done or why.skipped:
            words, self._way_out = tr("Show my work"), "my_work"
        decided = trn("You decided on 1 item.", "You decided on {n} items.", self.queue.done)
        other = trn(
            "1 item waits for you in {benchmark}.",
            "{n} items wait for you in {benchmark}.",
            waiting,
            benchmark=self._elsewhere,
        )
        ahead = other if waiting else tr("New items will appear here.")
        said = (decided, *why.sentences(), ahead)
        self.empty.say(
            tr("You have no items left to review in {benchmark}.",
               benchmark=self.context.benchmark),
            "\n".join(said),
            words,
        )  # fmt: skip

    def _show_stranded(self) -> None:
        """The server is away, and all that was held here is decided."""
        self._after_turn()
        self._way_out = "refresh"
        self.empty.say_away(self.context.link.waiting)
        self._stack.setCurrentIndex(1)
        self.context.actions.update()

    def _show_halted(self, sentence: str) -> None:
        """No item is given to this person now, who may be paused or know the reason."""
        self._after_turn()
        self._way_out = "again"
        self.empty.say_halted(sentence)
        self._stack.setCurrentIndex(1)
        self.context.actions.update()

    def _on_empty_pressed(self) -> None:
        if self._way_out == "refresh":
            self.context.link.try_now()
        elif self._way_out == "again":
            self.queue.begin()
        elif self._way_out == "elsewhere":
            self.context.choose_benchmark(self._elsewhere)
        elif self._way_out == "screen":
            self.context.actions.action("screen").trigger()
        else:
            self.context.go_to(self._way_out)

    # -- deciding ---------------------------------------------------------------------------

    def has_page(self) -> bool:
        """Whether an item is on the page."""
        return self.queue.shown is not None

    def can_look_back(self) -> bool:
        """Whether there is an item above: also where nothing is left to decide."""
        return self.has_page() or bool(self.queue.rows)

    def can_decide(self) -> bool:
        """Whether the item on the page waits for this person's decision."""
        return self.queue.open

    def listens(self) -> bool:
        """Whether a key that decides is taken, or is answered by why it is not."""
        return self.queue.open or self.queue.coming

    def _accepts_key(self) -> bool:
        queue = self.queue
        if queue.past is not None and queue.past.refusal:
            return False
        queued = None if queue.bringing else queue.shown
        number = queued.card.number if queued is not None else 0
        return self.key_guard.takes(number, queue.writing)

    def _decide(self, verdict: str, reason: str = "") -> None:
        self._wrote_note = leave(self.decision.note, self.page)
        self.queue.decide(verdict, reason, self.decision.text)

    def skip_item(self) -> None:
        """Give the item back undecided."""
        if self.queue.past is None and self._accepts_key():
            self._wrote_note = False
            self.queue.skip(self.decision.text)

    def leave_note(self) -> None:
        """Back from the note or the reasons; what was written stays."""
        self._choose("")
        if self.queue.past is not None:
            self.queue.back_to_current()
        self.page.setFocus()

    def _on_decided(self, decided: CommittedDecision) -> None:
        self._wrote_note = False
        self.notes.forget()
        self._decided = decided

    def _on_kept(self, _kept: KeptDecision) -> None:
        """The decision waits on this computer; what others said is not known yet."""
        self._wrote_note = False
        self.notes.forget()
        self.strip.clear()

    def _on_changed_decision(self, decided: CommittedDecision) -> None:
        self._on_decided(decided)
        verdict = labels.word(labels.VERDICTS, decided.verdict)
        self.context.say(
            tr("Your decision on #{number} is now: {verdict}.", number=decided.number,
               verdict=verdict)
        )  # fmt: skip

    def _on_skipped(self, number: int) -> None:
        self.strip.clear()
        self.context.undo_changed.emit(tr("skip #{number}", number=number))

    def toggle_unsure(self) -> None:
        """Mark the item on the page as one that one is unsure about; a lead sees it."""
        context, number = self.context, self.item()
        if not number:
            return
        work = partial(
            questions.mark_unsure, context.workspace, context.person.name, number,
            self.decision.text,
        )  # fmt: skip
        context.write(self, work, partial(self._on_unsure, number), context.complain)

    def _on_unsure(self, number: int, on: bool) -> None:
        self.queue.unsure = self.queue.unsure | {number} if on else self.queue.unsure - {number}
        self._show_state()

    def _on_repeated(self) -> None:
        self.context.say(tr("That is your decision already."))

    def _on_refused(self, sentence: str) -> None:
        """Nothing was written: the item stays, and so does the note."""
        self.context.complain(sentence)
        if self._wrote_note:
            self._wrote_note = False
            self.decision.note.setFocus()
        self._show_state()

    def place(self) -> int:
        """The item that is looked at again; 0 for the one to decide."""
        past = self.queue.past
        return past.card.number if past is not None else 0

    def return_to(self, place: int) -> None:
        """The item that was looked at, or the one to decide."""
        if place != self.place():
            self.queue.look_at(place) if place else self.queue.back_to_current()

    def take(self, argument: Any) -> None:
        """A decision was taken back, or an item was chosen elsewhere: it comes to the front."""
        self.strip.clear()
        if isinstance(argument, Undone):
            self.notes.read_again()
            self.queue.bring_back(argument.number, argument.stands)
        elif isinstance(argument, ArrivedItem):
            self.queue.bring_in(argument.number)
        else:
            self.queue.take_up(int(argument))

    # -- looking ----------------------------------------------------------------------------

    def toggle_key(self) -> None:
        """Show or hide the key of the item on the page."""
        if (queued := self.queue.shown) is not None:
            queued.text = replace(queued.text, key=not queued.text.key)
            self._redraw()
            self.page.show_mark("key")

    def toggle_defects(self) -> None:
        """Show or hide what the checks found."""
        if (queued := self.queue.shown) is not None:
            shown = queued.text.defects is not None
            queued.text = replace(queued.text, defects=None if shown else queued.card.defects)
            self._redraw()
            if not shown:
                self.page.go_to_mark("defects")

    def toggle_source(self) -> None:
        """Show or hide the item's text where it stands in its article."""
        queued = self.queue.shown
        if queued is None:
            return
        if queued.text.passage is not None:
            queued.text = replace(queued.text, passage=None)
            self._redraw()
            return
        work = partial(source_passage.passage, self.context.workspace, queued.card.number)
        self.context.ask(self, work, self._on_source, self.context.complain, topic="source")

    def _on_source(self, passage: Passage) -> None:
        queued = self.queue.shown
        if queued is not None and passage.number == queued.card.number:
            queued.text = replace(queued.text, passage=passage)
            self._redraw()
            self.page.go_to_mark("passage")

    def waiting(self) -> int:
        """The items left, with the one in front."""
        return self.queue.left

    def ready(self) -> bool:
        """Whether the page, and the one after it, are there."""
        queued = self.queue.shown
        in_sight = queued is None or self.page.in_sight == queued.card.number
        return not self.stale and self.queue.complete and in_sight
