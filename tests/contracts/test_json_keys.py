"""The page of what ``--json`` prints has every command, and its keys are words of the program."""

import re
from collections.abc import Iterator

import pytest

from tests.contracts.test_commands import COMMANDS
from tests.e2e.json_keys import Keys, blocks, named_keys, read_keys, strange
from tests.paths import ROOT

SILENT = {"gui"}  # it opens the window


def test_every_command_is_on_the_page() -> None:
    assert set(COMMANDS) - set(named_keys()) == SILENT


def test_both_languages_have_the_same_keys() -> None:
    assert blocks("en") == blocks("zh")


def every(keys: Keys) -> Iterator[str]:
    for name, (_, inner) in keys.items():
        yield name
        yield from every(inner)


@pytest.fixture(scope="module")
def words() -> set[str]:
    """Every word of the source, in which a document's keys stand as fields or texts."""
    files = (path for room in ("core", "db") for path in (ROOT / room).rglob("*.py"))
    return {word for path in files for word in re.findall(r"\w+", path.read_text("utf-8"))}


@pytest.mark.parametrize("command", sorted(named_keys()))
def test_each_key_is_a_word_of_the_program(command: str, words: set[str]) -> None:
    def is_made_of_words(name: str) -> bool:
        places = [place.start() for place in re.finditer("_", name)]
        return any({name[:at], name[at + 1 :]} <= words for at in places)

    found = set(every(named_keys()[command]))
    assert {name for name in found - words if not is_made_of_words(name)} == set()


@pytest.mark.parametrize(
    ("document", "wrong"),
    [
        ({"a": 1, "rows": [{"b": None}], "by": {"x": {"y": 1}}}, []),
        ({"c": 1}, ["c"]),
        ({"rows": [{"b": 1}, {"d": 2}]}, ["rows[.d"]),
        ({"a": [1]}, ["a["]),
        ({"rows": {"b": 1}}, ["rows{"]),
        ({"rows": None}, []),
    ],
)
def test_what_the_page_does_not_name_is_found(
    document: dict[str, object], wrong: list[str]
) -> None:
    assert list(strange(document, read_keys("a rows[b] by{}"))) == wrong
