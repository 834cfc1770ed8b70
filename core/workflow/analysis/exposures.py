"""Exposures: who could have seen the items of a split.

Everything is read from what the work itself leaves: claims, decisions, ratings, revisions and
comments of people, items that runs made, screened or asked, and the readings of a split (see
``readings``). Whoever may look at all items is said to be able to, for looking leaves no trace.
Where it is not known which items a run sent, all that it can have sent count as seen.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from core.i18n import listed, tr, trn
from core.report_table import Moment, ReportTable
from core.workflow.analysis import organisations, sent_items
from core.workflow.analysis.organisations import Organisations
from core.workflow.analysis.sent_items import Asked, Sender
from core.workflow.check.visibility import open_to
from core.workflow.labels import role_label
from core.workflow.rights import Action, is_allowed, require, roles_for
from core.workflow.splits import item_keys, lifecycle, readings, split_states
from core.workflow.splits.readings import Act, Reading
from core.workflow.workspace import Workspace
from db import people, splits
from db.engine import Session
from db.people import PersonRow
from db.queries import exposures as touched
from db.queries.own_work import OpenTo
from db.server import logins
from db.splits import SplitRow


@dataclass(frozen=True, slots=True)
class SplitExposure:
    """One way in which a split could be seen.

    ``kind`` is ``person``, ``model`` or ``file``; ``who`` a person's name, a model, or for a file
    who wrote it; ``where`` the host of a server or a storage, a launcher, a file's format, or who
    can open an archive; ``items`` how many different items of the split; ``first`` and ``last`` are
    ISO times, UTC, empty where nothing tells when. ``certain`` is False where somebody could look,
    and nothing tells whether they did; ``organisation`` is whose the person, model or host is,
    where that is known.
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
    organisation: str = ""


def exposures(
    ws: Workspace,
    split: str = "",
    *,
    model: str = "",
    person: str = "",
    host: str = "",
    organisation: str = "",
) -> tuple[SplitExposure, ...]:
    """All exposures of one split or of all, those of one model, person, host or organisation where
    one is named.

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
        asking = [] if person else sent_items.senders(session)
        one = [split_states.split_in(session, split)] if split else []
        for row in one or reversed(splits.all_splits(session)):
            told = readings.of_split(session, row.name)
            if viewer is not None and with_people:
                found += _of_people(session, row, open_to(viewer), viewer)
            found += _of_asked(session, row) if with_people else []
            found += _of_keys(session, row) if with_people else []
            found += [] if person else _of_models(session, row, told, asking)
            found += _of_files(row, told) if with_people else []
            found += _of_storages(row, told) if viewer is not None and not model else []
            found += _of_archives(session, row) if with_people else []
        known = organisations.read_in(session)
    return tuple(
        replace(one, organisation=whose[0])
        for one in found
        if (whose := _whose(known, one))
        and _asked_for(one, model, person, host)
        and (not organisation or any(organisations.is_same(name, organisation) for name in whose))
    )


def _whose(known: Organisations, one: SplitExposure) -> tuple[str, ...]:
    """The organisations of an exposure, first the one that is shown; of a model also its host's."""
    if one.kind != "model":
        return (known.of_person(one.who),)
    maker, provider = known.of_model(one.who), known.of_host(one.where)
    return (maker or provider, provider)


def _asked_for(one: SplitExposure, model: str, person: str, host: str) -> bool:
    return (
        (not model or (one.kind == "model" and one.who == model))
        and (not person or (one.kind != "model" and one.who == person))
        and (not host or one.where == host or one.where.endswith(f".{host}"))
    )


# --- people ----------------------------------------------------------------------------------


def _ways() -> Mapping[str, str]:
    return {
        "wrote": tr("written"),
        "was given": tr("given to be judged"),
        "decided": tr("decided"),
        "rated": tr("rated"),
        "commented": tr("discussed"),
    }


def _of_people(
    session: Session, split: SplitRow, viewer: OpenTo, acting: PersonRow
) -> list[SplitExposure]:
    rows = touched.by_people(session, split.id, viewer)
    untold = touched.everybody(session, split.id) - {row.who for row in rows}
    found = [
        SplitExposure(split.name, "person", row.who, "", _ways()[row.way], row.items,
                 _iso(row.first), _iso(row.last))
        for row in sorted(rows)
    ]  # fmt: skip
    roles = listed(role_label(role) for role in roles_for(Action.SEE_ITEMS))
    able = sum(
        one.active and is_allowed(one.role, Action.SEE_ITEMS) for one in people.everybody(session)
    )
    if logins.secured(session) and not is_allowed(acting.role, Action.OPEN_SPLIT):
        way = tr("had access; a lead sees to what")
        found += [
            SplitExposure(split.name, "person", who, "", way, split.size, "", "", certain=False)
            for who in sorted(untold)
        ]
    return [
        *found,
        SplitExposure(split.name, "person", roles, trn("1 person", "{n} people", able),
                      tr("may look at all items"), split.size, "", "", certain=False),
    ]  # fmt: skip


