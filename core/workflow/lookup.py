"""What use cases share: finding the item or task that is meant, and who may act on it."""

from typing import TYPE_CHECKING

from core.errors import ConflictError, InputError, NotFoundError, RightsError, StateError
from core.i18n import listed, tr
from core.workflow.labels import BARRED, word
from core.workflow.people import benchmark_in
from db import benchmarks, items
from db.benchmarks import TaskRow
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.vocabulary import Verdict

if TYPE_CHECKING:
    from core.workflow.protocols import ProtocolSettings

LARGEST = 2**63  # from here on no database has numbers


def item_in(session: Session, number: int, *, lock: bool = False) -> ItemRow:
    """One item by its number; NotFoundError when there is none."""
    item = items.get(session, number, lock=lock) if 0 < number < LARGEST else None
    if item is None:
        raise NotFoundError(tr("There is no item #{number}.", number=number))
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
        raise InputError(
            tr(
                "Several benchmarks have a task “{name}”. Choose one: {choices}.",
                name=name,
                choices=choices,
            )
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


def refuse_author(session: Session, item: ItemRow, person: PersonRow) -> None:
    """RightsError when this person wrote the item, or any revision of it."""
    if item.author_id == person.id or items.has_written(session, item.id, person.id):
        raise RightsError(
            tr(
                "{name} wrote item #{number}; someone else must review it.",
                name=person.name,
                number=item.id,
            )
        )


def refuse_changed(session: Session, item: ItemRow, revision: int | None) -> None:
    """ConflictError, saying what changed, when an item is not as it was shown; None: as it is."""
    if revision is None or revision == item.revision:
        return
    newest = items.contents(session, [item.id]).get(item.id)  # unread where it is private
    note = newest.note if newest is not None else ""
    raise ConflictError(
        tr("Item #{number} has changed since it was shown: it is at revision {now} (“{note}”), not "
           "{seen}. Look at it again.", number=item.id, now=item.revision, note=note, seen=revision)
        if note
        else tr("Item #{number} has changed since it was shown: it is at revision {now}, not "
                "{seen}. Look at it again.", number=item.id, now=item.revision, seen=revision)
    )  # fmt: skip


def refuse_barred(item: ItemRow, verdict: str) -> None:
    """StateError when an item that was generated for study only would be accepted."""
    if item.barred and verdict == Verdict.ACCEPT:
        raise StateError(
            tr("Item #{number} cannot be accepted: it was generated {why}.", number=item.id,
               why=word(BARRED, item.barred))
        )  # fmt: skip


def check_words(verdict: str, reason: str, note: str) -> None:
    """InputError for an unknown verdict, and for a rejection or a return without words."""
    if verdict not in [known.value for known in Verdict]:
        raise InputError(
            tr("A decision must be accept, reject or return, not “{verdict}”.", verdict=verdict)
        )
    if verdict == Verdict.REJECT and not reason.strip():
        raise InputError(tr("A rejection needs a reason."))
    if verdict == Verdict.RETURN and not note.strip():
        raise InputError(tr("A return needs a note on what the author should change."))


def metric_of(task: TaskRow) -> str:
    """How a task is measured: as its profile says, else as CIF-Bench's catalogue has it."""
    from core.families.catalogue import cif_bench

    known = cif_bench().match(task.name) if task.family == "instruction" else None
    return str(task.profile.get("metric") or (known.metric if known else ""))
