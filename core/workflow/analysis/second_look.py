"""A second look at items that are settled: asked for, found again, answered; nothing is unfrozen.

A frozen item never changes, so whoever doubts one, such as an item that strong models all miss in
the same way, asks for a second look at it. The request is an event of the item's life; it is told
wherever the same text comes up again for the next period.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from core.errors import InputError, StateError
from core.i18n import listed, tr, tr_noop
from core.known_names import refuse_unknown
from core.workflow.check.visibility import open_items
from core.workflow.items.bulk import BulkAction, BulkDone, BulkPreview
from core.workflow.items.search import Filters, complete_index, query_of
from core.workflow.lookup import LARGEST, item_in
from core.workflow.people import benchmark_in
from core.workflow.rights import Action, writing_as
from core.workflow.splits import item_keys
from core.workflow.workspace import Workspace
from db import items as item_rows
from db import ledger, people
from db.engine import Session
from db.items import ItemRow
from db.queries import item_search as item_search
from db.queries import second_look as rows
from db.schema.sealed_values import Sealer
from db.vocabulary import EventKind, ItemState

if TYPE_CHECKING:
    from core.workflow.evaluation.item_results import MissedItem

ACTIONS: Mapping[str, EventKind] = {
    "second_look": EventKind.SECOND_LOOK,
    "looked_again": EventKind.LOOKED_AGAIN,
}
_SETTLED = (ItemState.APPROVED, ItemState.FROZEN)
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class SecondLookRequest:
    """An open request. ``answer`` is what ``models`` said against the key, where that was why; both
    and the ``note`` are empty for whoever should look without knowing. ``again`` are the items of
    other benchmarks with the same text."""

    number: int
    benchmark: str
    task: str
    state: str
    by: str
    at: str
    note: str
    answer: str
    models: tuple[str, ...]
    again: tuple[int, ...]


def requests(ws: Workspace, benchmark: str = "", *, viewer: str) -> tuple[SecondLookRequest, ...]:
    """The open requests, by item; of one benchmark, or of all. Left out are items about which
    something is hidden from the viewer; why it was made, and what models answered, is told only to
    who made the request: others can still look without knowing it (``blind_looks``)."""
    open_requests = _requests(ws, benchmark)
    with ws.reading() as session:
        shown = set(open_items(session, viewer, [one.number for one in open_requests]))
    return tuple(
        one if one.by == viewer.strip() else replace(one, note="", answer="", models=())
        for one in open_requests
        if one.number in shown
    )


def request_of(row: rows.SecondLookRow, again: Iterable[int] = ()) -> SecondLookRequest:
    """A request as the ledger tells of it."""
    note, answer = (str(row.data.get(name, "")) for name in ("note", "answer"))
    return SecondLookRequest(
        row.item_id, row.benchmark, row.task, row.state, row.actor, row.at, note, answer,
        tuple(row.data.get("models", ())), tuple(again),
    )  # fmt: skip


def _requests(ws: Workspace, benchmark: str = "") -> tuple[SecondLookRequest, ...]:
    with ws.reading() as session:
        home = benchmark_in(session, benchmark).name if benchmark else ""
        open_requests = [row for row in rows.requests(session) if home in ("", row.benchmark)]
        others = _again(session, open_requests)
    return tuple(
        request_of(
            row, (n for n, home in others.get(row.content_hash, ()) if home != row.benchmark)
        )
        for row in open_requests
    )


def _again(
    session: Session, open_requests: Sequence[rows.SecondLookRow]
) -> dict[str, list[tuple[int, str]]]:
    by_text: dict[str, list[tuple[int, str]]] = {}
    for number, home, digest in rows.namesakes(
        session, [row.content_hash for row in open_requests]
    ):
        by_text.setdefault(digest, []).append((number, home))
    return by_text


def repeated_texts(ws: Workspace, benchmark: str) -> dict[int, SecondLookRequest]:
    """The items of a benchmark whose text waits for a second look in another one."""
    with ws.reading() as session:
        home = benchmark_in(session, benchmark).id
    repeated = [request for request in _requests(ws) if request.again]
    numbers = [number for request in repeated for number in request.again]
    with ws.reading() as session:
        item_numbers = {
            item.id for item in item_rows.get_many(session, numbers) if item.benchmark_id == home
        }
    return {
        number: request
        for request in repeated
        for number in request.again
        if number in item_numbers
    }


def preview(ws: Workspace, filters: Filters, action: BulkAction, viewer: str) -> BulkPreview:
    """What ``run`` would do now; writes nothing."""
    _kind(action.name)
    complete_index(ws, filters)
    with ws.reading() as session:
        able, cannot = _sorted_out(session, _matching_ids(session, filters, viewer), action.name)
    before = Counter(str(item.state) for item in able)
    return BulkPreview(len(able), dict(sorted(before.items())), "", cannot)


def run(
    ws: Workspace,
    filters: Filters,
    action: BulkAction,
    person: str,
    missed: Sequence["MissedItem"] = (),
) -> BulkDone:
    """Ask for a second look at every matching item that is settled, or end it where it is open.

    ``missed`` is what models said to the items, where that is why. Only leads and researchers
    may. Raises InputError for a request without a note, StateError where there is not one such
    item.
    """
    complete_index(ws, filters)
    with ws.reading() as session:
        # somebody new is added, or refused, by the transaction that writes
        viewer = person if people.named(session, person.strip()) else ""
        numbers = _matching_ids(session, filters, viewer)
    return run_for_numbers(ws, action.name, numbers, person, action.words, missed)


def run_for_numbers(
    ws: Workspace,
    action: str,
    numbers: Iterable[int],
    person: str,
    note: str,
    missed: Sequence["MissedItem"] = (),
) -> BulkDone:
    """As ``run``, of items by their numbers; ``missed`` is what models said to them.

    Raises NotFoundError for an item that is not there.
    """
    kind = _kind(action)
    note = note.strip()
    if not note or len(note) > _LONGEST:
        raise InputError.tr("Describe what to look at in 1 to {most} characters.", most=_LONGEST)
    details = {one.number: one for one in missed}
    with writing_as(ws, person, Action.SECOND_LOOK) as (session, actor):
        distinct = list(dict.fromkeys(numbers))
        for number in _unknown(session, distinct):
            item_in(session, number)
        able, cannot = _sorted_out(session, distinct, action)
        if not able:
            raise StateError.tr(
                "Nothing was written: {reasons}.", reasons=listed(cannot) or tr("no items")
            )
        sealers = item_keys.sealers_about(session, [item.id for item in able])
        events = [
            ledger.NewEvent(
                kind, actor.name, item.id,
                data=_data(item, note, details.get(item.id), sealers.get(item.id)),
            )
            for item in able
        ]  # fmt: skip
        event = ledger.append(session, *events)
    return BulkDone(tuple(item.id for item in able), cannot, event)


def _data(
    item: ItemRow, note: str, missed: "MissedItem | None", sealer: Sealer | None
) -> dict[str, Any]:
    """What the event says; the words about an item that is sealed are ciphertext."""
    words = {"note": note, **({"answer": missed.answer} if missed else {})}
    if sealer:
        words = {name: sealer.text(said) for name, said in words.items()}
    return {
        **words,
        "revision": item.revision,
        **({"models": list(missed.models)} if missed else {}),
    }


def _kind(action: str) -> EventKind:
    refuse_unknown(
        action, ACTIONS, tr_noop("There is no bulk action “{name}”. Available: {known}.")
    )
    return ACTIONS[action]


def _matching_ids(session: Session, filters: Filters, viewer: str) -> list[int]:
    return item_search.ids(session, query_of(session, filters, viewer), limit=None)


def _unknown(session: Session, numbers: Sequence[int]) -> list[int]:
    possible = [number for number in numbers if 0 < number < LARGEST]
    known = {item.id for item in item_rows.get_many(session, possible)}
    return [number for number in numbers if number not in known]


def _sorted_out(
    session: Session, numbers: Sequence[int], action: str
) -> tuple[list[ItemRow], dict[str, int]]:
    """The items of which it can be said, and the reasons of the others with their counts."""
    waiting = rows.waiting_among(session, numbers)
    able: list[ItemRow] = []
    cannot: Counter[str] = Counter()
    for item in item_rows.get_many(session, numbers):
        if action == "looked_again":
            why = "" if item.id in waiting else tr("not waiting for a second look")
        elif item.state not in _SETTLED:
            why = tr("not decided yet (decide on it, return it or send it back to review)")
        else:
            why = tr("already waiting for a second look") if item.id in waiting else ""
        if why:
            cannot[why] += 1
        else:
            able.append(item)
    return able, dict(cannot.most_common())
