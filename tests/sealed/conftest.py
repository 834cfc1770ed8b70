"""A workspace with a split of private items, and a search for them in every byte of it."""

from collections.abc import Iterator
from pathlib import Path

import pyrage
import pytest

from core.sealing.archive import Locks, Unlocking
from core.workflow import people
from core.workflow.sealing import locked_archives
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.splits import lifecycle
from core.workflow.workspace import Workspace
from tests.postgres import PostgresServer
from tests.sealed.byte_search import ByteFinding, ByteSearch
from tests.sealed.private_items import ITEMS
from tests.sealed.team_place import TeamPlace
from tests.splits import freeze_split

LEAD = "王"
SPLIT = "s"
SEARCH = ByteSearch(tuple(str(text) for item in ITEMS for text in item.payload.values()))


class SealedPlace:
    """A workspace below ``root``, whose split is sealed and opened, and everything beside it."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root, self.home = root, home
        self.ws = Workspace.create(root / "workspace")
        people.ensure_person(self.ws, LEAD, "lead")
        freeze_split(self.ws, {"诗": ITEMS}, SPLIT)

    def seal(self, policy: str = "") -> None:
        """Seal the split by an archive, and open it."""
        self.identity = pyrage.x25519.Identity.generate()
        self.lock_up(Locks((str(self.identity.to_public()),)), policy=policy)
        lifecycle.open_split(self.ws, SPLIT, LEAD, "the evaluation of July", "m", self.unlocking)

    def lock_up(self, locks: Locks, shares: Path | None = None, policy: str = "") -> None:
        """Seal the split by an archive."""
        order = SealOrder(self.root / "s.sealed", locks, shares, policy=policy)
        self.locked = locked_archives.seal(self.ws, SPLIT, LEAD, order)

    @property
    def unlocking(self) -> Unlocking:
        """What opens the archive."""
        return Unlocking((str(self.identity),))

    def found(self, *more: Path) -> list[ByteFinding]:
        """Where words of the items are, the database of the workspace included."""
        return SEARCH.folders(self.root, self.home, *more)


@pytest.fixture
def sealed(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SealedPlace]:
    """The place, with temporary files of every process in it."""
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", None)
    place = SealedPlace(tmp_path, home)
    yield place
    place.ws.close()


@pytest.fixture
def place(
    pg_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TeamPlace]:
    """A team's workspace in a database of its own."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    database = pg_server.create()
    made = TeamPlace(pg_server, database, tmp_path)
    yield made
    made.ws.close()
    made.admin.close()
    pg_server.drop(database)
