"""``judge``: judging the answers of an evaluation."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from core.cli.analysis.score_tables import finished_report, report_text
from core.cli.commands import add_command, consenting, open_workspace
from core.cli.console import Console, columns
from core.cli.evaluation import answer_sheets, pairs
from core.cli.options import add_shards
from core.errors import InputError, OutsideError, UsageError
from core.i18n import tr

if TYPE_CHECKING:
    from core.evaluation.params import JudgeParams
    from core.workflow.workspace import Workspace


def add_judge_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--judge", metavar="MODEL[@URL]", default="",
                        help=tr("model that judges the answers"))  # fmt: skip
    parser.add_argument("--judge-url", metavar="U", default="",
                        help=tr("server of the judge; default: the model's server"))  # fmt: skip
    parser.add_argument("--judge-param", action="append", default=[], metavar="K=V",
                        help=tr("such as kind=creative, concurrency=8, key_env=NAME"))  # fmt: skip


def judge_params(arguments: argparse.Namespace, base_url: str = "") -> "JudgeParams | None":
    """The judge that the command line asks for, on the evaluated model's server by default."""
    from core.evaluation.parse_params import judge_params_of

    if not arguments.judge:
        if arguments.judge_url or arguments.judge_param:
            raise UsageError.tr("Give the judge with --judge.")
        return None
    model, at, url = arguments.judge.partition("@http")
    values: dict[str, Any] = {
        "model": model,
        "base_url": arguments.judge_url or (f"http{url}" if at else base_url),
    }
    if not values["base_url"]:
        raise UsageError.tr("Give the address of the judge with --judge-url.")
    with as_usage():
        return judge_params_of(values, arguments.judge_param)


def wait_for_judge(ws: "Workspace", run: str) -> None:
    from core.workflow.runs import runs

    info = runs.wait(ws, run)
    if info.error:
        raise OutsideError(info.error)


@contextmanager
def as_usage() -> Iterator[None]:
    """What is wrong with a parameter is wrong with the command line."""
    try:
        yield
    except InputError as error:
        raise UsageError(str(error)) from error


def _add_judge(commands: Any) -> None:
    text = tr(
        "judge the answers of an evaluation, or: judge sample|ratings RUN for human ratings, "
        "judge agree RUN for the agreement of several judges, judge pairs RUN RUN for pairwise "
        "comparisons, judge elo SPLIT for their strengths"
    )
    parser = add_command(commands, "judge", text, _judge)
    parser.add_argument("what", metavar="RUN", nargs="+",
                        help=tr("evaluation run, or sample, ratings, agree, pairs or elo and "
                                "what it is about"))  # fmt: skip
    add_judge_arguments(parser)
    add_shards(parser)
    parser.add_argument("--wait", action="store_true", help=tr("wait for the scores"))
    answer_sheets.add_arguments(parser)
    pairs.add_arguments(parser)


def _judge(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.evaluation import judging
    from core.workflow.runs import runs

    asks_nobody = arguments.what[0] in ("agree", "elo", *answer_sheets.VERBS)
    if asks_nobody and (arguments.launcher != "local" or arguments.shards != 1):
        raise UsageError.tr(
            "--launcher and --shards set where a judge runs; {verb} does not use a judge.",
            verb=f"judge {arguments.what[0]}"
        )  # fmt: skip
    if arguments.what[0] == "agree" and len(arguments.what) == 2:
        _agree(arguments, console)
        return
    if arguments.what[0] in pairs.VERBS:
        pairs.run(arguments, console, judge_params(arguments))
        return
    if arguments.what[0] in answer_sheets.VERBS:
        answer_sheets.run(arguments, console)
        return
    if len(arguments.what) > 1:
        raise UsageError.tr("judge takes one run, or sample or ratings followed by a run.")
    ws = open_workspace(arguments, console)
    row = runs.find(ws, arguments.what[0])
    params = judge_params(arguments, str(row.params.get("base_url", "")))
    if params is None:
        raise UsageError.tr("Give the judge with --judge.")
    # without an address it is the run's word
    named = arguments.judge_url or "@http" in arguments.judge
    with consenting(console, *[params.named()] if named else []):
        spec = judging.start(
            ws, row.id, params, launcher=arguments.launcher, shards=arguments.shards
        ).spec()
    if not arguments.wait:
        document = {"run": spec.id, "of": row.id, "state": runs.info(ws, spec.id).state}
        console.emit(document, tr("Started run {run}.", run=spec.id))
        return
    wait_for_judge(ws, spec.id)
    scored = finished_report(ws, row.id)
    console.emit(scored.as_json(), report_text(scored))


def _agree(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.evaluation import judging

    ws = open_workspace(arguments, console)
    document = judging.agreement_of_judges(ws, arguments.what[1])
    heads = (tr("criterion"), *document["judges"], tr("alpha of the judges"),
             tr("alpha with people"))  # fmt: skip
    rows = [
        (
            criterion,
            *(_percent(part["means"][judge]) for judge in document["judges"]),
            _alpha(part["judges"]),
            _alpha(part["with_people"]),
        )
        for criterion, part in document["criteria"].items()
    ]
    note = tr("Means in percent of the scale; Krippendorff's alpha with its 95% interval.")
    console.emit(document, "\n".join([columns(rows, heads), note]))


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _alpha(alpha: Any) -> str:
    from core.evaluation.judge_agreement import alpha_words

    return "–" if alpha is None else alpha_words(alpha)


COMMANDS = (_add_judge,)
