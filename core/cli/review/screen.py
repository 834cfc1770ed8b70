"""``screen``: letting a language model score drafts."""

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, consenting, number, open_workspace, the_benchmark
from core.cli.console import Console, columns
from core.cli.options import (
    add_benchmark,
    add_budget,
    add_concurrency,
    add_no_wait,
    add_shards,
)
from core.errors import OutsideError, StateError, UsageError
from core.i18n import tr, trn

if TYPE_CHECKING:
    from core.jobs.folder import RunFolder
    from core.screening.run import PrescreenParams
    from core.workflow.workspace import Workspace


def _add_screen(commands: Any) -> None:
    parser = add_command(commands, "screen", tr("screen drafts with a language model"), _screen)
    add_benchmark(parser)
    parser.add_argument("--base-url", required=True, metavar="U", help=tr("address of the server"))
    parser.add_argument("--model", required=True, metavar="M", help=tr("model on the server"))
    parser.add_argument("--threshold", type=number, default=6.0, metavar="T",
                        help=tr("items with a lower score are screened out"))  # fmt: skip
    add_concurrency(parser, 8)
    add_budget(parser)
    add_shards(parser)
    add_no_wait(parser)
    parser.add_argument(
        "--after",
        metavar="RUN",
        default="",
        help=tr("screen what this generation makes, as soon as it has ended"),
    )
    parser.add_argument("--task", metavar="T", default="", help=tr("only drafts of this task"))
    parser.add_argument(
        "--retry-failed",
        action="store_true",
        help=tr("only drafts that had no usable reply before"),
    )


def _screen(arguments: argparse.Namespace, console: Console) -> None:
    from core.screening.run import PrescreenParams
    from core.workflow.check import screen
    from core.workflow.runs import runs, take_in

    if arguments.after and (arguments.benchmark or arguments.task or arguments.retry_failed):
        raise UsageError.tr(
            "--after screens what one run generates, without --benchmark, --task or --retry-failed."
        )
    if not 0 <= arguments.threshold <= 10:
        raise UsageError.tr("--threshold must be a number from 0 to 10.")
    ws = open_workspace(arguments, console)
    params = PrescreenParams(
        base_url=arguments.base_url,
        model=arguments.model,
        threshold=arguments.threshold,
        concurrency=arguments.concurrency,
        budget_tokens=arguments.budget_tokens,
    )
    folder = _started(ws, arguments, params, console)
    run_id = folder.spec().id
    if arguments.no_wait:
        console.emit({"run": run_id}, run_id)
        return
    info = runs.wait(ws, run_id)
    if info.state == "finished":
        take_in.take_in(ws, run_id)
    elif info.error:
        if not info.done and not arguments.after:
            screen.close(ws, run_id)  # nothing was asked: the drafts are free again
        raise OutsideError(info.error)
    counted = {"run": run_id, **screen.counts(ws, run_id)}
    console.emit(counted, _counts_text(counted))
    if info.state != "finished":
        raise StateError.tr(
            "Run {run} is not finished; repeat the command to continue.", run=run_id
        )


def _started(
    ws: "Workspace", arguments: argparse.Namespace, params: "PrescreenParams", console: Console
) -> "RunFolder":
    from core.workflow.check import screen, screen_after
    from core.workflow.rights import Action

    with consenting(console, arguments.base_url):
        if arguments.after:
            folder = screen_after.start(
                ws,
                arguments.after,
                params,
                launcher=arguments.launcher,
                shards=arguments.shards,
            )
            console.say(
                tr(
                    "Screening what run {other} generates (run {run}).",
                    other=folder.spec().after,
                    run=folder.spec().id,
                )
            )
            return folder
        folder = screen.start(
            ws,
            the_benchmark(ws, arguments.benchmark, Action.MAKE_ITEMS),
            params,
            arguments.task,
            only_failed=arguments.retry_failed,
            launcher=arguments.launcher,
            shards=arguments.shards,
        )
    spec = folder.spec()
    console.say(
        trn(
            "Screening 1 item (run {run}).",
            "Screening {n} items (run {run}).",
            spec.total,
            run=spec.id,
        )
    )
    return folder


def _counts_text(counted: Mapping[str, Any]) -> str:
    from core.workflow.labels import RUN_FIGURES, word

    figures = {name: value for name, value in counted.items() if isinstance(value, int)}
    return columns([(word(RUN_FIGURES, name), value) for name, value in figures.items()])


COMMANDS = (_add_screen,)
