"""My work: what one wrote, decided, skipped, got back and asked, and what waits for an answer."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QListWidget, QPushButton, QStackedLayout, QWidget

from core.i18n import tr
from core.workflow.check import questions
from core.workflow.check.questions import Thread, UnsureItem
from core.workflow.items import change_decision, my_work
from core.workflow.items.change_decision import EarlierCard
from core.workflow.items.my_work import OwnWork, WorkEntry
from core.workflow.rights import Action
from core.workflow.team import TaskShare, share_sentence
from core.workflow.workspace import Workspace
from gui import i18n, labels, theme
from gui.context import WindowContext
from gui.documents.item_card import CardText, card_document
from gui.panels.base import Panel
from gui.widgets.elements import caption, column, frame, label, row, rule
from gui.widgets.empty import EmptyState
from gui.widgets.page import ItemPage
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable

_TO_ANSWER, _MARKED = "to_answer", "marked"
"""The lists of those who answer: questions that wait, and what people marked as unsure."""


def list_titles() -> dict[str, str]:
    """The lists by their ids, in the order in which they stand."""
    return {
        _TO_ANSWER: tr("Questions to answer"),
        _MARKED: tr("Marked as unsure by anybody"),
        "returned": tr("Returned, to revise"),
        "draft": tr("My drafts"),
        "skipped": tr("Skipped"),
        "unsure": tr("I am unsure"),
        "question": tr("My questions"),
        "decided": tr("Decided"),
        "rated": tr("Rated"),
        "written": tr("Written"),
    }


@dataclass(frozen=True, slots=True)
class DeskLine:
    """One line of a list: the item, what it says, and the entry behind it, if it is one's own."""

    number: int
    task: str
    decision: str
    state: str
    when: str
    words: str
    entry: WorkEntry | None = None


@dataclass(frozen=True, slots=True)
class _Read:
    work: OwnWork
    waiting: tuple[Thread, ...]
    marked: tuple[UnsureItem, ...]


def _read(ws: Workspace, person: str, benchmark: str, answers: bool) -> _Read:
    return _Read(
        my_work.my_work(ws, person, benchmark),
        questions.waiting_threads(ws, person, benchmark) if answers else (),
        questions.unsure_items(ws, person, benchmark) if answers else (),
    )


def lines_of(read: _Read, name: str) -> tuple[DeskLine, ...]:
    """The lines of one list."""
    if name == _TO_ANSWER:
        return tuple(_thread_line(thread) for thread in read.waiting)
    if name == _MARKED:
        return tuple(
            DeskLine(mark.number, mark.task, mark.person, _state(mark.state),
                     i18n.moment(mark.at), mark.text)
            for mark in read.marked
        )  # fmt: skip
    return tuple(_own_line(entry) for entry in read.work.entries if entry.kind == name)


def _state(state: str) -> str:
    return labels.word(labels.ITEM_STATES, state)


def _thread_line(thread: Thread) -> DeskLine:
    if thread.hidden:
        words = questions.hidden_words(thread)
        return DeskLine(thread.number, thread.task, "", "", "", words)
    last = thread.messages[-1]
    return DeskLine(
        thread.number, thread.task, last.author, "", i18n.moment(last.at), last.text
    )  # fmt: skip


def _own_line(entry: WorkEntry) -> DeskLine:
    decision = labels.word(labels.VERDICTS, entry.verdict) if entry.verdict else ""
    reason = labels.word(labels.REASONS, entry.reason) if entry.reason else ""
    parts = [part for part in (reason, entry.note) if part.strip()]
    if entry.past:
        parts.append(tr("an earlier revision"))
    if entry.kind == "question" and entry.waits:
        parts.insert(0, tr("answered"))
    return DeskLine(
        entry.number, entry.task, decision, _state(entry.state), i18n.moment(entry.at),
        " · ".join(" ".join(part.split()) for part in parts), entry,
    )  # fmt: skip


