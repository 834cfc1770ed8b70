"""What every command of the command line promises, asked of the whole registry."""

import argparse
import contextlib
import re
from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from core.cli import main
from core.cli.parser import GROUPS, build_parser, group_module
from core.i18n import language, set_language


def leaves(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The commands below a parser that take no further command."""
    below = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if not below:
        yield parser
    for action in below:
        for command in action.choices.values():
            yield from leaves(command)


@cache
def grammar(code: str) -> Mapping[str, argparse.ArgumentParser]:
    """Each command's grammar by its name, in a language, which nothing here changes."""
    spoken = language()
    try:
        set_language(code)
        return {c.prog.removeprefix("benchseal "): c for c in leaves(build_parser())}
    finally:
        set_language(spoken)


COMMANDS = sorted(grammar("en"))
EVERY = pytest.mark.parametrize("name", COMMANDS)


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_has_a_title_and_commands(name: str) -> None:
    group = group_module(name)
    assert group.TITLE
    assert group.COMMANDS
    assert group.__doc__


@EVERY
def test_a_command_has_a_handler_and_json(name: str) -> None:
    command = grammar("en")[name]
    assert callable(command.get_default("handler"))
    assert "--json" in command._option_string_actions


@EVERY
def test_a_wrong_value_is_refused_in_words_of_its_own(name: str) -> None:
    for action in grammar("en")[name]._actions:
        if action.type is not None:
            # of any other error argparse says the name of the function
            with contextlib.suppress(argparse.ArgumentTypeError):
                action.type("such a value")


@EVERY
def test_help_is_printed_in_both_languages(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    spoken = language()
    said = {}
    try:
        for code in ("en", "zh"):
            set_language(code)
            with pytest.raises(SystemExit) as ended:
                grammar(code)[name].parse_args(["--help"])
            assert ended.value.code == 0
            said[code] = capsys.readouterr().out
    finally:
        set_language(spoken)
    assert said["en"] != said["zh"]
    assert re.search("[一-鿿]", said["zh"])


@EVERY
def test_an_unknown_option_is_one_line_and_2(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*name.split(), "--no-such-option"])
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == 1


def test_what_is_missing_names_nothing_that_may_be_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    parser = build_parser()
    wrong = {}
    for command in leaves(parser):
        spare = {a.metavar for a in command._actions if a.nargs == "*" and not a.option_strings}
        with contextlib.suppress(SystemExit):
            parser.parse_args(command.prog.split()[1:])
        _, _, missing = capsys.readouterr().err.partition("arguments are required: ")
        if named := spare & set(missing.partition(" (see")[0].split(", ")):
            wrong[command.prog] = named
    assert wrong == {}
