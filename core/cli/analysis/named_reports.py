"""The named reports of ``benchseal report``: coreeval-human and cif-human."""

import argparse
from pathlib import Path
from typing import Any

from core.cli.commands import open_workspace, the_benchmark
from core.cli.console import Console
from core.cli.options import add_benchmark, add_tables, add_task_choice, print_tables, table_text
from core.i18n import tr


def add_arguments(parser: Any) -> None:
    """What the named reports take beside their name."""
    add_benchmark(parser)
    add_task_choice(parser)
    add_tables(parser)
    parser.add_argument(
        "--html",
        type=Path,
        metavar="FILE",
        help=tr("coreeval-human, cif-human: write an HTML page"),
    )


def is_named(name: str) -> bool:
    """Whether ``report`` was asked for one of these rather than for a run."""
    return name in ("coreeval-human", "cif-human")


def run_report(arguments: argparse.Namespace, console: Console) -> None:
    """Print or write one named report."""
    from core.files import write_atomic
    from core.workflow.dashboards.agreement_query import Scope
    from core.workflow.dashboards.named_reports import report

    ws = open_workspace(arguments, console)
    benchmark = the_benchmark(ws, arguments.benchmark)
    written = report(ws, arguments.run, Scope(benchmark=benchmark, task=arguments.task))
    table = written.table
    if arguments.html is not None:
        write_atomic(arguments.html, table.to_html(), for_others=True)
    if print_tables(arguments, console, table):
        return
    document = {
        "report": arguments.run,
        "title": table.title,
        "columns": list(table.columns),
        "rows": [list(row) for row in table.rows],
        "notes": list(table.notes),
        "coefficients": [
            {"group": group, **result.as_json()}
            for group, result in zip(written.groups, written.results, strict=True)
        ],
        "checked_with": written.checked_with,
    }
    console.emit(document, table_text(table))
