"""The index of a folder of GDELT files: a DuckDB file that is built once and kept up to date.

Reading a million rows of text takes seconds, asking the index milliseconds. The index lives in the
cache folder; losing it costs only the time to build it again.
"""

import fcntl
import gzip
import os
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from core.errors import OutsideError
from core.files import digest
from core.sources.gdelt_columns import KINDS, NEEDED
from core.text import tr

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_SCHEMA = 3  # raise it when the tables change; older indexes are then built again
_BLOCKS = (8 * 2**20, 256 * 2**20)  # bytes; a line must fit into one
_SNIFF = 64 * 2**10
_CONFIG: Mapping[str, str | bool | int | float | list[str]] = {
    # nothing is to be fetched from the network
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "memory_limit": "2GB",
    "threads": 2,
}

_TABLES = """
CREATE TABLE files (
    id INTEGER, name VARCHAR, size BIGINT, changed BIGINT, kind VARCHAR, rows BIGINT,
    malformed BIGINT, problem VARCHAR);
CREATE TABLE facts (
    file INTEGER, kind VARCHAR, row VARCHAR, seen TIMESTAMP, happened VARCHAR, url VARCHAR,
    tone DOUBLE, articles INTEGER, actor1 VARCHAR, actor2 VARCHAR, code VARCHAR, place VARCHAR,
    names VARCHAR, quotations VARCHAR, title VARCHAR, hay VARCHAR);
CREATE TABLE mentions (file INTEGER, event VARCHAR, seen TIMESTAMP, url VARCHAR, tone DOUBLE);
CREATE TABLE made (schema INTEGER);
"""

# Words with single spaces between them, “ ; ” between fields, a space at both ends, so that
# “ name ” is found as whole words and never across fields. Also applied to what is asked for.
NORMAL = (
    "' ' || trim(replace(regexp_replace(lower(strip_accents(nfc_normalize({0}))), "
    "'[^\\p{{L}}\\p{{N}};]+', ' ', 'g'), ';', ' ; ')) || ' '"
)
_PATH = "regexp_replace(SOURCEURL, '^[A-Za-z]+://[^/]*', '')"
_EVENT_HAY = NORMAL.format(
    "concat_ws(';', Actor1Name, Actor2Name, Actor1Geo_FullName, Actor2Geo_FullName, "
    f"ActionGeo_FullName, {_PATH})"
)
_GKG_TITLE = "regexp_extract(Extras, '<PAGE_TITLE>(.*?)</PAGE_TITLE>', 1)"
_GKG_HAY = NORMAL.format(
    f"concat_ws(';', {_GKG_TITLE}, AllNames, Persons, Organizations, Locations, "
    "regexp_replace(DocumentIdentifier, '^[A-Za-z]+://[^/]*', ''))"
)
_MOMENT = "try_strptime({0}, '%Y%m%d%H%M%S')"

_INSERTS: Mapping[str, str] = {
    "event": f"""
        INSERT INTO facts SELECT $file, 'event', GLOBALEVENTID, {_MOMENT.format("DATEADDED")},
            SQLDATE, SOURCEURL, try_cast(AvgTone AS DOUBLE),
            coalesce(try_cast(NumArticles AS INTEGER), 1), Actor1Name, Actor2Name, EventRootCode,
            ActionGeo_FullName, '', '', '', {_EVENT_HAY}
        FROM batch WHERE {_MOMENT.format("DATEADDED")} IS NOT NULL AND GLOBALEVENTID <> ''""",  # noqa: S608  constant parts
    "mention": f"""
        INSERT INTO mentions SELECT $file, GLOBALEVENTID, {_MOMENT.format("MentionTimeDate")},
            MentionIdentifier, try_cast(MentionDocTone AS DOUBLE)
        FROM batch
        WHERE {_MOMENT.format("MentionTimeDate")} IS NOT NULL AND GLOBALEVENTID <> ''""",  # noqa: S608  constant parts
    "gkg": f"""
        INSERT INTO facts SELECT $file, 'gkg', GKGRECORDID, {_MOMENT.format('"DATE"')},
            left("DATE", 8), DocumentIdentifier, try_cast(split_part(V2Tone, ',', 1) AS DOUBLE), 1,
            '', '', '', '', left(AllNames, 2000), left(Quotations, 4000), {_GKG_TITLE}, {_GKG_HAY}
        FROM batch WHERE {_MOMENT.format('"DATE"')} IS NOT NULL AND GKGRECORDID <> ''""",  # noqa: S608  constant parts
}


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """One file of the folder. ``kind`` is ``event``, ``mention``, ``gkg`` or empty for others.

    ``malformed`` counts lines with a wrong number of columns or an unreadable date; they are left
    out. ``problem`` says why a file could not be read at all.
    """

    name: str
    kind: str
    rows: int
    malformed: int
    problem: str = ""


