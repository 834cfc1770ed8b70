"""The questions on an item in a window of their own: what was asked and answered, and one's own."""

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from core.i18n import tr
from core.workflow.check import blinding, notes, questions
from core.workflow.check.questions import Thread
from core.workflow.check.review import Reveal
from core.workflow.rights import Action
from core.workflow.workspace import Workspace
from gui import i18n, theme
from gui.actions import printed_key
from gui.context import WindowContext
from gui.dialogs.confirm import ask_reveal
from gui.documents.writer import Writer, is_chinese
from gui.widgets.elements import caption, column, label, row, set_ink
from gui.widgets.page import ItemPage
from gui.widgets.sheet import Sheet
from gui.widgets.steady_fields import ChoiceBox

_PLACE = "question"


def _read(ws: Workspace, person: str, number: int, answers: bool) -> tuple[tuple[Thread, ...], str]:
    """The threads on an item with those that wait unread, and the question that was not sent."""
    found = list(questions.threads(ws, person, number))
    if answers:
        known = {thread.id for thread in found}
        found += [
            thread
            for thread in questions.waiting_threads(ws, person)
            if thread.number == number and thread.id not in known
        ]
    for thread in found:
        if thread.news:
            questions.mark_seen(ws, person, thread.id)
    return tuple(found), notes.kept_notes(ws, person, _PLACE).get(number, "")


def _ask(ws: Workspace, person: str, number: int, text: str, thread: int) -> str:
    """Ask, and say who is told."""
    questions.ask_question(ws, person, number, text, thread=thread)
    return questions.sent_words(questions.answerers(ws, person))


def _answer(ws: Workspace, person: str, thread: int, text: str) -> str:
    """Answer, and say so."""
    questions.answer_question(ws, person, thread, text)
    return tr("Answer sent; the person who asked is notified.")


