"""``evaluate … --adaptive``: items chosen while the model answers."""

import argparse
from typing import TYPE_CHECKING

from core.cli.analysis.bank import add_choice, percentage
from core.cli.commands import consenting, open_workspace, the_person
from core.cli.console import Console
from core.cli.options import table_text
from core.errors import OutsideError, UsageError
from core.i18n import tr

if TYPE_CHECKING:
    from core.analysis.adaptive.sampled_score import Choice
    from core.evaluation.params import EvaluateParams


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What an adaptive evaluation takes beside the engine and the model."""
    parser.add_argument("--adaptive", nargs="?", const="own", default="", metavar="BANK",
                        help=tr("ask only the most informative items, by an item bank: own (from "
                                "the models evaluated here, the default) or a table"))  # fmt: skip
    parser.add_argument("--within", type=percentage, default=1.5, metavar="POINTS",
                        help=tr("adaptive: half the width of the interval to reach, in points; "
                                "default 1.5"))  # fmt: skip
    parser.add_argument("--most", type=percentage, default=100.0, metavar="PERCENT",
                        help=tr("adaptive: ask at most this share of the items"))  # fmt: skip
    add_choice(parser, "")


def evaluates(arguments: argparse.Namespace, console: Console, params: "EvaluateParams") -> bool:
    """Evaluate adaptively where that is asked for; whether it was."""
    if not arguments.adaptive:
        if arguments.within != 1.5 or arguments.most != 100 or arguments.choose:
            raise UsageError.tr("--within, --most and --choose go with --adaptive.")
        return False
    if arguments.launcher != "local" or arguments.shards != 1 or len(arguments.model) > 1:
        raise UsageError.tr(
            "--adaptive takes one model and one worker on this machine, where the keys stay."
        )
    from core.analysis.item_bank import FIFTH
    from core.evaluation.params import AdaptiveParams
    from core.workflow.analysis import adaptive_runs
    from core.workflow.runs import runs

    model = "".join(arguments.model)
    within, most = arguments.within / 100, arguments.most / 100
    ws = open_workspace(arguments, console)
    bank = adaptive_runs.bank_of(
        ws, arguments.name, arguments.adaptive, without=model or arguments.engine
    )
    choice: Choice = "random" if arguments.choose == "random" else "telling"
    said = adaptive_runs.sentences(bank, within, most, choice)
    if arguments.dry_run:
        document = {"split": arguments.name, "items": len(bank.bank.ids), "notes": list(said),
                    "choice": choice, "reach_of_a_random_fifth": bank.drawn_reach(FIFTH),
                    "closest_by_a_fifth": bank.closest(0.2),
                    "share_needed": bank.share_for(within),
                    "items_needed_for_a_fifth": bank.bank.size_for(FIFTH, within)}  # fmt: skip
        console.emit(document, "\n".join(said))
        return True
    for sentence in said:
        console.say(sentence)
    told = AdaptiveParams(
        **{**params.model_dump(), "key_env": params.key_env, "model": model, "within": within,
           "most": most, "choice": choice,
           "bank": "" if arguments.adaptive == "own" else arguments.adaptive}
    )  # fmt: skip
    with consenting(console, *told.named_servers()):
        spec = adaptive_runs.start(ws, told, the_person(ws)).spec()
    if not arguments.wait:
        console.emit({"run": spec.id, "state": runs.info(ws, spec.id).state},
                     tr("Started run {run}.", run=spec.id))  # fmt: skip
        return True
    info = runs.wait(ws, spec.id)
    if info.error:
        raise OutsideError(info.error)
    adaptive_runs.take_in(ws, spec.id)
    found = adaptive_runs.results(ws, [runs.find(ws, spec.id)])
    table = adaptive_runs.result_table(arguments.name, found)
    console.emit(found[0], table_text(table))
    return True
