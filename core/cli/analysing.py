"""Commands that measure: agreement."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace, the_benchmark
from core.cli.console import Console, columns
from core.text import tr

if TYPE_CHECKING:
    from core.agreement.base import CoefficientResult


def _add_agreement(commands: Any) -> None:
    parser = add_command(commands, "agreement", tr("agreement of the reviewers"), _agreement)
    parser.add_argument("--benchmark", metavar="B")


def _agreement(arguments: argparse.Namespace, console: Console) -> None:
    from core.agreement.serialise import results_to_json
    from core.workflow import measure

    ws = open_workspace(arguments, console)
    benchmark = the_benchmark(ws, arguments.benchmark)
    found = measure.agreement(ws, benchmark)
    ws.close()
    document = {"benchmark": benchmark, "coefficients": results_to_json(found.coefficients)}
    console.emit(document, agreement_text(found.coefficients))


def agreement_text(results: "Sequence[CoefficientResult]") -> str:
    """Coefficients as a table for people, with the reason where one is undefined."""
    rows = [
        (
            result.title,
            "–" if result.value is None else f"{result.value:.4f}",
            "" if result.low is None else f"[{result.low:.4f}, {result.high:.4f}]",
            result.items,
            result.raters,
            result.undefined or result.word or "",
        )
        for result in results
    ]
    header = (tr("coefficient"), tr("value"), tr("interval"), tr("items"), tr("raters"), "")
    notes = dict.fromkeys(note for result in results for note in result.notes)
    return "\n".join([columns(rows, header), *notes])


COMMANDS = (_add_agreement,)
