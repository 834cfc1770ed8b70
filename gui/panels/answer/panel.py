"""Answer: a split's questions as a model is asked them, for the human ceiling; blind throughout."""

import time
from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QComboBox, QStackedLayout, QWidget

from core.evaluation.params import EvaluateParams
from core.evaluation.report_parts.human_ceiling import ENGINE
from core.i18n import tr, trn
from core.release.question_ids import uid_of
from core.workflow.analysis import blind_looks
from core.workflow.evaluation import people_answers
from core.workflow.evaluation.people_answers import OpenQuestion, Sitting
from core.workflow.rights import Action
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from gui import i18n, theme
from gui.context import WindowContext
from gui.documents.writer import Writer, is_chinese
from gui.panels.answer.answer_column import AnswerColumn
from gui.panels.answer.sitting_bar import SittingBar
from gui.panels.base import ItemPanel
from gui.panels.key_guard import KeyGuard
from gui.widgets.elements import column, frame, label, row, rule
from gui.widgets.empty import EmptyState
from gui.widgets.page import ItemPage
from gui.widgets.steady_fields import ChoiceBox

_SEALED = "sealed"


@dataclass(frozen=True, slots=True)
class _Read:
    sittings: tuple[Sitting, ...]
    run: str
    question: OpenQuestion | None
    splits: tuple[str, ...]
    open_runs: tuple[str, ...]
    looks: int = 0


def _read(ws: Workspace, person: str, run: str, may_begin: bool) -> _Read:
    sittings = people_answers.sittings(ws, person)
    waiting = [one.run for one in sittings if one.done < one.total]
    chosen = run if run in waiting else (waiting[0] if waiting else "")
    question = people_answers.next_question(ws, chosen, person) if chosen else None
    if not may_begin:
        return _Read(sittings, chosen, question, (), ())
    splits = tuple(info.name for info in freeze.all_splits(ws) if info.state != _SEALED)
    waiting_look = blind_looks.next_look(ws, person)
    looks = waiting_look.left if waiting_look else 0
    return _Read(sittings, chosen, question, splits, people_answers.open_runs(ws), looks)


def _begin(ws: Workspace, split: str, names: str, person: str) -> str:
    """Begin a sitting of the people whose names stand between commas; its run."""
    params = EvaluateParams(engine=ENGINE, split=split)
    people = names.replace("，", ",").split(",")
    return people_answers.begin(ws, params, people, person).spec().id


