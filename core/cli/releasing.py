"""Commands for splits and their evaluation: freeze, export, evaluate, report."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.cli.commands import add_command, open_workspace, positive, the_benchmark
from core.cli.console import Console, columns
from core.errors import OutsideError
from core.text import tr


def _add_freeze(commands: Any) -> None:
    parser = add_command(commands, "freeze", tr("freeze approved items as a split"), _freeze)
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--benchmark", metavar="B")
    parser.add_argument("--user", metavar="U", default="")


def _freeze(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import freeze

    ws = open_workspace(arguments, console)
    benchmark = the_benchmark(ws, arguments.benchmark)
    info = freeze.freeze(ws, arguments.name, benchmark, arguments.user)
    ws.close()
    if info.unaudited:
        console.say(
            tr(
                "{count} items were accepted but never audited; the ledger says so.",
                count=info.unaudited,
            )
        )
    console.emit(
        {**asdict(info), "items": info.size},
        tr(
            "Froze {count} items as “{name}” ({hash}).",
            count=info.size,
            name=info.name,
            hash=info.manifest_hash[:12],
        ),
    )


def _add_export(commands: Any) -> None:
    parser = add_command(commands, "export", tr("write a frozen split to a folder"), _export)
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--format", required=True, metavar="jsonl|lm-eval")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR")


def _export(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import freeze

    ws = open_workspace(arguments, console)
    report = freeze.export(ws, arguments.name, arguments.format, arguments.out)
    ws.close()
    document = {
        "split": arguments.name,
        "format": arguments.format,
        "out": str(arguments.out),
        "items": report.items,
        "files": list(report.files),
        "entry": report.entry,
        "counts": report.counts,
    }
    text = tr("Wrote {count} items to {out}.", count=report.items, out=arguments.out)
    console.emit(document, "\n".join([text, *(f"  {name}" for name in report.files)]))


def _add_evaluate(commands: Any) -> None:
    parser = add_command(commands, "evaluate", tr("evaluate a model on a frozen split"), _evaluate)
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--engine", required=True, metavar="E")
    parser.add_argument("--base-url", metavar="U", default="")
    parser.add_argument("--model", metavar="M", default="")
    parser.add_argument("--concurrency", type=positive, default=16, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="K")
    parser.add_argument("--shards", type=positive, default=1, metavar="N")
    parser.add_argument("--wait", action="store_true", help=tr("wait for the scores"))


def _evaluate(arguments: argparse.Namespace, console: Console) -> None:
    from core.evaluation.run import EvaluateParams
    from core.workflow import evaluate, runs

    ws = open_workspace(arguments, console)
    params = EvaluateParams(
        split=arguments.name,
        engine=arguments.engine,
        base_url=arguments.base_url,
        model=arguments.model,
        concurrency=arguments.concurrency,
        seed=arguments.seed,
    )
    folder = evaluate.start(ws, arguments.name, params, shards=arguments.shards)
    run_id = folder.spec().id
    if not arguments.wait:
        ws.close()
        console.emit({"run": run_id, "state": "running"}, tr("Started run {run}.", run=run_id))
        return
    console.say(tr("Evaluating {count} items (run {run}).", count=folder.spec().total, run=run_id))
    info = runs.wait(ws, run_id)
    if info.error:
        raise OutsideError(info.error)
    scored = evaluate.report(ws, run_id)
    ws.close()
    console.emit(scored.as_json(), report_text(scored))


def _add_report(commands: Any) -> None:
    parser = add_command(commands, "report", tr("the scores of an evaluation run"), _report)
    parser.add_argument("run", metavar="RUN")
    parser.add_argument(
        "--partial", action="store_true", help=tr("score what is there, though some is missing")
    )


def _report(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import evaluate

    ws = open_workspace(arguments, console)
    scored = evaluate.report(ws, arguments.run, partial=arguments.partial)
    ws.close()
    console.emit(scored.as_json(), report_text(scored))


def report_text(scored: Any) -> str:
    """A report as a table for people; accuracies in percent."""
    lines = [
        tr(
            "{model} on “{split}”: {answered} of {items} answered, {missing} missing, {unparsed} "
            "without a readable answer.",
            model=scored.model,
            split=scored.split,
            answered=scored.answered,
            items=scored.items,
            missing=scored.missing,
            unparsed=scored.unparsed,
        )
    ]
    rows = [_row(tr("all"), scored.total)]
    for parts in scored.by.values():
        rows += [_row(name, part) for name, part in parts.items()]
    lines.append(columns(rows, (tr("items of"), "n", tr("accuracy %"), "±")))
    return "\n".join(lines)


def _row(name: str, part: Any) -> tuple[str, int, str, str]:
    accuracy = "–" if part.accuracy is None else f"{100 * part.accuracy:.1f}"
    stderr = "–" if part.stderr is None else f"{100 * part.stderr:.1f}"
    return name, part.n, accuracy, stderr


COMMANDS = (_add_freeze, _add_export, _add_evaluate, _add_report)
