"""Commands for evaluations: evaluate, judge, import-results, engines."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli import answer_sheets, dry_run
from core.cli.commands import add_command, open_workspace
from core.cli.console import Console, columns
from core.cli.options import add_concurrency, add_seed, add_workers
from core.cli.score_tables import finished_report, report_text
from core.errors import InputError, OutsideError, UsageError
from core.i18n import tr, trn

if TYPE_CHECKING:
    from core.evaluation.params import EvaluateParams, JudgeParams
    from core.evaluation.scoring import Report
    from core.workflow.workspace import Workspace


def _add_evaluate(commands: Any) -> None:
    parser = add_command(commands, "evaluate", tr("evaluate a model on a frozen split"), _evaluate)
    parser.add_argument("name", metavar="NAME", help=tr("name of the split"))
    parser.add_argument("--engine", required=True, metavar="E", help=tr("see: benchseal engines"))
    parser.add_argument("--base-url", metavar="U", default="", help=tr("the server's address"))
    parser.add_argument("--model", metavar="M", action="append", default=[],
                        help=tr("several times for a set of runs"))  # fmt: skip
    parser.add_argument("--revision", metavar="R", default="", help=tr("of the model's files"))
    parser.add_argument("--adapter", metavar="DIR", default="", help=tr("folder of a LoRA adapter"))
    parser.add_argument("--mode", choices=("auto", "completion", "chat"), default="auto",
                        help=tr("auto: chat where the server completes nothing"))  # fmt: skip
    parser.add_argument("--answer-by", choices=("generation", "choice", "loglikelihood"),
                        default="generation", help=tr("how it answers"))  # fmt: skip
    parser.add_argument("--variants", default="", metavar="all|public|N,…",
                        help=tr("instructions by which each item is asked"))  # fmt: skip
    parser.add_argument("--templates", default="", metavar="all|N,…",
                        help=tr("prompt templates by which each item is asked"))  # fmt: skip
    parser.add_argument("--shots", type=int, default=0, metavar="K",
                        help=tr("worked examples before each question"))  # fmt: skip
    parser.add_argument("--shots-from", default="", metavar="FILE|SPLIT",
                        help=tr("where examples are from; an expired split else"))  # fmt: skip
    _add_judge_arguments(parser)
    parser.add_argument("--param", action="append", default=[], metavar="K=V",
                        help=tr("a further parameter; unknown ones go to the engine"))  # fmt: skip
    add_concurrency(parser, 16)
    add_seed(parser)
    add_workers(parser)
    parser.add_argument("--wait", action="store_true", help=tr("wait for the scores"))
    dry_run.add_arguments(parser)


def _add_judge_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--judge", metavar="MODEL[@URL]", default="",
                        help=tr("a model that judges the answers, at home"))  # fmt: skip
    parser.add_argument("--judge-url", metavar="U", default="",
                        help=tr("the judge's server; else that of the model"))  # fmt: skip
    parser.add_argument("--judge-param", action="append", default=[], metavar="K=V",
                        help=tr("such as kind=creative, concurrency=8, key_env=NAME"))  # fmt: skip


def _judge_params(arguments: argparse.Namespace, base_url: str = "") -> "JudgeParams | None":
    """The judge that the command line asks for, on the evaluated model's server by default."""
    from core.evaluation.parse_params import judge_params_of

    if not arguments.judge:
        if arguments.judge_url or arguments.judge_param:
            raise UsageError(tr("Name the judge with --judge."))
        return None
    model, at, url = arguments.judge.partition("@http")
    given: dict[str, Any] = {
        "model": model,
        "base_url": arguments.judge_url or (f"http{url}" if at else base_url),
    }
    if not given["base_url"]:
        raise UsageError(tr("Say with --judge-url where the judge is."))
    with _as_usage():
        return judge_params_of(given, arguments.judge_param)


def _evaluate_params(arguments: argparse.Namespace) -> "EvaluateParams":
    """The parameters that the command line asks for; UsageError for one that does not fit."""
    from core.evaluation.parse_params import params_of

    given: dict[str, Any] = {
        "split": arguments.name,
        "engine": arguments.engine,
        "base_url": arguments.base_url,
        "revision": arguments.revision,
        "adapter": arguments.adapter,
        "mode": arguments.mode,
        "answer_by": arguments.answer_by,
        "concurrency": arguments.concurrency,
        "seed": arguments.seed,
        "variants": arguments.variants,
        "templates": arguments.templates,
        "shots": arguments.shots,
        "shots_from": arguments.shots_from,
        "judge": _judge_params(arguments, arguments.base_url),
        "engine_args": {},
    }
    with _as_usage():
        return params_of(given, arguments.param)


@contextmanager
def _as_usage() -> Iterator[None]:
    """What is wrong with a parameter is wrong with the command line."""
    try:
        yield
    except InputError as error:
        raise UsageError(str(error)) from error


