"""Write: a task's form in the middle, saved while it is written; Ctrl+Enter hands in."""

from functools import partial
from typing import Any

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from core.families import family
from core.families.base import ItemContent
from core.families.languages import with_language
from core.i18n import listed, tr, trn
from core.workflow.production import write
from core.workflow.production.author_view import VARIANT, AuthorView, InstructionVariant
from core.workflow.production.write import ReturnedItem, SubmittedItem, known_by
from core.workflow.rights import Action
from gui import labels, theme
from gui.context import WindowContext
from gui.panels.base import Panel
from gui.panels.write import requests
from gui.panels.write.requests import DraftSlot, OpenedWork, WriteView
from gui.panels.write.task_column import TaskColumn, WriteEntry
from gui.panels.write.text_checker import CheckedText, TextChecker
from gui.timers import single_shot
from gui.widgets.chips import FlowLayout
from gui.widgets.elements import caption, column, frame, label, row, rule, set_ink
from gui.widgets.empty import EmptyState
from gui.widgets.form import FamilyForm
from gui.widgets.page import ItemPage

_SAVE_MS = 400
_NARROW = 1000  # pixels of the panel, below which what is written gets more of it
_TIGHT = 800  # and below which the task on the left gives way as well
_NOTHING = ("", "muted")
_STICKY = ("instruction", "instruction_id", "labels", "language")
"""What the next new item of a task begins with."""


