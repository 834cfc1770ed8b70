"""``duplicates``: items of a task that are nearly the same."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, consenting, number, open_to_look
from core.cli.console import Console, columns
from core.cli.options import add_task
from core.i18n import tr, trn

if TYPE_CHECKING:
    pass


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
    ws = open_to_look(arguments, console, Action.SEE_ITEMS)
    with consenting(console, arguments.base_url):
        report = duplicates.find(
            ws,
            arguments.task,
            arguments.benchmark,
            threshold=DEFAULT_THRESHOLD if arguments.threshold is None else arguments.threshold,
            public=arguments.public,
            server=server,
            meaning_threshold=DEFAULT_MEANING_THRESHOLD if meaning is None else meaning,
        )
    pairs = [*report.within, *report.published]
    shown = [(pair.left, pair.right, f"{pair.similarity:.2f}") for pair in pairs[:50]]
    summary = tr(
        "Compared {items} with each other and with {published}: {pairs} with a similarity of "
        "{threshold} or more.",
        items=trn("1 item", "{n} items", report.compared),
        published=trn("1 published item", "{n} published items", report.against),
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
    console.emit(asdict(report), "\n".join(lines))


COMMANDS = (_add_duplicates,)
