"""``decide``: accepting, rejecting or returning one item."""

import argparse
from dataclasses import asdict
from typing import Any

from core.cli.commands import add_command, number, open_workspace
from core.cli.console import Console
from core.cli.options import add_item, add_verdict, reason_and_note, verdict_of
from core.i18n import tr


def _add_decide(commands: Any) -> None:
    parser = add_command(commands, "decide", tr("accept, reject or return an item"), _decide)
    add_item(parser)
    parser.add_argument(
        "--user", "--reviewer", dest="user", metavar="R", default="", help=tr("who decides")
    )
    parser.add_argument("--seconds", type=number, default=0.0, metavar="S", help=argparse.SUPPRESS)
    parser.add_argument(
        "--change",
        action="store_true",
        help=tr("replace your earlier decision, unless somebody has built on it"),
    )
    add_verdict(parser.add_mutually_exclusive_group(required=True))


def _decide(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import review
    from core.workflow.check.qualification import answer_sentences
    from core.workflow.items import change_decision
    from core.workflow.labels import ITEM_STATES, VERDICT_NAMES, word

    ws = open_workspace(arguments, console)
    decide = change_decision.change if arguments.change else review.decide
    reason, note = reason_and_note(arguments, ws)
    decided = decide(
        ws,
        arguments.user,
        arguments.item,
        verdict_of(arguments),
        reason=reason,
        note=note,
        seconds=arguments.seconds,
    )
    text = tr(
        "#{number}: {verdict}, now {state}.",
        number=decided.number,
        verdict=word(VERDICT_NAMES, decided.verdict),
        state=word(ITEM_STATES, decided.state),
    )
    if decided.answer is not None:
        text = tr("#{number}: {verdict}.", number=decided.number, verdict=decided.verdict)
        text += "\n" + "\n".join(answer_sentences(decided.answer))
    console.emit(
        {
            "item": decided.number,
            "verdict": decided.verdict,
            "state": decided.state,
            "disputed": decided.disputed,
            "event": decided.event,
            **({"qualification": asdict(decided.answer)} if decided.answer else {}),
        },
        text,
    )


COMMANDS = (_add_decide,)
