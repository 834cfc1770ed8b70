"""People: pace, how their work is received, gold accuracy, drift; anonymous unless asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.screening.threshold import Proportion, proportion
from core.text import tr
from core.workflow.judgements import Judgements, standing
from core.workflow.workspace import Workspace
from db.vocabulary import EventKind, ItemState, Role

if TYPE_CHECKING:
    import pandas as pd

_ENDED = ("accepted", "rejected", "approved", "frozen", "returned")
_TAKEN = (ItemState.ACCEPTED, ItemState.APPROVED, ItemState.FROZEN)


@dataclass(frozen=True, slots=True)
class PersonFigures:
    """One person. ``per_hour`` is decisions per active hour, None without measured time;
    ``quartiles`` are the seconds per decision at 25, 50 and 75%; ``accepts`` is the share of their
    decisions that accept, ``received`` the share of what they wrote that was accepted; ``drift``
    is (ISO week, share accepted, decisions)."""

    id: int
    person: str
    decisions: int
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
class People:
    """The whole panel."""

    people: tuple[PersonFigures, ...]
    sentence: str


def people(view: Judgements, benchmark_id: int | None = None, *, named: bool = False) -> People:
    """Figures of everybody who decided or wrote, most active first."""
    decisions = standing(view.decisions)
    items = view.items
    if benchmark_id is not None:
        items = items[items["benchmark_id"] == benchmark_id]
        decisions = decisions[decisions["item_id"].isin(items["id"])]
    week = week_of(decisions["at"])
    decisions = decisions.assign(week=week, accepted=decisions["verdict"] == "accept")
    busy = decisions["person_id"].value_counts()
    writers = items["author_id"].dropna().astype(int)
    ids = [*busy.index, *(i for i in writers.unique() if i not in busy.index)]
    parts = dict(iter(decisions.groupby("person_id")))
    nothing = decisions.iloc[:0]
    figures = []
    for place, number in enumerate(ids, 1):
        name = view.people.get(int(number), "?")
        shown = name if named else tr("Person {number}", number=place)
        mine = parts.get(number, nothing)
        figures.append(_figures(shown, int(number), mine, items, view.known))
    return People(tuple(figures), _sentence(figures))


def week_of(moments: "pd.Series[pd.Timestamp]") -> "pd.Series[str]":
    """The ISO week of each moment, such as ``2026-W32``; one name per day, not per row."""
    days = moments.dt.floor("D")
    names = {day: "{}-W{:02}".format(*day.isocalendar()[:2]) for day in days.unique()}
    return days.map(names)


def _figures(
    shown: str,
    number: int,
    mine: "pd.DataFrame",
    items: "pd.DataFrame",
    known: Mapping[int, str],
) -> PersonFigures:
    timed = mine.loc[mine["seconds"] > 0, "seconds"].to_numpy(float)
    hours = float(timed.sum()) / 3600
    wrote = items[items["author_id"] == number]
    ended = wrote[wrote["state"].isin(_ENDED)]
    kept = ended["state"].isin(_TAKEN)
    right = _gold(mine, known)
    quartiles = None
    if len(timed):
        low, middle, high = (float(one) for one in np.quantile(timed, (0.25, 0.5, 0.75)))
        quartiles = (low, middle, high)
    return PersonFigures(
        id=number,
        person=shown,
        decisions=len(mine),
        per_hour=len(timed) / hours if hours > 0 else None,
        quartiles=quartiles,
        accepts=proportion(int(mine["accepted"].sum()), len(mine)),
        received=proportion(int(kept.sum()), len(ended)),
        gold=proportion(sum(right), len(right)),
        drift=_drift(mine),
    )


def _gold(mine: "pd.DataFrame", known: Mapping[int, str]) -> list[bool]:
    """Whether each verdict on a gold item was the known one."""
    asked = mine[mine["kind"] == "gold"]
    return [
        verdict == known[item]
        for item, verdict in zip(asked["item_id"], asked["verdict"], strict=True)
        if item in known
    ]


def _drift(mine: "pd.DataFrame") -> tuple[tuple[str, float, int], ...]:
    if not len(mine):
        return ()
    accepted = mine.groupby("week")["accepted"]
    return tuple(
        (str(name), float(share), int(count))
        for name, share, count in zip(
            accepted.mean().index, accepted.mean(), accepted.size(), strict=True
        )
    )


def reveal_names(ws: Workspace, person: str, benchmark: str) -> None:
    """Write down that a lead or researcher looks at people's figures with their names."""
    from core.workflow.administer import acting
    from db import ledger

    actor = acting(ws, person, (Role.LEAD, Role.RESEARCHER), tr("looking at what is hidden"))
    with ws.writing() as session:
        data = {"what": "people"}
        event = ledger.NewEvent(EventKind.REVEALED, actor.name, subject=benchmark, data=data)
        ledger.append(session, event)


def _sentence(figures: list[PersonFigures]) -> str:
    active = [one for one in figures if one.decisions]
    if not active:
        return tr("Nobody has decided on anything yet.")
    total = sum(one.decisions for one in active)
    paced = [one.per_hour for one in active if one.per_hour is not None]
    if not paced:
        return tr("{people} people made {count} decisions.", people=len(active), count=f"{total:,}")
    return tr(
        "{people} people made {count} decisions, {pace} per active hour on average.",
        people=len(active),
        count=f"{total:,}",
        pace=f"{sum(paced) / len(paced):.0f}",
    )
