"""The People board: pace, time, how work is received, and drift; names only when asked for."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from core.i18n import tr, trn
from core.report_table import ReportTable
from core.workflow.dashboards.columns import iso_weeks
from core.workflow.dashboards.figures import (
    Axis,
    Chart,
    Dashboard,
    DashboardTable,
    EmptyReason,
    Mark,
    Series,
)
from core.workflow.dashboards.judgements import Judgements, standing
from core.workflow.dashboards.people_numbers import PeopleNumbers, PersonFigures, people
from core.workflow.dashboards.progress import benchmark_id, numbers_of
from core.workflow.dashboards.registry import DashboardRequest

if TYPE_CHECKING:
    from core.screening.threshold import Proportion

MOST_PEOPLE = 12
MOST_LINES = 6


def board(asked: DashboardRequest) -> Dashboard:
    """Sentence, pace, time, acceptance and gold, drift, and the table of everybody."""
    view = asked.book.read(("decisions", "details"))
    number = benchmark_id(asked)
    found = people(view, number if number is not None else -1, named=asked.named)
    if not any(one.decisions for one in found.people):
        missing = EmptyReason(
            tr("Nobody has decided on anything yet."),
            tr("Once people review items, their pace and how their work is received stand here."),
            tr("Review items"),
            "review",
        )
        return Dashboard("people", asked.benchmark, view.tip, missing.title, missing=missing)
    shown = found.people[:MOST_PEOPLE]
    return Dashboard(
        panel="people",
        benchmark=asked.benchmark,
        tip=view.tip,
        sentence=found.sentence,
        figures=(
            _pace(shown, view, number),
            _seconds(shown, view, number),
            _shares(shown, view, number),
            _drift(found, view, number),
        ),
        tables=(_table(found, view, number),),
        facts={"named": asked.named},
    )


def decided_by(
    view: Judgements, bench: int | None, person: int, week: str = "", kind: str = ""
) -> list[int]:
    """Numbers of the items that a person decided on, in a week, in one capacity."""
    frame = standing(view.decisions)
    wanted = frame["person_id"] == person
    if bench is not None:
        mine = view.items["id"][view.items["benchmark_id"] == bench]
        wanted &= np.isin(frame["item_id"], mine)
    if kind:
        wanted &= frame["kind"].among((kind,))
    if week:
        wanted &= iso_weeks(frame["at"]).among((week,))
    return numbers_of(frame["item_id"][wanted])


def written_by(view: Judgements, bench: int | None, person: int) -> list[int]:
    """Numbers of the items that a person wrote."""
    wanted = view.items["author_id"] == person
    if bench is not None:
        wanted &= view.items["benchmark_id"] == bench
    return numbers_of(view.items["id"][wanted])


def _names(shown: tuple[PersonFigures, ...]) -> Axis:
    return Axis("", names=tuple(one.person for one in shown))


def _pace(shown: tuple[PersonFigures, ...], view: Judgements, bench: int | None) -> Chart:
    marks = tuple(
        Mark(
            place,
            one.per_hour,
            low=0.0,
            note="" if one.per_hour is not None else tr("no time was measured"),
            pick=partial(decided_by, view, bench, one.id),
        )
        for place, one in enumerate(shown)
    )
    return Chart(
        id="pace",
        title=tr("Items decided in an active hour"),
        places=_names(shown),
        values=Axis(tr("items per hour"), low=0),
        series=(Series("", "bars", marks),),
        lying=True,
        empty=_without_time(shown),
    )


def _without_time(shown: tuple[PersonFigures, ...]) -> str:
    return "" if any(one.quartiles for one in shown) else tr("No time was measured yet.")


def _seconds(shown: tuple[PersonFigures, ...], view: Judgements, bench: int | None) -> Chart:
    marks = tuple(
        Mark(
            place,
            one.quartiles[1] if one.quartiles else None,
            low=one.quartiles[0] if one.quartiles else None,
            high=one.quartiles[2] if one.quartiles else None,
            note="" if one.quartiles else tr("no time was measured"),
            pick=partial(decided_by, view, bench, one.id),
        )
        for place, one in enumerate(shown)
    )
    return Chart(
        id="seconds",
        title=tr("Time for one item: median and middle half"),
        places=_names(shown),
        values=Axis(tr("seconds"), low=0),
        series=(Series("", "points", marks),),
        lying=True,
        empty=_without_time(shown),
    )


def _shares(shown: tuple[PersonFigures, ...], view: Judgements, bench: int | None) -> Chart:
    received, gold = [], []
    for place, one in enumerate(shown):
        received.append(
            _share(place - 0.14, one, one.received, partial(written_by, view, bench, one.id))
        )
        pick = partial(decided_by, view, bench, one.id, "", "gold")
        gold.append(_share(place + 0.14, one, one.gold, pick))
    series = (
        Series(tr("own items accepted"), "points", tuple(received)),
        Series(tr("control items right"), "points", tuple(gold)),
    )
    empty = all(mark.value is None for one in series for mark in one.marks)
    return Chart(
        id="shares",
        title=tr("How their work is received, with 95% intervals"),
        places=_names(shown),
        values=Axis(tr("share"), kind="percent", low=0, high=1),
        series=series,
        lying=True,
        empty=tr("Nobody has written an item or met a control item yet.") if empty else "",
    )


def _share(at: float, one: PersonFigures, share: "Proportion", pick: "partial[list[int]]") -> Mark:
    return Mark(
        at, share.value, share.low, share.high, label=one.person, note=share.undefined, pick=pick
    )


def _drift(found: PeopleNumbers, view: Judgements, bench: int | None) -> Chart:
    shown = [one for one in found.people if one.drift][:MOST_LINES]
    weeks = sorted({week for one in shown for week, _, _ in one.drift})
    place = {week: number for number, week in enumerate(weeks)}
    series = tuple(
        Series(
            one.person,
            "line",
            tuple(
                Mark(
                    place[week],
                    share,
                    label=trn("{week} (1 decision)", "{week} ({n} decisions)", count, week=week),
                    pick=partial(decided_by, view, bench, one.id, week),
                )
                for week, share, count in one.drift
            ),
        )
        for one in shown
    )
    return Chart(
        id="drift",
        title=tr("Drift: share of decisions that accept, by week"),
        places=Axis(tr("ISO week"), names=tuple(weeks)),
        values=Axis(tr("accepted"), kind="percent", low=0, high=1),
        series=series,
    )


def _table(found: PeopleNumbers, view: Judgements, bench: int | None) -> DashboardTable:
    table = ReportTable(
        title=tr("Everybody"),
        columns=(
            tr("Person"), tr("decisions"), tr("per hour"), tr("median seconds"), tr("accepts"),
            tr("own accepted"), tr("control items"), tr("right"),
        ),
        rows=tuple(
            (
                one.person, one.decisions, one.per_hour, one.median_seconds, one.accepts.value,
                one.received.value, one.gold.total, one.gold.value,
            )
            for one in found.people
        ),
        digits=2,
    )  # fmt: skip
    picks = tuple(partial(decided_by, view, bench, one.id) for one in found.people)
    return DashboardTable("people", table, picks)
