"""One's own work: what one wrote, decided, rated, skipped, got back, asked and is unsure about.

Every entry is about an item that the person wrote, held or judged, and says no more of it than
``visibility`` opens to them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, get_args

from core.workflow.check.visibility import Visibility, visibility_of
from core.workflow.people import benchmark_in
from core.workflow.production.write import (
    ReviewComment,
    known_by,
    returned_with_lot,
    review_comments,
    why_returned,
)
from core.workflow.rights import at_work
from core.workflow.team import TaskShare, shares_of
from core.workflow.workspace import Workspace
from db import comments, drafts, items
from db.benchmarks import task_name
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.queries import item_lists
from db.queries import my_work as rows
from db.queries.my_work import WorkRow
from db.vocabulary import REVEALED, AssignmentState, CommentKind, ItemState

WorkKind = Literal[
    "returned", "draft", "skipped", "unsure", "question", "decided", "rated", "written"
]
KINDS: tuple[WorkKind, ...] = get_args(WorkKind)
"""What still waits for one first, then what is done."""
_MOST, _EXCERPT = 500, 120


@dataclass(frozen=True, slots=True)
class WorkEntry:
    """One thing that somebody did with an item, and how the item stands to them now.

    ``number`` is 0 for a draft of a new item, whose own number is ``draft``. ``waits`` says that
    somebody should do something with it, ``past`` that it was done to an earlier revision. ``at``
    is when it was done, None where that is not known.
    """

    kind: WorkKind
    number: int
    task: str
    state: str
    at: datetime | None
    verdict: str = ""
    reason: str = ""
    note: str = ""
    draft: int = 0
    waits: bool = False
    past: bool = False


@dataclass(frozen=True, slots=True)
class OwnWork:
    """The entries by kind, the newest of each kind first; ``capped`` kinds have older ones too.

    ``shares`` are the tasks that were assigned to the person, those with the nearest day first.
    """

    entries: tuple[WorkEntry, ...]
    capped: tuple[WorkKind, ...]
    shares: tuple[TaskShare, ...] = ()


def my_work(ws: Workspace, person: str, benchmark: str = "") -> OwnWork:
    """What somebody did in a benchmark (empty: everywhere), at most 500 of each kind."""
    with ws.reading() as session:
        actor = at_work(session, person)
        home = benchmark_in(session, benchmark).id if benchmark else None
        visibility = visibility_of(session, actor)
        entries: list[WorkEntry] = []
        capped: list[WorkKind] = []
        for kind in KINDS:
            found = _READERS[kind](session, actor, home, _MOST, visibility)
            entries += found
            if len(found) >= _MOST:
                capped.append(kind)
    return OwnWork(tuple(entries), tuple(capped), shares_of(ws, person, benchmark))


def _entry(
    kind: WorkKind, row: WorkRow, visibility: Visibility, *, waits: bool = False
) -> WorkEntry:
    return WorkEntry(
        kind, row.item_id, row.task, visibility.state_of(row.item_id, row.present, row.state),
        row.at, row.verdict, row.reason, row.note, waits=waits, past=row.revision != row.present,
    )  # fmt: skip


def _drafts(
    session: Session, actor: PersonRow, home: int | None, limit: int, _visibility: Visibility
) -> list[WorkEntry]:
    own = [row for row in drafts.of_person(session, actor.id) if row.item_id is None]
    entries = [
        WorkEntry(
            "draft", 0, task_name(session, row.task_id), ItemState.DRAFT, row.at,
            note=known_by(row.payload)[:_EXCERPT], draft=row.id, waits=True,
        )
        for row in reversed(own)
        if home is None or _benchmark_of(session, row.task_id) == home
    ]  # fmt: skip
    return entries[:limit]


def _benchmark_of(session: Session, task_id: int) -> int:
    from db import benchmarks

    return benchmarks.task(session, task_id).benchmark_id


def _returned(
    session: Session, actor: PersonRow, home: int | None, limit: int, visibility: Visibility
) -> list[WorkEntry]:
    numbers = item_lists.returned_to(session, actor.id, home, limit=limit)
    comments = review_comments(session, numbers)
    with_lot = returned_with_lot(session, numbers)
    return [
        _came_back(row, task_name(session, row.task_id), comments[row.id], row.id in with_lot)
        if visibility.shows(row.id, row.revision, row.state)
        else WorkEntry("returned", row.id, task_name(session, row.task_id), row.state, None,
                       waits=True)
        for row in items.get_many(session, numbers)
        if visibility.lists(row.id)
    ]  # fmt: skip


def _came_back(
    row: ItemRow, task: str, comments: Sequence[ReviewComment], with_lot: bool
) -> WorkEntry:
    """With what was said last against the revision that came back, or why it is back without."""
    entry = WorkEntry("returned", row.id, task, row.state, None, waits=True)
    said = [comment for comment in comments if comment.revision == row.revision]
    if not said:
        return replace(entry, note=why_returned(with_lot=with_lot))
    return replace(entry, verdict=said[-1].verdict, reason=said[-1].reason, note=said[-1].note)


def _written(
    session: Session, actor: PersonRow, home: int | None, limit: int, visibility: Visibility
) -> list[WorkEntry]:
    found = rows.written(session, actor.id, home, limit)
    return [_entry("written", row, visibility) for row in found]


def _decided(
    session: Session, actor: PersonRow, home: int | None, limit: int, visibility: Visibility
) -> list[WorkEntry]:
    found = rows.decided(session, actor.id, home, limit)
    return [_entry("decided", row, visibility) for row in found]


def _rated(
    session: Session, actor: PersonRow, home: int | None, limit: int, visibility: Visibility
) -> list[WorkEntry]:
    return [_entry("rated", row, visibility) for row in rows.rated(session, actor.id, home, limit)]


def _skipped(
    session: Session, actor: PersonRow, home: int | None, limit: int, visibility: Visibility
) -> list[WorkEntry]:
    states = (AssignmentState.SKIPPED, AssignmentState.POSTPONED)
    found = rows.claimed(session, actor.id, home, limit, states, REVEALED)
    return [
        WorkEntry(
            "skipped", row.item_id, row.task,
            visibility.state_of(row.item_id, row.present, row.state), row.at, note=row.note,
            waits=row.state in (ItemState.DRAFT, ItemState.IN_REVIEW),
        )
        for row in found
    ]  # fmt: skip


def _unsure(
    session: Session, actor: PersonRow, home: int | None, limit: int, visibility: Visibility
) -> list[WorkEntry]:
    return _commented(session, actor, home, limit, visibility, CommentKind.UNSURE, "unsure")


def _asked(
    session: Session, actor: PersonRow, home: int | None, limit: int, visibility: Visibility
) -> list[WorkEntry]:
    return _commented(session, actor, home, limit, visibility, CommentKind.QUESTION, "question")


def _commented(
    session: Session,
    actor: PersonRow,
    home: int | None,
    limit: int,
    visibility: Visibility,
    kind: CommentKind,
    shown_as: WorkKind,
) -> list[WorkEntry]:
    found = comments.of_person(session, actor.id, (kind,), home)
    newest = {row.thread: row for row in found}  # the last question of each thread
    answered = {row.thread for row in comments.unseen_answers(session, actor.id)}
    own = sorted(newest.values(), key=lambda row: row.id, reverse=True)[:limit]
    known = {row.id: row for row in items.get_many(session, sorted({r.item_id for r in own}))}
    return [
        WorkEntry(
            shown_as, row.item_id, task_name(session, known[row.item_id].task_id),
            visibility.state_of(row.item_id, known[row.item_id].revision, known[row.item_id].state),
            row.at, note=row.text, waits=row.thread in answered,
            past=row.revision != known[row.item_id].revision,
        )
        for row in own
    ]  # fmt: skip


_Reader = Callable[[Session, PersonRow, int | None, int, Visibility], list[WorkEntry]]
_READERS: dict[WorkKind, _Reader] = {
    "draft": _drafts,
    "returned": _returned,
    "written": _written,
    "decided": _decided,
    "rated": _rated,
    "skipped": _skipped,
    "unsure": _unsure,
    "question": _asked,
}
