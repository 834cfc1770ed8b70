"""Receipts of splits: what can be shown to others to prove later what was sealed and how often it
was used, without one word of an item.

A receipt is a function of the ledger up to one event: nothing else is in it, so that it can be
issued again at any time, word for word, and every field of it can be computed again. Sealing,
opening and expiring a split write one into the workspace's folder ``receipts``, and so does every
export and evaluation of a split that was sealed once. The event says so (``PROMISE``), is
committed first, and the receipt is on the disk before the act is reported: a power cut in between
leaves an event without its receipt, which ``verify`` names and ``issue_again`` mends. The other
order could leave a receipt of something that never happened.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.errors import InputError, WorkspaceError
from core.files import canonical_json, json_text, make_durable_folder, write_atomic
from core.i18n import tr
from core.workflow.splits import other_copies, readings, split_states
from core.workflow.splits.readings import Act
from core.workflow.workspace import Workspace
from db import benchmarks, ledger, splits
from db.engine import Session
from db.ledger import LedgerEvent
from db.vocabulary import EventKind, SplitState

VERSION = 3
_WITHOUT_NAMES = 2  # the version that did not say how far names are known
PROMISE = "receipt"
"""The field of an event's data that says which version of a receipt was issued at it."""
NOT_AUTHENTICATED, ACCOUNTS, IN_PART = "not authenticated", "accounts", "accounts in part"
LOGINS, LOGINS_IN_PART = "logins", "logins in part"
"""Whether accounts of the operating system, or logins of a server, decided who did what a receipt
tells of."""

