"""``gate``: the gate's scores against what people decided."""

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_to_look
from core.cli.console import Console, columns
from core.cli.options import add_benchmark, add_task_choice
from core.i18n import tr, trn

if TYPE_CHECKING:
    from core.proportion import Proportion
    from core.screening.gate_curve import GateCurve


def _add_gate(commands: Any) -> None:
    parser = add_command(
        commands, "gate", tr("compare the gate's scores with people's decisions"), _gate
    )
    add_task_choice(parser)
    add_benchmark(parser)


def _gate(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.dashboards.gate import gate_of, sources_sentence, thresholds_unknown
    from core.workflow.rights import Action

    ws = open_to_look(arguments, console, Action.SEE_QUALITY)
    numbers = gate_of(ws, arguments.benchmark, arguments.task)
    rate, unknown = numbers.false_rejects, thresholds_unknown(numbers)
    thresholds = () if unknown else numbers.curve.thresholds
    document = {
        "screened": numbers.screened,
        "passed": numbers.outcomes.get("passed", 0),
        "screened_out": numbers.outcomes.get("screened_out", 0),
        "audited": numbers.audited,
        "decided": numbers.decided,
        "false_reject": {**asdict(rate), "caution": rate.caution},
        "table": [asdict(row) for row in thresholds],
        "bins": [
            {**asdict(part), "caution": part.accepted.caution} for part in numbers.calibration
        ],
        "auc": numbers.curve.area,
        "auc_low": numbers.curve.low,
        "auc_high": numbers.curve.high,
        "auc_caution": numbers.curve.caution,
        "auc_undefined": numbers.curve.undefined,
        "judged": numbers.judged,
        "shared": numbers.shared,
    }
    if not numbers.screened:
        words = tr("No item has been screened yet. With a model server: benchseal screen --task "
                   "TASK --base-url URL --model MODEL")  # fmt: skip
        console.emit(document, words)
        return
    line = _false_rejects(rate)
    rows = [
        (r.threshold, round(r.passed_accepted), round(r.passed_rejected), round(r.out_accepted),
         round(r.out_rejected),
         _rate(r.true_positive_rate, r.true_positive_low, r.true_positive_high),
         _rate(r.false_positive_rate, r.false_positive_low, r.false_positive_high))
        for r in thresholds
    ]  # fmt: skip
    header = (
        tr("threshold"),
        tr("good, passed"),
        tr("bad, passed"),
        tr("good, screened out"),
        tr("bad, screened out"),
        tr("good items that passed"),
        tr("bad items that passed"),
    )
    title = tr("Effect of other thresholds, estimated for all screened items")
    over = sources_sentence(numbers.curve, rate, numbers.shared)
    area = f"{_area_line(numbers.curve)} {over}".rstrip()
    effects = [title, columns(rows, header)] if rows else [unknown]
    lines = [line, area, *effects]
    console.emit(document, "\n".join(lines))


def _false_rejects(rate: "Proportion") -> str:
    if rate.value is None or rate.low is None or rate.high is None:
        return tr(
            "Its false-reject rate is unknown: no screened-out items were reviewed by people."
        )
    line = trn(
        "{count} of 1 screened-out item that people reviewed was good: {rate} [{low}, {high}]",
        "{count} of {n} screened-out items that people reviewed were good: {rate} [{low}, {high}]",
        rate.total,
        count=rate.count,
        rate=f"{rate.value:.3f}",
        low=f"{rate.low:.3f}",
        high=f"{rate.high:.3f}",
    )
    return tr("{value}; {note}", value=line, note=rate.caution) if rate.caution else line


def _rate(value: float | None, low: float | None, high: float | None) -> str:
    if value is None or low is None or high is None:
        return "–"
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"


def _area_line(curve: "GateCurve") -> str:
    if curve.area is None:
        return tr("The area under the ROC curve is undefined: {why}", why=curve.undefined)
    area = tr(
        "Area under the ROC curve of its score: {area:.2f} [{low:.2f}, {high:.2f}].",
        area=curve.area,
        low=curve.low or 0.0,
        high=curve.high or 0.0,
    )
    return f"{area} {curve.caution}".rstrip()


COMMANDS = (_add_gate,)