def _of_asked(session: Session, split: SplitRow) -> list[SplitExposure]:
    """Who was asked the items for the human ceiling; all that they may have been asked count."""
    return [
        SplitExposure(split.name, "person", one.person, "", tr("asked to answer"),
                      split.size - one.known, _iso(one.at), _iso(one.at))
        for one in organisations.asked_people(session, split.id)
    ]  # fmt: skip


def _of_keys(session: Session, split: SplitRow) -> list[SplitExposure]:
    """Who had the key of items that are encrypted in the workspace."""
    times: dict[str, list[str]] = defaultdict(list)
    for one in item_keys.unlockings_in(session, split.name):
        times[one.person].append(one.at)
    return [
        SplitExposure(split.name, "person", who, "", tr("had the key of the encrypted items"),
                      split.size, min(at), max(at), certain=False)
        for who, at in times.items()
    ]  # fmt: skip


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


# --- models ----------------------------------------------------------------------------------


def _of_models(
    session: Session, split: SplitRow, told: Iterable[Reading], asking: Sequence[Sender]
) -> list[SplitExposure]:
    told = tuple(told)
    groups: dict[tuple[str, str, str], list[Asked]] = defaultdict(list)
    for one in sent_items.asked_by(session, split, told, asking):
        by = one.sender
        groups[by.model, by.host or by.run.launcher, _way(by.run.kind)].append(one)
    found = []
    for (model, where, way), asked in groups.items():
        times = [one.sender.run.at for one in asked]
        count = sent_items.different_items(session, split, asked)
        found.append(SplitExposure(split.name, "model", model, where, way, count,
                                   _iso(min(times)), _iso(max(times))))  # fmt: skip
    found += [
        SplitExposure(split.name, "model", entry.purpose, "", readings.TITLES[Act.TRIAL](),
                      entry.items, entry.at, entry.at)
        for entry in told
        if entry.act == Act.TRIAL and not entry.purpose.startswith(sent_items.NO_MODEL)
    ]  # fmt: skip
    return found + [_of_embedding(split, entry) for entry in told if entry.act == Act.EMBEDDING]


def _of_embedding(split: SplitRow, entry: Reading) -> SplitExposure:
    model, host = entry.receiver
    way = readings.TITLES[Act.EMBEDDING]()
    return SplitExposure(split.name, "model", model, host, way, entry.items, entry.at, entry.at)


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
    acts = (Act.EXPORT, Act.SHEET, Act.ITEMS, Act.TABLE, Act.COPY, Act.BACKUP)
    return [
        SplitExposure(split.name, "file", entry.person, entry.detail, entry.title,
                 entry.items or split.size, entry.at, entry.at)
        for entry in told
        if entry.act in acts
    ]  # fmt: skip


def _of_storages(split: SplitRow, told: Iterable[Reading]) -> list[SplitExposure]:
    """Run folders that were put where other machines, and whoever runs the storage, read them."""
    found = []
    for entry in told:
        if entry.act == Act.STORAGE:
            address, host = entry.receiver
            found.append(SplitExposure(split.name, "file", entry.person, host or address,
                                       entry.title, entry.items, entry.at, entry.at))  # fmt: skip
    return found


def _of_archives(session: Session, split: SplitRow) -> list[SplitExposure]:
    """Locked archives, which whoever can open one may have opened anywhere."""
    return [
        SplitExposure(split.name, "file", note.person, note.openers,
                      tr("written to a locked archive"), split.size, note.at, note.at,
                      certain=False)
        for note in lifecycle.archives_of(session, split.name)
    ]  # fmt: skip


def table(found: Iterable[SplitExposure]) -> ReportTable:
    """The exposures as a table."""
    kinds = {"person": tr("person"), "model": tr("model"), "file": tr("file")}
    rows = tuple(
        (one.split, kinds[one.kind], one.who, one.where, one.way, one.items,
         Moment(one.first), Moment(one.last))
        for one in found
    )  # fmt: skip
    heads = (tr("split"), tr("kind"), tr("who"), tr("where"), tr("use"), tr("items"),
             tr("first"), tr("last"))  # fmt: skip
    return ReportTable(tr("Who could have seen the items"), heads, rows)
