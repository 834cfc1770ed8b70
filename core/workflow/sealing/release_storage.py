"""Exports, published splits and locked archives for people elsewhere: put into an object store.

Only what this workspace wrote is put there, by the digest that its ledger has of it. The ledger
tells of it before anything is sent: of an export in plain text as a reading, with the address and
its host, of what is locked, whose texts nobody can read there, as a step without items. What is in
plain text never goes out of a split that is sealed, or was and has not expired.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from core.errors import InputError, StateError, unreadable
from core.files import file_digest
from core.jobs.object_store import ObjectStore
from core.release import stored_exports
from core.release.export_check import ExportCheck, check_export, marker_of
from core.release.formats.base import MARKER
from core.release.stored_exports import StoredRelease
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.sealing import locked_archives, packs
from core.workflow.splits import freeze, opening_keys, openings, readings, split_states
from core.workflow.splits.readings import Act
from core.workflow.workspace import Workspace
from db import ledger, splits
from db.engine import Session
from db.ledger import LedgerEvent
from db.vocabulary import EventKind


def push(ws: Workspace, path: Path, address: str, person: str = "") -> StoredRelease:
    """Put an export's folder or a locked archive at an address; what is there is not sent again.

    Raises StateError for what this workspace did not write, and for plain text of a split that was
    sealed and has not expired, RightsError for somebody who may not export, and what
    ``stored_exports`` raises.
    """
    refuse_early(ws, person, Action.EVALUATE)
    digest = _digest_of(path)
    with ws.reading() as session:
        written = _written(session, digest)
        if written is not None:
            _refuse_plain(ws, session, written)
    if written is None:
        raise StateError.tr(
            "“{path}” was not written by this workspace, or was changed since: its ledger does not "
            "know it.", path=path
        )  # fmt: skip
    store = ObjectStore(address)
    tell = partial(_tell, ws, person, written, store, digest)
    if path.is_dir():
        return stored_exports.push_export(store, path, tell)
    return stored_exports.push_file(store, path, digest, tell)


def pull(address: str, out: Path) -> tuple[StoredRelease, ExportCheck | None]:
    """Bring an export to a new folder, and check it, or any other file to a new one, without a
    workspace. Raises what ``stored_exports`` raises, and InputError for an archive that is not as
    it was signed, of which nothing is left here."""
    store = ObjectStore(address)
    if stored_exports.has_export(store):
        return stored_exports.pull_export(store, out), check_export(out)
    above, _, name = store.address.rpartition("/")
    return stored_exports.pull_file(ObjectStore(above), name, out, _refuse_unsigned(address)), None


def _refuse_unsigned(address: str) -> Callable[[Path], None]:
    """InputError for a file from an address that is no archive as it was signed."""

    def refuse(path: Path) -> None:
        try:
            checked = locked_archives.verify(path)
            problem = "" if checked.sound else checked.differences[0].detail
        except InputError as error:
            problem = str(error)
        if problem:
            raise InputError.tr(
                "“{address}” is not a locked archive as it was signed: {detail}",
                address=address, detail=problem,
            )  # fmt: skip

    return refuse


def _refuse_plain(ws: Workspace, session: Session, written: LedgerEvent) -> None:
    """StateError for plain text of a split that is sealed, or was and has not expired."""
    if _is_locked(written):
        return
    name = written.subject
    freeze.refuse_sealed(freeze.info_in(ws, session, name))
    openings.refuse_use(ws, session, name)
    if opening_keys.opening_for(session, name):
        raise StateError.tr(
            "Split “{name}” was sealed and has not expired: only a locked export of it, or its "
            "archive, is put into a storage.", name=name
        )  # fmt: skip


def _tell(
    ws: Workspace, person: str, written: LedgerEvent, store: ObjectStore, digest: str
) -> None:
    """Record what is about to be sent."""
    with writing_as(ws, person, Action.EVALUATE) as (session, actor):
        held = split_states.split_in(session, written.subject, lock=True)
        data = {"split": held.name, "for": readings.receiver_of(store.address, store.host)}
        if _is_locked(written):
            readings.record_locked(session, actor.name, data, digest)
            return
        _refuse_plain(ws, session, written)
        facts = {name: written.data[name] for name in ("items", "digest")}
        readings.record(session, actor.name, Act.STORAGE, {**data, **facts})


def _digest_of(path: Path) -> str:
    if path.is_dir():
        marker_of(path)
        path = path / MARKER
    try:
        return file_digest(path)
    except OSError as error:
        raise unreadable(path, error) from error


def _written(session: Session, digest: str) -> LedgerEvent | None:
    """The event that tells of an export, an archive or a pack with this digest."""
    for row in splits.all_splits(session):
        for event in ledger.of_subject(session, EventKind.SPLIT, row.name):
            archive = event.data.get("archive")
            told = archive.get("sha256") if isinstance(archive, dict) else event.data.get("export")
            if told == digest:
                return event
    return None


def _is_locked(written: LedgerEvent) -> bool:
    data = written.data
    return bool(data.get("archive") or data.get("locked") or data.get("exported") == packs.NAME)
