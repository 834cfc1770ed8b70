"""The life of a split after it was frozen: sealing, opening and expiring it, each in the ledger.

A sealed split leaves the program in no form: it is neither exported nor asked until a lead opens
it. Every opening is counted, and every use after it on its own. Its plain items leave the folder of
its release (``plain_files``), and runs on it are locked; sealed with an archive, its items are
encrypted in the database as well (``item_keys``), and whoever opens it needs a key.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from core.errors import InputError, StateError
from core.i18n import listed, tr, trn
from core.workflow import unlocked_keys
from core.workflow.labels import state_label
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.splits import (
    freeze,
    interruptions,
    item_keys,
    opening_keys,
    openings,
    other_copies,
    plain_files,
    readings,
    receipts,
    split_states,
)
from core.workflow.splits.openings import SplitOpening
from core.workflow.splits.readings import Act, Reading
from core.workflow.splits.receipts import Receipt
from core.workflow.workspace import Workspace
from db import ledger, splits
from db.engine import Session
from db.ledger import LedgerEvent, NewEvent
from db.people import PersonRow
from db.splits import SplitRow
from db.vocabulary import EventKind, SplitState

if TYPE_CHECKING:
    from core.sealing.archive import Unlocking

ARCHIVE = "archive"
"""The field of an event's data that tells of a locked archive: the fields of ``ArchiveNote``."""

# Which states each act begins from. A split that was never sealed can expire as well.
_FROM: Mapping[str, tuple[SplitState, ...]] = {
    SplitState.SEALED: (SplitState.FROZEN,),
    SplitState.OPENED: (SplitState.SEALED, SplitState.OPENED),
    SplitState.EXPIRED: (SplitState.FROZEN, SplitState.SEALED, SplitState.OPENED),
}


@dataclass(frozen=True, slots=True)
class SplitStep:
    """One step in the life of a split; ``at`` is an ISO time, UTC, ``model`` whom it was opened
    for, where an opening says so."""

    event: int
    state: str
    person: str
    at: str
    reason: str
    model: str = ""


@dataclass(frozen=True, slots=True)
class ArchiveNote:
    """A locked archive that was written of a split: the SHA-256 of its file, the Merkle root of
    its items, who signed it (``key_id``) and who can open it: how many recipients, whether there
    is a passphrase, and ``custodians`` such as ``2/3``, empty for none."""

    event: int
    at: str
    person: str
    sha256: str
    root: str
    key_id: str
    recipients: int
    passphrase: bool
    custodians: str

    @property
    def openers(self) -> str:
        """Who can open it, in words."""
        parts = []
        if self.recipients:
            parts.append(trn("1 recipient", "{n} recipients", self.recipients))
        if self.passphrase:
            parts.append(tr("passphrase"))
        if self.custodians:
            parts.append(tr("custodians {rule}", rule=self.custodians))
        return listed(parts)


@dataclass(frozen=True, slots=True)
class SplitLife:
    """A split with its steps in order; ``openings`` counts how often it was opened, ``readings``
    are all acts by which its items were read (see ``readings``), oldest first, and ``archives``
    the locked archives that were written of it, ``policy`` is ``openings.ONCE`` or empty,
    ``opened_for`` are the openings that name a model; ``encrypted`` is whether the items in the
    database are ciphertext, ``key_here`` whether they can be read on this computer."""

    name: str
    benchmark: str
    state: str
    size: int
    manifest_hash: str
    openings: int
    steps: tuple[SplitStep, ...]
    readings: tuple[Reading, ...] = ()
    archives: tuple[ArchiveNote, ...] = ()
    policy: str = ""
    opened_for: tuple[SplitOpening, ...] = ()
    encrypted: bool = False
    key_here: bool = True

    @property
    def evaluations(self) -> int:
        """How many evaluations were started."""
        return sum(entry.act == Act.EVALUATION for entry in self.readings)


def expiries(ws: Workspace) -> dict[str, int]:
    """The event by which each split expired that has."""
    with ws.reading() as session:
        names = [row.name for row in splits.all_splits(session) if row.state == SplitState.EXPIRED]
        return {
            name: next((s.event for s in _steps(session, name) if s.state == SplitState.EXPIRED), 0)
            for name in names
        }


def split_life(ws: Workspace, name: str) -> SplitLife:
    """A split's state and every step to it."""
    info = freeze.info(ws, name)
    with ws.reading() as session:
        steps = _steps(session, name)
        read = readings.of_split(session, name)
        archives = archives_of(session, name)
        policy, opened_for = openings.policy_of(session, name), openings.openings_of(session, name)
        key = item_keys.state_in(session, name)
    count = sum(step.state == SplitState.OPENED for step in steps)
    return SplitLife(
        info.name, info.benchmark, info.state, info.size, info.manifest_hash, count, steps,
        read, archives, policy, opened_for, key.sealed, key.here,
    )  # fmt: skip


