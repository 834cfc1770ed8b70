"""Who may do what: one rule for every action, asked in the transaction that writes.

The four roles are a ladder; each may do what those below it may.

- **Annotators** write, review and rate.
- **Specialists** also adjudicate, and look at items, agreement and the gate: whoever settles a
  disagreement must see how the others judge.
- **Researchers** also make items, audit, freeze, seal and evaluate; see figures with people's names
  and what is hidden, which the ledger records; and change many items at once.
- **Leads** also decide what counts from now on: tasks and protocols, people and their pauses,
  alarms, errata, and what a sealed split is opened for.

Every act has its person. In a *personal* workspace that is whoever was named, else who works
through the open workspace (``Workspace.person``), else the person of this account of the operating
system. In a *shared* one the account decides alone, and a name that was given must agree; on a
PostgreSQL server it is the login that does.

Whoever is new to a personal workspace is added by their first draft, review, rating or
adjudication: ``newcomer`` of a rule says as what, never more than a specialist. The first lead is
made with the workspace, every other one by a lead. A read adds nobody.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from core.accounts import login
from core.errors import InputError, NotFoundError, RightsError, StateError
from core.i18n import listed, tr, tr_noop
from core.known_names import refuse_unknown
from core.workflow.labels import role_label
from core.workflow.names import check_person_name, refuse_alike
from core.workflow.workspace import WORKS_HERE, Workspace
from db import ledger, people
from db.engine import Session
from db.people import PersonRow
from db.queries import facts
from db.server import logins
from db.vocabulary import EventKind, Role

ROLES: tuple[str, ...] = (Role.ANNOTATOR, Role.SPECIALIST, Role.RESEARCHER, Role.LEAD)
"""The ladder of roles: each may do everything that the ones before it may."""


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
    DECLARE_ERRATA = "declare_errata"
    FREEZE = "freeze"
    SEAL_SPLIT = "seal_split"
    OPEN_SPLIT = "open_split"
    EXPIRE_SPLIT = "expire_split"
    RUN = "run"
    KEEP_FILTERS = "keep_filters"
    KEEP_PUBLIC_SCORES = "keep_public_scores"
    EVALUATE = "evaluate"
    RATE_ANSWERS = "rate_answers"
    ADD_TASK = "add_task"
    EDIT_TASK = "edit_task"
    EDIT_PROTOCOL = "edit_protocol"
    CHANGE_PEOPLE = "change_people"
    ASSIGN = "assign"
    SET_ALARM = "set_alarm"
    UNDO = "undo"
    ASK = "ask"
    ANSWER = "answer"
    VERIFY = "verify"
    BACK_UP = "back_up"


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
        Action.MAKE_ITEMS: Rule(Role.RESEARCHER, lambda: tr("making items")),
        Action.REVIEW: Rule(Role.ANNOTATOR, lambda: tr("reviewing"), Role.SPECIALIST),
        Action.RATE: Rule(Role.ANNOTATOR, lambda: tr("rating"), Role.SPECIALIST),
        Action.DRAW_RATING_SAMPLE: Rule(Role.RESEARCHER, lambda: tr("drawing a sample for rating")),
        Action.ADJUDICATE: Rule(Role.SPECIALIST, lambda: tr("adjudication"), Role.SPECIALIST),
        Action.SET_GOLD: Rule(Role.RESEARCHER, lambda: tr("choosing gold items")),
        Action.SEE_GOLD: Rule(Role.RESEARCHER, lambda: tr("looking at gold items")),
        Action.LIFT_PAUSE: Rule(Role.LEAD, lambda: tr("lifting a pause")),
        Action.REVEAL: Rule(Role.RESEARCHER, lambda: tr("showing hidden details")),
        Action.AUDIT: Rule(Role.RESEARCHER, lambda: tr("an audit")),
        Action.SEE_ITEMS: Rule(Role.SPECIALIST, lambda: tr("looking at all items")),
        Action.SEE_QUALITY: Rule(Role.SPECIALIST, lambda: tr("looking at agreement and the gate")),
        Action.SEE_PEOPLE: Rule(Role.RESEARCHER, lambda: tr("looking at people's figures")),
        Action.SEE_PROGRESS: Rule(Role.ANNOTATOR, lambda: tr("looking at the progress")),
        Action.READ_TABLES: Rule(Role.ANNOTATOR, lambda: tr("reading tables")),
        Action.SEARCH_BY_PERSON: Rule(
            Role.RESEARCHER, lambda: tr("searching by other people or by the score")
        ),
        Action.CHANGE_MANY: Rule(Role.RESEARCHER, lambda: tr("making bulk changes")),
        Action.SECOND_LOOK: Rule(Role.RESEARCHER, lambda: tr("requesting a second look")),
        Action.DECLARE_ERRATA: Rule(Role.LEAD, lambda: tr("declaring errata")),
        Action.FREEZE: Rule(Role.RESEARCHER, lambda: tr("freezing splits")),
        Action.SEAL_SPLIT: Rule(Role.RESEARCHER, lambda: tr("sealing splits")),
        Action.OPEN_SPLIT: Rule(Role.LEAD, lambda: tr("opening splits")),
        Action.EXPIRE_SPLIT: Rule(Role.LEAD, lambda: tr("expiring splits")),
        Action.RUN: Rule(Role.RESEARCHER, lambda: tr("starting, stopping and resuming runs")),
        Action.KEEP_FILTERS: Rule(Role.SPECIALIST, lambda: tr("saving filters")),
        Action.KEEP_PUBLIC_SCORES: Rule(Role.RESEARCHER, lambda: tr("adding public scores")),
        Action.EVALUATE: Rule(Role.RESEARCHER, lambda: tr("evaluating models")),
        Action.RATE_ANSWERS: Rule(
            Role.RESEARCHER, lambda: tr("collecting ratings of models' answers")
        ),
        Action.ADD_TASK: Rule(Role.LEAD, lambda: tr("adding tasks")),
        Action.EDIT_TASK: Rule(Role.LEAD, lambda: tr("changing tasks")),
        Action.EDIT_PROTOCOL: Rule(Role.LEAD, lambda: tr("editing protocols")),
        Action.CHANGE_PEOPLE: Rule(Role.LEAD, lambda: tr("changing roles")),
        Action.ASSIGN: Rule(Role.LEAD, lambda: tr("assigning tasks and pausing people")),
        Action.SET_ALARM: Rule(Role.LEAD, lambda: tr("setting alarms")),
        Action.UNDO: Rule(Role.ANNOTATOR, lambda: tr("undoing")),
        Action.ASK: Rule(Role.ANNOTATOR, lambda: tr("asking questions")),
        Action.ANSWER: Rule(Role.RESEARCHER, lambda: tr("answering questions")),
        Action.VERIFY: Rule(Role.LEAD, lambda: tr("verifying the ledger")),
        Action.BACK_UP: Rule(Role.LEAD, lambda: tr("backing up and copying workspaces")),
    }
)


def roles_for(action: Action) -> tuple[str, ...]:
    """The roles that may do something, lowest first."""
    return ROLES[ROLES.index(RULES[action].lowest) :]


def is_allowed(role: str, action: Action) -> bool:
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
        hint = tr("Did you mean {names}?", names=listed(similar))
    else:
        hint = tr(
            "A lead can add people: benchseal people NAME. Leads: {leads}",
            leads=listed(leads(session)) or "–",
        )
    return f"{sentence} {hint}"


def is_shared(session: Session) -> bool:
    """Whether accounts of the operating system decide who acts."""
    return facts.is_shared(session)


def acting_name(session: Session, name: str = "") -> str:
    """The name of who acts: the one that was given, else of who works here under this account.

    RightsError where there is nobody, and in a shared workspace for another's name.
    """
    name = name.strip() or str(session.info.get(WORKS_HERE, ""))
    if logins.secured(session):
        own = _own_login(session, name)
        session.info[ledger.ACTS] = own
        return own
    shared = is_shared(session)
    if name and not shared:
        return name
    mine = people.of_account(session, login())
    if shared:
        return _own_name(mine, name)
    mine = mine or people.named(session, login())
    if mine is None:
        raise RightsError(_unnamed(session))
    return mine.name


def _own_login(session: Session, name: str) -> str:
    server = logins.login_in(session)
    assert server is not None
    mine = people.of_account(session, server.name)
    if mine is None:
        raise RightsError.tr(
            "Your login “{login}” on this server belongs to nobody in the workspace. A lead "
            "can change that: benchseal people add NAME --role ROLE --account {login}",
            login=server.name,
        )
    if name not in ("", mine.name):
        raise RightsError.tr(
            "You are logged in to the server as “{login}”, who is {name}; nobody else can act "
            "under this login.",
            login=server.name,
            name=mine.name,
        )
    return mine.name


def _own_name(mine: PersonRow | None, name: str) -> str:
    if mine is None:
        raise RightsError.tr(
            "This workspace is shared, and your account “{account}” belongs to nobody in it. "
            "A lead can change that: benchseal people NAME --account {account}",
            account=login(),
        )
    if name not in ("", mine.name):
        raise RightsError.tr(
            "This workspace is shared: your account “{account}” is {name}, and nobody else "
            "can act under it.",
            account=login(),
            name=mine.name,
        )
    return mine.name


def _unnamed(session: Session) -> str:
    if not leads(session):
        return tr(
            "This workspace has no lead yet. Name one: benchseal init --lead NAME (the person who "
            "works here from now on)."
        )
    return tr(
        "Nobody in this workspace has your account “{account}”. Say who you are with --user NAME, "
        "or let a lead assign it: benchseal people NAME --account {account}",
        account=login(),
    )


def leads(session: Session) -> list[str]:
    """Names of the leads who work here."""
    return [row.name for row in people.everybody(session) if row.role == Role.LEAD and row.active]


def refuse_last_lead(session: Session, person: PersonRow) -> None:
    """StateError when somebody is the only lead who works here: nobody could name another."""
    if leads(session) == [person.name]:
        raise StateError.tr(
            "{name} is the only lead. Make somebody else a lead first: benchseal people NAME "
            "--role lead",
            name=person.name,
        )


def at_work(session: Session, name: str = "", *, lock: bool = False) -> PersonRow:
    """The person who acts, whatever they may do; NotFoundError for a name that is nobody's."""
    return known_person(session, acting_name(session, name), lock=lock)


