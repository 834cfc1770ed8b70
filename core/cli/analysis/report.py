"""``report``: the scores of evaluation runs, named reports and the report site."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.analysis import named_reports, score_tables
from core.cli.commands import add_command, open_workspace
from core.cli.console import Console
from core.errors import UsageError
from core.i18n import tr, trn

if TYPE_CHECKING:
    pass


def _add_report(commands: Any) -> None:
    parser = add_command(
        commands,
        "report",
        tr("report the scores of an evaluation run, or: report site for all runs"),
        _report,
    )
    parser.add_argument("run", metavar="RUN|site|coreeval-human|cif-human",
                        help=tr("evaluation run, or name of a report"))  # fmt: skip
    named_reports.add_arguments(parser)
    score_tables.add_arguments(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help=tr("folder for the site"))
    parser.add_argument("--public", nargs="+", metavar="SOURCE", default=[],
                        help=tr("public scores for the site"))  # fmt: skip
    parser.add_argument(
        "--partial",
        action="store_true",
        help=tr("score the answers there are, even if some are missing"),
    )


def _report(arguments: argparse.Namespace, console: Console) -> None:
    if arguments.run == "site":
        _site(arguments, console)
        return
    if named_reports.is_named(arguments.run):
        named_reports.run_report(arguments, console)
        return
    score_tables.run_report(arguments, console)


def _site(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.analysis import report_site

    if arguments.out is None:
        raise UsageError.tr("Give the folder of the site with --out.")
    if arguments.more:
        raise UsageError.tr("The site contains all finished runs; do not name any.")
    ws = open_workspace(arguments, console)
    site = report_site.site(ws, arguments.out, public=arguments.public)
    console.emit(
        {"page": str(site.page), "files": list(site.files)},
        trn(
            "Wrote 1 file; open {page}.",
            "Wrote {n} files; open {page}.",
            len(site.files),
            page=site.page,
        ),
    )


COMMANDS = (_add_report,)