def archives_of(session: Session, name: str) -> tuple[ArchiveNote, ...]:
    """The locked archives of a split, oldest first."""
    return tuple(
        ArchiveNote(event.id, event.at, event.actor, **event.data[ARCHIVE])
        for event in ledger.of_subject(session, EventKind.SPLIT, name)
        if _is_archive(event.data.get(ARCHIVE))
    )


_ARCHIVE_FIELDS: Mapping[str, type] = {
    "sha256": str, "root": str, "key_id": str, "recipients": int, "passphrase": bool,
    "custodians": str,
}  # fmt: skip


def _is_archive(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == _ARCHIVE_FIELDS.keys()
        and all(type(value[name]) is kind for name, kind in _ARCHIVE_FIELDS.items())
    )


def seal(ws: Workspace, name: str, person: str, policy: str = "") -> Receipt:
    """Seal a frozen split, after checking that it is as it was frozen; returns the receipt, which
    is on the disk then. ``policy`` is ``openings.ONCE``, or empty for none.

    Raises StateError for a split that is not frozen, or that was changed since; WorkspaceError
    where the split is sealed, but its receipt could not be written.
    """
    refuse_early(ws, person, Action.SEAL_SPLIT)
    with interruptions.noted(ws, name):
        with writing_as(ws, person, Action.SEAL_SPLIT) as (session, actor):
            info = freeze.info_in(ws, session, name)
            _refuse_from(name, info.state, SplitState.SEALED)
            freeze.refuse_changed_in(ws, session, name)
            event = _step(session, name, SplitState.SEALED, actor, "", _sealing(policy))
        receipt = receipts.issue(ws, name, event.id)
        plain_files.withdraw(ws, name)
    return receipt


def open_split(
    ws: Workspace,
    name: str,
    person: str,
    reason: str,
    model: str = "",
    unlocking: "Unlocking | None" = None,
) -> SplitLife:
    """Open a sealed split for its evaluation, or once more; leads only, and with a reason.

    ``model`` is whom it is opened for, which a policy needs (see ``openings``). ``unlocking`` opens
    items that are encrypted in the database; their key stays on this computer (``item_keys``).
    Raises InputError without a reason or for keys that do not fit, StateError for a split that is
    not sealed or opened, where the policy needs another lead, or where a key is needed.
    """
    if not reason.strip():
        raise InputError.tr("Opening a split needs a reason.")
    model = model.strip()
    refuse_early(ws, person, Action.OPEN_SPLIT)
    _refuse_from(name, freeze.info(ws, name).state, SplitState.OPENED)
    openings.refuse_early_opening(ws, name, model, person)
    key = item_keys.key_from(ws, name, unlocking)
    with other_copies.one_at_a_time(ws, name), interruptions.receipt_due(ws, name):
        with (
            item_keys.using_key(key),
            writing_as(ws, person, Action.OPEN_SPLIT) as (session, actor),
        ):
            split_states.split_in(session, name, lock=True)
            openings.refuse_opening(ws, session, name, model, actor.name)
            more = {openings.MODEL: model} if model else {}
            event = _step(session, name, SplitState.OPENED, actor, reason.strip(), more)
            opening_keys.make(session, name, event.id)
        if key is not None:
            unlocked_keys.keep_key(key)
        plain_files.withdraw(ws, name)  # where a sealing was interrupted
        receipts.issue(ws, name, event.id)
    return split_life(ws, name)


def expire(
    ws: Workspace,
    name: str,
    person: str,
    reason: str = "",
    unlocking: "Unlocking | None" = None,
) -> SplitLife:
    """End a split's evaluation period: from now on its items count as public; leads only.

    Items that are encrypted in the database are written in plain text again, which needs their key:
    that of this computer, or what ``unlocking`` opens. Raises StateError for a split that has
    expired already or whose key is needed, InputError for keys that do not fit.
    """
    refuse_early(ws, person, Action.EXPIRE_SPLIT)
    _refuse_from(name, freeze.info(ws, name).state, SplitState.EXPIRED)
    with (
        item_keys.using_key(item_keys.key_from(ws, name, unlocking)),
        interruptions.noted(ws, name),
    ):
        with plain_files.restored(ws, name):
            lines = item_keys.plain_lines_of(ws, name)
            with writing_as(ws, person, Action.EXPIRE_SPLIT) as (session, actor):
                item_keys.hold_in(session, name)
                event = _step(session, name, SplitState.EXPIRED, actor, reason.strip())
                item_keys.open_again_in(session, name, lines)
        item_keys.lock(ws, name)
        receipts.issue(ws, name, event.id)
    return split_life(ws, name)


