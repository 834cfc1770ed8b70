"""Writing a split as a locked archive, and looking at one: see ``core.sealing.archive``.

The items go from the database through encryption into the file a page at a time, compared on the
way with what was frozen. The ledger tells who wrote the archive, with its digest and its root,
before it appears. A private key, a passphrase or a share never enters the workspace but for the
signing key, which is in its folder ``keys``, for its owner's eyes alone.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from core.accounts import login
from core.errors import InputError, StateError, unreadable, unwritable
from core.files import NewFile, file_digest, read_regular, readable_by_others, sync_folder
from core.json_lines import json_line
from core.release import manifest as manifests
from core.release.frozen_items import spelled
from core.sealing import archive, container
from core.sealing.archive import ArchiveCheck, Locks, SealedArchive, Unlocking
from core.sealing.commitments import CommittedRow, salt_secret
from core.sealing.custodians import write_shares
from core.sealing.errata_record import ErrataCheck, check_errata
from core.sealing.signing import Signer, signer_at
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.sealing import plain_remains
from core.workflow.sealing.manifest_facts import facts_of
from core.workflow.sealing.plain_remains import PlainRemains
from core.workflow.sealing.quoted_items import quoted_items
from core.workflow.splits import (
    freeze,
    interruptions,
    item_keys,
    lifecycle,
    plain_files,
    receipts,
    split_states,
)
from core.workflow.workspace import Workspace
from db import ledger, splits
from db.engine import Session
from db.queries import sealing as rows
from db.vocabulary import EventKind, SplitState

_MOST_BYTES = 2**26


@dataclass(frozen=True, slots=True)
class SealOrder:
    """How a split is locked: into which file, for whom, and for which evaluation period.

    ``shares`` is the folder for the custodians' shares; ``period`` is free text such as
    ``2026-07/2026-12``, ``cutoff`` the day (YYYY-MM-DD) until which a model may have read the web
    and still know none of the items, ``policy`` is ``openings.ONCE`` or empty. ``keep_plain``
    leaves the items readable in the database; ``unlocking`` opens those that are sealed there.
    """

    out: Path
    locks: Locks
    shares: Path | None = None
    period: str = ""
    cutoff: str = ""
    policy: str = ""
    keep_plain: bool = False
    unlocking: Unlocking | None = None


@dataclass(frozen=True, slots=True)
class LockedArchive:
    """An archive as it was written, with the paths of the custodians' shares; ``encrypted`` is
    whether the items in the database are ciphertext, ``remains`` where plain text still lies."""

    split: str
    path: str
    sha256: str
    root: str
    items: int
    key_id: str
    shares: tuple[str, ...] = ()
    encrypted: bool = False
    remains: tuple[PlainRemains, ...] = ()


def signing_key(ws: Workspace) -> Signer:
    """The signing key of who works here in this workspace; made where there is none.

    InputError where the file cannot be used.
    """
    name = quote(ws.login if ws.has_logins else login(), safe="")
    return signer_at(ws.place.folder / "keys" / f"{name}.pem")


def seal(ws: Workspace, name: str, person: str, order: SealOrder) -> LockedArchive:
    """Write a split as a locked archive; a frozen split is sealed by it, and its items in the
    database are encrypted for who can open the archive (``splits.item_keys``).

    Raises InputError for locks or a file that cannot be used, StateError for a split that has
    expired or is not as it was frozen, RightsError for who may not seal.
    """
    refuse_early(ws, person, Action.SEAL_SPLIT)
    state = freeze.info(ws, name).state
    lifecycle.refuse_expired(name, state)
    if order.policy:
        lifecycle.refuse_late_policy(name, state)
    _refuse_order(order)
    if not order.keep_plain:
        item_keys.refuse_unsealable(ws, person)
    with (
        item_keys.using_key(item_keys.key_from(ws, name, order.unlocking)),
        interruptions.noted(ws, name),
    ):
        quoted = () if order.keep_plain else quoted_items(ws, name)
        locked = _seal(ws, name, person, order)
        if not locked.encrypted:
            return locked
        return replace(locked, remains=plain_remains.clean(ws, name) + quoted)


def _seal(ws: Workspace, name: str, person: str, order: SealOrder) -> LockedArchive:
    facts = {
        **facts_of(ws, name),
        "period": order.period,
        "model_cutoff": order.cutoff,
        "policy": order.policy,
    }
    signer = signing_key(ws)
    shares: tuple[Path, ...] = ()
    try:
        with closing(NewFile(order.out, readable_by_others())) as file:
            sealed, digest = write_items(ws, name, file, facts, order.locks, signer)
            shares = write_shares(order.shares, sealed.shares) if order.shares else ()
            _tell(ws, name, person, order, sealed, digest)
            file.publish()
        sync_folder(order.out.parent)
    except BaseException as error:
        for path in shares:
            with suppress(OSError):
                path.unlink()
        if isinstance(error, OSError):
            raise InputError.tr("Could not write “{path}”: {reason}.", path=order.out,
                                reason=error.strerror or error) from error  # fmt: skip
        raise
    return LockedArchive(name, str(order.out), digest, sealed.root, sealed.items, sealed.key_id,
                         tuple(map(str, shares)), item_keys.state_of(ws, name).sealed)  # fmt: skip


def write_items(
    ws: Workspace, name: str, file: NewFile, facts: Mapping[str, Any], locks: Locks, signer: Signer
) -> tuple[SealedArchive, str]:
    """Write a split's items to a new file as an archive, down to the disk, and its SHA-256;
    ``facts`` go into its manifest. StateError where the items are not as they were frozen, OSError
    of the disk."""
    secret = salt_secret(signer.secret(), str(facts["split_digest"]))
    with ws.reading() as session:
        rows = rows_of(ws, session, name)
        sealed = archive.write(file.handle, rows, facts, locks, signer, secret)
    file.complete()
    file.handle.seek(0)
    return sealed, hashlib.file_digest(file.handle, "sha256").hexdigest()


def _refuse_order(order: SealOrder) -> None:
    archive.refuse_unusable(order.locks)
    if (order.locks.custody is None) != (order.shares is None):
        raise InputError.tr("Custodians and a folder for their shares go together.")
    if order.out.exists():
        raise InputError.tr("“{path}” is there already; name a new file.", path=order.out)
    refuse_cutoff(order.cutoff)


def refuse_cutoff(day: str) -> None:
    """InputError for what is not a day, as ``2026-07-01`` or empty."""
    if day:
        try:
            date.fromisoformat(day)
        except ValueError as error:
            raise InputError.tr("“{day}” is not a day; write it as 2026-07-01.", day=day) from error


def _tell(
    ws: Workspace, name: str, person: str, order: SealOrder, sealed: SealedArchive, digest: str
) -> None:
    locks = order.locks
    data = {
        "sha256": digest, "root": sealed.root, "key_id": sealed.key_id,
        "recipients": len(locks.recipients), "passphrase": bool(locks.passphrase),
        "custodians": f"{locks.custody.needed}/{locks.custody.shares}" if locks.custody else "",
    }  # fmt: skip
    key, more = b"", dict[str, Any]()
    with writing_as(ws, person, Action.SEAL_SPLIT) as (session, actor):
        if not order.keep_plain:
            key, more = item_keys.wrap_in(session, name, locks.recipients, sealed.keys)
        event, is_step = lifecycle.archived(session, name, actor, data, order.policy, more)
        if key:
            item_keys.seal_in(session, name, key)
    if key:
        item_keys.keep_if_open(ws, name, key)
    if is_step:
        receipts.issue(ws, name, event.id)
        plain_files.withdraw(ws, name)


def rows_of(ws: Workspace, session: Session, name: str) -> Iterator[CommittedRow]:
    """Each item in order, with its uid as its name; StateError at the end where what was read is
    not what was frozen."""
    row = split_states.split_in(session, name)
    _refuse_changed_files(ws, session, name)
    read = hashlib.sha256()
    for position, member in rows.stream(session, row.id):
        _, content = spelled(member, position)
        found = CommittedRow.of(str(member[0]), content)
        read.update(found.line + b"\n")
        yield found
    if read.hexdigest() != _frozen_files(session, name).get(manifests.ITEMS_FILE, ""):
        freeze.refuse_changed_in(ws, session, name)
        raise StateError.tr("The items of split “{name}” are not as they were frozen.", name=name)


def _frozen_files(session: Session, name: str) -> dict[str, str]:
    """The digests of the files of a split as its freezing told them."""
    events = ledger.of_subject(session, EventKind.SPLIT, name)
    frozen = [event for event in events if split_states.state_after(event) == SplitState.FROZEN]
    return dict(frozen[-1].data.get("files", {})) if frozen else {}


def _refuse_changed_files(ws: Workspace, session: Session, name: str) -> None:
    gone = split_states.withdrawn(session, name)
    for file, digest in _frozen_files(session, name).items():
        path = ws.releases / name / file
        if file in gone and not path.exists():
            continue
        if not path.is_file() or file_digest(path) != digest:
            freeze.refuse_changed_in(ws, session, name)


# --- looking at an archive -------------------------------------------------------------------


def verify(path: Path, expected_key: str = "", expected_root: str = "") -> ArchiveCheck:
    """Check an archive without opening it; InputError for a file that cannot be read.

    ``expected_key`` and ``expected_root`` are the key id and the root that somebody remembers.
    """
    with container.opened(path, archive.ITEMS) as handle:
        return archive.check(handle, expected_key.lower(), expected_root.lower())


def verify_errata(path: Path, errata: Path, checked: ArchiveCheck) -> ErrataCheck:
    """Compare a file of errata with an archive that was checked; InputError for one that cannot be
    read."""
    try:
        content = read_regular(errata, _MOST_BYTES)
    except OSError as error:
        raise unreadable(errata, error) from error
    with container.opened(path, archive.ITEMS) as handle:
        return check_errata(
            content, checked.manifest, checked.key_id, partial(archive.hash_at, handle)
        )


def known_archives(ws: Workspace) -> dict[str, str]:
    """The split of every archive that this workspace has written, by the SHA-256 of its file."""
    return {note.sha256: split for split, note in _archive_notes(ws)}


def known_signers(ws: Workspace) -> dict[str, str]:
    """Who signed archives of this workspace with each key, by the id of the key."""
    return {note.key_id: note.person for _, note in _archive_notes(ws)}


def _archive_notes(ws: Workspace) -> list[tuple[str, lifecycle.ArchiveNote]]:
    """(split, note) of every archive that this workspace has written."""
    with ws.reading() as session:
        return [
            (row.name, note)
            for row in splits.all_splits(session)
            for note in lifecycle.archives_of(session, row.name)
        ]


def unseal(path: Path, unlocking: Unlocking, out: Path | None = None) -> ArchiveCheck:
    """Open an archive and check every item against its hash; write them as JSON lines where
    ``out`` names a file, which appears only when all of them are right, for its owner alone.

    Raises InputError where no key opens it, or the file cannot be read or written.
    """
    if out is not None and out.exists():
        raise InputError.tr("“{path}” is there already; name a new file.", path=out)
    with container.opened(path, archive.ITEMS) as handle:
        if out is None:
            return archive.read_items(handle, unlocking, lambda _item: None)
        return _written(out, lambda take: archive.read_items(handle, unlocking, take))


def _written(
    out: Path, read: Callable[[Callable[[dict[str, Any]], None]], ArchiveCheck]
) -> ArchiveCheck:
    try:
        with closing(NewFile(out, 0o600)) as file:
            checked = read(lambda item: _write_line(file.handle, item))
            if checked.sound:
                file.publish()
    except OSError as error:
        raise unwritable(out, error) from error
    return checked


def _write_line(handle: BinaryIO, item: Mapping[str, Any]) -> None:
    handle.write(json_line(item))


def as_json(locked: LockedArchive) -> dict[str, Any]:
    """What was written, as a JSON object."""
    return {
        **asdict(locked),
        "shares": list(locked.shares),
        "remains": [asdict(one) for one in locked.remains],
    }
