"""Whole tables for analysis outside the program, column by column; nothing is hidden here.

Who may see which rows is decided above: see ``core.workflow.notebooks``.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from sqlalchemy import Select, select

from db.importing.pending_imports import is_shown
from db.queries.columns import batches, plain_rows
from db.schema.sealed_values import is_locked, opened_document, opened_text
from db.session import Session
from db.splits import SEALED_ITEMS
from db.tables import (
    ANSWER,
    BENCHMARK,
    DECISION,
    GOLD,
    ITEM,
    PERSON,
    RATING,
    REVISION,
    SCREENING,
    SPLIT,
    TASK,
)

ITEM_FIELDS = (
    "id", "benchmark_id", "task_id", "family", "format", "domain", "label", "state", "revision",
    "round", "disputed", "barred", "author_id", "run_id", "content_hash", "at", "changed_at",
)  # fmt: skip
CONTENT_FIELDS = ("payload", "provenance")
DECISION_FIELDS = (
    "id", "item_id", "revision", "stage", "kind", "person_id", "verdict", "reason", "note",
    "seconds", "lot_id", "at",
)  # fmt: skip
RATING_FIELDS = (
    "id", "item_id", "revision", "person_id", "criterion", "value", "seconds", "at",
)  # fmt: skip
SCREENING_FIELDS = (
    "id", "item_id", "revision", "run_id", "model", "prompt_version", "outcome", "score",
    "threshold", "audited", "tokens", "rationale", "at",
)  # fmt: skip
ANSWER_FIELDS = ("item_id", "variant", "outcome", "text", "extracted", "score")

Table = dict[str, Any]
"""Columns of equal length by the names of their fields: lists, or arrays of whole numbers."""


def items(session: Session, benchmark_id: int | None = None, task_id: int | None = None) -> Table:
    """``ITEM_FIELDS`` of all items, or those of a benchmark or task, by id."""
    query = select(*[ITEM.c[name] for name in ITEM_FIELDS])
    return _table(session, _narrow(query, benchmark_id, task_id), ITEM_FIELDS)


def contents(
    session: Session, benchmark_id: int | None = None, task_id: int | None = None
) -> Table:
    """``id`` and ``CONTENT_FIELDS`` of the present revisions of the same items, by id; None for
    those that are sealed and whose key is not here."""
    columns = [REVISION.c[name] for name in CONTENT_FIELDS]
    query = select(ITEM.c.id, *columns).join(
        REVISION, (REVISION.c.item_id == ITEM.c.id) & (REVISION.c.number == ITEM.c.revision)
    )
    table = _table(session, _narrow(query, benchmark_id, task_id), ("id", *CONTENT_FIELDS))
    payloads = [opened_document(value) for value in table["payload"]]
    table["payload"] = [None if is_locked(value) else value for value in payloads]
    table["provenance"] = [
        None if payload is None else opened_document(value)
        for payload, value in zip(table["payload"], table["provenance"], strict=True)
    ]
    return table


def _narrow(query: Select[Any], benchmark_id: int | None, task_id: int | None) -> Select[Any]:
    query = query.where(is_shown())
    if benchmark_id is not None:
        query = query.where(ITEM.c.benchmark_id == benchmark_id)
    return query if task_id is None else query.where(ITEM.c.task_id == task_id)


def decisions(session: Session) -> Table:
    """``DECISION_FIELDS`` of all decisions that stand, by id."""
    query = select(*[DECISION.c[name] for name in DECISION_FIELDS])
    return _table(session, query.where(DECISION.c.withdrawn_event.is_(None)), DECISION_FIELDS)


def ratings(session: Session) -> Table:
    """``RATING_FIELDS`` of all ratings that stand, by id."""
    query = select(*[RATING.c[name] for name in RATING_FIELDS])
    return _table(session, query.where(RATING.c.withdrawn_event.is_(None)), RATING_FIELDS)


def screenings(session: Session) -> Table:
    """``SCREENING_FIELDS`` of all screenings, by id."""
    query = select(*[SCREENING.c[name] for name in SCREENING_FIELDS])
    return _opened(_table(session, query, SCREENING_FIELDS), "rationale")


def answers(session: Session, run_id: str) -> Table:
    """``ANSWER_FIELDS`` of the answers of a run, by item and variant."""
    query = select(*[ANSWER.c[name] for name in ANSWER_FIELDS]).where(ANSWER.c.run_id == run_id)
    rows = plain_rows(session, query.order_by(ANSWER.c.item_id, ANSWER.c.variant))
    columns = zip(*rows, strict=True) if rows else ((),) * len(ANSWER_FIELDS)
    table = {name: list(column) for name, column in zip(ANSWER_FIELDS, columns, strict=True)}
    return _opened(table, "text", "extracted")


def _opened(table: Table, *names: str) -> Table:
    """The table with texts as they were written."""
    return table | {name: [value and opened_text(value) for value in table[name]] for name in names}


def names(session: Session, table: str) -> dict[int, str]:
    """Names by id of the benchmarks, tasks, people or splits."""
    source = {"benchmark": BENCHMARK, "task": TASK, "person": PERSON, "split": SPLIT}[table]
    return {row[0]: row[1] for row in session.execute(select(source.c.id, source.c.name))}


def known_verdicts(session: Session) -> dict[int, str]:
    """The known verdict of every gold item in use."""
    query = select(GOLD.c.item_id, GOLD.c.verdict).where(GOLD.c.active.is_(True))
    return {row[0]: row[1] for row in session.execute(query)}


def sealed(session: Session) -> frozenset[int]:
    """The items of splits that are sealed now."""
    return frozenset(session.execute(SEALED_ITEMS).scalars())


def _table(session: Session, query: Select[Any], fields: Sequence[str]) -> Table:
    parts = list(batches(session, query))
    return {name: _whole([part[place] for part in parts]) for place, name in enumerate(fields)}


def _whole(parts: list[Any]) -> Any:
    if parts and all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return list(chain.from_iterable(part for part in parts))
