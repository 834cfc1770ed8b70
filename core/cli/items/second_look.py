"""The command for items that deserve a second look: asking for one, listing, ending."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace
from core.cli.console import Console, columns
from core.cli.options import add_benchmark, item_number
from core.errors import UsageError
from core.i18n import tr, trn

if TYPE_CHECKING:
    from core.workflow.analysis.second_look import SecondLookRequest
    from core.workflow.evaluation.item_results import MissedItem
    from core.workflow.workspace import Workspace

_SHOWN = 10


def _add_second_look(commands: Any) -> None:
    text = tr("request a second look at decided items, or list the items waiting for one")
    parser = add_command(commands, "second-look", text, _second_look)
    parser.add_argument("items", metavar="ITEM", nargs="*", type=item_number,
                        help=tr("item numbers; if omitted, list the items waiting"))  # fmt: skip
    parser.add_argument("--missed-alike", metavar="SPLIT", default="",
                        help=tr("items on which strong models give the same wrong "
                                "answer"))  # fmt: skip
    parser.add_argument("--model", metavar="M", action="append", default=[],
                        help=tr("models that count as strong"))  # fmt: skip
    parser.add_argument("--note", metavar="WORDS", default="",
                        help=tr("what to look at, or the result"))  # fmt: skip
    parser.add_argument("--done", action="store_true", help=tr("the second look is done"))
    add_benchmark(parser)


def _second_look(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.analysis import second_look

    requesting = bool(arguments.items or arguments.missed_alike)
    if arguments.done and (arguments.missed_alike or not arguments.items):
        raise UsageError(tr("Give the items whose second look is done."))
    ws = open_workspace(arguments, console)
    if not requesting:
        _list(console, second_look.requests(ws, arguments.benchmark, viewer=arguments.user))
        return
    missed = _missed(ws, arguments)
    done = second_look.run_for_numbers(
        ws,
        "looked_again" if arguments.done else "second_look",
        [*arguments.items, *(one.number for one in missed)],
        arguments.user,
        arguments.note or (tr("Strong models agree on another answer.") if missed else ""),
        missed,
    )
    named = " ".join(f"#{number}" for number in done.changed)
    lines = [
        tr("Second look done: {items}.", items=named)
        if arguments.done
        else tr("Waiting for a second look: {items}.", items=named)
    ]
    lines += [f"  {count} · {why}" for why, count in done.cannot.items()]
    console.emit(asdict(done), "\n".join(lines))


def _missed(ws: "Workspace", arguments: argparse.Namespace) -> "Sequence[MissedItem]":
    from core.workflow.evaluation import item_results

    if not arguments.missed_alike:
        return ()
    return item_results.missed_alike(
        ws, arguments.missed_alike, viewer=arguments.user, models=arguments.model
    )


def _list(console: Console, requests: "Sequence[SecondLookRequest]") -> None:
    rows = [
        (one.number, one.benchmark, one.task, one.by, one.at[:10], one.note, one.answer,
         ", ".join(one.models), " ".join(f"#{number}" for number in one.again))
        for one in requests
    ]  # fmt: skip
    heads = ("#", tr("benchmark"), tr("task"), tr("who"), tr("when"), tr("note"), tr("answered"),
             tr("by"), tr("reappears as"))  # fmt: skip
    text = columns(rows, heads) if rows else tr("No items are waiting for a second look.")
    console.emit({"count": len(requests), "items": [asdict(one) for one in requests]}, text)


def tell_of_doubted(ws: "Workspace", benchmark: str, console: Console) -> None:
    """Say which items of a benchmark have the text of one that waits for a second look."""
    from core.workflow.analysis import second_look

    doubted = second_look.repeated_texts(ws, benchmark)
    if doubted:
        named = " ".join(f"#{number}" for number in list(doubted)[:_SHOWN])
        console.say(
            trn(
                "1 item has the same text as an item waiting for a second look: {items}. "
                "For the reason, run benchseal second-look.",
                "{n} items have the same text as an item waiting for a second look: "
                "{items}. For the reasons, run benchseal second-look.",
                len(doubted),
                items=named,
            )
        )


COMMANDS = (_add_second_look,)
