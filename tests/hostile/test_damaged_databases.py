"""Databases damaged in every way that a disk, a program or a person can: each command that reads
says so in one sentence, or reads what is still there."""

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.workflow.workspace import Workspace
from tests.full_workspace import SPLIT, fill
from tests.hostile.attackers.forked_command import run_command
from tests.hostile.conftest import Attack
from tests.workspaces import new_workspace

Damage = Callable[[Path], None]
_READS = (
    "task list",
    "items",
    "verify",
    "agreement --benchmark bench",
    "history 1",
    "split status",
    f"export {SPLIT} --format jsonl --out {{place}}/out",
    "people",
    "runs",
)
_CELLS = 30  # of all columns and wrong values, drawn
_NUMBERS = (16, 18, 19, 20, 21, 24, 28, 32, 36, 40, 44, 47, 52, 56, 59, 60, 64, 68, 92, 96)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a workspace that has rows in nearly every table."""
    folder = tmp_path_factory.mktemp("sound")
    ws = new_workspace(folder)
    fill(ws, 3)
    place = ws.place.folder
    ws.close()
    with closing(sqlite3.connect(place / "workspace.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return place


def _flip(offset: int, count: int = 24, value: int | None = None) -> Damage:
    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        for place in range(offset, min(offset + count, len(data))):
            data[place] = data[place] ^ 0xFF if value is None else value
        path.write_bytes(data)

    return damage


def _cut(size: int) -> Damage:
    return lambda path: path.write_bytes(path.read_bytes()[:size])


def _sql(*statements: str) -> Damage:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            names = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            for (name,) in connection.execute(names).fetchall():
                connection.execute(f'DROP TRIGGER "{name}"')
            connection.execute("PRAGMA ignore_check_constraints = ON")
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    return damage


def _bytes_and_lengths(path: Path) -> Iterator[tuple[str, Damage]]:
    size = path.stat().st_size
    drawn = random.Random(18)
    for _ in range(30):
        offset = drawn.randrange(100, size)
        yield f"bytes at {offset}", _flip(offset, drawn.choice((1, 8, 64, 512)))
    for offset in _NUMBERS:
        yield f"header byte {offset}", _flip(offset, 1)
    for length in (0, 1, 15, 16, 99, 100, 512, 4096, 8192, size // 2, size - 4096, size - 1):
        yield f"cut at {length}", _cut(length)
    yield "all zero", _flip(100, size, 0)


def _rows_and_cells(path: Path) -> Iterator[tuple[str, Damage]]:
    with closing(sqlite3.connect(path)) as connection:
        tables = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
                " AND name NOT LIKE 'search%'"
            )
        ]
        columns = {
            # a number that names the row takes nothing but a number
            name: [
                (column, "KEY" if key and kind == "INTEGER" else kind)
                for _, column, kind, _, _, key in connection.execute(f'PRAGMA table_info("{name}")')
            ]
            for name in tables
        }
    for name in tables:
        yield f"no rows of {name}", _sql(f'DELETE FROM "{name}"')
        yield f"no table {name}", _sql(f'DROP TABLE "{name}"')
    cells = [
        (f'UPDATE OR IGNORE "{name}" SET "{column}" = {value}', f"{name}.{column} = {value[:40]}")
        for name in tables
        for column, kind in columns[name]
        for value in _wrong(kind)
    ]
    for change, title in random.Random(7).sample(cells, _CELLS):
        yield title, _sql(change)


def _wrong(kind: str) -> tuple[str, ...]:
    if kind == "JSON":
        return ("'{'", "'[1]'", "'7'", f"'{'[' * 5000}{']' * 5000}'")
    if kind == "KEY":
        return ("-1", "(SELECT 9e15)")
    if "INT" in kind:
        return ("'many'", "-1")
    if "DATE" in kind:
        return ("'yesterday'",)
    return ("CAST(x'fffe41' AS TEXT)", "'nothing'")


def _whole_files(path: Path) -> Iterator[tuple[str, Damage]]:
    def folder(database: Path) -> None:
        database.unlink()
        database.mkdir()

    def other(database: Path) -> None:
        database.unlink()
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("CREATE TABLE song (title TEXT)")
            connection.commit()

    def log(data: bytes) -> Damage:
        return lambda database: database.with_name("workspace.db-wal").write_bytes(data) and None

    def garbled(database: Path) -> None:
        data = database.read_bytes()
        place = data.index(b"CREATE TABLE decision") + len(b"CREATE ")
        database.write_bytes(data[:place] + b"\xb8" * 5 + data[place + 5 :])

    yield "a schema that is no text", garbled
    yield "a text", lambda database: database.write_text("notes " * 999) and None
    yield "a folder", folder
    yield "another program's", other
    yield "newer schema", _sql("UPDATE alembic_version SET version_num = '9999'")
    yield "no schema", _sql("DELETE FROM alembic_version")
    yield "a log of zeros", log(bytes(40_000))
    yield "a log of noise", log(random.Random(3).randbytes(40_000))
    yield "a log's head alone", log(b"\x37\x7f\x06\x82" + bytes(28))


def _arguments(place: Path, command: str) -> list[str]:
    return ["--workspace", str(place), *command.format(place=place).split()]


def _tried(sound: Path, tmp_path: Path, name: str, damage: Damage) -> str:
    """What got through of one damaged copy, for all commands together."""
    place = tmp_path / "w"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(sound, place)
    damage(place / "workspace.db")
    faults = []
    for command in _READS:
        ended = run_command(_arguments(place, command), tmp_path)
        lines = ended.err.strip().splitlines()
        fault = ended.fault() or (f"{len(lines)} lines" if ended.code and len(lines) != 1 else "")
        if fault and not (command == "verify" and ended.code == 1 and ended.out):
            faults.append(f"{command.split()[0]}: {fault}")
    return f"{name}: {'; '.join(faults)}" if faults else ""


@pytest.fixture
def warm(sound: Path, tmp_path: Path) -> None:
    """The modules of the commands, imported once: the children begin with them."""
    from core.cli import main

    for command in _READS:
        main(_arguments(sound, command))
    shutil.rmtree(sound / "out", ignore_errors=True)


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("title", "kinds"),
    [
        ("databases with damaged bytes", _bytes_and_lengths),
        ("databases with rows and cells gone or wrong", _rows_and_cells),
        ("files that are no such database", _whole_files),
    ],
)
def test_damaged_databases_are_named_in_one_sentence(
    sound: Path,
    tmp_path: Path,
    attack: Callable[[str], Attack],
    title: str,
    kinds: Callable[[Path], Iterator[tuple[str, Damage]]],
) -> None:
    row = attack(title)
    for name, damage in kinds(sound / "workspace.db"):
        row.tried(_tried(sound, tmp_path, name, damage))


def test_a_database_with_a_broken_table_is_named_in_one_sentence(
    sound: Path, tmp_path: Path, attack: Callable[[str], Attack]
) -> None:
    row = attack("a few damaged databases")
    broken = _sql("UPDATE revision SET payload = '{'")
    row.tried(_tried(sound, tmp_path, "payload", broken))
    row.tried(_tried(sound, tmp_path, "text", lambda path: path.write_text("x" * 999) and None))


def test_a_sound_workspace_reads(sound: Path) -> None:
    ws = Workspace.open(sound)
    ws.refuse_damage()
    ws.close()
