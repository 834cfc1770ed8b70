"""Adjudicate: what reviewers disagree about, both reasons without names, one key to decide."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QStackedLayout, QWidget

from core.i18n import tr, trn
from core.workflow.check import adjudicate, nothing_left, review
from core.workflow.check.adjudicate import Adjudicated, DisputedCard
from core.workflow.check.nothing_left import NothingToAdjudicate
from core.workflow.check.outbox import KeptDecision
from core.workflow.check.review import PeerDecision
from core.workflow.items.search import ItemLine
from core.workflow.rights import Action
from core.workflow.workspace import Workspace
from gui import i18n, labels, theme
from gui.context import WindowContext
from gui.documents import write_item
from gui.documents.item_card import origin
from gui.documents.writer import Writer, is_chinese
from gui.panels.key_guard import KeyGuard, leave
from gui.panels.verdict_panel import VerdictPanel
from gui.theme import Tokens
from gui.widgets.elements import column, frame, label, row, rule
from gui.widgets.empty import EmptyState
from gui.widgets.guideline import GuidelineColumn, guideline_button
from gui.widgets.name_list import NameList
from gui.widgets.note_keeper import NoteKeeper
from gui.widgets.page import ItemPage
from gui.widgets.verdict_column import VerdictButton, VerdictColumn


@dataclass(frozen=True, slots=True)
class _Read:
    lines: tuple[ItemLine, ...]
    card: DisputedCard | None
    barred: NothingToAdjudicate = field(default_factory=NothingToAdjudicate)
    to_review: int = 0
    """Where nothing is disputed: how many items wait for this person's review."""


def _read(ws: Workspace, person: str, benchmark: str, number: int) -> _Read:
    lines = adjudicate.disputed(ws, person, benchmark)
    numbers = [line.id for line in lines]
    chosen = number if number in numbers else (numbers[0] if numbers else 0)
    if not chosen:
        barred = nothing_left.to_adjudicate(ws, person, benchmark)
        return _Read(lines, None, barred, review.queue(ws, person, benchmark).left)
    return _Read(lines, adjudicate.disputed_card(ws, person, chosen))


def _read_one(ws: Workspace, person: str, benchmark: str, number: int) -> _Read:
    """With that item in front; raises what ``adjudicate.disputed_card`` raises."""
    adjudicate.disputed_card(ws, person, number)
    return _read(ws, person, benchmark, number)


def disputed_document(
    disputed: DisputedCard, key: bool, colours: Tokens, width: int
) -> QTextDocument:
    """The item, and under it what each reviewer said, in an order that tells nothing."""
    card = disputed.card
    text = " ".join(map(str, card.content.payload.values()))
    writer = Writer(colours, chinese=is_chinese(text))
    writer.masthead(origin(card.content), f"#{card.number}", width)
    write_item(writer, card.content, key)
    writer.title(tr("Reviewers' decisions"), before=20)
    for opinion in disputed.opinions:
        _write_opinion(writer, opinion)
    writer.block(after=16)
    return writer.finish(width)


def _write_opinion(writer: Writer, opinion: PeerDecision) -> None:
    inks = {**writer.colours.inks, "return": writer.colours.returned}
    ink = inks[labels.ink_of(opinion.verdict)]
    verdict = labels.word(labels.VERDICTS, opinion.verdict)
    why = [labels.word(labels.REASONS, opinion.reason) if opinion.reason else "", opinion.note]
    reasons = " · ".join(part for part in why if part.strip())
    writer.block(after=6, indent=96).text(f"{verdict}\t", writer.ink(ink, bold=True))
    if reasons:
        writer.text(reasons)
    else:
        writer.text(tr("no reason given"), writer.ink(writer.colours.muted))


