"""Ratings: values for the criteria of a rubric, blind until one's own are committed."""

import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from core.audit.sampling import draw as draw_sample
from core.errors import ConflictError, InputError, RightsError, StateError
from core.text import tr
from core.workflow import blindness
from core.workflow.acting import item_in, protocol_of, refuse_author, task_in
from core.workflow.administer import acting, known_person
from core.workflow.protocols import ProtocolSettings, settings_of
from core.workflow.review import ReviewCard, card_in
from core.workflow.rubrics import Rubric, rubric
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import items, ledger, rating_draws, reviews
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.rating_draws import DrawRow
from db.vocabulary import EventKind, ItemState, Role

ROLES = (Role.SPECIALIST, Role.ANNOTATOR, Role.RESEARCHER, Role.LEAD)
# States in which an item is not there to be rated: not handed in, or out of the pipeline.
_NOT_RATED = (ItemState.RETURNED, ItemState.REJECTED, ItemState.SCREENED_OUT)


@dataclass(frozen=True, slots=True)
class Sample:
    """The drawn items of a task with how many have rated each."""

    task: str
    seed: int
    raters: int
    items: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RatingCard:
    """An item to rate, its rubric, and one's own values so far."""

    card: ReviewCard
    rubric: Rubric
    own: dict[str, float]


@dataclass(frozen=True, slots=True)
class Rated:
    """Committed ratings; ``others`` by criterion, without names, open from now on."""

    number: int
    values: dict[str, float]
    others: dict[str, tuple[float, ...]]
    event: int


def draw(
    ws: Workspace, task: str, person: str, *, seed: int | None = None, benchmark: str = ""
) -> Sample:
    """Draw the items of a task that raters rate, as many as its protocol says.

    Drawn from all items that are in the pipeline; a seed is made when none is given, and
    recorded. Raises StateError when the protocol wants no sample or there is nothing to draw.
    """
    if seed is not None and not 0 <= seed < 2**63:
        raise InputError(tr("A seed is a whole number from 0 to 2^63 − 1."))
    actor = acting(ws, person, (Role.RESEARCHER, Role.LEAD), tr("drawing a sample for rating"))
    seed = secrets.randbelow(2**31) if seed is None else seed
    with ws.writing() as session:
        found = task_in(session, task, benchmark)
        protocol = settings_of(found.protocol)
        if protocol.rating_sample < 1:
            raise StateError(
                tr("The protocol of “{task}” has no sample for rating.", task=found.name)
            )
        states = [state for state in ItemState if state not in _NOT_RATED]
        pool = {row.id: row for row in items.in_state(session, states, task_id=found.id)}
        if not pool:
            raise StateError(tr("“{task}” has no items to rate yet.", task=found.name))
        chosen = [int(n) for n in draw_sample(map(str, pool), protocol.rating_sample, seed)]
        rows = [(number, pool[number].revision) for number in chosen]
        rating_draws.add(session, found.id, seed, actor.id, rows)
        data = {"seed": seed, "drawn": chosen, "pool": len(pool)}
        event = ledger.NewEvent(EventKind.RATED, actor.name, subject=found.name, data=data)
        ledger.append(session, event)
    return sample(ws, task, benchmark)


def sample(ws: Workspace, task: str, benchmark: str = "") -> Sample:
    """The sample that counts, with how many people have rated each item whole."""
    with ws.reading() as session:
        found = task_in(session, task, benchmark)
        drawn = rating_draws.newest(session, found.id)
        if drawn is None:
            raise StateError(tr("No sample of “{task}” was drawn yet.", task=found.name))
        raters = settings_of(found.protocol).raters
        counted = tuple(
            (number, len(_raters(session, number, revision))) for number, revision in drawn.items
        )
    return Sample(found.name, drawn.seed, raters, counted)


def _raters(session: Session, number: int, revision: int) -> set[int]:
    return {rating.person_id for rating in reviews.ratings_on(session, number, revision)}


def next_card(ws: Workspace, task: str, person: str, benchmark: str = "") -> RatingCard | None:
    """The next drawn item that this person has not rated and that needs raters; None: no more."""
    actor = acting(ws, person, ROLES, tr("rating"))
    with ws.reading() as session:
        found = task_in(session, task, benchmark)
        drawn = rating_draws.newest(session, found.id)
        protocol = settings_of(found.protocol)
        for number, revision in drawn.items if drawn else ():
            raters = _raters(session, number, revision)
            item = item_in(session, number)
            full = 0 < protocol.raters <= len(raters)
            wrote = item.author_id == actor.id or items.has_written(session, number, actor.id)
            if item.revision == revision and actor.id not in raters and not full and not wrote:
                return RatingCard(card_in(session, item, actor), _rubric(protocol), {})
    return None


