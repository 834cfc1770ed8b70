"""The key of a split's items: sealing the items where they lie in the database, and unlocking them.

Sealing with an archive replaces what the rows say of the items by ciphertext under a key of the
split (``db.queries.sealed_rows``). The event of the sealing holds this key, wrapped for those who
can open the archive; nothing else in the workspace does. Who opens the split, or unlocks it once it
is open, has the key on their computer until it is locked again or expires (``unlocked_keys``).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from core.errors import StateError
from core.families import shared_source
from core.i18n import tr
from core.workflow import unlocked_keys
from core.workflow.labels import state_label
from core.workflow.rights import Action, acting_name, is_allowed, known_person, writing_as
from core.workflow.splits import split_states
from core.workflow.workspace import Workspace
from db import ledger, splits
from db.engine import Session
from db.ledger import NewEvent
from db.queries import sealed_rows, server_sealing
from db.schema.sealed_values import Sealer, key_name, new_key
from db.vocabulary import EventKind, SplitState

if TYPE_CHECKING:
    from core.sealing.archive import LockedKeys, Unlocking

FIELD = "item_key"
"""The field of an event's data that holds the wrapped key: the fields of a ``WrappedKey``."""
UNLOCKED = "unlocked"
"""The field of an event's data that tells of an unlocking: the id of the key."""


@dataclass(frozen=True, slots=True)
class KeyState:
    """Whether a split's items lie sealed in the database, and whether their key is here."""

    sealed: bool
    here: bool


def state_of(ws: Workspace, name: str) -> KeyState:
    """How the items of a split lie in the database."""
    with ws.reading() as session:
        return state_in(session, name)


def state_in(session: Session, name: str) -> KeyState:
    """As ``state_of``, within a session."""
    split_id = split_states.split_in(session, name).id
    sealed = splits.is_sealed_split(session, split_id)
    return KeyState(sealed, not sealed or not splits.is_locked_split(session, split_id))


def refuse_unsealable(ws: Workspace, person: str) -> None:
    """StateError where the rows of the database cannot be sealed by who asks, WorkspaceError where
    it was last brought up to date by an older program."""
    if not ws.has_logins:
        return
    with ws.reading() as session:
        role = known_person(session, acting_name(session, person)).role
        server_sealing.refuse_older(session, ws.address)
    if not is_allowed(role, Action.OPEN_SPLIT):
        raise StateError.tr(
            "On a server with logins only a lead can encrypt the items where they lie. Ask a "
            "lead, or seal with --keep-plain: the archive is locked, and the database stays "
            "readable."
        )


def wrap_in(
    session: Session, name: str, recipients: tuple[str, ...], locked: "LockedKeys"
) -> tuple[bytes, dict[str, Any]]:
    """The key of a split's items, a new one where they are plain, and what the event that tells of
    its sealing says besides."""
    from core.sealing.wrapped_keys import wrap

    split_id = split_states.split_in(session, name, lock=True).id
    key = _present_key(session, name) if splits.is_sealed_split(session, split_id) else new_key()
    wrapped = asdict(wrap(key, key_name(key), recipients, locked))
    return key, {FIELD: wrapped, **sealed_rows.bind_plain(session, split_id, wrapped["name"])}


def seal_in(session: Session, name: str, key: bytes) -> None:
    """Seal the items of a split in their rows, after the event that says so."""
    sealer = Sealer(key)

    def in_the_clear(provenance: Mapping[str, Any], passage: Any) -> dict[str, Any]:
        return shared_source.in_the_clear(provenance, passage, sealer.stand_in)

    split_id = split_states.split_in(session, name).id
    sealed_rows.seal(session, split_id, sealer, in_the_clear)


def keep_if_open(ws: Workspace, name: str, key: bytes) -> None:
    """Keep the key on this computer where the split is open."""
    with ws.reading() as session:
        state = split_states.split_in(session, name).state
    if state == SplitState.OPENED:
        unlocked_keys.keep_key(key)


