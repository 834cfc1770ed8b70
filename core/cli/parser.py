"""The command line's grammar, put together from the command groups."""

import argparse
from typing import Any, NoReturn

from core.cli import (
    analysis,
    evaluation,
    items,
    monitor,
    production,
    review,
    splits,
    workspace,
)
from core.i18n import tr

GROUPS: tuple[Any, ...] = (
    workspace,
    production,
    review,
    items,
    monitor,
    splits,
    evaluation,
    analysis,
)


class Parser(argparse.ArgumentParser):
    """An argument parser that complains in one line and ends with 2."""

    def error(self, message: str) -> NoReturn:
        """Say what is off with the usage."""
        self.exit(2, f"{self.prog}: {message}\n")


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
        return f"{self.format_usage()}\n{formatter.format_help()}"


def build_parser() -> MainParser:
    """The whole grammar."""
    parser = MainParser(
        prog="benchseal",
        description=tr("Make private benchmarks for language models and keep them honest."),
    )
    parser.add_argument(
        "--workspace",
        metavar="W",
        help=tr("folder, database file or postgresql:// address of the workspace"),
    )
    commands = parser.add_subparsers(metavar=tr("COMMAND"), required=True, parser_class=Parser)
    for group in GROUPS:
        known = set(commands.choices)
        for add in group.COMMANDS:
            add(commands)
        lines = [
            argparse.Action([], dest=name, metavar=name, help=command.description)
            for name, command in commands.choices.items()
            if name not in known
        ]
        parser.groups.append((tr(group.TITLE), lines))
    return parser