def archived(
    session: Session,
    name: str,
    actor: PersonRow,
    archive: Mapping[str, Any],
    policy: str = "",
    said: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[LedgerEvent, bool]:
    """Write that a locked archive of a split was made, and seal the split if it is frozen.

    ``said`` is what the event says besides. Returns the event, and whether it is a step. StateError
    for a split that has expired.
    """
    row = split_states.split_in(session, name, lock=True)
    refuse_expired(name, row.state)
    if row.state == SplitState.FROZEN:
        more = {ARCHIVE: dict(archive), **_sealing(policy), **said}
        return _step(session, name, SplitState.SEALED, actor, "", more), True
    if policy:
        refuse_late_policy(name, row.state)
    return _tell(session, name, actor, {ARCHIVE: dict(archive), **said}), False


def _sealing(policy: str) -> dict[str, Any]:
    """What the event of a sealing says of it."""
    said = {openings.POLICY: policy} if policy else {}
    return {**said, split_states.WITHDRAWN: list(plain_files.WITHDRAWN)}


def refuse_late_policy(name: str, state: str) -> None:
    """StateError for a policy of a split that is not frozen: it counts from the sealing on."""
    if state != SplitState.FROZEN:
        raise StateError.tr(
            "Split “{name}” is {state}; a policy is set when a frozen split is sealed.",
            name=name, state=state_label(state)
        )  # fmt: skip


def refuse_expired(name: str, state: str) -> None:
    """StateError for a split whose items count as public."""
    if state == SplitState.EXPIRED:
        raise StateError.tr("Split “{name}” has expired; its items are public.", name=name)


def _step(
    session: Session,
    name: str,
    state: SplitState,
    actor: PersonRow,
    reason: str,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> LedgerEvent:
    row = split_states.split_in(session, name, lock=True)
    _refuse_from(name, row.state, state)
    splits.set_state(session, row.id, state)
    if state == SplitState.SEALED:
        splits.end_leases(session, row.id)
    data: dict[str, Any] = {
        "state": state, "before": row.state, "digest": row.manifest_hash, "reason": reason,
        receipts.PROMISE: receipts.VERSION, **more,
    }  # fmt: skip
    return _tell(session, name, actor, data)


def _tell(session: Session, name: str, actor: PersonRow, data: Mapping[str, Any]) -> LedgerEvent:
    number = ledger.append(session, NewEvent(EventKind.SPLIT, actor.name, subject=name, data=data))
    event = ledger.event(session, number)
    assert event is not None
    return event


def _refuse_from(name: str, present: str, next_state: SplitState) -> None:
    if present in _FROM[next_state]:
        return
    sentences = {
        SplitState.SEALED: tr(
            "Split “{name}” is {state}; only a frozen split can be sealed.",
            name=name,
            state=present,
        ),
        SplitState.OPENED: tr(
            "Split “{name}” is {state}; only a sealed split can be opened.",
            name=name,
            state=present,
        ),
        SplitState.EXPIRED: tr("Split “{name}” has already expired.", name=name),
    }
    raise StateError(sentences[next_state])


def _steps(session: Session, name: str) -> tuple[SplitStep, ...]:
    steps = [
        SplitStep(
            event.id,
            state,
            event.actor,
            event.at,
            str(event.data.get("reason", "")),
            str(event.data.get(openings.MODEL, "")),
        )
        for event in ledger.of_subject(session, EventKind.SPLIT, name)
        if (state := split_states.state_after(event))
    ]
    return tuple(steps)


def mismatches(session: Session, row: SplitRow) -> list[str]:
    """In which ways a split's row differs from what its events say."""
    events = ledger.of_subject(session, EventKind.SPLIT, row.name)
    frozen = [event for event in events if split_states.state_after(event) == SplitState.FROZEN]
    if not frozen:
        return [tr("it appears in no event")]
    problems = []
    state = [state for event in events if (state := split_states.state_after(event))][-1]
    if row.state != state:
        problems.append(
            tr(
                "{column} is {value}, but its events give {computed}",
                column=tr("state"),
                value=state_label(row.state),
                computed=state_label(state),
            )
        )
    if row.manifest_hash != frozen[-1].data["digest"]:
        problems.append(tr("its manifest is not the one that was frozen"))
    forms = ((ARCHIVE, _is_archive), (item_keys.FIELD, item_keys.is_wrapped))
    problems += [
        tr("event {event} does not have the form of such an event", event=event.id)
        for event in (*events, *ledger.of_subject(session, EventKind.READING, row.name))
        if any(name in event.data and not is_form(event.data[name]) for name, is_form in forms)
        or readings.is_malformed(event)
    ]
    return problems
