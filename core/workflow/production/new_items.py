"""Rows of new items from contents, and the events that tell of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.families.base import Defect, ItemContent
from core.generation.text_defects import defects_of_items
from core.workflow.protocols import settings_of
from db import ledger
from db.benchmarks import TaskRow
from db.items import NewItem
from db.vocabulary import EventKind, ItemState


def created_events(
    written: Iterable[tuple[int, NewItem]], actor: str, data: Mapping[str, Any]
) -> list[ledger.NewEvent]:
    """The ledger's event for each new item; ``data`` says where it came from."""
    return [
        ledger.NewEvent(
            EventKind.CREATED,
            actor,
            number,
            data={
                **data,
                "content_hash": item.content_hash,
                "before": {},
                "after": {
                    "state": str(item.state),  # written as it is, without a second look
                    "revision": 1,
                    "open_slots": item.open_slots,
                    "disputed": False,
                    "lot_id": None,
                    "round": item.round,
                },
            },
        )
        for number, item in written
    ]


def new_items(
    drafts: Sequence[tuple[ItemContent, TaskRow]],
    run_id: str | None,
    author_id: int | None = None,
    found: Sequence[Sequence[Defect]] | None = None,
) -> list[NewItem]:
    """Drafts of tasks with the defects that were ``found``, else checked for them now."""
    tasks = {task.id: task for _, task in drafts}
    slots = {number: _slots(task) for number, task in tasks.items()}
    if found is None:
        found = defects_of_items([content for content, _ in drafts])
    return [
        _new_item(content, task, slots[task.id], defects, run_id, author_id)
        for (content, task), defects in zip(drafts, found, strict=True)
    ]


def new_item(
    content: ItemContent, task: TaskRow, run_id: str | None, author_id: int | None = None
) -> NewItem:
    """``new_items`` of one."""
    return new_items([(content, task)], run_id, author_id)[0]


def _slots(task: TaskRow) -> int:
    protocol = settings_of(task.protocol)
    return 0 if protocol.gate == "required" else protocol.overlap


def _new_item(
    content: ItemContent,
    task: TaskRow,
    slots: int,
    defects: Sequence[Defect],
    run_id: str | None,
    author_id: int | None,
) -> NewItem:
    published = bool(content.provenance.get("as_published"))
    return NewItem(
        task_id=task.id,
        benchmark_id=task.benchmark_id,
        family=content.family,
        format=content.format,
        domain=content.domain,
        content_hash=content.content_hash,
        payload=content.payload,
        provenance=content.provenance,
        label=str(content.payload.get("label") or "")[:200],
        state=ItemState.DRAFT,
        open_slots=slots,
        barred="as_published" if published else "",
        defects=[{"name": defect.name, "detail": defect.detail} for defect in defects],
        author_id=author_id,
        run_id=run_id,
        round=task.round,
    )
