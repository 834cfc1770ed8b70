"""``sample`` and ``rate``: drawing items for raters, and rating one by its rubric."""

import argparse
from dataclasses import asdict
from typing import Any

from core.cli.commands import add_command, open_workspace
from core.cli.console import Console, columns
from core.cli.options import add_item, add_seed, add_task, add_user
from core.cli.workspace.tasks import pairs
from core.errors import UsageError
from core.i18n import listed, tr


def _add_sample(commands: Any) -> None:
    parser = add_command(commands, "sample", tr("draw items for rating"), _sample)
    add_task(parser)
    add_user(parser, tr("who draws; if omitted, show the sample"))
    add_seed(parser, default=None)


def _sample(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import rate

    ws = open_workspace(arguments, console)
    if arguments.user:
        sample = rate.draw(
            ws, arguments.task, arguments.user, seed=arguments.seed, benchmark=arguments.benchmark
        )
    else:
        sample = rate.sample(ws, arguments.task, arguments.benchmark)
    document = {
        **asdict(sample),
        "items": [{"item": number, "rated_by": count} for number, count in sample.items],
    }
    console.emit(document, columns(sample.items, ("#", tr("raters"))))


def _add_rate(commands: Any) -> None:
    parser = add_command(commands, "rate", tr("rate an item by its rubric"), _rate)
    add_item(parser)
    parser.add_argument("--comment", default="", metavar="TEXT",
                        help=tr("a comment on the values"))  # fmt: skip
    parser.add_argument("values", metavar="criterion=value", nargs="+",
                        help=tr("one for each criterion of the rubric"))  # fmt: skip


def _rate(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import rate

    values = {}
    for name, text in pairs(arguments.values).items():
        try:
            values[name] = float(text)
        except ValueError as error:
            raise UsageError.tr(
                "{name} must be a number, not “{value}”.", name=name, value=text
            ) from error
    ws = open_workspace(arguments, console)
    rated = rate.rate(ws, arguments.user, arguments.item, values, comment=arguments.comment)
    console.emit(
        {
            "item": rated.number,
            "values": rated.values,
            "comments": list(rated.comments),
            "others": {name: list(ratings) for name, ratings in rated.others.items()},
            "event": rated.event,
        },
        tr(
            "#{number} rated; still without a value: {criteria}.",
            number=rated.number,
            criteria=listed(rated.unrated),
        )
        if rated.unrated
        else tr("#{number} rated.", number=rated.number),
    )


COMMANDS = (
    _add_sample,
    _add_rate,
)
