"""The workspace: one database and one folder for runs and releases."""

import os
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from core import system_keyring
from core.accounts import login
from core.errors import InputError, NotFoundError, RightsError, WorkspaceError
from core.files import make_private_folder, set_group_access
from core.workflow import unlocked_keys as unlocked_keys  # says where keys of items are looked up
from core.workflow.names import check_person_name
from core.workflow.store_sentences import explain
from core.workflow.upgrade_backup import save_before_upgrade
from db import addresses, ledger, people
from db.claiming import single_steps
from db.counting.commit_watch import CommitWatch
from db.damage import damage
from db.engine import Session, Store, is_network_share, sqlite_url
from db.errors import StoreError
from db.evidence import newer_schema
from db.ledger import Appended
from db.queries import catalogue
from db.server import logins
from db.server.listening import Listener
from db.vocabulary import EventKind, Role

DATABASE = "workspace.db"
LedgerListener = Listener
WORKS_HERE = "works_here"  # where a session keeps the name of who works through the workspace
_RECORDS: ContextVar[list[Appended] | None] = ContextVar("records", default=None)


def _data_path() -> Path:
    from platformdirs import user_data_path

    return user_data_path("benchseal")


def default_location() -> str | Path:
    """``BENCHSEAL_WORKSPACE``, else a folder in the user's data directory."""
    if location := os.environ.get("BENCHSEAL_WORKSPACE"):
        return location
    return _data_path() / "workspace"


@dataclass(frozen=True, slots=True)
class WorkspaceLocation:
    """Where a workspace is: the database's URL or path, and the folder for runs and releases."""

    database: str
    folder: Path
    is_server: bool

    @classmethod
    def of(cls, location: str | Path) -> "WorkspaceLocation":
        """Read a location: a folder, a ``.db`` file, or a ``postgresql://`` URL.

        The folder of a PostgreSQL workspace is ``BENCHSEAL_FOLDER``, else one in the user's data
        directory named after the database.
        """
        text = str(location)
        if "://" in text:
            name = text.rsplit("/", 1)[-1].split("?")[0] or "postgresql"
            base = os.environ.get("BENCHSEAL_FOLDER")
            folder = Path(base) if base else _data_path() / name
            return cls(text, folder, True)
        path = Path(text).expanduser().absolute()
        if path.suffix in (".db", ".sqlite", ".sqlite3") and not path.is_dir():
            return cls(str(path), path.parent, False)
        return cls(str(path / DATABASE), path, False)


