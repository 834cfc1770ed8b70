"""Connections to a server that rest between two statements: one that ended is not used again."""

import select
from time import monotonic
from typing import Any

from sqlalchemy.exc import DisconnectionError

# seconds, and milliseconds for the last: a network that swallows everything is noticed so soon
PATIENCE = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10,
             "keepalives_count": 3, "tcp_user_timeout": 15_000}  # fmt: skip

_REST_S = 30.0
_RESTED = "rests since"


def note_rest(_connection: Any, record: Any) -> None:
    """A connection goes back to the others: it rests from now on."""
    record.info[_RESTED] = monotonic()


def refuse_dead(connection: Any, record: Any, _proxy: Any) -> None:
    """A connection that rested may have ended meanwhile: then its socket has something to read.

    The server is asked where it has, and after a longer rest, in which a network may have swallowed
    the end; asking takes as long as reading something.
    """
    rested = monotonic() - record.info.get(_RESTED, monotonic())
    if _RESTED in record.info and (rested > _REST_S or _has_something_to_read(connection)):
        try:
            connection.execute("")
            connection.rollback()
        except Exception as error:
            raise DisconnectionError from error


def _has_something_to_read(connection: Any) -> bool:
    if not hasattr(select, "poll"):
        return True
    watched = select.poll()
    watched.register(connection.fileno(), select.POLLIN)
    return bool(watched.poll(0))
