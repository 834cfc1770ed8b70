"""The plan of an evaluation on the command line: ``benchseal evaluate … --dry-run``."""

import argparse
from typing import TYPE_CHECKING, Any

from core.cli.commands import the_person
from core.cli.console import Console
from core.errors import UsageError
from core.i18n import tr

if TYPE_CHECKING:
    from core.evaluation.params import EvaluateParams
    from core.workflow.evaluation.plan import EvaluationPlan, Planner, Prices
    from core.workflow.workspace import Workspace


def add_arguments(parser: Any) -> None:
    """What a plan takes beside the evaluation itself."""
    parser.add_argument("--dry-run", action="store_true",
                        help=tr("check and print the plan; start nothing"))  # fmt: skip
    parser.add_argument("--trial", action="store_true",
                        help=tr("with --dry-run: also send 20 prompts to measure time and tokens; "
                            "the answers are discarded"))  # fmt: skip
    price_help = tr("with --dry-run: price per million tokens, in and out")
    parser.add_argument("--price", metavar="IN,OUT", default="", help=price_help)


def refuse_without_plan(arguments: argparse.Namespace) -> None:
    """UsageError for what belongs to a plan where none is asked for."""
    options = [name for name in ("trial", "price") if getattr(arguments, name)]
    if options and not arguments.dry_run:
        raise UsageError.tr("--{option} can only be used with --dry-run.", option=options[0])


def print_plans(
    arguments: argparse.Namespace, console: Console, ws: "Workspace", params: "EvaluateParams"
) -> int:
    """Check the evaluation that was asked for, and print what it comes to on each split.

    Returns 1 where it could not start.
    """
    from core.workflow.evaluation.matrix import refuse_sealed
    from core.workflow.evaluation.plan import Planner
    from core.workflow.evaluation.plan_text import plan_text

    for split in arguments.splits if len(arguments.splits) > 1 else ():
        refuse_sealed(ws, split)
    planner = Planner(ws)
    plans = [_plan(arguments, ws, planner, params, split) for split in arguments.splits]
    documents = [plan.as_json() for plan in plans]
    text = "\n\n".join(map(plan_text, plans))
    console.emit(documents[0] if len(plans) == 1 else {"plans": documents}, text)
    return 0 if all(plan.may_start for plan in plans) else 1


def _plan(
    arguments: argparse.Namespace,
    ws: "Workspace",
    planner: "Planner",
    params: "EvaluateParams",
    split: str,
) -> "EvaluationPlan":
    from core.workflow.evaluation.dry_run import try_out
    from core.workflow.evaluation.plan import EvaluationRequest

    request = EvaluationRequest(
        split=split,
        params=params,
        models=tuple(dict.fromkeys(arguments.model)),
        launcher=arguments.launcher,
        shards=arguments.shards,
        gpus=arguments.gpus,
        prices=_prices(arguments.price),
    )
    plan = planner.plan(request)
    if arguments.trial and plan.may_start:
        plan = planner.plan(request, try_out(ws, request, person=the_person(ws)))
    return plan


def _prices(text: str) -> "Prices | None":
    from core.workflow.evaluation.plan import Prices

    if not text:
        return None
    try:
        prompt_price, answered = (float(part) for part in text.split(","))
    except ValueError as error:
        raise UsageError.tr("Write --price as IN,OUT, such as 2.5,10.") from error
    if min(prompt_price, answered) < 0:
        raise UsageError.tr("Write --price as IN,OUT, such as 2.5,10.")
    return Prices(prompt_price, answered)
