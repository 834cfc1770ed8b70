"""Every command line that README and help write down is one that the program takes."""

import argparse
import re
import shlex
from functools import cache

import pytest

from core.cli.parser import build_parser
from tests.e2e.written_lines import LINES, is_literal


@cache
def whole_grammar() -> argparse.ArgumentParser:
    """The grammar of all commands, which nothing here changes."""
    return build_parser()


def faults(line: str) -> list[str]:
    """What the grammar does not know of a command line; optional parts stand in brackets."""
    words = shlex.split(re.sub(r"[\[\]…]", " ", line).replace("|", " "))
    parser: argparse.ArgumentParser = whole_grammar()
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
