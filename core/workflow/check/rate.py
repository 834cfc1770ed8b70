"""Ratings: values for the criteria of a rubric, blind until one's own are committed.

Items to rate are claimed as leases, which count together with the ratings that were given.
"""

import math
import secrets
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.audit.sampling import draw as draw_sample
from core.errors import ConflictError, InputError, StateError
from core.families.rewrite_payload import UNCHANGED
from core.i18n import listed, tr, tr_noop
from core.known_names import refuse_unknown
from core.workflow import team
from core.workflow.check.leases import lease_length
from core.workflow.check.review import ReviewCard, card_in
from core.workflow.check.visibility import refuse_revealed, visibility_of
from core.workflow.eligibility import refuse_author, refuse_changed
from core.workflow.labels import state_label
from core.workflow.lookup import item_in, task_in
from core.workflow.people import benchmark_in
from core.workflow.protocols import ProtocolSettings, settings_of
from core.workflow.rights import Action, at_work, writing_as
from core.workflow.rubrics import Rubric, rubric_of
from core.workflow.transitions import Move, apply
from core.workflow.workspace import Workspace
from db import (
    assignments,
    benchmarks,
    comments,
    drafts,
    items,
    ledger,
    rating_draws,
    reviews,
    splits,
)
from db.benchmarks import TaskRow
from db.comments import CommentRow
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.queries import item_lists, shares
from db.rating_draws import DrawRow
from db.vocabulary import AssignmentState, CommentKind, EventKind, ItemState, Stage

_LONGEST_COMMENT = 10_000
# States in which an item is not there to be rated: not handed in, or out of the pipeline.
_NOT_RATED = (ItemState.RETURNED, ItemState.REJECTED, ItemState.SCREENED_OUT)

_Raters = Mapping[tuple[int, int], set[int]]
"""Who has rated each (item, revision): ids of people."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The drawn items of a task with how many have rated each."""

    task: str
    seed: int
    raters: int
    items: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RatingCard:
    """An item to rate, its rubric, and one's own values and comment so far."""

    card: ReviewCard
    rubric: Rubric
    own: dict[str, float]
    comment: str = ""


@dataclass(frozen=True, slots=True)
class OwnRatings:
    """How many drawn items of a task one has rated and how many are left for one; ``elsewhere``
    names another task of the benchmark in which some are, if any."""

    rated: int
    left: int
    elsewhere: str


@dataclass(frozen=True, slots=True)
class CommittedRatings:
    """Committed ratings; ``others`` by criterion and ``comments``, without names, open from now
    on; ``unrated`` are the titles of the criteria that one has not rated yet."""

    number: int
    values: dict[str, float]
    others: dict[str, tuple[float, ...]]
    event: int
    comments: tuple[str, ...] = ()
    unrated: tuple[str, ...] = ()


def draw(
    ws: Workspace, task: str, person: str, *, seed: int | None = None, benchmark: str = ""
) -> Sample:
    """Draw the items of a task that raters rate, as many as its protocol says.

    Drawn from all items that are in the pipeline but those that a rewriting run left as they were;
    a seed is made when none is given, and recorded. Raises StateError when the protocol wants no
    sample or there is nothing to draw.
    """
    if seed is not None and not 0 <= seed < 2**63:
        raise InputError.tr("A seed is a whole number from 0 to 2^63 − 1.")
    seed = secrets.randbelow(2**31) if seed is None else seed
    with writing_as(ws, person, Action.DRAW_RATING_SAMPLE) as (session, actor):
        row = task_in(session, task, benchmark)
        protocol = settings_of(row.protocol)
        if protocol.rating_sample < 1:
            raise StateError(
                tr("The protocol of “{task}” has no rating sample.", task=row.name),
                command=tr("For example: benchseal task protocol {task} --set rating_sample=20 "
                           "raters=2", task=row.name),
            )  # fmt: skip
        states = [state for state in ItemState if state not in _NOT_RATED]
        left_out = items.marked(session, row.id, UNCHANGED)
        found = items.in_state(session, states, task_id=row.id)
        left_out |= splits.sealed_among(session, [item.id for item in found])
        pool = {item.id: item for item in found if item.id not in left_out}
        if not pool:
            raise StateError.tr("“{task}” has no items to rate yet.", task=row.name)
        drawn = [int(n) for n in draw_sample(map(str, pool), protocol.rating_sample, seed)]
        entries = [(number, pool[number].revision) for number in drawn]
        rating_draws.add(session, row.id, seed, actor.id, entries)
        data = {"seed": seed, "drawn": drawn, "pool": len(pool)}
        event = ledger.NewEvent(EventKind.RATED, actor.name, subject=row.name, data=data)
        ledger.append(session, event)
    return sample(ws, task, benchmark)


