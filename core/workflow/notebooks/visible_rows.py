"""The rows of the workspace that one person may see, column by column, for tables in a notebook.

What is open about an item is decided where the window asks as well, in ``check.visibility``. Hidden
rows are left out; of a hidden item's own row only what tells about others is. Nothing is written
but that somebody read the texts of private items.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt

from core.errors import StateError
from core.workflow.check.visibility import Visibility, open_provenance, visibility_of
from core.workflow.lookup import task_in
from core.workflow.people import benchmark_in
from core.workflow.rights import Action, require, writing_as
from core.workflow.runs.runs import find_in
from core.workflow.splits import readings
from core.workflow.workspace import Workspace
from db import runs as run_rows
from db.engine import Session
from db.people import PersonRow
from db.queries import whole_tables
from db.queries.whole_tables import Table
from db.schema.sealed_values import HIDDEN
from db.vocabulary import DecisionKind, ItemState

_Mask = npt.NDArray[np.bool_]


class _Items:
    """All items by id, and what of them one person may see.

    ``listed`` marks the items that the person knows of, ``hidden`` those about which others'
    opinions, scores and the author must stay hidden.
    """

    def __init__(self, session: Session, person: PersonRow) -> None:
        self.visibility, self.person = visibility_of(session, person), person.id
        columns = whole_tables.items(session)
        self.ids = np.asarray(columns["id"], np.int64)
        self.revisions = np.asarray(columns["revision"], np.int64)
        self.columns: Table = {**columns, "id": self.ids, "revision": self.revisions}
        numbers, revisions = self.ids.tolist(), self.revisions.tolist()
        known = zip(numbers, revisions, self.columns["state"], strict=True)
        self.hidden = _mask([not self.visibility.shows(*one) for one in known])
        self.listed = _mask([self.visibility.lists(number) for number in numbers])
        self.benchmarks = _named(session, "benchmark", self.columns["benchmark_id"])
        self.tasks = _named(session, "task", self.columns["task_id"])

    def places(self, table: Table) -> npt.NDArray[np.intp]:
        """The place of each row's item."""
        return np.searchsorted(self.ids, np.asarray(table["item_id"], np.int64))

    def open_rows(self, table: Table) -> _Mask:
        """Which rows are about an item that is open to the person, or are what they themselves
        said of an earlier revision."""
        places = self.places(table)
        former = np.asarray(table["revision"], np.int64) != self.revisions[places]
        own = np.asarray(table.get("person_id", np.zeros(len(places)))) == self.person
        return np.asarray(self.listed[places] & (own & former | ~self.hidden[places]), bool)

    def homes(self, table: Table) -> Table:
        """Benchmark and task of each row's item."""
        places = self.places(table).tolist()
        return {
            "benchmark": [self.benchmarks[place] for place in places],
            "task": [self.tasks[place] for place in places],
        }


def person_of(ws: Workspace, name: str) -> PersonRow:
    """The person who looks: NotFoundError for an unknown one, RightsError for one who has left."""
    with ws.reading() as session:
        return require(session, name, Action.READ_TABLES)


def items(ws: Workspace, user: str, benchmark: str = "", task: str = "") -> Table:
    """The items that a person knows of, in their present revision, by number.

    Raises NotFoundError for an unknown benchmark or task, InputError for a task's name that
    several benchmarks have.
    """
    with ws.reading() as session:
        person = require(session, user, Action.READ_TABLES)
        known = _Items(session, person)
        columns, chosen = known.columns, known.listed.copy()
        home = benchmark_in(session, benchmark).id if benchmark else None
        task_id = task_in(session, task, benchmark).id if task else None
        for name, value in (("benchmark_id", home), ("task_id", task_id)):
            if value is not None:
                chosen &= np.asarray(columns[name], np.int64) == value
        contents = whole_tables.contents(session, home, task_id)
        people = whole_tables.names(session, "person")
        gold = whole_tables.known_verdicts(session)
        sealed = whole_tables.sealed(session)
    table = _rows({**columns, "benchmark": known.benchmarks, "task": known.tasks}, chosen)
    table |= _contents_of(table["id"], contents)
    table["hidden"] = known.hidden[chosen]
    table["author"] = _authors(table, people, person.id)
    keys = zip(table["id"].tolist(), table["revision"].tolist(), strict=True)
    table["gold"] = [
        gold.get(key[0]) if known.visibility.shows_gold(*key) else None for key in keys
    ]
    unread = _mask([payload is None for payload in table["payload"]])
    in_sealed = np.isin(table["id"], list(sealed)) | unread
    table["provenance"] = [
        given and open_provenance(given, shown=not hidden)
        for given, hidden in zip(table["provenance"], table["hidden"].tolist(), strict=True)
    ]
    for name in (*_CONTENT, "label"):
        table[name] = _without(table[name], in_sealed)
    return _blinded(table, known.visibility)


def _contents_of(numbers: npt.NDArray[np.int64], contents: Table) -> Table:
    """The contents of these items, in their order; None for what the person may not read."""
    places = {number: place for place, number in enumerate(contents["id"])}
    rows = [places.get(number) for number in numbers.tolist()]
    return {
        name: [None if place is None else contents[name][place] for place in rows]
        for name in _CONTENT
    }


def record_texts_read(ws: Workspace, user: str, numbers: Sequence[int]) -> None:
    """Write into the ledger that a person reads the texts of some items as a table.

    ``ws`` may be open for reading alone; the event is written through a door of its own. Raises
    WorkspaceError where nothing can be written.
    """
    door = Workspace.open(ws.place.database)
    try:
        with writing_as(door, user, Action.READ_TABLES) as (session, person):
            readings.record_items(session, person.name, readings.Act.TABLE, "core.frames", numbers)
    finally:
        door.close()


