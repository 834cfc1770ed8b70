"""What can go wrong with the store itself, told by kind so that callers can put it in words."""

import sqlite3
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from sqlalchemy.exc import DBAPIError, NoResultFound

Trouble = Literal[
    "not_found", "exists", "not_a_database", "not_a_workspace", "newer_schema", "newer_read_only",
    "older_schema", "older_server", "upgrade_failed", "old_server", "damaged", "read_only",
    "disk_full", "locked", "held", "network_share", "unreachable", "password", "wrong_password",
    "closed_login", "no_role", "no_tables", "too_many", "standby", "server_fault", "no_database",
    "unknown_host", "expired_certificate", "certificate", "own_certificate", "no_tls", "refused",
    "forbidden", "private", "sealed",
]  # fmt: skip


UnreadableError = NoResultFound
"""A row that another row needs is not there."""


class StoreError(Exception):
    """The store cannot be opened, read or written. ``detail`` is the database's own word."""

    def __init__(self, trouble: Trouble, place: str, detail: str = "") -> None:
        super().__init__(f"{trouble}: {place} {detail}".strip())
        self.trouble: Trouble = trouble
        self.place = place
        self.detail = detail


_SQLITE_TROUBLES: tuple[tuple[str, Trouble], ...] = (
    ("file is not a database", "not_a_database"),
    ("file is encrypted", "not_a_database"),
    ("readonly database", "read_only"),
    ("read-only", "read_only"),
    ("database or disk is full", "disk_full"),
    ("disk i/o error", "disk_full"),
    ("no space left", "disk_full"),
    ("database is locked", "locked"),
    ("malformed", "damaged"),
    ("unable to open database file", "read_only"),
)


# what libpq and the server say when a connection is not made, looked for in this order
_CONNECTION_TROUBLES: tuple[tuple[str, Trouble], ...] = (
    ("no password supplied", "password"),
    ("not permitted to log in", "closed_login"),
    ("password authentication failed", "wrong_password"),
    ("root certificate file", "certificate"),
    ("certificate authentication failed", "own_certificate"),
    ("valid client certificate", "own_certificate"),
    ("private key file", "own_certificate"),
    ("certificate file", "own_certificate"),
    ("authentication failed", "wrong_password"),
    ("translate host name", "unknown_host"),
    ("resolve host", "unknown_host"),
    ("name or service not known", "unknown_host"),
    ("certificate verify failed", "certificate"),
    ("does not match host name", "certificate"),
    ("does not support ssl", "no_tls"),
    ("permission denied for database", "no_role"),
    ("too many connections", "too_many"),
    ("too many clients", "too_many"),
    ("connection slots are reserved", "too_many"),
    ("no more connections allowed", "too_many"),  # pgbouncer
    ("authentication", "refused"),
    ("no pg_hba.conf entry", "refused"),
)
# SQLSTATEs of a server that is there, and cannot do now what it was told
_SERVER_TROUBLES: Mapping[str, Trouble] = MappingProxyType(
    {"53100": "disk_full", "58030": "disk_full", "53300": "too_many", "25006": "standby",
     "40001": "locked", "40P01": "locked", "55P03": "locked", "57014": "locked",
     "25P03": "unreachable", "25P04": "unreachable", "28000": "no_role",
     "3D000": "no_database", "3F000": "older_server", "42P01": "no_tables", "42501": "forbidden",
     "XX001": "damaged", "XX002": "damaged"}
)  # fmt: skip
# Classes of SQLSTATEs that say nothing of the statement but of the server and the way to it
_OF_SERVER = ("26", "28", "40", "53", "54", "55", "57", "58", "72", "F0", "XX")
_LOST = ("08", "57P")  # it ended the connection, or lets nobody in now
_NO_FUNCTION = "42883"  # of ours: the server was set up by a version before it


def driver_errors() -> tuple[type[Exception], ...]:
    """The errors of PostgreSQL's driver, where it was imported."""
    driver = sys.modules.get("psycopg")
    return () if driver is None else (driver.Error,)


def raise_known(error: Exception, place: str) -> None:
    """Raise the StoreError that an error of a database stands for, SQLAlchemy's or the driver's
    own; return when it is another kind."""
    orig: object = error.orig if isinstance(error, DBAPIError) else error
    detail = str(orig)
    if isinstance(orig, sqlite3.Error):
        for fragment, trouble in _SQLITE_TROUBLES:
            if fragment in detail.lower():
                raise StoreError(trouble, place, detail) from error
        if isinstance(orig, sqlite3.IntegrityError | sqlite3.ProgrammingError):
            return
        # what is left is said of files whose tables, columns or texts are not what they were
        raise StoreError("damaged", place, detail) from error
    if (
        called := _server_trouble(error, getattr(orig, "sqlstate", None) or "", detail)
    ) is not None:
        raise StoreError(called, place, detail) from error


def _server_trouble(error: Exception, state: str, detail: str) -> Trouble | None:
    """What an error of a server is called; None for one of the statement itself."""
    if known := _SERVER_TROUBLES.get(state):
        return known
    if state == _NO_FUNCTION and "benchseal." in detail:
        return "older_server"
    invalidated = isinstance(error, DBAPIError) and error.connection_invalidated
    if invalidated or state.startswith(_LOST):
        return _connection_trouble(detail)
    if state:
        return "server_fault" if state.startswith(_OF_SERVER) else None
    # libpq gives none for a connection that was not made, or broke
    of_driver = {kind.__name__ for kind in type(getattr(error, "orig", error)).__mro__}
    return _connection_trouble(detail) if "OperationalError" in of_driver else None


def _connection_trouble(detail: str) -> Trouble:
    said = detail.lower()
    for fragment, trouble in _CONNECTION_TROUBLES:
        if fragment in said:
            return trouble
    if "does not exist" in said:
        return "no_database" if "database" in said.partition("does not exist")[0] else "no_role"
    return "unreachable"