def sealer_of(session: Session, split_id: int) -> Sealer | None:
    """What seals texts about a split's items; None for a split whose rows are plain.

    StateError where its key is not on this computer.
    """
    if not splits.is_sealed_split(session, split_id):
        return None
    return Sealer(_present_key(session, splits.get(session, split_id).name))


def sealers_about(session: Session, numbers: Sequence[int]) -> dict[int, Sealer]:
    """What seals words about some items, by number, as the ledger may hold them: they may be the
    key word for word. None for items that are not sealed, nor for who has no key of them, and so
    can quote nothing of them."""
    sealers = {}
    for name in dict.fromkeys(splits.homes_of(session, numbers)):
        row = splits.named(session, name)
        if row is not None and not splits.is_locked_split(session, row.id):
            sealers[name] = sealer_of(session, row.id)
    if not any(sealers.values()):
        return {}
    homes = {number: splits.homes_of(session, [number]) for number in numbers}
    found = ((number, sealers.get(name)) for number, names in homes.items() for name in names)
    return {number: sealer for number, sealer in found if sealer}


def _present_key(session: Session, name: str) -> bytes:
    for wrapped in _wrapped_of_rows(session, name):
        if key := unlocked_keys.find(wrapped["name"]):
            return key
    raise StateError(no_key(name))


def no_key(name: str) -> str:
    """The sentence for who needs the key of a split's items and has not got it."""
    return tr(
        "The items of “{name}” are encrypted in the workspace. Give a key that opens its archive: "
        "--identity FILE, --passphrase or --share FILE.",
        name=name,
    )


def _wrapped(session: Session, name: str) -> list[dict[str, Any]]:
    """The wrapped keys that a split's events hold, the newest first."""
    events = ledger.of_subject(session, EventKind.SPLIT, name)
    return [event.data[FIELD] for event in reversed(events) if is_wrapped(event.data.get(FIELD))]


def _wrapped_of_rows(session: Session, name: str) -> list[dict[str, Any]]:
    """Those of the key under which the items lie sealed: no event names another one."""
    key = splits.key_of_rows(session, split_states.split_in(session, name).id)
    return [one for one in _wrapped(session, name) if one["name"] == key]


def key_ids_in_ledger(session: Session) -> frozenset[str]:
    """The ids of all keys of items of which the ledger tells."""
    rows = splits.all_splits(session)
    return frozenset(one["name"] for row in rows for one in _wrapped(session, row.name))


def is_wrapped(value: object) -> bool:
    """Whether what an event says in ``FIELD`` is a wrapped key."""
    names = {"name", "content", "by_passphrase", "by_custodians", "custodians"}
    return (
        isinstance(value, dict)
        and {"name", "content"} <= value.keys() <= names
        and isinstance(value.get("custodians", {}), dict)
        and all(isinstance(part, str) for field, part in value.items() if field != "custodians")
    )


def key_from(ws: Workspace, name: str, unlocking: "Unlocking | None") -> bytes | None:
    """The key of a split's items, of this computer or by what was given; None for a split whose
    items lie in plain text.

    Raises InputError where what was given does not open it, StateError where a key is needed.
    """
    with ws.reading() as session:
        split_id = split_states.split_in(session, name).id
        if not splits.is_sealed_split(session, split_id):
            return None
        wrapped = _wrapped_of_rows(session, name)
    for one in wrapped:
        if key := unlocked_keys.find(one["name"]):
            return key
    if unlocking is None:
        raise StateError(no_key(name))
    return _unwrapped(wrapped, unlocking)


def _unwrapped(wrapped: list[dict[str, Any]], unlocking: "Unlocking") -> bytes:
    """The key by the newest of the archives that what was given opens; the first error else."""
    from core.errors import InputError
    from core.sealing.wrapped_keys import WrappedKey, unwrap

    failed: InputError | None = None
    for one in wrapped:
        try:
            return unwrap(WrappedKey(**one), unlocking)
        except InputError as error:
            failed = failed or error
    assert failed is not None
    raise failed


