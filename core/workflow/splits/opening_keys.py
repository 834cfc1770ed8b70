"""Keys of openings: what locks the rows of runs on a split that was sealed, and its exports.

Every opening has a secret, which is in the database beside the items and in no other place; the key
of a run or of an export is derived from it and from the run's or the export's name (HKDF, RFC
5869), so that each has its own and no one opens another. Who may read the items may read the
secret: where they are encrypted it is so too, under the same key (``item_keys``), and the database
of a server gives it to researchers and leads.
"""

import secrets

from core.errors import StateError
from core.i18n import tr
from core.workflow.splits import item_keys, split_states
from core.workflow.splits.openings import MODEL
from core.workflow.workspace import Workspace
from db import ledger, splits
from db.engine import Session
from db.schema.sealed_values import FORGED, HIDDEN
from db.vocabulary import EventKind, SplitState

_SECRET_BYTES = 32
_PURPOSE = b"benchseal key of "


def make(session: Session, name: str, opening: int) -> str:
    """Give an opening, named by its event, its secret."""
    secret = secrets.token_hex(_SECRET_BYTES)
    split_id = split_states.split_in(session, name).id
    sealer = item_keys.sealer_of(session, split_id)
    stored = secret if sealer is None else sealer.text(secret)
    splits.add_secret(session, split_id, opening, stored)
    return secret


def opening_for(session: Session, name: str, model: str = "") -> int:
    """The event of the opening under which a split is used: the newest for the model where one
    names it, else the newest. 0 for a split that is not open, whose runs are not locked: it was
    never sealed, or it has expired and is public."""
    if split_states.split_in(session, name).state != SplitState.OPENED:
        return 0
    opened = [
        event
        for event in ledger.of_subject(session, EventKind.SPLIT, name)
        if split_states.state_after(event) == SplitState.OPENED
    ]
    named = [event.id for event in opened if model and event.data.get(MODEL) == model]
    return max(named or [event.id for event in opened], default=0)


def key_of(ws: Workspace, opening: int, purpose: str) -> bytes:
    """The key of a run or an export that was made under an opening.

    StateError for who may not read it.
    """
    with ws.reading() as session:
        secret = splits.secret_of(session, opening)
        event = None if secret else ledger.event(session, opening)
    if not secret and event is not None:
        secret = _made_late(ws, event.subject, opening)
    if not secret or secret in (HIDDEN, FORGED):
        raise StateError(
            tr("The rows are locked under an opening (event {event}) whose key you may not read.",
               event=opening),
            command=_way(ws, opening) if secret == HIDDEN else "",
        )  # fmt: skip
    return _derived(bytes.fromhex(secret), purpose)


def _way(ws: Workspace, opening: int) -> str:
    """How who has a key of the archive gets to the secret of an opening."""
    with ws.reading() as session:
        event = ledger.event(session, opening)
    name = "" if event is None else event.subject
    return tr("For example: benchseal split unlock {name} --identity FILE", name=name)


def _made_late(ws: Workspace, name: str, opening: int) -> str:
    """The secret of an opening by an earlier version of the program, which made none."""
    with ws.writing() as session:
        split_states.split_in(session, name, lock=True)
        return splits.secret_of(session, opening) or make(session, name, opening)


def _derived(secret: bytes, purpose: str) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    info = _PURPOSE + purpose.encode()
    return HKDF(SHA256(), length=_SECRET_BYTES, salt=None, info=info).derive(secret)
