"""A workspace with a split of private items, and a search for them in every byte of it."""

import random
from collections.abc import Iterator
from pathlib import Path

import pyrage
import pytest

from core.families.base import ItemContent
from core.sealing.archive import Locks, Unlocking
from core.workflow import people
from core.workflow.sealing import locked_archives
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.splits import lifecycle
from core.workflow.workspace import Workspace
from tests.sealed.byte_search import ByteFinding, ByteSearch
from tests.splits import freeze_split

LEAD = "王"
SPLIT = "s"
COUNT = 12
_DRAW = random.Random(3)
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("ar", "el", "in", "o", "um")]


def _words(count: int) -> str:
    return " ".join("".join(_DRAW.choices(_SYLLABLES, k=3)) for _ in range(count))


def private_item(number: int) -> ItemContent:
    """An item of words that are nowhere else, with its number."""
    chinese = "".join(_DRAW.choices("春夏秋冬山川风月花鸟鱼虫云雨雷电", k=30))
    payload = {
        "instruction": f"Continue “{_words(12)}” in your own words.",
        "input": f"item-{number}: {_words(20)}. {chinese}",
        "output": _words(14),
    }
    return ItemContent("instruction", "triplet", payload, domain="zh")


ITEMS = tuple(private_item(number) for number in range(COUNT))
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