class AdjudicatePanel(VerdictPanel):
    """The disputed items, the one in front with both reasons, and the decision."""

    topics = ("items", "decisions", "benchmarks")

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._lines: tuple[ItemLine, ...] = ()
        self._card: DisputedCard | None = None
        self._loaded = False
        self._wanted = 0
        self._writing = self._moving = False
        self._way_out = ""
        self._key = False
        self._shown_at = 0.0
        self.page = ItemPage()
        self.key_guard = KeyGuard(context, self.page, self._show_hint)
        self._bind()
        self._build()

    def _bind(self) -> None:
        bind = self.context.actions.bind
        bind("settle-accept", self, self.accept_item, self.listens)
        bind("settle-reject", self, self.begin_reject, self.listens)
        for digit in range(1, 10):
            run = partial(self.reject_by_digit, digit)
            bind(f"settle-reason-{digit}", self, run, self.is_choosing_reason)
        bind("settle-return", self, self.return_item, self.listens)
        bind("settle-hand-in", self, self.hand_in, self.listens)
        bind("settle-leave", self, self.leave)
        bind("settle-key", self, self.toggle_key, self.can_decide)
        bind("settle-next", self, partial(self.step, 1), self.can_decide)
        bind("settle-previous", self, partial(self.step, -1), self.can_decide)

    def _build(self) -> None:
        colours = self.context.colours
        left = frame("side")
        left.setFixedWidth(208)
        inner = column(left, margin=16, spacing=6)
        self._count = label("", bold=True, wrap=True)
        self.list = NameList(tr("Disputed items"))
        self.list.setFont(theme.font(14))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.list.currentRowChanged.connect(self._on_row)
        inner.addWidget(self._count)
        inner.addWidget(self.list, 1)
        inner.addWidget(guideline_button(self.context))
        self.decision = VerdictColumn(
            self.context.actions,
            (
                VerdictButton("settle-accept", tr("Accept"), colours.accept),
                VerdictButton("settle-reject", tr("Reject ▸"), colours.reject),
                VerdictButton("settle-return", tr("Return…"), colours.returned),
            ),
            (),  # those of the task come with its first item
            tr("Note"),
        )
        self.decision.reason_chosen.connect(self.reject_for)
        self.notes = NoteKeeper(self.context, "adjudicate", self.decision.note, self)
        work = QWidget()
        columns = row(work, spacing=0)
        self.guideline = GuidelineColumn(self.context, self, left)
        for part in (
            self.guideline, left, rule("column"), self.page, rule("column"), self.decision
        ):  # fmt: skip
            columns.addWidget(part, 1 if part is self.page else 0)
        self.empty = EmptyState()
        self.empty.pressed.connect(self._on_empty_pressed)
        self.context.link.back.connect(self._on_back)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(work)
        self._stack.addWidget(self.empty)

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the disputed items and the one in front."""
        if not self.context.benchmark:
            self._on_read(_Read((), None))
            return
        here = self._card.card.number if self._card else 0
        self._ask(self._wanted if self._moving else here)

    def _on_benchmark(self, name: str) -> None:
        self._card = None
        super()._on_benchmark(name)

    def take(self, argument: Any) -> None:
        """Bring the item with this number to the front, or say why it is not to be settled here."""
        context = self.context
        self._moving = True
        self.notes.read_again()
        work = partial(
            _read_one, context.workspace, context.person.name, context.benchmark, int(argument)
        )
        context.ask(self, work, self._on_read, self._on_refused, topic="disputed")

    def _ask(self, number: int) -> None:
        self._wanted = number
        context = self.context
        work = partial(_read, context.workspace, context.person.name, context.benchmark, number)
        context.ask(self, work, self._on_read, context.complain, topic="disputed")

    def _on_read(self, read: _Read) -> None:
        self._loaded = True
        self._lines = read.lines
        before = self._card
        moving, self._moving = self._moving, False
        if moving or before is None or _is_same(before, read.card):
            self._card = read.card
        self._show_list()
        if self._card is None:
            self._say_nothing(read)
            self._stack.setCurrentIndex(1)
        else:
            self._stack.setCurrentIndex(0)
            if not _is_same(self._card, before):
                self._shown_at = time.monotonic()
                self._choosing, self._key = "", False
                leave(self.decision.note, self.page)  # what was refused has gone, keys are for this
                self.notes.show_item(self._card.card.number)
            self._draw()
        self._show_state()

    def _say_nothing(self, read: _Read) -> None:
        """Nothing is disputed, or nothing that this person may settle; and where one goes on."""
        to_team = bool(read.barred.total) and self.context.may(Action.CHANGE_PEOPLE)
        words = tr("Show my work")
        self._way_out = "my_work"
        if to_team:
            self._way_out, words = "team", tr("Show the team")
        elif read.to_review:
            self._way_out = "review"
            words = trn("Review 1 item", "Review {n} items", read.to_review)
        elif self.context.may(Action.AUDIT):
            self._way_out, words = "audit", tr("Show audits")
        if read.barred.total:
            says = "\n".join(read.barred.sentences())
            self.empty.say(tr("No items for you to adjudicate."), says, words)
            return
        self.empty.say(
            tr("No disputed items."),
            tr("Items on which reviewers disagree appear here with both reasons, to be "
                "decided by someone who neither wrote nor reviewed them."), words,
        )  # fmt: skip

    def _on_empty_pressed(self) -> None:
        if self._way_out:
            self.context.go_to(self._way_out)
        else:
            self.context.link.try_now()

    def _show_list(self) -> None:
        here = self._card.card.number if self._card else 0
        blocked = self.list.blockSignals(True)
        self.list.clear()
        for index, line in enumerate(self._lines):
            self.list.add_name(f"#{line.id}  {line.task}")
            if line.id == here:
                self.list.setCurrentRow(index)
        self.list.blockSignals(blocked)
        self._count.setText(tr("{count} to adjudicate", count=i18n.number(len(self._lines))))

    def _draw(self) -> None:
        if self._card is not None:
            measure = self.page.measure
            document = disputed_document(self._card, self._key, self.context.colours, measure)
            self.page.turn_to(document, self._card.card.number)

    def _show_state(self) -> None:
        if self._card is not None:
            self.decision.show_reasons(self._card.card.reasons)
        self.guideline.show_task(self.task())
        self.decision.allow(self.can_decide())
        self.decision.ask_reason(self._choosing == "reason")
        self._show_hint()
        self.context.actions.update()

    def _show_hint(self) -> None:
        hint, ink = self.key_guard.refusal, "reject"
        if not hint:
            hint, ink = self._asks("settle-leave", "settle-hand-in")
        if not hint and self._card is not None and self._card.card.barred:
            why = labels.word(labels.BARRED, self._card.card.barred)
            hint = tr("Cannot be accepted: generated {why}.", why=why)
        self.decision.hint(hint, ink)

    def _on_row(self, index: int) -> None:
        if 0 <= index < len(self._lines) and not self._writing:
            self._moving = True
            self._ask(self._lines[index].id)

    def step(self, by: int) -> None:
        """One up or down in the list."""
        wanted = self.list.currentRow() + by
        if 0 <= wanted < self.list.count():
            self.list.setCurrentRow(wanted)

    def task(self) -> str:
        """The task of the item in front."""
        return self._card.card.task if self._card is not None else ""

    def item(self) -> int:
        """The item in front."""
        return self._card.card.number if self._card is not None else 0

    def reading(self) -> ItemPage | None:
        """The page of the item."""
        return self.page if self._card is not None else None

    # -- deciding ---------------------------------------------------------------------------

    def can_decide(self) -> bool:
        """Whether a disputed item is on the page."""
        return self._card is not None and not self._writing

    def listens(self) -> bool:
        """Whether a key that decides is taken, or is answered by why it is not."""
        return self._card is not None or self._writing or self._moving

    def _accepts_key(self) -> bool:
        number = self._card.card.number if self._card is not None and not self._moving else 0
        return self.key_guard.takes(number, self._writing)

    def leave(self) -> None:
        """Back from the note or the reasons; what was written stays."""
        self._choose("")
        self.page.setFocus()

    def toggle_key(self) -> None:
        """Show or hide the key."""
        self._key = not self._key
        self._draw()
        self.page.show_mark("key")

    def _decide(self, verdict: str, reason: str = "") -> None:
        if not self._accepts_key() or self._card is None:
            return
        self._writing = True
        self._wrote_note = leave(self.decision.note, self.page)
        context = self.context
        card = self._card.card
        said = {"reason": reason, "note": self.decision.text, "revision": card.revision,
                "decisions": self._card.decisions,
                "seconds": time.monotonic() - self._shown_at}  # fmt: skip
        deed: Callable[..., Any] = context.link.adjudicate
        if not context.link.keeps:
            deed = partial(adjudicate.settle, context.workspace, context.person.name)
        context.write(self, partial(deed, card.number, verdict, **said), self._on_settled,
                      self._on_refused, kept=context.link.keeps)  # fmt: skip
        self._show_state()

    def _on_settled(self, settled: Adjudicated | KeptDecision) -> None:
        self._writing = self._wrote_note = False
        self.notes.forget()
        if isinstance(settled, KeptDecision):
            self._on_kept(settled)
            return
        self._card, self._moving = None, True
        undo_text = tr(
            "{verdict} #{number}",
            verdict=labels.word(labels.VERDICT_NAMES, settled.verdict),
            number=settled.number,
        )
        self.context.undo_changed.emit(undo_text)
        following = [line.id for line in self._lines if line.id > settled.number]
        self._ask(following[0] if following else 0)

    def _on_kept(self, kept: KeptDecision) -> None:
        """It waits on this computer; the next one is read when the server is back."""
        self._card, self._moving = None, False
        self._lines = tuple(line for line in self._lines if line.id != kept.number)
        self.context.link.keep(kept)
        self._way_out = ""
        self.empty.say_away(self.context.link.waiting)
        self._stack.setCurrentIndex(1)
        self._show_list()
        self._show_state()

    def _on_back(self, _report: object) -> None:
        if self._card is None:
            self.spoil()

    def _on_refused(self, sentence: str) -> None:
        """Nothing was written: an item that still waits keeps its note."""
        self._writing = False
        self._moving = True
        self._wanted = self._card.card.number if self._card else 0
        self.context.complain(sentence)
        if self._wrote_note:
            self._wrote_note = False
            self.decision.note.setFocus()
        self.refresh()

    def ready(self) -> bool:
        """Whether the item in front is on the page."""
        in_sight = self._card is None or self.page.in_sight == self._card.card.number
        waits = self.stale or self._writing or self._moving
        return not waits and self._loaded and in_sight


def _is_same(one: DisputedCard | None, other: DisputedCard | None) -> bool:
    """Whether both show the same words of the same item."""
    if one is None or other is None:
        return one is other
    return (one.card.number, one.card.revision) == (other.card.number, other.card.revision)
