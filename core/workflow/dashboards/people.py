"""The People dashboard: pace, time, how work is received, and drift; names only when asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from core.i18n import tr, trn
from core.proportion import Proportion
from core.report_table import ReportTable
from core.screening.gate_curve import Reviewed, share_accepted
from core.workflow.check import qualification
from core.workflow.dashboards.columns import Frame, Ints, groups, iso_weeks, item_numbers
from core.workflow.dashboards.figures import (
    Axis,
    Chart,
    Dashboard,
    DashboardTable,
    EmptyReason,
    Mark,
    Pick,
    Series,
)
from core.workflow.dashboards.judgements import Judgements, standing_rows
from core.workflow.dashboards.registry import DashboardRequest
from core.workflow.labels import label_of
from core.workflow.workspace import Workspace
from db.vocabulary import EventKind, ItemState

MOST_PEOPLE = 12
MOST_LINES = 6
_ENDED = ("accepted", "rejected", "approved", "frozen", "returned")
_ACCEPTED = (ItemState.ACCEPTED, ItemState.APPROVED, ItemState.FROZEN)


@dataclass(frozen=True, slots=True)
class PersonFigures:
    """One person. ``hours`` are active ones, the measured time of all decisions; ``per_hour`` is
    decisions per active hour, None without measured time;
    ``quartiles`` are the seconds per decision at 25, 50 and 75%; ``accepts`` is the share of their
    decisions that accept, ``received`` the share of what they wrote that was accepted, with
    intervals over sources where items share some; ``drift`` is (ISO week, share accepted,
    decisions)."""

    id: int
    name: str
    decisions: int
    hours: float
    per_hour: float | None
    quartiles: tuple[float, float, float] | None
    accepts: Proportion
    received: Proportion
    gold: Proportion
    drift: tuple[tuple[str, float, int], ...]

    @property
    def median_seconds(self) -> float | None:
        """Median seconds per decision, None without measured time."""
        return self.quartiles[1] if self.quartiles else None


@dataclass(frozen=True, slots=True)
class PeopleNumbers:
    """The whole panel."""

    people: tuple[PersonFigures, ...]
    sentence: str


def people_numbers(
    view: Judgements, benchmark_id: int | None = None, *, named: bool = False
) -> PeopleNumbers:
    """Figures of everybody who decided or wrote, most active first."""
    decisions = standing_rows(view.detailed)
    items = view.items
    if benchmark_id is not None:
        items = items.rows(items["benchmark_id"] == benchmark_id)
        decisions = decisions.rows(np.isin(decisions["item_id"], items["id"]))
    decisions = decisions.having(
        week=iso_weeks(decisions["at"]), accepted=decisions["verdict"].among(("accept",))
    )
    decided = {person: decisions.rows(rows) for person, rows in groups(decisions["person_id"])}
    authors = items["author_id"][~np.isnan(items["author_id"])].astype(np.int64)
    written = {person: items.rows(items["author_id"] == person) for person in np.unique(authors)}
    by_activity = sorted(decided, key=lambda person: (-len(decided[person]), person))
    authors_only = [int(person) for person in written if person not in decided]
    no_decisions, no_items = decisions.rows(slice(0)), items.rows(slice(0))
    figures = tuple(
        _figures_of(
            person,
            view.people.get(person, "?") if named else tr("Person {number}", number=place),
            decided.get(person, no_decisions),
            written.get(person, no_items),
            view,
        )
        for place, person in enumerate([*by_activity, *authors_only], 1)
    )
    return PeopleNumbers(figures, _sentence(figures))


def _figures_of(
    person: int, name: str, decisions: Frame, items: Frame, view: Judgements
) -> PersonFigures:
    """One person, from the decisions they made and the items they wrote."""
    seconds = decisions["seconds"][decisions["seconds"] > 0]
    hours = float(seconds.sum()) / 3600
    ended = items.rows(items["state"].among(_ENDED))
    gold = _gold_answers(decisions, view.known)
    quartiles = None
    if len(seconds):
        low, middle, high = (float(value) for value in np.quantile(seconds, (0.25, 0.5, 0.75)))
        quartiles = (low, middle, high)
    return PersonFigures(
        id=person,
        name=name,
        decisions=len(decisions),
        hours=hours,
        per_hour=len(seconds) / hours if hours > 0 else None,
        quartiles=quartiles,
        accepts=_share_of(decisions["item_id"], decisions["accepted"], view),
        received=_share_of(ended["id"], ended["state"].among(_ACCEPTED), view),
        gold=_share_of(*gold, view),
        drift=_accepted_by_week(decisions),
    )


def _share_of(items: Ints, good: Any, view: Judgements) -> Proportion:
    """The share that is good, its interval over sources where items share some."""
    names, codes = np.unique(view.sources_of(items)[0], return_inverse=True)
    shared = codes if len(names) < len(codes) else None
    return share_accepted(Reviewed.of_all(np.zeros(len(items)), good, shared))


def _gold_answers(decisions: Frame, known: Mapping[int, str]) -> tuple[Ints, list[bool]]:
    """The gold items that were decided, and whether each verdict was the known one."""
    gold = decisions.rows(decisions["kind"].among(("gold",)))
    items, verdicts = gold["item_id"].tolist(), gold["verdict"].tolist()
    answers = [
        (item, verdict == known[item])
        for item, verdict in zip(items, verdicts, strict=True)
        if item in known
    ]
    numbers = np.array([item for item, _ in answers], np.int64)
    return numbers, [right for _, right in answers]


def _accepted_by_week(decisions: Frame) -> tuple[tuple[str, float, int], ...]:
    accepted = decisions["accepted"]
    return tuple(
        (week, float(accepted[rows].mean()), len(rows)) for week, rows in groups(decisions["week"])
    )


def reveal_names(ws: Workspace, person: str, benchmark: str) -> None:
    """Write down that a lead or researcher looks at people's figures with their names."""
    from core.workflow.rights import Action, writing_as
    from db import ledger

    with writing_as(ws, person, Action.REVEAL) as (session, actor):
        data = {"what": "people"}
        event = ledger.NewEvent(EventKind.REVEALED, actor.name, subject=benchmark, data=data)
        ledger.append(session, event)


