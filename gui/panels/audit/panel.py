"""Audit: the lots on the left, the drawn items one by one, the plan and its odds on the right."""

import time
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPushButton, QStackedLayout, QWidget

from core.audit.sampling import SamplingPlan
from core.i18n import tr, trn
from core.workflow import tasks
from core.workflow.audit import lead_view, lots
from core.workflow.audit.lots import AuditDecided, AuditStatus
from core.workflow.protocol_changes import ProtocolChange
from core.workflow.rights import Action
from gui import theme
from gui.context import WindowContext
from gui.documents.item_card import CardText, card_document
from gui.panels.audit.lot_list import NEW, LotList, LotListRow, LotView, read_lot, read_lots
from gui.panels.audit.odds import plan_words
from gui.panels.audit.outcome_page import end_document, lot_words
from gui.panels.audit.plan_box import PlanBox
from gui.panels.base import ItemPanel
from gui.panels.key_guard import KeyGuard, leave
from gui.widgets.elements import caption, column, frame, row, rule, scrolled
from gui.widgets.empty import EmptyState
from gui.widgets.guideline import GuidelineColumn, guideline_button
from gui.widgets.note_keeper import NoteKeeper
from gui.widgets.page import ItemPage
from gui.widgets.verdict_column import VerdictButton, VerdictColumn
from gui.widgets.wrapped_rows import WrappedRows

_NARROW = 1000


