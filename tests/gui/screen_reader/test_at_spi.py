"""What a screen reader on the AT-SPI bus meets in the real program: names, roles, reading order."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.gui.scene import LEAD, SECOND
from tests.gui.screen_reader import at_spi
from tests.gui.screen_reader.at_spi import CHECKED, Node, Reader, nameless, reads_backwards

PLANTED = Path(__file__).with_name("planted_window.py")
PLACES = {
    LEAD: {
        "Write", "Review", "Adjudicate", "Rate", "Answer", "Audit", "My work", "Items", "Progress",
        "Agreement", "Gate", "People", "Audit dashboard", "Team", "Sources", "Splits", "Runs",
        "Scores", "Compare", "Leaderboard",
    },
    SECOND: {"Write", "Review", "Rate", "Items"},
}  # fmt: skip
"""What each person goes to, by the action of its entry in the list of places."""

pytestmark = pytest.mark.slow


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[dict[str, str]]:
    if lacks := at_spi.missing():
        pytest.skip(f"not installed: {lacks}")
    with at_spi.desktop(tmp_path / "run") as environment:
        yield environment


@contextmanager
def program(desk: dict[str, str], *arguments: str) -> Iterator[tuple[Reader, int]]:
    """The program at its window, and a reader beside it."""
    process = subprocess.Popen([sys.executable, *arguments], env=desk)
    try:
        reader = Reader(desk)
        try:
            yield reader, process.pid
        finally:
            reader.close()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def entry(tree: Node, place: str) -> Node:
    """The entry of a place in the window's list of places."""
    return next(node for node in tree.walk() if node.name == place and node.role == at_spi.ONE_OF)


def faults(where: str, tree: Node) -> list[str]:
    return [f"{where}: {fault}" for fault in (*nameless(tree), *reads_backwards(tree))]


@pytest.mark.parametrize(
    ("which", "person"), [("place", LEAD), ("place", SECOND), ("full_place", LEAD)]
)
def test_a_reader_finds_every_control_of_every_place_named_and_in_order(
    desk: dict[str, str], which: str, person: str, request: pytest.FixtureRequest
):
    workspace = request.getfixturevalue(which)
    window = ("-m", "core.cli", "--workspace", str(workspace), "gui", "--user", person)
    found: list[str] = []
    with program(desk, *window) as (reader, pid):
        tree = reader.until_shown(pid, lambda node: node.name == "Review")
        for place in sorted(PLACES[person]):
            reader.press(entry(tree, place))
            tree = reader.until_shown(
                pid, lambda node, place=place: node.name == place and CHECKED in node.states
            )
            found += faults(place, tree)
    assert "\n".join(found) == ""


def test_a_reader_finds_every_control_of_the_start_page_named_and_in_order(desk: dict[str, str]):
    with program(desk, "-m", "core.cli", "gui") as (reader, pid):
        tree = reader.until_shown(pid, lambda node: node.name == "Start")
        assert "\n".join(faults("start page", tree)) == ""


def test_a_control_that_nobody_named_is_found(desk: dict[str, str], small_place: Path):
    with program(desk, str(PLANTED), str(small_place), LEAD) as (reader, pid):
        tree = reader.until_shown(pid, lambda node: node.name == "Accept")
        [fault] = nameless(tree)
        assert "push button" in fault
