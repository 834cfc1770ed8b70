"""Rate: drawn items by a rubric, blind until one's own values are handed in."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QComboBox, QStackedLayout, QWidget

from core.errors import StateError
from core.families import family
from core.i18n import listed, tr, trn
from core.workflow import tasks
from core.workflow.check import rate
from core.workflow.check.outbox import KeptDecision
from core.workflow.check.rate import CommittedRatings, OwnRatings, RatingCard, Sample
from core.workflow.items.undo import Undone
from core.workflow.protocols import settings_of
from core.workflow.rights import Action
from core.workflow.rubrics import Rubric
from core.workflow.workspace import Workspace
from gui import i18n, labels, theme
from gui.context import WindowContext
from gui.documents.item_card import CardText, card_document
from gui.panels.base import ItemPanel
from gui.panels.key_guard import KeyGuard
from gui.panels.rate.rubric import RubricColumn
from gui.widgets.elements import OneLine, column, frame, row, rule, tip
from gui.widgets.empty import EmptyState
from gui.widgets.guideline import GuidelineColumn, guideline_button
from gui.widgets.note_keeper import NoteKeeper
from gui.widgets.page import ItemPage
from gui.widgets.steady_fields import ChoiceBox

_STRIP = 32
_WIDEST = 940


@dataclass(frozen=True, slots=True)
class _Read:
    tasks: tuple[str, ...]
    task: str
    sample: Sample | None
    card: RatingCard | None
    own: OwnRatings | None = None


def _read(ws: Workspace, person: str, benchmark: str, task: str, wanted: int) -> _Read:
    task = rate.rating_card(ws, person, wanted).card.task if wanted else task
    names = tuple(
        row.name
        for row in tasks.uncounted(ws, benchmark)
        if settings_of(row.protocol).rating_sample > 0
    )
    if not names:
        return _Read((), "", None, None)
    chosen = task if task in names else rate.first_waiting(ws, person, benchmark) or names[0]
    try:
        sample = rate.sample(ws, chosen, benchmark)
    except StateError:  # nothing is drawn yet, which the panel says
        return _Read(names, chosen, None, None, OwnRatings(0, 0, ""))
    card = rate.next_card(ws, chosen, person, benchmark, wanted)
    return _Read(names, chosen, sample, card, rate.own_ratings(ws, chosen, person, benchmark))


class RatePanel(ItemPanel):
    """The drawn item, the rubric beside it, and what others said once one has handed in."""

    topics = ("items", "decisions", "benchmarks")

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._read: _Read | None = None
        self._task = ""
        self._wanted = 0
        self._undone: Undone | None = None
        self._card: RatingCard | None = None
        self._writing = self._semantic = self._moving = self._halted = False
        self._shown_at = 0.0
        self.page = ItemPage(widest=_WIDEST)
        self.key_guard = KeyGuard(context, self.page, self._show_hint)
        self.rubric = RubricColumn()
        self.comments = NoteKeeper(context, "rate", self.rubric.note, self)
        self._bind()
        self._build()

    def _bind(self) -> None:
        bind = self.context.actions.bind
        for digit in range(10):
            bind(f"rate-{digit}", self, partial(self.press, digit), self.listens)
        bind("rate-hand-in", self, self.hand_in, self.listens)
        bind("rate-comment", self, self.rubric.note.setFocus, self.can_rate)
        bind("rate-leave", self, self.rubric.begin, self.can_rate)
        bind("rate-semantic", self, self.toggle_semantic, self.can_rate)
        bind("rate-draw", self, self.draw, self.can_draw)

    def _build(self) -> None:
        middle = frame("paper")
        inner = column(middle, spacing=0)
        self.tasks = ChoiceBox()
        self.tasks.setAccessibleName(tr("Task"))
        self.tasks.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.tasks.setMaximumWidth(420)
        self.tasks.activated.connect(self._on_task)
        self.progress = OneLine()
        self.progress.setFont(theme.font(theme.SMALL_PX))
        self.progress.setProperty("ink", "muted")
        self._head = QWidget()
        head = row(self._head, spacing=12)
        head.setContentsMargins(24, 10, 24, 6)
        head.addWidget(self.tasks)
        head.addWidget(self.progress, 1)
        head.addWidget(guideline_button(self.context))
        inner.addWidget(self._head)
        self.empty = EmptyState()
        body = QWidget()  # a stack that shares its place with others reorders them for readers
        self._stack = QStackedLayout(body)
        inner.addWidget(body, 1)  # first: what it shows would be a window of its own
        self._stack.addWidget(self.page)
        self._stack.addWidget(self.empty)
        self.strip = frame("strip")
        line = row(self.strip)
        line.setContentsMargins(24, 0, 24, 0)
        self.strip.setFixedHeight(_STRIP)  # also while it says nothing: what stands above stays
        self.says = OneLine()
        self.says.setFont(theme.font(theme.SMALL_PX))
        self.says.setProperty("ink", "muted")
        line.addWidget(self.says)
        inner.addWidget(self.strip)
        columns = row(self, spacing=0)
        self.guideline = GuidelineColumn(self.context, self, None, reasons=False)
        columns.addWidget(self.guideline)
        columns.addWidget(middle, 1)
        self._edge = rule("column")
        columns.addWidget(self._edge)
        columns.addWidget(self.rubric)
        self._show_page(False)
        self.empty.pressed.connect(self._on_empty_pressed)
        self.context.link.back.connect(self._on_back)
        self.rubric.changed.connect(self._show_state)
        self.rubric.submit.clicked.connect(self.context.actions.action("rate-hand-in").trigger)

    def _show_page(self, there: bool) -> None:
        """The item with its rubric, or why there is none; the tasks and what others said stay."""
        self._stack.setCurrentIndex(0 if there else 1)
        if not there and self.rubric.isAncestorOf(self.window().focusWidget() or self):
            self.setFocus()  # else the choice of tasks would get the keys
        for part in (self._edge, self.rubric):
            part.setVisible(there)
        self._head.setVisible(there or self.tasks.count() > 0)

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the sample and the next item to rate; the one on the page stays."""
        self._moving = self._moving or self._card is None
        if not self.context.benchmark:
            self._on_read(_Read((), "", None, None))
            return
        context = self.context
        work = partial(_read, context.workspace, context.person.name, context.benchmark,
                       self._task, self._wanted)  # fmt: skip
        context.ask(self, work, self._on_read, self._on_not_read, topic="rating")

    def _on_not_read(self, sentence: str) -> None:
        """An item that is still being rated stays; else why there is none stands in its place."""
        if self._card is not None or self.context.link.is_lost:
            self.context.complain(sentence)
            return
        self._moving, self._halted = False, True
        self.empty.say_halted(sentence)
        self._show_page(False)
        self._show_state()

    def _on_benchmark(self, name: str) -> None:
        self._leave()
        self._task = ""
        super()._on_benchmark(name)

    def _on_task(self) -> None:
        self._task = self.tasks.currentText()
        self._leave()
        self.refresh()

    def _leave(self) -> None:
        """The item on the page is done with, or not this person's any more."""
        self._card = None
        self._moving = True

    def _on_read(self, read: _Read) -> None:
        self._read, self._task = read, read.task
        names = [self.tasks.itemText(index) for index in range(self.tasks.count())]
        if names != list(read.tasks):
            self.tasks.clear()
            self.tasks.addItems(list(read.tasks))
        self.tasks.setCurrentText(read.task)
        moving, self._moving, self._wanted = self._moving, False, 0
        self._halted = False
        if self._card is None or moving:
            self._take(read)
        self.progress.setText(_progress(read))
        self.progress.setToolTip(tip(self.progress.text()))
        self._show_state()

    def _take(self, read: _Read) -> None:
        """Put what was claimed on the page; the item that stands there keeps its values."""
        before, card = self._card, read.card
        if card is None:
            self._card = None
            self._show_empty(read)
            return
        self._show_page(True)
        if before is not None and _waiting(before) == _waiting(card):
            return
        self._card = card
        self._semantic = False
        self._shown_at = time.monotonic()
        undone, self._undone = self._undone, None
        taken_back = undone.values if undone and undone.number == card.card.number else {}
        self.rubric.show_rubric(card.rubric, taken_back)
        self.comments.show_item(card.card.number)
        self._draw()
        if self.isVisible():
            self.rubric.begin()

    def _show_empty(self, read: _Read) -> None:
        if not read.tasks:
            self.empty.say(
                tr("Nothing to rate."),
                tr("Tasks whose protocol samples items for rating, such as rewrites, appear here."),
            )
        elif read.sample is None:
            allowed = self.context.may(Action.DRAW_RATING_SAMPLE)
            self.empty.say(
                tr("No items of {task} have been drawn yet.", task=read.task),
                tr("A researcher draws a random sample, and all raters rate the same items."),
                tr("Draw items for rating") if allowed else "",
            )
        else:
            self.empty.say(
                tr("You have no items left to rate in {task}.", task=read.task),
                tr("Items that you wrote or that already have all their raters are left out."),
                self._way_on(read.own),
            )
        self._show_page(False)

    @staticmethod
    def _way_on(own: OwnRatings | None) -> str:
        """To another task that waits, else to what one rated, if there is anything."""
        if own is not None and own.elsewhere:
            return tr("Rate {task}", task=own.elsewhere)
        return tr("Show my work") if own is not None and own.rated else ""

    def take(self, argument: Any) -> None:
        """Ratings were taken back, and stand as they were given until they are handed in again;
        or the item with this number comes to the front."""
        self._say_others("")
        self.comments.read_again()
        if isinstance(argument, Undone):
            self._undone = argument
            argument = argument.number
        self._wanted = int(argument)
        self._leave()
        self.refresh()

    def task(self) -> str:
        """The task that is rated."""
        return self._task

    def item(self) -> int:
        """The item in front."""
        return self._card.card.number if self._card is not None else 0

    def reading(self) -> ItemPage | None:
        """The page of the item."""
        return self.page if self._card is not None else None

    def _draw(self) -> None:
        if self._card is not None:
            card = self._card.card
            text = CardText(card.number, card.content, key=self._semantic)
            document = card_document(text, self.context.colours, self.page.measure)
            self.page.turn_to(document, card.number)

    def _show_state(self) -> None:
        self.guideline.show_task(self._task)
        key = self.context.actions.key_text("rate-hand-in")
        self.rubric.submit.setText(tr("Submit  {key}", key=key))
        self.rubric.submit.setEnabled(self.can_rate() and self.rubric.complete)
        self._show_hint()
        self.context.actions.update()

    def _show_hint(self) -> None:
        refusal = self.key_guard.refusal
        self.rubric.say(refusal or self._help(), "reject" if refusal else "muted")

    def _help(self) -> str:
        keys = self.context.actions.key_text
        comment, key = keys("rate-comment"), keys("rate-semantic")
        content = self._card.card.content if self._card is not None else None
        if content is not None and not family(content.family).hides_key:
            return tr("Press a digit to rate; the next criterion follows. {comment} writes a "
                      "comment.", comment=comment)  # fmt: skip
        if content is not None and content.family != "rewrite":
            return tr("Press a digit to rate; the next criterion follows. {comment} writes a "
                      "comment, {key} shows the answer key.", comment=comment, key=key)  # fmt: skip
        return tr("Press a digit to rate; the next criterion follows. {comment} writes a comment, "
                  "{key} shows the semantic rewrite.", comment=comment, key=key)  # fmt: skip

    def pause(self) -> None:
        """Something else comes to the front, or the window goes: the comment is kept."""
        self.comments.keep()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Hand the keys on to the first criterion without a value."""
        super().focusInEvent(event)
        if self._card is not None:
            self.rubric.begin()

    # -- rating -----------------------------------------------------------------------------

    def can_rate(self) -> bool:
        """Whether an item waits for this person's ratings."""
        return self._card is not None and not self._writing

    def listens(self) -> bool:
        """Whether a key that rates is taken, or is answered by why it is not."""
        return self._card is not None or self._writing or self._moving

    def _accepts_key(self) -> bool:
        number = self._card.card.number if self._card is not None else 0
        return self.key_guard.takes(number, self._writing)

    def can_draw(self) -> bool:
        """Whether a sample can be drawn by this person now."""
        read = self._read
        allowed = self.context.may(Action.DRAW_RATING_SAMPLE)
        return allowed and read is not None and bool(read.task) and read.sample is None

    def press(self, digit: int) -> None:
        """Rate the criterion in front."""
        if self._accepts_key() and not self.rubric.press(digit):
            self.rubric.say(self.rubric.scale_words)

    def toggle_semantic(self) -> None:
        """Show or hide the semantic rewrite between the original and the update."""
        self._semantic = not self._semantic
        self._draw()

    def draw(self) -> None:
        """Draw the sample of the task in front."""
        if not self.can_draw():
            return
        context = self.context
        work = partial(
            rate.draw,
            context.workspace,
            self._task,
            context.person.name,
            benchmark=context.benchmark,
        )
        context.write(self, work, self._on_drawn, context.complain)

    def _on_drawn(self, _sample: Sample) -> None:
        self.refresh()

    def hand_in(self) -> None:
        """Commit one's values; only then others' are shown."""
        if not self._accepts_key() or self._card is None:
            return
        if not self.rubric.complete:
            self.rubric.say(tr("Rate every criterion first."))
            return
        context = self.context
        self._writing = True
        card = self._card.card
        said = {"comment": self.rubric.comment, "revision": card.revision,
                "seconds": time.monotonic() - self._shown_at}  # fmt: skip
        deed: Callable[..., Any] = context.link.rate
        if not context.link.keeps:
            deed = partial(rate.rate, context.workspace, context.person.name)
        work = partial(deed, card.number, self.rubric.values, **said)
        context.write(self, work, self._on_rated, self._on_refused, kept=context.link.keeps)
        self._show_state()

    def _on_rated(self, rated: CommittedRatings | KeptDecision) -> None:
        self._writing = False
        card = self._card
        self.comments.forget()
        self._leave()
        if isinstance(rated, KeptDecision):
            self._on_kept(rated)
            return
        if card is not None:
            self._say_others(_others(card, rated))
        self.context.undo_changed.emit(tr("rating #{number}", number=rated.number))
        self.refresh()

    def _say_others(self, words: str) -> None:
        self.says.setText(words)
        self.says.setToolTip(tip(words))

    def _on_kept(self, kept: KeptDecision) -> None:
        """They wait on this computer; what others gave is not known yet."""
        self._moving = False
        self._say_others("")
        self.context.link.keep(kept)
        self.empty.say_away(self.context.link.waiting)
        self._show_page(False)
        self._show_state()

    def _on_back(self, _report: object) -> None:
        if self._card is None:
            self.spoil()

    def _on_empty_pressed(self) -> None:
        if self.context.link.is_lost:
            self.context.link.try_now()
        elif self._halted:
            self.refresh()
        elif self.can_draw():
            self.draw()
        elif self._read is not None and self._read.own is not None and self._read.own.elsewhere:
            self._task = self._read.own.elsewhere
            self.refresh()
        else:
            self.context.go_to("my_work", "rated")

    def _on_refused(self, sentence: str) -> None:
        """Nothing was written: an item that still waits for this person keeps its values."""
        self._writing = False
        self._moving = True
        self.context.complain(sentence)
        self.refresh()

    def ready(self) -> bool:
        """Whether the item to rate is on the page."""
        in_sight = self._card is None or self.page.in_sight == self._card.card.number
        waits = self.stale or self._writing or self._moving
        return not waits and (self._halted or self._read is not None) and in_sight


