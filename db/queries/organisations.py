"""To which organisations people, hosts and models belong, as one JSON text among the facts of the
workspace."""

from db.queries import facts
from db.session import Session

_KEY = "organisations"


def read(session: Session) -> str:
    """The stored text, empty where nobody said anything."""
    return facts.read(session, _KEY)


def write(session: Session, value: str) -> None:
    """Replace the stored text."""
    facts.write(session, _KEY, value)
