"""Telling outsiders which items of a locked archive were found wrong: a signed file beside it."""

from dataclasses import dataclass
from pathlib import Path

from core.errors import StateError, unwritable
from core.files import canonical_bytes, write_atomic
from core.sealing.archive import Unlocking
from core.sealing.commitments import salt_secret, salted_hash, salts_of
from core.sealing.errata_record import SealedErratum, errata_text
from core.workflow.evaluation.errata import errata
from core.workflow.rights import Action, refuse_early
from core.workflow.sealing.locked_archives import signing_key
from core.workflow.splits import freeze, item_keys, lifecycle
from core.workflow.workspace import Workspace
from db import ledger


@dataclass(frozen=True, slots=True)
class ErrataFile:
    """A file that was written: for which root, with how many errata, signed by which key."""

    split: str
    path: str
    root: str
    errata: int
    key_id: str


def write_errata(
    ws: Workspace, name: str, out: Path, person: str = "", unlocking: Unlocking | None = None
) -> ErrataFile:
    """Write the errata of a split that was sealed by an archive; with none the file says so.

    The hashes of items that are encrypted here need their key: ``unlocking`` opens it. Raises
    StateError where no archive was written with the key of who works here, whose secret
    makes the salts; InputError for a file that cannot be written; RightsError for who may not seal.
    """
    refuse_early(ws, person, Action.SEAL_SPLIT)
    signer = signing_key(ws)
    life = lifecycle.split_life(ws, name)
    notes = [note for note in life.archives if note.key_id == signer.key_id]
    if not notes:
        raise StateError.tr("No locked archive of split “{name}” was written with your key, so its "
                            "errata cannot be signed for an archive.", name=name)  # fmt: skip
    told = _told(ws, name, salt_secret(signer.secret(), life.manifest_hash), unlocking)
    with ws.reading() as session:
        event = ledger.tip(session)
    ws.settle()
    root = notes[-1].root
    about = {"split": name, "split_digest": life.manifest_hash, "root": root, "items": life.size}
    try:
        text = errata_text(about, told, event, signer)
        write_atomic(out, text, durable=True, for_others=True)
    except OSError as error:
        raise unwritable(out, error) from error
    return ErrataFile(name, str(out), root, len(told), signer.key_id)


def _told(
    ws: Workspace, name: str, secret: bytes, unlocking: Unlocking | None
) -> list[SealedErratum]:
    standing = {str(one.number): one for one in errata(ws)}
    if not any(item.uid in standing for item in freeze.members_of(ws, name)):
        return []
    told, salts = [], salts_of(secret)
    with item_keys.using_key(item_keys.key_from(ws, name, unlocking)):
        for item in freeze.members_of(ws, name):
            if (one := standing.get(item.uid)) is not None:
                (salt,) = salts((item.uid,))
                found = salted_hash(salt, canonical_bytes(item.as_json()))
                told.append(SealedErratum(item.position, found.hex(), one.reason, one.at))
    return told