def _sentence(figures: tuple[PersonFigures, ...]) -> str:
    active = [person for person in figures if person.decisions]
    if not active:
        return tr("No decisions yet.")
    total = sum(person.decisions for person in active)
    timed = [(person.hours, person.per_hour) for person in active if person.per_hour is not None]
    if not timed:
        return tr(
            "{people} made {count}.",
            people=trn("1 person", "{n} people", len(active)),
            count=trn("1 decision", "{n} decisions", total),
        )
    return tr(
        "{people} made {count}, {pace} per active hour on average.",
        people=trn("1 person", "{n} people", len(active)),
        count=trn("1 decision", "{n} decisions", total),
        pace=f"{sum(hours * pace for hours, pace in timed) / sum(h for h, _ in timed):,.0f}",
    )


def dashboard(request: DashboardRequest) -> Dashboard:
    """Sentence, pace, time, acceptance and gold, drift, and the table of everybody."""
    view = request.book.read(("decisions", "details", "written", "sources"))
    benchmark = request.benchmark_id
    numbers = people_numbers(view, -1 if benchmark is None else benchmark, named=request.named)
    if not any(person.decisions for person in numbers.people):
        missing = EmptyReason(
            tr("No decisions yet."),
            tr(
                "Once people review items, their speed and how often their items are accepted "
                "appear here."
            ),
            tr("Review items"),
            "review",
        )
        return Dashboard("people", request.benchmark, view.tip, missing.title, missing=missing)
    shown = numbers.people[:MOST_PEOPLE]
    return Dashboard(
        panel="people",
        benchmark=request.benchmark,
        tip=view.tip,
        sentence=numbers.sentence,
        figures=(
            _pace(shown, view, benchmark),
            _seconds(shown, view, benchmark),
            _shares(shown, view, benchmark),
            _drift(numbers, view, benchmark),
        ),
        tables=(_table(numbers, view, benchmark), *_qualification(request, numbers, benchmark)),
        facts={"named": request.named},
    )


def decided_by(
    view: Judgements, benchmark: int | None, person: int, week: str = "", kind: str = ""
) -> list[int]:
    """Numbers of the items that a person decided on, in a week, in person capacity."""
    frame = standing_rows(view.decisions)
    wanted = frame["person_id"] == person
    if benchmark is not None:
        items = view.items["id"][view.items["benchmark_id"] == benchmark]
        wanted &= np.isin(frame["item_id"], items)
    if kind:
        wanted &= frame["kind"].among((kind,))
    if week:
        wanted &= iso_weeks(frame["at"]).among((week,))
    return item_numbers(frame["item_id"][wanted])


def written_by(view: Judgements, benchmark: int | None, person: int) -> list[int]:
    """Numbers of the items that a person wrote."""
    wanted = view.items["author_id"] == person
    if benchmark is not None:
        wanted &= view.items["benchmark_id"] == benchmark
    return item_numbers(view.items["id"][wanted])


def _names(shown: tuple[PersonFigures, ...]) -> Axis:
    return Axis("", names=tuple(person.name for person in shown))


def _pace(shown: tuple[PersonFigures, ...], view: Judgements, benchmark: int | None) -> Chart:
    marks = tuple(
        Mark(
            place,
            person.per_hour,
            low=0.0,
            note="" if person.per_hour is not None else tr("no times measured"),
            pick=partial(decided_by, view, benchmark, person.id),
        )
        for place, person in enumerate(shown)
    )
    return Chart(
        id="pace",
        title=tr("Items decided per active hour"),
        places=_names(shown),
        values=Axis(tr("items per hour"), low=0),
        series=(Series("", "bars", marks),),
        horizontal=True,
        empty=_without_time(shown),
    )