class AuditPanel(ItemPanel):
    """Lots, drawn items, and the plan."""

    topics = ("items", "decisions", "benchmarks")

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._rows: list[LotListRow] = []
        self._lot_row: LotListRow | None = None
        self._shown: LotView | None = None
        self._wanted: tuple[str, int] = ("", NEW)
        self._loaded = self._writing = self._reading = self._moving = False
        self._failing = self._key = self._wrote_note = False
        self._turn = 0  # raised by whatever makes an answer that was asked for before it too old
        self._plan: SamplingPlan | None = None
        self._shown_at = 0.0
        self.page = ItemPage()
        self.key_guard = KeyGuard(context, self.page, self._show_hint)
        self._bind()
        self._build()

    # -- building ---------------------------------------------------------------------------

    def _bind(self) -> None:
        bind = self.context.actions.bind
        bind("audit-pass", self, self.pass_item, self.listens)
        bind("audit-fail", self, self.fail_item, self.listens)
        bind("audit-hand-in", self, self.hand_in, self.listens)
        bind("audit-leave", self, self.leave)
        bind("audit-start", self, self.start, self.can_start)
        bind("audit-plan", self, self.next_plan, self._compares)
        bind("audit-choose", self, self.choose_plan, self.can_choose)
        bind("audit-key", self, self.toggle_key, self.can_decide)
        bind("audit-next", self, partial(self.step, 1), self._has_rows)
        bind("audit-previous", self, partial(self.step, -1), self._has_rows)

    def _build(self) -> None:
        self._left = left = frame("side")
        inner = column(left, margin=16, spacing=6)
        inner.addWidget(caption(tr("Lots")))
        self.list = QListWidget()
        self.list.setItemDelegate(WrappedRows(self.list))
        self.list.setFont(theme.font(14))
        self.list.setWordWrap(True)
        self.list.setSpacing(2)
        self.list.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.list.setAccessibleName(tr("Lots"))
        self.list.currentRowChanged.connect(self._on_row)
        inner.addWidget(self.list, 1)
        inner.addWidget(guideline_button(self.context))
        work = QWidget()
        columns = row(work, spacing=0)
        self.guideline = GuidelineColumn(self.context, self, left, reasons=False)
        for part in (
            self.guideline, left, rule("column"), self.page, rule("column"), self._right()
        ):  # fmt: skip
            columns.addWidget(part, 1 if part is self.page else 0)
        self.empty = EmptyState()
        self.empty.pressed.connect(partial(self.context.go_to, "review"))
        self._stack = QStackedLayout(self)
        self._stack.addWidget(work)
        self._stack.addWidget(self.empty)

    def _right(self) -> QWidget:
        colours = self.context.colours
        self.decision = VerdictColumn(
            self.context.actions,
            (
                VerdictButton("audit-pass", tr("Pass"), colours.accept),
                VerdictButton("audit-fail", tr("Fail…"), colours.reject),
            ),
            None,
            tr("What is wrong with this item"),
        )
        self.notes = NoteKeeper(self.context, "audit", self.decision.note, self)
        self._side = side = frame("side")
        inner = column(side, spacing=0)
        inner.addWidget(self.decision)
        inner.addWidget(rule())
        plan = QWidget()
        below = column(plan, margin=16, spacing=6)
        self.plan_box = PlanBox(colours)
        self.plan_box.compared.connect(self._compare_with)
        choose = self.context.actions.action("audit-choose").trigger
        self.plan_box.choose_button.clicked.connect(choose)
        below.addWidget(self.plan_box)
        below.addStretch(1)
        self.start_button = QPushButton()
        self.start_button.setProperty("look", "filled")
        self.start_button.clicked.connect(self.context.actions.action("audit-start").trigger)
        inner.addWidget(scrolled(plan), 1)
        foot = row()  # below what scrolls: it is what one came for
        foot.setContentsMargins(16, 8, 16, 16)
        foot.addWidget(self.start_button)
        inner.addLayout(foot)
        return side

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The item keeps a readable measure: in a narrow window the columns beside it give way."""
        super().resizeEvent(event)
        narrow = self.width() < _NARROW
        self._left.setFixedWidth(176 if narrow else 232)
        for part in (self._side, self.decision):
            part.setFixedWidth(248 if narrow else 296)

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the lots of every task."""
        if not self.context.benchmark:
            self._on_read(LotList((), 0))
            return
        context = self.context
        work = partial(
            read_lots, context.workspace, context.person.name, context.benchmark, self._wanted
        )
        context.ask(self, work, self._on_read, context.complain, topic="lots", lane="background")

    def _on_benchmark(self, name: str) -> None:
        self._lot_row = self._shown = None
        super()._on_benchmark(name)

    def _on_read(self, found: LotList) -> None:
        self._loaded = True
        self._rows = list(found.rows)
        if not self._rows:
            self._lot_row = self._shown = None
            self.empty.say(
                tr("Nothing to audit yet."),
                tr("A task's accepted items form a lot, from which a sample is drawn and audited."),
                tr("Review items"),
            )
            self._stack.setCurrentIndex(1)
            self.context.actions.update()
            return
        self._stack.setCurrentIndex(0)
        keys = [(entry.task.task, entry.lot) for entry in self._rows]
        index = keys.index(self._wanted) if self._wanted in keys else found.front
        blocked = self.list.blockSignals(True)
        self.list.clear()
        for entry in self._rows:
            self.list.addItem(QListWidgetItem(lot_words(entry.task, entry.info)))
        self.list.setCurrentRow(index)
        self.list.blockSignals(blocked)
        self._open(self._rows[index])

    def _on_row(self, index: int) -> None:
        if 0 <= index < len(self._rows) and not self._writing:
            self._plan = None
            self._failing = False
            self._moving = bool(self._number())
            self._open(self._rows[index])

    def step(self, by: int) -> None:
        """One up or down in the list."""
        wanted = self.list.currentRow() + by
        if 0 <= wanted < self.list.count():
            self.list.setCurrentRow(wanted)

    def _open(self, entry: LotListRow) -> None:
        self._lot_row = entry
        self._wanted = (entry.task.task, entry.lot)
        info = entry.info
        default_plan = (
            SamplingPlan(info.sample, info.allowed) if info and info.sample > info.allowed else None
        )
        plan = default_plan if info is not None else (self._plan or entry.task.plan)
        size = info.size if info is not None else entry.task.waiting
        self.plan_box.show_plan(plan)
        self._reading = True
        context = self.context
        work = partial(
            read_lot, context.workspace, context.person.name, context.benchmark, entry, plan, size
        )
        done = partial(self._on_shown, self._turn)
        context.ask(self, work, done, self._on_lost, topic="lot", lane="background")

    def _on_lost(self, sentence: str) -> None:
        self._reading = self._moving = False
        self.context.complain(sentence)

    def _on_shown(self, turn: int, shown: LotView) -> None:
        if turn != self._turn:
            return  # read before the newest decision; a later answer is on its way
        self._reading = False
        before = self._number()
        shown = self._kept(shown)
        self._moving = False
        self._shown = shown
        if shown.card is not None and shown.card.number != before:
            self._shown_at = time.monotonic()
            self._failing = self._key = False
            leave(self.decision.note, self.page)  # what was refused has gone, keys are for this
            self.notes.show_item(shown.card.number)
        self._draw()
        self.plan_box.show_odds(shown.odds)
        self._show_state()

    def _kept(self, shown: LotView) -> LotView:
        """What was read, with the item on the page kept there until something is done with it."""
        here = self._shown
        if self._moving or here is None or here.card is None or shown.card is None:
            return shown
        return replace(shown, card=here.card) if here.key == shown.key else shown

    def _number(self) -> int:
        return self._shown.card.number if self._shown and self._shown.card else 0

    def task(self) -> str:
        """The task of the lot in front."""
        return self._lot_row.task.task if self._lot_row is not None else ""

    def item(self) -> int:
        """The drawn item in front."""
        return self._number()

    def reading(self) -> ItemPage | None:
        """The page of the item, or of the lot."""
        return self.page if self._shown is not None else None

    def pause(self) -> None:
        """Something else comes to the front, or the window goes: the note is kept."""
        self.notes.keep()

    def take(self, _argument: Any) -> None:
        """A decision was taken back: its item may come to the front again."""
        self._turn += 1
        self._moving = True
        self.notes.read_again()
        self.refresh()

    def _draw(self) -> None:
        shown, at = self._shown, self._lot_row
        if shown is None or at is None:
            return
        colours, width = self.context.colours, self.page.measure
        if shown.card is not None:
            text = CardText(shown.card.number, shown.card.content, key=self._key)
            self.page.turn_to(card_document(text, colours, width), shown.card.number)
        else:
            self.page.turn_to(end_document(at.task, at.info, shown.who, colours, width))

    # -- the plan ---------------------------------------------------------------------------

    def _compare_with(self, plan: SamplingPlan) -> None:
        self._plan = plan
        if self._lot_row is not None:
            self._open(self._lot_row)

    def next_plan(self) -> None:
        """Look at the next of the usual plans; after the last the task's own is back."""
        task_plan = self._lot_row.task.plan if self._lot_row else None
        others = [plan for plan in lead_view.USUAL if plan != task_plan]
        plans = [*([task_plan] if task_plan else []), *others]
        now = self._plan or task_plan
        self._compare_with(plans[(plans.index(now) + 1) % len(plans) if now in plans else 0])

    def _compares(self) -> bool:
        return self._lot_row is not None and self._lot_row.lot == NEW and not self._writing

    def can_choose(self) -> bool:
        """Whether another plan than the task's is looked at, by somebody who may choose it."""
        if not self._compares() or self._lot_row is None or self._plan is None:
            return False
        return self._plan != self._lot_row.task.plan and self.context.may(Action.EDIT_PROTOCOL)

    def choose_plan(self) -> None:
        """Write the plan into the task's protocol."""
        if self._lot_row is None or self._plan is None or not self.can_choose():
            return
        values = {
            "audit_sample": str(self._plan.sample), "audit_allowed": str(self._plan.allowed)
        }  # fmt: skip
        context = self.context
        work = partial(
            tasks.set_protocol, context.workspace, self._lot_row.task.task, values,
            person=context.person.name, benchmark=context.benchmark,
        )  # fmt: skip
        self._writing = True
        context.write(self, work, self._on_chosen, self._on_refused)

    def _on_chosen(self, change: ProtocolChange) -> None:
        self._writing = False
        plan = SamplingPlan(change.settings.audit_sample, change.settings.audit_allowed)
        self.context.say(tr("Protocol changed: {plan}.", plan=plan_words(plan)))
        self.refresh()

    # -- starting and deciding --------------------------------------------------------------

    def _has_rows(self) -> bool:
        return bool(self._rows) and not self._writing

    def can_start(self) -> bool:
        """Whether what is accepted can become a lot, by the plan that is chosen."""
        shown, at = self._shown, self._lot_row
        in_sight = shown is not None and at is not None and shown.key == (at.task.task, at.lot)
        return in_sight and self._compares() and not self._failing

    def start(self) -> None:
        """Make a lot of what is accepted and draw its sample."""
        if self._lot_row is None or not self.can_start():
            return
        if self._plan is not None and self._plan != self._lot_row.task.plan:
            self.context.complain(
                tr("The task uses another plan. Ask a lead to choose this one, or press {key} "
                    "until the task's plan is shown again.",
                   key=self.context.actions.key_text("audit-plan"))
            )  # fmt: skip
            return
        context = self.context
        self._writing = True
        work = partial(
            lots.start, context.workspace, self._lot_row.task.task, context.person.name,
            benchmark=context.benchmark,
        )  # fmt: skip
        context.write(self, work, self._on_started, self._on_refused)

    def _on_started(self, status: AuditStatus) -> None:
        self._writing = False
        if status.lots:
            self._wanted = (status.task, status.lots[-1].id)
        self.page.setFocus()
        self.refresh()

    def can_decide(self) -> bool:
        """Whether a drawn item is on the page."""
        shown = self._shown
        return shown is not None and shown.card is not None and not self._writing

    def listens(self) -> bool:
        """Whether a key that decides is taken, or is answered by why it is not."""
        deciding = bool(self._number())
        return deciding or (self._moving and self.decision.isVisible())

    def _accepts_key(self) -> bool:
        return self.key_guard.takes(0 if self._moving else self._number(), self._writing)

    def pass_item(self) -> None:
        """The drawn item is in order."""
        self._decide("accept", "")

    def fail_item(self) -> None:
        """The drawn item is defective; asks for the reason first."""
        if not self._accepts_key():
            return
        if self.decision.text:
            self._decide("reject", self.decision.text)
        else:
            self._failing = True
            self.decision.note.setFocus()
            self._show_state()

    def hand_in(self) -> None:
        """Fail the item for the reason that was written."""
        if self._accepts_key() and self._failing and self.decision.text:
            self._decide("reject", self.decision.text)

    def leave(self) -> None:
        """Back from the reason; what was written stays."""
        self._failing = False
        self.page.setFocus()
        self._show_state()

    def toggle_key(self) -> None:
        """Show or hide the key."""
        self._key = not self._key
        self._draw()
        self.page.show_mark("key")

    def _decide(self, verdict: str, reason: str) -> None:
        if not self._accepts_key() or self._shown is None or self._shown.card is None:
            return
        self._writing = True
        self._wrote_note = leave(self.decision.note, self.page)
        context = self.context
        work = partial(
            lots.decide, context.workspace, context.person.name, self._shown.card.number, verdict,
            reason=reason, seconds=time.monotonic() - self._shown_at,
        )  # fmt: skip
        context.write(self, work, self._on_decided, self._on_refused)
        self._show_state()

    def _on_decided(self, done: AuditDecided) -> None:
        self._writing = self._failing = self._wrote_note = False
        self.notes.forget()
        self._turn += 1
        self._moving = True
        self.context.undo_changed.emit(tr("audit decision #{number}", number=done.number))
        if self._shown is not None:
            self._shown = replace(self._shown, card=None)
        self.refresh()

    def _on_refused(self, sentence: str) -> None:
        """Nothing was written: an item that still waits keeps its note."""
        self._writing = False
        self._turn += 1
        self._moving = bool(self._number())
        self.context.complain(sentence)
        if self._wrote_note:
            self._wrote_note = False
            self.decision.note.setFocus()
        self.refresh()

    def _show_state(self) -> None:
        self.guideline.show_task(self.task())
        deciding = self._shown is not None and self._shown.card is not None
        self.decision.setVisible(deciding)
        self.decision.allow(self.can_decide())
        self._show_hint()
        key = self.context.actions.key_text
        fresh = self._lot_row is not None and self._lot_row.lot == NEW
        self.plan_box.comparison.setVisible(fresh)
        self.start_button.setVisible(fresh)
        self.plan_box.choose_button.setVisible(self.context.may(Action.EDIT_PROTOCOL))
        if fresh and self._lot_row is not None:
            self.start_button.setText(
                trn(
                    "Start the audit of 1 item  {key}",
                    "Start the audit of {n} items  {key}",
                    self._lot_row.task.waiting,
                    key=key("audit-start"),
                )
            )
        self.start_button.setEnabled(self.can_start())
        self.plan_box.choose_button.setEnabled(self.can_choose())
        self.context.actions.update()

    def _show_hint(self) -> None:
        hint = self.key_guard.refusal
        if self._failing and not hint:
            key = self.context.actions.key_text("audit-hand-in")
            hint = tr("Describe what is wrong, then press {key} to fail the item.", key=key)
        self.decision.hint(hint, "reject")

    def ready(self) -> bool:
        """Whether the lot in front is on the page."""
        waits = self.stale or self._writing or self._reading or self._moving
        in_sight = self.page.in_sight == self._number()
        return not waits and self._loaded and in_sight
