"""Who may judge an item, and with which verdict: nobody their own, nor what has changed since."""

from core.errors import ConflictError, InputError, RightsError, StateError
from core.i18n import tr
from core.workflow.labels import BARRED, word
from db import items
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.vocabulary import Verdict


def refuse_author(session: Session, item: ItemRow, person: PersonRow) -> None:
    """RightsError when this person wrote the item, or any revision of it."""
    if item.author_id == person.id or items.has_written(session, item.id, person.id):
        raise RightsError.tr(
            "{name} wrote item #{number}; someone else must review it.",
            name=person.name,
            number=item.id,
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
        raise StateError.tr(
            "Item #{number} cannot be accepted: it was generated {why}.", number=item.id,
            why=word(BARRED, item.barred)
        )  # fmt: skip


def refuse_invalid(verdict: str, reason: str, note: str) -> None:
    """InputError for an unknown verdict, a rejection without a reason, a return without a note."""
    if verdict not in [known.value for known in Verdict]:
        raise InputError.tr(
            "A decision must be accept, reject or return, not “{verdict}”.", verdict=verdict
        )
    if verdict == Verdict.REJECT and not reason.strip():
        raise InputError.tr("A rejection needs a reason.")
    if verdict == Verdict.RETURN and not note.strip():
        raise InputError.tr("A return needs a note on what the author should change.")
