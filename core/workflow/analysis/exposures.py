"""Exposures: who could have seen the items of a split, and what a model's provider had seen of it
before it was evaluated.

Everything is read from what the work itself leaves: claims, decisions, ratings, revisions and
comments of people, items that runs made, screened or asked, and the readings of a split (see
``readings``). Whoever may look at all items is said to be able to, for looking leaves no trace.
Where it is not known which items a run sent, all that it can have sent count as seen.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from core.i18n import tr, trn
from core.report_table import ReportTable
from core.web_hosts import is_loopback, web_host
from core.workflow.check.sight import open_to
from core.workflow.labels import role_label
from core.workflow.rights import Action, may, require, roles_for
from core.workflow.splits import readings, split_states
from core.workflow.splits.readings import Act, Reading
from core.workflow.workspace import Workspace
from db import people, runs, splits
from db.engine import Session
from db.queries import exposures as touched
from db.queries.own_work import OpenTo
from db.runs import RunRow
from db.splits import SplitRow

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
_NO_MODEL = ("baseline:", "people")
"""Beginnings of engines that send nothing to a model."""


@dataclass(frozen=True, slots=True)
class SplitExposure:
    """One way in which a split could be seen.

    ``kind`` is ``person``, ``model`` or ``file``; ``who`` a person's name, a model, or for a file
    who wrote it; ``where`` the host of a server, a launcher, or a file's format; ``items`` how many
    different items of the split; ``first`` and ``last`` are ISO times, UTC, empty where nothing
    tells when. ``certain`` is False where somebody could look, and nothing tells whether they did.
    """

    split: str
    kind: str
    who: str
    where: str
    way: str
    items: int
    first: str
    last: str
    certain: bool = True


@dataclass(frozen=True, slots=True)
class SeenBefore:
    """Of a run: how many of the ``items`` of its split its model or its provider's host (``by``)
    had been sent by this workspace before; ``seen`` is 0 for a model that had never been asked."""

    by: str
    seen: int
    items: int

    def sentence(self) -> str:
        """It in words."""
        return trn(
            "Before this run, {by} had been sent {seen} of 1 item of this split.",
            "Before this run, {by} had been sent {seen} of {n} items of this split.",
            self.items,
            by=self.by,
            seen=self.seen,
        )


@dataclass(frozen=True, slots=True)
class _Sender:
    """A run that asks a model, at a host where it is a server's."""

    run: RunRow
    model: str
    host: str

    @property
    def provider(self) -> str:
        """The host on the network, else the model."""
        return self.host if self.host and not is_loopback(self.host) else self.model

    def is_like(self, other: "_Sender") -> bool:
        """Whether another run's provider is the same."""
        return self.provider in (other.host, other.model)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a run sent of a split: ``known`` are the items that certainly were, ``count`` is how
    many can have been."""

    sender: _Sender
    known: frozenset[int]
    count: int


def exposures(
    ws: Workspace, split: str = "", *, model: str = "", person: str = "", host: str = ""
) -> tuple[SplitExposure, ...]:
    """All exposures of one split or of all, those of one model, person or host where one is named.

    ``host`` also finds the hosts below it: ``example.org`` finds ``api.example.org``. Raises
    NotFoundError for an unknown split, RightsError for whoever may not look at people's figures;
    who gives no name is told of no person, and nobody what others did with items that they may
    still judge themselves.
    """
    found: list[SplitExposure] = []
    with ws.reading() as session:
        named = bool(ws.person) or ws.has_logins
        viewer = require(session, ws.person, Action.SEE_PEOPLE) if named else None
        with_people = viewer is not None and not (model or host)
        senders = [] if person else _senders(session)
        one = [split_states.split_in(session, split)] if split else []
        for row in one or reversed(splits.all_splits(session)):
            told = readings.of_split(session, row.name)
            found += _of_people(session, row, open_to(viewer)) if with_people else []
            found += [] if person else _of_models(session, row, told, senders)
            found += _of_files(row, told) if with_people else []
    return tuple(one for one in found if _asked_for(one, model, person, host))


def _asked_for(one: SplitExposure, model: str, person: str, host: str) -> bool:
    return (
        (not model or (one.kind == "model" and one.who == model))
        and (not person or (one.kind != "model" and one.who == person))
        and (not host or one.where == host or one.where.endswith(f".{host}"))
    )


def seen_before(ws: Workspace, run_id: str) -> SeenBefore | None:
    """What a run's model or provider had been sent of its split before; None for a run that asked
    no model, or of no split."""
    with ws.reading() as session:
        row = runs.get(session, run_id)
        models = _models_of(row.params) if row is not None else []
        if row is None or row.split_id is None or not models:
            return None
        own = _Sender(row, *models[0])
        earlier = [one for one in _senders(session) if one.run.at < row.at and own.is_like(one)]
        split = splits.get(session, row.split_id)
        told = readings.of_split(session, split.name)
        seen = _distinct(_asked(session, split, told, earlier))
    tried = [
        entry.items
        for entry in told
        if entry.act == Act.TRIAL and entry.purpose == own.model and _time(entry.at) < row.at
    ]
    return SeenBefore(own.provider, min(split.size, seen + sum(tried)), split.size)


def _distinct(asked: Iterable[_Asked]) -> int:
    """How many different items can have been sent at most."""
    known: set[int] = set()
    unknown = 0
    for one in asked:
        known |= one.known
        unknown += max(0, one.count - len(one.known))
    return len(known) + unknown


def _time(at: str) -> datetime:
    return datetime.fromisoformat(at)


# --- people ----------------------------------------------------------------------------------


def _ways() -> Mapping[str, str]:
    return {
        "wrote": tr("written"),
        "was given": tr("given to be judged"),
        "decided": tr("decided"),
        "rated": tr("rated"),
        "commented": tr("discussed"),
    }


def _of_people(session: Session, split: SplitRow, viewer: OpenTo) -> list[SplitExposure]:
    rows = touched.by_people(session, split.id, viewer)
    found = [
        SplitExposure(split.name, "person", row.who, "", _ways()[row.way], row.items,
                 _iso(row.first), _iso(row.last))
        for row in sorted(rows)
    ]  # fmt: skip
    roles = ", ".join(role_label(role) for role in roles_for(Action.SEE_ITEMS))
    able = sum(one.active and may(one.role, Action.SEE_ITEMS) for one in people.everybody(session))
    return [
        *found,
        SplitExposure(split.name, "person", roles, trn("1 person", "{n} people", able),
                      tr("may look at all items"), split.size, "", "", certain=False),
    ]  # fmt: skip


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


# --- models ----------------------------------------------------------------------------------


def _of_models(
    session: Session, split: SplitRow, told: Iterable[Reading], senders: Sequence[_Sender]
) -> list[SplitExposure]:
    told = tuple(told)
    groups: dict[tuple[str, str, str], list[_Asked]] = defaultdict(list)
    for one in _asked(session, split, told, senders):
        by = one.sender
        groups[by.model, by.host or by.run.launcher, _way(by.run.kind)].append(one)
    found = []
    for (model, where, way), asked in groups.items():
        times = [one.sender.run.at for one in asked]
        count = min(split.size, _distinct(asked))
        found.append(SplitExposure(split.name, "model", model, where, way, count,
                                   _iso(min(times)), _iso(max(times))))  # fmt: skip
    return found + [
        SplitExposure(split.name, "model", entry.purpose, "", readings.TITLES[Act.TRIAL](),
                 entry.items, entry.at, entry.at)
        for entry in told
        if entry.act == Act.TRIAL and not entry.purpose.startswith(_NO_MODEL)
    ]  # fmt: skip


def _senders(session: Session) -> list[_Sender]:
    """The runs that ask a model, oldest first."""
    return [
        _Sender(row, model, host)
        for row in reversed(runs.all_runs(session))
        if row.kind in _RUNS_THAT_SEND
        for model, host in _models_of(row.params)
    ]


def _asked(
    session: Session, split: SplitRow, told: Iterable[Reading], senders: Sequence[_Sender]
) -> list[_Asked]:
    """What each of these runs sent of a split, without those that sent nothing of it."""
    if not senders:
        return []
    known: dict[str, set[int]] = defaultdict(set)
    for sent in touched.sent_in_runs(session, split.id, {one.run.id for one in senders}):
        known[sent.run_id].add(sent.item_id)
    counts = {entry.purpose: entry.items or split.size for entry in told if entry.act in _OF_A_RUN}
    found = []
    for one in senders:
        items = frozenset(known.get(one.run.id, ()))
        if count := counts.get(one.run.id, len(items)):
            found.append(_Asked(one, items, count))
    return found


def _models_of(params: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The models that a run asks, each with the host that it is asked at; empty for none."""
    if str(params.get("engine", "")).startswith(_NO_MODEL):
        return []
    host = web_host(str(params.get("base_url") or ""))
    names = (params.get(field) for field in ("model", "critic_model", "base_model"))
    return [(str(name), host) for name in dict.fromkeys(names) if name]