class Workspace:
    """An open workspace. Thread-safe: every use case opens one short session of its own."""

    def __init__(self, place: WorkspaceLocation, store: Store) -> None:
        self.place = place
        self.person = ""
        """Who works through this object, where a use case is given no name; empty for the person
        of this account (``rights.acting_name``)."""
        self.saved_before_upgrade: Path | None = None
        """The backup that was written when opening it brought an older schema up to date."""
        self._store = store
        self._commits: CommitWatch | None = None

    @classmethod
    def exists(cls, location: str | Path) -> bool:
        """Whether there is something at a location that could be a workspace."""
        place = WorkspaceLocation.of(location)
        return place.is_server or Path(place.database).exists()

    @classmethod
    def has_tables(cls, location: str | Path) -> bool:
        """Whether a workspace was made at a location; a PostgreSQL address is asked."""
        if not cls.exists(location):
            return False
        if not WorkspaceLocation.of(location).is_server:
            return True
        with _in_words():
            return Store.is_made(_with_kept_password(WorkspaceLocation.of(location)).database)

    @classmethod
    def open(cls, location: str | Path) -> "Workspace":
        """Open a workspace; WorkspaceError or NotFoundError says what is wrong with it.

        One in a place where nothing can be written is opened to be read (``is_read_only``), and so
        is one of a newer version where that can be (``is_newer``). A file of an older version is
        saved and then brought up to date (``saved_before_upgrade``).
        """
        place = _with_kept_password(WorkspaceLocation.of(location))
        if not place.is_server and not Path(place.database).exists():
            _explain_missing(place, Path(location))
        saved: list[Path] = []

        def save(database: Path) -> None:
            saved.append(save_before_upgrade(database, place.folder))

        with _in_words():
            url = place.database if place.is_server else sqlite_url(_path(place))
            store = Store.open(url, before_upgrade=save)
        workspace = cls(place, store)
        workspace.saved_before_upgrade = saved[0] if saved else None
        return workspace

    @classmethod
    def open_read_only(cls, location: str | Path) -> "Workspace":
        """Open a workspace so that nothing can be written to it, and an older one is not migrated.

        Raises what ``open`` raises, and WorkspaceError for an older workspace.
        """
        place = _with_kept_password(WorkspaceLocation.of(location))
        if not place.is_server and not Path(place.database).exists():
            _explain_missing(place, Path(location))
        with _in_words():
            url = place.database if place.is_server else sqlite_url(_path(place))
            return cls(place, Store.open_read_only(url, newer=True))

    @classmethod
    def create(cls, location: str | Path, lead: str = "", account: str = "") -> "Workspace":
        """Make a new workspace; its folder may exist, its database must not.

        ``lead`` is its first lead, who has this account of the operating system and is called
        like it where no name is given. On a server the account is a login: ``account``, which is
        made when it is not there, else the one that makes the workspace.
        """
        lead = check_person_name(lead or account or login())
        place = _with_kept_password(WorkspaceLocation.of(location))
        try:
            make_private_folder(place.folder)
            if not place.is_server:
                make_private_folder(_path(place).parent)
        except OSError as error:
            raise WorkspaceError.tr(
                "Could not create the folder “{path}”: {reason}. Choose another folder.",
                path=place.folder,
                reason=error.strerror or str(error),
            ) from error
        with _in_words(), _private_database(place):
            store = Store.create(place.database if place.is_server else sqlite_url(_path(place)))
        workspace = cls(place, store)
        with workspace.writing() as session:
            ledger.append(session, ledger.NewEvent(EventKind.WORKSPACE_MADE, lead))
            add_first_lead(session, lead, account)
            if workspace.has_logins:
                _tell_of_logins(session, lead)
                catalogue.record(session)
        return workspace

    @classmethod
    def secured(cls, location: str | Path, lead: str = "", account: str = "") -> "Workspace":
        """Open a workspace on a server as who administers it: bring it up to date, and let its
        database hold up everybody's rights, now or again.

        Where no lead has a login yet, ``lead`` becomes one, as ``create`` says. Raises what
        ``open`` raises, and RightsError where a lead is needed and not named.
        """
        place = _with_kept_password(WorkspaceLocation.of(location))
        with _in_words():
            store = Store.open_to_secure(place.database)
            workspace = cls(place, store)
            was_secured = workspace.has_logins
            try:
                if not was_secured and not lead:
                    _want_lead()
                store.secure()
                workspace._name_lead(lead, account, was_secured)
            except BaseException:
                store.close()
                raise
        return workspace

    @classmethod
    def secure_again(cls, location: str) -> None:
        """After a restore: rights for this database and a login for everybody who had one, where
        the workspace had logins."""
        with _in_words():
            store = Store.open_to_secure(location)
            workspace = cls(WorkspaceLocation.of(location), store)
            try:
                with workspace.reading() as session:
                    if not catalogue.is_recorded(session):
                        return
                store.secure()
                with workspace.writing() as session:
                    people.remake_logins(session)
                    session.info[ledger.ACTS] = workspace.login
                    catalogue.record(session)
            finally:
                store.close()

    def _name_lead(self, lead: str, account: str, was_secured: bool) -> None:
        """After ``secure``: nobody keeps an account of a machine as a login, and somebody leads."""
        with self.writing() as session:
            if not was_secured:
                for row in people.everybody(session):
                    if row.account:
                        people.set_account(session, row.id, None)
                        data = {"account": "", "before": row.account}
                        event = ledger.NewEvent(EventKind.PERSON, lead, subject=row.name, data=data)
                        ledger.append(session, event)
            known = people.everybody(session)
            if not any(row.role == Role.LEAD and row.active and row.account for row in known):
                if not lead:
                    _want_lead()
                add_first_lead(session, check_person_name(lead), account)
            if not was_secured:
                _tell_of_logins(session, lead)
            session.info[ledger.ACTS] = self.login
            catalogue.record(session)

    @property
    def runs(self) -> Path:
        """The folder of all run folders."""
        return self.place.folder / "runs"

    @property
    def releases(self) -> Path:
        """The folder of frozen splits."""
        return self.place.folder / "releases"

    @property
    def receipts(self) -> Path:
        """The folder of the receipts of splits."""
        return self.place.folder / "receipts"

    @property
    def interrupted(self) -> Path:
        """The folder of the notes of sealings and expiries; there only while one is under way, or
        after one that was interrupted (``core.workflow.splits.interruptions``)."""
        return self.place.folder / "interrupted"

    @property
    def title(self) -> str:
        """What people call this workspace: its folder's or its database's name."""
        if not self.place.is_server:
            return self.place.folder.name
        return addresses.database_in(self.place.database) or self._store.place

    @property
    def address(self) -> str:
        """Where this workspace is, as it may be shown and stored: without a password."""
        return shown_address(self.place.database)

    @property
    def is_read_only(self) -> bool:
        """Whether nothing can be written to it; every write is then a WorkspaceError."""
        return self._store.read_only

    @property
    def is_newer(self) -> bool:
        """Whether a newer program wrote it; it is then read-only."""
        return self._store.is_newer

    def refuse_newer(self) -> None:
        """Raise WorkspaceError for a workspace of a newer program: for what has to know all of it,
        such as a copy or verification."""
        if self.is_newer:
            raise explain(StoreError("newer_read_only", self._store.place))

    def set_group_access(self, shared: bool) -> None:
        """Let the group of the workspace's folder read and write it, or its owner alone.

        Only what the program made: in a folder that it did not, the folder stays as it is.
        """
        database = _path(self.place)
        beside = [database.with_name(f"{database.name}{end}") for end in ("", "-wal", "-shm")]
        folders = [self.runs, self.releases, self.place.folder / "public"]
        for path in (*beside, *folders, self.place.folder / "cache"):
            if path.exists():
                set_group_access(path, shared)
        if database.name == DATABASE:
            self.place.folder.chmod(0o2770 if shared else 0o700)

    @property
    def has_logins(self) -> bool:
        """Whether the logins of a server decide who acts, and its database holds up what each may
        do. Older workspaces on a server are not so yet: see ``core.workflow.logins.secure``."""
        return self._store.login is not None and self._store.login.secured

    @property
    def login(self) -> str:
        """The login under which this is open on a server; empty for a file."""
        return self._store.login.name if self._store.login is not None else ""

    def compact(self) -> bool:
        """Rewrite the database, without what was deleted or replaced in it; False where others
        hold it and it stays as it was."""
        from db.copies import compacting

        try:
            with _in_words():
                compacting.compact(self._store)
        except WorkspaceError:
            return False
        return True

    @property
    def is_server(self) -> bool:
        """Whether the database is a PostgreSQL server rather than a file."""
        return self.place.is_server

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One consistent view; database trouble comes out as WorkspaceError."""
        with _in_words(), self._store.reading() as session:
            session.info[WORKS_HERE] = self.person
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction; database trouble comes out as WorkspaceError."""
        with _in_words(), self._store.writing() as session:
            session.info[WORKS_HERE] = self.person
            yield session
        self._record(ledger.appended(session))

    @property
    def has_steps(self) -> bool:
        """Whether its server does a reviewer's steps, each in one statement: ``stepping``."""
        login = self._store.login
        return login is not None and login.steps and not self.is_read_only

    @contextmanager
    def stepping(self) -> Iterator[Session]:
        """Statements that are each a transaction of their own; where it ``has_steps``."""
        with _in_words(), self._store.stepping() as session:
            yield session
        self._record(ledger.appended(session))

    def settle(self) -> None:
        """Wait until all that was read of the ledger is on the server's disk, before something that
        leaves the workspace says so: a server that stops just now may lose the last moment of what
        others see of a decision that nobody was told of."""
        if self.has_steps:
            with self.stepping() as session:
                single_steps.on_disk(session)

    @contextmanager
    def recording(self) -> Iterator[list[Appended]]:
        """What the transactions within wrote, one entry each, in this thread."""
        entries: list[Appended] = []
        token = _RECORDS.set(entries)
        try:
            yield entries
        finally:
            _RECORDS.reset(token)

    def note(self, kind: EventKind) -> None:
        """Say that something changed outside the database, such as the folder of a run."""
        self._record(Appended(frozenset((str(kind),))))

    def _record(self, entry: Appended | None) -> None:
        entries = _RECORDS.get()
        if entries is not None and entry is not None:
            entries.append(entry)

    def listen(self) -> LedgerListener:
        """A connection of its own that hears when the ledger moves; of a workspace whose server
        has logins. Raises what ``reading`` raises."""
        with _in_words():
            return self._store.listen()

    def refuse_damage(self) -> None:
        """Raise WorkspaceError where the database is damaged; looks at all of it.

        For what nobody foresaw: a value that no program of ours writes is met anywhere.
        """
        if detail := damage(self._store):
            raise explain(StoreError("damaged", self._store.place, detail))

    def refuse_incomplete(self) -> None:
        """Raise WorkspaceError where a table or column of the database is not there; reads no
        row."""
        with _in_words(), self._store.reading() as session:
            if detail := next(newer_schema.lacking(session.connection()), ""):
                raise StoreError("damaged", self._store.place, detail)

    def watch_commits(self) -> None:
        """Let ``version`` tell of commits: for a window, which asks all the time."""
        if self._commits is None and not self.place.is_server:
            self._commits = CommitWatch(Path(self.place.database))

    def version(self) -> int | None:
        """A number that is another one after every commit of anybody; None where nobody watches,
        and where only reading tells, as on a server."""
        return self._commits.version() if self._commits is not None else None

    def close(self) -> None:
        """Give the database connections back."""
        if self._commits is not None:
            self._commits.close()
        self._store.close()


