"""Looking at what there is: counts, one item's life, and how it all stood at a past moment."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from typing import Any

from core.errors import NotFoundError
from core.families.base import Defect, ItemContent
from core.workflow.check.visibility import (
    OPEN_STATES,
    Visibility,
    closed_among,
    open_provenance,
    viewer_in,
    visibility_of,
)
from core.workflow.defects import shown_defects
from core.workflow.lookup import item_in
from core.workflow.people import benchmark_in
from core.workflow.rights import Action, refuse
from core.workflow.store_sentences import closed_sentence, sealed_sentence
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger, people, reviews, runs, screenings
from db.engine import Session
from db.errors import StoreError
from db.evidence import bindings
from db.importing import pending_imports
from db.items import ItemRow, RevisionRow
from db.queries import replay as replay_rows
from db.schema.sealed_values import HIDDEN, LockedValue, is_locked
from db.server import logins
from db.vocabulary import DecisionKind, EventKind, ItemState


@dataclass(frozen=True, slots=True)
class HistoryRevision:
    """One revision of an item."""

    number: int
    content: ItemContent
    author: str
    note: str
    defects: tuple[Defect, ...]


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """One line of an item's history."""

    number: int
    at: str
    actor: str
    kind: str
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ItemHistory:
    """Everything that is known about one item."""

    number: int
    benchmark: str
    task: str
    state: str
    disputed: bool
    barred: str
    revisions: tuple[HistoryRevision, ...]
    decisions: tuple[reviews.DecisionRow, ...]
    screenings: tuple[screenings.ScreeningRow, ...]
    answers: tuple[runs.AnswerRow, ...]
    events: tuple[HistoryEvent, ...]
    ratings: tuple[reviews.RatingRow, ...] = ()
    hidden: bool = False
    own: bool = False  # the viewer wrote of it, and so never decides on it
    models: Mapping[str, str] = field(default_factory=dict)  # of the runs that answered it
    closed: str = ""  # why nobody reads its text here, which its content then refuses


def state_of(ws: Workspace, number: int) -> str:
    """The state of one item."""
    with ws.reading() as session:
        return item_in(session, number).state


def item_history(ws: Workspace, number: int, viewer: str) -> ItemHistory:
    """One item's life: revisions, decisions, scores, ratings, answers and its ledger.

    While the item's present revision may still be reviewed, its authors, scores and what others
    said and did with it and with earlier ones are left out (``hidden`` is set), unless ``viewer``
    has decided on it or, as a lead, asked to see what is hidden. Ratings are shown to those who
    have rated. The text of an item whose split is sealed, and what models answered to it, is shown
    to nobody (``closed``). An empty viewer is nobody in particular. Raises NotFoundError for an
    unknown item or person, RightsError for an annotator who never had the item, and on a server
    with logins for whom it is private.
    """
    with ws.reading() as session:
        item = item_in(session, number)
        person = viewer_in(session, viewer)
        visibility = visibility_of(session, person, number)
        if person is not None and not visibility.lists(number):
            refuse(person, Action.SEE_ITEMS)
        as_gold = visibility.takes_for_review(number, item.revision)
        open_to_viewer = visibility.shows(number, item.revision, item.state)
        rated = visibility.shows_ratings(number, item.revision)
        names = {row.id: row.name for row in people.everybody(session)} if open_to_viewer else {}
        own = person.id if person is not None else 0
        knows_gold = visibility.shows_gold(number, item.revision)
        events = [
            event
            for event in ledger.of_item(session, number)
            # that an item is gold must not be found in its history by those who review
            if knows_gold or not _tells_gold(event, as_gold)
        ]
        answers = tuple(runs.answers_to(session, number)) if open_to_viewer else ()
        scores = tuple(screenings.all_of(session, number)) if open_to_viewer else ()
        written = [
            _revision(item, row, names, shown=open_to_viewer) for row in _revisions(session, number)
        ]
        closed = closed_sentence() if closed_among(session, [item]) else ""
        if closed:
            answers = tuple(row._replace(text=HIDDEN, extracted=HIDDEN) for row in answers)
            scores = tuple(replace(row, rationale=HIDDEN) for row in scores)
        elif is_locked(written[-1].content.payload):
            closed = sealed_sentence()
        if closed:
            written = [_closed(row) for row in written]
        return ItemHistory(
            number=number,
            benchmark=benchmarks.benchmark(session, item.benchmark_id).name,
            task=benchmarks.task(session, item.task_id).name,
            state=visibility.state_of(number, item.revision, item.state),
            disputed=item.disputed and not as_gold,
            barred=item.barred,
            revisions=tuple(written),
            decisions=tuple(
                row
                for row in reviews.decisions_on(session, number)
                if (open_to_viewer or (row.person_id == own and row.revision != item.revision))
                and (knows_gold or row.kind != DecisionKind.GOLD)
            ),
            screenings=scores,
            answers=answers,
            events=tuple(_event(event, viewer, open_to_viewer and not closed) for event in events),
            ratings=tuple(reviews.ratings_on(session, number, item.revision)) if rated else (),
            hidden=not open_to_viewer,
            own=number in visibility.wrote,
            models=_models(session, answers),
            closed=closed,
        )


