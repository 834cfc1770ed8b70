"""``judge pairs``: answers of several evaluations compared in pairs, and their strengths."""

import argparse
from typing import TYPE_CHECKING, Any

from core.cli.commands import consenting, open_workspace, positive
from core.cli.console import Console
from core.cli.options import table_text
from core.errors import OutsideError, UsageError
from core.i18n import tr

if TYPE_CHECKING:
    from core.evaluation.params import JudgeParams

VERBS = ("pairs", "elo")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What comparing in pairs takes beside the runs and the judge."""
    parser.add_argument("--most", type=positive, metavar="N",
                        help=tr("pairs: number of items to draw at random"))  # fmt: skip
    parser.add_argument("--preferences", metavar="FILE", default="",
                        help=tr("elo: what people prefer, with item, a, b, better, "
                                "rater"))  # fmt: skip


def run(arguments: argparse.Namespace, console: Console, judge: "JudgeParams | None") -> None:
    """Compare runs in pairs, or print what the comparisons on a split came to."""
    verb, *rest = arguments.what
    if verb == "elo" and len(rest) == 1:
        _elo(arguments, console, rest[0])
    elif verb == "pairs" and len(rest) > 1:
        _pairs(arguments, console, rest, judge)
    else:
        raise UsageError.tr("Use: judge pairs RUN RUN … --judge MODEL@URL, or judge elo SPLIT.")


def _pairs(
    arguments: argparse.Namespace, console: Console, names: list[str], judge: "JudgeParams | None"
) -> None:
    from core.evaluation.params import PairwiseParams
    from core.workflow.evaluation import pairwise_judging
    from core.workflow.runs import runs

    if judge is None:
        raise UsageError.tr("Give the judge with --judge.")
    ws = open_workspace(arguments, console)
    params = PairwiseParams(**{**judge.model_dump(), "key_env": judge.key_env})
    with consenting(console, judge.named()):
        spec = pairwise_judging.start(
            ws, names, params, most=arguments.most, seed=arguments.seed,
            launcher=arguments.launcher, shards=arguments.shards,
        ).spec()  # fmt: skip
    if not arguments.wait:
        console.emit(
            {"run": spec.id, "state": runs.info(ws, spec.id).state},
            tr("Started run {run}.", run=spec.id),
        )
        return
    info = runs.wait(ws, spec.id)
    if info.error:
        raise OutsideError(info.error)
    pairwise_judging.take_in(ws, spec.id)
    _print(console, pairwise_judging.standings(ws, [runs.find(ws, spec.id)]))


def _elo(arguments: argparse.Namespace, console: Console, split: str) -> None:
    from pathlib import Path

    from core.workflow.evaluation import pairwise_judging

    ws = open_workspace(arguments, console)
    people = Path(arguments.preferences) if arguments.preferences else None
    rows = pairwise_judging.finished(ws, split)
    document = pairwise_judging.standings(ws, rows, people, sheet=arguments.sheet)
    _print(console, document)


def _print(console: Console, document: dict[str, Any]) -> None:
    from core.workflow.evaluation.pairwise_judging import notes, strength_table

    table = strength_table(document)
    console.emit({**document, "notes": list(notes(document))}, table_text(table))