_FIRST_FIELDS = (
    "split", "benchmark", "items", "manifest_hash", "sealed_at", "sealed_by", "event",
    "ledger_hash",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReceiptExport:
    """An export as a receipt lists it; ``digest`` is the SHA-256 of its ``benchseal-export.json``,
    which has those of all its files. Empty in exports of earlier versions."""

    event: int
    at: str
    by: str
    format: str
    items: int
    digest: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """A split as the ledger tells of it up to the event ``last_event``.

    ``manifest_hash`` stands for all items in their order. ``ledger_hash`` is that of the event
    which records the newest sealing, ``last_hash`` that of ``last_event``: each binds everything
    that happened before it. The fields of the sealing are None for a split never sealed.
    ``readings`` counts the other acts by which items were read. ``names`` says who vouches for
    the names in it: nobody in a personal workspace, the accounts in a shared one, the logins of a
    server that has them, and ``IN_PART`` or ``LOGINS_IN_PART`` where only some of its events were
    written while it was so.
    """

    receipt: int
    split: str
    benchmark: str
    items: int
    manifest_hash: str
    state: str
    sealed_at: str | None
    sealed_by: str | None
    event: int | None
    ledger_hash: str | None
    openings: int
    evaluations: int
    exports: tuple[ReceiptExport, ...]
    readings: Mapping[str, int]
    names: str
    as_of: str
    last_event: int
    last_hash: str


@dataclass(frozen=True, slots=True)
class ReceiptCheck:
    """What a receipt says that the ledger does not, by field; and fields that it does not have
    because an earlier version of the program wrote it."""

    wrong: tuple[tuple[str, str], ...]
    absent: tuple[str, ...] = ()


def file_name(split: str, event: int) -> str:
    """The name of the receipt that was issued at an event."""
    return f"{split}-{event:06d}.json"


def promise(session: Session, name: str) -> dict[str, int]:
    """What the event of an export or evaluation says of its receipt: nothing unless the split was
    sealed once."""
    events = ledger.of_subject(session, EventKind.SPLIT, name)
    sealed = any(split_states.state_after(event) == SplitState.SEALED for event in events)
    return {PROMISE: VERSION} if sealed else {}


def receipt_in(
    session: Session, name: str, upto: int | None = None, version: int = VERSION
) -> Receipt:
    """The receipt of a split as of an event, the newest one by default; an event that promised a
    receipt says its version.

    Raises NotFoundError for an unknown split, WorkspaceError where the ledger has not the events.
    """
    row = split_states.split_in(session, name)
    last = ledger.event(session, ledger.tip(session) if upto is None else upto)
    told = _told(ledger.events_about(session, readings.KINDS, name), name)
    if last is None or not any(event.id <= last.id for event in told):
        raise WorkspaceError.tr("The ledger no longer tells how split “{name}” was frozen.",
                                name=name)  # fmt: skip
    benchmark = benchmarks.benchmark(session, row.benchmark_id).name
    return _compute(name, benchmark, told, last, _sharing(session), version)


def issue(ws: Workspace, name: str, event: int) -> Receipt:
    """Write the receipt of an event that promised one, durably, and return it.

    Raises WorkspaceError where the folder refuses it: what the event records has happened, and
    ``issue_again`` writes the receipt later.
    """
    with ws.reading() as session:
        receipt = receipt_in(session, name, event)
    ws.settle()
    other_copies.keep(ws, name)
    path = ws.receipts / file_name(name, event)
    try:
        make_durable_folder(path.parent)
        write(path, receipt)
    except OSError as error:
        raise WorkspaceError.tr(
            "The step is recorded, but its receipt could not be written to “{path}”: {reason}. "
            "Issue it again: benchseal split receipt {name}",
            path=path,
            reason=error.strerror or error,
            name=name,
        ) from error
    return receipt


def issue_again(ws: Workspace, name: str) -> tuple[Receipt, tuple[Path, ...]]:
    """The receipt of a split as it is now, after writing those that its events promised and that
    are missing; the paths of the latter."""
    with ws.reading() as session:
        newest = receipt_in(session, name)
        numbers = [event.id for event in _promising(session, name)]
    ws.settle()
    missing = [n for n in numbers if not (ws.receipts / file_name(name, n)).exists()]
    for number in missing:
        issue(ws, name, number)
    return newest, tuple(ws.receipts / file_name(name, number) for number in missing)


def write(path: Path, receipt: Receipt) -> None:
    """Write a receipt so that it survives a power cut; OSError where that is impossible."""
    write_atomic(path, text_of(receipt), durable=True)


def text_of(receipt: Receipt) -> str:
    """A receipt as its file has it."""
    return json_text(as_json(receipt))


def as_json(receipt: Receipt) -> dict[str, Any]:
    """A receipt as a JSON object."""
    document = asdict(receipt)
    if receipt.receipt == _WITHOUT_NAMES:
        del document["names"]
    return {**document, "exports": list(document["exports"]), "readings": dict(receipt.readings)}


def promised(session: Session) -> Iterator[tuple[str, str]]:
    """(file name, text) of every receipt that should be in the workspace's folder."""
    sharing = _sharing(session)
    for row in splits.all_splits(session):
        told = _told(ledger.events_about(session, readings.KINDS, row.name), row.name)
        benchmark = benchmarks.benchmark(session, row.benchmark_id).name
        for event in told:
            if PROMISE in event.data:
                receipt = _compute(row.name, benchmark, told, event, sharing)
                yield file_name(row.name, event.id), text_of(receipt)


def _promising(session: Session, name: str) -> list[LedgerEvent]:
    told = _told(ledger.events_about(session, readings.KINDS, name), name)
    return [event for event in told if PROMISE in event.data]


def _told(events: Sequence[LedgerEvent], name: str) -> list[LedgerEvent]:
    """The steps and readings of a split among events that name it."""
    return [
        event
        for event in events
        if (event.kind == EventKind.SPLIT and event.subject == name)
        or readings.reading_of(event, name) is not None
    ]


def _sharing(session: Session) -> list[tuple[int, str]]:
    """(event, who vouches for names from it on), oldest first."""
    steps = ledger.of_kind(session, EventKind.WORKSPACE)
    return [(event.id, _vouching(event)) for event in steps]


def _vouching(event: LedgerEvent) -> str:
    if event.data.get("logins"):
        return LOGINS
    return ACCOUNTS if event.data.get("shared") else NOT_AUTHENTICATED


def _names(events: Sequence[LedgerEvent], sharing: Sequence[tuple[int, str]]) -> str:
    """Who vouched for the names of these events: of all, of some or of none of them."""
    found = {
        next((state for number, state in reversed(sharing) if number < event.id), NOT_AUTHENTICATED)
        for event in events
    }
    if len(found) == 1:
        return found.pop()
    return (
        LOGINS_IN_PART if LOGINS in found else IN_PART if ACCOUNTS in found else NOT_AUTHENTICATED
    )


def _version(last: LedgerEvent, version: int) -> int:
    """The version of the receipt that an event promised, else the one that is asked for."""
    promised = last.data.get(PROMISE)
    return promised if promised in (_WITHOUT_NAMES, VERSION) else version


def _compute(
    name: str,
    benchmark: str,
    told: Sequence[LedgerEvent],
    last: LedgerEvent,
    sharing: Sequence[tuple[int, str]],
    version: int = VERSION,
) -> Receipt:
    events = [event for event in told if event.id <= last.id]
    steps = [
        (state, event)
        for event in events
        if event.kind == EventKind.SPLIT and (state := split_states.state_after(event))
    ]
    frozen = next((event for state, event in steps if state == SplitState.FROZEN), None)
    data = frozen.data if frozen is not None else {}
    sealing = [event for state, event in steps if state == SplitState.SEALED]
    sealed = sealing[-1] if sealing else None
    entries = [
        (event, entry)
        for event in events
        if (entry := readings.reading_of(event, name)) is not None
    ]
    acts = Counter(entry.act for _, entry in entries)
    exports = tuple(
        ReceiptExport(
            entry.event, entry.at, entry.person, entry.purpose, entry.items,
            str(event.data.get("export", "")),
        )
        for event, entry in entries
        if entry.act == Act.EXPORT
    )  # fmt: skip
    return Receipt(
        receipt=_version(last, version),
        split=name,
        benchmark=str(data.get("benchmark", benchmark)),
        items=int(data.get("items", 0)),
        manifest_hash=str(data.get("digest", "")),
        state=steps[-1][0] if steps else "",
        sealed_at=sealed.at if sealed else None,
        sealed_by=sealed.actor if sealed else None,
        event=sealed.id if sealed else None,
        ledger_hash=sealed.hash if sealed else None,
        openings=sum(state == SplitState.OPENED for state, _ in steps),
        evaluations=acts.pop(Act.EVALUATION, 0),
        exports=exports,
        readings={act: n for act, n in sorted(acts.items()) if act != Act.EXPORT},
        names=_names(events, sharing),
        as_of=last.at,
        last_event=last.id,
        last_hash=last.hash,
    )


def check(session: Session, document: Mapping[str, Any]) -> ReceiptCheck:
    """Compute every field of a receipt again and compare it with what the receipt says.

    Raises InputError for a JSON object that is not a receipt.
    """
    if not isinstance(document.get("split"), str) or not isinstance(
        document.get("manifest_hash"), str
    ):
        raise InputError.tr("This is not the receipt of a split.")
    is_first = PROMISE not in document and not set(document) - set(_FIRST_FIELDS)
    number = document.get("event" if is_first else "last_event")
    if isinstance(number, bool) or not isinstance(number, int):
        raise InputError.tr("This is not the receipt of a split.")
    if _is_foreign(session, document):
        return ReceiptCheck((("split", _foreign()),))
    if splits.named(session, document["split"]) is None:
        return ReceiptCheck((("split", tr("there is no split “{name}”", name=document["split"])),))
    if ledger.event(session, number) is None:
        where = "event" if is_first else "last_event"
        return ReceiptCheck(((where, tr("the ledger has no event {number}", number=number)),))
    try:
        version = _WITHOUT_NAMES if document.get("receipt") == _WITHOUT_NAMES else VERSION
        computed = as_json(receipt_in(session, document["split"], number, version))
    except WorkspaceError as error:
        return ReceiptCheck((("split", str(error)),))
    fields = _FIRST_FIELDS if is_first else tuple(computed)
    wrong = [
        (name, _said(document[name], computed[name]))
        for name in fields
        if name in document and canonical_json(document[name]) != canonical_json(computed[name])
    ]
    if any(name == "last_hash" for name, _ in wrong):
        other = tr("the receipt has another hash for event {number}", number=number)
        wrong.append(("last_event", other))
    wrong += [
        (name, tr("the receipt does not have this field"))
        for name in fields
        if name not in document
    ]
    wrong += [
        (name, tr("no receipt has such a field")) for name in document if name not in computed
    ]
    absent = tuple(name for name in computed if name not in fields) if is_first else ()
    return ReceiptCheck(tuple(wrong), absent)


def _is_foreign(session: Session, document: Mapping[str, Any]) -> bool:
    """Whether this workspace has neither the content of a receipt's split nor one of its events."""
    if any(row.manifest_hash == document["manifest_hash"] for row in splits.all_splits(session)):
        return False
    for number, hashed in (("event", "ledger_hash"), ("last_event", "last_hash")):
        found = document.get(number)
        event = ledger.event(session, found) if isinstance(found, int) else None
        if event is not None and event.hash == document.get(hashed):
            return False
    return True


def _foreign() -> str:
    return tr(
        "This receipt is from another workspace, or the ledger here was rewritten: neither the "
        "items of the split nor the events that it names are in this workspace."
    )


def _said(value: object, computed: object) -> str:
    return tr(
        "the receipt says {value}, but the ledger gives {computed}",
        value=canonical_json(value),
        computed=canonical_json(computed),
    )
