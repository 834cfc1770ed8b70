"""``gate``: the gate's scores against what people decided."""

import argparse
from dataclasses import asdict
from typing import Any

from core.cli.commands import add_command, open_workspace
from core.cli.console import Console, columns
from core.cli.options import (
    add_benchmark,
    add_task_choice,
)
from core.i18n import tr, trn


def _add_gate(commands: Any) -> None:
    parser = add_command(commands, "gate", tr("the gate's scores against people's verdicts"), _gate)
    add_task_choice(parser)
    add_benchmark(parser)


def _gate(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.dashboards import gate_numbers

    ws = open_workspace(arguments, console)
    found = gate_numbers.gate(ws, arguments.benchmark, arguments.task)
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


COMMANDS = (_add_gate,)