def _closed(row: HistoryRevision) -> HistoryRevision:
    """A revision whose text refuses to be read."""
    locked = row.content.payload if is_locked(row.content.payload) else LockedValue("")
    content = replace(row.content, payload=locked, provenance={})
    return replace(row, content=content, defects=())


def _revisions(session: Session, number: int) -> list[RevisionRow]:
    """An item's revisions; StoreError where the server lets this login read none of them."""
    rows = items.revisions(session, number)
    if not rows and logins.secured(session):
        raise StoreError("private", str(number))
    return rows


# What happens to an item until the first of its reviewers has decided.
_BEFORE_REVIEW = (
    EventKind.CREATED, EventKind.SUBMITTED, EventKind.REVISED, EventKind.SCREENED,
    EventKind.CLAIMED, EventKind.SKIPPED,
)  # fmt: skip


def _tells_gold(event: ledger.LedgerEvent, as_gold: bool) -> bool:
    """Whether an event would reveal a gold item to someone who sees it as under review."""
    if as_gold and event.kind not in _BEFORE_REVIEW:
        return True
    return event.kind == EventKind.GOLD or bool(event.data.get("gold"))


def _models(session: Session, answers: tuple[runs.AnswerRow, ...]) -> dict[str, str]:
    """The model of each run that answered; its engine where it needs none."""
    rows = [runs.get(session, run) for run in dict.fromkeys(answer.run_id for answer in answers)]
    return {
        row.id: str(row.params.get("model") or row.params.get("engine") or row.id)
        for row in rows
        if row is not None
    }


def item_history_at(ws: Workspace, number: int, moment: datetime, viewer: str) -> ItemHistory:
    """One item's life up to a past moment (aware): its revisions, its state and its events then.

    What was decided is told by the events, those taken back later included; the rest is left
    empty. What is hidden now is hidden then. NotFoundError when the item was not there yet.
    """
    until = moment.astimezone(UTC).isoformat(timespec="microseconds")
    whole = item_history(ws, number, viewer)
    events = tuple(event for event in whole.events if event.at <= until)
    if not events:
        raise NotFoundError.tr("Item #{number} did not exist yet.", number=number)
    columns: dict[str, Any] = {}
    for event in events:
        columns.update(event.data.get("after", {}))
    newest = max(int(event.data.get("after", {}).get("revision", 1)) for event in events)
    return replace(
        whole,
        state=str(columns.get("state", "")),
        disputed=bool(columns.get("disputed", False)),
        revisions=tuple(row for row in whole.revisions if row.number <= newest),
        decisions=(),
        screenings=(),
        answers=(),
        ratings=(),
        events=events,
    )


