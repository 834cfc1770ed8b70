"""Finding the item or task that is meant, and what its task says of it."""

from typing import TYPE_CHECKING

from core.errors import InputError, NotFoundError
from core.i18n import listed, tr
from core.workflow.people import benchmark_in
from db import benchmarks, items
from db.benchmarks import TaskRow
from db.engine import Session
from db.items import ItemRow

if TYPE_CHECKING:
    from core.workflow.protocols import ProtocolSettings

LARGEST = 2**63  # from here on no database has numbers


def item_in(session: Session, number: int, *, lock: bool = False) -> ItemRow:
    """One item by its number; NotFoundError when there is none."""
    item = items.get(session, number, lock=lock) if 0 < number < LARGEST else None
    if item is None:
        raise NotFoundError.tr("There is no item #{number}.", number=number)
    return item


def task_in(session: Session, name: str, benchmark: str = "") -> TaskRow:
    """The task of that name, which may be given as ``BENCHMARK/TASK``.

    InputError when several benchmarks have one and none is named.
    """
    benchmark_id = benchmark_in(session, benchmark).id if benchmark else None
    tasks = benchmarks.tasks(session, benchmark_id)
    namesakes = [task for task in tasks if task.name == name]
    if not namesakes and not benchmark and "/" in name:
        homes = {row.id: row.name for row in benchmarks.benchmarks(session)}
        namesakes = [t for t in tasks if f"{homes[t.benchmark_id]}/{t.name}" == name]
    if len(namesakes) == 1:
        return namesakes[0]
    if namesakes:
        choices = listed(
            f"{benchmarks.benchmark(session, t.benchmark_id).name}/{t.name}" for t in namesakes
        )
        raise InputError.tr(
            "Several benchmarks have a task “{name}”. Choose one: {choices}.",
            name=name,
            choices=choices,
        )
    known = listed(task.name for task in tasks[:20])
    raise NotFoundError(
        tr("There is no task “{name}”. Available: {known}.", name=name, known=known)
        if known
        else tr("There is no task “{name}”; there are none yet. Add one: benchseal task add NAME",
                name=name)
    )  # fmt: skip


def protocol_of(session: Session, item: ItemRow) -> "ProtocolSettings":
    """The protocol that applies to an item's task now."""
    from core.workflow.protocols import settings_of

    return settings_of(benchmarks.task(session, item.task_id).protocol)


def metric_of(task: TaskRow) -> str:
    """How a task is measured: as its profile says, else as CIF-Bench's catalogue has it."""
    from core.families.catalogue import cif_bench

    known = cif_bench().match(task.name) if task.family == "instruction" else None
    return str(task.profile.get("metric") or (known.metric if known else ""))
