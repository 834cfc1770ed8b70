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
    parser = add_command(
        commands, "gate", tr("compare the gate's scores with people's decisions"), _gate
    )
    add_task_choice(parser)
    add_benchmark(parser)


def _gate(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.dashboards.gate import gate_of

    numbers = gate_of(open_workspace(arguments, console), arguments.benchmark, arguments.task)
    rate = numbers.false_rejects
    document = {
        "screened": numbers.screened,
        "passed": numbers.outcomes.get("passed", 0),
        "screened_out": numbers.outcomes.get("screened_out", 0),
        "audited": numbers.audited,
        "decided": numbers.decided,
        "false_reject": asdict(rate),
        "table": [asdict(row) for row in numbers.curve.thresholds],
        "bins": [asdict(part) for part in numbers.calibration],
        "auc": numbers.curve.area,
        "auc_undefined": numbers.curve.undefined,
        "judged": numbers.judged,
    }
    line = rate.undefined or trn(
        "{count} of 1 screened-out item that people reviewed was good: {rate} [{low}, {high}]",
        "{count} of {n} screened-out items that people reviewed were good: {rate} [{low}, {high}]",
        rate.total,
        count=rate.count,
        rate=f"{rate.value:.3f}",
        low=f"{rate.low:.3f}",
        high=f"{rate.high:.3f}",
    )
    rows = [
        (r.threshold, r.passed_accepted, r.passed_rejected, r.out_accepted, r.out_rejected)
        for r in numbers.curve.thresholds
    ]
    header = (
        tr("threshold"),
        tr("good, passed"),
        tr("bad, passed"),
        tr("good, screened out"),
        tr("bad, screened out"),
    )
    console.emit(document, line + "\n" + columns(rows, header))


COMMANDS = (_add_gate,)
