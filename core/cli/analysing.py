"""Commands that measure: agreement."""

import argparse
from typing import Any

from core.cli.commands import add_command, open_workspace, the_benchmark
from core.cli.console import Console
from core.text import tr


def _add_agreement(commands: Any) -> None:
    parser = add_command(commands, "agreement", tr("agreement of the reviewers"), _agreement)
    parser.add_argument("--benchmark", metavar="B")


def _agreement(arguments: argparse.Namespace, console: Console) -> None:
    from core.agreement.report import as_json, as_text
    from core.workflow import measure

    ws = open_workspace(arguments, console)
    benchmark = the_benchmark(ws, arguments.benchmark)
    found = measure.agreement(ws, benchmark)
    ws.close()
    document = {"benchmark": benchmark, "coefficients": as_json(found.coefficients)}
    console.emit(document, as_text(found.coefficients))


COMMANDS = (_add_agreement,)
