"""``audit``: starting, following and deciding the audit of a lot."""

import argparse
from dataclasses import asdict
from typing import Any

from core.cli.commands import add_command, add_group, open_to_look, open_workspace
from core.cli.console import Console, columns
from core.cli.options import add_item, add_seed, add_task, reason_and_note
from core.i18n import tr, trn


def _add_audit(commands: Any) -> None:
    verbs = add_group(commands, "audit", tr("audit a task's lot by sampling"), tr("WHAT"))
    started = add_command(verbs, "start", tr("draw the audit sample of a task's lot"), _audit_start)
    add_task(started)
    add_seed(started, default=None)
    decided = add_command(verbs, "decide", tr("pass or fail a drawn item"), _audit_decide)
    add_item(decided)
    verdict = decided.add_mutually_exclusive_group(required=True)
    verdict.add_argument(
        "--accept", "--pass", action="store_true", help=tr("the item is good as it is")
    )
    verdict.add_argument(
        "--reject",
        "--fail",
        metavar="REASON",
        help=tr("fail the item, with a reason of its task, or “other: NOTE”"),
    )
    shown = add_command(verbs, "status", tr("show the audit of a task"), _audit_status)
    add_task(shown)


def _audit_start(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.audit import lots
    from core.workflow.audit.auditors import auditors

    ws = open_workspace(arguments, console)
    who = auditors(ws, arguments.task, arguments.user, arguments.benchmark)
    if told := who.sentences():
        waiting = trn(
            "1 accepted item is waiting for an audit.",
            "{n} accepted items are waiting for an audit.",
            who.waiting,
        )
        console.say("\n".join((waiting, *told)))
    status = lots.start(
        ws,
        arguments.task,
        arguments.user,
        seed=arguments.seed,
        benchmark=arguments.benchmark,
    )
    console.emit(_audit_document(status), _audit_text(status))


def _audit_status(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.audit import lots
    from core.workflow.rights import Action

    ws = open_to_look(arguments, console, Action.SEE_PEOPLE)
    status = lots.status(ws, arguments.task, arguments.benchmark)
    console.emit(_audit_document(status), _audit_text(status))


def _audit_document(status: Any) -> dict[str, Any]:
    listed = [
        {
            **asdict(lot),
            "decided": lot.decided,
            "failed": lot.failed,
            "drawn": [{"item": entry.number, **asdict(entry)} for entry in lot.drawn],
        }
        for lot in status.lots
    ]
    return {
        "task": status.task,
        "benchmark": status.benchmark,
        "round": status.round,
        "states": status.states,
        "lot": listed[-1] if listed else None,
        "lots": listed,
    }


def _audit_text(status: Any) -> str:
    if not status.lots:
        return tr("“{task}” has not been audited yet.", task=status.task)
    lot = status.lots[-1]
    head = trn(
        "{task}, round {round}: lot of {size}, {decided} of 1 drawn item audited, "
        "{failed} failed, {state} (seed {seed}).",
        "{task}, round {round}: lot of {size}, {decided} of {n} drawn items audited, "
        "{failed} failed, {state} (seed {seed}).",
        lot.sample,
        task=status.task,
        round=lot.round,
        size=lot.size,
        decided=lot.decided,
        failed=lot.failed,
        state=lot.state,
        seed=lot.seed,
    )
    rows = [(entry.number, _verdict(entry.verdict), entry.reason) for entry in lot.drawn]
    return "\n".join((head, *([columns(rows)] if rows else ())))


def _verdict(stored: str | None) -> str:
    """What became of a drawn item, in the words of the options."""
    words = {"accept": tr("passed"), "reject": tr("failed")}
    return words.get(stored or "", "–")


def _audit_decide(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.audit import lots

    ws = open_workspace(arguments, console)
    verdict, reason, note = "accept", "", ""
    if not arguments.accept:
        verdict, (reason, note) = "reject", reason_and_note(arguments, ws)
    done = lots.decide(ws, arguments.user, arguments.item, verdict, reason=note or reason)
    document = {"item": done.number, "verdict": done.verdict, "lot": done.lot,
                "lot_state": done.lot_state, "round": done.round, "event": done.event}  # fmt: skip
    text = tr(
        "#{number}: {verdict}; lot {state}, task in round {round}.",
        number=done.number,
        verdict=_verdict(done.verdict),
        state=done.lot_state,
        round=done.round,
    )
    console.emit(document, text)


COMMANDS = (_add_audit,)