def person_at_work(ws: Workspace, name: str = "") -> str:
    """The name of who acts in a workspace: see ``acting_name``."""
    with ws.reading() as session:
        return acting_name(session, name)


def require(session: Session, name: str, action: Action, *, lock: bool = False) -> PersonRow:
    """The person who acts, who may do something; see ``acting_name`` for an empty name.

    Raises NotFoundError for an unknown name, RightsError for a role that is too low and for
    somebody who works here no longer. Use cases that write ask ``writing_as``.
    """
    person = at_work(session, name, lock=lock)
    refuse(person, action)
    return person


def refuse(person: PersonRow, action: Action) -> None:
    """RightsError when a person may not do something, or works here no longer."""
    if not person.active:
        raise RightsError.tr(
            "{name} no longer works in this workspace. Ask a lead.", name=person.name
        )
    if not is_allowed(person.role, action):
        raise RightsError.tr(
            "{name} has the role {role}, but {deed} is for: {roles}. A lead can change roles.",
            name=person.name,
            role=role_label(person.role),
            deed=RULES[action].phrase(),
            roles=listed(role_label(role) for role in roles_for(action)),
        )


def refuse_look(ws: Workspace, action: Action) -> None:
    """As ``require`` for the person of ``ws.person``; whoever gives no name is nobody in
    particular, and sees what is open to everybody."""
    if ws.person or ws.has_logins:
        with ws.reading() as session:
            require(session, ws.person, action)


