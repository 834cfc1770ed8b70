"""Many items in short transactions, for which nobody waits; seen by nobody before the last.

See ``db.importing.pending_imports``: what hides them, and what becomes of those of a kill.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import uuid4

from core.errors import ConflictError, NotFoundError
from core.families.base import COLUMNS
from core.i18n import sentences, trn
from core.workflow.lookup import task_in
from core.workflow.lost_connections import carried_through
from core.workflow.production.new_items import created_events
from core.workflow.rights import Action, writing_as
from core.workflow.short_steps import ShortSteps
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger
from db.benchmarks import TaskRow
from db.engine import Session
from db.importing import pending_imports
from db.importing.pending_imports import HiddenItem, Unfinished
from db.items import NewItem
from db.server import calls
from db.vocabulary import EventKind

Makes = Callable[[TaskRow], list[NewItem]]
"""The items, as the task is when they are written."""


def reads_alike(before: TaskRow | None, now: TaskRow | None) -> bool:
    """Whether a file means for the task as it is now what it meant when it was read."""
    if before is None or now is None:
        return before is now
    names = ("id", "family", "format", "domain", "profile")
    return all(getattr(before, name) == getattr(now, name) for name in names)


class _Part(NamedTuple):
    """What became of one part of an import: the number of each item, those that an earlier import
    left, contents that wait in another one, and how many were written."""

    numbers: list[int | None]
    found: tuple[int, ...]
    waiting: set[str]
    added: int


@dataclass
class HiddenItems:
    """What one import has brought into a task so far. ``known`` are items that nobody sees yet and
    that an earlier import left, by content hash: those that it left as this one would write them
    count as this one's, the others are ``waiting``."""

    ws: Workspace
    person: str
    task: TaskRow
    file: str
    data: Mapping[str, Any]
    """What each item's event says of where it comes from."""
    known: Mapping[str, HiddenItem]
    steps: ShortSteps = field(default_factory=ShortSteps)
    waiting: set[str] = field(default_factory=set)
    """Contents that another import brought and has not shown, in another way."""
    _id: str = field(default_factory=lambda: uuid4().hex)
    _found: list[int] = field(default_factory=list)
    """The items of earlier imports that this one brought again."""
    count: int = 0
    """How many items it shows at its end."""

    @contextmanager
    def writing(self) -> Iterator[tuple[Session, int | None]]:
        """A transaction of the import, and who writes in it."""
        with writing_as(self.ws, self.person, Action.WRITE) as (session, actor):
            yield session, actor.id

    def write(self, makes: Makes) -> list[int | None]:
        """Write items with these contents in one transaction; their numbers, and None for those
        that the task has, shown or not. A server that is away for a while is waited for."""
        new = makes(self.task)  # before anybody waits
        left = [self._left(item) for item in new]
        if None not in left:
            self._take_up(left)
            return left
        part = carried_through(
            lambda again: self._written(makes, makes(self.task) if again else new, left, again)
        )
        self._take_up(part.found)
        self.waiting |= part.waiting
        self.count += part.added
        return part.numbers

    def _written(
        self, makes: Makes, new: Sequence[NewItem], left: Sequence[int | None], again: bool
    ) -> "_Part":
        """The transaction of ``write``; ``again`` where it was tried before and may have come to
        its end."""
        with self.writing() as (session, person_id):
            self.steps.begin()
            calls.frees_early(session)
            items.one_writer(session, self.task.id)
            if (task := benchmarks.task(session, self.task.id)) != self.task:
                if not reads_alike(self.task, task):
                    raise ConflictError.tr(
                        "Task “{task}” was changed while “{path}” was imported. What was "
                        "written of it stays hidden: import the file again.",
                        task=task.name, path=self.file
                    )  # fmt: skip
                self.task, new = task, makes(task)
            part = self._write(session, person_id, new, left, again)
        written = None if self.ws.is_server else ledger.appended(session)
        self.steps.end(*((written.first - 1, written.last) if written else ()))
        return part

    def _left(self, item: NewItem) -> int | None:
        """The item that an earlier import left, of the same author or run and with the same
        columns."""
        left = self.known.get(item.content_hash)
        if left is None or (left.author_id, left.run_id) != (item.author_id, item.run_id):
            return None
        kept = json.loads(json.dumps(item.provenance.get(COLUMNS)))
        return left.id if left.provenance.get(COLUMNS) == kept else None

    def _take_up(self, numbers: Sequence[int | None]) -> None:
        found = [number for number in numbers if number is not None]
        self._found += found
        self.count += len(found)

    def _write(
        self,
        session: Session,
        person_id: int | None,
        new: Sequence[NewItem],
        left: Sequence[int | None],
        again: bool,
    ) -> "_Part":
        hashes = [item.content_hash for item in new]
        there = items.numbers_of(session, self.task.id, hashes)
        hidden = pending_imports.hidden_among(session, list(there.values()))
        taken_up = {
            digest: number for digest, number in zip(hashes, left, strict=True) if number in hidden
        }
        # somebody else takes in the same run just now
        same_run = pending_imports.of_run(session, sorted(hidden), new[0].run_id)
        if again:
            same_run |= pending_imports.of_import(session, sorted(hidden), self._id)
        taken_up |= {digest: there[digest] for digest in hashes if there.get(digest) in same_run}
        own = set(taken_up.values())
        waiting = {
            digest for digest, number in there.items() if number in hidden and number not in own
        }
        fresh = [item for item in new if item.content_hash not in there]
        ids = items.add(session, fresh, index_later=True)
        pending_imports.hide(session, self._id, self.task.id, self.file, ids, person_id)
        events = created_events(zip(ids, fresh, strict=True), self.person, self.data)
        if self.ws.is_server:
            self.steps.begin()  # what others wait for there is the chain alone
        ledger.append(session, *events)
        written = iter(ids)
        numbers = [
            next(written) if digest not in there else taken_up.get(digest) for digest in hashes
        ]
        return _Part(numbers, tuple(taken_up.values()), waiting, len(ids))

    def end(self, then: Callable[[Session], None]) -> str:
        """``show``, and ``then`` something else in the same transaction; a server that is away for
        a while is waited for."""

        def ended(again: bool) -> str:
            with self.writing() as (session, _):
                note = self.show(session, again)
                then(session)
                return note

        return carried_through(ended)

    def show(self, session: Session, again: bool = False) -> str:
        """Let everybody see the items, in the session's transaction; what is to be said of other
        imports into the task that never came to this. Where it was tried ``again`` and arrived the
        first time, nothing is written."""
        items.one_writer(session, self.task.id)
        end = pending_imports.ending(session, self._id, self._found)
        if again and self.count and not end.rows:
            return sentences(_not_finished(session, self.task.id))
        data = {**self.data, "items": self.count, pending_imports.RANGES: end.ranges}
        ledger.append(
            session,
            ledger.NewEvent(EventKind.IMPORTED, self.person, subject=self.task.name, data=data),
        )
        pending_imports.show(session, end)
        return sentences(_not_finished(session, self.task.id))


