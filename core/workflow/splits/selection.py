"""Which items a freeze takes: all that are ready, or a stratified random draw by a recorded seed.

A draw of n of a task's items gives every stratum, the items of one label, domain and format, its
share of n, rounded by the largest remainders; within a stratum every item is as likely. A label or
domain that fewer than two items have on average is none to draw by.
"""

import math
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from core.audit.sampling import draw
from core.errors import InputError
from core.families.instruction_payload import VARIANT
from core.files import digest_of_hashes
from core.workflow.protocols import settings_of
from core.workflow.splits.halves import public_items, shares_of
from db import benchmarks, items
from db.engine import Session
from db.items import FreezableRow, FreezableRows
from db.queries.held_items import HeldItem
from db.vocabulary import ItemState

STRATA = ("label", "domain", "format")
_ROUNDING = 1e-9  # a share of 0.55 of 100 items is 55.00000000000001 in floating point
_FEWEST_OF_A_KIND = 2


@dataclass(frozen=True, slots=True)
class FreezeOrder:
    """What is to be frozen: of which benchmark, under which name, with a public part (its name) or
    none, of each task in ``sizes`` so many, by which seed, and ``without`` which items."""

    name: str
    benchmark: str
    public: str = ""
    sizes: Mapping[str, int] | None = None
    seed: int | None = None
    without: frozenset[int] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the splits, the private one first."""
        return (self.name, self.public) if self.public else (self.name,)


@dataclass(frozen=True, slots=True)
class SplitPart:
    """One split to be frozen: its name, its items by number, and what its record says besides."""

    name: str
    rows: Sequence[FreezableRow]
    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Selection:
    """The items that a freeze takes: ``parts`` in the order private, public, and all that were
    ``ready``; those that are merely accepted no audit has seen."""

    parts: tuple[SplitPart, ...]
    ready: Sequence[FreezableRow]

    @property
    def digest(self) -> str:
        """SHA-256 in hex of what every part takes, in its order: another one is another choice."""
        return digest_of_hashes(
            f"{part.name}:{row.id}:{row.revision}" for part in self.parts for row in part.rows
        )


def checked_seed(seed: int | None) -> int:
    """The seed that was given, or a new one; InputError for one out of range."""
    if seed is not None and not 0 <= seed < 2**63:
        raise InputError.tr("A seed is a whole number from 0 to 2^63 − 1.")
    return secrets.randbelow(2**31) if seed is None else seed


def ready_items(
    session: Session, benchmark_id: int, held: Mapping[int, HeldItem] = MappingProxyType({})
) -> FreezableRows:
    """All items to freeze by number; those that are merely accepted no audit has seen. Those that
    an earlier freeze under the same name ``held`` are as they were before it."""
    in_round_one = tasks_in_round_one(session, benchmark_id)
    states = (ItemState.APPROVED, ItemState.ACCEPTED)
    if not held:
        rows: Iterable[FreezableRow] = items.freezable(session, benchmark_id, states)
    else:
        every = items.freezable(session, benchmark_id, (*states, ItemState.FROZEN))
        rows = (
            row._replace(state=held[row.id].state) if row.id in held else row
            for row in every
            if row.state != ItemState.FROZEN or row.id in held
        )
    return FreezableRows(
        row
        for row in rows
        if row.state == ItemState.APPROVED or (row.is_free and row.task_id in in_round_one)
    )


def tasks_in_round_one(session: Session, benchmark_id: int) -> set[int]:
    """Tasks whose accepted items may be frozen without an audit: none has begun, or none is due."""
    return {
        task.id
        for task in benchmarks.tasks(session, benchmark_id)
        if task.round == 1 or settings_of(task.protocol).audit_sample == 0
    }


def draw_tasks(
    session: Session, ready: FreezableRows, order: FreezeOrder, seed: int
) -> tuple[FreezableRows, dict[str, Any]]:
    """The rows of the chosen tasks in the chosen sizes, and what the record says of the choice.

    InputError for sizes that cannot be had.
    """
    rows = ready
    if order.without:
        rows = FreezableRows(row for row in ready if row.id not in order.without)
    record: dict[str, Any] = {"left_out": sorted(order.without)} if order.without else {}
    if order.sizes is None:
        return rows, record
    if not order.sizes:
        raise InputError.tr("Choose at least one task to freeze.")
    questions: dict[str, FreezableRows] = {}
    wordings: dict[str, list[int]] = {}
    tasks = {row.task_id for row in rows}
    names = {task_id: benchmarks.task_name(session, task_id) for task_id in tasks}
    for row in rows:
        name = names[row.task_id]
        if row.format == VARIANT:
            wordings.setdefault(name, []).append(row.id)
        else:
            questions.setdefault(name, FreezableRows()).append(row)
    kept: set[int] = set()
    for name, size in order.sizes.items():
        of_task = questions.get(name, FreezableRows())
        if size < 1:
            raise InputError.tr("The size of “{task}” must be at least one item.", task=name)
        if size > len(of_task):
            raise InputError.tr("Only {ready} of “{task}” can be frozen, not {size}.", task=name,
                                ready=len(of_task), size=size)  # fmt: skip
        kept.update(_of_every_stratum(of_task, size, seed))
        kept.update(wordings.get(name, ()))
    record |= {"sizes": dict(order.sizes), "size_seed": seed, "strata": list(STRATA)}
    return FreezableRows(row for row in rows if row.id in kept), record


def _of_every_stratum(rows: Sequence[FreezableRow], size: int, seed: int) -> set[int]:
    strata: dict[tuple[str, ...], list[str]] = {}
    stratum_of = strata_of(rows)
    for row in rows:
        strata.setdefault(stratum_of(row), []).append(str(row.id))
    ordered = dict(sorted(strata.items()))
    chosen: set[int] = set()
    for place, (stratum, count) in enumerate(shares_of(ordered, size).items()):
        chosen.update(map(int, draw(ordered[stratum], count, (seed + place) % 2**63)))
    return chosen


def strata_of(rows: Sequence[FreezableRow]) -> Callable[[FreezableRow], tuple[str, ...]]:
    """What gives the stratum of each of a task's items, which are all of these: what it is by
    label, domain and format; empty texts for what is too rare to draw by."""
    kinds = [{str(getattr(row, name)) for row in rows} for name in STRATA]
    too_rare = [1 < len(values) > len(rows) / _FEWEST_OF_A_KIND for values in kinds]

    def stratum_of(row: FreezableRow) -> tuple[str, ...]:
        values = (str(getattr(row, name)) for name in STRATA)
        return tuple("" if rare else value for rare, value in zip(too_rare, values, strict=True))

    return stratum_of


def public_half(session: Session, rows: Sequence[FreezableRow], seed: int) -> set[int]:
    """Ids of the items that are released, drawn task by task (``halves.public_items``)."""
    questions: dict[int, FreezableRows] = {}
    wordings: dict[int, list[int]] = {}
    for row in rows:
        of_task = questions.setdefault(row.task_id, FreezableRows())
        if row.format == VARIANT:
            wordings.setdefault(row.task_id, []).append(row.id)
        else:
            of_task.append(row)
    released: set[int] = set()
    for task_id, asked in sorted(questions.items()):
        share = settings_of(benchmarks.task(session, task_id).protocol).private_share
        count = len(asked) - math.ceil(share * len(asked) - _ROUNDING)
        taken = public_items(asked, count, seed)
        released.update(taken)
        if taken:
            contents = items.contents(session, wordings.get(task_id, ()))
            released.update(n for n in contents if contents[n].payload.get("public"))
    return released
