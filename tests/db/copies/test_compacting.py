"""Rewriting a database takes no memory that grows with it, and leaves nothing elsewhere."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from core.workflow.workspace import Workspace
from tests.paths import ROOT

COMPACT = """
import os, resource, sys
from contextlib import closing
from pathlib import Path

from db.copies.compacting import compact
from db.engine import Store, sqlite_url

places, folder = set(), Path(sys.argv[1])


def look():
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        if "etilqs" in target:
            places.add(os.path.dirname(target))
    return 0


store = Store.open(sqlite_url(folder / "workspace.db"))
with closing(store.engine.raw_connection()) as pooled:
    pooled.driver_connection.set_progress_handler(look, 20)
compact(store)
assert places == {str(folder)}, places
with closing(store.engine.raw_connection()) as pooled:
    assert pooled.driver_connection.execute("PRAGMA temp_store").fetchone() == (2,)
    assert not pooled.driver_connection.execute("PRAGMA temp_store_directory").fetchone()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def _filled(folder: Path, megabytes: int) -> Path:
    """A workspace with so much in it."""
    Workspace.create(folder).close()
    with closing(sqlite3.connect(folder / "workspace.db")) as database:
        database.execute("CREATE TABLE filler (content BLOB)")
        for _ in range(megabytes):
            database.execute("INSERT INTO filler VALUES (?)", (os.urandom(2**20),))
        database.commit()
    return folder


@pytest.mark.slow
def test_what_has_no_room_lies_beside_the_database_and_not_in_memory(tmp_path: Path) -> None:
    peak = []
    for size in (100, 260):
        folder = _filled(tmp_path / str(size), size)
        done = subprocess.run(
            [sys.executable, "-c", COMPACT, str(folder)], capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        peak.append(int(done.stdout))
        assert not list(folder.glob("etilqs*"))
    assert peak[1] - peak[0] < 60, peak
