"""Engines and sessions for SQLite and PostgreSQL; migrations; what a broken store looks like."""

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import QueuePool

from db import ledger
from db.errors import StoreError, Trouble, driver_errors, raise_known
from db.evidence import bindings, newer_schema
from db.schema import newest
from db.schema.json_text import read_json, write_json
from db.server import calls, logins, poolers, resting, tls
from db.server.listening import Listener
from db.server.logins import ServerLogin
from db.session import Session as Session

BUSY_TIMEOUT = 30_000  # milliseconds that a writer waits for another
# What is read lies in the system's cache as well, and a window has some five connections; who
# writes keeps the pages of a transaction, which are else written to the log again and again.
_READING_CACHE, _WRITING_CACHE = "PRAGMA cache_size=-8192", "PRAGMA cache_size=-65536"
_MIGRATIONS = Path(__file__).parent / "migrations"
# SQLite shares memory through a mapped file, and a process that finds no room to write there dies
# (SIGBUS) instead of being told: it is told before
LEAST_FREE = 1 << 20  # bytes
_PAUSE = 0.002  # seconds between two attempts to take the write lock
APPLICATION_ID = 0x42534C31  # "BSL1" in the header of a SQLite workspace
NETWORK_FILESYSTEMS = frozenset(
    ("nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "ncpfs", "afs", "9p", "fuse.sshfs")
)

_MAY_LOOK = text("SELECT has_schema_privilege('public', 'USAGE')")
_OWN_TABLES = frozenset(("meta", "alembic_version", "event"))
# what a statement is called that does not find the tables as it needs them
_OF_TABLES: tuple[Trouble, ...] = ("damaged", "no_tables", "older_server")


def sqlite_url(path: Path) -> URL:
    """The URL of a SQLite workspace file."""
    return URL.create("sqlite", database=str(path))


class Store:
    """An open database. Thread-safe: every ``reading`` and ``writing`` has a session of its own."""

    def __init__(self, url: URL, *, read_only: bool = False) -> None:
        self.url = url
        self.read_only = read_only
        self.engine = _make_reading_engine(url) if read_only else _make_engine(url)
        self.login: ServerLogin | None = None
        """Who this is to the server; None for a SQLite file."""
        self.is_newer = False
        """Whether a newer program wrote it, so that this one only reads it."""

    @classmethod
    def open(
        cls, location: str | URL, before_upgrade: Callable[[Path], None] | None = None
    ) -> "Store":
        """Open an existing workspace database and bring an older schema up to date.

        ``before_upgrade`` is given the SQLite file before its schema is changed. One that may not
        be written, or whose folder may not, is opened to be read only: as ``open_read_only``.
        So is one of a newer program in which everything that we read is still there.
        Raises StoreError: not_found, not_a_database, not_a_workspace, newer_schema, read_only,
        network_share, unreachable, refused, upgrade_failed.
        """
        url = _parse(location)
        if _is_read_only(url):
            return cls.open_read_only(url, newer=True)
        store = cls(url)
        try:
            store._check_place(must_exist=True)
            with store.translated():
                revision = store._check_schema()
                if store.login is not None and store.login.secured:
                    if revision != schema_revisions()[-1]:
                        raise StoreError("older_server", store.place)
                else:
                    if before_upgrade and store.is_sqlite and revision != schema_revisions()[-1]:
                        before_upgrade(Path(store.place))
                    store._upgrade()
        except BaseException as error:
            store.close()
            if isinstance(error, StoreError) and error.trouble == "newer_schema":
                return cls.open_read_only(url, newer=True)
            raise
        return store

    @classmethod
    def open_read_only(cls, location: str | URL, *, newer: bool = False) -> "Store":
        """Open an existing workspace database so that nothing can be written to it.

        ``newer`` takes one of a newer program as ``open`` does. Raises what ``open`` raises, and
        StoreError older_schema where ``open`` would bring the schema up to date.
        """
        store = cls(_parse(location), read_only=True)
        try:
            store._check_place(must_exist=True, writable=False)
            with store.translated():
                revision = store._check_schema(newer=newer)
                if revision != schema_revisions()[-1] and not store.is_newer:
                    raise StoreError("older_schema", store.place)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def create(cls, location: str | URL) -> "Store":
        """Make the tables in a new SQLite file or an empty PostgreSQL database.

        Raises StoreError: exists, read_only, disk_full, network_share, unreachable, refused,
        old_server.
        """
        store = cls(_parse(location))
        try:
            store._check_place(must_exist=False)
            with store.translated():
                with store.engine.connect() as connection:
                    if inspect(connection).has_table("meta"):
                        raise StoreError("exists", store.place)
                if store.is_sqlite:
                    upgrade(store.engine)
                else:
                    store.secure()
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def is_made(cls, location: str | URL) -> bool:
        """Whether a server's database has our tables, of whatever age; raises what ``open``
        raises where it cannot be asked."""
        store = cls(_parse(location))
        try:
            with store.translated(), store.engine.connect() as connection:
                return inspect(connection).has_table("meta")
        finally:
            store.close()

    @classmethod
    def to_fill(cls, location: str | URL) -> "Store":
        """A database in which nothing is made yet; StoreError as ``create`` raises."""
        store = cls(_parse(location))
        try:
            store._check_place(must_exist=False)
            with store.translated(), store.engine.connect() as connection:
                store._refuse_old(connection)
                if store.has_tables(connection):
                    raise StoreError("exists", store.place)
        except BaseException:
            store.close()
            raise
        return store

    @staticmethod
    def has_tables(connection: Connection) -> bool:
        """Whether a database has our tables."""
        return inspect(connection).has_table("meta")

    @classmethod
    def open_to_secure(cls, location: str | URL) -> "Store":
        """Open a workspace on a server whose schema may be older, to ``secure`` it.

        Raises what ``open`` raises.
        """
        store = cls(_parse(location))
        try:
            with store.translated():
                store._check_schema()
        except BaseException:
            store.close()
            raise
        return store

    def secure(self) -> None:
        """Bring a server's schema up to date, and let its database hold up everybody's rights.

        Raises StoreError: old_server; refused for a login that may not make roles, or owns the
        tables not.
        """
        from db.server.row_sealing import REWRITE_STATISTICS
        from db.server.secure import secure

        with self.translated(), self.engine.connect() as connection:
            self._refuse_old(connection)
        upgrade(self.engine)
        with self.translated(), self.engine.connect() as connection, connection.begin():
            secure(connection)
            self.login = logins.login_of(connection)
        apart = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        with self.translated(), apart.connect() as connection:
            connection.exec_driver_sql(REWRITE_STATISTICS)

    def _refuse_old(self, connection: Connection) -> None:
        """StoreError for a server that cannot hold up people's rights."""
        version = connection.dialect.server_version_info
        if not self.is_sqlite and (version is None or version < logins.LEAST_SERVER):
            raise StoreError("old_server", self.place, ".".join(map(str, logins.LEAST_SERVER)))

    @property
    def place(self) -> str:
        """Where the database is, for people; never with a password."""
        if self.url.get_backend_name() == "sqlite":
            return str(self.url.database)
        return self.url.render_as_string(hide_password=True)

    @property
    def is_sqlite(self) -> bool:
        """Whether this is a SQLite file."""
        return self.url.get_backend_name() == "sqlite"

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that sees one consistent state and writes nothing."""
        with self.translated(), Session(self.engine) as session:
            logins.set_login(session, self.login)
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction: committed at the end, rolled back by an exception.

        SQLite takes the write lock at its start, so what is read inside stays true until commit.
        Raises StoreError disk_full where less than ``LEAST_FREE`` bytes are left for its file.
        """
        if self.read_only:
            raise StoreError("newer_read_only" if self.is_newer else "read_only", self.place)
        self._refuse_full()
        with (
            self.translated(),
            self.engine.connect().execution_options(writes=True) as connection,
            Session(connection) as session,
        ):
            logins.set_login(session, self.login)
            try:
                yield session
                ledger.bind_rest(session)
                session.commit()
                calls.wait_for_disk(session)
            except BaseException:
                bindings.forget(session)
                session.rollback()
                raise

    @contextmanager
    def stepping(self) -> Iterator[Session]:
        """A session on a server each of whose statements is a transaction of its own."""
        with self.translated(), Session(self.engine) as session:
            session.connection({"isolation_level": "AUTOCOMMIT"})
            yield session

    def _refuse_full(self) -> None:
        if self.is_sqlite:
            usage = shutil.disk_usage(Path(self.place).parent)
            # a file system that counts nothing has a total of 0
            if usage.total and usage.free < LEAST_FREE:
                raise StoreError("disk_full", self.place, "no space left")

    def listen(self) -> Listener:
        """A connection of its own that hears when the ledger moves; for a server alone."""
        with self.translated():
            return Listener(self.engine)

    @contextmanager
    def translated(self) -> Iterator[None]:
        """What the database complains of within comes out as StoreError."""
        try:
            yield
        except Exception as error:
            # the driver's own are of streams and of what it is asked for directly
            if not isinstance(error, (DBAPIError, *driver_errors())):
                raise
            try:
                raise_known(error, self.place)
            except StoreError as known:
                if known.trouble == "certificate" and _has_expired(self.url):
                    raise StoreError("expired_certificate", self.place) from error
                if known.trouble in ("forbidden", "no_tables") and not self._has_role():
                    raise StoreError("no_role", self.place) from error
                raise
            raise

    def _has_role(self) -> bool:
        """Whether the login has a role in the workspace now; asked where a server refuses."""
        if self.login is None or not self.login.secured:
            return True
        try:
            with self.engine.connect() as connection:
                return bool(connection.execute(text("SELECT benchseal.rank()")).scalar())
        except DBAPIError:
            return False

    def _upgrade(self) -> None:
        """Bring the schema up to date; StoreError ``upgrade_failed`` where a migration fails, of
        which nothing is kept then."""
        try:
            with self.translated():
                upgrade(self.engine)
        except (StoreError, DBAPIError) as error:
            if isinstance(error, StoreError) and error.trouble not in _OF_TABLES:
                raise
            detail = error.detail if isinstance(error, StoreError) else str(error.orig)
            raise StoreError("upgrade_failed", self.place, detail) from error

    def _check_place(self, *, must_exist: bool, writable: bool = True) -> None:
        if not self.is_sqlite:
            return
        path = Path(self.place)
        if must_exist and not path.exists():
            raise StoreError("not_found", self.place)
        if not must_exist and path.exists() and path.stat().st_size > 0:
            raise StoreError("exists", self.place)
        if is_network_share(path):
            raise StoreError("network_share", self.place)
        if must_exist and (path.is_dir() or not _has_sqlite_header(path)):
            raise StoreError("not_a_database", self.place)
        if must_exist and _is_foreign(path):
            raise StoreError("not_a_workspace", self.place)
        if writable:
            self._refuse_full()

    def _check_schema(self, *, newer: bool = False) -> str:
        """The schema's revision; StoreError where it is not one of ours."""
        try:
            with self.engine.connect() as connection:
                self._refuse_old(connection)
                tables = set(inspect(connection).get_table_names())
                if not tables >= _OWN_TABLES:
                    ours = not self.is_sqlite and inspect(connection).has_schema("benchseal")
                    if ours and not connection.execute(_MAY_LOOK).scalar():
                        raise StoreError("no_role", self.place)
                    missing = ", ".join(sorted(_OWN_TABLES - tables))
                    trouble: Trouble = "no_tables" if ours else "not_a_workspace"
                    raise StoreError(trouble, self.place, missing)
                revision = _revision(connection)
                if not self.is_sqlite:
                    self.login = logins.login_of(connection)
                beyond = revision is not None and revision > schema_revisions()[-1]
                self.is_newer = newer and beyond and newer_schema.can_be_read(connection)
        except UnicodeDecodeError as error:
            # SQLite says which part of its schema is malformed, and that part is not a text
            detail = error.object.decode("utf-8", "replace")
            raise StoreError("damaged", self.place, detail) from error
        if revision is None:
            raise StoreError("damaged", self.place, "alembic_version")
        if revision not in schema_revisions() and not self.is_newer:
            raise StoreError("newer_schema", self.place, revision)
        return revision


def _parse(location: str | URL) -> URL:
    try:
        url = make_url(location)
    except ArgumentError as error:
        raise StoreError("refused", str(location), str(error)) from error
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise StoreError("refused", url.render_as_string(hide_password=True))
    return url


def _has_expired(url: URL) -> bool:
    from db.server.certificate import has_expired

    return has_expired(url)


def _is_read_only(url: URL) -> bool:
    """Whether a SQLite file exists where nothing can be written."""
    if url.get_backend_name() != "sqlite":
        return False
    path = Path(str(url.database))
    return path.is_file() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _has_sqlite_header(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    except PermissionError as error:
        raise StoreError("read_only", str(path)) from error
    with os.fdopen(descriptor, "rb") as handle:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return is_file and handle.read(16) == b"SQLite format 3\x00"


def _is_foreign(path: Path) -> bool:
    """Whether a SQLite file is another program's. Looks without changing a byte of it: the
    program's own way of opening would switch the file to WAL.
    """
    try:
        with closing(sqlite3.connect(reading_address(path), uri=True)) as connection:
            rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return not _OWN_TABLES.issubset(row[0] for row in rows)
    except (sqlite3.Error, UnicodeDecodeError):
        return False  # damaged or locked: opening it properly tells which


def is_network_share(path: Path, mounts: Path = Path("/proc/mounts")) -> bool:
    """Whether a path lies on NFS, CIFS or the like, where SQLite's WAL is not safe."""
    if not mounts.exists():
        return False
    target = os.path.realpath(path)
    best, kind = "", ""
    for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
        _, mount, filesystem, *_ = line.split(" ")
        mount = mount.encode().decode("unicode_escape")
        inside = target == mount or target.startswith(mount.rstrip("/") + "/")
        if inside and len(mount) >= len(best):
            best, kind = mount, filesystem
    return kind in NETWORK_FILESYSTEMS


def _make_engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        # isolation_level=None turns pysqlite's own BEGIN off; _begin says it instead.
        engine = create_engine(
            url,
            json_deserializer=read_json,
            json_serializer=write_json,
            connect_args={
                "isolation_level": None,
                "check_same_thread": False,
                "timeout": BUSY_TIMEOUT / 1000,
            },
        )
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin)
        return engine
    arguments: dict[str, Any] = {**resting.PATIENCE, **tls.verified(url)}
    engine = create_engine(
        url, connect_args=arguments, json_deserializer=read_json, json_serializer=write_json
    )
    event.listen(engine, "connect", poolers.prepare_nothing_behind)
    event.listen(engine, "checkin", resting.note_rest)
    event.listen(engine, "checkout", resting.refuse_dead)
    return engine


def _make_reading_engine(url: URL) -> Engine:
    """An engine whose connections cannot write, and of SQLite leave the file as it is."""
    if url.get_backend_name() == "sqlite":
        path = Path(str(url.database))

        def connect() -> sqlite3.Connection:
            connection = sqlite3.connect(
                reading_address(path),
                uri=True,
                isolation_level=None,
                check_same_thread=False,
                timeout=BUSY_TIMEOUT / 1000,
            )
            connection.execute("PRAGMA query_only=ON")
            connection.execute("PRAGMA temp_store=MEMORY")
            return connection

        engine = create_engine("sqlite://", creator=connect, poolclass=QueuePool,
                               json_deserializer=read_json)  # fmt: skip
        event.listen(engine, "begin", _begin)
        return engine
    engine = _make_engine(url)
    event.listen(engine, "begin", _begin_reading)
    return engine


def one_state(session: Session) -> None:
    """Let all that a new session reads be of one moment, as a transaction of SQLite has it."""
    if session.dialect.name == "postgresql":
        session.connection(execution_options={"isolation_level": "REPEATABLE READ"})


def reading_address(path: Path) -> str:
    """The URI that opens a SQLite file for reading.

    SQLite reads a file in WAL mode only with an index of the log beside it, which it cannot make
    where nothing can be written. Without a log nothing is lost by saying that the file stays as it
    is.
    """
    log = path.with_name(f"{path.name}-wal")
    index = path.with_name(f"{path.name}-shm")
    alone = not log.exists() or (log.stat().st_size == 0 and not index.exists())
    immutable = alone and not os.access(path.parent, os.W_OK)
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if immutable else ''}"


