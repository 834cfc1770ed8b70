"""People: pace, how their work is received, gold accuracy, drift; anonymous unless asked."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.screening.threshold import Proportion, proportion
from core.text import tr
from core.workflow.judgements import Judgements, standing

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class PersonFigures:
    """One person. ``per_hour`` is decisions per active hour, None without measured time;
    ``drift`` is the acceptance rate per ISO week; ``received`` the share of what they wrote that
    was accepted."""

    person: str
    decisions: int
    per_hour: float | None
    median_seconds: float | None
    accepts: Proportion
    received: Proportion
    gold: Proportion
    drift: tuple[tuple[str, float, int], ...]


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
    busy = decisions["person_id"].value_counts()
    writers = items["author_id"].dropna().astype(int)
    ids = [*busy.index, *(i for i in writers.unique() if i not in busy.index)]
    known = gold_answers(view)
    figures = []
    for place, number in enumerate(ids, 1):
        name = view.people.get(int(number), "?")
        shown = name if named else tr("Person {number}", number=place)
        mine = decisions[decisions["person_id"] == number]
        figures.append(_figures(shown, int(number), mine, items, view, known))
    return People(tuple(figures), _sentence(figures))


def _figures(
    shown: str,
    number: int,
    mine: "pd.DataFrame",
    items: "pd.DataFrame",
    view: Judgements,
    known: dict[tuple[int, int], str],
) -> PersonFigures:
    timed = mine.loc[mine["seconds"] > 0, "seconds"]
    hours = float(timed.sum()) / 3600
    accepted = mine["verdict"] == "accept"
    wrote = items[items["author_id"] == number]
    ended = wrote[wrote["state"].isin(("accepted", "rejected", "approved", "frozen", "returned"))]
    kept = ended["state"].isin(("accepted", "approved", "frozen"))
    right = [
        verdict == known[(item, revision)]
        for item, revision, verdict in zip(
            mine["item_id"], mine["revision"], mine["verdict"], strict=True
        )
        if (item, revision, number) in view.gold and (item, revision) in known
    ]
    return PersonFigures(
        person=shown,
        decisions=len(mine),
        per_hour=len(timed) / hours if hours > 0 else None,
        median_seconds=float(timed.median()) if len(timed) else None,
        accepts=proportion(int(accepted.sum()), len(mine)),
        received=proportion(int(kept.sum()), len(ended)),
        gold=proportion(sum(right), len(right)),
        drift=_drift(mine),
    )


def gold_answers(view: Judgements) -> dict[tuple[int, int], str]:
    """The known verdict of every gold item revision: how the item ended outside of gold."""
    if not view.gold:
        return {}
    states = dict(zip(view.items["id"], view.items["state"], strict=True))
    good = ("accepted", "approved", "frozen")
    return {
        (item, revision): "accept" if states.get(item) in good else "reject"
        for item, revision, _ in view.gold
    }


def _drift(mine: "pd.DataFrame") -> tuple[tuple[str, float, int], ...]:
    if not len(mine):
        return ()
    calendar = mine["at"].dt.isocalendar()
    week = calendar["year"].astype(str) + "-W" + calendar["week"].astype(str).str.zfill(2)
    accepted = (mine["verdict"] == "accept").groupby(week)
    return tuple(
        (str(name), float(share), int(count))
        for name, share, count in zip(
            accepted.mean().index, accepted.mean(), accepted.size(), strict=True
        )
    )


def _sentence(figures: list[PersonFigures]) -> str:
    active = [one for one in figures if one.decisions]
    if not active:
        return tr("Nobody has decided on anything yet.")
    total = sum(one.decisions for one in active)
    paced = [one.per_hour for one in active if one.per_hour is not None]
    if not paced:
        return tr("{people} people made {count} decisions.", people=len(active), count=total)
    return tr(
        "{people} people made {count} decisions, {pace:.0f} per active hour on average.",
        people=len(active),
        count=total,
        pace=sum(paced) / len(paced),
    )