def sample(ws: Workspace, task: str, benchmark: str = "") -> Sample:
    """The sample that counts, with how many people have rated each item whole."""
    with ws.reading() as session:
        row = task_in(session, task, benchmark)
        drawn = rating_draws.newest(session, row.id)
        if drawn is None:
            raise StateError.tr("No rating sample of “{task}” has been drawn yet.", task=row.name)
        raters = reviews.raters(session, [number for number, _ in drawn.items])
    counts = tuple((entry[0], len(raters.get(entry, ()))) for entry in drawn.items)
    return Sample(row.name, drawn.seed, settings_of(row.protocol).raters, counts)


def own_ratings(ws: Workspace, task: str, person: str, benchmark: str = "") -> OwnRatings:
    """How far somebody is with the drawn items of a task."""
    with ws.reading() as session:
        actor = at_work(session, person)
        row = task_in(session, task, benchmark)
        drawn = rating_draws.newest(session, row.id)
        entries = drawn.items if drawn is not None else ()
        raters = reviews.raters(session, [number for number, _ in entries])
        waiting = Counter(task_id for task_id, _ in waiting_in(session, actor, row.benchmark_id))
        left = waiting.pop(row.id, 0)
        other = min(waiting, default=0)
        elsewhere = benchmarks.task_name(session, other) if other else ""
    return OwnRatings(sum(actor.id in raters.get(e, ()) for e in entries), left, elsewhere)


def first_waiting(ws: Workspace, person: str, benchmark: str) -> str:
    """The first task of a benchmark with drawn items that wait for somebody; empty for none."""
    with ws.reading() as session:
        actor = at_work(session, person)
        waiting = waiting_in(session, actor, benchmark_in(session, benchmark).id)
        return benchmarks.task_name(session, min(waiting)[0]) if waiting else ""


def _raters(session: Session, item: ItemRow) -> set[int]:
    return reviews.raters(session, [item.id]).get((item.id, item.revision), set())


def next_card(
    ws: Workspace, task: str, person: str, benchmark: str = "", wanted: int = 0
) -> RatingCard | None:
    """Claim the next drawn item that needs this person's ratings; None: there is no more.

    The item numbered ``wanted`` comes first, then what one holds. The claim is a lease: the item
    counts as theirs while it lasts, so that no more people than the protocol's raters work on it,
    and returns when it is abandoned.
    """
    with writing_as(ws, person, Action.RATE) as (session, actor):
        row = task_in(session, task, benchmark)
        protocol = settings_of(row.protocol)
        assignments.expire_leases(session)
        team.refuse_paused(session, actor)
        if row.id in shares.remaining_of(session, actor.id).others:
            return None
        if (drawn := rating_draws.newest(session, row.id)) is None:
            return None
        raters = reviews.raters(session, [number for number, _ in drawn.items])
        waiting = _to_rate(session, [drawn], actor, raters)[0]
        sealed = splits.sealed_among(session, [number for number, _ in waiting])
        waiting = [entry for entry in waiting if entry[0] not in sealed]
        for number, revision in sorted(waiting, key=lambda entry: entry[0] != wanted):
            if (item := _claimable(session, number, revision, actor, protocol)) is not None:
                lease = lease_length(protocol)
                assignments.lease_item(session, number, actor.id, Stage.RATING, lease)
                return RatingCard(card_in(session, item, actor), _rubric(row), {})
    return None


def _to_rate(
    session: Session, draws: Collection[DrawRow], actor: PersonRow, raters: _Raters
) -> list[list[tuple[int, int]]]:
    """Of each sample the (item, revision) that this person may still rate, those they hold
    first."""
    held = {lease.item_id for lease in assignments.leased_to(session, actor.id, Stage.RATING)}
    revealed = visibility_of(session, actor).revealed
    waiting = (
        [
            entry
            for entry in draw.items
            if actor.id not in raters.get(entry, ()) and entry not in revealed
        ]
        for draw in draws
    )
    return [sorted(entries, key=lambda entry: entry[0] not in held) for entries in waiting]


