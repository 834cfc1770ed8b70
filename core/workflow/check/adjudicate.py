"""Adjudication: settling what reviewers disagree about, with their reasons but without names."""

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import ConflictError, RightsError, StandsAlreadyError, StateError
from core.i18n import tr
from core.workflow.check.review import PeerDecision, ReviewCard, card_in
from core.workflow.check.visibility import refuse_revealed, visibility_of
from core.workflow.eligibility import refuse_author, refuse_barred, refuse_changed, refuse_invalid
from core.workflow.labels import label_of
from core.workflow.lookup import item_in
from core.workflow.people import benchmark_in
from core.workflow.rights import Action, require, writing_as
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import drafts, reviews
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.queries import item_lists, item_search
from db.queries.item_search import ItemLine, ItemQuery
from db.vocabulary import DecisionKind, EventKind, ItemState, Stage, Verdict

_MOST = 10_000

_STATES = {
    Verdict.ACCEPT: ItemState.ACCEPTED,
    Verdict.REJECT: ItemState.REJECTED,
    Verdict.RETURN: ItemState.RETURNED,
}


@dataclass(frozen=True, slots=True)
class DisputedCard:
    """A disputed item with what its reviewers said, in an order that tells nothing.

    ``decisions`` are the numbers of their decisions, by which a later change of them is noticed.
    """

    card: ReviewCard
    opinions: tuple[PeerDecision, ...]
    decisions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """A disagreement that was settled."""

    number: int
    verdict: str
    state: str
    event: int


def disputed(ws: Workspace, person: str, benchmark: str = "") -> tuple[ItemLine, ...]:
    """The disputed items that this person may settle: not their own, neither reviewed nor revealed
    by them."""
    with ws.reading() as session:
        actor = require(session, person, Action.ADJUDICATE)
        benchmark_id = benchmark_in(session, benchmark).id if benchmark else None
        return disputed_in(session, actor, benchmark_id)


def disputed_in(
    session: Session, actor: PersonRow, benchmark_id: int | None
) -> tuple[ItemLine, ...]:
    """As ``disputed``, within a session; a few statements, however many items there are."""
    query = ItemQuery(benchmark_id=benchmark_id, disputed=True)
    numbers = item_search.ids(session, query, limit=_MOST)
    involved = item_lists.of_person(session, actor.id, numbers, (DecisionKind.REVIEW,))
    revealed = visibility_of(session, actor).revealed
    lines = item_search.lines(session, [number for number in numbers if number not in involved])
    return tuple(line for line in lines if (line.id, line.revision) not in revealed)


def disputed_card(ws: Workspace, person: str, number: int) -> DisputedCard:
    """A disputed item as its adjudicator sees it."""
    with ws.reading() as session:
        actor = require(session, person, Action.ADJUDICATE)
        item = item_in(session, number)
        decisions = _disagreement(session, item, actor)
        opinions = [PeerDecision(d.verdict, d.reason, d.note) for d in decisions]
        random.Random(f"{number}/{item.revision}").shuffle(opinions)
        return DisputedCard(card_in(session, item, actor), tuple(opinions), _numbers(decisions))


def _numbers(decisions: list[reviews.DecisionRow]) -> tuple[int, ...]:
    return tuple(sorted(decision.id for decision in decisions))


def _disagreement(session: Session, item: ItemRow, actor: PersonRow) -> list[reviews.DecisionRow]:
    """The reviewers' decisions; the errors of ``settle`` when this person may not settle it."""
    if not item.disputed:
        raise _refusal(session, item, actor)
    refuse_author(session, item, actor)
    refuse_revealed(session, actor, item.id, item.revision)
    decisions = reviews.decisions_on(session, item.id, item.revision, DecisionKind.REVIEW)
    if any(decision.person_id == actor.id for decision in decisions):
        raise RightsError.tr(
            "{name} reviewed item #{number}; someone else must adjudicate it.",
            name=actor.name,
            number=item.id,
        )
    return decisions


