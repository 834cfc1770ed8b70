"""Commands for gold items, whose right verdict is known: marking them, and lifting a pause."""

import argparse
from typing import Any

from core.cli.commands import add_command, add_group, open_workspace
from core.cli.console import Console
from core.cli.options import add_item
from core.i18n import tr


def _add_gold(commands: Any) -> None:
    text = tr("gold items: items with a known answer, mixed in to check reviewers")
    verbs = add_group(commands, "gold", text, tr("WHAT"))
    marked = add_command(verbs, "mark", tr("mark a decided item as gold"), _mark)
    add_item(marked)
    verdict = marked.add_mutually_exclusive_group(required=True)
    verdict.add_argument("--accept", action="store_true", help=tr("the correct decision is accept"))
    verdict.add_argument("--reject", action="store_true", help=tr("the correct decision is reject"))
    ended = add_command(verbs, "unmark", tr("stop using an item as gold"), _unmark)
    add_item(ended)
    lifted = add_command(
        verbs, "lift", tr("lift the pause of a reviewer who missed too many gold items"), _lift
    )
    lifted.add_argument("reviewer", metavar="REVIEWER", help=tr("paused reviewer"))


def _mark(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import gold

    verdict = "accept" if arguments.accept else "reject"
    ws = open_workspace(arguments, console)
    gold.mark(ws, arguments.user, arguments.item, verdict)
    console.emit(
        {"item": arguments.item, "gold": verdict},
        tr(
            "#{number} is now gold; the correct decision is {verdict}.",
            number=arguments.item,
            verdict=verdict,
        ),
    )


def _unmark(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import gold

    ws = open_workspace(arguments, console)
    gold.unmark(ws, arguments.user, arguments.item)
    console.emit(
        {"item": arguments.item, "gold": None},
        tr("#{number} is no longer gold.", number=arguments.item),
    )


def _lift(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import gold

    ws = open_workspace(arguments, console)
    gold.lift_pause(ws, arguments.user, arguments.reviewer)
    console.emit(
        {"reviewer": arguments.reviewer},
        tr(
            "{name} can continue; gold items answered so far no longer count towards a pause.",
            name=arguments.reviewer,
        ),
    )


COMMANDS = (_add_gold,)
