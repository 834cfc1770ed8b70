"""The workspace: one database and one folder for runs and releases."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path

from core.errors import InputError, NotFoundError, WorkspaceError
from core.i18n import tr
from db import ledger
from db.engine import Session, Store, sqlite_url
from db.errors import StoreError
from db.ledger import Appended
from db.vocabulary import EventKind

DATABASE = "workspace.db"
_RECORDS: ContextVar[list[Appended] | None] = ContextVar("records", default=None)


def default_location() -> Path:
    """``BENCHSEAL_WORKSPACE``, else a folder in the user's data directory."""
    if location := os.environ.get("BENCHSEAL_WORKSPACE"):
        return Path(location)
    return user_data_path("benchseal") / "workspace"


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
            folder = Path(base) if base else user_data_path("benchseal") / name
            return cls(text, folder, True)
        path = Path(text).expanduser().absolute()
        if path.suffix in (".db", ".sqlite", ".sqlite3") and not path.is_dir():
            return cls(str(path), path.parent, False)
        return cls(str(path / DATABASE), path, False)


class Workspace:
    """An open workspace. Thread-safe: every use case opens one short session of its own."""

    def __init__(self, place: WorkspaceLocation, store: Store) -> None:
        self.place = place
        self._store = store

    @classmethod
    def exists(cls, location: str | Path) -> bool:
        """Whether there is something at a location that could be a workspace."""
        place = WorkspaceLocation.of(location)
        return place.is_server or Path(place.database).exists()

    @classmethod
    def open(cls, location: str | Path) -> "Workspace":
        """Open a workspace; WorkspaceError or NotFoundError says what is wrong with it."""
        place = WorkspaceLocation.of(location)
        if not place.is_server and not Path(place.database).exists():
            _explain_missing(place, Path(location))
        with _in_words():
            store = Store.open(place.database if place.is_server else sqlite_url(_path(place)))
        return cls(place, store)

    @classmethod
    def open_read_only(cls, location: str | Path) -> "Workspace":
        """Open a workspace so that nothing can be written to it, and an older one is not migrated.

        Raises what ``open`` raises, and WorkspaceError for an older workspace.
        """
        place = WorkspaceLocation.of(location)
        if not place.is_server and not Path(place.database).exists():
            _explain_missing(place, Path(location))
        with _in_words():
            url = place.database if place.is_server else sqlite_url(_path(place))
            return cls(place, Store.open_read_only(url))

    @classmethod
    def create(cls, location: str | Path) -> "Workspace":
        """Make a new workspace; its folder may exist, its database must not."""
        place = WorkspaceLocation.of(location)
        try:
            place.folder.mkdir(parents=True, exist_ok=True)
            _path(place).parent.mkdir(parents=True, exist_ok=True) if not place.is_server else None
        except OSError as error:
            raise WorkspaceError(
                tr(
                    "Could not create the folder “{path}”: {reason}. Choose another folder.",
                    path=place.folder,
                    reason=error.strerror or str(error),
                )
            ) from error
        with _in_words():
            store = Store.create(place.database if place.is_server else sqlite_url(_path(place)))
        workspace = cls(place, store)
        with workspace.writing() as session:
            ledger.append(session, ledger.NewEvent(EventKind.WORKSPACE_MADE, ""))
        return workspace

    @property
    def runs(self) -> Path:
        """The folder of all run folders."""
        return self.place.folder / "runs"

    @property
    def releases(self) -> Path:
        """The folder of frozen splits."""
        return self.place.folder / "releases"

    @property
    def title(self) -> str:
        """What people call this workspace: its folder's or its database's name."""
        return self.place.folder.name if not self.place.is_server else self._store.place

    @property
    def is_server(self) -> bool:
        """Whether the database is a PostgreSQL server rather than a file."""
        return self.place.is_server

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One consistent view; database trouble comes out as WorkspaceError."""
        with _in_words(), self._store.reading() as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction; database trouble comes out as WorkspaceError."""
        with _in_words(), self._store.writing() as session:
            yield session
        self._record(ledger.appended(session))

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

    def close(self) -> None:
        """Give the database connections back."""
        self._store.close()


def _path(place: WorkspaceLocation) -> Path:
    return Path(place.database)


def _explain_missing(place: WorkspaceLocation, location: Path) -> None:
    """A file that is given as a folder, or nothing at all, each gets its own sentence."""
    if location.is_file():
        raise WorkspaceError(
            tr("“{path}” is not a Benchseal workspace but another kind of file.", path=location)
        )
    raise NotFoundError(
        tr(
            "There is no workspace at “{path}”. Create one: benchseal --workspace “{path}” init",
            path=place.folder,
        )
    )


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        raise explain(error) from error
    except sqlite3.Error as error:
        raise WorkspaceError(
            tr("Workspace database error: {reason}.", reason=str(error))
        ) from error


def explain(error: StoreError) -> Exception:
    """A store's trouble as an error for people."""
    place, detail = error.place, error.detail
    sentences = {
        "exists": tr("A workspace already exists at “{place}”.", place=place),
        "not_found": tr("There is no workspace at “{place}”.", place=place),
        "not_a_database": tr(
            "“{place}” is not a Benchseal workspace but another kind of file.", place=place
        ),
        "not_a_workspace": tr(
            "“{place}” is the database of another program, not a Benchseal workspace.", place=place
        ),
        "newer_schema": tr(
            "Workspace “{place}” was written by a newer version of Benchseal. Update "
            "Benchseal to open it.",
            place=place,
        ),
        "older_schema": tr(
            "The workspace “{place}” was written by an older Benchseal and can only be read after "
            "it is brought up to date. Open it once: benchseal --workspace “{place}” items",
            place=place,
        ),
        "damaged": tr(
            "Workspace “{place}” is damaged: {detail}. Restore it from a backup.",
            place=place,
            detail=detail,
        ),
        "read_only": tr(
            "Cannot write to workspace “{place}”. Check the permissions of the file, its "
            "folder and the disk.",
            place=place,
        ),
        "disk_full": tr(
            "The disk of workspace “{place}” is full or failing; nothing was changed. Free "
            "some space and try again.",
            place=place,
        ),
        "locked": tr(
            "Another program has been using workspace “{place}” for too long; nothing was "
            "changed. Try again.",
            place=place,
        ),
        "network_share": tr(
            "Workspace “{place}” is on a network share, where it would be damaged if "
            "several people used it at once. Put it on a local disk, or use a PostgreSQL "
            "server for a team.",
            place=place,
        ),
        "unreachable": tr(
            "The database server of “{place}” does not answer: {detail}", place=place, detail=detail
        ),
        "refused": tr("Access to “{place}” was refused: {detail}", place=place, detail=detail),
    }
    kind = InputError if error.trouble == "refused" else WorkspaceError
    if error.trouble == "unreachable":
        return _outside(sentences["unreachable"])
    return kind(sentences[error.trouble])


def _outside(message: str) -> Exception:
    from core.errors import OutsideError

    return OutsideError(message)
