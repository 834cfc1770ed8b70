"""The split that is meant, and the state that each of its events brought it to."""

from core.errors import NotFoundError
from core.i18n import listed, tr
from db import ledger, splits
from db.engine import Session
from db.ledger import LedgerEvent
from db.splits import SplitRow
from db.vocabulary import EventKind, SplitState

WITHDRAWN = "withdrawn"
"""The field of a sealing's event that names the plain files it took out of the split's folder."""


def split_in(session: Session, name: str, *, lock: bool = False) -> SplitRow:
    """The split of that name; NotFoundError names those there are."""
    row = splits.named(session, name, lock=lock)
    if row is None:
        known = listed(split.name for split in splits.all_splits(session))
        raise NotFoundError(
            tr("There is no split “{name}”. Available: {known}.", name=name, known=known)
            if known
            else tr("There is no split “{name}”; nothing has been frozen yet. Freeze accepted "
                    "items: benchseal freeze NAME", name=name)
        )  # fmt: skip
    return row


def state_after(event: LedgerEvent) -> str:
    """The state that a split's event brought it to; empty for one that is not a step."""
    if "state" in event.data:
        return str(event.data["state"])
    is_export = "exported" in event.data
    return SplitState.FROZEN if "digest" in event.data and not is_export else ""


def withdrawn(session: Session, name: str) -> frozenset[str]:
    """The files that are no longer in a split's folder since it was sealed; none once it has
    expired, when they are there again."""
    events = ledger.of_subject(session, EventKind.SPLIT, name)
    if any(state_after(event) == SplitState.EXPIRED for event in events):
        return frozenset()
    return frozenset(str(file) for event in events for file in event.data.get(WITHDRAWN, ()))
