"""What was handed out in work packages: their items, and what has become of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import select

from db import clock
from db.assignments import COLUMNS, AssignmentRow
from db.session import Session
from db.tables import ASSIGNMENT, EVENT, PERSON
from db.vocabulary import PACKAGED, AssignmentState, EventKind, Stage

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class PackagedItem:
    """An item of a package as it was handed out (``at``, ISO) by a lead to a person, until a day
    (ISO). ``claim`` is theirs on it; None where it has gone into a later package of theirs."""

    package: str
    person: str
    lead: str
    at: str
    until: str
    claim: AssignmentRow | None
    is_held: bool
    """Whether it still waits for them."""


def packaged(session: Session, package: str = "") -> list[PackagedItem]:
    """The items of every package, or of one, the newest package first. Each event that hands an
    item out names its package, so the ledger is read through once."""
    query = select(EVENT.c.at, EVENT.c.actor, EVENT.c.item_id, EVENT.c.data).where(
        EVENT.c.kind == EventKind.CLAIMED, EVENT.c.data.contains('"package":', autoescape=True)
    )
    events = [
        (at, lead, int(item), data)
        for at, lead, item, text in session.execute(query.order_by(EVENT.c.id.desc()))
        if isinstance((data := orjson.loads(text)).get("package"), str)
    ]
    claims = _claims(session, sorted({item for _, _, item, _ in events}))
    moment = clock.moment(session)
    return [
        PackagedItem(
            data["package"], data["person"], lead, at, data["until"], claim,
            claim is not None and _lasts(claim, moment),
        )
        for (at, lead, item, data) in events
        for claim in (claims.pop((data["person"], item, data["revision"]), None),)
        if package in ("", data["package"])
    ]  # fmt: skip


def _lasts(claim: AssignmentRow, moment: datetime) -> bool:
    return (
        claim.state == AssignmentState.LEASED
        and claim.reason == PACKAGED
        and claim.lease_until is not None
        and claim.lease_until >= moment
    )


def _claims(session: Session, items: list[int]) -> dict[tuple[str, int, int], AssignmentRow]:
    """Claims to review some items, by (person, item, revision)."""
    return {(row[0], row[2], row[3]): AssignmentRow(*row[1:]) for row in _rows(session, items)}


def _rows(session: Session, items: list[int]) -> Iterator[Any]:
    query = select(PERSON.c.name, *COLUMNS).join(PERSON, PERSON.c.id == ASSIGNMENT.c.person_id)
    for start in range(0, len(items), _AT_ONCE):
        yield from session.execute(
            query.where(
                ASSIGNMENT.c.stage == Stage.CHECK,
                ASSIGNMENT.c.item_id.in_(items[start : start + _AT_ONCE]),
            )
        )
