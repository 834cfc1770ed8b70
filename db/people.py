"""People: adding and finding them, giving them shares of tasks, pausing them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, delete, insert, select

from db.evidence.bindings import touch
from db.session import Session
from db.tables import PAUSE, PERSON, TASK_SHARE, now


@dataclass(frozen=True, slots=True)
class PersonRow:
    """Somebody who works here."""

    id: int
    name: str
    role: str
    active: bool
    gold_from: int = 0
    account: str | None = None
    """The account of the operating system that is this person's."""


def _row(row: Any) -> PersonRow:
    return PersonRow(row.id, row.name, row.role, row.active, row.gold_from, row.account)


def add(session: Session, name: str, role: str, account: str | None = None) -> PersonRow:
    """Add a person."""
    values = {
        "name": name, "role": role, "active": True, "gold_from": 0, "account": account, "at": now(),
    }  # fmt: skip
    number = session.execute(insert(PERSON).values(values).returning(PERSON.c.id)).scalar_one()
    touch(session, "person", [number])
    return PersonRow(number, name, role, True, account=account)


_NAMED = select(PERSON).where(PERSON.c.name == bindparam("name"))
_OF_ACCOUNT = select(PERSON).where(PERSON.c.account == bindparam("account"))
_NAMED_LOCKED = _NAMED.with_for_update(read=True)


def named(session: Session, name: str, *, lock: bool = False) -> PersonRow | None:
    """The person of that name; a locked one stays unchanged until the transaction ends."""
    query = _NAMED_LOCKED if lock else _NAMED
    row = session.connection().execute(query, {"name": name}).first()
    return _row(row) if row else None


def of_account(session: Session, account: str) -> PersonRow | None:
    """The person whom an account of the operating system belongs to."""
    row = session.connection().execute(_OF_ACCOUNT, {"account": account}).first()
    return _row(row) if row else None


def set_account(session: Session, person_id: int, account: str | None) -> None:
    """Give a person an account of the operating system, or none."""
    session.execute(PERSON.update().where(PERSON.c.id == person_id).values(account=account))
    touch(session, "person", [person_id])


def lock(session: Session, names: Sequence[str]) -> None:
    """Let nobody else read these people for writing; in one order, so that none waits in a ring."""
    if names:
        query = select(PERSON.c.id).where(PERSON.c.name.in_(names)).order_by(PERSON.c.id)
        session.execute(query.with_for_update())


def everybody(session: Session) -> tuple[PersonRow, ...]:
    """All people by name."""
    rows = session.execute(select(PERSON).order_by(PERSON.c.name))
    return tuple(_row(row) for row in rows)


def set_role(session: Session, person_id: int, role: str) -> None:
    """Give a person another role."""
    session.execute(PERSON.update().where(PERSON.c.id == person_id).values(role=role))
    touch(session, "person", [person_id])


def set_active(session: Session, person_id: int, active: bool) -> None:
    """Let a person work here, or no longer."""
    session.execute(PERSON.update().where(PERSON.c.id == person_id).values(active=active))
    touch(session, "person", [person_id])


def set_gold_from(session: Session, person_id: int, decision_id: int) -> None:
    """Count a person's gold decisions only from the one after this."""
    session.execute(PERSON.update().where(PERSON.c.id == person_id).values(gold_from=decision_id))
    touch(session, "person", [person_id])


@dataclass(frozen=True, slots=True)
class ShareRow:
    """One person's part in a task. ``most`` is how many items they review, None without a limit;
    ``due`` a day as YYYY-MM-DD, empty for none."""

    task_id: int
    person_id: int
    most: int | None
    due: str


@dataclass(frozen=True, slots=True)
class RemainingShares:
    """What shares leave open to a person: no new items of the ``others`` (tasks of other people)
    and of the ``full`` ones, and at most so many of each task in ``left``."""

    others: tuple[int, ...] = ()
    full: tuple[int, ...] = ()
    left: tuple[tuple[int, int], ...] = ()

    @property
    def closed(self) -> tuple[int, ...]:
        """Tasks of which this person is given nothing new."""
        return self.others + self.full


UNLIMITED = RemainingShares()


def put_share(session: Session, share: ShareRow) -> None:
    """Give a person a part in a task, in place of the one they had."""
    drop_share(session, share.task_id, share.person_id)
    values = {name: getattr(share, name) for name in ShareRow.__dataclass_fields__}
    session.execute(insert(TASK_SHARE).values(at=now(), **values))


def drop_share(session: Session, task_id: int, person_id: int) -> bool:
    """Take a person's part in a task away; whether there was one."""
    query = delete(TASK_SHARE).where(
        TASK_SHARE.c.task_id == task_id, TASK_SHARE.c.person_id == person_id
    )
    return session.execute(query.returning(TASK_SHARE.c.task_id)).first() is not None


def set_pause(session: Session, person_id: int, reason: str | None) -> None:
    """Give somebody nothing from now on, for a reason; None: go on."""
    session.execute(delete(PAUSE).where(PAUSE.c.person_id == person_id))
    if reason is not None:
        session.execute(insert(PAUSE).values(person_id=person_id, reason=reason, at=now()))


def remake_logins(session: Session) -> None:
    """Make the login of everybody who has an account again, after a restore on a server."""
    # the trigger that follows a person asks which columns are set, not whether they changed
    session.execute(PERSON.update().values(active=PERSON.c.active))