def refuse_early(ws: Workspace, name: str, action: Action) -> None:
    """As ``writing_as`` would, before something long is prepared; the transaction that writes asks
    again."""
    with ws.reading() as session:
        name = acting_name(session, name)
        person = people.named(session, name)
        if person is not None:
            refuse(person, action)
        elif RULES[action].newcomer is None:
            raise NotFoundError(_nobody(session, name))


@contextmanager
def writing_as(
    ws: Workspace, name: str, action: Action, *, about: str = ""
) -> Iterator[tuple[Session, PersonRow]]:
    """One transaction of a person who may do something, and still may when it commits.

    An empty name is that of who works here: see ``acting_name``. Somebody new is added first: on a
    server in a transaction of their own, for the ledger is locked after the items. ``about`` names
    the person who is changed, where one is. Raises RightsError as ``require``, and NotFoundError
    for a new name that cannot be added.
    """
    with ws.writing() as session:
        person = None if about else _of_login(session, name)
        if person is None:
            name = acting_name(session, name)
            people.lock(session, (name, about.strip()) if about else ())
            person = people.named(session, name, lock=True)
        if person is None and not ws.is_server:
            person = _newcomer_in(session, name, action)
        if person is not None:
            refuse(person, action)
            yield session, person
            return
    with ws.writing() as session:
        _newcomer_in(session, name, action)
    with ws.writing() as session:
        yield session, require(session, name, action, lock=True)


