"""What runs sent to models of a split's items, and so what a provider had seen before a run; and
how many participants had access to them.

Counts come from the database, never items: a split of a million costs one statement.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.evaluation.report_parts.seen_before import SeenBefore
from core.web_hosts import is_loopback, web_host
from core.workflow.analysis import organisations
from core.workflow.splits import readings
from core.workflow.splits.readings import Act, Reading
from core.workflow.workspace import Workspace
from db import ledger, runs, splits
from db.engine import Session
from db.queries import exposures as touched
from db.runs import RunRow
from db.splits import SplitRow
from db.vocabulary import EventKind

_RUNS_THAT_SEND = (
    "generate",
    "rewrite",
    "prescreen",
    "evaluate",
    "adaptive",
    "judge",
    "pairwise",
    "finetune",
)
_OF_A_RUN = frozenset((Act.EVALUATION, Act.JUDGING, Act.SIMULATION))
NO_MODEL = ("baseline:", organisations.PEOPLE)
"""Beginnings of engines that send nothing to a model."""


@dataclass(frozen=True, slots=True)
class Sender:
    """A run that asks a model, at a host where it is a server's."""

    run: RunRow
    model: str
    host: str

    @property
    def provider(self) -> str:
        """The host on the network, else the model."""
        return self.host if self.host and not is_loopback(self.host) else self.model

    def is_like(self, other: "Sender") -> bool:
        """Whether another run's provider is the same."""
        return self.provider in (other.host, other.model)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run sent of a split: ``known`` is how many items certainly were, ``count`` how many
    can have been. Where ``count`` is the whole split, ``known`` is not looked up and 0."""

    sender: Sender
    known: int
    count: int


def senders(session: Session) -> list[Sender]:
    """The runs that ask a model, oldest first."""
    return [
        Sender(row, model, host)
        for row in reversed(runs.all_runs(session))
        if row.kind in _RUNS_THAT_SEND
        for model, host in _models_of(row.params)
    ]


def _models_of(params: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The models that a run asks, each with the host that it is asked at; empty for none."""
    if str(params.get("engine", "")).startswith(NO_MODEL):
        return []
    host = web_host(str(params.get("base_url") or ""))
    names = (params.get(field) for field in ("model", "critic_model", "base_model"))
    return [(str(name), host) for name in dict.fromkeys(names) if name]


def asked_by(
    session: Session, split: SplitRow, told: Iterable[Reading], those: Sequence[Sender]
) -> list[Asked]:
    """What each of these runs sent of a split, without those that sent nothing of it."""
    counts = {entry.purpose: entry.items or split.size for entry in told if entry.act in _OF_A_RUN}
    partly = {one.run.id for one in those if counts.get(one.run.id, 0) < split.size}
    known = touched.sent_in_runs(session, split.id, partly) if partly else {}
    perhaps = _perhaps_screened(session, split, those)
    found = []
    for one in those:
        certain = known.get(one.run.id, 0)
        if count := max(counts.get(one.run.id, certain), perhaps.get(one.run.id, 0)):
            found.append(Asked(one, certain, count))
    return found


def _perhaps_screened(session: Session, split: SplitRow, those: Sequence[Sender]) -> dict[str, int]:
    """By screening that came after a generation, how many items of a split that one made: the
    database does not tell of those that were sent and whose verdicts never came in."""
    after: dict[str, str] = {}
    for one in those:
        if one.run.kind == "prescreen":
            told = ledger.of_subject(session, EventKind.RUN, one.run.id)
            if of := next((event.data["after"] for event in told if "after" in event.data), ""):
                after[one.run.id] = of
    made = touched.made_in_runs(session, split.id, set(after.values())) if after else {}
    return {run: made[of] for run, of in after.items() if of in made}


def different_items(session: Session, split: SplitRow, asked: Collection[Asked]) -> int:
    """How many different items of a split these can have sent at most."""
    by_run = {one.sender.run.id: one for one in asked}
    if any(one.count >= split.size for one in by_run.values()):
        return split.size
    if len(by_run) < 2:
        return sum(max(one.count, one.known) for one in by_run.values())
    known = touched.sent_items(session, split.id, set(by_run))
    unknown = sum(max(0, one.count - one.known) for one in by_run.values())
    return min(split.size, known + unknown)


def seen_before(ws: Workspace, run_ids: Collection[str]) -> dict[str, SeenBefore]:
    """What the model or provider of each run had been sent of its split before, by run; without
    runs that asked no model, or of no split."""
    with ws.reading() as session:
        everybody = senders(session)
        wanted = set(run_ids)
        by_split: dict[int, dict[str, Sender]] = {}
        for one in everybody:
            if one.run.id in wanted and one.run.split_id is not None:
                by_split.setdefault(one.run.split_id, {}).setdefault(one.run.id, one)
        found: dict[str, SeenBefore] = {}
        for split_id, own in by_split.items():
            found |= _of_split(session, splits.get(session, split_id), own, everybody)
    return found


def _of_split(
    session: Session, split: SplitRow, own: Mapping[str, Sender], everybody: Sequence[Sender]
) -> dict[str, SeenBefore]:
    told = readings.of_split(session, split.name)
    newest = max(one.run.at for one in own.values())
    providers = {one.provider for one in own.values()}
    before = [
        one
        for one in everybody
        if one.run.at < newest and not providers.isdisjoint((one.host, one.model))
    ]
    asked = asked_by(session, split, told, before)
    people = organisations.participants(session, split.id)
    begun = organisations.starters(session, own)
    found = {}
    for name, one in own.items():
        earlier = [a for a in asked if a.sender.run.at < one.run.at and one.is_like(a.sender)]
        seen = different_items(session, split, earlier) + _besides(told, one)
        access = people.of_score(one.model, one.host, begun.get(name, ""))
        found[name] = SeenBefore(one.provider, min(split.size, seen), split.size, len(access))
    return found


def _besides(told: Iterable[Reading], own: Sender) -> int:
    """Items that a model had been sent before a run without a run of their own: in its trial runs,
    and to compare by meaning, its host counted too."""
    return sum(
        entry.items
        for entry in told
        if datetime.fromisoformat(entry.at) < own.run.at
        and (
            (entry.act == Act.TRIAL and entry.purpose == own.model)
            or (entry.act == Act.EMBEDDING and own.provider in entry.receiver)
        )
    )