def unlock(ws: Workspace, name: str, person: str, unlocking: "Unlocking | None") -> None:
    """Unlock the items of an opened split on this computer, which the ledger tells.

    Of one that has expired, the secrets of openings that an earlier version left encrypted are
    opened for good. Raises InputError where what was given does not open it, StateError for a split
    that is not open, or where nothing was given.
    """
    if _recovered(ws, name, person, unlocking):
        return
    key = key_from(ws, name, unlocking)
    with writing_as(ws, person, Action.EVALUATE) as (session, actor):
        row = split_states.split_in(session, name, lock=True)
        if row.state != SplitState.OPENED:
            raise StateError.tr(
                "Split “{name}” is {state}; only the items of an opened split are unlocked.",
                name=name, state=state_label(row.state)
            )  # fmt: skip
        if key is None:
            return
        data = {UNLOCKED: key_name(key), "digest_of": row.manifest_hash}
        ledger.append(session, NewEvent(EventKind.SPLIT, actor.name, subject=name, data=data))
    unlocked_keys.keep_key(key)


def _recovered(ws: Workspace, name: str, person: str, unlocking: "Unlocking | None") -> bool:
    """Open secrets that lie encrypted although the split has expired; whether there were any."""
    with ws.reading() as session:
        row = split_states.split_in(session, name)
        left = sealed_rows.keys_of_secrets(session, row.id)
        wrapped = [one for one in _wrapped(session, name) if one["name"] in left]
    if row.state != SplitState.EXPIRED or not wrapped:
        return False
    if unlocking is None:
        raise StateError(no_key(name))
    with (
        using_key(_unwrapped(wrapped, unlocking)),
        writing_as(ws, person, Action.EVALUATE) as (session, _),
    ):
        sealed_rows.open_secrets(session, row.id)
    return True


def lock(ws: Workspace, name: str) -> bool:
    """Forget the key of a split's items on this computer; whether it was there."""
    with ws.reading() as session:
        names = [one["name"] for one in _wrapped(session, name)]
    was_there = any(map(unlocked_keys.find, names))
    for one in names:
        unlocked_keys.forget_key(one)
    return was_there


@dataclass(frozen=True, slots=True)
class KeyHandedOut:
    """Somebody got the key of a split's items on their computer; ``at`` is an ISO time, UTC."""

    person: str
    at: str


def unlockings_in(session: Session, name: str) -> tuple[KeyHandedOut, ...]:
    """Each time that the key of a split's items came to a computer, oldest first: by an unlocking,
    by an opening, or by an archive that was made while the split was open."""
    found: list[KeyHandedOut] = []
    state, sealed = "", False
    for event in ledger.of_subject(session, EventKind.SPLIT, name):
        state = str(event.data.get("state", state))
        sealed = sealed or FIELD in event.data
        opens = event.data.get("state") == SplitState.OPENED
        kept = FIELD in event.data and state == SplitState.OPENED
        if sealed and (UNLOCKED in event.data or opens or kept):
            found.append(KeyHandedOut(event.actor, event.at))
    return tuple(found)


@contextmanager
def using_key(key: bytes | None) -> Iterator[None]:
    """Within, this process reads the items under a key."""
    with unlocked_keys.holding_key(key):
        yield


def plain_lines_of(ws: Workspace, name: str) -> server_sealing.PlainLines:
    """What ``open_again_in`` needs of the ledger, read while nobody waits."""
    with ws.reading() as session:
        split_id = split_states.split_in(session, name).id
        sealed = splits.is_sealed_split(session, split_id)
        return sealed_rows.plain_lines(session, split_id) if sealed else {}


def hold_in(session: Session, name: str) -> None:
    """Before the event of an expiry: wait for who writes about encrypted items of a split."""
    split_id = split_states.split_in(session, name, lock=True).id
    if splits.is_sealed_split(session, split_id):
        sealed_rows.hold(session, split_id)


def open_again_in(session: Session, name: str, lines: server_sealing.PlainLines) -> int:
    """Write the items of a split in plain text again; how many revisions were sealed. Where none
    are, no right to change them is asked for."""
    split_id = split_states.split_in(session, name).id
    if not splits.is_sealed_split(session, split_id):
        return 0
    return sealed_rows.open_again(session, split_id, lines)