def _of_login(session: Session, name: str) -> PersonRow | None:
    """The person of that name, locked, where theirs is the login: who acts is then not asked."""
    server = logins.login_in(session)
    if server is None or not server.secured or not name:
        return None
    person = people.named(session, name, lock=True)
    if person is None or person.account != server.name:
        return None
    session.info[ledger.ACTS] = person.name
    return person


def _newcomer_in(session: Session, name: str, action: Action) -> PersonRow:
    role = RULES[action].newcomer
    if role is None:
        raise NotFoundError(_nobody(session, name))
    return ensure_person_in(session, name, role, actor=name)


def check_role(role: str) -> None:
    """InputError for a role that there is not."""
    refuse_unknown(role, ROLES, tr_noop("There is no role “{name}”. Available: {known}."))


def ensure_person_in(
    session: Session, name: str, role: str | None = None, *, actor: str = "", account: str = ""
) -> PersonRow:
    """Find or add a person within a transaction, as a specialist unless a role is given.

    On a server with logins whoever is new gets one, called like them unless ``account`` names it.

    InputError for a new name that looks like somebody else's.
    """
    person = people.named(session, name.strip())
    if person is not None:
        return person
    name = check_person_name(name)
    if role is not None:
        check_role(role)
    refuse_alike(name, (row.name for row in people.everybody(session)))
    if logins.secured(session):
        account = check_login(account or name)
    person = people.add(session, name, role or Role.SPECIALIST, account or None)
    data = {"role": person.role, **({"account": account} if account else {})}
    event = ledger.NewEvent(EventKind.PERSON, actor, subject=name, data=data)
    ledger.append(session, event)
    return person


LONGEST_LOGIN = 63  # bytes


def check_login(login: str) -> str:
    """A login of a server, without spaces around it; InputError for what cannot be one."""
    login = login.strip()
    if not login or len(login.encode()) > LONGEST_LOGIN or login.startswith(("pg_", "benchseal_")):
        raise InputError.tr(
            "“{login}” cannot be a login: at most {most} bytes, and not beginning with pg_ or "
            "benchseal_. Name another: --account LOGIN",
            login=login,
            most=LONGEST_LOGIN,
        )
    return login