class AnswerPanel(ItemPanel):
    """The question in the middle, the answer beside it; above both, for those who evaluate, what
    begins and ends a sitting."""

    topics = ("runs", "splits", "items")

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._read: _Read | None = None
        self._run = ""
        self._question: OpenQuestion | None = None
        self._writing = self._moving = False
        self._recorded = 0
        self._shown_at = 0.0
        self.page = ItemPage()
        self.key_guard = KeyGuard(context, self.page, self._show_hint)
        self.answers = AnswerColumn()
        self.bar = SittingBar()
        self._bind()
        self._build()

    def _bind(self) -> None:
        bind = self.context.actions.bind
        for digit in range(1, 10):
            bind(f"answer-{digit}", self, partial(self.press, digit), self.listens)
        bind("answer-unknown", self, self.answers.choose_unknown, self.can_answer)
        bind("answer-hand-in", self, self.hand_in, self.listens)
        bind("answer-write", self, self.answers.begin, self.can_answer)
        bind("answer-leave", self, self.page.setFocus, self.can_answer)

    def _build(self) -> None:
        middle = frame("paper")
        inner = column(middle, spacing=0)
        self.runs = ChoiceBox()
        self.runs.setAccessibleName(tr("Split"))
        self.runs.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.runs.setMaximumWidth(420)
        self.runs.activated.connect(self._on_run)
        self.far = label("", ink="muted", size=theme.SMALL_PX)
        head = row(spacing=12)
        head.setContentsMargins(24, 10, 24, 6)
        head.addWidget(self.runs)
        head.addWidget(self.far, 1)
        inner.addLayout(head)
        inner.addWidget(self.page, 1)
        work = QWidget()
        columns = row(work, spacing=0)
        columns.addWidget(middle, 1)
        columns.addWidget(rule("column"))
        columns.addWidget(self.answers)
        self.empty = EmptyState()
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(work)
        self._stack.addWidget(self.empty)
        whole = column(self, spacing=0)
        whole.addWidget(self.bar)
        whole.addWidget(body, 1)
        self.bar.setVisible(self.context.may(Action.EVALUATE))
        self.bar.began.connect(self.begin_sitting)
        self.bar.closed.connect(self.close_sitting)
        self.bar.look_wanted.connect(self.open_looks)
        self.bind_button("second-looks", self.bar.looks)
        self.answers.changed.connect(self._show_state)
        self.answers.submit.clicked.connect(self.context.actions.action("answer-hand-in").trigger)

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read what waits; the question on the page stays until it is answered."""
        self._moving = self._moving or self._question is None
        context = self.context
        may_begin = context.may(Action.EVALUATE)
        work = partial(_read, context.workspace, context.person.name, self._run, may_begin)
        context.ask(self, work, self._on_read, context.complain, topic="answering")

    def _on_run(self) -> None:
        self._run = str(self.runs.currentData())
        self._leave()
        self.refresh()

    def _leave(self) -> None:
        self._question = None
        self._moving = True

    def _on_read(self, read: _Read) -> None:
        self._read, self._run = read, read.run
        waiting = [one for one in read.sittings if one.done < one.total]
        names = [(one.run, one.split) for one in waiting]
        if [(self.runs.itemData(i), self.runs.itemText(i)) for i in range(self.runs.count())] != (
            names
        ):
            self.runs.clear()
            for run, split in names:
                self.runs.addItem(split, run)
        self.runs.setCurrentIndex(max(0, self.runs.findData(read.run)))
        self.runs.setVisible(len(names) > 1)
        self.bar.show_choices(read.splits, read.open_runs, read.looks)
        moving, self._moving = self._moving, False
        gone = self._question is not None and self._question.sitting.run != read.run
        if self._question is None or moving or gone:
            self._take(read)
        self._show_state()

    def _take(self, read: _Read) -> None:
        question = read.question
        self._question = question
        if question is None:
            self._say_nothing_waits(sum(one.done for one in read.sittings))
            self._stack.setCurrentIndex(1)
            return
        self._stack.setCurrentIndex(0)
        sitting = question.sitting
        self.far.setText(
            trn("{split}: {done} of 1 question answered",
                "{split}: {done} of {n} questions answered", sitting.total,
                split=sitting.split, done=i18n.number(sitting.done))
        )  # fmt: skip
        self._shown_at = time.monotonic()
        self.answers.show_question(question.choices)
        self._draw()
        if self.isVisible() and not question.choices:
            self.answers.begin()

    def _say_nothing_waits(self, done: int) -> None:
        """Thank whoever has answered; ``done`` are the answers to runs that are still open."""
        if done:
            title = tr("You have answered everything. Thank you.")
            text = trn("1 answer is recorded. Others may still be answering.",
                       "{n} answers are recorded. Others may still be answering.",
                       done)  # fmt: skip
        elif self._recorded:
            title = tr("No more questions wait for you. Thank you.")
            text = trn("1 answer is recorded, and the run is complete.",
                       "{n} answers are recorded, and the run is complete.",
                       self._recorded)  # fmt: skip
        else:
            title = tr("No questions wait for you.")
            text = tr("When a researcher names you to answer a split, its questions appear here, "
                      "exactly as models are asked them.")  # fmt: skip
        self.empty.say(title, text)

    def _number(self) -> int:
        """The item in front; the page tells by it what was painted."""
        return int(uid_of(self._question.id)) if self._question is not None else 0

    def reading(self) -> ItemPage | None:
        """The page of the question."""
        return self.page if self._question is not None else None

    def _draw(self) -> None:
        if self._question is not None:
            text = self._question.prompt
            writer = Writer(self.context.colours, chinese=is_chinese(text))
            writer.paragraphs(text)
            self.page.turn_to(writer.finish(self.page.measure), self._number())

    def _show_state(self) -> None:
        key_text = self.context.actions.key_text
        self.answers.submit.setText(tr("Submit  {key}", key=key_text("answer-hand-in")))
        self.answers.unknown.setText(tr("{key}   I do not know", key=key_text("answer-unknown")))
        self.answers.submit.setEnabled(self.can_answer() and self.answers.complete)
        self._show_hint()
        self.context.actions.update()

    def _show_hint(self) -> None:
        refusal = self.key_guard.refusal
        self.answers.say(
            refusal
            or tr(
                "You are not told which answers are right, and you cannot change an answer. "
                "Work without aids."
            ),
            "reject" if refusal else "muted",
        )

    # -- answering --------------------------------------------------------------------------

    def can_answer(self) -> bool:
        """Whether a question waits for this person's answer."""
        return self._question is not None and not self._writing

    def listens(self) -> bool:
        """Whether a key that answers is taken, or is answered by why it is not."""
        return self._question is not None or self._writing or self._moving

    def press(self, digit: int) -> None:
        """Choose the answer of that place."""
        if self.key_guard.takes(self._number(), self._writing):
            self.answers.choose(digit - 1)

    def hand_in(self) -> None:
        """Record the answer; the next question follows."""
        question = self._question
        if not self.key_guard.takes(self._number(), self._writing) or question is None:
            return
        if not self.answers.complete:
            self.answers.say(tr("Choose or write an answer first."))
            return
        given = self.answers.given
        self._writing = True
        work = partial(
            people_answers.answer, self.context.workspace, question.sitting.run, question.id,
            self.context.person.name, text=given.text, choice=given.choice, unknown=given.unknown,
            seconds=time.monotonic() - self._shown_at,
        )  # fmt: skip
        self.context.write(self, work, self._on_answered, self._on_refused)
        self._show_state()

    def _on_answered(self, _sitting: Sitting) -> None:
        self._writing = False
        self._recorded += 1
        self._leave()
        self.refresh()

    def _on_refused(self, sentence: str) -> None:
        self._writing = False
        self._moving = True
        self.context.complain(sentence)
        self.refresh()

    def open_looks(self) -> None:
        """Take the second looks that wait, without seeing what is right."""
        from gui.panels.answer.blind_look_dialog import BlindLookDialog

        BlindLookDialog(self.context, self).open()

    # -- sittings ---------------------------------------------------------------------------

    def begin_sitting(self, split: str, names: str) -> None:
        """Name who answers a split."""
        context = self.context
        work = partial(_begin, context.workspace, split, names, context.person.name)
        context.write(self, work, self._on_begun, context.complain, lane="background")

    def _on_begun(self, run: str) -> None:
        self.bar.names.clear()
        self.context.say(tr("Run {run} waits for these people.", run=run))
        self.refresh()

    def close_sitting(self, run: str) -> None:
        """End a sitting; what nobody answered counts as missing."""
        context = self.context
        work = partial(people_answers.close, context.workspace, run, context.person.name)
        context.write(self, work, self._on_closed, context.complain, lane="background")

    def _on_closed(self, _summary: object) -> None:
        self.context.say(tr("Closed; the answers are scored."), tr("Show the scores"), "scores")
        self._leave()
        self.refresh()

    def ready(self) -> bool:
        """Whether the question is on the page."""
        in_sight = self._question is None or self.page.in_sight == self._number()
        waits = self.stale or self._writing or self._moving
        return not waits and self._read is not None and in_sight
