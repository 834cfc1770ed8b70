"""What the events say should be stored: the newest digest of every unit, compared with the rows.

A million items are two million units, so that those with a number hold 41 bytes each.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlalchemy import select

from db.evidence.bindings import BOUND, EVIDENCE, Digests, Evidence, digests
from db.evidence.row_events import RowEvents
from db.schema.json_text import read_json
from db.session import Session
from db.tables import EVENT

_BYTES = 32  # of a digest
_AT_ONCE = 1000  # events
Entry = tuple[bytes | None, int]


class UnitDigests:
    """(digest, event) by unit: the digest is None where an event says that the unit is gone."""

    def __init__(self) -> None:
        self._digests, self._rows = bytearray(), RowEvents()
        self._others: dict[str, Entry] = {}
        self._others_seen: set[str] = set()

    def put(self, unit: str, digest: bytes | None, event: int) -> None:
        """Keep what an event says of a unit, in the place of what earlier ones said."""
        number = self._number(unit)
        if number < 0 or digest is None or len(digest) != _BYTES:
            self._rows.forget(number)
            self._others[unit] = (digest, event)
            return
        self._others.pop(unit, None)
        self._rows.put(number, event)
        self._digests.extend(bytes(_BYTES * self._rows.room - len(self._digests)))
        self._digests[_BYTES * number : _BYTES * (number + 1)] = digest

    def _number(self, unit: str) -> int:
        """Where a unit lies by its number; -1 for one that has none."""
        if unit.isascii() and unit.isdecimal() and len(unit) < 16 and str(int(unit)) == unit:
            number = int(unit)
            return number if self._rows.is_near(number) else -1
        return -1

    def seen(self, unit: str) -> Entry | None:
        """What is known of a unit that is stored; None where no event tells of it."""
        number = self._number(unit)
        if event := self._rows.seen(number):
            place = _BYTES * number
            return bytes(self._digests[place : place + _BYTES]), event
        self._others_seen.add(unit)
        return self._others.get(unit)

    def unseen(self) -> Iterator[tuple[str, int]]:
        """(unit, event) of what should be stored and was not asked for, in order."""
        missing = [(str(number), event) for number, event in self._rows.unseen()]
        missing += (
            (unit, event)
            for unit, (digest, event) in self._others.items()
            if digest is not None and unit not in self._others_seen
        )
        yield from sorted(missing, key=lambda one: (len(one[0]), one[0]))


@dataclass(slots=True)
class Recorded:
    """The newest digests by table."""

    units: dict[str, UnitDigests] = field(default_factory=dict)
    found: int = 0  # the last event of a state that was found at an upgrade


def recorded(session: Session, found_kind: str) -> Recorded:
    """The newest digest of every unit, from all events."""
    result = Recorded({evidence.table: UnitDigests() for evidence in EVIDENCE})
    query = select(EVENT.c.id, EVENT.c.kind, EVENT.c.data).order_by(EVENT.c.id)
    rows = session.connection().execute(query, execution_options={"yield_per": _AT_ONCE})
    for number, kind, data in rows:
        if f'"{BOUND}":' not in data:
            continue
        if kind == found_kind:
            result.found = number
        for table, units in _bound_of(data).items():
            known = result.units.setdefault(table, UnitDigests())
            for unit, digest in units.items():
                known.put(unit, packed(digest), number)
    return result


def _bound_of(data: str) -> Digests:
    """What an event binds; nothing for what is no JSON any more, which the chain itself shows."""
    try:
        bound = read_json(data).get(BOUND)
    except (ValueError, AttributeError):
        return {}
    if not isinstance(bound, dict):
        return {}
    return {table: units for table, units in bound.items() if isinstance(units, dict)}


def packed(digest: object) -> bytes | None:
    """A digest in half the memory of its text; whatever else it is, as bytes."""
    if digest is None:
        return None
    words = str(digest)
    try:
        return bytes.fromhex(words) if len(words) == 64 else words.encode()
    except ValueError:
        return words.encode()


def differences(
    session: Session, evidence: Evidence, known: UnitDigests
) -> Iterator[tuple[str, str, int]]:
    """(unit, what is wrong, event) of a table against the digests in the ledger.

    What is wrong is ``changed``, ``foreign`` (no event tells of it, event 0) or ``missing``.
    """
    for unit, digest in digests(session.connection(), evidence):
        name = str(unit)
        entry = known.seen(name)
        if entry is None:
            yield name, "foreign", 0
        elif entry[0] != packed(digest):
            yield name, "changed" if entry[0] is not None else "foreign", entry[1]
    yield from ((name, "missing", event) for name, event in known.unseen())
