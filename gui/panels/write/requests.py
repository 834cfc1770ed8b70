"""What Write asks of the workspace: done on a worker, so that nothing here knows the window."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.families import family
from core.families.base import ItemContent
from core.workflow.production import author_view, write
from core.workflow.production.author_view import AuthorView, TextCheck
from core.workflow.production.duplicates import DuplicateWatch
from core.workflow.production.write import DraftInfo, ReturnedItem, SubmittedItem, known_by
from core.workflow.workspace import Workspace


@dataclass(slots=True)
class DraftSlot:
    """Where what is being written is kept. The number of a new draft is set by the worker that
    saved it first: all saves and the hand-in go through one lane, in their order."""

    task: str
    benchmark: str
    format: str
    item: int = 0
    draft: int = 0
    closed: bool = False
    start: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int]:
        """The entry of the list that this is."""
        if self.item:
            return "back", self.item
        return ("draft", self.draft) if self.draft else ("new", 0)


@dataclass(frozen=True, slots=True)
class WriteView:
    """The names of the tasks, the view in front (None: no task), and another task of which so many
    items are back at the author, if there is one."""

    tasks: tuple[str, ...]
    view: AuthorView | None
    elsewhere: tuple[str, int] = ("", 0)


def read(ws: Workspace, person: str, benchmark: str, task: str) -> WriteView:
    """The tasks that can be written, and the view of one of them."""
    names = author_view.writable(ws, person, benchmark)
    chosen = task if task in names else author_view.most_pressing(ws, person, names)
    view = author_view.author_view(ws, person, chosen, benchmark) if chosen else None
    return WriteView(names, view, author_view.back_elsewhere(ws, person, chosen, benchmark))


@dataclass(frozen=True, slots=True)
class OpenedWork:
    """What was asked for as it is now: the item that came back, and the draft, if there are any."""

    back: ReturnedItem | None
    draft: DraftInfo | None


def pick(ws: Workspace, person: str, kind: str, number: int) -> OpenedWork:
    """A draft, or an item that came back with its draft; read after every save before it."""
    back = write.returned(ws, person, number) if kind == "back" else None
    for draft in write.my_drafts(ws, person):
        if number == (draft.item if kind == "back" else draft.id):
            return OpenedWork(back, draft)
    return OpenedWork(back, None)


def save(ws: Workspace, person: str, slot: DraftSlot, payload: Mapping[str, Any]) -> None:
    """Keep a draft, unless it was handed in or given up meanwhile."""
    if not slot.closed:
        slot.draft = write.save_draft(
            ws, person, slot.task, payload,
            draft=slot.draft, item=slot.item, benchmark=slot.benchmark,
        )  # fmt: skip


def hand_in(
    ws: Workspace, person: str, slot: DraftSlot, payload: Mapping[str, Any] | None
) -> SubmittedItem:
    """Hand in a new item, or the next revision of one that came back (None: unchanged)."""
    if slot.item:
        done = write.revise(ws, person, slot.item, payload)
    else:
        done = write.submit(
            ws, person, slot.task, payload or {},
            format=slot.format, draft=slot.draft, benchmark=slot.benchmark,
        )  # fmt: skip
    slot.closed = True
    return done


def look(
    ws: Workspace,
    watch: DuplicateWatch | None,
    task: str,
    benchmark: str,
    content: ItemContent,
    item: int,
) -> tuple[str, DuplicateWatch, TextCheck]:
    """What is noticed about a text; the index of the task is made where there is none yet."""
    known = watch or DuplicateWatch(ws, task, benchmark)
    return task, known, author_view.notice(known, content, item)


def words_of(content: ItemContent) -> str:
    """The text of an item, whatever is missing in it."""
    try:
        return family(content.family).plain_text(content)
    except (ValueError, KeyError):
        return known_by(content.payload)
