"""What can go wrong with the store itself, told by kind so that callers can put it in words."""

import sqlite3
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from sqlalchemy.exc import DBAPIError, NoResultFound, OperationalError

Trouble = Literal[
    "not_found",
    "exists",
    "not_a_database",
    "not_a_workspace",
    "newer_schema",
    "newer_read_only",
    "older_schema",
    "older_server",
    "upgrade_failed",
    "old_server",
    "damaged",
    "read_only",
    "disk_full",
    "locked",
    "held",
    "network_share",
    "unreachable",
    "password",
    "wrong_password",
    "closed_login",
    "no_database",
    "unknown_host",
    "expired_certificate",
    "certificate",
    "no_tls",
    "refused",
    "forbidden",
    "private",
    "sealed",
]


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
    ("authentication failed", "wrong_password"),
    ("translate host name", "unknown_host"),
    ("resolve host", "unknown_host"),
    ("name or service not known", "unknown_host"),
    ("certificate verify failed", "certificate"),
    ("does not match host name", "certificate"),
    ("does not support ssl", "no_tls"),
    ("authentication", "refused"),
    ("no pg_hba.conf entry", "refused"),
)
# SQLSTATEs of a server that is there, and cannot do now what it was told
_SERVER_TROUBLES: Mapping[str, Trouble] = MappingProxyType(
    {"53100": "disk_full", "40P01": "locked", "55P03": "locked", "57014": "locked",
     "3D000": "no_database"}
)  # fmt: skip
_NO_FUNCTION = "42883"  # of ours: the server was set up by a version before it


def raise_known(error: DBAPIError, place: str) -> None:
    """Raise the StoreError that a database error stands for; return when it is another kind."""
    detail = str(error.orig)
    if isinstance(error.orig, sqlite3.Error):
        for fragment, trouble in _SQLITE_TROUBLES:
            if fragment in detail.lower():
                raise StoreError(trouble, place, detail) from error
        if isinstance(error.orig, sqlite3.IntegrityError | sqlite3.ProgrammingError):
            return
        # what is left is said of files whose tables, columns or texts are not what they were
        raise StoreError("damaged", place, detail) from error
    if isinstance(error, OperationalError) or error.connection_invalidated:
        raise StoreError(_server_trouble(error.orig, detail), place, detail) from error
    if "read-only transaction" in detail:
        raise StoreError("read_only", place, detail) from error
    if getattr(error.orig, "sqlstate", None) == _NO_FUNCTION and "benchseal." in detail:
        raise StoreError("older_server", place, detail) from error
    if "permission denied" in detail or "row-level security" in detail:
        raise StoreError("forbidden", place, detail) from error


def _server_trouble(error: BaseException | None, detail: str) -> Trouble:
    if known := _SERVER_TROUBLES.get(getattr(error, "sqlstate", None) or ""):
        return known
    said = detail.lower()
    for fragment, trouble in _CONNECTION_TROUBLES:
        if fragment in said:
            return trouble
    if "does not exist" in said:
        return "no_database" if "database" in said.partition("does not exist")[0] else "refused"
    return "unreachable"
