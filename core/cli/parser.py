"""The command line's grammar, put together from the command groups."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NoReturn

from core.cli import usage
from core.i18n import tr
from core.own_process import own_version

GROUPS: Mapping[str, tuple[str, ...]] = {
    "workspace": (
        "init", "workspace", "gui", "demo", "people", "assign", "task", "keys", "config", "doctor",
        "backup", "restore", "copy",
    ),
    "production": (
        "fetch", "generate", "rewrite", "knowledge", "import", "submit", "revise", "check",
        "duplicates",
    ),
    "review": (
        "screen", "gate", "queue", "decide", "sample", "rate", "adjudicate", "gold", "audit",
        "my-work", "question", "unsure", "outbox", "package",
    ),
    "items": (
        "items", "show", "undo", "history", "reveal", "verify", "anchor", "second-look",
        "suspect-keys", "erratum",
    ),
    "monitor": ("agreement", "dashboard", "alarm"),
    "splits": ("plan-size", "freeze", "export", "split", "seal", "unseal", "pack",
               "evaluate-pack", "exposures", "organisation"),
    "evaluation": (
        "evaluate", "engines", "matrix", "answer", "judge", "import-results", "sign-score",
        "verify-score", "track", "run", "runs",
    ),
    "analysis": ("report", "analyze", "simulate"),
}  # fmt: skip
"""The packages of commands, each with the names of its commands: one is imported for one command,
all of them for the help."""


class Parser(argparse.ArgumentParser):
    """An argument parser that complains in one line and ends with 2."""

    def format_help(self) -> str:
        """The help, the colon behind a Chinese heading of full width; argparse has but its own."""
        return usage.with_full_colons(super().format_help())

    def error(self, message: str) -> NoReturn:
        """Say what is off with the usage, and where all of it is listed."""
        told = tr("{command}: {wrong} (see: {command} --help)", command=self.prog, wrong=message)
        self.exit(2, f"{told}\n")

    def _match_argument(self, action: argparse.Action, arg_strings_pattern: str) -> int:
        """How many words an option takes; of one before a word with a hyphen how that is given."""
        try:
            return super()._match_argument(action, arg_strings_pattern)
        except argparse.ArgumentError as error:
            if not (action.option_strings and arg_strings_pattern.startswith("O")):
                raise
            hint = tr("{wrong}; a text that begins with a hyphen is written as {option}=TEXT",
                      wrong=error.message, option=action.option_strings[-1])  # fmt: skip
            raise argparse.ArgumentError(action, hint) from error

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Of a command that is not there the ones that may be meant, not the whole list."""
        commands = _commands_of(action)
        if commands and value not in commands:
            parts = {
                name: [part for own in parser._actions for part in _commands_of(own)]
                for name, parser in commands.items()
            }
            self.exit(2, usage.no_command(str(value), self.prog, parts) + "\n")
        super()._check_value(action, value)


def _commands_of(action: argparse.Action) -> Mapping[str, argparse.ArgumentParser]:
    """The commands among which an argument chooses; empty for any other argument."""
    return action.choices if isinstance(action, argparse._SubParsersAction) else {}


class _Version(argparse.Action):
    """Prints the version of the installed program; looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        sys.stdout.write(f"{parser.prog} {own_version() or tr('from its source')}\n")
        parser.exit()


class MainParser(Parser):
    """The parser of ``benchseal`` itself, whose help lists the commands under headings."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.groups: list[tuple[str, list[argparse.Action]]] = []

    def format_help(self) -> str:
        """Usage, the commands of each group, and the options."""
        formatter = self._get_formatter()
        formatter.add_text(self.description)
        for title, commands in self.groups:
            formatter.start_section(title)
            formatter.add_arguments(commands)
            formatter.end_section()
        formatter.start_section(self._optionals.title)
        formatter.add_arguments(self._optionals._group_actions)
        formatter.end_section()
        return usage.with_full_colons(f"{self.format_usage()}\n{formatter.format_help()}")


def _refuse_early_option(parser: MainParser, arguments: Sequence[str]) -> None:
    """Refuse an option of a command, such as ``--user``, that stands before the command."""
    own = [name for action in parser._actions for name in action.option_strings]
    for option in _before_command(arguments)[0]:
        if not any(name.startswith(option) for name in own):
            parser.error(tr("{option} is written behind the command", option=option))


def _before_command(arguments: Sequence[str]) -> tuple[list[str], str]:
    """(the options before the command, the command or nothing)."""
    options: list[str] = []
    words = iter(arguments)
    for word in words:
        if not word.startswith("-"):
            return options, word
        option, equals, _ = word.partition("=")
        options.append(option)
        if option.startswith("--w") and not equals:
            next(words, "")
    return options, ""


def group_module(name: str) -> Any:
    """The package of one of ``GROUPS``, with its ``TITLE`` and its ``COMMANDS``."""
    return import_module(f"core.cli.{name}")


def groups_for(arguments: Sequence[str]) -> tuple[str, ...]:
    """The groups whose grammar reads these arguments: that of the command, or all of them."""
    options, command = _before_command(arguments)
    own = tuple(name for name, commands in GROUPS.items() if command in commands)
    return own if own and all(one.startswith("--w") for one in options) else tuple(GROUPS)


def build_parser(arguments: Sequence[str] = ()) -> MainParser:
    """The grammar that reads these arguments; all of it where they name no command."""
    usage.translate_argparse()
    parser = MainParser(
        prog="benchseal",
        description=tr("Make private benchmarks for language models and keep them honest."),
    )
    parser.add_argument("--version", action=_Version, nargs=0, default=argparse.SUPPRESS,
                        help=tr("print the version"))  # fmt: skip
    parser.add_argument(
        "--workspace",
        metavar="W",
        help=tr("folder, database file or postgresql:// address of the workspace"),
    )
    commands = parser.add_subparsers(metavar=tr("COMMAND"), required=True, parser_class=Parser)
    for group in map(group_module, groups_for(arguments)):
        known = set(commands.choices)
        for add in group.COMMANDS:
            add(commands)
        lines = [
            argparse.Action([], dest=name, metavar=name, help=command.description)
            for name, command in commands.choices.items()
            if name not in known
        ]
        parser.groups.append((tr(group.TITLE), lines))
    _refuse_early_option(parser, arguments)
    return parser
