"""``adjudicate``: the disagreements, and deciding one."""

import argparse
from dataclasses import asdict
from typing import Any

from core.cli.commands import add_command, open_workspace
from core.cli.console import Console, columns
from core.cli.options import add_benchmark, add_item, add_verdict, reason_and_note, verdict_of
from core.errors import UsageError
from core.i18n import tr


def _add_adjudicate(commands: Any) -> None:
    parser = add_command(
        commands,
        "adjudicate",
        tr("adjudicate a disputed item; without ITEM, list them"),
        _adjudicate,
    )
    add_item(parser, "?")
    add_benchmark(parser)
    add_verdict(parser.add_mutually_exclusive_group())


def _adjudicate(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import adjudicate
    from core.workflow.labels import ITEM_STATES, VERDICT_NAMES, word

    decided = arguments.accept or arguments.reject is not None or arguments.note is not None
    if decided and arguments.item is None:
        raise UsageError.tr("Give the item to adjudicate.")
    ws = open_workspace(arguments, console)
    if arguments.item is None:
        _list_disputed(adjudicate.disputed(ws, arguments.user, arguments.benchmark), console)
    elif not decided:
        _show_disputed(adjudicate.disputed_card(ws, arguments.user, arguments.item), console)
    else:
        reason, note = reason_and_note(arguments, ws)
        done = adjudicate.settle(
            ws,
            arguments.user,
            arguments.item,
            verdict_of(arguments),
            reason=reason,
            note=note,
        )
        document = {"item": done.number, "verdict": done.verdict, "state": done.state,
                    "event": done.event}  # fmt: skip
        text = tr(
            "#{number}: {verdict}, now {state}.",
            number=done.number,
            verdict=word(VERDICT_NAMES, done.verdict),
            state=word(ITEM_STATES, done.state),
        )
        console.emit(document, text)


def _list_disputed(lines: Any, console: Console) -> None:
    table = columns([(line.id, line.task) for line in lines], ("#", tr("task")))
    disputes = [{"item": line.id, "task": line.task} for line in lines]
    document = {"count": len(disputes), "items": disputes}
    console.emit(document, table if lines else tr("No disputed items."))


def _show_disputed(shown: Any, console: Console) -> None:
    document = {
        "item": shown.card.number,
        "task": shown.card.task,
        "payload": dict(shown.card.content.payload),
        "opinions": [asdict(opinion) for opinion in shown.opinions],
    }
    rows = [(opinion.verdict, opinion.reason or opinion.note) for opinion in shown.opinions]
    console.emit(document, columns(rows))


COMMANDS = (_add_adjudicate,)
