"""``queue`` and ``decide``: what waits for a person, and one decision."""

import argparse
from dataclasses import asdict
from typing import Any

from core.cli.commands import add_command, open_workspace
from core.cli.console import Console, columns
from core.cli.options import add_benchmark, add_stage, add_task_choice
from core.i18n import tr


def _add_queue(commands: Any) -> None:
    parser = add_command(commands, "queue", tr("show a person's queue"), _queue)
    add_stage(parser)
    add_benchmark(parser)
    add_task_choice(parser)


def _queue(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import queues
    from core.workflow.check import nothing_left

    ws = open_workspace(arguments, console)
    queue = queues.queue(
        ws,
        arguments.user,
        stage=arguments.stage,
        benchmark=arguments.benchmark,
        task=arguments.task,
    )
    document: dict[str, Any] = {
        "user": queue.person,
        "count": queue.total,
        "counts": queue.counts,
        "items": [{"item": entry.number, **asdict(entry)} for entry in queue.entries],
    }
    rows = [(e.number, e.task, e.stage, e.what, "*" if e.held else "") for e in queue.entries[:50]]
    text = columns(rows, ("#", tr("task"), tr("stage"), tr("work"), ""))
    more = queue.total - len(rows)
    if more > 0:
        text += "\n" + tr("… and {count} more", count=more)
    if not rows:
        why = nothing_left.why_nothing(ws, arguments.user, arguments.benchmark)
        document["why"] = list(why)
        text = "\n".join((tr("Nothing to do."), *why))
    console.emit(document, text)


COMMANDS = (_add_queue,)
