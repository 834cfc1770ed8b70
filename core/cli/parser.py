"""The command line's grammar, put together from the command modules."""

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from core.cli import (
    analyses,
    analysing,
    dashboards,
    evaluating,
    golds,
    importing,
    items,
    making,
    records,
    releasing,
    rewriting,
    running,
    second_looks,
    simulating,
    splits,
    stages,
    tasks,
    workspaces,
    writing,
)
from core.text import tr

Add = Callable[[Any], None]

MODULES: tuple[Any, ...] = (
    workspaces,
    making,
    rewriting,
    tasks,
    writing,
    importing,
    items,
    second_looks,
    stages,
    golds,
    records,
    releasing,
    evaluating,
    splits,
    running,
    analysing,
    dashboards,
    analyses,
    simulating,
)


class Parser(argparse.ArgumentParser):
    """An argument parser that complains in one line and ends with 2."""

    def error(self, message: str) -> NoReturn:
        """Say what is off with the usage."""
        self.exit(2, f"{self.prog}: {message}\n")


def build_parser() -> argparse.ArgumentParser:
    """The whole grammar."""
    parser = Parser(
        prog="benchseal",
        description=tr("Make private benchmarks for language models and keep them honest."),
    )
    parser.add_argument(
        "--workspace",
        metavar="W",
        help=tr("folder, database file or postgresql:// address of the workspace"),
    )
    commands = parser.add_subparsers(metavar=tr("COMMAND"), required=True, parser_class=Parser)
    for module in MODULES:
        for add in module.COMMANDS:
            add(commands)
    return parser
