"""A SQLite workspace as one file that nobody writes to: with its backup API, while others work."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy.exc import DBAPIError

from db import ledger
from db.damage import damage
from db.engine import Store, reading_address, sqlite_url
from db.errors import StoreError


def save(database: Path, place: Path) -> None:
    """Write the present state of a SQLite database to a new file, durably, as one file.

    Writers go on meanwhile. Raises StoreError as ``Store.open`` does.
    """
    part = place.with_name(f".{place.name}.part")
    part.unlink(missing_ok=True)
    part.touch(0o600)
    try:
        with (
            closing(sqlite3.connect(reading_address(database), uri=True)) as source,
            closing(sqlite3.connect(part)) as target,
        ):
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")
        with part.open("rb+") as handle:
            os.fsync(handle.fileno())
        part.rename(place)
    except sqlite3.Error as error:
        full = "full" in str(error) or "disk i/o" in str(error).lower()
        raise StoreError("disk_full" if full else "damaged", str(place), str(error)) from error
    finally:
        part.unlink(missing_ok=True)


def holds_event(place: Path, number: int, digest: str) -> bool:
    """Whether the ledger in a file has the event with that number and hash; False for what cannot
    be read."""
    try:
        with closing(sqlite3.connect(reading_address(place), uri=True)) as saved:
            found = saved.execute("SELECT hash FROM event WHERE id = ?", (number,)).fetchone()
    except sqlite3.Error:
        return False
    return found is not None and found[0] == digest


def examine(place: Path) -> tuple[int, str]:
    """(number of the newest event, what is wrong: the first fault, empty for none) of a file that
    should be a workspace's; reads all of it.

    One of an older program is brought up to date in a copy, which is examined; ``place`` itself is
    never changed. Raises StoreError for what is not a workspace, or of a newer program.
    """
    try:
        store = Store.open_read_only(sqlite_url(place))
    except StoreError as error:
        if error.trouble != "older_schema":
            raise
        return _examine_upgraded(place)
    try:
        if fault := damage(store):
            return 0, fault
        with store.reading() as session:
            broken = ledger.broken_links(session)
            return ledger.tip(session), f"event {broken[0]}" if broken else ""
    except DBAPIError as error:
        return 0, str(error.orig)
    finally:
        store.close()


def _examine_upgraded(place: Path) -> tuple[int, str]:
    with TemporaryDirectory(prefix="benchseal-") as folder:
        copy = Path(folder) / place.name
        save(place, copy)
        try:
            Store.open(sqlite_url(copy)).close()
        except StoreError as error:
            if error.trouble != "damaged":
                raise
            return 0, error.detail
        except (DBAPIError, ValueError) as error:  # a migration met what it cannot read
            return 0, str(error).partition("\n")[0]
        return examine(copy)


def is_in_use(database: Path) -> bool:
    """Whether another process has a SQLite database open; a damaged one counts as not."""
    try:
        with closing(sqlite3.connect(database, timeout=1)) as connection:
            # only the last connection may leave the mode of a log
            connection.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.OperationalError as error:
        return "locked" in str(error)
    except sqlite3.Error:
        return False
    return False
