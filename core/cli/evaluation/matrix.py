"""``evaluate SPLIT SPLIT …`` and ``matrix``: several models on several splits as one job."""

import argparse
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace, the_person
from core.cli.console import Console
from core.cli.evaluation.judge import wait_for_judge
from core.cli.options import add_tables, print_tables, table_text
from core.errors import UsageError
from core.i18n import tr, trn

if TYPE_CHECKING:
    from core.evaluation.params import EvaluateParams
    from core.workflow.workspace import Workspace

_LOOK_EVERY_S = 2.0  # seconds between two looks at a job that is waited for


def one_split(arguments: argparse.Namespace) -> bool:
    """Whether one split was named, which then is ``arguments.name``; all are ``splits``.

    UsageError for what is done on one split only.
    """
    arguments.splits = list(arguments.name)
    arguments.name = arguments.splits[0]
    if len(arguments.splits) == 1:
        return True
    if arguments.adaptive or arguments.engine == "people":
        raise UsageError.tr("--adaptive and --engine people take one split.")
    return False


def start(
    arguments: argparse.Namespace, console: Console, ws: "Workspace", params: "EvaluateParams"
) -> int:
    """Start the job, and wait for it where that was asked for; 1 where a cell failed."""
    from core.workflow.evaluation import matrix
    from core.workflow.runs import runs

    folder = matrix.start_matrix(
        ws,
        arguments.splits,
        list(dict.fromkeys(arguments.model)),
        params,
        shards=arguments.shards,
        launcher=arguments.launcher,
        gpus=arguments.gpus,
        person=the_person(ws),
    )
    run = folder.spec().id
    if not arguments.wait:
        console.emit({"run": run, "state": runs.info(ws, run).state},
                     tr("Started run {run}. To see its scores: benchseal matrix {run}", run=run)
                     )  # fmt: skip
        return 0
    _wait(ws, run, console)
    found = matrix.board(ws, run)
    console.emit(found.as_json(), table_text(matrix.board_table(found)))
    if found.error:
        console.complain(found.error)
    return 0 if found.state == "finished" else 1


def _wait(ws: "Workspace", run: str, console: Console) -> None:
    """Take the cells in as they are finished, until no worker is left; then wait for the judge."""
    from core.workflow.evaluation import matrix
    from core.workflow.runs import runs, take_in

    taken_in, over = 0, False
    while not over:
        over = not runs.wait_some(ws, run, _LOOK_EVERY_S)
        if new := matrix.take_in_cells(ws, run):
            taken_in += new
            console.say(trn("1 cell is finished.", "{n} cells are finished.", taken_in))
    for cell in matrix.board(ws, run).cells:
        if (judging := runs.judging_of(ws, cell.run)) is not None:
            wait_for_judge(ws, judging.id)
            take_in.take_in(ws, cell.run)
    if runs.info(ws, run).state == "finished":
        take_in.take_in(ws, run)


def _add_matrix(commands: Any) -> None:
    text = tr("show how a job of several models and splits is doing, with its scores")
    parser = add_command(commands, "matrix", text, _matrix)
    parser.add_argument("run", metavar="RUN", nargs="?", default="",
                        help=tr("run; default: the newest matrix"))  # fmt: skip
    add_tables(parser)


def _matrix(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.evaluation import matrix

    ws = open_workspace(arguments, console)
    found = matrix.board(ws, arguments.run)
    table = matrix.board_table(found)
    if not print_tables(arguments, console, table):
        text = "\n".join(filter(None, (table_text(table), found.error)))
        console.emit(found.as_json(), text)


COMMANDS = (_add_matrix,)