def _begin_reading(connection: Connection) -> None:
    connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def _prepare_sqlite(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT}")
    cursor.execute("PRAGMA journal_mode=WAL")
    # FULL keeps an acknowledged decision through a power cut; NORMAL would not.
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    # only then does the delete within INSERT OR REPLACE meet the triggers
    cursor.execute("PRAGMA recursive_triggers=ON")
    cursor.execute("PRAGMA temp_store=MEMORY")
    cursor.close()


def _begin(connection: Connection) -> None:
    if connection.get_execution_options().get("writes", False):
        _begin_writing(connection)
    else:
        connection.exec_driver_sql(_READING_CACHE)
        connection.exec_driver_sql("BEGIN")


def _begin_writing(connection: Connection) -> None:
    """Take the write lock, asking often: SQLite's own waiting grows to a tenth of a second between
    two attempts, in which somebody who came later is first, again and again."""
    give_up = monotonic() + BUSY_TIMEOUT / 1000
    bare = connection.connection.cursor()
    bare.execute(_WRITING_CACHE)
    bare.execute("PRAGMA busy_timeout=0")
    try:
        while monotonic() < give_up:
            try:
                bare.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    break
                sleep(_PAUSE)
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # says what is wrong
    finally:
        bare.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT}")
        bare.close()


