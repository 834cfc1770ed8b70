"""Review: one item in the middle, one key decides, and the next item is there at once."""

import time
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QToolButton, QWidget

from core.families import family
from core.i18n import tr, trn
from core.workflow.check import nothing_left
from core.workflow.check.nothing_left import NothingToReview
from core.workflow.check.review import REASONS, CommittedDecision
from core.workflow.items import source_passage
from core.workflow.items.source_passage import Passage
from core.workflow.items.undo import Undone
from core.workflow.rights import Action
from gui import labels, theme
from gui.context import WindowContext
from gui.documents.item_card import card_document
from gui.panels.key_guard import KeyGuard, leave
from gui.panels.review.card_queue import CardQueue, QueuedCard
from gui.panels.review.queue_column import QueueColumn
from gui.panels.review.reveal_strip import RevealStrip
from gui.panels.verdict_panel import VerdictPanel
from gui.widgets.elements import column, frame, row, rule
from gui.widgets.empty import EmptyState
from gui.widgets.page import ItemPage
from gui.widgets.verdict_column import VerdictButton, VerdictColumn


class ReviewPanel(VerdictPanel):
    """The queue, the item and the decision."""

    topics = ("items", "decisions", "benchmarks")

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._decided: CommittedDecision | None = None
        self._way_out = ""
        self._noted = 0  # the item that the note is about
        self.page = ItemPage()
        self.key_guard = KeyGuard(context, self.page, self._show_hint)
        self.queue = CardQueue(context, self._measure, self)
        self._bind()
        self._build()
        queue = self.queue
        queue.turned.connect(self._put)
        queue.counted.connect(self._show_queue)
        queue.decided.connect(self._on_decided)
        queue.skipped.connect(self._on_skipped)
        queue.emptied.connect(self._show_empty)
        queue.refused.connect(self._on_refused)
        queue.unpainted.connect(self._after_turn)
        self.page.turned.connect(self._after_turn, Qt.ConnectionType.QueuedConnection)

    # -- building ---------------------------------------------------------------------------

    def _bind(self) -> None:
        bind = self.context.actions.bind
        bind("accept", self, self.accept_item, self.listens)
        bind("reject", self, self.begin_reject, self.listens)
        for number, reason in enumerate(REASONS, 1):
            run = partial(self.reject_for, reason)
            bind(f"reason-{number}", self, run, self.is_choosing_reason)
        bind("return", self, self.return_item, self.listens)
        bind("skip", self, self.skip_item, self.listens)
        bind("hand-in", self, self.hand_in, self.listens)
        bind("leave-note", self, self.leave_note)
        bind("key", self, self.toggle_key, self.has_page)
        bind("source", self, self.toggle_source, self.has_page)
        bind("defects", self, self.toggle_defects, self.has_page)
        bind("next", self, partial(self.queue.move, 1), self.has_page)
        bind("previous", self, partial(self.queue.move, -1), self.has_page)

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
            REASONS,
            tr("Note"),
            width=232,
        )
        self.empty = EmptyState()
        middle = frame("paper")
        inner = column(middle, spacing=0)
        inner.addWidget(self.page, 1)
        inner.addLayout(self._toggles())
        inner.addWidget(self.strip)
        work = QWidget()
        columns = row(work, spacing=0)
        for part in (self.queue_column, rule("column"), middle, rule("column"), self.decision):
            columns.addWidget(part, 1 if part is middle else 0)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(work)
        self._stack.addWidget(self.empty)
        self.queue_column.list.chosen.connect(self.queue.look_at)
        self.decision.reason_chosen.connect(self.reject_for)
        self.empty.pressed.connect(self._on_empty_pressed)

    def _toggles(self) -> QHBoxLayout:
        line = row(spacing=4)
        line.setContentsMargins(16, 4, 16, 4)
        self._toggle_buttons: dict[str, QToolButton] = {}
        for command_id in ("key", "source", "defects"):
            button = QToolButton()
            button.setProperty("look", "flat")
            button.setFont(theme.font(theme.SMALL_PX))
            button.clicked.connect(self.context.actions.action(command_id).trigger)
            self._toggle_buttons[command_id] = button
            line.addWidget(button)
        line.addStretch(1)
        return line

    # -- showing ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Claim the first item, or read how far we are when one is on the page already."""
        self.queue.begin()

    def wrote(self, writer: QObject | None) -> bool:
        """The cards turn by themselves after a decision."""
        return writer is self or writer is self.queue

    def _on_benchmark(self, name: str) -> None:
        self.queue.forget()
        self.strip.clear()
        super()._on_benchmark(name)

    def _measure(self) -> int:
        return self.page.measure

    def _put(self, queued: QueuedCard) -> None:
        """Put a card on the page."""
        if queued is self.queue.current:
            self._choosing = ""
            self.decision.ask_reason(False)
            if self.decision.text and (queued.shown_at == 0.0 or queued.card.number != self._noted):
                self.decision.note.clear()
            self._noted = queued.card.number
        self._stack.setCurrentIndex(0)
        document = queued.document or card_document(
            queued.text, self.context.colours, self._measure()
        )
        queued.document = None
        self.page.turn_to(document, queued.card.number)
        queued.shown_at = queued.shown_at or time.monotonic()
        self._show_state()

    def _after_turn(self) -> None:
        """The item is painted first; what stands around it, and the next claim, come after."""
        decided, self._decided = self._decided, None
        if decided is not None:
            self.strip.show_decided(decided)
            verdict = labels.word(labels.VERDICT_NAMES, decided.verdict)
            self.context.undo_changed.emit(
                tr("{verdict} #{number}", verdict=verdict, number=decided.number)
            )
        self._show_queue()
        self.queue.fetch()

    def _redraw(self) -> None:
        if (queued := self.queue.shown) is not None:
            place = self.page.verticalScrollBar().value()
            document = card_document(queued.text, self.context.colours, self._measure())
            self.page.turn_to(document, queued.card.number)
            self.page.verticalScrollBar().setValue(place)
            self._show_state()

    def _show_queue(self) -> None:
        queued, queue = self.queue.shown, self.queue
        self.queue_column.list.show_rows(queue.listed(), queued.card.number if queued else 0)
        self.queue_column.show_counts(queued.card.task if queued else "", queue.done, queue.left)

    def _show_state(self) -> None:
        queued = self.queue.shown
        if queued is not None:
            key, buttons = self.context.actions.key_text, self._toggle_buttons
            buttons["key"].setText(self._key_words(queued))
            buttons["key"].setVisible(family(queued.card.family).hides_key)
            buttons["source"].setText(tr("[{key}] source in article", key=key("source")))
            buttons["defects"].setText(
                tr("[{key}] defects {count}", key=key("defects"), count=len(queued.card.defects))
            )
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
        if self.queue.past is not None:
            verdict = labels.word(labels.VERDICTS, queued.card.already or "skip")
            text = tr("You have decided on this item: {verdict}. Undo takes back your latest "
                      "decision.",
                      verdict=verdict)  # fmt: skip
            ink = "muted"
        elif self._choosing:
            text, ink = self._asks("leave-note", "hand-in")
        elif queued.card.barred:
            why = labels.word({}, queued.card.barred)
            text = tr("Cannot be accepted: generated {why}.", why=why)
        self.decision.hint(text, ink)

    def _show_empty(self) -> None:
        self._after_turn()
        self._way_out = ""
        if self.context.benchmark:
            self._say_nothing_left(NothingToReview())
            work = partial(
                nothing_left.to_review,
                self.context.workspace,
                self.context.person.name,
                self.context.benchmark,
            )
            self.context.ask(
                self, work, self._say_nothing_left, topic="nothing left", lane="background"
            )
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

    def _say_nothing_left(self, why: NothingToReview) -> None:
        """Why there is nothing, and the one way on that this person has."""
        words, self._way_out = "", ""
        if why.gate and "screen" in self.context.actions.bound():
            words, self._way_out = tr("Start screening…"), "screen"
        elif self.context.may(Action.SEE_QUALITY):
            words, self._way_out = tr("Show agreement"), "agreement"
        decided = trn("You decided on 1 item.", "You decided on {n} items.", self.queue.done)
        said = (decided, *why.sentences(), tr("New items will appear here."))
        self.empty.say(
            tr("You have no items left to review in {benchmark}.",
               benchmark=self.context.benchmark),
            "\n".join(said),
            words,
        )  # fmt: skip

    def _on_empty_pressed(self) -> None:
        if self._way_out == "screen":
            self.context.actions.action("screen").trigger()
        else:
            self.context.go_to(self._way_out)

    # -- deciding ---------------------------------------------------------------------------

    def has_page(self) -> bool:
        """Whether an item is on the page."""
        return self.queue.shown is not None

    def can_decide(self) -> bool:
        """Whether the item on the page waits for this person's decision."""
        return self.queue.open

    def listens(self) -> bool:
        """Whether a key that decides is taken, or is answered by why it is not."""
        return self.queue.open or self.queue.coming

    def _accepts_key(self) -> bool:
        queue = self.queue
        queued = None if queue.bringing else queue.current
        number = queued.card.number if queued is not None else 0
        return queue.past is None and self.key_guard.takes(number, queue.writing)

    def _decide(self, verdict: str, reason: str = "") -> None:
        self._wrote_note = leave(self.decision.note, self.page)
        self.queue.decide(verdict, reason, self.decision.text)

    def skip_item(self) -> None:
        """Give the item back undecided."""
        if self._accepts_key():
            self._wrote_note = False
            self.queue.skip()

    def leave_note(self) -> None:
        """Back from the note or the reasons; what was written stays."""
        self._choose("")
        if self.queue.past is not None:
            self.queue.back_to_current()
        self.page.setFocus()

    def _on_decided(self, decided: CommittedDecision) -> None:
        self._wrote_note = False
        self._decided = decided

    def _on_skipped(self) -> None:
        self.strip.clear()

    def _on_refused(self, sentence: str) -> None:
        """Nothing was written: the item stays, and so does the note."""
        self.context.complain(sentence)
        if self._wrote_note:
            self._wrote_note = False
            self.decision.note.setFocus()
        self._show_state()

    def take(self, argument: Any) -> None:
        """A decision was taken back: its item comes to the front again."""
        undone: Undone = argument
        self.strip.clear()
        self.queue.bring_back(undone.number)

    # -- looking ----------------------------------------------------------------------------

    def toggle_key(self) -> None:
        """Show or hide the key of the item on the page."""
        if (queued := self.queue.shown) is not None:
            queued.text = replace(queued.text, key=not queued.text.key)
            self._redraw()

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