def connect(path: Path, *, read_only: bool) -> "duckdb.DuckDBPyConnection":
    """A connection that loads nothing from the network."""
    import duckdb

    return duckdb.connect(str(path), read_only=read_only, config=dict(_CONFIG))


def open_index(folder: Path, root: Path) -> "duckdb.DuckDBPyConnection":
    """A read-only connection to the index of the folder's files as they are now.

    Builds or extends it first. Several processes may ask at once: one builds, the others wait.
    Every state of the folder has an index file of its own, so that who reads an older one is not
    disturbed; older ones are removed.
    """
    stem = digest(str(folder.resolve()))[:24]
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _locked(root / f"{stem}.lock"):
            present = _present(folder)
            index = root / f"{stem}-{digest([_SCHEMA, present])[:16]}.duckdb"
            older = [path for path in sorted(root.glob(f"{stem}-*.duckdb")) if path != index]
            if not _is_ours(index):
                _build(index, folder, present, older)
            for path in older:
                path.unlink(missing_ok=True)
            return connect(index, read_only=True)
    except OSError as error:
        raise OutsideError(
            tr(
                "The index of “{folder}” cannot be written in “{path}”: {problem}. Make room "
                "there, or set XDG_CACHE_HOME to another folder.",
                folder=folder,
                path=root,
                problem=error.strerror or error,
            )
        ) from error


def _build(
    index: Path, folder: Path, present: Mapping[str, tuple[int, int]], older: Sequence[Path]
) -> None:
    """Make the index, out of an older one where there is one."""
    building = index.with_suffix(f".{os.getpid()}.building")
    building.unlink(missing_ok=True)
    try:
        for path in older:
            if _is_ours(path):
                shutil.copyfile(path, building)
                break
        _update(building, folder, present)
        building.replace(index)
    finally:
        building.unlink(missing_ok=True)


