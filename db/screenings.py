"""Screenings: the language model's verdicts on item revisions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, insert, select

from db.evidence.bindings import touch
from db.session import Session
from db.tables import ITEM, SCREENING, now
from db.vocabulary import ScreeningOutcome


@dataclass(frozen=True, slots=True)
class ScreeningRow:
    """One verdict."""

    item_id: int
    revision: int
    run_id: str
    outcome: str
    score: float | None
    threshold: float
    rationale: str
    model: str
    prompt_version: str
    audited: bool
    tokens: int


_FIELDS = tuple(ScreeningRow.__dataclass_fields__)
_COLUMNS = tuple(SCREENING.c[name] for name in _FIELDS)


def _row(row: Any) -> ScreeningRow:
    return ScreeningRow(*row)


def add(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write screenings."""
    if rows:
        query = insert(SCREENING).returning(SCREENING.c.id, sort_by_parameter_order=True)
        numbers = session.execute(query, [{"at": now(), **row} for row in rows]).scalars()
        touch(session, "screening", numbers, [row["item_id"] for row in rows])


_NEWEST = (
    select(*_COLUMNS)
    .where(SCREENING.c.item_id == bindparam("item"), SCREENING.c.revision == bindparam("revision"))
    .order_by(SCREENING.c.id.desc())
    .limit(1)
)


def newest_of(session: Session, item_id: int, revision: int) -> ScreeningRow | None:
    """The newest screening of an item revision."""
    keys = {"item": item_id, "revision": revision}
    row = session.connection().execute(_NEWEST, keys).first()
    return _row(row) if row else None


def all_of(session: Session, item_id: int) -> list[ScreeningRow]:
    """All screenings of an item, oldest first."""
    query = select(*_COLUMNS).where(SCREENING.c.item_id == item_id).order_by(SCREENING.c.id)
    return [_row(row) for row in session.execute(query)]


def screened_by(session: Session, run_id: str, numbers: Sequence[int]) -> set[int]:
    """Those of some items, of which there are at most some hundred, that a run has screened."""
    query = select(SCREENING.c.item_id).where(
        SCREENING.c.run_id == run_id, SCREENING.c.item_id.in_(numbers)
    )
    return set(session.execute(query).scalars())


def failed_among(session: Session, numbers: Sequence[int]) -> set[int]:
    """Those of these items whose newest screening, of their present revision, gave no score."""
    usable = (ScreeningOutcome.PASSED, ScreeningOutcome.SCREENED_OUT)
    newer = SCREENING.alias("newer")
    is_newest = ~(
        select(newer.c.id)
        .where(newer.c.item_id == SCREENING.c.item_id, newer.c.id > SCREENING.c.id)
        .exists()
    )
    query = (
        select(SCREENING.c.item_id)
        .join(ITEM, (ITEM.c.id == SCREENING.c.item_id) & (ITEM.c.revision == SCREENING.c.revision))
        .where(SCREENING.c.outcome.not_in(usable), is_newest)
    )
    return set(session.execute(query).scalars()).intersection(numbers)