def _way(kind: str) -> str:
    return {
        "generate": tr("generated"),
        "rewrite": tr("rewritten"),
        "prescreen": tr("screened"),
        "evaluate": readings.TITLES[Act.EVALUATION](),
        "adaptive": readings.TITLES[Act.EVALUATION](),
        "judge": readings.TITLES[Act.JUDGING](),
        "pairwise": readings.TITLES[Act.JUDGING](),
        "finetune": readings.TITLES[Act.SIMULATION](),
    }[kind]


# --- files -----------------------------------------------------------------------------------


def _of_files(split: SplitRow, told: Iterable[Reading]) -> list[SplitExposure]:
    acts = (Act.EXPORT, Act.SHEET, Act.ITEMS, Act.TABLE)
    return [
        SplitExposure(split.name, "file", entry.person, entry.purpose,
                 readings.TITLES[Act(entry.act)](), entry.items or split.size, entry.at, entry.at)
        for entry in told
        if entry.act in acts
    ]  # fmt: skip


def table(found: Iterable[SplitExposure]) -> ReportTable:
    """The exposures as a table."""
    kinds = {"person": tr("person"), "model": tr("model"), "file": tr("file")}
    rows = tuple(
        (one.split, kinds[one.kind], one.who, one.where, one.way, one.items,
         one.first[:19].replace("T", " "), one.last[:19].replace("T", " "))
        for one in found
    )  # fmt: skip
    heads = (tr("split"), tr("kind"), tr("who"), tr("where"), tr("use"), tr("items"),
             tr("first (UTC)"), tr("last (UTC)"))  # fmt: skip
    return ReportTable(tr("Who could have seen the items"), heads, rows)