def card(ws: Workspace, person: str, number: int) -> RatingCard:
    """One item with its rubric and one's own ratings, to look at or to change."""
    with ws.reading() as session:
        actor = known_person(session, person)
        item = item_in(session, number)
        own = {
            rating.criterion: rating.value
            for rating in reviews.ratings_on(session, number, item.revision)
            if rating.person_id == actor.id
        }
        return RatingCard(card_in(session, item, actor), _rubric(protocol_of(session, item)), own)


def _rubric(protocol: ProtocolSettings) -> Rubric:
    return rubric(protocol.rubric or "coreeval")


def rate(
    ws: Workspace, person: str, number: int, values: Mapping[str, float], *, seconds: float = 0.0
) -> Rated:
    """Commit one's values for some criteria of an item; a later value replaces an earlier one.

    Raises InputError for an unknown criterion or a value outside its scale, RightsError for the
    item's author, StateError when the item is not in the sample or out of the pipeline,
    ConflictError when enough others have rated it.
    """
    if not values:
        raise InputError(tr("Name at least one criterion with its value: criterion=value."))
    actor = acting(ws, person, ROLES, tr("rating"))
    with ws.writing() as session:
        item = item_in(session, number, lock=True)
        protocol = protocol_of(session, item)
        _check_values(_rubric(protocol), values)
        refuse_author(session, item, actor)
        _refuse_not_in_sample(session, item)
        found = reviews.ratings_on(session, number, item.revision)
        _refuse_full(item, actor, {r.person_id for r in found}, protocol)
        replaced = [r.id for r in found if r.person_id == actor.id and r.criterion in values]
        ids = reviews.add_ratings(
            session,
            [
                {
                    "item_id": number, "revision": item.revision, "person_id": actor.id,
                    "criterion": criterion, "value": value, "seconds": max(0.0, seconds),
                }
                for criterion, value in values.items()
            ],
        )  # fmt: skip
        data = {"ratings": ids, "values": dict(values), "replaced": replaced}
        event = apply(session, EventKind.RATED, actor.name, [Move(item, {}, data)])
        if replaced:
            reviews.withdraw_ratings(session, replaced, event)
        others: dict[str, tuple[float, ...]] = {}
        for rating in found:
            if rating.person_id != actor.id:
                others[rating.criterion] = (*others.get(rating.criterion, ()), rating.value)
    return Rated(number, dict(values), others, event)


def _check_values(chosen: Rubric, values: Mapping[str, float]) -> None:
    scales = {criterion.name: criterion.numbers for criterion in chosen.criteria}
    for name, value in values.items():
        if name not in scales:
            raise InputError(
                tr(
                    "The rubric “{rubric}” has no criterion “{name}”. It has: {known}.",
                    rubric=chosen.name,
                    name=name,
                    known=", ".join(scales),
                )
            )
        if not math.isfinite(value) or value not in scales[name]:
            raise InputError(
                tr(
                    "{name} is rated {scale}, not {value}.",
                    name=name,
                    scale=", ".join(f"{number:g}" for number in scales[name]),
                    value=f"{value:g}",
                )
            )


def _refuse_not_in_sample(session: Session, item: ItemRow) -> None:
    if item.state in _NOT_RATED:
        raise StateError(
            tr("Item #{number} is not there to be rated: it is {state}.",
               number=item.id, state=item.state)
        )  # fmt: skip
    drawn: DrawRow | None = rating_draws.newest(session, item.task_id)
    if drawn is not None and (item.id, item.revision) not in drawn.items:
        raise StateError(tr("Item #{number} is not in the sample that is rated.", number=item.id))


def _refuse_full(
    item: ItemRow, actor: PersonRow, raters: set[int], protocol: ProtocolSettings
) -> None:
    if actor.id not in raters and 0 < protocol.raters <= len(raters):
        raise ConflictError(
            tr("All raters that item #{number} needs have rated it already.", number=item.id)
        )


def ratings(ws: Workspace, person: str, number: int) -> dict[str, dict[str, float]]:
    """All ratings of an item's present revision: by rater, then criterion.

    Raises RightsError until this person has rated it too (or a lead asked to see what is hidden).
    """
    with ws.reading() as session:
        actor = known_person(session, person)
        item = item_in(session, number)
        if not blindness.may_see_ratings(session, item, actor):
            raise RightsError(
                tr(
                    "{name} has not rated item #{number} yet; others' ratings stay hidden.",
                    name=actor.name,
                    number=number,
                )
            )
        table: dict[str, dict[str, float]] = {}
        for rating in reviews.ratings_on(session, number, item.revision):
            table.setdefault(rating.person, {})[rating.criterion] = rating.value
    return table
