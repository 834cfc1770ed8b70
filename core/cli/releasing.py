"""Commands for splits and their evaluation: freeze, export, evaluate, report."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli import named_reports, score_tables
from core.cli.commands import add_command, open_workspace, positive, the_benchmark
from core.cli.console import Console, columns
from core.errors import OutsideError, UsageError
from core.text import tr

if TYPE_CHECKING:
    from core.evaluation.run import EvaluateParams


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
    parser.add_argument("--engine", required=True, metavar="E", help=tr("see: benchseal engines"))
    parser.add_argument("--base-url", metavar="U", default="")
    parser.add_argument("--model", metavar="M", default="")
    parser.add_argument("--revision", metavar="R", default="")
    parser.add_argument("--adapter", metavar="DIR", default="", help=tr("folder of a LoRA adapter"))
    parser.add_argument("--mode", choices=("auto", "completion", "chat"), default="auto")
    parser.add_argument(
        "--answer-by", choices=("generation", "choice", "loglikelihood"), default="generation"
    )
    parser.add_argument("--variants", choices=("one", "all"), default="one",
                        help=tr("all: ask each item by every instruction of its task"))  # fmt: skip
    parser.add_argument("--param", action="append", default=[], metavar="K=V",
                        help=tr("a further parameter; unknown ones go to the engine"))  # fmt: skip
    parser.add_argument("--concurrency", type=positive, default=16, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="K")
    parser.add_argument("--shards", type=positive, default=1, metavar="N")
    parser.add_argument("--launcher", default="local", metavar="local|slurm:PROFILE")
    parser.add_argument("--gpus", type=int, metavar="N", help=tr("GPUs for each worker"))
    parser.add_argument("--wait", action="store_true", help=tr("wait for the scores"))


_OWN_PARAMS = ("split", "split_digest", "engine", "engine_args")


def _evaluate_params(arguments: argparse.Namespace) -> "EvaluateParams":
    """The parameters that the command line asks for; UsageError for one that does not fit."""
    from pydantic import ValidationError

    from core.evaluation.run import EvaluateParams

    given: dict[str, Any] = {
        "split": arguments.name,
        "engine": arguments.engine,
        "base_url": arguments.base_url,
        "model": arguments.model,
        "revision": arguments.revision,
        "adapter": arguments.adapter,
        "mode": arguments.mode,
        "answer_by": arguments.answer_by,
        "concurrency": arguments.concurrency,
        "seed": arguments.seed,
        "engine_args": {},
    }
    for text in arguments.param:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name.isidentifier():
            raise UsageError(tr("--param is written name=value, not “{given}”.", given=text))
        own = name in EvaluateParams.model_fields and name not in _OWN_PARAMS
        (given if own else given["engine_args"])[name] = _value(value)
    try:
        return EvaluateParams.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            tr("The parameter “{name}” does not fit: {why}.", name=field, why=first["msg"])
        ) from error


def _value(text: str) -> Any:
    """The value as JSON where it is JSON (numbers, true, lists), else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _evaluate(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import evaluate, runs

    params = _evaluate_params(arguments)
    ws = open_workspace(arguments, console)
    folder = evaluate.start(
        ws,
        arguments.name,
        params,
        shards=arguments.shards,
        launcher=arguments.launcher,
        gpus=arguments.gpus,
        variants=arguments.variants == "all",
    )
    run_id = folder.spec().id
    if not arguments.wait:
        state = runs.info(ws, run_id).state
        ws.close()
        console.emit({"run": run_id, "state": state}, tr("Started run {run}.", run=run_id))
        return
    console.say(tr("Evaluating {count} items (run {run}).", count=folder.spec().total, run=run_id))
    info = runs.wait(ws, run_id)
    if info.error:
        raise OutsideError(info.error)
    scored = evaluate.report(ws, run_id)
    ws.close()
    console.emit(scored.as_json(), report_text(scored))


def _add_engines(commands: Any) -> None:
    text = tr("list the engines, the launchers and the GPUs that are usable here")
    add_command(commands, "engines", text, _engines)


def _engines(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import evaluate
    from core.workflow.workspace import Workspace, default_location

    location = getattr(arguments, "workspace", None) or default_location()
    ws = Workspace.open(location) if Workspace.exists(location) else None
    found = evaluate.places(ws)
    if ws:
        ws.close()
    rows = [
        (one.name, one.title, tr("usable") if one.usable else tr("not here"),
         ", ".join(one.answers_by), one.reason)
        for one in found.engines
    ]  # fmt: skip
    heads = (tr("engine"), tr("what"), tr("here"), tr("answers by"), "")
    lines = [
        columns(rows, heads),
        tr("Launchers: {names}.", names=", ".join(found.launchers)),
        tr("GPUs of this machine: {count}.", count=found.gpus),
    ]
    console.emit(asdict(found), "\n".join(lines))


def _add_report(commands: Any) -> None:
    parser = add_command(
        commands,
        "report",
        tr("the scores of an evaluation run; report site: a page of all"),
        _report,
    )
    parser.add_argument("run", metavar="RUN|site|coreeval-human|cif-human")
    named_reports.add_arguments(parser)
    score_tables.add_arguments(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help=tr("folder for the site"))
    parser.add_argument("--public", nargs="+", metavar="SOURCE", default=[],
                        help=tr("public scores for the site"))  # fmt: skip
    parser.add_argument(
        "--partial", action="store_true", help=tr("score what is there, though some is missing")
    )


def _report(arguments: argparse.Namespace, console: Console) -> None:
    if arguments.run == "site":
        _site(arguments, console)
        return
    if named_reports.is_named(arguments.run):
        named_reports.run_report(arguments, console)
        return
    if score_tables.is_wanted(arguments):
        score_tables.run_report(arguments, console)
        return
    from core.workflow import evaluate

    ws = open_workspace(arguments, console)
    scored = evaluate.report(ws, arguments.run, partial=arguments.partial)
    ws.close()
    console.emit(scored.as_json(), report_text(scored))


def _site(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import publish

    if arguments.out is None:
        raise UsageError(tr("Say with --out where the site goes."))
    ws = open_workspace(arguments, console)
    made = publish.site(ws, arguments.out, public=arguments.public)
    ws.close()
    console.emit(
        {"page": str(made.page), "files": list(made.files)},
        tr("Wrote {count} files; open {page}.", count=len(made.files), page=made.page),
    )


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
    if scored.origin.get("resumed"):
        lines.append(
            tr("Resumed {done} of {items}.", done=scored.origin["resumed"], items=scored.items)
        )
    rows = [_row(tr("all"), scored.total)]
    for parts in scored.by.values():
        rows += [_row(name, part) for name, part in parts.items()]
    lines.append(columns(rows, (tr("items of"), "n", tr("accuracy %"), "±")))
    return "\n".join(lines)


def _row(name: str, part: Any) -> tuple[str, int, str, str]:
    accuracy = "–" if part.accuracy is None else f"{100 * part.accuracy:.1f}"
    stderr = "–" if part.stderr is None else f"{100 * part.stderr:.1f}"
    return name, part.n, accuracy, stderr


COMMANDS = (_add_freeze, _add_export, _add_evaluate, _add_report, _add_engines)
