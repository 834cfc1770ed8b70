"""Commands for rewriting labelled data with fresh knowledge: rewrite, knowledge."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import (
    add_command,
    add_group,
    consenting,
    day,
    number,
    open_workspace,
    positive,
)
from core.cli.console import Console, columns
from core.cli.options import add_benchmark, add_budget, add_concurrency, add_shards, add_sheet
from core.errors import OutsideError, StateError, UsageError
from core.i18n import field_problem, listed, printed, tr, trn

if TYPE_CHECKING:
    from core.rewriting.params import RewriteParams
    from core.rewriting.trace import Trace
    from core.sources.labelled.dataset_files import Columns
    from core.sources.labelled.datasets import LabelledTask
    from core.workflow.production.rewrite_runs import BaseData
    from core.workflow.workspace import Workspace


def _add_rewrite(commands: Any) -> None:
    parser = add_command(
        commands,
        "rewrite",
        tr("rewrite labelled items with new knowledge, or: trace ITEM, funnel RUN"),
        _rewrite,
    )
    parser.add_argument("words", metavar="trace ITEM|funnel RUN", nargs="*",
                        help=tr("trace an item, or count all items by step"))  # fmt: skip
    add_benchmark(parser)
    parser.add_argument(
        "--task", metavar="T", help=tr("emotion, irony, stance, mrpc, rte or a task of your own")
    )
    parser.add_argument(
        "--data", type=Path, metavar="PATH", help=tr("labelled data; needed once per task")
    )
    add_sheet(parser)
    parser.add_argument("--labels", metavar="A,B", help=tr("label space, for a task of your own"))
    parser.add_argument(
        "--question", metavar="Q", default="", help=tr("question that the label answers")
    )
    parser.add_argument("--pairing", choices=("none", "equivalence", "entailment", "other"),
                        help=tr("relation between the two texts of an item"))  # fmt: skip
    parser.add_argument("--split", default="test", metavar="S",
                        help=tr("part of the data set to use"))  # fmt: skip
    parser.add_argument("--map", action="append", default=[], metavar="text=COLUMN",
                        help=tr("column of a field that is not detected"))  # fmt: skip
    parser.add_argument("--base-url", metavar="U", help=tr("address of the server"))
    parser.add_argument("--model", metavar="M", help=tr("model on the server"))
    parser.add_argument("--critic-model", metavar="C", default="",
                        help=tr("model that judges facts and labels; default: the same "
                                "model"))  # fmt: skip
    parser.add_argument(
        "--knowledge", metavar="SOURCE", help=tr("gdelt-doc, gdelt-bigquery or gdelt-files:DIR")
    )
    _add_window(parser, required=False)
    parser.add_argument("--limit", type=positive, metavar="N", help=tr("only the first N items"))
    parser.add_argument("--max-rounds", type=positive, default=3, metavar="N",
                        help=tr("maximum number of attempts per item"))  # fmt: skip
    _add_costs(parser)
    add_shards(parser)
    parser.add_argument(
        "--key-env",
        default="",
        metavar="NAME",
        help=tr("environment variable with the server's key"),
    )
    parser.add_argument(
        "--estimate",
        action="store_true",
        help=tr("estimate the number of requests and start nothing"),
    )
    parser.add_argument(
        "--only-rewritten",
        action="store_true",
        help=tr("leave items without new knowledge out of the sets, instead of marking them"),
    )
    parser.add_argument("--run", default="", metavar="RUN", help=tr("run of the item to trace"))
    parser.add_argument("--wait", action="store_true", help=tr("wait until the items are finished"))


def _add_costs(parser: argparse.ArgumentParser) -> None:
    """What a run may ask at once and in all, and what that costs."""
    add_concurrency(parser, 16)
    add_budget(parser)
    parser.add_argument(
        "--price-prompt", type=number, default=0.0, metavar="P", help=tr("price per million tokens")
    )
    parser.add_argument(
        "--price-completion",
        type=number,
        default=0.0,
        metavar="P",
        help=tr("price per million tokens"),
    )


def _add_window(parser: argparse.ArgumentParser, *, required: bool) -> None:
    parser.add_argument("--from", dest="since", required=required, type=day, metavar="DATE",
                        help=tr("first day of the news"))  # fmt: skip
    parser.add_argument("--to", dest="until", required=required, type=day, metavar="DATE",
                        help=tr("last day of the news"))  # fmt: skip


def _rewrite(arguments: argparse.Namespace, console: Console) -> None:
    if arguments.words:
        verbs = {"trace": _trace, "funnel": _funnel}
        if arguments.words[0] not in verbs or len(arguments.words) != 2:
            raise UsageError.tr(
                "Use rewrite with options, or: rewrite trace ITEM, or: rewrite funnel RUN."
            )
        verbs[arguments.words[0]](arguments, console)
        return
    _require(arguments, ("task", "base_url", "model", "knowledge", "since", "until"))
    from core.workflow.people import default_benchmark
    from core.workflow.production import rewrite_runs
    from core.workflow.runs import runs, take_in

    ws = open_workspace(arguments, console, make=True)
    benchmark = arguments.benchmark or default_benchmark()
    data = _base_data(ws, arguments, benchmark)
    params = _params(arguments, data.task)
    if _say_estimate(arguments, console, params, data):
        return
    with consenting(console, *rewrite_runs.named_servers(params)):
        folder = rewrite_runs.start(
            ws, benchmark, arguments.task, params, data.examples, limit=arguments.limit,
            launcher=arguments.launcher, shards=arguments.shards,
        )  # fmt: skip
    run_id = folder.spec().id
    console.say(
        trn(
            "Rewriting 1 item (run {run}).",
            "Rewriting {n} items (run {run}).",
            folder.spec().total,
            run=run_id,
        )
    )
    if not arguments.wait:
        console.emit({"run": run_id, "state": "running"}, tr("Started run {run}.", run=run_id))
        return
    info = runs.wait(ws, run_id)
    if info.error:
        raise OutsideError(info.error)
    if info.state != "finished" and info.notes.get("budget_reached"):
        raise StateError.trn(
            "The budget of {budget} is used up after {done} of 1 item. Repeat the "
            "command with a larger budget, or: benchseal run resume {run} "
            "--budget-tokens N",
            "The budget of {budget} is used up after {done} of {n} items. Repeat the "
            "command with a larger budget, or: benchseal run resume {run} "
            "--budget-tokens N",
            info.total,
            budget=trn("1 token", "{n} tokens", folder.spec().params["budget_tokens"]),
            done=info.done,
            run=run_id,
        )
    if info.state != "finished":
        raise StateError.tr(
            "Run {run} is not finished; repeat the command to continue.", run=run_id
        )
    result = take_in.take_in(ws, run_id)
    console.emit({**result, "skipped": data.skipped}, _made_text(result))


def _params(arguments: argparse.Namespace, task: "LabelledTask") -> "RewriteParams":
    from pydantic import ValidationError

    from core.rewriting.params import RewriteParams

    names = (
        "base_url", "model", "critic_model", "knowledge", "since", "until", "max_rounds",
        "concurrency", "budget_tokens", "price_prompt", "price_completion", "key_env",
    )  # fmt: skip
    try:
        given = {name: getattr(arguments, name) for name in names}
        return RewriteParams(task=task, keep_unchanged=not arguments.only_rewritten, **given)
    except ValidationError as error:
        field, problem = field_problem(error)
        flag = "--" + field.replace(".", "-").replace("_", "-")
        raise UsageError.tr("Cannot use {flag}: {problem}.", flag=flag, problem=problem) from error


def _say_estimate(
    arguments: argparse.Namespace, console: Console, params: "RewriteParams", data: "BaseData"
) -> bool:
    """Tell what the run will ask for; True where that is all that was wanted."""
    from dataclasses import asdict

    from core.rewriting.estimate import estimate
    from core.rewriting.step_labels import estimate_text, left_out_rows

    guessed = estimate(params, data.examples[: arguments.limit])
    if left_out := left_out_rows(data.left_out):
        console.say(left_out)
    if arguments.estimate:
        document = {"estimate": asdict(guessed), "skipped": data.skipped, "left_out": data.left_out}
        console.emit(document, estimate_text(guessed))
    else:
        console.say(estimate_text(guessed))
    return bool(arguments.estimate)


def _require(arguments: argparse.Namespace, names: tuple[str, ...]) -> None:
    flags = {"since": "from", "until": "to"}
    missing = [f"--{flags.get(n, n).replace('_', '-')}" for n in names if not getattr(arguments, n)]
    if missing:
        raise UsageError.tr("rewrite also needs {flags}.", flags=listed(missing))


def _base_data(ws: "Workspace", arguments: argparse.Namespace, benchmark: str) -> "BaseData":
    from core.workflow.production import rewrite_runs

    if arguments.data is None and (arguments.map or arguments.labels or arguments.sheet):
        raise UsageError.tr(
            "--map, --labels and --sheet say how --data are read; name the data too."
        )
    if arguments.data is None:
        return rewrite_runs.base_data(ws, benchmark, arguments.task)
    return rewrite_runs.map_base_data(
        ws,
        benchmark,
        arguments.task,
        arguments.data,
        _labelled_task(arguments),
        _columns(arguments.map),
        arguments.split,
        arguments.sheet,
    )


def _labelled_task(arguments: argparse.Namespace) -> "LabelledTask":
    from core.sources.labelled.datasets import labelled_task, own_task

    if not arguments.labels:
        return labelled_task(arguments.task)
    return own_task(
        arguments.task,
        tuple(arguments.labels.split(",")),
        pairing=arguments.pairing or "none",
        question=arguments.question,
    )


def _columns(pairs: list[str]) -> "Columns | None":
    from dataclasses import fields

    from core.sources.labelled.dataset_files import Columns

    if not pairs:
        return None
    named = dict(pair.partition("=")[::2] for pair in pairs)
    known = [field.name for field in fields(Columns)]
    if not set(named) <= set(known):
        raise UsageError.tr(
            "--map takes FIELD=COLUMN, for the fields {fields}.", fields=listed(known)
        )
    return Columns(**named)


def _made_text(result: dict[str, Any]) -> str:
    unchanged = trn("1 item stays unchanged and marked.", "{n} items stay unchanged and marked.",
                    result["unchanged"])  # fmt: skip
    return "\n".join(
        [
            trn(
                "1 item rewritten and accepted, {out} screened out, {tokens} used.",
                "{n} items rewritten and accepted, {out} screened out, {tokens} used.",
                result["sets"]["updated"] - result["unchanged"],
                out=result["funnel"]["screened_out"],
                tokens=trn("1 token", "{n} tokens", result["tokens"]),
            ),
            *([unchanged] if result["unchanged"] else []),
            tr("written to {path}", path=result["file"]),
            tr(
                "What became of the items at each step: benchseal rewrite funnel {run}",
                run=result["run"],
            ),
        ]
    )


def _funnel(arguments: argparse.Namespace, console: Console) -> None:
    from core.rewriting.step_labels import progress_lines
    from core.workflow.production import rewrite_runs

    ws = open_workspace(arguments, console)
    course = rewrite_runs.progress_reader(ws, arguments.words[1]).read()
    document = {
        "total": course.total,
        "funnel": course.funnel,
        "stages": [
            {"step": s.step, "entered": s.entered, "passed": s.passed, "left": dict(s.left),
             "calls": s.calls, "tokens": s.tokens, "cost": s.cost}
            for s in course.stages
        ],
        "tokens": course.tokens,
        "cost": course.cost,
        "budget_left": course.budget_left,
    }  # fmt: skip
    console.emit(document, "\n".join(progress_lines(course)))


def _trace(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.production import rewrite_runs

    ws = open_workspace(arguments, console)
    trace = rewrite_runs.trace(ws, arguments.words[1], arguments.run)
    console.emit(_trace_document(trace), _trace_text(trace))


def _trace_document(trace: "Trace") -> dict[str, Any]:
    from dataclasses import asdict

    steps = [{**asdict(s), "facts": [fact.as_json() for fact in s.facts]} for s in trace.steps]
    return {"item": trace.item, "outcome": trace.outcome, "steps": steps, "record": trace.record}


def _trace_text(trace: "Trace") -> str:
    lines = [tr("{item}: {outcome}", item=trace.item, outcome=trace.outcome)]
    for step in trace.steps:
        lines.append(f"\n── {step.step} · {step.round}.{step.turn} · {step.outcome} · {step.model}")
        if step.query:
            lines.append(step.query)
            lines += [f"  {fact.title}  {fact.url}" for fact in step.facts]
        lines += [part for part in (step.prompt, "→ " + step.reply if step.reply else "") if part]
    return "\n".join(lines)


def _add_knowledge(commands: Any) -> None:
    verbs = add_group(commands, "knowledge", tr("look up recent events"), "search")
    search = add_command(verbs, "search", tr("search a knowledge source"), _search)
    search.add_argument("query", metavar="QUERY", help=tr("search terms"))
    search.add_argument(
        "--knowledge",
        required=True,
        metavar="SOURCE",
        help=tr("gdelt-doc, gdelt-bigquery or gdelt-files:DIR"),
    )
    _add_window(search, required=True)
    search.add_argument("--limit", type=positive, default=20, metavar="N",
                        help=tr("maximum number of events"))  # fmt: skip


def _search(arguments: argparse.Namespace, console: Console) -> None:
    from core.rewriting.knowledge import named_server, search_knowledge

    with consenting(console, named_server(arguments.knowledge)):
        facts = search_knowledge(
            arguments.knowledge,
            arguments.query,
            arguments.since,
            arguments.until,
            arguments.limit,
            announce=console.say,
        )
    rows = [
        (
            fact.seen.date().isoformat(),
            "–" if fact.tone is None else printed(fact.tone, 1, plus=True),
            fact.title,
            fact.url,
        )
        for fact in facts
    ]
    header = (tr("date"), tr("tone"), tr("title"), tr("address"))
    text = columns(rows, header) if rows else tr("No news found in this period.")
    console.emit({"query": arguments.query, "facts": [fact.as_json() for fact in facts]}, text)


COMMANDS = (_add_rewrite, _add_knowledge)
