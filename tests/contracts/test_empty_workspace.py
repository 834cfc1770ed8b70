"""A workspace with nothing in it: every command says so in a line, and what to do first."""

import argparse
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from core.cli import main
from core.cli.parser import build_parser
from core.workflow import people
from core.workflow.workspace import Workspace
from tests.contracts.test_commands import COMMANDS, leaves

ABSENT = "no-such"
PARSERS = {command.prog.removeprefix("benchseal "): command for command in leaves(build_parser())}
LEFT_OUT = {"gui", "demo", "init"}
"""Commands that open a window or make a workspace."""
ADVICE = {
    "benchmark": "benchseal task add NAME",
    "task": "benchseal task add NAME",
    "split": "benchseal freeze NAME",
}
"""What to do first, where one of these is not there."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that one lead has made just now."""
    place = tmp_path_factory.mktemp("template") / "empty"
    ws = Workspace.create(place)
    people.ensure_person(ws, "Li", "lead")
    ws.close()
    return place


@pytest.fixture
def empty(template: Path, tmp_path: Path) -> Path:
    """A copy of it for each command, since some commands add to it."""
    shutil.copytree(template, tmp_path / "empty")
    return tmp_path / "empty"


def needed(name: str) -> list[str]:
    """The command with everything it asks for, none of which there is."""
    words = name.split()
    for action in PARSERS[name]._actions:
        is_asked = action.required or (not action.option_strings and action.nargs not in ("?", "*"))
        if not is_asked or action.dest == "help":
            continue
        words += action.option_strings[-1:]
        if action.nargs != 0:
            words.append(_value(action))
    for group in PARSERS[name]._mutually_exclusive_groups:
        if group.required:
            first = next(a for a in group._group_actions if a.option_strings)
            words += [first.option_strings[-1], *([] if first.nargs == 0 else [_value(first)])]
    return words


def _value(action: argparse.Action) -> str:
    if action.choices:
        return str(next(iter(action.choices)))
    return ABSENT if action.type in (None, str) else "7"


def tries(name: str) -> Iterator[list[str]]:
    """The command bare, and with each absent thing that it can be told of."""
    yield needed(name)
    for option in ("--benchmark", "--task", "--split"):
        if option in PARSERS[name]._option_string_actions and option not in needed(name):
            yield [*needed(name), option, ABSENT]


def said(
    words: Sequence[str], empty: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    user = ["--user", "Li"] if "--user" not in words else []
    try:
        code = main(["--workspace", str(empty), *words, *user])
    except SystemExit as end:
        code = int(end.code or 0)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - LEFT_OUT))
def test_what_is_not_there_is_said_in_one_line_with_what_to_do_first(
    name: str, empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for words in tries(name):
        code, out, err = said(words, empty, capsys)
        assert code in (0, 1, 2, 3), words
        assert "Available: –" not in err + out, words
        assert len(err.splitlines()) <= 1, (words, err)
        for what, advice in ADVICE.items():
            if f"There is no {what} “" in err or f"has no {what} yet" in err:
                assert "yet" in err, words
                assert advice in err, words
