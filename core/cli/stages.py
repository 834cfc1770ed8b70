"""Commands of the three stages: queue, rate, adjudicate, audit, undo, history, verify, gate."""

import argparse
from dataclasses import asdict
from typing import Any

from core.cli.commands import add_command, add_group, open_workspace
from core.cli.console import Console, columns
from core.cli.options import (
    add_benchmark,
    add_item,
    add_seed,
    add_stage,
    add_task,
    add_task_choice,
    add_user,
    add_verdict,
    verdict_of,
)
from core.cli.tasks import pairs
from core.errors import UsageError
from core.i18n import tr, trn


def _add_queue(commands: Any) -> None:
    parser = add_command(commands, "queue", tr("what waits for a person"), _queue)
    add_user(parser)
    add_stage(parser)
    add_benchmark(parser)


def _queue(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import queues
    from core.workflow.people import ensure_person

    ws = open_workspace(arguments, console)
    ensure_person(ws, arguments.user)
    found = queues.queue(ws, arguments.user, stage=arguments.stage, benchmark=arguments.benchmark)
    ws.close()
    document = {
        "user": found.person,
        "count": found.total,
        "counts": found.counts,
        "items": [{"item": entry.number, **asdict(entry)} for entry in found.entries],
    }
    rows = [(e.number, e.task, e.stage, e.what, "*" if e.held else "") for e in found.entries[:50]]
    text = columns(rows, ("#", tr("task"), tr("stage"), tr("work"), ""))
    more = found.total - len(rows)
    if more > 0:
        text += "\n" + tr("… and {count} more", count=more)
    console.emit(document, text if rows else tr("Nothing waits."))


def _add_rate(commands: Any) -> None:
    parser = add_command(commands, "rate", tr("rate an item by its rubric"), _rate)
    add_item(parser)
    add_user(parser)
    parser.add_argument("values", metavar="criterion=value", nargs="+",
                        help=tr("one for each criterion of the rubric"))  # fmt: skip


def _rate(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import rate

    values = {}
    for name, text in pairs(arguments.values).items():
        try:
            values[name] = float(text)
        except ValueError as error:
            raise UsageError(
                tr("{name} needs a number, not “{value}”.", name=name, value=text)
            ) from error
    ws = open_workspace(arguments, console)
    rated = rate.rate(ws, arguments.user, arguments.item, values)
    ws.close()
    console.emit(
        {
            "item": rated.number,
            "values": rated.values,
            "others": {name: list(given) for name, given in rated.others.items()},
            "event": rated.event,
        },
        tr("#{number} rated.", number=rated.number),
    )


def _add_sample(commands: Any) -> None:
    parser = add_command(commands, "sample", tr("draw the items that raters rate"), _sample)
    add_task(parser)
    add_user(parser, tr("who draws; without, the sample is shown"), required=False)
    add_seed(parser, default=None)


def _sample(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import rate

    ws = open_workspace(arguments, console)
    if arguments.user:
        found = rate.draw(
            ws, arguments.task, arguments.user, seed=arguments.seed, benchmark=arguments.benchmark
        )
    else:
        found = rate.sample(ws, arguments.task, arguments.benchmark)
    ws.close()
    document = {
        **asdict(found),
        "items": [{"item": number, "rated_by": count} for number, count in found.items],
    }
    console.emit(document, columns(found.items, ("#", tr("raters"))))


def _add_adjudicate(commands: Any) -> None:
    parser = add_command(
        commands, "adjudicate", tr("settle a disagreement; without ITEM: list them"), _adjudicate
    )
    add_item(parser, "?")
    add_user(parser)
    add_benchmark(parser)
    add_verdict(parser.add_mutually_exclusive_group())


def _adjudicate(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import adjudicate

    decided = arguments.accept or arguments.reject is not None or arguments.note is not None
    if decided and arguments.item is None:
        raise UsageError(tr("Name the item that is settled."))
    ws = open_workspace(arguments, console)
    if arguments.item is None:
        _list_disputed(adjudicate.disputed(ws, arguments.user, arguments.benchmark), console)
    elif not decided:
        _show_disputed(adjudicate.card(ws, arguments.user, arguments.item), console)
    else:
        done = adjudicate.settle(
            ws,
            arguments.user,
            arguments.item,
            verdict_of(arguments),
            reason=arguments.reject or "",
            note=arguments.note or "",
        )
        document = {"item": done.number, "verdict": done.verdict, "state": done.state,
                    "event": done.event}  # fmt: skip
        text = tr(
            "#{number}: {verdict}, now {state}.",
            number=done.number,
            verdict=done.verdict,
            state=done.state,
        )
        console.emit(document, text)
    ws.close()


def _list_disputed(lines: Any, console: Console) -> None:
    table = columns([(line.id, line.task) for line in lines], ("#", tr("task")))
    found = [{"item": line.id, "task": line.task} for line in lines]
    document = {"count": len(found), "items": found}
    console.emit(document, table if lines else tr("Nothing is disputed."))


def _show_disputed(shown: Any, console: Console) -> None:
    document = {
        "item": shown.card.number,
        "task": shown.card.task,
        "payload": dict(shown.card.content.payload),
        "opinions": [asdict(opinion) for opinion in shown.opinions],
    }
    rows = [(opinion.verdict, opinion.reason or opinion.note) for opinion in shown.opinions]
    console.emit(document, columns(rows))


def _add_audit(commands: Any) -> None:
    verbs = add_group(commands, "audit", tr("audit the lot of a task by a sample"), tr("WHAT"))
    started = add_command(verbs, "start", tr("draw the sample of a task's lot"), _audit_start)
    add_task(started)
    add_user(started)
    add_seed(started, default=None)
    decided = add_command(verbs, "decide", tr("pass or fail a drawn item"), _audit_decide)
    add_item(decided)
    add_user(decided)
    verdict = decided.add_mutually_exclusive_group(required=True)
    verdict.add_argument("--accept", "--pass", action="store_true", help=tr("it is good as it is"))
    verdict.add_argument("--reject", "--fail", metavar="REASON", help=tr("it is not, and why"))
    shown = add_command(verbs, "status", tr("where the audit of a task stands"), _audit_status)
    add_task(shown)


def _audit_start(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.audit import lots

    ws = open_workspace(arguments, console)
    found = lots.start(
        ws,
        arguments.task,
        arguments.user,
        seed=arguments.seed,
        benchmark=arguments.benchmark,
    )
    ws.close()
    console.emit(_audit_document(found), _audit_text(found))


def _audit_status(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.audit import lots

    ws = open_workspace(arguments, console)
    found = lots.status(ws, arguments.task, arguments.benchmark)
    ws.close()
    console.emit(_audit_document(found), _audit_text(found))


def _audit_document(found: Any) -> dict[str, Any]:
    listed = [
        {
            **asdict(lot),
            "decided": lot.decided,
            "failed": lot.failed,
            "drawn": [{"item": entry.number, **asdict(entry)} for entry in lot.drawn],
        }
        for lot in found.lots
    ]
    return {
        "task": found.task,
        "benchmark": found.benchmark,
        "round": found.round,
        "states": found.states,
        "lot": listed[-1] if listed else None,
        "lots": listed,
    }


def _audit_text(found: Any) -> str:
    if not found.lots:
        return tr("“{task}” has not been audited yet.", task=found.task)
    lot = found.lots[-1]
    head = tr(
        "{task}, round {round}: lot of {size}, {decided} of {sample} drawn decided, {failed} "
        "failed, {state} (seed {seed}).",
        task=found.task,
        round=found.round,
        size=lot.size,
        decided=lot.decided,
        sample=lot.sample,
        failed=lot.failed,
        state=lot.state,
        seed=lot.seed,
    )
    rows = [(entry.number, entry.verdict or "–", entry.reason) for entry in lot.drawn]
    return head + "\n" + columns(rows)


def _audit_decide(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.audit import lots

    ws = open_workspace(arguments, console)
    done = lots.decide(
        ws,
        arguments.user,
        arguments.item,
        "accept" if arguments.accept else "reject",
        reason=arguments.reject or "",
    )
    ws.close()
    document = {"item": done.number, "verdict": done.verdict, "lot": done.lot,
                "lot_state": done.lot_state, "round": done.round, "event": done.event}  # fmt: skip
    text = tr(
        "#{number}: {verdict}; the lot is {state}, the task in round {round}.",
        number=done.number,
        verdict=done.verdict,
        state=done.lot_state,
        round=done.round,
    )
    console.emit(document, text)


def _add_gate(commands: Any) -> None:
    parser = add_command(commands, "gate", tr("the gate's scores against people's verdicts"), _gate)
    add_task_choice(parser)
    add_benchmark(parser)


def _gate(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.dashboards import gate_numbers

    ws = open_workspace(arguments, console)
    found = gate_numbers.gate(ws, arguments.benchmark, arguments.task)
    ws.close()
    document = {**asdict(found), "judged": len(found.judged)}
    rate = found.false_reject
    line = rate.undefined or trn(
        "People found {count} of 1 screened-out item good: {rate} [{low}, {high}]",
        "People found {count} of {n} screened-out items good: {rate} [{low}, {high}]",
        rate.total,
        count=rate.count,
        rate=f"{rate.value:.3f}",
        low=f"{rate.low:.3f}",
        high=f"{rate.high:.3f}",
    )
    rows = [
        (r.threshold, r.passed_accepted, r.passed_rejected, r.out_accepted, r.out_rejected)
        for r in found.table
    ]
    header = (tr("threshold"), tr("good in"), tr("bad in"), tr("good out"), tr("bad out"))
    console.emit(document, line + "\n" + columns(rows, header))


COMMANDS = (_add_queue, _add_rate, _add_sample, _add_adjudicate, _add_audit, _add_gate)
