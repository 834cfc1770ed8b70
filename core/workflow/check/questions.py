"""Questions on items: somebody who works on one asks, whoever leads answers, both are told.

What a question says may give away what its author thinks of the item. Who reads it is therefore
the business of ``visibility``: one's own threads are always open, those of others only where
nothing about the item is hidden. Whoever answers has decided on it, or asked to see what is hidden.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.errors import InputError, NotFoundError, RightsError
from core.i18n import listed, tr
from core.workflow.check.visibility import Visibility, visibility_of
from core.workflow.lookup import item_in
from core.workflow.people import benchmark_in
from core.workflow.rights import Action, at_work, is_allowed, refuse, require, writing_as
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import benchmarks, comments, items
from db import people as people_rows
from db.comments import CommentRow
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.vocabulary import CommentKind, EventKind

_LONGEST = 10_000
_NAMED = 3


@dataclass(frozen=True, slots=True)
class ThreadMessage:
    """One message of a thread; ``author`` is empty where the reader may not know it."""

    author: str
    own: bool
    answer: bool
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Thread:
    """A question with what followed. ``hidden``: the reader may know of it but not read it.

    ``wrote`` says that the reader wrote of the item, and so never decides on it, ``waiting`` that
    the newest message is a question, ``news`` that its author has not seen an answer yet.
    """

    id: int
    number: int
    task: str
    own: bool
    wrote: bool
    waiting: bool
    news: bool
    hidden: bool
    messages: tuple[ThreadMessage, ...]


def hidden_words(thread: Thread) -> str:
    """Until when a hidden thread is hidden from its reader; nobody decides on what they wrote."""
    if thread.wrote:
        return tr("hidden until its review is over or you show it")
    return tr("hidden until you have decided or shown what is hidden")


@dataclass(frozen=True, slots=True)
class QuestionNews:
    """What somebody should be told: questions that wait for them, and new answers to theirs, with
    the benchmarks of the newest of each, empty for none."""

    waiting: int = 0
    answered: int = 0
    waits_in: str = ""
    answered_in: str = ""

    @property
    def total(self) -> int:
        """Both together."""
        return self.waiting + self.answered


@dataclass(frozen=True, slots=True)
class UnsureItem:
    """An item that somebody marked as unsure; ``person`` and ``text`` are empty while hidden."""

    number: int
    task: str
    state: str
    person: str
    text: str
    at: datetime


def _checked(text: str) -> str:
    text = text.strip()
    if not text or "\x00" in text:
        raise InputError.tr("Write something first.")
    if len(text) > _LONGEST:
        raise InputError.tr("A comment can have at most {count} characters.", count=_LONGEST)
    return text


def ask_question(ws: Workspace, person: str, number: int, text: str, *, thread: int = 0) -> int:
    """Ask about an item, or ask on in one's own thread; returns the number of the thread.

    Raises InputError for no text or too much of it, RightsError for an item that is none of one's
    own work or a thread of somebody else, NotFoundError for an unknown one.
    """
    text = _checked(text)
    with writing_as(ws, person, Action.ASK) as (session, actor):
        item = item_in(session, number, lock=True)
        if not visibility_of(session, actor, number).lists(number):
            refuse(actor, Action.SEE_ITEMS)
        if thread:
            begun = _begun(session, thread)
            if begun.person_id != actor.id or begun.item_id != number:
                raise RightsError.tr("Only the person who asked can ask more in this thread.")
        comment = comments.add(
            session, number, item.revision, actor.id, CommentKind.QUESTION, text, thread or None
        )
        data = {"comment": comment, "thread": thread or comment}
        apply(session, EventKind.ASKED, actor.name, [Move(item, {}, data)])
    return thread or comment


def answerers(ws: Workspace, person: str) -> tuple[str, ...]:
    """Who is told of this person's questions and may answer them, by name; who wrote the item is
    among them, and shows what is hidden first. Nobody answers themselves."""
    with ws.reading() as session:
        asks = at_work(session, person)
        return tuple(
            other.name
            for other in people_rows.everybody(session)
            if other.active and other.id != asks.id and is_allowed(other.role, Action.ANSWER)
        )


def sent_words(names: Sequence[str]) -> str:
    """Who is told of a question that was just asked, or that nobody is yet."""
    if not names:
        return tr("Question saved. Nobody else here may answer it yet: it waits for the next "
                  "researcher or lead.")  # fmt: skip
    if len(names) > _NAMED:
        return tr("Question sent; leads and researchers are notified.")
    return tr("Question sent to {names}.", names=listed(names))


def _begun(session: Session, thread: int) -> CommentRow:
    begun = comments.get(session, thread)
    if begun is None or begun.thread != thread or begun.kind != CommentKind.QUESTION:
        raise NotFoundError.tr("There is no question {number}.", number=thread)
    return begun


def answer_question(ws: Workspace, person: str, thread: int, text: str) -> int:
    """Answer a question; returns the number of the item. Researchers and leads only.

    Raises RightsError where the question is hidden from this person: its item may still be theirs
    to judge, and they have neither decided on it nor asked to see what is hidden.
    """
    text = _checked(text)
    with writing_as(ws, person, Action.ANSWER) as (session, actor):
        begun = _begun(session, thread)
        item = item_in(session, begun.item_id, lock=True)
        visibility = visibility_of(session, actor, item.id)
        if not _reads(visibility, begun, item, actor):
            raise RightsError(
                tr(
                    "The question on item #{number} stays hidden until its review is over or you "
                    "show what is hidden.",
                    number=item.id,
                )
                if item.id in visibility.wrote
                else tr(
                    "The question on item #{number} stays hidden until you have decided on the "
                    "item or shown what is hidden.",
                    number=item.id,
                )
            )
        comment = comments.add(
            session, item.id, item.revision, actor.id, CommentKind.ANSWER, text, thread
        )
        data = {"comment": comment, "thread": thread}
        apply(session, EventKind.ANSWERED, actor.name, [Move(item, {}, data)])
    return item.id


def _reads(visibility: Visibility, begun: CommentRow, item: ItemRow, reader: PersonRow) -> bool:
    own = begun.person_id == reader.id
    return visibility.shows_question(item.id, item.revision, item.state, own=own)


def threads(ws: Workspace, reader: str, number: int) -> tuple[Thread, ...]:
    """The threads on an item that this person may read, oldest first."""
    with ws.reading() as session:
        person = at_work(session, reader)
        item = item_in(session, number)
        visibility = visibility_of(session, person, number)
        found = _threads(
            session, comments.of_item(session, number), person, {number: item}, visibility
        )
    return tuple(thread for thread in found if not thread.hidden)


def own_threads(ws: Workspace, person: str, benchmark: str = "") -> tuple[Thread, ...]:
    """One's own threads, oldest first."""
    with ws.reading() as session:
        actor = at_work(session, person)
        home = benchmark_in(session, benchmark).id if benchmark else None
        begun = comments.of_person(session, actor.id, (CommentKind.QUESTION,), home)
        return _whole(session, actor, {row.thread for row in begun})


