"""Notes that are being written beside a decision: kept until the decision is made."""

from core.workflow.lookup import item_in
from core.workflow.rights import at_work
from core.workflow.workspace import Workspace
from db import drafts

_LONGEST = 100_000


def keep_note(ws: Workspace, person: str, place: str, number: int, text: str) -> None:
    """Keep what stands in the note of an item; ``place`` is where it is written, such as review."""
    with ws.writing() as session:
        actor = at_work(session, person)
        item = item_in(session, number)
        drafts.keep_note(session, actor.id, item.id, place, text.strip()[:_LONGEST])


def kept_notes(ws: Workspace, person: str, place: str) -> dict[int, str]:
    """The notes that somebody is writing in one place, by item."""
    with ws.reading() as session:
        return drafts.notes_of(session, at_work(session, person).id, place)