class MyWorkPanel(Panel):
    """The lists on the left, the entries of one in the middle, the item on the right."""

    topics = ("items", "decisions", "benchmarks", "questions")

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._read: _Read | None = None
        self._names: tuple[str, ...] = ()
        self._lines: tuple[DeskLine, ...] = ()
        self._list = ""
        self._chosen = 0
        self._seen: EarlierCard | None = None
        self._reading_item = False
        self.page = ItemPage()
        self._model = TableModel((), self)
        self.table = ReadingTable(self._model)
        self._bind()
        self._build()

    def _bind(self) -> None:
        bind = self.context.actions.bind
        bind("open-entry", self, self.open_entry, self._has_line)
        bind("next-kind", self, self.next_list)
        bind("next-own", self, partial(self.step, 1), self._has_line)
        bind("previous-own", self, partial(self.step, -1), self._has_line)

    def _build(self) -> None:
        left = frame("side")
        left.setFixedWidth(208)
        inner = column(left, margin=16, spacing=6)
        inner.addWidget(caption(tr("My work")))
        self.lists = QListWidget()
        self.lists.setFont(theme.font(14))
        self.lists.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.lists.setAccessibleName(tr("Lists"))
        self.lists.setWordWrap(True)
        self.lists.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.lists.currentRowChanged.connect(self._on_list)
        inner.addWidget(self.lists, 1)
        self.shares = label("", wrap=True, size=theme.SMALL_PX)
        self.shares.setAccessibleName(tr("My tasks"))
        self.shares.hide()
        inner.addWidget(self.shares)
        self.table.setAccessibleName(tr("Entries"))
        self.table.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.table.doubleClicked.connect(self.open_entry)
        self.empty = EmptyState()
        self._middle = QWidget()
        self._stack = QStackedLayout(self._middle)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        right = frame("paper")
        right.setMinimumWidth(300)
        inside = column(right, spacing=0)
        inside.addWidget(self.page, 1)
        self.says = label("", ink="muted", size=theme.SMALL_PX, wrap=True)
        self.button = QPushButton()
        self.button.setProperty("look", "filled")
        self.button.clicked.connect(self.context.actions.action("open-entry").trigger)
        self._foot = frame("strip")
        line = row(self._foot, spacing=8)
        line.setContentsMargins(16, 8, 16, 8)
        line.addWidget(self.says, 1)
        line.addWidget(self.button)
        inside.addWidget(self._foot)
        columns = row(self, spacing=0)
        for part, share in (
            (left, 0), (rule("column"), 0), (self._middle, 3), (rule("column"), 0), (right, 2)
        ):  # fmt: skip
            columns.addWidget(part, share)

    # -- reading ----------------------------------------------------------------------------

    def take(self, argument: Any) -> None:
        """The list of that name comes to the front."""
        self._list, self._chosen = str(argument), 0
        self.refresh()

    def refresh(self) -> None:
        """Read the lists again; what is chosen stays."""
        context = self.context
        answers = context.may(Action.ANSWER)
        work = partial(_read, context.workspace, context.person.name, context.benchmark, answers)
        context.ask(self, work, self._on_read, context.complain, topic="own", lane="background")

    def _on_benchmark(self, name: str) -> None:
        self._chosen = 0
        super()._on_benchmark(name)

    def _on_read(self, read: _Read) -> None:
        self._read = read
        self._show_shares(read.work.shares)
        titles = list_titles()
        answers = self.context.may(Action.ANSWER)
        self._names = tuple(name for name in titles if answers or name not in (_TO_ANSWER, _MARKED))
        counts = {name: len(lines_of(read, name)) for name in self._names}
        if self._list not in self._names:
            self._list = next((name for name in self._names if counts[name]), self._names[0])
        blocked = self.lists.blockSignals(True)
        self.lists.clear()
        for name in self._names:
            more = "+" if name in read.work.capped else ""
            self.lists.addItem(
                tr("{title}  {count}", title=titles[name], count=f"{counts[name]:,}{more}")
                if counts[name]
                else titles[name]
            )
        self.lists.setCurrentRow(self._names.index(self._list))
        self.lists.blockSignals(blocked)
        self._show_list()

    def _show_shares(self, shares: tuple[TaskShare, ...]) -> None:
        """The tasks that were assigned to this person, with quota and day."""
        lines = [
            tr("{share} – overdue", share=share_sentence(share)) if share.is_late()
            else share_sentence(share)
            for share in shares
        ]  # fmt: skip
        self.shares.setText("\n".join([tr("My tasks"), *lines]))
        self.shares.setVisible(bool(lines))

    def _on_list(self, index: int) -> None:
        if 0 <= index < len(self._names):
            self._list, self._chosen = self._names[index], 0
            self._show_list()

    def next_list(self) -> None:
        """The next list; after the last the first is back."""
        if self._names:
            self.lists.setCurrentRow((self.lists.currentRow() + 1) % len(self._names))

    def _show_list(self) -> None:
        if self._read is None:
            return
        self._lines = lines_of(self._read, self._list)
        if not self._lines:
            self._chosen = 0
            self._seen = None
            self.empty.say(
                tr("Nothing here: {title}.", title=list_titles()[self._list]),
                tr("{key} shows the next list.", key=self.context.actions.key_text("next-kind")),
            )
            self._stack.setCurrentIndex(1)
            self._show_item()
            return
        self._stack.setCurrentIndex(0)
        who = tr("Who") if self._list in (_TO_ANSWER, _MARKED) else tr("Decision")
        heads = (
            Column("#", 64, number=True),
            Column(tr("Task"), 150, least=60),
            Column(who, 92, least=84, short=self._list not in (_TO_ANSWER, _MARKED)),
            Column(tr("State"), 92, short=True),
            Column(tr("When"), 124, short=True),
            Column(tr("Text"), 240, least=60),
        )
        rows = [
            (str(line.number or "–"), line.task, line.decision, line.state, line.when, line.words)
            for line in self._lines
        ]
        # a column in which nothing stands takes no room from the others
        used = [i for i in range(len(heads)) if any(row_[i] for row_ in rows)]
        self._model.show_rows([heads[i] for i in used], [[row_[i] for i in used] for row_ in rows])
        self.table.fit_columns()
        numbers = [line.number for line in self._lines]
        place = numbers.index(self._chosen) if self._chosen in numbers else 0
        self.table.setCurrentIndex(self._model.index(place, 0))

    def _line(self) -> DeskLine | None:
        place = self.table.currentIndex().row()
        return self._lines[place] if 0 <= place < len(self._lines) else None

    def _has_line(self) -> bool:
        return self._line() is not None

    def step(self, by: int) -> None:
        """One up or down in the list."""
        wanted = self.table.currentIndex().row() + by
        if 0 <= wanted < len(self._lines):
            self.table.setCurrentIndex(self._model.index(wanted, 0))

    def _on_row(self, _current: object = None, _previous: object = None) -> None:
        line = self._line()
        self._chosen = line.number if line is not None else 0
        self._seen = None
        if line is not None and line.number:
            self._reading_item = True
            context = self.context
            work = partial(
                change_decision.earlier, context.workspace, context.person.name, line.number
            )
            context.ask(self, work, self._on_item, self._on_no_item, topic="one", lane="background")
        else:
            self._reading_item = False
            self._show_item()

    def _on_item(self, seen: EarlierCard) -> None:
        self._reading_item = False
        if seen.card.number == self._chosen:
            self._seen = seen
            self._show_item()

    def _on_no_item(self, sentence: str) -> None:
        self._reading_item = False
        self._show_item()
        self.says.setText(sentence)

    # -- the item ---------------------------------------------------------------------------

    def _show_item(self) -> None:
        line, seen = self._line() if self._lines else None, self._seen
        if seen is not None:
            done = self._list in ("decided", "written") and seen.card.family != "rewrite"
            text = CardText(seen.card.number, seen.card.content, key=done)
            document = card_document(text, self.context.colours, self.page.measure)
            self.page.turn_to(document, seen.card.number)
        else:
            self.page.turn_to(QTextDocument())
        self._foot.setVisible(line is not None)
        if line is not None:
            key = self.context.actions.key_text("open-entry")
            self.button.setText(tr("{what}  {key}", what=self._deed(line), key=key))
            self.says.setText(self._words_on(line))
        self.context.actions.update()

    def _deed(self, line: DeskLine) -> str:
        if self._list in (_TO_ANSWER, "question"):
            return tr("Open the questions")
        if self._list in ("draft", "returned"):
            return tr("Continue writing")
        if self._list == "skipped":
            return tr("Return to this item")
        if self._list == "decided" and not (self._seen and self._seen.refusal):
            return tr("Change the decision")
        if self._list == "unsure" and line.state == _state("in_review"):
            return tr("Open in Review")
        return tr("Show the history")

    def _words_on(self, line: DeskLine) -> str:
        """Why the decision stays, where it does; else the words in full."""
        if self._list == "decided" and self._seen is not None and self._seen.refusal:
            return self._seen.refusal
        return line.words

    def open_entry(self) -> None:
        """Go on with the entry in front, where that is done."""
        line, context = self._line(), self.context
        if line is None:
            return
        entry = line.entry
        if self._list == "draft" and entry is not None:
            context.go_to("write", (entry.task, "draft", entry.draft))
        elif self._list == "returned":
            context.go_to("write", (line.task, "back", line.number))
        elif self._list in (_TO_ANSWER, "question"):
            self._open_questions(line.number)
        elif self._list == "skipped" or self._deed(line) != tr("Show the history"):
            context.go_to("review", line.number)
        else:
            from gui.dialogs.item_history import open_history

            open_history(context, line.number, self)

    def _open_questions(self, number: int) -> None:
        from gui.dialogs.question import QuestionDialog

        QuestionDialog(self.context, number, self).open()

    # -- what the window asks ---------------------------------------------------------------

    def task(self) -> str:
        """The task of the entry in front."""
        line = self._line()
        return line.task if line is not None else ""

    def item(self) -> int:
        """The item of the entry in front."""
        line = self._line()
        return line.number if line is not None else 0

    def reading(self) -> ItemPage | None:
        """The page of the item."""
        return self.page if self._seen is not None else None

    def relayout(self) -> None:
        """Lay the item out in the new type."""
        self.page.fit()
        self._show_item()

    def ready(self) -> bool:
        """Whether the lists are read and the item in front is on the page."""
        in_sight = self._seen is None or self.page.in_sight == self._seen.card.number
        return not self.stale and self._read is not None and not self._reading_item and in_sight