def _refusal(session: Session, item: ItemRow, actor: PersonRow) -> Exception:
    """Why an item is not to be adjudicated: what somebody said who settled it before, to those who
    may know it and while nobody holds it as a gold item, else its state as this person sees it."""
    kind = DecisionKind.ADJUDICATION
    settled = reviews.decisions_on(session, item.id, item.revision, kind)
    for done in settled:
        if done.person_id == actor.id:
            return StandsAlreadyError.tr(
                "You adjudicated item #{number} already: {verdict}.", number=item.id,
                verdict=label_of(done.verdict)
            )  # fmt: skip
    visibility = visibility_of(session, actor, item.id)
    if all(
        looks.shows(item.id, item.revision, item.state)
        for looks in (visibility, visibility_of(session, None, item.id))
    ):
        for done in settled:
            words = " · ".join(part for part in (done.reason, done.note) if part)
            return ConflictError(
                tr("Item #{number} was already adjudicated: {verdict} ({words}).", number=item.id,
                   verdict=label_of(done.verdict), words=words)
                if words
                else tr("Item #{number} was already adjudicated: {verdict}.", number=item.id,
                        verdict=label_of(done.verdict))
            )  # fmt: skip
    state = visibility.state_of(item.id, item.revision, item.state)
    return StateError.tr(
        "Item #{number} is not disputed; its state is {state}.",
        number=item.id,
        state=label_of(state),
    )


def settle(
    ws: Workspace,
    person: str,
    number: int,
    verdict: str,
    *,
    reason: str = "",
    note: str = "",
    seconds: float = 0.0,
    revision: int | None = None,
    decisions: Collection[int] = (),
) -> Adjudicated:
    """Decide a disagreement: the item is accepted, rejected or returned.

    ``revision`` and ``decisions`` are those of the card that was shown. Raises StateError when the
    item is not disputed, ConflictError when somebody settled it before or what was shown is no
    longer so, RightsError for its author, its reviewers, those who asked to see what is hidden and
    people whose role does not adjudicate.
    """
    fields = {"verdict": verdict, "reason": reason, "note": note, "seconds": seconds}
    with writing_as(ws, person, Action.ADJUDICATE) as (session, actor):
        return settle_in(session, actor, number, fields, revision, decisions)


def settle_in(
    session: Session,
    actor: PersonRow,
    number: int,
    fields: Mapping[str, Any],
    revision: int | None = None,
    shown: Collection[int] = (),
    told: Mapping[str, Any] | None = None,
) -> Adjudicated:
    """As ``settle``, within a session; ``told`` is what the ledger says beside the verdict."""
    verdict, reason, note = (str(fields[name]) for name in ("verdict", "reason", "note"))
    refuse_invalid(verdict, reason, note)
    item = item_in(session, number, lock=True)
    refuse_changed(session, item, revision)
    decisions = _disagreement(session, item, actor)
    if shown and set(shown) != set(_numbers(decisions)):
        raise ConflictError.tr(
            "A reviewer changed their decision on item #{number} since it was shown. Look at it "
            "again.", number=number
        )  # fmt: skip
    refuse_barred(item, verdict)
    drafts.drop_note(session, actor.id, number, "adjudicate")
    decision_id = reviews.add_decision(
        session,
        {
            "item_id": number,
            "revision": item.revision,
            "stage": Stage.CHECK,
            "kind": DecisionKind.ADJUDICATION,
            "person_id": actor.id,
            "verdict": verdict,
            "reason": reason,
            "note": note,
            "seconds": max(0.0, float(fields["seconds"])),
        },
    )
    state = _STATES[Verdict(verdict)]
    values = {"state": state, "disputed": False, "open_slots": 0}
    data = {
        "decision": decision_id,
        "verdict": verdict,
        "reason": reason,
        "note": note,
        "reviewers": [d.verdict for d in decisions],
        **(told or {}),
    }
    event = apply(session, EventKind.ADJUDICATED, actor.name, [Move(item, values, data)])
    return Adjudicated(number, verdict, state, event)
