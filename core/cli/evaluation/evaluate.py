"""``evaluate`` and ``engines``: evaluating models on a frozen split."""

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.cli.analysis.score_tables import finished_report, report_text
from core.cli.commands import (
    add_command,
    consenting,
    open_workspace,
    positive,
    the_person,
    whole_number,
)
from core.cli.console import Console, columns
from core.cli.evaluation import adaptive, answer, dry_run, matrix
from core.cli.evaluation.judge import add_judge_arguments, as_usage, judge_params, wait_for_judge
from core.cli.options import add_concurrency, add_seed, add_user, add_workers
from core.errors import OutsideError, UsageError
from core.i18n import listed, tr, trn

if TYPE_CHECKING:
    from core.evaluation.params import EvaluateParams
    from core.evaluation.scoring import Report
    from core.workflow.workspace import Workspace


def _add_evaluate(commands: Any) -> None:
    parser = add_command(commands, "evaluate", tr("evaluate models on frozen splits"), _evaluate)
    parser.add_argument("name", metavar="NAME", nargs="+",
                        help=tr("name of the split; several splits are evaluated as one job, "
                                "with each model loaded once"))  # fmt: skip
    parser.add_argument("--engine", required=True, metavar="E", help=tr("see: benchseal engines"))
    parser.add_argument("--base-url", metavar="U", default="", help=tr("address of the server"))
    parser.add_argument("--model", metavar="M", action="append", default=[],
                        help=tr("model; repeat for several runs"))  # fmt: skip
    parser.add_argument(
        "--revision", metavar="R", default="", help=tr("revision of the model files")
    )
    parser.add_argument("--adapter", metavar="DIR", default="", help=tr("folder of a LoRA adapter"))
    parser.add_argument("--mode", choices=("auto", "completion", "chat"), default="auto",
                        help=tr("auto: use chat if the server does not support "
                                "completion"))  # fmt: skip
    parser.add_argument("--answer-by", choices=("generation", "choice", "loglikelihood"),
                        default="generation", help=tr("how the model answers"))  # fmt: skip
    parser.add_argument("--variants", default="", metavar="all|public|N,…",
                        help=tr("instruction variants to use for each item"))  # fmt: skip
    parser.add_argument("--templates", default="", metavar="all|N,…",
                        help=tr("prompt templates to use for each item"))  # fmt: skip
    parser.add_argument("--orders", type=positive, default=1, metavar="N",
                        help=tr("ask each item in N orders of its options"))  # fmt: skip
    parser.add_argument("--shots", type=whole_number, default=0, metavar="K",
                        help=tr("number of few-shot examples"))  # fmt: skip
    parser.add_argument("--shots-from", default="", metavar="FILE|SPLIT",
                        help=tr("source of the examples; default: an expired split"))  # fmt: skip
    add_judge_arguments(parser)
    parser.add_argument("--param", action="append", default=[], metavar="K=V",
                        help=tr("additional parameter; unknown ones are passed to the "
                                "engine"))  # fmt: skip
    add_concurrency(parser, 16)
    add_seed(parser)
    add_workers(parser)
    parser.add_argument("--wait", action="store_true", help=tr("wait for the scores"))
    parser.add_argument("--prepare", action="store_true",
                        help=tr("make the run without starting it here; see: benchseal run "
                                "push"))  # fmt: skip
    add_user(parser, tr("who evaluates; recorded in the ledger"))
    answer.add_people(parser)
    adaptive.add_arguments(parser)
    dry_run.add_arguments(parser)


def _evaluate_params(arguments: argparse.Namespace) -> "EvaluateParams":
    """The parameters that the command line asks for; UsageError for one that does not fit."""
    from core.evaluation.parse_params import params_of

    values: dict[str, Any] = {
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
        "orders": arguments.orders,
        "shots": arguments.shots,
        "shots_from": arguments.shots_from,
        "judge": judge_params(arguments, arguments.base_url),
        "engine_args": {},
    }
    with as_usage():
        return params_of(values, arguments.param)


