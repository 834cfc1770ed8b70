"""Commands for gold items, whose right verdict is known: marking them, and lifting a pause."""

import argparse
from typing import Any

from core.cli.commands import add_command, add_group, open_workspace
from core.cli.console import Console
from core.cli.options import add_item, add_user
from core.i18n import tr


def _add_gold(commands: Any) -> None:
    text = tr("items of known answer that are mixed in to see how reviewers do")
    verbs = add_group(commands, "gold", text, tr("WHAT"))
    marked = add_command(verbs, "mark", tr("let a settled item serve as gold"), _mark)
    add_item(marked)
    verdict = marked.add_mutually_exclusive_group(required=True)
    verdict.add_argument("--accept", action="store_true", help=tr("accepting it is right"))
    verdict.add_argument("--reject", action="store_true", help=tr("rejecting it is right"))
    ended = add_command(verbs, "unmark", tr("show an item as gold no longer"), _unmark)
    add_item(ended)
    lifted = add_command(
        verbs, "lift", tr("let a reviewer go on who missed too many and was paused"), _lift
    )
    lifted.add_argument("reviewer", metavar="REVIEWER", help=tr("who was paused"))
    for verb in (marked, ended, lifted):
        add_user(verb)


def _mark(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import gold

    verdict = "accept" if arguments.accept else "reject"
    ws = open_workspace(arguments, console)
    gold.mark(ws, arguments.user, arguments.item, verdict)
    console.emit(
        {"item": arguments.item, "gold": verdict},
        tr("#{number} is gold: {verdict} is right.", number=arguments.item, verdict=verdict),
    )


def _unmark(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import gold

    ws = open_workspace(arguments, console)
    gold.unmark(ws, arguments.user, arguments.item)
    console.emit(
        {"item": arguments.item, "gold": None},
        tr("#{number} is gold no longer.", number=arguments.item),
    )


def _lift(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import gold

    ws = open_workspace(arguments, console)
    gold.lift_pause(ws, arguments.user, arguments.reviewer)
    console.emit(
        {"reviewer": arguments.reviewer},
        tr("{name} goes on; gold answers so far count for no pause.", name=arguments.reviewer),
    )


COMMANDS = (_add_gold,)
