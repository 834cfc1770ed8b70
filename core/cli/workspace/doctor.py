"""``doctor``: what is stuck in a workspace, and freeing it."""

import argparse
from typing import Any

from core.cli.commands import add_command, open_workspace
from core.cli.console import Console
from core.i18n import tr, trn


def _add_doctor(commands: Any) -> None:
    parser = add_command(
        commands, "doctor", tr("find items that are stuck, and free them"), _doctor
    )
    parser.add_argument("--mend", action="store_true", help=tr("free what is stuck"))


def _doctor(arguments: argparse.Namespace, console: Console) -> int:
    from core.workflow.check import stuck_items

    ws = open_workspace(arguments, console)
    check = stuck_items.free_stuck if arguments.mend else stuck_items.find_stuck
    found = check(ws)
    lines = [
        trn(
            "1 item is held by screening {run}: {reason}.",
            "{n} items are held by screening {run}: {reason}.",
            len(one.items),
            run=one.run or "–",
            reason=one.reason.rstrip("."),
        )
        for one in found.screenings
    ]
    if found.is_sound:
        lines.append(tr("Nothing is stuck."))
    elif arguments.mend:
        lines.append(tr("All of this is free again."))
    else:
        lines.append(tr("Free it with: benchseal doctor --mend"))
    document = {**stuck_items.as_json(found), "mended": bool(arguments.mend)}
    console.emit(document, "\n".join(lines))
    return 0 if found.is_sound or arguments.mend else 1


COMMANDS = (_add_doctor,)
