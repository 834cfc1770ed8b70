"""``duplicates``: items of a task that are nearly the same."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import (
    add_command,
    consenting,
    number,
    open_to_look,
    open_workspace,
)
from core.cli.console import Console, columns
from core.cli.options import add_shards, add_task
from core.errors import UsageError
from core.i18n import tr, trn

if TYPE_CHECKING:
    from core.workflow.production.duplicates import DuplicateReport


def _add_duplicates(commands: Any) -> None:
    parser = add_command(
        commands, "duplicates", tr("find near-duplicate items of a task"), _duplicates
    )
    add_task(parser)
    parser.add_argument("--threshold", type=number, metavar="X", help=tr("similarity, from 0 to 1"))
    parser.add_argument(
        "--public", type=Path, metavar="FILE", help=tr("also compare with a published file")
    )
    parser.add_argument(
        "--base-url", metavar="U", default="", help=tr("embeddings server, to compare by meaning")
    )
    parser.add_argument("--model", metavar="M", default="", help=tr("model on the server"))
    add_shards(parser)
    parser.add_argument(
        "--meaning-threshold", type=number, metavar="X", help=tr("cosine similarity, from 0 to 1")
    )


def _duplicates(arguments: argparse.Namespace, console: Console) -> None:
    from core.llm.types import ModelServer
    from core.screening.near_duplicates import DEFAULT_MEANING_THRESHOLD, DEFAULT_THRESHOLD
    from core.workflow.production import duplicates
    from core.workflow.rights import Action

    server = duplicates.embedding_server()
    if arguments.base_url:
        server = ModelServer(arguments.base_url, arguments.model)
    meaning = arguments.meaning_threshold
    threshold = DEFAULT_THRESHOLD if arguments.threshold is None else arguments.threshold
    if arguments.launcher != "local" or arguments.shards > 1:
        _print(_from_runs(arguments, console, threshold), console)
        return
    ws = open_to_look(arguments, console, Action.SEE_ITEMS)
    with consenting(console, arguments.base_url):
        report = duplicates.find(
            ws,
            arguments.task,
            arguments.benchmark,
            threshold=threshold,
            public=arguments.public,
            server=server,
            meaning_threshold=DEFAULT_MEANING_THRESHOLD if meaning is None else meaning,
        )
    _print(report, console)


def _from_runs(
    arguments: argparse.Namespace, console: Console, threshold: float
) -> "DuplicateReport":
    """The same of runs, for which the workspace is opened to write."""
    from core.workflow.production import duplicate_jobs

    if arguments.base_url or arguments.meaning_threshold is not None:
        raise UsageError.tr("Runs compare texts, not meanings: --base-url needs --launcher local.")
    return duplicate_jobs.find(
        open_workspace(arguments, console),
        arguments.task,
        arguments.benchmark,
        threshold=threshold,
        public=arguments.public,
        launcher=arguments.launcher,
        shards=arguments.shards,
        say=console.say,
    )


def _print(report: "DuplicateReport", console: Console) -> None:
    pairs = [*report.within, *report.published]
    shown = [(pair.left, pair.right, f"{pair.similarity:.2f}") for pair in pairs[:50]]
    summary = tr(
        "Compared {items} with each other and with {published}: {pairs} with a similarity of "
        "{threshold} or more.",
        items=trn("1 item", "{n} items", report.compared),
        published=trn("1 item elsewhere", "{n} items elsewhere", report.against),
        pairs=trn("1 pair", "{n} pairs", len(pairs)),
        threshold=report.threshold,
    )
    lines = [*([columns(shown)] if shown else []), summary]
    if report.model:
        meant = [*report.meant, *report.meant_published]
        rows = [(pair.left, pair.right, f"{pair.similarity:.2f}") for pair in meant[:50]]
        lines += [columns(rows)] if rows else []
        lines.append(
            trn(
                "1 further pair has the same meaning, according to {model}.",
                "{n} further pairs have the same meaning, according to {model}.",
                len(meant),
                model=report.model,
            )
        )
    if report.left_out:
        lines.append(
            trn(
                "1 item of a frozen split was left out: its text is not written to a run folder.",
                "{n} items of frozen splits were left out: their texts are not written to a run "
                "folder.",
                report.left_out,
            )
        )
    console.emit(asdict(report), "\n".join(lines))


COMMANDS = (_add_duplicates,)
