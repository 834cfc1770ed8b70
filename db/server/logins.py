"""The logins of a team's server, as a session sees them."""

from dataclasses import dataclass

from sqlalchemy import Connection, text

from db.session import Session

LEAST_SERVER = (15, 0)
"""PostgreSQL 15: views that ask with the rights of who looks, and no CREATE in ``public``."""


@dataclass(frozen=True, slots=True)
class ServerLogin:
    """Who is at the other end of a connection: the login, and whether its rights are held up by
    the database itself."""

    name: str
    secured: bool
    steps: bool
    """Whether the server does a reviewer's steps (``review_steps``); one that an earlier version
    set up does not."""
    appends: bool
    """Whether the server chains events itself (``ledger.append``); the same holds."""
    adds_items: bool
    """Whether it writes many new items in one statement (``items.add``); the same holds."""
    finds_kinds: bool
    """Whether it finds events of a kind by an index (``ledger.of_kinds``); the same holds. Who
    administers it is not asked by the policies, and needs none."""


def login_of(connection: Connection) -> ServerLogin:
    """The login of a connection to a server."""
    query = text(
        "SELECT session_user, to_regprocedure('benchseal.me()') IS NOT NULL, to_regprocedure("
        "'benchseal.skip_on(text,bigint,text,text)') IS NOT NULL, to_regprocedure("
        "'benchseal.append_events(jsonb)') IS NOT NULL, to_regprocedure("
        "'benchseal.add_items(jsonb)') IS NOT NULL, to_regprocedure("
        "'benchseal.events_of(text[])') IS NOT NULL AND row_security_active(to_regclass('event'))"
    )
    name, *can = connection.execute(query).one()
    return ServerLogin(str(name), *map(bool, can))


_INFO = "server login"


def set_login(session: Session, login: ServerLogin | None) -> None:
    """Let a session know its login."""
    if login is not None:
        session.info[_INFO] = login


def login_in(session: Session) -> ServerLogin | None:
    """The login of a session; None for SQLite."""
    login: ServerLogin | None = session.info.get(_INFO)
    return login


def secured(session: Session) -> bool:
    """Whether the rights of a session are held up by the database itself."""
    login = login_in(session)
    return login is not None and login.secured


def set_password(session: Session, login: str, password: str) -> bool:
    """Give a login a password; False for one that this workspace did not make.

    What goes to the server is the SCRAM verifier of it, so that no log of statements has it.
    """
    driver = session.connection().connection.driver_connection
    assert driver is not None
    verifier = driver.pgconn.encrypt_password(password.encode(), login.encode(), b"scram-sha-256")
    query = text("SELECT benchseal.set_password(:login, :verifier)")
    values = {"login": login, "verifier": verifier.decode()}
    return bool(session.execute(query, values).scalar_one())


def is_own(session: Session, login: str) -> bool:
    """Whether the workspace made a login, and may change its password."""
    query = text("SELECT benchseal.is_own_login(:login)")
    return bool(session.execute(query, {"login": login}).scalar_one())