def unfinished_imports(ws: Workspace) -> tuple[str, ...]:
    """What is to be said of imports into any task that have not come to their end."""
    with ws.reading() as session:
        return _not_finished(session)


def _not_finished(session: Session, task_id: int | None = None) -> tuple[str, ...]:
    return tuple(
        trn(
            "An import of “{file}” is not finished: 1 item stays hidden. If it is no longer "
            "running, start it again to finish it, or give it up with --give-up.",
            "An import of “{file}” is not finished: {n} items stay hidden. If it is no longer "
            "running, start it again to finish it, or give it up with --give-up.",
            count,
            file=file,
        )
        for file, count in _by_file(pending_imports.unfinished(session, task_id)).items()
    )


def unfinished_files(ws: Workspace) -> Mapping[str, int]:
    """How many items stay hidden of the imports into any task that have not come to their end."""
    with ws.reading() as session:
        return _by_file(pending_imports.unfinished(session))


def _by_file(imports: Sequence[Unfinished]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for left in imports:
        counts[left.file] += left.items
    return counts


def give_up(ws: Workspace, person: str, file: str, task: str = "", benchmark: str = "") -> int:
    """Say that nobody waits any longer for the imports of a file, of this name, that have not
    ended: into a task, or into all; returns how many items stay hidden.

    They are named no more. An import of the same author and columns that brings the same contents
    still shows them, and one that is running goes on. Raises NotFoundError where there is none.
    """
    with writing_as(ws, person, Action.EDIT_TASK) as (session, actor):
        where = task_in(session, task, benchmark).id if task else None
        over = [left for left in pending_imports.unfinished(session, where) if left.file == file]
        if not over:
            raise NotFoundError.tr("No import of “{file}” is unfinished.", file=file)
        for task_id in sorted({left.task_id for left in over}):
            imports = [left for left in over if left.task_id == task_id]
            data = {
                "file": file,
                "items": sum(left.items for left in imports),
                pending_imports.GIVEN_UP: [left.import_id for left in imports],
            }
            name = benchmarks.task(session, task_id).name
            ledger.append(
                session, ledger.NewEvent(EventKind.IMPORTED, actor.name, subject=name, data=data)
            )
    return sum(left.items for left in over)


def hidden_in(session: Session, task: TaskRow | None) -> dict[str, HiddenItem]:
    """The items of a task that nobody sees yet, by content hash."""
    rows = pending_imports.hidden_in(session, task.id) if task else []
    return {row.content_hash: row for row in rows}
