"""Looking at what there is: pages of items, counts, and one item's life."""

from dataclasses import dataclass, field
from typing import Any

from core.errors import StateError
from core.families.base import Defect, ItemContent
from core.text import tr
from core.workflow.acting import item_in
from core.workflow.administer import benchmark_in
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger, people, reviews, runs, screenings
from db.engine import Session
from db.queries import look as look_rows
from db.queries.look import ItemFilter, ItemLine
from db.vocabulary import ItemState

__all__ = ["ItemFilter", "ItemLine"]


@dataclass(frozen=True, slots=True)
class Filters:
    """What a list of items is narrowed to, in people's words; empty fields do not narrow."""

    benchmark: str = ""
    states: tuple[str, ...] = ()
    task: str = ""
    family: str = ""
    format: str = ""
    domain: str = ""
    disputed: bool | None = None
    run: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of a list and how many there are in all."""

    rows: tuple[ItemLine, ...]
    total: int
    offset: int


@dataclass(frozen=True, slots=True)
class LifeRevision:
    """One revision of an item."""

    number: int
    content: ItemContent
    author: str
    note: str
    defects: tuple[Defect, ...]


@dataclass(frozen=True, slots=True)
class LifeEvent:
    """One line of an item's history."""

    number: int
    at: str
    actor: str
    kind: str
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ItemLife:
    """Everything that is known about one item."""

    number: int
    benchmark: str
    task: str
    state: str
    disputed: bool
    barred: str
    revisions: tuple[LifeRevision, ...]
    decisions: tuple[reviews.DecisionRow, ...]
    screenings: tuple[screenings.ScreeningRow, ...]
    answers: tuple[runs.AnswerRow, ...]
    events: tuple[LifeEvent, ...]


def _filter(session: Session, chosen: Filters) -> ItemFilter:
    benchmark_id = task_id = None
    if chosen.benchmark:
        benchmark_id = benchmark_in(session, chosen.benchmark).id
        if chosen.task:
            task = benchmarks.task_named(session, benchmark_id, chosen.task)
            task_id = task.id if task else -1
    return ItemFilter(
        benchmark_id=benchmark_id,
        states=chosen.states,
        task_id=task_id,
        family=chosen.family,
        format=chosen.format,
        domain=chosen.domain,
        disputed=chosen.disputed,
        run_id=chosen.run,
    )


def page(ws: Workspace, chosen: Filters, offset: int = 0, limit: int = 100) -> Page:
    """One page of the items that match, by number."""
    with ws.reading() as session:
        narrowed = _filter(session, chosen)
        rows = look_rows.page(session, narrowed, offset, limit)
        return Page(tuple(rows), look_rows.count(session, narrowed), offset)


def counts(ws: Workspace, benchmark: str = "") -> dict[str, int]:
    """Items per state, every state named; of all benchmarks when none is given.

    Raises StateError when the states do not add up to the items (promise 3).
    """
    with ws.reading() as session:
        number = benchmark_in(session, benchmark).id if benchmark else None
        found = look_rows.states(session, number)
        total = look_rows.count(session, ItemFilter(benchmark_id=number))
    by_state = {state.value: found.get(state, 0) for state in ItemState}
    if sum(by_state.values()) != total:
        raise StateError(
            tr(
                "The counts do not balance: {sum} items in known states of {total} in all. Run "
                "benchseal verify.",
                sum=sum(by_state.values()),
                total=total,
            )
        )
    return by_state


def progress(ws: Workspace, benchmark: str) -> dict[str, dict[str, int]]:
    """Items per task and state."""
    with ws.reading() as session:
        rows = look_rows.states_by_task(session, benchmark_in(session, benchmark).id)
    table: dict[str, dict[str, int]] = {}
    for task, state, number in rows:
        table.setdefault(task, {})[state] = number
    return table


def life(ws: Workspace, number: int) -> ItemLife:
    """One item's life: revisions, decisions, scores, answers and its ledger."""
    with ws.reading() as session:
        item = item_in(session, number)
        names = {person.id: person.name for person in people.everybody(session)}
        return ItemLife(
            number=number,
            benchmark=benchmarks.benchmark(session, item.benchmark_id).name,
            task=benchmarks.task(session, item.task_id).name,
            state=item.state,
            disputed=item.disputed,
            barred=item.barred,
            revisions=tuple(
                LifeRevision(
                    row.number,
                    ItemContent(item.family, item.format, row.payload, row.provenance, item.domain),
                    names.get(row.author_id or 0, ""),
                    row.note,
                    tuple(Defect(d["name"], d.get("detail", "")) for d in row.defects),
                )
                for row in items.revisions(session, number)
            ),
            decisions=tuple(reviews.decisions_on(session, number)),
            screenings=tuple(screenings.all_of(session, number)),
            answers=tuple(runs.answers_to(session, number)),
            events=tuple(
                LifeEvent(event.id, event.at, event.actor, event.kind, event.data)
                for event in ledger.of_item(session, number)
            ),
        )