def _evaluate(arguments: argparse.Namespace, console: Console) -> int:
    from core.workflow.evaluation import start
    from core.workflow.runs import runs

    dry_run.refuse_without_plan(arguments)
    is_matrix = not matrix.one_split(arguments)
    params = _evaluate_params(arguments)
    if arguments.prepare and (is_matrix or arguments.wait or params.engine == "people"
                              or arguments.adaptive or arguments.dry_run):  # fmt: skip
        raise UsageError.tr(
            "--prepare makes runs of one split for machines elsewhere, without --wait, --dry-run, "
            "--adaptive and people."
        )
    if answer.begin_sitting(arguments, console, params):
        return 0
    if adaptive.evaluates(arguments, console, params):
        return 0
    models = list(dict.fromkeys(arguments.model)) or [""]
    ws = open_workspace(arguments, console)
    with consenting(console, *params.named_servers()):
        if arguments.dry_run:
            return dry_run.print_plans(arguments, console, ws, params)
        if is_matrix:
            return matrix.start(arguments, console, ws, params)
        person = the_person(ws)
        named = [params.model_copy(update={"model": model}) for model in models]
        if arguments.prepare:
            made = [start.prepare(ws, arguments.name, one, person=person) for one in named]
            return _tell_prepared([folder.spec().id for folder in made], console)
        started = [
            start.start(
                ws,
                arguments.name,
                one,
                shards=arguments.shards,
                launcher=arguments.launcher,
                gpus=arguments.gpus,
                person=person,
            ).spec()
            for one in named
        ]
    if not arguments.wait:
        begun = [{"run": spec.id, "state": runs.info(ws, spec.id).state} for spec in started]
        text = "\n".join(tr("Started run {run}.", run=spec.id) for spec in started)
        console.emit(begun[0] if len(begun) == 1 else {"runs": begun}, text)
        return 0
    reports = []
    for spec in started:
        console.say(
            trn(
                "Evaluating 1 item (run {run}).",
                "Evaluating {n} items (run {run}).",
                spec.total,
                run=spec.id,
            )
        )
        reports.append(_waited(ws, spec.id, console))
    documents = [scored.as_json() for scored in reports]
    text = "\n\n".join(report_text(scored) for scored in reports)
    console.emit(documents[0] if len(reports) == 1 else {"runs": documents}, text)
    return 0


def _tell_prepared(ids: list[str], console: Console) -> int:
    begun = [{"run": run, "state": "prepared"} for run in ids]
    text = "\n".join(
        tr("Prepared run {run}. Send it: benchseal run push {run} ADDRESS", run=run) for run in ids
    )
    console.emit(begun[0] if len(begun) == 1 else {"runs": begun}, text)
    return 0


def _waited(ws: "Workspace", run: str, console: Console) -> "Report":
    """The report of a run once it is finished, and judged where it is to be judged."""
    from core.workflow.evaluation.take_in_answers import report_taken_in
    from core.workflow.runs import runs

    info = runs.wait(ws, run)
    if info.error:
        raise OutsideError(info.error)
    scored = report_taken_in(ws, run)
    judge = scored.origin.get("judge")
    if judge is None or judge["state"] == "finished":
        return scored
    console.say(
        trn(
            "{judge} is judging 1 answer (run {run}).",
            "{judge} is judging {n} answers (run {run}).",
            judge["answers"],
            judge=judge["model"],
            run=judge["run"],
        )
    )
    wait_for_judge(ws, judge["run"])
    return finished_report(ws, run)


def _add_engines(commands: Any) -> None:
    text = tr("list the engines, launchers and GPUs available here")
    add_command(commands, "engines", text, _engines)


def _engines(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.evaluation import start
    from core.workflow.workspace import Workspace, default_location

    location = getattr(arguments, "workspace", None) or default_location()
    ws = open_workspace(arguments, console) if Workspace.exists(location) else None
    environment = start.run_targets(ws)
    rows = [
        (one.name, one.title, tr("available") if one.usable else tr("not available"),
         ", ".join(one.answers_by), one.reason)
        for one in environment.engines
    ]  # fmt: skip
    heads = (tr("engine"), tr("what"), tr("here"), tr("answer modes"), "")
    lines = [
        columns(rows, heads),
        tr("Launchers: {names}.", names=listed(environment.launchers)),
        trn("This machine has 1 GPU.", "This machine has {n} GPUs.", environment.gpus),
    ]
    console.emit(asdict(environment), "\n".join(lines))


COMMANDS = (
    _add_evaluate,
    _add_engines,
)
