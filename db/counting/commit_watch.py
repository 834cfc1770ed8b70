"""Whether anybody committed anything to a SQLite file: told without reading its tables."""

import sqlite3
from pathlib import Path
from threading import Lock

from db.engine import reading_address


class CommitWatch:
    """A connection of its own to a SQLite file, which only looks whether the file is as it was.

    For any thread. ``close`` it before the other connections: the last one to be closed brings the
    log into the file, and this one may write nothing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    def version(self) -> int | None:
        """A number that is another one after every commit, of whatever process and thread; None
        where it cannot be had."""
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = sqlite3.connect(
                        reading_address(self._path), uri=True, isolation_level=None,
                        check_same_thread=False,
                    )  # fmt: skip
                return int(self._connection.execute("PRAGMA data_version").fetchone()[0])
            except sqlite3.Error:
                return None

    def close(self) -> None:
        """Give the connection back; a later look opens another."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
