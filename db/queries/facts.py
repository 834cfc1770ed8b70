"""Facts about the workspace itself, each a text under a key."""

from sqlalchemy import bindparam, insert, select, update

from db.evidence.bindings import touch
from db.session import Session
from db.tables import META

ALARMS = "alarms"
"""The alarms that leads set, as one JSON text."""
ORGANISATIONS = "organisations"
"""To which organisations people, hosts and models belong, as one JSON text."""
_SHARED = "shared"
# made once: every use case asks whether the workspace is shared
_READ = select(META.c.value).where(META.c.key == bindparam("fact"))


def read(session: Session, key: str) -> str:
    """The stored text, empty where there is none."""
    return str(session.execute(_READ, {"fact": key}).scalar() or "")


def write(session: Session, key: str, value: str) -> None:
    """Replace the stored text."""
    changed = update(META).where(META.c.key == key).values(value=value)
    if session.execute(changed.returning(META.c.key)).first() is None:
        session.execute(insert(META).values(key=key, value=value))
    touch(session, "meta", [key])


def is_shared(session: Session) -> bool:
    """Whether accounts of the operating system decide who acts."""
    return read(session, _SHARED) == "yes"


def set_shared(session: Session, shared: bool) -> None:
    """Let accounts decide who acts, or no longer."""
    write(session, _SHARED, "yes" if shared else "no")
