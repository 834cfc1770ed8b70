"""One byte changed, 500 times, of whatever a sealed workspace consists of: the locked archive and
its signature, items, labels, their order, the manifest in the database and in its file, receipts,
answers and the ledger. None is accepted, and each is named; on SQLite and on a server."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from core.sealing import archive, container
from core.workflow.sealing import locked_archives
from core.workflow.sealing.locked_archives import LockedArchive
from core.workflow.splits import freeze, lifecycle
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.finished_runs import take_in_answers
from tests.sealed.conftest import LEAD, SPLIT, SealedPlace
from tests.sealed.team_place import TeamPlace
from tests.tampering import without_triggers

ON_SQLITE, ON_A_SERVER = 500, 120
ROWS = {
    "items": ("revision", ("payload", "provenance", "content_hash", "note"), ("revision", "#")),
    "labels": ("item", ("label", "domain"), ("#",)),
    "states": ("item", ("state", "content_hash"), ("#",)),
    "order": ("split_item", ("position", "item_id", "content_hash"), ("split",)),
    "manifest": ("split", ("manifest", "manifest_hash", "state"), ("split",)),
    "answers": ("answer", ("text", "extracted", "outcome"), ("answers",)),
    "ledger": ("event", ("at", "actor", "kind", "subject", "data", "previous", "hash"), ("event",)),
}
"""Each kind of rows: its table, the columns of which a byte is changed, and how it is named."""
FILES = ("manifest file", "receipts", "archive", "signature")


@dataclass
class SealedThings:
    """A sealed workspace, who may write everything in it, and its archive."""

    ws: Workspace
    owner: Workspace
    locked: LockedArchive
    draw: random.Random

    def one(self, kind: str) -> str:
        """Change one byte of a kind of thing; what was not noticed of it, empty where it was."""
        if kind in ROWS:
            return self._row(*ROWS[kind])
        if kind in ("archive", "signature"):
            return self._archive(kind)
        folder = self.ws.receipts if kind == "receipts" else self.ws.releases / SPLIT
        return self._file(self.draw.choice(sorted(folder.iterdir())))

    def _findings(self) -> list[str]:
        return [f"{one.kind} {one.subject} {one.detail}" for one in verify(self.ws).findings]

    def _archive(self, kind: str) -> str:
        path = Path(self.locked.path)
        with path.open("rb") as handle:
            member = container.members(handle)[0][archive.SIGNATURE]
        part = (member.offset, member.size) if kind == "signature" else (0, path.stat().st_size)
        with self._changed(path, *part):
            checked = locked_archives.verify(path, self.locked.key_id, self.locked.root)
            return "" if not checked.sound and checked.differences[0].subject else kind

    def _file(self, path: Path) -> str:
        with self._changed(path, 0, path.stat().st_size):
            found = self._findings()
        return "" if any(path.name in line for line in found) else f"{path.name}: {found[:3]}"

    def _changed(self, path: Path, first: int, size: int) -> "_Changed":
        return _Changed(path, first + self.draw.randrange(size), 1 << self.draw.randrange(8))

    def _row(self, table: str, columns: tuple[str, ...], names: tuple[str, ...]) -> str:
        column = self.draw.choice(columns)
        place, value = self.draw.choice(self._values(table, column))
        new = self._other(value)
        if not self._put(table, column, place, new):
            return self._row(table, columns, names)  # no such value can be there
        found = self._findings()
        self._put(table, column, place, value)
        named = any(name in line for name in names for line in found)
        return "" if named else f"{table}.{column}: {value[:60]} became {new[:60]}: {found[:3]}"

    def _values(self, table: str, column: str) -> list[tuple[Any, str]]:
        with self.owner.reading() as session:
            rows = session.execute(
                text(f"SELECT {_KEYS.get(table, 'id')}, CAST({column} AS text) FROM {table}")
            )
            return [(row[:-1], row[-1]) for row in rows if row[-1] is not None]

    def _other(self, value: str) -> str:
        if not value:
            return "x"
        content = list(value)
        at = self.draw.randrange(len(content))
        content[at] = chr(ord(content[at]) ^ (1 << self.draw.randrange(4)))
        return "".join(content)

    def _put(self, table: str, column: str, place: tuple[Any, ...], value: str) -> bool:
        """Write a value past every guard; whether that is possible and changes it."""
        keys = _KEYS.get(table, "id").split(", ")
        where = " AND ".join(f"{key} = :key{n}" for n, key in enumerate(keys))
        read = text(f"SELECT CAST({column} AS text) FROM {table} WHERE {where}")
        at = {f"key{n}": key for n, key in enumerate(place)}
        if column in keys:
            return False
        try:
            with self.owner.writing() as session, without_triggers(session.connection()) as raw:
                kind = _type_of(raw, table, column)
                before = raw.execute(read, at).scalar_one()
                raw.execute(
                    text(f"UPDATE {table} SET {column} = CAST(:value AS {kind}) WHERE {where}"),
                    {"value": value, **at},
                )
                return bool(raw.execute(read, at).scalar_one() != before)
        except DBAPIError:
            return False


_KEYS = {"split_item": "split_id, position", "answer": "run_id, item_id, variant"}


def _type_of(raw: Any, table: str, column: str) -> str:
    """The type to which a text is cast before it is stored."""
    if raw.dialect.name == "sqlite":
        known = raw.execute(text(f"SELECT typeof({column}) FROM {table} LIMIT 1"))
        return str(known.scalar_one())
    query = text("SELECT format_type(atttypid, atttypmod) FROM pg_attribute "
                 "WHERE attrelid = CAST(:name AS regclass) AND attname = :column")  # fmt: skip
    return str(raw.execute(query, {"name": table, "column": column}).scalar_one())


class _Changed:
    """Within, a bit of a file is another."""

    def __init__(self, path: Path, at: int, bit: int) -> None:
        self.path, self.content = path, path.read_bytes()
        self.other = bytearray(self.content)
        self.other[at] ^= bit

    def __enter__(self) -> None:
        self.path.write_bytes(self.other)

    def __exit__(self, *_: object) -> None:
        self.path.write_bytes(self.content)


def _run(ws: Workspace, folder: Path) -> None:
    """A run that is taken in, so that there are answers."""
    numbers = [member.uid for member in freeze.members_of(ws, SPLIT)]
    take_in_answers(ws, folder, dict.fromkeys(numbers, "B. no"), SPLIT)


@pytest.fixture
def on_sqlite(sealed: SealedPlace, tmp_path: Path) -> SealedThings:
    """A sealed and opened split with answers."""
    _run(sealed.ws, tmp_path)
    sealed.seal()
    sealed.ws.person = LEAD
    return SealedThings(sealed.ws, sealed.ws, sealed.locked, random.Random(16))


@pytest.fixture
def on_a_server(place: TeamPlace, tmp_path: Path) -> SealedThings:
    """The same on a server with logins."""
    _run(place.ws, tmp_path)
    locked = place.seal()
    lifecycle.open_split(place.ws, SPLIT, "boss", "July", "m", place.unlocking)
    return SealedThings(place.ws, place.admin, locked, random.Random(17))


def accepted(things: SealedThings, count: int) -> Iterator[str]:
    """What was accepted of so many changes, each kind in turn."""
    assert verify(things.ws).findings == ()
    kinds = (*ROWS, *FILES)
    tried = Counter[str]()
    for turn in range(count):
        kind = kinds[turn % len(kinds)]
        tried[kind] += 1
        if missed := things.one(kind):
            yield f"{kind}: {missed}"
    assert verify(things.ws).findings == ()
    assert set(tried) == set(kinds)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("count", [ON_SQLITE])
def test_no_changed_byte_is_accepted(on_sqlite: SealedThings, count: int) -> None:
    assert list(accepted(on_sqlite, count)) == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("count", [ON_A_SERVER])
def test_no_changed_byte_is_accepted_on_a_server(on_a_server: SealedThings, count: int) -> None:
    assert list(accepted(on_a_server, count)) == []