def waiting_threads(ws: Workspace, person: str, benchmark: str = "") -> tuple[Thread, ...]:
    """The threads that wait for an answer, for those who may answer; hidden ones without words."""
    with ws.reading() as session:
        actor = require(session, person, Action.ANSWER)
        home = benchmark_in(session, benchmark).id if benchmark else None
        begun = comments.waiting(session, home)
        return _whole(session, actor, {row.thread for row in begun})


def _whole(session: Session, person: PersonRow, numbers: Iterable[int]) -> tuple[Thread, ...]:
    rows = [row for number in sorted(numbers) for row in comments.of_thread(session, number)]
    ids = sorted({row.item_id for row in rows})
    known = {item.id: item for item in items.get_many(session, ids)}
    return _threads(session, rows, person, known, visibility_of(session, person))


def _threads(
    session: Session,
    rows: Sequence[CommentRow],
    person: PersonRow,
    known: dict[int, ItemRow],
    visibility: Visibility,
) -> tuple[Thread, ...]:
    by_thread: dict[int, list[CommentRow]] = {}
    for row in rows:
        by_thread.setdefault(row.thread, []).append(row)
    return tuple(
        _thread(session, messages, person, known[messages[0].item_id], visibility)
        for messages in by_thread.values()
    )


def _thread(
    session: Session,
    rows: Sequence[CommentRow],
    person: PersonRow,
    item: ItemRow,
    visibility: Visibility,
) -> Thread:
    begun = rows[0]
    own = begun.person_id == person.id
    shown = _reads(visibility, begun, item, person)
    open_to_reader = visibility.shows(item.id, item.revision, item.state)
    messages = tuple(
        ThreadMessage(
            # who answers is known to who asked; who asked is as hidden as a reviewer's name
            row.person if open_to_reader or row.person_id == person.id or own else "",
            row.person_id == person.id,
            row.kind == CommentKind.ANSWER,
            row.text,
            row.at,
        )
        for row in rows
    )
    return Thread(
        begun.thread,
        item.id,
        benchmarks.task_name(session, item.task_id),
        own,
        item.id in visibility.wrote,
        rows[-1].kind == CommentKind.QUESTION,
        own and any(row.kind == CommentKind.ANSWER and not row.seen for row in rows),
        not shown,
        messages if shown else (),
    )