def _progress(read: _Read) -> str:
    """How much one rated and has left, and how much all have done together."""
    if read.sample is None or read.own is None:
        return ""
    full = sum(count >= read.sample.raters for _, count in read.sample.items)
    return tr(
        "{own} · {whole}",
        own=trn("{rated} rated by you, 1 left", "{rated} rated by you, {n} left", read.own.left,
                rated=i18n.number(read.own.rated)),
        whole=trn(
            "{done} of 1 item rated by {raters}",
            "{done} of {n} items rated by {raters}",
            len(read.sample.items),
            done=i18n.number(full),
            raters=trn("1 rater", "{n} raters", read.sample.raters),
        ),
    )  # fmt: skip


def _waiting(card: RatingCard) -> tuple[int, int, Rubric]:
    """What values on the page are given to: another rubric asks for others."""
    return card.card.number, card.card.revision, card.rubric


def _others(card: RatingCard, rated: CommittedRatings) -> str:
    """What others gave the item just rated."""
    parts = [
        tr("{criterion} {values}", criterion=labels.criterion_title(criterion),
           values=listed(f"{value:g}" for value in rated.others[criterion.name]))
        for criterion in card.rubric.criteria
        if rated.others.get(criterion.name)
    ]  # fmt: skip
    parts += [tr("“{words}”", words=" ".join(words.split())) for words in rated.comments]
    if not parts:
        return tr("#{number} rated; no one else has rated it yet.", number=rated.number)
    return tr("#{number} rated. Other raters: {values}.", number=rated.number,
              values=" · ".join(parts))  # fmt: skip