def _evaluate(arguments: argparse.Namespace, console: Console) -> int:
    from core.workflow.evaluation import start
    from core.workflow.runs import runs

    dry_run.refuse_without_plan(arguments)
    params = _evaluate_params(arguments)
    models = list(dict.fromkeys(arguments.model)) or [""]
    ws = open_workspace(arguments, console)
    if arguments.dry_run:
        return dry_run.print_plan(arguments, console, ws, params)
    try:
        started = [
            start.start(
                ws,
                arguments.name,
                params.model_copy(update={"model": model}),
                shards=arguments.shards,
                launcher=arguments.launcher,
                gpus=arguments.gpus,
            ).spec()
            for model in models
        ]
        if not arguments.wait:
            begun = [{"run": spec.id, "state": runs.info(ws, spec.id).state} for spec in started]
            text = "\n".join(tr("Started run {run}.", run=spec.id) for spec in started)
            console.emit(begun[0] if len(begun) == 1 else {"runs": begun}, text)
            return 0
        found = []
        for spec in started:
            console.say(
                trn(
                    "Evaluating 1 item (run {run}).",
                    "Evaluating {n} items (run {run}).",
                    spec.total,
                    run=spec.id,
                )
            )
            found.append(_waited(ws, spec.id, console))
    finally:
        ws.close()
    documents = [scored.as_json() for scored in found]
    text = "\n\n".join(report_text(scored) for scored in found)
    console.emit(documents[0] if len(found) == 1 else {"runs": documents}, text)
    return 0


def _waited(ws: "Workspace", run: str, console: Console) -> "Report":
    """The report of a run once it is finished, and judged where it is to be judged."""
    from core.workflow.evaluation import start
    from core.workflow.runs import runs

    info = runs.wait(ws, run)
    if info.error:
        raise OutsideError(info.error)
    scored = start.report(ws, run)
    judge = scored.origin.get("judge")
    if judge is None or judge["state"] == "finished":
        return scored
    console.say(
        trn(
            "{judge} judges 1 answer (run {run}).",
            "{judge} judges {n} answers (run {run}).",
            judge["answers"],
            judge=judge["model"],
            run=judge["run"],
        )
    )
    _wait_for_judge(ws, judge["run"])
    return finished_report(ws, run)


def _wait_for_judge(ws: "Workspace", run: str) -> None:
    from core.workflow.runs import runs

    info = runs.wait(ws, run)
    if info.error:
        raise OutsideError(info.error)


def _add_judge(commands: Any) -> None:
    text = tr("judge the answers of an evaluation, or: judge sample|ratings RUN for people's")
    parser = add_command(commands, "judge", text, _judge)
    parser.add_argument("what", metavar="RUN", nargs="+",
                        help=tr("the evaluation, or sample or ratings before it"))  # fmt: skip
    _add_judge_arguments(parser)
    parser.add_argument("--wait", action="store_true", help=tr("wait for the scores"))
    answer_sheets.add_arguments(parser)


def _judge(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.evaluation import judging
    from core.workflow.runs import runs

    if arguments.what[0] in answer_sheets.VERBS:
        answer_sheets.run(arguments, console)
        return
    if len(arguments.what) > 1:
        raise UsageError(tr("judge takes one run, or sample or ratings and a run."))
    ws = open_workspace(arguments, console)
    try:
        row = runs.find(ws, arguments.what[0])
        params = _judge_params(arguments, str(row.params.get("base_url", "")))
        if params is None:
            raise UsageError(tr("Name the judge with --judge."))
        spec = judging.start(ws, row.id, params).spec()
        if not arguments.wait:
            document = {"run": spec.id, "of": row.id, "state": runs.info(ws, spec.id).state}
            console.emit(document, tr("Started run {run}.", run=spec.id))
            return
        _wait_for_judge(ws, spec.id)
        scored = finished_report(ws, row.id)
    finally:
        ws.close()
    console.emit(scored.as_json(), report_text(scored))


def _add_import_results(commands: Any) -> None:
    text = tr("take in results of lm_eval or Inspect as a run")
    parser = add_command(commands, "import-results", text, _import_results)
    parser.add_argument("path", metavar="FILE|DIR", type=Path, help=tr("what the harness wrote"))
    parser.add_argument("--split", required=True, metavar="S", help=tr("the split that was asked"))
    parser.add_argument("--model", metavar="M", default="", help=tr("where the file names none"))


def _import_results(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.evaluation import import_results

    ws = open_workspace(arguments, console)
    try:
        taken = import_results.take_in(ws, arguments.path, arguments.split, model=arguments.model)
    finally:
        ws.close()
    lines = [
        trn(
            "The run {run} holds {count} of 1 answer of {model} ({harness}).",
            "The run {run} holds {count} of {n} answers of {model} ({harness}).",
            taken.items,
            count=taken.answers,
            model=taken.model,
            harness=taken.harness,
            run=taken.run,
        )
    ]
    for number, names, sentence in (
        (len(taken.missing), taken.missing, tr("Without an answer")),
        (len(taken.failed), taken.failed, tr("Failed there")),
        (taken.unmatched, taken.unmatched_names, tr("Of no item of the split")),
        (len(taken.mismatched), taken.mismatched, tr("Asked something else under an item's name")),
        (taken.repeated, (), tr("Answered a second time")),
        (taken.damaged, (), tr("Damaged")),
        (len(taken.differing), taken.differing, tr("Scored otherwise there")),
    ):
        if number:
            lines.append(f"{sentence}: {number}  {' '.join(names[:10])}".rstrip())
    console.emit(asdict(taken), "\n".join(lines))


def _add_engines(commands: Any) -> None:
    text = tr("list the engines, the launchers and the GPUs that are usable here")
    add_command(commands, "engines", text, _engines)


def _engines(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.evaluation import start
    from core.workflow.workspace import Workspace, default_location

    location = getattr(arguments, "workspace", None) or default_location()
    ws = Workspace.open(location) if Workspace.exists(location) else None
    found = start.places(ws)
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
        trn("This machine has 1 GPU.", "This machine has {n} GPUs.", found.gpus),
    ]
    console.emit(asdict(found), "\n".join(lines))


COMMANDS = (_add_evaluate, _add_judge, _add_import_results, _add_engines)
