"""The split that is meant, and the state that each of its events brought it to."""

from core.errors import NotFoundError
from core.i18n import tr
from db import splits
from db.engine import Session
from db.ledger import LedgerEvent
from db.splits import SplitRow
from db.vocabulary import SplitState


def split_in(session: Session, name: str, *, lock: bool = False) -> SplitRow:
    """The split of that name; NotFoundError names those there are."""
    row = splits.named(session, name, lock=lock)
    if row is None:
        known = ", ".join(split.name for split in splits.all_splits(session)) or "–"
        raise NotFoundError(
            tr("There is no split “{name}”. Available: {known}.", name=name, known=known)
        )
    return row


def state_after(event: LedgerEvent) -> str:
    """The state that a split's event brought it to; empty for one that is no step."""
    if "state" in event.data:
        return str(event.data["state"])
    is_export = "exported" in event.data
    return SplitState.FROZEN if "digest" in event.data and not is_export else ""
