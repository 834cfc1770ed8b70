"""Commands for gold items, whose right verdict is known: marking them, lifting a pause,
and who qualified by them."""

import argparse
from dataclasses import asdict
from typing import Any

from core.cli.commands import add_command, add_group, open_workspace
from core.cli.console import Console, columns
from core.cli.options import add_benchmark, add_item, add_task_choice, add_user
from core.i18n import tr
from core.workflow.labels import label_of


def _add_gold(commands: Any) -> None:
    text = tr("gold items: items with a known answer, mixed in to check reviewers")
    verbs = add_group(commands, "gold", text, tr("WHAT"))
    marked = add_command(verbs, "mark", tr("mark a decided item as gold"), _mark)
    add_item(marked)
    verdict = marked.add_mutually_exclusive_group(required=True)
    verdict.add_argument("--accept", action="store_true", help=tr("the correct decision is accept"))
    verdict.add_argument("--reject", action="store_true", help=tr("the correct decision is reject"))
    marked.add_argument(
        "--why", default="", metavar="TEXT",
        help=tr("why; shown after an answer in a qualification round"),
    )  # fmt: skip
    ended = add_command(verbs, "unmark", tr("stop using an item as gold"), _unmark)
    add_item(ended)
    lifted = add_command(
        verbs,
        "lift",
        tr(
            "let somebody who missed too many gold items continue, or somebody try the "
            "qualification again"
        ),
        _lift,
    )
    lifted.add_argument("reviewer", metavar="REVIEWER", help=tr("paused reviewer"))
    shown = add_command(
        verbs, "qualification", tr("who has passed the qualification rounds"), _qualification
    )
    add_benchmark(shown)
    add_task_choice(shown)
    add_user(shown, tr("who is looking"))


def _mark(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import gold

    verdict = "accept" if arguments.accept else "reject"
    ws = open_workspace(arguments, console)
    gold.mark_gold(ws, arguments.user, arguments.item, verdict, arguments.why)
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
    gold.unmark_gold(ws, arguments.user, arguments.item)
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
            "{name} can continue: gold items answered so far no longer count towards a pause, and "
            "a qualification round that was not passed can be tried again.",
            name=arguments.reviewer,
        ),
    )


def _qualification(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import qualification

    ws = open_workspace(arguments, console)
    found = qualification.results(ws, arguments.user, arguments.benchmark, arguments.task)
    rows = [
        (r.task, r.person, label_of(r.standing.state),
         tr("{right} of {answered}", right=r.standing.right, answered=r.standing.answered),
         str(r.standing.wanted), f"{r.standing.share:.0%}")
        for r in found
    ]  # fmt: skip
    heads = (tr("task"), tr("person"), tr("state"), tr("correct"), tr("items of a round"),
             tr("passes at"))  # fmt: skip
    document = {"results": [asdict(r) for r in found]}
    nobody = tr("No one has to qualify, or no one has begun.")
    console.emit(document, columns(rows, heads) if rows else nobody)


COMMANDS = (_add_gold,)
