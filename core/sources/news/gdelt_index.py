"""The index of a folder of GDELT files: a DuckDB file that is built once and kept up to date.

Reading a million rows of text takes seconds, asking the index milliseconds. The index lives in the
cache folder; losing it costs only the time to build it again.
"""

import fcntl
import os
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from core.errors import OutsideError
from core.files import digest
from core.optional_packages import needed_for
from core.sources.news.gdelt_archive import members, sniff, text_of_value
from core.sources.news.gdelt_columns import NEEDED

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_SCHEMA = 4  # raise it when the tables change; older indexes are then built again
_BLOCKS = (8 * 2**20, 256 * 2**20)  # bytes; a line must fit into one
_UNREADABLE = (
    OSError, EOFError, zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error,
)  # fmt: skip
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
    out. ``problem`` says why a file could not be read, or is none of GDELT 2.0's though it seems
    to be meant for one: a name of ``gdelt_archive.problem_words``, or an error of the system.
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
    disturbed; older ones are removed. Raises OutsideError without DuckDB or pyarrow.
    """
    for package in ("pyarrow", "duckdb"):
        with needed_for("GDELT", package):
            import_module(package)
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
        raise OutsideError.tr(
            "Could not write the index of “{folder}” to “{path}”: {problem}. Free some "
            "space there, or set XDG_CACHE_HOME to another folder.",
            folder=folder,
            path=root,
            problem=error.strerror or error,
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
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            state = path.stat()
            files[str(path.relative_to(folder))] = (state.st_size, state.st_mtime_ns)
    return files


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
    new_index = not building.exists()
    with connect(building, read_only=False) as connection:
        if new_index:
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
                _take_out(connection, id)
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


def _take_out(connection: "duckdb.DuckDBPyConnection", number: int) -> None:
    """Forget a file with its rows."""
    for statement in (
        "DELETE FROM facts WHERE file = ?",
        "DELETE FROM mentions WHERE file = ?",
        "DELETE FROM files WHERE id = ?",
    ):
        connection.execute(statement, [number])


def _read(
    connection: "duckdb.DuckDBPyConnection", path: Path, number: int, name: str
) -> IndexedFile:
    """Put the rows of a file, or of every file in an archive, into the index.

    One that is none of GDELT's is only noted. What was read before an archive broke off is left
    out too: half a file would look like a whole one.
    """
    try:
        with members(path) as inside:
            counts = [_read_member(connection, open_, number, name) for open_ in inside]
    except _UNREADABLE as error:
        _take_out(connection, number)
        return IndexedFile(name, "", 0, 0, f"{type(error).__name__}: {error}"[:200])
    return IndexedFile(
        name,
        next((one.kind for one in counts if one.kind), ""),
        sum(one.rows for one in counts),
        sum(one.malformed for one in counts),
        next((one.problem for one in counts if one.problem), ""),
    )


def _read_member(
    connection: "duckdb.DuckDBPyConnection",
    open_: Callable[[], IO[bytes]],
    number: int,
    name: str,
) -> IndexedFile:
    import pyarrow as pa

    with open_() as handle:
        seen = sniff(handle)
    if not seen.kind:
        return IndexedFile(name, "", 0, 0, seen.problem)
    for block in _BLOCKS:
        connection.execute("BEGIN")
        try:
            with open_() as handle:
                read = _Reader(
                    connection, number, name, seen.kind, seen.columns, seen.header, block
                )
                rows = read.all(handle)
        except pa.ArrowInvalid:
            connection.execute("ROLLBACK")
            continue  # a line longer than the block
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
        return rows
    return IndexedFile(name, seen.kind, 0, 0, "too_long")


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

        self._table = "mentions" if kind == "mention" else "facts"
        self._before = self._count()

    def _count(self) -> int:
        count = f"SELECT count(*) FROM {self._table} WHERE file = ?"  # noqa: S608  constant names
        ((rows,),) = self._connection.execute(count, [self._number]).fetchall()
        return int(rows)

    def all(self, handle: IO[bytes]) -> IndexedFile:
        """Insert every well-formed row; count the others."""
        lines_read = 0
        for batch in self._batches(handle):
            lines_read += batch.num_rows
            self._connection.register("batch", batch)
            self._connection.execute(_INSERTS[self._kind], {"file": self._number})
            self._connection.unregister("batch")
        rows = self._count() - self._before
        return IndexedFile(self._name, self._kind, rows, self._malformed + lines_read - rows)

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
        texts = [text_of_value(bytes(value)) for value in column.to_pylist()]
        return pa.array(texts, pa.string())
