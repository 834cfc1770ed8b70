"""Scores of several runs as one table, or compared pair by pair: ``benchseal report RUN RUN …``."""

import argparse
from typing import TYPE_CHECKING, Any

from core.cli.commands import open_workspace
from core.cli.console import Console, columns
from core.errors import UsageError
from core.text import tr

if TYPE_CHECKING:
    from core.agreement.report_table import ReportTable
    from core.evaluation.scoring import Report


def add_arguments(parser: Any) -> None:
    """What a table of runs takes beside the first run."""
    parser.add_argument("more", metavar="RUN", nargs="*")
    parser.add_argument(
        "--by", choices=("format", "domain", "format_domain", "instruction"), default=""
    )
    parser.add_argument(
        "--compare", action="store_true", help=tr("compare every pair of runs, item by item")
    )


def is_wanted(arguments: argparse.Namespace) -> bool:
    """Whether a table is asked for rather than the scores of one run."""
    asked = (arguments.more, arguments.by, arguments.compare, arguments.csv, arguments.latex)
    return any(asked)


def run_report(arguments: argparse.Namespace, console: Console) -> None:
    """Print the table; UsageError for a comparison of fewer than two runs."""
    from core.evaluation.compare import compare_many
    from core.evaluation.tables import comparison_table, score_table

    names = list(dict.fromkeys([arguments.run, *arguments.more]))
    if arguments.compare and len(names) < 2:
        raise UsageError(tr("A comparison needs at least two runs."))
    reports = _reports(arguments, console, names)
    document: dict[str, Any] = {"runs": {name: one.as_json() for name, one in reports.items()}}
    if arguments.compare:
        found = compare_many(reports)
        table = comparison_table(found)
        document["comparisons"] = [one.as_json() for one in found]
    else:
        table = score_table(reports, arguments.by or "format")
    if arguments.csv:
        console.write(table.to_csv())
    elif arguments.latex:
        console.write(table.to_latex())
    else:
        console.emit(document, _text(table))


def _reports(
    arguments: argparse.Namespace, console: Console, names: list[str]
) -> "dict[str, Report]":
    """The reports by model, or by model and run where a model ran more than once."""
    from core.workflow import evaluate

    ws = open_workspace(arguments, console)
    try:
        found = [evaluate.report(ws, name, partial=arguments.partial) for name in names]
    finally:
        ws.close()
    models = [one.model for one in found]
    if len(set(models)) == len(models):
        return dict(zip(models, found, strict=True))
    return {f"{one.model} · {one.origin['run']}": one for one in found}


def _text(table: "ReportTable") -> str:
    rows = [[table.text_of(cell) for cell in row] for row in table.rows]
    return "\n".join([table.title, columns(rows, table.columns), *table.notes])
