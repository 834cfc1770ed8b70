"""Every command line that README and help write down is one that the program takes."""

import argparse
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cli.parser import GROUPS, build_parser
from tests.paths import ROOT

PAGES = (ROOT / "README.md", *sorted((ROOT / "resources" / "help").glob("*.md")))
NAMES = {name for names in GROUPS.values() for name in names}
SPAN = re.compile(r"`([^`\n]+)`")


def written(page: Path) -> Iterator[str]:
    """The command lines of a page, without the program's own name.

    In a row of README's table the first one begins with ``benchseal``, the others may leave it out.
    """
    for line in page.read_text(encoding="utf-8").splitlines():
        row = line.startswith("|") and page.name == "README.md"
        for span in SPAN.findall(line):
            first, _, rest = span.partition(" ")
            if first in ("benchseal", ".venv/bin/benchseal") and rest:
                yield rest
            elif row and first in NAMES and "make" not in line:
                yield span


LINES = sorted({line for page in PAGES for line in written(page)})


def faults(line: str) -> list[str]:
    """What the grammar does not know of a command line; optional parts stand in brackets."""
    words = shlex.split(re.sub(r"[\[\]…]", " ", line).replace("|", " "))
    parser: argparse.ArgumentParser = build_parser()
    found: list[str] = []
    option: argparse.Action | None = None
    while words:
        word = words.pop(0)
        below = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
        if word.startswith("-"):
            option = parser._option_string_actions.get(word.partition("=")[0])
            if option is None:
                found.append(f"{parser.prog} has no {word}")
        elif option is not None and option.nargs != 0:
            if option.choices and is_literal(word) and word not in option.choices:
                found.append(f"{option.option_strings[-1]} takes no {word}")
            option = option if option.nargs in ("*", "+") else None
        elif below and word in below[0].choices:
            parser = below[0].choices[word]
        elif below:
            found += [f"{parser.prog} has no {word}"] if is_literal(word) else []
        elif not any(not a.option_strings for a in parser._actions):
            found.append(f"{parser.prog} takes no {word}")
    return found


def is_literal(word: str) -> bool:
    """Whether a word stands for itself, and not for what somebody puts in its place."""
    return bool(re.fullmatch("[a-z][a-z0-9-]*", word))


def test_there_are_command_lines() -> None:
    assert len(LINES) > 100


@pytest.mark.parametrize("line", LINES)
def test_the_program_takes_a_written_command_line(line: str) -> None:
    assert faults(line) == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("split stats NAME", "benchseal split has no stats"),
        ("freeze NAME --public NAME2", "benchseal freeze has no --public"),
        ("check FILE --format yaml", "--format takes no yaml"),
        ("verify FILE", "benchseal verify takes no FILE"),
    ],
)
def test_a_line_that_the_program_would_refuse_is_found(line: str, fault: str) -> None:
    assert faults(line) == [fault]
