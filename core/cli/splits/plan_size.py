"""``plan-size``: what difference a split can show before it is frozen, and how large it must be."""

import argparse
from typing import Any

from core.cli.commands import add_command, number, open_workspace, positive, the_benchmark
from core.cli.console import Console
from core.cli.options import add_benchmark, add_tables, print_tables, table_columns
from core.errors import UsageError
from core.i18n import tr


def _add_plan_size(commands: Any) -> None:
    text = tr("the smallest difference that a split can show, and how large it must be")
    parser = add_command(commands, "plan-size", text, _plan_size)
    parser.add_argument("split", metavar="SPLIT", nargs="?", default="",
                        help=tr("a frozen split; default: what could be frozen now"))  # fmt: skip
    add_benchmark(parser)
    size = parser.add_argument_group(tr("a size instead of a split"))
    size.add_argument("--items", type=positive, metavar="N", help=tr("number of items"))
    size.add_argument("--per-article", type=number, default=1.0, metavar="M",
                      help=tr("items of each source, such as an article, on average"))  # fmt: skip
    parser.add_argument("--difference", type=number, metavar="D",
                        help=tr("difference in accuracy to be found, such as 0.05"))  # fmt: skip
    parser.add_argument("--pilot", default="", metavar="SPLIT",
                        help=tr("take the assumptions from the runs on this split"))  # fmt: skip
    parser.add_argument("--accuracy", type=number, metavar="P",
                        help=tr("mean accuracy of the two models; default 0.6"))  # fmt: skip
    parser.add_argument(
        "--correlation", type=number, metavar="R",
        help=tr("correlation between the two models' right answers; default 0.4"),
    )  # fmt: skip
    parser.add_argument(
        "--discordance", type=number, metavar="S",
        help=tr("share of items that only one of the two gets right, instead of both of these"),
    )  # fmt: skip
    parser.add_argument("--icc", type=number, metavar="R",
                        help=tr("correlation within a source; default 0.05"))  # fmt: skip
    parser.add_argument("--models", type=positive, default=2, metavar="N",
                        help=tr("models of which every pair is compared"))  # fmt: skip
    parser.add_argument("--alpha", type=number, default=0.05, metavar="A",
                        help=tr("two-sided error rate of all comparisons together"))  # fmt: skip
    parser.add_argument("--power", type=number, default=0.8, metavar="P",
                        help=tr("probability of finding the difference"))  # fmt: skip
    add_tables(parser.add_mutually_exclusive_group())


def _plan_size(arguments: argparse.Namespace, console: Console) -> None:
    from core.evaluation.power import ComparisonSettings, PairAssumptions
    from core.workflow.analysis import plan_size
    from core.workflow.analysis.plan_size import Stated

    if arguments.items and arguments.split:
        raise UsageError.tr("Give either a split or --items.")
    settings = ComparisonSettings(arguments.alpha, arguments.power, arguments.models)
    stated = Stated(arguments.accuracy, arguments.correlation, arguments.discordance, arguments.icc)
    assumed = PairAssumptions()
    pilot = None
    if arguments.items and not arguments.pilot:
        sizes = plan_size.stated_sizes(arguments.items, arguments.per_article)
    else:
        ws = open_workspace(arguments, console)
        if arguments.pilot:
            pilot = plan_size.pilot_of(ws, arguments.pilot)
            assumed = pilot.assumed
        if arguments.items:
            sizes = plan_size.stated_sizes(arguments.items, arguments.per_article)
        else:
            benchmark = "" if arguments.split else the_benchmark(ws, arguments.benchmark)
            sizes = plan_size.sizes_of(ws, benchmark=benchmark, split=arguments.split)
    found = plan_size.plan(sizes, stated.over(assumed), settings, arguments.difference, pilot=pilot)
    table = plan_size.curve_table(found)
    if not print_tables(arguments, console, table):
        text = "\n".join([*plan_size.sentences(found), "", table_columns(table)])
        console.emit(found.as_json(), text)


COMMANDS = (_add_plan_size,)