def mark_seen(ws: Workspace, person: str, thread: int) -> int:
    """Note that who asked has read the answers of a thread; returns how many were new."""
    with ws.writing() as session:
        return comments.mark_seen(session, at_work(session, person).id, thread)


def question_news(ws: Workspace, person: str) -> QuestionNews:
    """What somebody should be told about questions."""
    with ws.reading() as session:
        actor = at_work(session, person)
        answers = is_allowed(actor.role, Action.ANSWER)
        others = [row for row in comments.waiting(session) if answers and row.person_id != actor.id]
        own = comments.unseen_answers(session, actor.id)
        return QuestionNews(len(others), len(own), _home(session, others), _home(session, own))


def _home(session: Session, rows: Sequence[CommentRow]) -> str:
    """The benchmark of the newest of some comments; empty where there is none."""
    found = items.get_many(session, [row.item_id for row in rows[-1:]])
    return benchmarks.benchmark(session, found[0].benchmark_id).name if found else ""


def mark_unsure(ws: Workspace, person: str, number: int, text: str = "") -> bool:
    """Mark an item as one that one is unsure about, or take the mark away; returns which it is.

    A lead sees the marked items, and who marked them where nothing about the item is hidden.
    """
    with writing_as(ws, person, Action.ASK) as (session, actor):
        item = item_in(session, number, lock=True)
        if not visibility_of(session, actor, number).lists(number):
            refuse(actor, Action.SEE_ITEMS)
        marks = [
            row
            for row in comments.of_item(session, number, (CommentKind.UNSURE,))
            if row.person_id == actor.id
        ]
        if marks:
            data = {"withdrawn": [row.id for row in marks]}
            event = apply(session, EventKind.UNSURE, actor.name, [Move(item, {}, data)])
            for row in marks:
                comments.withdraw(session, row.id, event)
            return False
        comment = comments.add(
            session, number, item.revision, actor.id, CommentKind.UNSURE, text.strip()[:_LONGEST]
        )
        apply(session, EventKind.UNSURE, actor.name, [Move(item, {}, {"comment": comment})])
    return True


def own_marks(ws: Workspace, person: str, benchmark: str = "") -> frozenset[int]:
    """The items that somebody marked as unsure."""
    with ws.reading() as session:
        actor = at_work(session, person)
        home = benchmark_in(session, benchmark).id if benchmark else None
        rows = comments.of_person(session, actor.id, (CommentKind.UNSURE,), home)
        return frozenset(row.item_id for row in rows)


def unsure_items(ws: Workspace, person: str, benchmark: str = "") -> tuple[UnsureItem, ...]:
    """The items that anybody marked as unsure, for those who may answer questions."""
    with ws.reading() as session:
        actor = require(session, person, Action.ANSWER)
        home = benchmark_in(session, benchmark).id if benchmark else None
        rows = comments.unsure_marks(session, home)
        known = {
            item.id: item for item in items.get_many(session, sorted({r.item_id for r in rows}))
        }
        visibility = visibility_of(session, actor)
        found = []
        for row in rows:
            item = known[row.item_id]
            open_ = row.person_id == actor.id or visibility.shows(
                item.id, item.revision, item.state
            )
            found.append(
                UnsureItem(
                    item.id,
                    benchmarks.task_name(session, item.task_id),
                    visibility.state_of(item.id, item.revision, item.state),
                    row.person if open_ else "",
                    row.text if open_ else "",
                    row.at,
                )
            )
        return tuple(found)