def shown_address(location: str | Path) -> str:
    """A location as it may be shown and stored: an address without its password."""
    text = str(location)
    return addresses.without_password(text) if "://" in text else text


def has_password(location: str | Path) -> bool:
    """Whether a location is an address with a password in it, which a command line may not have."""
    text = str(location)
    return "://" in text and bool(addresses.password_in(text))


_LONGEST_INVITATION = 20_000  # characters


def server_address(address: str, user: str, password: str) -> str:
    """The address of a team's database, as it is opened: with the user and the password in it.

    ``address`` may leave out ``postgresql://``, the port and the user. InputError for one without
    a host or a database.
    """
    try:
        return addresses.server_address(address.strip(), user, password)
    except ValueError as error:
        raise InputError.tr(
            "“{address}” is not the address of a PostgreSQL database. Write it as "
            "postgresql://SERVER:PORT/DATABASE.",
            address=shown_address(address.strip()),
        ) from error


def invited_to(text: str) -> str:
    """The address of a team's database in what somebody was given: the address itself, the text of
    an invitation, or the path of a file with it. A text without an address stays as it is."""
    path = Path(text.strip().removeprefix("file://")).expanduser()
    try:
        if "://" not in text.removeprefix("file://") and path.is_file():
            with path.open(encoding="utf-8") as file:
                return addresses.address_in(file.read(_LONGEST_INVITATION))
    except (OSError, ValueError):
        pass
    return addresses.address_in(text)


