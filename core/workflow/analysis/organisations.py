"""To which organisations people, hosts and models belong, and who of a model's own organisation had
access to what it is scored on.

A lead says where people work and whose a host or a model is; a model called ``maker/name`` belongs
to its maker unless a lead says otherwise. Names are compared without case.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import NamedTuple

from core.errors import InputError
from core.workflow.rights import Action, known_person, writing_as
from core.workflow.splits import item_keys
from core.workflow.workspace import Workspace
from db import ledger, runs, splits
from db.engine import Session
from db.queries import exposures as touched
from db.queries import facts
from db.vocabulary import EventKind

PEOPLE = "people"
"""The engine of runs that ask people."""
_MAKER = re.compile(r"([A-Za-z0-9][\w.-]*)/[\w.:-]+")


@dataclass(frozen=True, slots=True)
class Organisations:
    """Names of organisations, by the name of a person, a host and a model."""

    people: Mapping[str, str] = field(default_factory=dict)
    hosts: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)

    def of_person(self, name: str) -> str:
        """Where a person works; empty where nobody said."""
        return self.people.get(name, "")

    def of_host(self, host: str) -> str:
        """Whose a host is, or one above it; empty where nobody said."""
        parts = host.split(".")
        above = (".".join(parts[place:]) for place in range(len(parts)))
        return next((self.hosts[name] for name in above if name in self.hosts), "")

    def of_model(self, model: str) -> str:
        """Whose a model is: as a lead said, else the part before the slash of ``maker/name``."""
        if model in self.models:
            return self.models[model]
        maker = _MAKER.fullmatch(model)
        return maker[1] if maker else ""


def is_same(one: str, other: str) -> bool:
    """Whether two names are those of one organisation, which has a name."""
    return bool(one) and one.casefold() == other.casefold()


def read(ws: Workspace) -> Organisations:
    """What leads have said."""
    with ws.reading() as session:
        return read_in(session)


def read_in(session: Session) -> Organisations:
    """As ``read``, within a session."""
    text = facts.read(session, facts.ORGANISATIONS)
    return Organisations(**json.loads(text)) if text else Organisations()


def assign(
    ws: Workspace,
    person: str,
    organisation: str,
    *,
    people: Collection[str] = (),
    hosts: Collection[str] = (),
    models: Collection[str] = (),
) -> Organisations:
    """Say that people, hosts and models belong to an organisation; leads only. An empty name takes
    back what was said of them.

    Raises InputError where nothing is named, NotFoundError for an unknown person.
    """
    organisation = organisation.strip()
    if not (people or hosts or models):
        raise InputError.tr("Name a person, a host or a model with --person, --host or --model.")
    with writing_as(ws, person, Action.CHANGE_PEOPLE) as (session, lead):
        known = read_in(session)
        members = [known_person(session, name).name for name in people]
        said = Organisations(
            _with(known.people, members, organisation),
            _with(known.hosts, [host.strip().lower() for host in hosts], organisation),
            _with(known.models, [model.strip() for model in models], organisation),
        )
        facts.write(
            session,
            facts.ORGANISATIONS,
            json.dumps(asdict(said), ensure_ascii=False, sort_keys=True),
        )
        for name in members:
            data = {"organisation": organisation}
            ledger.append(
                session, ledger.NewEvent(EventKind.PERSON, lead.name, subject=name, data=data)
            )
    return said


def _with(known: Mapping[str, str], names: Collection[str], organisation: str) -> dict[str, str]:
    kept = {name: value for name, value in known.items() if name not in names}
    return kept | (dict.fromkeys(names, organisation) if organisation else {})


@dataclass(frozen=True, slots=True)
class Participants:
    """Who had access to the items of a split: everybody who wrote, was given, decided, rated,
    discussed or answered one, or had the key of all."""

    names: frozenset[str]
    organisations: Organisations

    def of_score(self, model: str, host: str, starter: str) -> frozenset[str]:
        """Those of them who work where the model or its host belongs, or who started the run."""
        owners = (self.organisations.of_model(model), self.organisations.of_host(host))
        return frozenset(
            name
            for name in self.names
            if name == starter
            or any(is_same(self.organisations.of_person(name), owner) for owner in owners)
        )


class AskedPerson(NamedTuple):
    """A person who was asked the items of a split for the human ceiling: all but ``known``, which
    they knew from their work, since the run began."""

    person: str
    known: int
    at: datetime


def asked_people(session: Session, split_id: int) -> list[AskedPerson]:
    """The people who were asked the items of a split, oldest run first."""
    found = []
    for row in reversed(runs.all_runs(session)):
        if row.split_id == split_id and row.params.get("engine") == PEOPLE:
            args = row.params.get("engine_args") or {}
            for place, name in enumerate(args.get("people", ()), 1):
                known = (args.get("left_out") or {}).get(str(place), ())
                found.append(AskedPerson(str(name), len(known), row.at))
    return found


def participants(session: Session, split_id: int) -> Participants:
    """Who had access to the items of a split."""
    keys = item_keys.unlockings_in(session, splits.get(session, split_id).name)
    names = touched.everybody(session, split_id) | {one.person for one in keys}
    names |= {one.person for one in asked_people(session, split_id)}
    return Participants(frozenset(names), read_in(session))


def starters(session: Session, run_ids: Collection[str]) -> dict[str, str]:
    """Who started each run, as the ledger tells."""
    found = {}
    for run_id in run_ids:
        events = ledger.of_subject(session, EventKind.RUN, run_id)
        if events:
            found[run_id] = events[0].actor
    return found