class WritePanel(Panel):
    """The task, the form, and what is noticed while writing."""

    topics = ("items", "decisions", "benchmarks")

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._task = ""
        self._chosen: tuple[str, int] | None = None
        self._view: AuthorView | None = None
        self._loaded = False
        self._slot: DraftSlot | None = None
        self._kind = ""
        self._returned_item: ReturnedItem | None = None
        self._picking = False
        self._handing_in = self._dirty = self._begins = False
        self._wording = -1
        self._acknowledged = _NOTHING
        self._save_timer = single_shot(self, _SAVE_MS, self.save)
        self._build()
        self._bind()

    # -- building ---------------------------------------------------------------------------

    def _bind(self) -> None:
        bind = self.context.actions.bind
        bind("submit", self, self.submit, self.can_submit)
        bind("into-form", self, self.form.enter, self._has_form)
        bind("leave-form", self, self.leave_form)
        bind("new-item", self, self.new_item, self._writes_new)
        bind("next-entry", self, partial(self.left.step, 1), self._has_form)
        bind("previous-entry", self, partial(self.left.step, -1), self._has_form)
        bind("next-task", self, self.left.next_task, self._has_form)
        bind("wording", self, self.next_wording, self._takes_wording)
        bind("kind-of-item", self, self.other_kind, self._writes_new)
        bind("unchanged", self, self.hand_in_unchanged, self.can_stay_unchanged)
        actions = self.context.actions
        self._submit.clicked.connect(actions.action("submit").trigger)
        self._same.clicked.connect(actions.action("unchanged").trigger)
        self._other.clicked.connect(actions.action("kind-of-item").trigger)
        self._drop.clicked.connect(self.give_up)

    def _build(self) -> None:
        self.left = TaskColumn(self.context.colours)
        self.left.show_about(self.context.actions.action("task"))
        self.form = FamilyForm()
        self.page = ItemPage()
        self.check = TextChecker(self.context, self.page, self._checked_text, self)
        self.check.failed.connect(self._on_check_failed)
        middle = QWidget()
        inner = column(middle, spacing=0)
        self._title = label("", bold=True, wrap=True)
        self._other = QPushButton()
        self._other.setProperty("look", "flat")
        self._other.setFont(theme.font(theme.SMALL_PX))
        head = row(spacing=8)
        head.setContentsMargins(24, 14, 24, 0)
        head.addWidget(self._title, 1)
        head.addWidget(self._other)
        inner.addLayout(head)
        inner.addWidget(self.form, 1)
        inner.addWidget(rule())
        inner.addLayout(self._foot())
        self._right = right = frame("paper")
        column(right, spacing=0).addWidget(self.page)
        work = QWidget()
        columns = row(work, spacing=0)
        for part in (self.left, rule("column"), middle, rule("column"), right):
            columns.addWidget(part, 1 if part is middle else 0)
        self.empty = EmptyState()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(work)
        self._stack.addWidget(self.empty)
        self.empty.pressed.connect(partial(self.context.go_to, "new-task"))
        self.form.edited.connect(self._on_edited)
        self.form.refused.connect(self._on_typed_on)
        self.left.task_chosen.connect(self.choose_task)
        self.left.entry_chosen.connect(self.open_entry)
        self.left.wording_chosen.connect(self.take_wording)
        self.left.all_unchanged.connect(self.hand_in_all_unchanged)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What is written keeps a readable measure: what stands beside it gives way."""
        super().resizeEvent(event)
        tight = self.width() < _TIGHT
        self.left.setFixedWidth(200 if tight else 260)
        self._right.setFixedWidth(172 if tight else 216 if self.width() < _NARROW else 300)

    def _foot(self) -> QLayout:
        foot = QVBoxLayout()
        foot.setContentsMargins(24, 10, 24, 10)
        foot.setSpacing(6)
        line = FlowLayout(gap=8)
        self._submit = QPushButton()
        self._submit.setProperty("look", "filled")
        self._same = QPushButton(tr("Submit unchanged"))
        self._drop = QPushButton(tr("Discard draft"))
        self._drop.setProperty("look", "flat")
        self.says = caption()
        self.says.setWordWrap(True)
        for part in (self._submit, self._same, self._drop):
            line.addWidget(part)
        foot.addWidget(self.says)
        foot.addLayout(line)
        return foot

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the task in front; what is in the form stays."""
        if not self.context.benchmark:
            self._view, self._loaded = None, True
            self._show_empty()
            return
        context = self.context
        work = partial(
            requests.read, context.workspace, context.person.name, context.benchmark, self._task
        )
        context.ask(self, work, self._on_read, context.complain, topic="view", lane="background")

    def _on_benchmark(self, name: str) -> None:
        self.save()
        self._slot = None
        self._task = ""
        super()._on_benchmark(name)

    def _on_read(self, read: WriteView) -> None:
        self._view, self._loaded = read.view, True
        if read.view is None:
            self._show_empty()
            return
        self._stack.setCurrentIndex(0)
        self.left.show_tasks(read.tasks, read.view.task.name)
        self.left.show_view(read.view)
        self.left.show_elsewhere(*read.elsewhere)
        if self._task != read.view.task.name or self._slot is None:
            self._task = read.view.task.name
            self.check.forget_task()
            self._open_first()
        self._show_state()

    def _show_empty(self) -> None:
        may = self.context.may(Action.ADD_TASK)
        self.empty.say(
            tr("Nothing to write yet."),
            tr("A task says what is asked for: its guideline, its labels, how it is reviewed.")
            if may
            else tr("Tasks written by hand appear here once a lead adds them to the benchmark."),
            tr("New task…") if may else "",
        )
        self._stack.setCurrentIndex(1)
        self.context.actions.update()

    def _entries(self) -> list[WriteEntry]:
        if self._view is None:
            return []
        view = self._view
        entries = [
            WriteEntry("back", entry.number, known_by(entry.content.payload))
            for entry in view.returned
        ]
        entries += [WriteEntry("draft", entry.id, known_by(entry.payload)) for entry in view.drafts]
        slot = self._slot
        known = {entry.id for entry in view.drafts}
        if slot is not None and slot.key == ("draft", slot.draft) and slot.draft not in known:
            entries.append(WriteEntry("draft", slot.draft, known_by(self.form.payload())))
        if view.task.family == "instruction":
            entries.append(WriteEntry("new", 0, ""))
        return entries

    # -- what is in the form ----------------------------------------------------------------

    def _open_first(self) -> None:
        entries = self._entries()
        first = entries[0] if entries else WriteEntry("new", 0, "")
        chosen, self._chosen = self._chosen, None
        self.open_entry(chosen or (first.kind, first.number))

    def task(self) -> str:
        """The task that is written."""
        return self._task

    def take(self, argument: Any) -> None:
        """The task to write for, a draft or a returned item of it: (task, kind, number), or the
        number of one whose submission was taken back."""
        if isinstance(argument, str):
            self._begins = True
            self.choose_task(argument)
            return
        if isinstance(argument, int):
            context = self.context
            work = partial(requests.pick, context.workspace, context.person.name, "back", argument)
            context.ask(self, work, self._on_taken_back, self._on_unpicked, topic="pick")
            return
        task, kind, number = argument
        self._chosen = (kind, number)
        if self._view is not None and self._view.task.name == task and not self.stale:
            self._open_first()
            return
        self._read_task(task)

    def _on_taken_back(self, picked: OpenedWork) -> None:
        if (back := picked.back) is not None:
            self._chosen = ("back", back.number)
            self._read_task(back.task)

    def choose_task(self, name: str) -> None:
        """Write for another task."""
        if name != self._task:
            self._read_task(name)

    def _read_task(self, task: str) -> None:
        self.save()
        self._slot = None
        self._task = task
        self.refresh()

    def open_entry(self, key: tuple[str, int]) -> None:
        """Bring a draft, a returned item or a new one into the form."""
        if self._view is None or self._handing_in:
            return
        self.save()
        kind, number = key
        if kind == "new":
            self.new_item()
            return
        self._picking = True
        context = self.context
        work = partial(requests.pick, context.workspace, context.person.name, kind, number)
        context.ask(self, work, self._on_picked, self._on_unpicked, topic="pick")

    def _on_unpicked(self, sentence: str) -> None:
        self._picking = False
        self._say(sentence, "reject")

    def _on_picked(self, picked: OpenedWork) -> None:
        self._picking = False
        if self._view is None:
            return
        task, draft = self._view.task, picked.draft
        if picked.back is not None:
            returned = picked.back
            number = draft.id if draft else 0
            slot = DraftSlot(
                task.name, task.benchmark, returned.content.format, returned.number, number
            )
            self._open(slot, dict(draft.payload if draft else returned.content.payload), returned)
        elif draft is not None:
            payload = dict(draft.payload)
            kind = VARIANT if "text" in payload and "input" not in payload else ""
            self._open(DraftSlot(task.name, task.benchmark, kind, draft=draft.id), payload)
        else:
            self.new_item()

    def new_item(self) -> None:
        """An empty form; what all items of the task share is filled in."""
        if self._view is None or self._handing_in:
            return
        self.save()
        view = self._view
        payload = self._sticky(view)
        self._open(DraftSlot(view.task.name, view.task.benchmark, self._kind), payload)

    def _sticky(self, view: AuthorView) -> dict[str, Any]:
        payload: dict[str, Any] = {}
        if self._kind != VARIANT:
            before = self.form.payload() if self._slot and not self._slot.item else {}
            payload = {name: before[name] for name in _STICKY if before.get(name)}
            if view.labels:
                payload["labels"] = list(view.labels)
            if view.wordings and not payload.get("instruction"):
                payload["instruction"] = view.wordings[0].text
        if language := view.task.profile.get("languages"):
            payload.setdefault("language", str(language[0]))
        return payload

    def _open(
        self, slot: DraftSlot, payload: dict[str, Any], back: ReturnedItem | None = None
    ) -> None:
        assert self._view is not None
        self.save()
        task, left = self._view.task, self._slot
        self._slot, self._returned_item = slot, back
        fields = family(task.family).form(slot.format or task.format)
        self.form.build(fields, self._view.labels)
        self.form.lead_to(self._submit, self._same, self._drop)
        self.form.fill(payload)
        slot.start = self.form.payload()
        self._dirty = False
        self._wording = -1
        self._say(*self._acknowledged)
        self._acknowledged = _NOTHING
        self._show_state()
        self.check.begin(now=bool(slot.draft or slot.item))
        if self._begins:  # whoever chose the task goes on to type
            self._begins = False
            self.form.enter()
        if left is not None and left.draft and not left.closed:
            self.refresh()  # it stood in the form, and the list has it as it was before

    def _on_edited(self) -> None:
        self._dirty = True
        if not self._save_timer.isActive():  # also while somebody types without a pause
            self._save_timer.start()
        self.check.start_soon()
        self._show_state()

    def save(self) -> None:
        """Keep what is written, now; nothing happens when it is kept already."""
        self._save_timer.stop()
        slot = self._slot
        if slot is None or not self._dirty or slot.closed or self._handing_in:
            return
        self._dirty = False
        payload = self.form.payload()
        if payload == slot.start and not slot.draft:
            return
        context = self.context
        work = partial(requests.save, context.workspace, context.person.name, slot, payload)
        context.write(self, work, partial(self._on_saved, slot), self._on_not_saved)

    def _on_not_saved(self, sentence: str) -> None:
        """What is in the form is still only there: it is saved again with the next chance."""
        self._dirty = True
        self.context.complain(sentence)

    def _on_saved(self, saved: DraftSlot, _nothing: None) -> None:
        slot = self._slot
        if slot is not saved:  # something else is in the form by now: this is in the list
            self.refresh()
        elif slot is not None:
            self.left.show_entries(self._entries(), slot.key)
            self._drop.setVisible(bool(slot.draft))

    def pause(self) -> None:
        """Something else comes to the front: what is written is kept."""
        self.save()
        self.check.pause()

    # -- the text's check -------------------------------------------------------------------

    def _content(self) -> ItemContent:
        assert self._slot is not None
        assert self._view is not None
        task = self._view.task
        kind = self._slot.format or task.format
        model = family(task.family).payload_model(kind)
        payload = with_language(model, self.form.payload(), task.profile)
        return ItemContent(task.family, kind, payload)

    def _checked_text(self) -> CheckedText | None:
        if self._slot is None or self._view is None:
            return None
        return CheckedText(self._slot, self._content(), self._returned_item)

    # -- state ------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """What is being written, as it stands above the form."""
        return self._title.text()

    def _show_state(self) -> None:
        self.form.allow(not self._handing_in)
        slot = self._slot
        if slot is None or self._view is None:
            return
        self.left.show_entries(self._entries(), slot.key)
        key = self.context.actions.key_text
        if slot.item:
            self._title.setText(tr("Returned item #{number}", number=slot.item))
        elif slot.format == VARIANT:
            self._title.setText(tr("New instruction"))
        else:
            self._title.setText(tr("New item"))
        self._submit.setText(tr("Submit  {key}", key=key("submit")))
        self._submit.setEnabled(self.can_submit())
        self._same.setVisible(self.can_stay_unchanged())
        self._other.setVisible(self._writes_new() and not slot.item)
        self._other.setText(
            tr("[{key}] item instead", key=key("kind-of-item"))
            if self._kind == VARIANT
            else tr("[{key}] instruction instead", key=key("kind-of-item"))
        )
        self._drop.setVisible(bool(slot.draft))
        self.context.actions.update()

    def _on_check_failed(self, sentence: str) -> None:
        self._say(sentence, "reject")

    def _say(self, text: str, ink: str) -> None:
        self.says.setText(text)
        self.says.setVisible(bool(text))
        set_ink(self.says, ink)

    def _acknowledge(self, text: str, ink: str) -> None:
        """Say it now, and still when the next thing to write has come into the form."""
        self._acknowledged = _NOTHING if self._slot is not None else (text, ink)
        self._say(text, ink)

    def _has_form(self) -> bool:
        on_page = self._slot is not None and self._stack.currentIndex() == 0
        return on_page and not self._handing_in

    def _writes_new(self) -> bool:
        view = self._view
        return self._has_form() and view is not None and view.task.family == "instruction"

    def can_submit(self) -> bool:
        """Whether something is in the form and no hand-in is under way."""
        return self._has_form() and not self._handing_in

    def can_stay_unchanged(self) -> bool:
        """Whether the item in the form came back although nothing was wrong with it."""
        back = self._returned_item
        if back is None or not self.can_submit():
            return False
        return all(comment.revision != back.revision for comment in back.words)

    def leave_form(self) -> None:
        """Out of the fields, so that single letters are keys again."""
        self.save()
        self.setFocus()

    # -- handing in -------------------------------------------------------------------------

    def submit(self) -> None:
        """Hand in what is in the form, when nothing is missing."""
        if not self.can_submit() or self._slot is None:
            return
        if lacking := self.form.lacking():
            self._say(tr("Still empty: {fields}.", fields=listed(lacking)), "reject")
            self.form.enter()
            return
        self._write(self.form.payload())

    def hand_in_unchanged(self) -> None:
        """Hand the item that came back in as it was."""
        if self.can_stay_unchanged():
            self._write(None)

    def _write(self, payload: dict[str, Any] | None) -> None:
        assert self._slot is not None
        self._save_timer.stop()
        self._handing_in = True
        context = self.context
        work = partial(
            requests.hand_in, context.workspace, context.person.name, self._slot, payload
        )
        context.write(self, work, self._on_handed_in, self._on_refused)
        self._show_state()

    def _on_handed_in(self, done: SubmittedItem) -> None:
        self._handing_in = self._dirty = False
        slot, self._slot = self._slot, None
        focused = self.form.isAncestorOf(self.window().focusWidget() or self)
        view = self._view
        if slot is not None and not slot.item and view is not None:
            # the next new item begins with what all items of the task share
            self._slot = slot
            payload = self._sticky(view)
            self._open(DraftSlot(slot.task, slot.benchmark, self._kind), payload)
        defects = len(done.defects)
        self._acknowledge(
            trn(
                "✓ #{number} submitted; the checks found 1 defect.",
                "✓ #{number} submitted; the checks found {n} defects.",
                defects,
                number=done.number,
            )
            if defects
            else tr("✓ #{number} submitted.", number=done.number),
            "return" if defects else "accept",
        )
        step = labels.word(labels.UNDOABLE, "revised" if done.revision > 1 else "submitted")
        self.context.undo_changed.emit(tr("{verdict} #{number}", verdict=step, number=done.number))
        if focused and self._slot is not None:
            self.form.enter()
        self.refresh()

    def _on_refused(self, sentence: str) -> None:
        self._handing_in = False
        self._dirty = True
        self._say(sentence, "reject")
        self._show_state()
        if self._slot is None:  # another task or benchmark came to the front meanwhile
            self.context.complain(sentence)
            self.refresh()

    def _on_typed_on(self) -> None:
        self._say(
            tr("The item is still being submitted; what you type now is discarded."), "reject"
        )

    def hand_in_all_unchanged(self) -> None:
        """Hand in everything of the task that came back although nothing was wrong with it."""
        context = self.context
        self.save()
        work = partial(write.hand_in_unchanged, context.workspace, context.person.name, self._task)
        context.write(self, work, self._on_all_unchanged, context.complain)

    def _on_all_unchanged(self, numbers: tuple[int, ...]) -> None:
        self._slot = None
        self._acknowledge(
            trn("✓ 1 item submitted unchanged.", "✓ {n} items submitted unchanged.", len(numbers)),
            "accept",
        )
        self.refresh()

    def give_up(self) -> None:
        """Drop the draft in the form; a returned item is shown as it came back."""
        slot = self._slot
        if slot is None or not slot.draft or self._handing_in:
            return
        slot.closed = True
        self._dirty = False
        context = self.context
        work = partial(write.give_up_draft, context.workspace, context.person.name, slot.draft)
        context.write(self, work, self._on_given_up, context.complain)

    def _on_given_up(self, _nothing: None) -> None:
        self._slot = None
        self.refresh()

    # -- wordings ---------------------------------------------------------------------------

    def _takes_wording(self) -> bool:
        view = self._view
        return self._has_form() and view is not None and bool(view.wordings)

    def next_wording(self) -> None:
        """Put the task's next instruction into the form."""
        if self._view is not None and self._takes_wording():
            wordings = self._view.wordings
            self._wording = (self._wording + 1) % len(wordings)
            self.left.wordings.setCurrentRow(self._wording)
            self.take_wording(wordings[self._wording])

    def take_wording(self, wording: InstructionVariant) -> None:
        """Put an instruction of the task into the form."""
        if self._handing_in:
            self._on_typed_on()
        elif self._slot is not None and self._slot.format != VARIANT:
            self.form.put("instruction", wording.text)
            self.form.put("instruction_id", wording.name)

    def other_kind(self) -> None:
        """Write an instruction variant instead of an item, or the other way round."""
        self.save()
        self._kind = "" if self._kind == VARIANT else VARIANT
        self.new_item()

    def ready(self) -> bool:
        """Whether the view is read and what is alike was looked up."""
        return not self.stale and self._loaded and not (self.check.is_checking or self._picking)
