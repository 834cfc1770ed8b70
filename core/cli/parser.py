"""The command line's grammar, put together from the command modules."""

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from core.cli import (
    agreement,
    analyze,
    dashboards,
    evaluate,
    freeze_report,
    generate,
    gold,
    import_items,
    items,
    ledger,
    rewrite,
    runs,
    second_look,
    simulate,
    splits,
    stages,
    submit,
    tasks,
    workspaces,
)
from core.i18n import tr

Add = Callable[[Any], None]

MODULES: tuple[Any, ...] = (
    workspaces,
    generate,
    rewrite,
    tasks,
    submit,
    import_items,
    items,
    second_look,
    stages,
    gold,
    ledger,
    freeze_report,
    evaluate,
    splits,
    runs,
    agreement,
    dashboards,
    analyze,
    simulate,
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
