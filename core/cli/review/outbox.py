"""``outbox``: what was decided in the window while the server of a team was away."""

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace
from core.cli.console import Console, columns
from core.cli.options import add_user
from core.i18n import tr
from core.workflow.labels import label_of

if TYPE_CHECKING:
    from core.workflow.check.outbox import KeptDecision


def _add_outbox(commands: Any) -> None:
    parser = add_command(
        commands, "outbox", tr("send the decisions that wait on this computer for the server"),
        _outbox,
    )  # fmt: skip
    parser.add_argument("--forget", action="store_true",
                        help=tr("forget the decisions that the server did not accept"))  # fmt: skip
    add_user(parser, tr("whose decisions"))


def _outbox(arguments: argparse.Namespace, console: Console) -> None:
    from core.errors import OutsideError
    from core.workflow.check.outbox import SendReport, outbox_of

    ws = open_workspace(arguments, console)
    report = SendReport()
    sent = report.sent
    if ws.is_server:
        outbox = outbox_of(ws, arguments.user)
        report = outbox.send()
        sent = report.sent
        if arguments.forget:
            report = outbox.put_away(tuple(kept.token for kept in report.refused))
    rows = [
        *((tr("sent"), *_cells(kept)) for kept in sent),
        *((tr("not taken"), *_cells(kept)) for kept in report.refused),
        *((tr("waits"), *_cells(kept)) for kept in report.waiting),
    ]
    heads = (tr("what"), "#", tr("decision"), tr("made"), tr("why not"))
    document = {
        "sent": [asdict(kept) for kept in sent],
        "refused": [asdict(kept) for kept in report.refused],
        "waiting": [asdict(kept) for kept in report.waiting],
    }
    console.emit(document, columns(rows, heads) if rows else tr("Nothing waits here."))
    if report.trouble:
        raise OutsideError(report.trouble)


def _cells(kept: "KeptDecision") -> tuple[str, ...]:
    from core.workflow.check.outbox import what_of

    verdict = label_of(kept.verdict) if kept.verdict else what_of(kept)
    return (f"#{kept.number}", verdict, kept.made, kept.refusal)


COMMANDS = (_add_outbox,)
