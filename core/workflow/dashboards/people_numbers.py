"""People: pace, how their work is received, gold accuracy, drift; anonymous unless asked."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.i18n import tr, trn
from core.screening.threshold import Proportion, proportion
from core.workflow.dashboards.columns import Frame, groups, iso_weeks
from core.workflow.dashboards.judgements import Judgements, standing
from core.workflow.workspace import Workspace
from db.vocabulary import EventKind, ItemState

_ENDED = ("accepted", "rejected", "approved", "frozen", "returned")
_TAKEN = (ItemState.ACCEPTED, ItemState.APPROVED, ItemState.FROZEN)


@dataclass(frozen=True, slots=True)
class PersonFigures:
    """One person. ``hours`` are active ones, the measured time of all decisions; ``per_hour`` is
    decisions per active hour, None without measured time;
    ``quartiles`` are the seconds per decision at 25, 50 and 75%; ``accepts`` is the share of their
    decisions that accept, ``received`` the share of what they wrote that was accepted; ``drift``
    is (ISO week, share accepted, decisions)."""

    id: int
    person: str
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


def people(
    view: Judgements, benchmark_id: int | None = None, *, named: bool = False
) -> PeopleNumbers:
    """Figures of everybody who decided or wrote, most active first."""
    decisions = standing(view.detailed)
    items = view.items
    if benchmark_id is not None:
        items = items.rows(items["benchmark_id"] == benchmark_id)
        decisions = decisions.rows(np.isin(decisions["item_id"], items["id"]))
    decisions = decisions.having(
        week=iso_weeks(decisions["at"]), accepted=decisions["verdict"].among(("accept",))
    )
    said = {number: decisions.rows(rows) for number, rows in groups(decisions["person_id"])}
    writers = items["author_id"][~np.isnan(items["author_id"])].astype(np.int64)
    wrote = {number: items.rows(items["author_id"] == number) for number in np.unique(writers)}
    busy = sorted(said, key=lambda number: (-len(said[number]), number))
    nothing, none = decisions.rows(slice(0)), items.rows(slice(0))
    figures = []
    for place, number in enumerate([*busy, *(int(n) for n in wrote if n not in said)], 1):
        name = view.people.get(number, "?")
        shown = name if named else tr("Person {number}", number=place)
        mine, own = said.get(number, nothing), wrote.get(number, none)
        figures.append(_figures(shown, number, mine, own, view.known))
    return PeopleNumbers(tuple(figures), _sentence(figures))


def _figures(
    shown: str, number: int, mine: Frame, own: Frame, known: Mapping[int, str]
) -> PersonFigures:
    """One person, from the decisions they made and the items they wrote."""
    timed = mine["seconds"][mine["seconds"] > 0]
    hours = float(timed.sum()) / 3600
    ended = own["state"][own["state"].among(_ENDED)]
    right = _gold(mine, known)
    quartiles = None
    if len(timed):
        low, middle, high = (float(one) for one in np.quantile(timed, (0.25, 0.5, 0.75)))
        quartiles = (low, middle, high)
    return PersonFigures(
        id=number,
        person=shown,
        decisions=len(mine),
        hours=hours,
        per_hour=len(timed) / hours if hours > 0 else None,
        quartiles=quartiles,
        accepts=proportion(int(mine["accepted"].sum()), len(mine)),
        received=proportion(int(ended.among(_TAKEN).sum()), len(ended)),
        gold=proportion(sum(right), len(right)),
        drift=_drift(mine),
    )


def _gold(mine: Frame, known: Mapping[int, str]) -> list[bool]:
    """Whether each verdict on a gold item was the known one."""
    asked = mine.rows(mine["kind"].among(("gold",)))
    return [
        verdict == known[item]
        for item, verdict in zip(asked["item_id"].tolist(), asked["verdict"].tolist(), strict=True)
        if item in known
    ]


def _drift(mine: Frame) -> tuple[tuple[str, float, int], ...]:
    accepted = mine["accepted"]
    return tuple(
        (week, float(accepted[rows].mean()), len(rows)) for week, rows in groups(mine["week"])
    )


def reveal_names(ws: Workspace, person: str, benchmark: str) -> None:
    """Write down that a lead or researcher looks at people's figures with their names."""
    from core.workflow.rights import Action, writing_as
    from db import ledger

    with writing_as(ws, person, Action.REVEAL) as (session, actor):
        data = {"what": "people"}
        event = ledger.NewEvent(EventKind.REVEALED, actor.name, subject=benchmark, data=data)
        ledger.append(session, event)


def _sentence(figures: list[PersonFigures]) -> str:
    active = [one for one in figures if one.decisions]
    if not active:
        return tr("Nobody has decided on anything yet.")
    total = sum(one.decisions for one in active)
    paced = [(one.hours, one.per_hour) for one in active if one.per_hour is not None]
    if not paced:
        return tr(
            "{people} made {count}.",
            people=trn("1 person", "{n} people", len(active)),
            count=trn("1 decision", "{n} decisions", total),
        )
    return tr(
        "{people} made {count}, {pace} per active hour on average.",
        people=trn("1 person", "{n} people", len(active)),
        count=trn("1 decision", "{n} decisions", total),
        pace=f"{sum(hours * pace for hours, pace in paced) / sum(h for h, _ in paced):.0f}",
    )