def waiting_in(
    session: Session, actor: PersonRow, benchmark_id: int | None
) -> list[tuple[int, int]]:
    """The drawn items of a benchmark, or of all, that still need this person's ratings, those that
    others hold at the moment included, as (task, item)."""
    others = shares.remaining_of(session, actor.id).others
    rows = benchmarks.tasks(session, benchmark_id)
    tasks = {row.id: settings_of(row.protocol) for row in rows if row.id not in others}
    found = rating_draws.newest_of(session, tasks)
    draws = [found[task] for task in tasks if task in found]
    numbers = [number for draw in draws for number, _ in draw.items]
    if not numbers:
        return []
    raters = reviews.raters(session, numbers)
    barred = item_lists.of_person(session, actor.id, numbers, ())
    barred |= splits.sealed_among(session, numbers)
    open_ = {
        (item.id, item.revision)
        for item in items.get_many(session, numbers)
        if item.state not in _NOT_RATED and item.id not in barred
    }
    return [
        (draw.task_id, entry[0])
        for draw, entries in zip(draws, _to_rate(session, draws, actor, raters), strict=True)
        for entry in entries
        if entry in open_ and not 0 < tasks[draw.task_id].raters <= len(raters.get(entry, ()))
    ]


def _claimable(
    session: Session, number: int, revision: int, actor: PersonRow, protocol: ProtocolSettings
) -> ItemRow | None:
    """The item, locked, when it still needs this person's ratings."""
    item = item_in(session, number, lock=True)
    wrote = item.author_id == actor.id or items.has_written(session, number, actor.id)
    if item.revision != revision or item.state in _NOT_RATED or wrote:
        return None
    return None if _is_full(session, item, actor, protocol) else item


def _is_full(session: Session, item: ItemRow, actor: PersonRow, protocol: ProtocolSettings) -> bool:
    """Whether others have rated or hold an item as often as the protocol wants."""
    others = _raters(session, item)
    others |= assignments.holders(session, item.id, item.revision, Stage.RATING)
    return 0 < protocol.raters <= len(others - {actor.id})


def rating_card(ws: Workspace, person: str, number: int) -> RatingCard:
    """One item with its rubric and one's own ratings, to look at or to change."""
    with ws.reading() as session:
        actor = at_work(session, person)
        item = item_in(session, number)
        values = {
            rating.criterion: rating.value
            for rating in reviews.ratings_on(session, number, item.revision)
            if rating.person_id == actor.id
        }
        rubric = _rubric(benchmarks.task(session, item.task_id))
        return RatingCard(card_in(session, item, actor), rubric, values)


def _rubric(task: TaskRow) -> Rubric:
    return rubric_of(task.profile, settings_of(task.protocol).rubric)


def rate(
    ws: Workspace,
    person: str,
    number: int,
    values: Mapping[str, float],
    *,
    comment: str = "",
    seconds: float = 0.0,
    revision: int | None = None,
) -> CommittedRatings:
    """Commit one's values for some criteria of an item; a later value replaces an earlier one.

    ``comment`` is what one says beside them; a later one stands in place of an earlier one.
    ``revision`` is the one that was shown.

    Raises InputError for an unknown criterion or a value outside its scale, RightsError for the
    item's author and for those who asked to see what is hidden, StateError when the item is not in
    the sample or out of the pipeline, ConflictError when enough others have rated it or hold it,
    or it was revised since it was shown.
    """
    fields = {"values": values, "comment": comment, "seconds": seconds}
    with writing_as(ws, person, Action.RATE) as (session, actor):
        return rate_in(session, actor, number, fields, revision)