def _without_time(shown: tuple[PersonFigures, ...]) -> str:
    return (
        "" if any(person.quartiles for person in shown) else tr("No times have been measured yet.")
    )


def _seconds(shown: tuple[PersonFigures, ...], view: Judgements, benchmark: int | None) -> Chart:
    marks = tuple(
        Mark(
            place,
            person.quartiles[1] if person.quartiles else None,
            low=person.quartiles[0] if person.quartiles else None,
            high=person.quartiles[2] if person.quartiles else None,
            note="" if person.quartiles else tr("no times measured"),
            pick=partial(decided_by, view, benchmark, person.id),
        )
        for place, person in enumerate(shown)
    )
    return Chart(
        id="seconds",
        title=tr("Time per item: median and interquartile range"),
        places=_names(shown),
        values=Axis(tr("seconds"), low=0),
        series=(Series("", "points", marks),),
        horizontal=True,
        empty=_without_time(shown),
    )


def _shares(shown: tuple[PersonFigures, ...], view: Judgements, benchmark: int | None) -> Chart:
    received, gold = [], []
    for place, person in enumerate(shown):
        received.append(
            _share(
                place - 0.14,
                person,
                person.received,
                partial(written_by, view, benchmark, person.id),
            )
        )
        pick = partial(decided_by, view, benchmark, person.id, "", "gold")
        gold.append(_share(place + 0.14, person, person.gold, pick))
    series = (
        Series(tr("own items accepted"), "points", tuple(received)),
        Series(tr("gold items correct"), "points", tuple(gold)),
    )
    empty = all(mark.value is None for line in series for mark in line.marks)
    return Chart(
        id="shares",
        title=tr("Own items accepted and gold items correct, with 95% intervals"),
        places=_names(shown),
        values=Axis(tr("share"), kind="percent", low=0, high=1),
        series=series,
        horizontal=True,
        empty=tr("No one has written an item or decided on a gold item yet.") if empty else "",
    )


def _share(at: float, person: PersonFigures, share: Proportion, pick: Pick) -> Mark:
    return Mark(
        at, share.value, share.low, share.high, label=person.name,
        note=share.undefined or share.caution, pick=pick,
    )  # fmt: skip


def _drift(numbers: PeopleNumbers, view: Judgements, benchmark: int | None) -> Chart:
    shown = [person for person in numbers.people if person.drift][:MOST_LINES]
    weeks = sorted({week for person in shown for week, _, _ in person.drift})
    place = {week: number for number, week in enumerate(weeks)}
    series = tuple(
        Series(
            person.name,
            "line",
            tuple(
                Mark(
                    place[week],
                    share,
                    label=trn("{week} (1 decision)", "{week} ({n} decisions)", count, week=week),
                    pick=partial(decided_by, view, benchmark, person.id, week),
                )
                for week, share, count in person.drift
            ),
        )
        for person in shown
    )
    return Chart(
        id="drift",
        title=tr("Drift: share of accept decisions by week"),
        places=Axis(tr("ISO week"), names=tuple(weeks)),
        values=Axis(tr("accepted"), kind="percent", low=0, high=1),
        series=series,
    )


def _table(numbers: PeopleNumbers, view: Judgements, benchmark: int | None) -> DashboardTable:
    table = ReportTable(
        title=tr("All people"),
        columns=(
            tr("Person"), tr("decisions"), tr("per hour"), tr(
                "median seconds"), tr("share accepted"),
            tr("own items accepted"), tr("gold items"), tr("correct"),
        ),
        rows=tuple(
            (
                person.name, person.decisions, person.per_hour, person.median_seconds,
                person.accepts.value, person.received.value, person.gold.total, person.gold.value,
            )
            for person in numbers.people
        ),
        digits=2,
    )  # fmt: skip
    picks = tuple(partial(decided_by, view, benchmark, person.id) for person in numbers.people)
    return DashboardTable("people", table, picks)


def _qualification(
    request: DashboardRequest, numbers: PeopleNumbers, benchmark: int | None
) -> tuple[DashboardTable, ...]:
    """How far everybody is in the tasks that begin with a qualification round."""
    names = {person.id: person.name for person in numbers.people}
    with request.ws.reading() as session:
        rows = [
            (row.name, names.get(person.id, "?"), label_of(standing.state), standing.right,
             standing.answered, standing.wanted)
            for row, person, standing in qualification.standings(session, benchmark)
        ]  # fmt: skip
    if not rows:
        return ()
    table = ReportTable(
        title=tr("Qualification rounds"),
        columns=(tr("task"), tr("Person"), tr("state"), tr("correct"), tr("answered"),
                 tr("items of a round")),
        rows=tuple(rows),
    )  # fmt: skip
    return (DashboardTable("qualification", table),)