class QuestionDialog(Sheet):
    """Ctrl+Enter sends and leaves, where no other question here waits for this person's answer;
    Esc keeps what was written for the next time."""

    def __init__(self, context: WindowContext, number: int, parent: QWidget) -> None:
        super().__init__(parent, tr("Questions on item #{number}", number=number), (600, 560))
        self._context, self._number = context, number
        self._answers = context.may(Action.ANSWER)
        self._sending = False
        self.threads: tuple[Thread, ...] = ()
        self.page = ItemPage()
        self.choice = ChoiceBox()
        self.choice.setAccessibleName(tr("Thread"))
        self.choice.currentIndexChanged.connect(self._show_state)
        self.field = QPlainTextEdit()
        self.field.setFont(theme.font(15))
        self.field.setTabChangesFocus(True)
        self.field.setFixedHeight(96)
        self.field.setAccessibleName(tr("Message"))
        self.field.textChanged.connect(self._show_state)
        self.reveal = QPushButton(tr("Show hidden details and read it…"))
        self.reveal.setAutoDefault(False)
        self.reveal.clicked.connect(self._ask_reveal)
        self.send_button = QPushButton(tr("Send  {key}", key=printed_key("Ctrl+Return")))
        self.send_button.setProperty("look", "filled")
        self.send_button.setAutoDefault(False)
        self.send_button.clicked.connect(self.send)
        self.says = label("", ink="muted", size=theme.SMALL_PX, wrap=True)
        layout = column(self, margin=16, spacing=8)
        layout.addWidget(self.page, 1)
        layout.addWidget(self.reveal)
        layout.addWidget(self.choice)
        layout.addWidget(caption(tr("Your message")))
        layout.addWidget(self.field)
        line = row()
        line.addWidget(self.says, 1)
        line.addWidget(self.send_button)
        layout.addLayout(line)
        for key in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(key), self).activated.connect(self.send)
        self.focus_first(self.field)
        self.finished.connect(self._keep)
        self._show_state()
        self.read()

    def unsaved(self) -> bool:
        """What was typed is kept, and is there the next time."""
        return False

    def read(self) -> None:
        """Read the threads of the item again."""
        context = self._context
        work = partial(_read, context.workspace, context.person.name, self._number, self._answers)
        context.ask(self, work, self._on_read, self._fail, topic="threads")

    def _on_read(self, read: tuple[tuple[Thread, ...], str]) -> None:
        self.threads, kept = read
        if kept and not self.field.toPlainText():
            self.field.setPlainText(kept)
            self.field.moveCursor(QTextCursor.MoveOperation.End)
        self.page.turn_to(self._document())
        self.page.scroll_to(end=True)
        self.choice.clear()
        for thread in self.threads:
            if not thread.hidden and (thread.own or self._answers):
                says = " ".join(thread.messages[0].text.split())[:60]
                text = (
                    tr("Follow up: {question}", question=says)
                    if thread.own
                    else tr("Answer: {question}", question=says)
                )
                self.choice.addItem(text, thread)
        self.choice.addItem(tr("A new question"), None)
        listed = [self.choice.itemData(n) for n in range(self.choice.count() - 1)]
        waits = (n for n, thread in enumerate(listed) if thread.waiting and not thread.own)
        self.choice.setCurrentIndex(next(waits, 0))
        self._show_state()

    def _document(self) -> QTextDocument:
        words = " ".join(m.text for thread in self.threads for m in thread.messages)
        writer = Writer(self._context.colours, 15, chinese=is_chinese(words) or None)
        if not self.threads:
            writer.block().text(
                tr(
                    "No questions on this item that you can read yet. Leads and researchers are "
                    "told when you ask."
                ),
                writer.ink(writer.colours.muted),
            )
        for thread in self.threads:
            if thread.hidden:
                writer.title(tr("A question that is still hidden from you"))
                continue
            for message in thread.messages:
                who = tr("you") if message.own else message.author or tr("somebody")
                head = tr("{who} · {when}", who=who, when=i18n.moment(message.at))
                writer.title(tr("{head} · answer", head=head) if message.answer else head, before=4)
                writer.paragraphs(message.text, after=8)
        return writer.finish(self.page.measure)

    def _chosen(self) -> Thread | None:
        data = self.choice.currentData()
        return data if isinstance(data, Thread) else None

    def _show_state(self) -> None:
        hidden = any(thread.hidden for thread in self.threads)
        self.reveal.setVisible(hidden and self._context.may(Action.REVEAL))
        self.choice.setVisible(self.choice.count() > 1)
        written = bool(self.field.toPlainText().strip())
        self.send_button.setEnabled(written and not self._sending)
        set_ink(self.says, "muted")
        self.says.setText(
            tr(
                "Reading it shows what is hidden about the item: it is recorded, and you can then "
                "neither review, adjudicate nor rate it."
            )
            if hidden
            else ""
        )

    def send(self) -> None:
        """Send what is written: a question, or an answer to the thread that is chosen."""
        text = self.field.toPlainText().strip()
        if not text or self._sending:
            return
        context, chosen = self._context, self._chosen()
        name = context.person.name
        work: Callable[[], str]
        if chosen is not None and not chosen.own:
            work = partial(_answer, context.workspace, name, chosen.id, text)
        else:
            thread = chosen.id if chosen is not None else 0
            work = partial(_ask, context.workspace, name, self._number, text, thread)
        self._sending = True
        self._show_state()
        left = [t for t in self.threads if t.waiting and not t.own and t is not chosen]
        done = partial(self._on_sent, self._answers and bool(left))
        context.write(self, work, done, self._fail)

    def _on_sent(self, more: bool, sent: str) -> None:
        self._sending = False
        self.field.clear()
        self._context.say(sent)
        if more:
            self._keep()
            self.read()
        else:
            self.accept()

    def _ask_reveal(self) -> None:
        ask_reveal(self, self._number, self._on_reveal)

    def _on_reveal(self, _reason: str = "") -> None:
        context = self._context
        work = partial(blinding.reveal, context.workspace, context.person.name, self._number)
        context.write(self, work, self._on_revealed, self._fail)

    def _on_revealed(self, _reveal: Reveal) -> None:
        self.field.setFocus()
        self.read()

    def _fail(self, sentence: str) -> None:
        self._sending = False
        self._show_state()
        set_ink(self.says, "reject")
        self.says.setText(sentence)

    def _keep(self) -> None:
        """What was written and not sent is there the next time."""
        context = self._context
        text = self.field.toPlainText()
        work = partial(
            notes.keep_note, context.workspace, context.person.name, _PLACE, self._number, text
        )
        context.write(context, work, _nothing, context.complain)


def _nothing(_value: object) -> None:
    """The note is kept."""
