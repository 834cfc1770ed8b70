"""Comments: questions and answers on items, marks of being unsure, and comments on ratings."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, func, insert, select, update

from db.evidence.bindings import touch
from db.session import Session
from db.tables import COMMENT, ITEM, PERSON, now
from db.vocabulary import CommentKind

TALK = (CommentKind.QUESTION, CommentKind.ANSWER)


@dataclass(frozen=True, slots=True)
class CommentRow:
    """One comment; ``person`` is the name, ``thread`` the id of the question that began it."""

    id: int
    item_id: int
    revision: int
    person_id: int
    person: str
    kind: str
    thread: int
    text: str
    seen: bool
    at: datetime


_THREAD: ColumnElement[Any] = func.coalesce(COMMENT.c.thread, COMMENT.c.id)
_ROWS = select(
    COMMENT.c.id, COMMENT.c.item_id, COMMENT.c.revision, COMMENT.c.person_id, PERSON.c.name,
    COMMENT.c.kind, _THREAD, COMMENT.c.text, COMMENT.c.seen_at.is_not(None), COMMENT.c.at,
).select_from(COMMENT.join(PERSON, PERSON.c.id == COMMENT.c.person_id)).where(
    COMMENT.c.withdrawn_event.is_(None)
)  # fmt: skip


def _row(row: Any) -> CommentRow:
    return CommentRow(*row)


def _rows(session: Session, query: Select[Any]) -> list[CommentRow]:
    return [_row(row) for row in session.execute(query.order_by(COMMENT.c.id))]


def add(
    session: Session,
    item_id: int,
    revision: int,
    person_id: int,
    kind: str,
    text: str,
    thread: int | None = None,
) -> int:
    """Write one comment; returns its id."""
    query = insert(COMMENT).values(
        item_id=item_id, revision=revision, person_id=person_id, kind=kind, text=text,
        thread=thread, at=now(),
    )  # fmt: skip
    number = int(session.execute(query.returning(COMMENT.c.id)).scalar_one())
    touch(session, "comment", [number], [item_id])
    return number


def withdraw(session: Session, comment_id: int, event: int) -> None:
    """Mark a comment as taken back by an event."""
    session.execute(update(COMMENT).where(COMMENT.c.id == comment_id).values(withdrawn_event=event))
    touch(session, "comment", [comment_id])


def get(session: Session, comment_id: int) -> CommentRow | None:
    """One comment that stands."""
    row = session.execute(_ROWS.where(COMMENT.c.id == comment_id)).first()
    return _row(row) if row else None


def of_item(session: Session, item_id: int, kinds: Sequence[str] = TALK) -> list[CommentRow]:
    """The comments on an item that stand, oldest first."""
    return _rows(session, _ROWS.where(COMMENT.c.item_id == item_id, COMMENT.c.kind.in_(kinds)))


def of_thread(session: Session, thread: int) -> list[CommentRow]:
    """The messages of one thread, oldest first."""
    return _rows(session, _ROWS.where(_THREAD.in_([thread]), COMMENT.c.kind.in_(TALK)))


def of_person(
    session: Session, person_id: int, kinds: Sequence[str], benchmark_id: int | None = None
) -> list[CommentRow]:
    """What a person wrote and did not take back, oldest first."""
    query = _ROWS.where(COMMENT.c.person_id == person_id, COMMENT.c.kind.in_(kinds))
    return _rows(session, _within(query, benchmark_id))


def unsure_marks(session: Session, benchmark_id: int | None = None) -> list[CommentRow]:
    """The marks of being unsure that stand, oldest first."""
    return _rows(session, _within(_ROWS.where(COMMENT.c.kind == CommentKind.UNSURE), benchmark_id))


def _within(query: Select[Any], benchmark_id: int | None) -> Select[Any]:
    if benchmark_id is None:
        return query
    items = select(ITEM.c.id).where(ITEM.c.benchmark_id == benchmark_id)
    return query.where(COMMENT.c.item_id.in_(items))


def _newest() -> Select[Any]:
    """The newest message of every thread."""
    return select(func.max(COMMENT.c.id)).where(COMMENT.c.kind.in_(TALK)).group_by(_THREAD)


def waiting(session: Session, benchmark_id: int | None = None) -> list[CommentRow]:
    """The newest question of each thread that nobody has answered yet, oldest first."""
    query = _ROWS.where(COMMENT.c.id.in_(_newest()), COMMENT.c.kind == CommentKind.QUESTION)
    return _rows(session, _within(query, benchmark_id))


def _unseen(person_id: int) -> Select[Any]:
    asked = select(COMMENT.c.id).where(
        COMMENT.c.person_id == person_id,
        COMMENT.c.kind == CommentKind.QUESTION,
        COMMENT.c.thread.is_(None),
    )
    return select(COMMENT.c.id).where(
        COMMENT.c.kind == CommentKind.ANSWER,
        COMMENT.c.thread.in_(asked),
        COMMENT.c.seen_at.is_(None),
    )


def unseen_answers(session: Session, person_id: int) -> list[CommentRow]:
    """The answers to a person's questions that they have not seen, oldest first."""
    return _rows(session, _ROWS.where(COMMENT.c.id.in_(_unseen(person_id))))


def mark_seen(session: Session, person_id: int, thread: int) -> int:
    """Note that who asked has seen the answers of a thread; returns how many were new."""
    unseen = _unseen(person_id).where(COMMENT.c.thread == thread)
    numbers = list(session.execute(unseen).scalars())
    session.execute(update(COMMENT).where(COMMENT.c.id.in_(numbers)).values(seen_at=now()))
    return len(numbers)