def without_login(address: str) -> str:
    """An address without the user and the password in it; what is none stays as it is."""
    return addresses.without_login(address)


def login_in(address: str) -> str:
    """The login that an address names; empty for none."""
    return addresses.user_in(address)


def with_password(location: str, password: str) -> str:
    """An address with a password, to open it in this process."""
    return addresses.with_password(location, password)


def _with_kept_password(place: WorkspaceLocation) -> WorkspaceLocation:
    """The address with the password that the keyring has for it; PostgreSQL's own client looks
    into ``PGPASSWORD`` and ``PGPASSFILE`` itself."""
    address = place.database
    if not place.is_server or addresses.password_in(address) or "PGPASSWORD" in os.environ:
        return place
    kept = system_keyring.kept(address)
    return replace(place, database=addresses.with_password(address, kept)) if kept else place


def _want_lead() -> NoReturn:
    raise RightsError.tr("Name the lead who works under your login: benchseal init --lead NAME")


def _tell_of_logins(session: Session, lead: str) -> None:
    event = ledger.NewEvent(EventKind.WORKSPACE, lead, data={"logins": True})
    ledger.append(session, event)


def add_first_lead(session: Session, name: str, account: str = "") -> None:
    """Make a person the lead of a workspace that has none, with this account: on a server with
    the login, or another that is named."""
    server = logins.login_in(session)
    own = login() if server is None or not server.secured else server.name
    account = account or own
    person = people.named(session, name)
    others = people.of_account(session, account)
    data: dict[str, Any] = {"role": Role.LEAD.value}
    if others is None or others.name == name:
        data["account"] = account
    if person is None:
        people.add(session, name, Role.LEAD, data.get("account"))
    else:
        people.set_role(session, person.id, Role.LEAD)
        people.set_active(session, person.id, True)
        people.set_account(session, person.id, data.get("account", person.account))
        data |= {"before": person.role, "active": True}
    ledger.append(session, ledger.NewEvent(EventKind.PERSON, name, subject=name, data=data))


@contextmanager
def _private_database(place: WorkspaceLocation) -> Iterator[None]:
    """An empty file that its owner alone can open, in which SQLite makes the database: what lies
    beside it gets the same mode. Removed where nothing came of it."""
    path = _path(place)
    if place.is_server or path.exists() or is_network_share(path):
        yield
        return
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError:
        yield  # the store says why
        return
    try:
        yield
    except BaseException:
        if path.stat().st_size == 0:
            path.unlink()
        raise


def _path(place: WorkspaceLocation) -> Path:
    return Path(place.database)


def _explain_missing(place: WorkspaceLocation, location: Path) -> None:
    """A file that is given as a folder, or nothing at all, each gets its own sentence."""
    if location.is_file():
        trouble = StoreError("not_a_database", str(location))
        raise explain(trouble) from trouble
    raise NotFoundError.tr(
        "There is no workspace at “{path}”. Create one: benchseal --workspace {quoted} init",
        path=place.folder,
        quoted=shlex.quote(str(place.folder)),
    )


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        raise explain(error) from error
    except sqlite3.Error as error:
        raise WorkspaceError.tr("Workspace database error: {reason}.", reason=str(error)) from error
