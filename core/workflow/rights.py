"""Who may do what: one rule for every action, asked in the transaction that writes.

The four roles are a ladder; each may do what those below it may.

- **Annotators** write, review and rate.
- **Specialists** also adjudicate, and look at items, agreement and the gate: whoever settles a
  disagreement must see how the others judge.
- **Researchers** also make items, audit, freeze, seal and evaluate; see figures with people's names
  and what is hidden, which the ledger records; and change many items at once.
- **Leads** also decide what counts from now on: tasks and protocols, people and their pauses,
  alarms, and what a sealed split is opened for.

Whoever is new is added by the first thing they write, so that a personal workspace needs no
preparation: ``newcomer`` of a rule says as what. Nobody becomes a lead that way while there is one,
and a read adds nobody. Where a use case takes no name, or an empty one, the workspace's owner works
on its files and is asked nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from core.errors import InputError, NotFoundError, RightsError
from core.i18n import tr
from core.workflow.workspace import Workspace
from db import ledger, people
from db.engine import Session
from db.people import PersonRow
from db.vocabulary import EventKind, Role

ROLES: tuple[str, ...] = (Role.ANNOTATOR, Role.SPECIALIST, Role.RESEARCHER, Role.LEAD)
"""The ladder: whoever stands higher may do all that those before may."""


class Action(StrEnum):
    """Everything that somebody may or may not do."""

    WRITE = "write"
    WRITE_FOR_OTHERS = "write_for_others"
    MAKE_ITEMS = "make_items"
    REVIEW = "review"
    RATE = "rate"
    DRAW_RATING_SAMPLE = "draw_rating_sample"
    ADJUDICATE = "adjudicate"
    SET_GOLD = "set_gold"
    SEE_GOLD = "see_gold"
    LIFT_PAUSE = "lift_pause"
    REVEAL = "reveal"
    AUDIT = "audit"
    SEE_ITEMS = "see_items"
    SEE_QUALITY = "see_quality"
    SEE_PEOPLE = "see_people"
    SEE_PROGRESS = "see_progress"
    READ_TABLES = "read_tables"
    SEARCH_BY_PERSON = "search_by_person"
    CHANGE_MANY = "change_many"
    SECOND_LOOK = "second_look"
    FREEZE = "freeze"
    SEAL_SPLIT = "seal_split"
    OPEN_SPLIT = "open_split"
    EXPIRE_SPLIT = "expire_split"
    EVALUATE = "evaluate"
    RATE_ANSWERS = "rate_answers"
    ADD_TASK = "add_task"
    EDIT_TASK = "edit_task"
    EDIT_PROTOCOL = "edit_protocol"
    CHANGE_PEOPLE = "change_people"
    SET_ALARM = "set_alarm"
    VERIFY = "verify"


@dataclass(frozen=True, slots=True)
class Rule:
    """The lowest role that may do something, what it is called in a refusal, and the role that
    somebody new gets by doing it (None: nobody new can)."""

    lowest: Role
    phrase: Callable[[], str]
    newcomer: Role | None = None


RULES: Mapping[Action, Rule] = MappingProxyType(
    {
        Action.WRITE: Rule(Role.ANNOTATOR, lambda: tr("writing"), Role.ANNOTATOR),
        Action.WRITE_FOR_OTHERS: Rule(Role.LEAD, lambda: tr("rewriting other people's items")),
        Action.MAKE_ITEMS: Rule(Role.RESEARCHER, lambda: tr("making items"), Role.RESEARCHER),
        Action.REVIEW: Rule(Role.ANNOTATOR, lambda: tr("reviewing"), Role.SPECIALIST),
        Action.RATE: Rule(Role.ANNOTATOR, lambda: tr("rating"), Role.SPECIALIST),
        Action.DRAW_RATING_SAMPLE: Rule(
            Role.RESEARCHER, lambda: tr("drawing a sample for rating"), Role.RESEARCHER
        ),
        Action.ADJUDICATE: Rule(Role.SPECIALIST, lambda: tr("adjudication"), Role.SPECIALIST),
        Action.SET_GOLD: Rule(Role.RESEARCHER, lambda: tr("choosing gold items"), Role.LEAD),
        Action.SEE_GOLD: Rule(Role.RESEARCHER, lambda: tr("looking at gold items")),
        Action.LIFT_PAUSE: Rule(Role.LEAD, lambda: tr("lifting a pause"), Role.LEAD),
        Action.REVEAL: Rule(Role.RESEARCHER, lambda: tr("showing hidden details"), Role.LEAD),
        Action.AUDIT: Rule(Role.RESEARCHER, lambda: tr("an audit"), Role.RESEARCHER),
        Action.SEE_ITEMS: Rule(Role.SPECIALIST, lambda: tr("looking at all items")),
        Action.SEE_QUALITY: Rule(Role.SPECIALIST, lambda: tr("looking at agreement and the gate")),
        Action.SEE_PEOPLE: Rule(Role.RESEARCHER, lambda: tr("looking at people's figures")),
        Action.SEE_PROGRESS: Rule(Role.ANNOTATOR, lambda: tr("looking at the progress")),
        Action.READ_TABLES: Rule(Role.ANNOTATOR, lambda: tr("reading tables")),
        Action.SEARCH_BY_PERSON: Rule(
            Role.RESEARCHER, lambda: tr("searching by other people or by the score")
        ),
        Action.CHANGE_MANY: Rule(Role.RESEARCHER, lambda: tr("making bulk changes"), Role.LEAD),
        Action.SECOND_LOOK: Rule(
            Role.RESEARCHER, lambda: tr("requesting a second look"), Role.LEAD
        ),
        Action.FREEZE: Rule(Role.RESEARCHER, lambda: tr("freezing splits"), Role.LEAD),
        Action.SEAL_SPLIT: Rule(Role.RESEARCHER, lambda: tr("sealing splits"), Role.LEAD),
        Action.OPEN_SPLIT: Rule(Role.LEAD, lambda: tr("opening splits"), Role.LEAD),
        Action.EXPIRE_SPLIT: Rule(Role.LEAD, lambda: tr("expiring splits"), Role.LEAD),
        Action.EVALUATE: Rule(Role.RESEARCHER, lambda: tr("evaluating models")),
        Action.RATE_ANSWERS: Rule(
            Role.RESEARCHER, lambda: tr("collecting ratings of models' answers"), Role.LEAD
        ),
        Action.ADD_TASK: Rule(Role.LEAD, lambda: tr("adding tasks"), Role.LEAD),
        Action.EDIT_TASK: Rule(Role.LEAD, lambda: tr("changing tasks"), Role.LEAD),
        Action.EDIT_PROTOCOL: Rule(Role.LEAD, lambda: tr("editing protocols"), Role.LEAD),
        Action.CHANGE_PEOPLE: Rule(Role.LEAD, lambda: tr("changing roles"), Role.LEAD),
        Action.SET_ALARM: Rule(Role.LEAD, lambda: tr("setting alarms"), Role.LEAD),
        Action.VERIFY: Rule(Role.LEAD, lambda: tr("verifying the ledger")),
    }
)


def roles_for(action: Action) -> tuple[str, ...]:
    """The roles that may do something, lowest first."""
    return ROLES[ROLES.index(RULES[action].lowest) :]


def may(role: str, action: Action) -> bool:
    """Whether a role may do something; what a window shows depends on it."""
    return role in roles_for(action)


def known_person(session: Session, name: str, *, lock: bool = False) -> PersonRow:
    """The person of that name; NotFoundError, with similar names, when there is none.

    A locked person keeps role and activity until the transaction ends.
    """
    row = people.named(session, name.strip(), lock=lock)
    if row is None:
        raise NotFoundError(_nobody(session, name.strip()))
    return row


def _nobody(session: Session, name: str) -> str:
    from difflib import get_close_matches

    names = {row.name.casefold(): row.name for row in people.everybody(session)}
    similar = [names[match] for match in get_close_matches(name.casefold(), names)]
    sentence = tr("There is no person “{name}” in this workspace.", name=name)
    if similar:
        hint = tr("Did you mean {names}?", names=", ".join(similar))
    else:
        hint = tr("To add somebody: benchseal people NAME")
    return f"{sentence} {hint}"


def require(session: Session, name: str, action: Action, *, lock: bool = False) -> PersonRow:
    """The person of that name, who may do something.

    Raises NotFoundError for an unknown name, RightsError for a role that is too low and for
    somebody who works here no longer. Use cases that write ask ``writing_as``.
    """
    person = known_person(session, name, lock=lock)
    refuse(person, action)
    return person


def refuse(person: PersonRow, action: Action) -> None:
    """RightsError when a person may not do something, or works here no longer."""
    if not person.active:
        raise RightsError(
            tr("{name} no longer works in this workspace. Ask a lead.", name=person.name)
        )
    if not may(person.role, action):
        raise RightsError(
            tr(
                "{name} has the role {role}, but {deed} is for: {roles}. A lead can change roles.",
                name=person.name,
                role=person.role,
                deed=RULES[action].phrase(),
                roles=", ".join(roles_for(action)),
            )
        )


def refuse_early(ws: Workspace, name: str, action: Action) -> None:
    """As ``refuse``, before something long is prepared; the transaction that writes asks again."""
    with ws.reading() as session:
        person = people.named(session, name.strip())
    if person is not None:
        refuse(person, action)


@contextmanager
def writing_as(
    ws: Workspace, name: str, action: Action, *, about: str = ""
) -> Iterator[tuple[Session, PersonRow]]:
    """One transaction of a person who may do something, and still may when it commits.

    Somebody new is added first, in a transaction of their own, before any item is locked.
    ``about`` names the person who is changed, where one is. Raises RightsError as ``require``, and
    NotFoundError for a new name that cannot be added.
    """
    with ws.writing() as session:
        people.lock(session, (name.strip(), about.strip()) if about else ())
        person = people.named(session, name.strip(), lock=True)
        if person is not None:
            refuse(person, action)
            yield session, person
            return
    _add_newcomer(ws, name, action)
    with ws.writing() as session:
        yield session, require(session, name, action, lock=True)


@contextmanager
def writing_as_optional(
    ws: Workspace, name: str, action: Action, *, about: str = ""
) -> Iterator[tuple[Session, PersonRow | None]]:
    """As ``writing_as``; without a name one transaction of nobody in particular."""
    if name:
        with writing_as(ws, name, action, about=about) as (session, person):
            yield session, person
    else:
        with ws.writing() as session:
            people.lock(session, (about.strip(),) if about else ())
            yield session, None


def _add_newcomer(ws: Workspace, name: str, action: Action) -> None:
    role = RULES[action].newcomer
    with ws.writing() as session:
        if role is None:
            raise NotFoundError(_nobody(session, name.strip()))
        if role == Role.LEAD:
            _refuse_second_lead(session, name.strip())
        ensure_person_in(session, name, role)


def _refuse_second_lead(session: Session, name: str) -> None:
    leads = [p.name for p in people.everybody(session) if p.role == Role.LEAD and p.active]
    if leads:
        raise NotFoundError(
            tr(
                "There is no person “{name}” in this workspace. A lead can add people; the "
                "leads are {leads}.",
                name=name,
                leads=", ".join(leads),
            )
        )


def check_role(role: str) -> None:
    """InputError for a role that there is not."""
    if role not in ROLES:
        raise InputError(
            tr("There is no role “{role}”. Available: {known}.", role=role, known=", ".join(ROLES))
        )


def check_name(name: str) -> str:
    """The name without spaces around it; InputError for one that cannot be a person's."""
    name = name.strip()
    if not name or len(name) > 80 or any(ord(letter) < 32 for letter in name):
        raise InputError(
            tr("A person's name must have 1 to 80 characters and no control characters.")
        )
    return name


def ensure_person_in(session: Session, name: str, role: str | None = None) -> PersonRow:
    """Find or add a person within a transaction, as a specialist unless a role is given."""
    name = check_name(name)
    if role is not None:
        check_role(role)
    person = people.named(session, name)
    if person is None:
        person = people.add(session, name, role or Role.SPECIALIST)
        event = ledger.NewEvent(EventKind.PERSON, name, subject=name, data={"role": person.role})
        ledger.append(session, event)
    return person