def _revision(
    item: ItemRow, row: items.RevisionRow, names: dict[int, str], *, shown: bool
) -> HistoryRevision:
    provenance = open_provenance(row.provenance, shown=shown)
    content = ItemContent(item.family, item.format, row.payload, provenance, item.domain)
    author = names.get(row.author_id or 0, "")
    defects = () if is_locked(row.payload) else shown_defects(row.defects, content)
    return HistoryRevision(row.number, content, author, row.note, defects)


# Events of a hidden item that tell no more than that a revision is there.
_HARMLESS = (EventKind.CREATED, EventKind.SUBMITTED, EventKind.REVISED, EventKind.REVEALED)


def _event(event: ledger.LedgerEvent, viewer: str, whole: bool) -> HistoryEvent:
    """One line of the history, without what must stay hidden.

    Of a hidden item it says that something happened, and who did it only where that was the viewer.
    """
    data = dict(event.data)
    data.pop(bindings.BOUND, None)  # digests, from which a short verdict could be guessed
    if event.kind == EventKind.RATED:
        data.pop("values", None)
    if whole or (viewer and event.actor == viewer):
        return HistoryEvent(event.id, event.at, event.actor, event.kind, data)
    actor = event.actor if event.kind == EventKind.REVEALED else ""
    kept = {"revision": data["revision"]} if "revision" in data else {}
    if event.kind in _HARMLESS:
        kept |= {"after": data.get("after", {})}
    return HistoryEvent(event.id, event.at, actor, event.kind, kept)


@dataclass(frozen=True, slots=True)
class PastItem:
    """How an item stood at a past moment, by its events alone."""

    number: int
    task: str
    state: str
    revision: int
    disputed: bool


_STANDING = ("revision", "state")


def _past_item(
    number: int,
    task: str,
    columns: Mapping[str, Any],
    visibility: Visibility,
    present: tuple[int, str],
) -> PastItem:
    """An item then, as somebody may know it now."""
    revision = int(columns.get("revision", 1))
    state, disputed = str(columns.get("state", "")), bool(columns.get("disputed", False))
    hidden = not visibility.shows(number, *present)
    if (hidden or visibility.takes_for_review(number, revision)) and state not in OPEN_STATES:
        state, disputed = ItemState.IN_REVIEW.value, False
    return PastItem(number, task, state, revision, disputed)


@dataclass(frozen=True, slots=True)
class PastView:
    """The items of a benchmark (or of all) as they stood at a moment (ISO time, UTC)."""

    at: str
    states: dict[str, int]
    items: tuple[PastItem, ...]


def as_of(ws: Workspace, moment: date | datetime, benchmark: str = "", *, viewer: str) -> PastView:
    """How everything stood at a past moment; a date means its end, in UTC.

    An item about which something is hidden from the viewer counts as in review from the moment
    that somebody had decided on it.
    """
    from core.workflow.verify.replay import replay  # which nobody else here needs

    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time.max, tzinfo=UTC)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    until = moment.astimezone(UTC).isoformat(timespec="microseconds")
    with ws.reading() as session:
        benchmark_id = benchmark_in(session, benchmark).id if benchmark else None
        tasks = {row.id: row.name for row in benchmarks.tasks(session, benchmark_id)}
        homes = {row[0]: row[1] for row in replay_rows.items(session, ("task_id",))}
        state, _ = replay(session, until)
        person = viewer_in(session, viewer)
        if person is not None:
            refuse(person, Action.SEE_ITEMS)
        visibility = visibility_of(session, person)
        present = {row[0]: (row[1], row[2]) for row in replay_rows.items(session, _STANDING)}
        unseen = pending_imports.hidden_at(session, until)
    past_items = tuple(
        _past_item(number, tasks[homes[number]], columns, visibility, present[number])
        for number, columns in sorted(state.items())
        if homes.get(number) in tasks and not pending_imports.lies_in(number, unseen)
    )
    counts = Counter(item.state for item in past_items)
    return PastView(until, {state.value: counts[state] for state in ItemState}, past_items)
