"""A reviewer's steps where a server does each in one statement (``db.server.review_steps``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import TextClause, text
from sqlalchemy.exc import DBAPIError

from db import ledger
from db.schema.sealed_values import opened_document, opened_text
from db.session import Session
from db.vocabulary import EventKind

_LONG_WAY = ("BS001", "42501")
"""What is refused so, the long way does, or says why it cannot be done."""


@dataclass(frozen=True, slots=True)
class PlainItem:
    """An item that its reader holds now, as it is shown to them; ``task`` and ``profile`` are those
    of its task."""

    number: int
    revision: int
    task: str
    family: str
    format: str
    domain: str
    barred: str
    payload: dict[str, Any]
    provenance: dict[str, Any]
    defects: list[dict[str, str]]
    profile: dict[str, Any]
    gold_rate: float | None
    """The share of gold items in its task, where it was claimed just now."""
    draw: Sequence[int] | None
    """Where there is such a share, what decides whether a gold item comes first: person, task, and
    how many items of it the person has had."""


@dataclass(frozen=True, slots=True)
class PlainDecision:
    """A committed decision: its event, what became of the item, and what was hidden until then;
    ``others`` are the verdict, reason and note of each other reviewer."""

    event: int
    state: str
    disputed: bool
    score: float | None
    threshold: float | None
    rationale: str
    others: tuple[tuple[str, str, str], ...]


_NEXT = text("SELECT * FROM benchseal.next_to_review(:who, :home, CAST(:seen AS bigint[]))")
_DECIDE = text(
    "CALL benchseal.decide(:who, :number, CAST(:seen AS integer), :verdict, :reason, :note, "
    ":seconds, :token, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
)
_SKIP = text("CALL benchseal.skip(:who, :number, :reason, :token, NULL)")
_ON_DISK = text("SELECT benchseal.on_disk()")


def next_item(
    session: Session, person: str, benchmark: str, seen: Sequence[int]
) -> PlainItem | None:
    """The item that a person holds beyond those in ``seen``, or the next one, claimed; None where
    the long way is to be taken."""
    row = _asked(session, _NEXT, {"who": person, "home": benchmark, "seen": list(seen)})
    if row is None:
        return None
    *fields, event = row
    if event is not None:
        ledger.was_appended(session, EventKind.CLAIMED, event)
    return PlainItem(*map(opened_document, fields))


def decide(
    session: Session, person: str, number: int, revision: int | None, fields: Mapping[str, Any],
    token: str,
) -> PlainDecision | None:  # fmt: skip
    """Write a person's decision on an item that they hold: verdict, reason, note and seconds. It is
    on the server's disk when this returns; None, with nothing written, where the long way is to be
    taken."""
    keys = {"who": person, "number": number, "seen": revision, "token": token}
    row = _asked(session, _DECIDE, {**fields, **keys})
    if row is None or row[0] is None:
        return None
    event, state, disputed, score, threshold, rationale, others = row
    ledger.was_appended(session, EventKind.DECIDED, event)
    shown = tuple((said, opened_text(why), opened_text(note)) for said, why, note in others or ())
    rationale = opened_text(rationale or "")
    return PlainDecision(event, state, disputed, score, threshold, rationale, shown)


def skip(session: Session, person: str, number: int, reason: str, token: str) -> bool:
    """Give an item back undecided; False, with nothing written, where the long way is to be
    taken. On the server's disk as ``decide``."""
    keys = {"who": person, "number": number, "reason": reason, "token": token}
    row = _asked(session, _SKIP, keys)
    if row is None or row[0] is None:
        return False
    ledger.was_appended(session, EventKind.SKIPPED, row[0])
    return True


def on_disk(session: Session) -> None:
    """Return when all that anybody has committed is on the server's disk."""
    session.connection().execute(_ON_DISK)


def _asked(session: Session, call: TextClause, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
    try:
        row = session.connection().execute(call, values).first()
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) in _LONG_WAY:
            return None
        raise
    return None if row is None else tuple(row)