def schema_revisions() -> tuple[str, ...]:
    """Names of the schema's revisions that this program knows, oldest first.

    They are the first words of the migrations' file names, so that opening a workspace that is up
    to date needs no Alembic, whose import takes longer than the opening.
    """
    scripts = (_MIGRATIONS / "versions").glob("[0-9]*_*.py")
    return tuple(sorted(path.name.partition("_")[0] for path in scripts))


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all()
    return str(found[0]) if len(found) == 1 else None


def upgrade(target: Engine | str) -> None:
    """Run the migrations that are missing, in one transaction; nothing when none is."""
    engine = _make_engine(make_url(target)) if isinstance(target, str) else target
    with engine.connect() as connection:
        current = _revision(connection)
    if current != schema_revisions()[-1]:
        _migrate(engine)
    if isinstance(target, str):
        engine.dispose()


def _migrate(engine: Engine) -> None:
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if engine.dialect.name == "sqlite":
            connection.execute(text(f"PRAGMA application_id={APPLICATION_ID}"))
        migrate_in(connection)


def migrate_in(connection: Connection) -> None:
    """Run the migrations that are missing, in the connection's own transaction."""
    if connection.dialect.name == "sqlite" and newest.is_empty(connection):
        newest.make_tables(connection)
        return
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def prepare_memory(engine: Engine) -> None:
    """Let a SQLite engine in memory run the migrations as one of a file does."""
    event.listen(engine, "begin", _begin)