def rate_in(
    session: Session,
    actor: PersonRow,
    number: int,
    fields: Mapping[str, Any],
    revision: int | None = None,
    told: Mapping[str, Any] | None = None,
) -> CommittedRatings:
    """As ``rate``, within a session; ``told`` is what the ledger says of it beside the values."""
    comment = str(fields["comment"])
    seconds = max(0.0, float(fields["seconds"]))
    if not fields["values"]:
        raise InputError.tr("Give at least one rating as criterion=value.")
    item = item_in(session, number, lock=True)
    task = benchmarks.task(session, item.task_id)
    values = _by_names(_rubric(task), fields["values"])
    _check_values(_rubric(task), values)
    refuse_changed(session, item, revision)
    refuse_author(session, item, actor)
    refuse_revealed(session, actor, number, item.revision)
    _refuse_not_in_sample(session, item)
    earlier = reviews.ratings_on(session, number, item.revision)
    _refuse_full(session, item, actor, settings_of(task.protocol))
    replaced = [r.id for r in earlier if r.person_id == actor.id and r.criterion in values]
    ids = reviews.add_ratings(
        session,
        [
            {
                "item_id": number, "revision": item.revision, "person_id": actor.id,
                "criterion": criterion, "value": value, "seconds": seconds,
            }
            for criterion, value in values.items()
        ],
    )  # fmt: skip
    data: dict[str, Any] = {"ratings": ids, "values": values, "replaced": replaced}
    data |= told or {}
    remarks = comments.of_item(session, number, (CommentKind.RATING,))
    if comment.strip():
        data["comment"] = _comment(session, item, actor, comment.strip(), remarks)
    drafts.drop_note(session, actor.id, number, "rate")
    if replaced:
        reviews.withdraw_ratings(session, replaced, ledger.next_number(session))
    _end_claim(session, item, actor)
    event = apply(session, EventKind.RATED, actor.name, [Move(item, {}, data)])
    others: dict[str, tuple[float, ...]] = {}
    rated = set[str]()
    # read again: a server shows what others said only now
    for rating in reviews.ratings_on(session, number, item.revision):
        if rating.person_id != actor.id:
            others[rating.criterion] = (*others.get(rating.criterion, ()), rating.value)
        else:
            rated.add(rating.criterion)
    remarks = comments.of_item(session, number, (CommentKind.RATING,))
    said = tuple(row.text for row in remarks if row.person_id != actor.id)
    unrated = tuple(tr(c.title) for c in _rubric(task).criteria if c.name not in rated)
    return CommittedRatings(number, dict(values), others, event, said, unrated)


def _comment(
    session: Session,
    item: ItemRow,
    actor: PersonRow,
    text: str,
    remarks: Sequence[CommentRow],
) -> int:
    if len(text) > _LONGEST_COMMENT or "\x00" in text:
        raise InputError.tr(
            "A comment can have at most {count} characters.", count=_LONGEST_COMMENT
        )
    for row in remarks:
        if row.person_id == actor.id:
            comments.withdraw(session, row.id, ledger.next_number(session))
    return comments.add(session, item.id, item.revision, actor.id, CommentKind.RATING, text)


def _by_names(rubric_: Rubric, values: Mapping[str, float]) -> dict[str, float]:
    """The values by the names of their criteria, which may be given in capitals or not, and by
    their titles; what is none of them stays. InputError where a criterion has two values."""
    names = {criterion.name for criterion in rubric_.criteria}
    known = {
        call.casefold(): criterion.name
        for criterion in rubric_.criteria
        for call in (tr(criterion.title), criterion.title, criterion.name)
    }
    named: dict[str, float] = {}
    for given, value in values.items():
        name = given if given in names else known.get(given.casefold(), given)
        if name in named:
            raise InputError.tr("“{name}” is given twice.", name=name)
        named[name] = value
    return named


def _check_values(rubric_: Rubric, values: Mapping[str, float]) -> None:
    scales = {criterion.name: criterion.numbers for criterion in rubric_.criteria}
    for name, value in values.items():
        refuse_unknown(
            name, scales, tr_noop("The rubric has no criterion “{name}”. Available: {known}.")
        )
        if not math.isfinite(value) or value not in scales[name]:
            raise InputError.tr(
                "{name} takes {scale}, not {value}.",
                name=name,
                scale=listed(f"{number:g}" for number in scales[name]),
                value=f"{value:g}",
            )


def _refuse_not_in_sample(session: Session, item: ItemRow) -> None:
    if item.state in _NOT_RATED:
        raise StateError.tr("Item #{number} cannot be rated; its state is {state}.",
                            number=item.id, state=state_label(item.state))  # fmt: skip
    if splits.sealed_among(session, [item.id]):
        raise StateError.tr("Item #{number} is in a sealed split: nobody rates it.",
                            number=item.id)  # fmt: skip
    drawn: DrawRow | None = rating_draws.newest(session, item.task_id)
    if drawn is not None and (item.id, item.revision) not in drawn.items:
        raise StateError.tr("Item #{number} is not in the rating sample.", number=item.id)


def _refuse_full(
    session: Session, item: ItemRow, actor: PersonRow, protocol: ProtocolSettings
) -> None:
    if actor.id in _raters(session, item):
        return
    if _is_full(session, item, actor, protocol):
        raise ConflictError.tr(
            "Item #{number} already has all its raters.",
            number=item.id,
        )


def _end_claim(session: Session, item: ItemRow, actor: PersonRow) -> None:
    lease = assignments.assignment_of(session, item.id, item.revision, Stage.RATING, actor.id)
    if lease is not None and lease.state != AssignmentState.DONE:
        assignments.end_assignment(session, lease.id, AssignmentState.DONE)
