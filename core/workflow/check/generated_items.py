"""The drafts that a generation brought, by the names that a screening after it gives them."""

from core.families.base import task_name
from core.generation.run import items_of
from core.jobs.folder import RunFolder
from core.screening.run import work_id_after
from core.workflow.protocols import settings_of
from core.workflow.runs import runs, take_in
from core.workflow.workspace import Workspace
from db import benchmarks, items
from db.vocabulary import ItemState


def drafts_by_work_id(ws: Workspace, folder: RunFolder) -> dict[str, items.ItemRow]:
    """The drafts that a screening was about whose content is still what it read, by the id of its
    work item; none while the generation is not finished.

    Takes the generation in where nobody has. Left out are items of tasks without a gate, and those
    that people or another screening have gone on with.
    """
    row = runs.find(ws, folder.spec().after)
    generation = runs.folder_of(ws, row.id)
    if generation.result() is None:
        return {}
    if row.taken_in_at is None:
        take_in.take_in(ws, row.id)
    names: dict[str, dict[str, str]] = {}
    for content in items_of(generation.finished().records):
        by_hash = names.setdefault(task_name(content), {})
        by_hash[content.content_hash] = work_id_after(content)
    found: dict[str, items.ItemRow] = {}
    with ws.reading() as session:
        for task in benchmarks.tasks(session, row.benchmark_id):
            by_hash = names.get(task.name, {})
            if not by_hash or settings_of(task.protocol).gate == "off":
                continue
            numbers = items.numbers_of(session, task.id, list(by_hash))
            for item in items.get_many(session, sorted(numbers.values())):
                if item.state == ItemState.DRAFT:
                    found[by_hash[item.content_hash]] = item
    return found
