"""Changing a database past the program, as somebody with its password or its file could."""

import string
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, text

from core.accounts import login
from core.workflow import people
from core.workflow.workspace import Workspace
from db import ledger
from db.engine import Session, upgrade
from db.vocabulary import EventKind

_GUARDS = (
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' "
    "AND substr(name, 1, 13) <> 'item_counted_'"  # which refuse nothing
)


def meddle(ws: Workspace, *statements: str) -> None:
    """Run statements with the triggers taken away, and put them back as they were."""
    with ws.writing() as session, without_triggers(session.connection()) as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


@contextmanager
def without_triggers(connection: Connection) -> Iterator[Connection]:
    """No trigger fires within; afterwards all of them are as before."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        yield connection
        return
    triggers = connection.exec_driver_sql(_GUARDS).all()
    for name, _ in triggers:
        connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
    yield connection
    for _, statement in triggers:
        connection.exec_driver_sql(statement)


def disarm(session: Session) -> None:
    """Take the triggers away, so that a test can lay out its rows; on PostgreSQL for
    the transaction."""
    if session.dialect.name == "postgresql":
        session.execute(text("SET LOCAL session_replication_role = replica"))
        return
    for name, _ in session.connection().exec_driver_sql(_GUARDS).all():
        session.connection().exec_driver_sql(f'DROP TRIGGER "{name}"')


def without_logins(location: str) -> Workspace:
    """A new workspace; on a server one as it was before there were logins, in which one connection
    may act for everybody."""
    if "://" not in location:
        return Workspace.create(location)
    upgrade(location)
    ws = Workspace.open(location)
    with ws.writing() as session:
        ledger.append(session, ledger.NewEvent(EventKind.WORKSPACE_MADE, login()))
    people.make_first_lead(ws, login())
    return ws


def base64_respelled(letters: str) -> list[str]:
    """Other spellings of the same bytes in Base64: the last letter's bits that say nothing set,
    and what a lenient reader skips."""
    numbers = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
    body = letters.rstrip("=")
    padding = letters[len(body) :]
    last = numbers.index(body[-1])
    idle = {0: (), 1: range(1, 4), 2: range(1, 16)}[len(padding)]  # the values of 2 or 4 bits
    return [
        *(body[:-1] + numbers[last + bits] + padding for bits in idle),
        letters + "====",
        letters[:4] + " " + letters[4:],
        letters[:4] + "\t" + letters[4:],
    ]