def files_in(connection: "duckdb.DuckDBPyConnection") -> list[IndexedFile]:
    """What the index says about each file, by name."""
    rows = connection.execute(
        "SELECT name, kind, rows, malformed, problem FROM files ORDER BY name"
    ).fetchall()
    return [IndexedFile(*row) for row in rows]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _present(folder: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            state = path.stat()
            found[str(path.relative_to(folder))] = (state.st_size, state.st_mtime_ns)
    return found


def _is_ours(index: Path) -> bool:
    """Whether the file is an index of this schema; a damaged one counts as absent."""
    import duckdb

    if not index.is_file():
        return False
    try:
        with connect(index, read_only=True) as connection:
            row = connection.execute("SELECT schema FROM made").fetchone()
    except duckdb.Error:
        return False
    return row is not None and int(row[0]) == _SCHEMA


def _update(building: Path, folder: Path, present: Mapping[str, tuple[int, int]]) -> None:
    fresh = not building.exists()
    with connect(building, read_only=False) as connection:
        if fresh:
            connection.execute(_TABLES)
            connection.execute("INSERT INTO made VALUES (?)", [_SCHEMA])
        known = {
            name: (id, size, changed)
            for id, name, size, changed in connection.execute(
                "SELECT id, name, size, changed FROM files"
            ).fetchall()
        }
        for name, (id, *state) in known.items():
            if present.get(name) != tuple(state):
                for statement in (
                    "DELETE FROM facts WHERE file = ?",
                    "DELETE FROM mentions WHERE file = ?",
                    "DELETE FROM files WHERE id = ?",
                ):
                    connection.execute(statement, [id])
        number = max((id for id, *_ in known.values()), default=0)
        for name, (size, changed) in present.items():
            if name in known and known[name][1:] == (size, changed):
                continue
            number += 1
            read = _read(connection, folder / name, number, name)
            connection.execute(
                "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [number, name, size, changed, read.kind, read.rows, read.malformed, read.problem],
            )


def _read(
    connection: "duckdb.DuckDBPyConnection", path: Path, number: int, name: str
) -> IndexedFile:
    """Put one file's rows into the index; a file that is none of GDELT's is only noted."""
    import pyarrow as pa

    try:
        with _opened(path) as handle:
            columns, kind, header = _sniff(handle)
        if not kind:
            return IndexedFile(name, "", 0, 0)
        for block in _BLOCKS:
            connection.execute("BEGIN")
            try:
                with _opened(path) as handle:
                    read = _Reader(connection, number, name, kind, columns, header, block)
                    found = read.all(handle)
            except pa.ArrowInvalid:
                connection.execute("ROLLBACK")
                continue  # a line longer than the block
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
            return found
        return IndexedFile(name, kind, 0, 0, "a line is too long")
    except (OSError, EOFError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        return IndexedFile(name, "", 0, 0, f"{type(error).__name__}: {error}"[:200])


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, or of the first file inside a zip or gzip archive."""
    with path.open("rb") as plain:
        start = plain.read(4)
        plain.seek(0)
        if start.startswith(b"PK"):
            with zipfile.ZipFile(plain) as archive:
                inside = [info for info in archive.infolist() if not info.is_dir()]
                if not inside:
                    raise zipfile.BadZipFile("the archive is empty")
                with archive.open(inside[0]) as member:
                    yield member
        elif start.startswith(b"\x1f\x8b"):
            with gzip.open(plain) as unpacked:
                yield cast("IO[bytes]", unpacked)
        else:
            yield plain


def _sniff(handle: IO[bytes]) -> tuple[tuple[str, ...], str, bool]:
    """(column names in file order, kind, whether a header stands first) of a file's start."""
    lines = [line for line in handle.read(_SNIFF).split(b"\n")[:40] if line.strip()]
    if not lines:
        return (), "", False
    first = [cell.strip() for cell in lines[0].decode("utf-8", "replace").split("\t")]
    plain = {name.casefold() for name in first}
    for kind, names in KINDS.items():
        own = {name.casefold(): name for name in names}
        if {name.casefold() for name in NEEDED[kind]} <= plain:
            return tuple(own.get(name.casefold(), name) for name in first), kind, True
    widths = [line.count(b"\t") + 1 for line in lines]
    for kind, names in KINDS.items():
        # half of the lines suffice: single damaged lines must not hide a file
        if 2 * sum(width == len(names) for width in widths) >= len(widths):
            return names, kind, False
    return (), "", False


class _Reader:
    """One file on its way into the index."""

    def __init__(
        self,
        connection: "duckdb.DuckDBPyConnection",
        number: int,
        name: str,
        kind: str,
        columns: Sequence[str],
        header: bool,
        block: int,
    ) -> None:
        self._connection = connection
        self._number, self._name, self._kind = number, name, kind
        self._columns, self._header, self._block = columns, header, block
        self._malformed = 0

    def all(self, handle: IO[bytes]) -> IndexedFile:
        """Insert every well-formed row; count the others."""
        table = "mentions" if self._kind == "mention" else "facts"
        count = f"SELECT count(*) FROM {table} WHERE file = ?"  # noqa: S608  constant names
        given = 0
        for batch in self._batches(handle):
            given += batch.num_rows
            self._connection.register("batch", batch)
            self._connection.execute(_INSERTS[self._kind], {"file": self._number})
            self._connection.unregister("batch")
        row = self._connection.execute(count, [self._number]).fetchone()
        rows = int(row[0]) if row else 0
        return IndexedFile(self._name, self._kind, rows, self._malformed + given - rows)

    def _batches(self, handle: IO[bytes]) -> Iterable["pa.Table"]:
        import pyarrow as pa
        from pyarrow import csv

        needed = NEEDED[self._kind]
        reader = csv.open_csv(
            handle,
            read_options=csv.ReadOptions(
                column_names=list(self._columns),
                skip_rows=int(self._header),
                block_size=self._block,
                use_threads=False,
            ),
            parse_options=csv.ParseOptions(
                delimiter="\t",
                quote_char=False,
                double_quote=False,
                escape_char=False,
                invalid_row_handler=self._on_malformed,
            ),
            convert_options=csv.ConvertOptions(
                include_columns=list(needed),
                column_types=dict.fromkeys(needed, pa.binary()),
                strings_can_be_null=False,
                check_utf8=False,
            ),
        )
        for batch in reader:
            yield pa.table({name: _as_text(batch.column(name)) for name in needed})

    def _on_malformed(self, row: Any) -> str:
        del row
        self._malformed += 1
        return "skip"


def _as_text(column: "pa.Array") -> "pa.Array":
    """A column of bytes as text; bytes that are not UTF-8 become the replacement character."""
    import pyarrow as pa

    try:
        return column.cast(pa.string())
    except pa.ArrowInvalid:
        texts = [bytes(value).decode("utf-8", "replace") for value in column.to_pylist()]
        return pa.array(texts, pa.string())