_CONTENT = whole_tables.CONTENT_FIELDS


def _authors(table: Table, names: Mapping[int, str], own: int) -> list[str | None]:
    """Who wrote each item; of hidden ones only what the person wrote."""
    pairs = zip(table["author_id"], table["hidden"].tolist(), strict=True)
    return [names.get(one) if not hidden or one == own else None for one, hidden in pairs]


def _blinded(table: Table, visibility: Visibility) -> Table:
    """Items as this person sees them in a list: a gold item looks like every other one, and
    nothing tells that others are at work on an item, unless they have the list of all."""
    keys = zip(table["id"].tolist(), table["revision"].tolist(), strict=True)
    as_gold = _mask([visibility.takes_for_review(*key) for key in keys])
    states = [
        ItemState.IN_REVIEW if gold else state
        for gold, state in zip(as_gold.tolist(), table["state"], strict=True)
    ]
    hidden = as_gold if visibility.lists_all else as_gold | table["hidden"]
    told = {name: _without(table[name], hidden) for name in ("disputed", "changed_at")}
    return {**table, **told, "state": states}


def decisions(ws: Workspace, user: str) -> Table:
    """The decisions that stand and that a person may see, by number."""
    with ws.reading() as session:
        known = _Items(session, require(session, user, Action.READ_TABLES))
        table = whole_tables.decisions(session)
        people = whole_tables.names(session, "person")
    chosen = known.open_rows(table)
    if not known.visibility.knows_gold:
        chosen &= _mask([kind != DecisionKind.GOLD for kind in table["kind"]])
    table = _rows(table, chosen)
    return {**table, **known.homes(table), "person": [people[n] for n in table["person_id"]]}


def ratings(ws: Workspace, user: str) -> Table:
    """The ratings that stand and that a person may see, by number."""
    with ws.reading() as session:
        known = _Items(session, require(session, user, Action.READ_TABLES))
        table = whole_tables.ratings(session)
        people = whole_tables.names(session, "person")
    keys = zip(table["item_id"], table["revision"], strict=True)
    table = _rows(table, _mask([known.visibility.shows_ratings(*key) for key in keys]))
    return {**table, **known.homes(table), "person": [people[n] for n in table["person_id"]]}


def screenings(ws: Workspace, user: str) -> Table:
    """The screenings whose scores are open to a person, by number."""
    with ws.reading() as session:
        known = _Items(session, require(session, user, Action.READ_TABLES))
        table = whole_tables.screenings(session)
        sealed = whole_tables.sealed(session)
    table = _rows(table, known.open_rows(table))
    return {**_unread(table, sealed, "rationale"), **known.homes(table)}


def runs(ws: Workspace, user: str) -> Table:
    """All runs as the workspace remembers them, newest first; RightsError for other roles."""
    with ws.reading() as session:
        require(session, user, Action.EVALUATE)
        rows = run_rows.all_runs(session)
        homes = whole_tables.names(session, "benchmark")
        splits = whole_tables.names(session, "split")
    table = {name: [getattr(row, name) for row in rows] for name in _RUN_FIELDS}
    table["benchmark"] = [homes.get(row.benchmark_id or 0) for row in rows]
    table["split"] = [splits.get(row.split_id or 0) for row in rows]
    table["model"] = [row.params.get("model") or row.params.get("engine") for row in rows]
    return table


_RUN_FIELDS = (
    "id", "kind", "title", "launcher", "shards", "at", "taken_in_at", "params", "summary",
)  # fmt: skip


def answers(ws: Workspace, user: str, run: str) -> Table:
    """The answers of an evaluation, by item and variant; those to hidden items are left out.

    ``run`` is a run's id or the beginning of it. Raises NotFoundError for an unknown run,
    StateError for one without answers in the workspace, RightsError for other roles.
    """
    with ws.reading() as session:
        person = require(session, user, Action.EVALUATE)
        row = find_in(session, run)
        if row.taken_in_at is None or row.kind != "evaluate":
            raise StateError.tr(
                "The run “{run}” has no answers here. Those of a finished evaluation are "
                "imported by: benchseal report {run}",
                run=row.id,
            )
        known = _Items(session, person)
        table = whole_tables.answers(session, row.id)
        sealed = whole_tables.sealed(session)
    places = known.places(table)
    table = _rows(table, known.listed[places] & ~known.hidden[places])
    told = _unread(table, sealed, "text", "extracted")
    return {"run": [row.id] * len(table["item_id"]), **told, **known.homes(table)}


def _unread(table: Table, sealed: Collection[int], *columns: str) -> Table:
    """A table without what it says of items in sealed splits, which nobody reads."""
    hidden = np.isin(table["item_id"], list(sealed))
    closed = {
        name: [HIDDEN if at else value for value, at in zip(table[name], hidden, strict=True)]
        for name in columns
    }
    return {**table, **closed}


def _named(session: Session, kind: str, numbers: Sequence[int]) -> list[str]:
    names = whole_tables.names(session, kind)
    return [names[number] for number in np.asarray(numbers).tolist()]


def _mask(values: Sequence[bool]) -> _Mask:
    return np.array(values, bool)


def _rows(table: Table, chosen: _Mask) -> Table:
    """Some rows of every column."""
    return {
        name: column[chosen] if isinstance(column, np.ndarray) else list(compress(column, chosen))
        for name, column in table.items()
    }


def _without(column: Sequence[Any], hidden: _Mask) -> list[Any]:
    """A column with None for every hidden value."""
    return [
        None if missing else value for value, missing in zip(column, hidden.tolist(), strict=True)
    ]
