"""``analyze bank``: adaptive evaluation replayed, and periods linked by their common items."""

import argparse
from typing import Any

from core.cli.commands import add_command, number, open_workspace
from core.cli.console import Console
from core.cli.options import add_tables, print_tables, table_text
from core.errors import UsageError
from core.i18n import tr


def percentage(text: str) -> float:
    """A number above 0 and up to 100, for argparse."""
    value = number(text)
    if not 0 < value <= 100:
        raise argparse.ArgumentTypeError(tr("{value} is not between 0 and 100", value=text))
    return value


def add_choice(parser: argparse.ArgumentParser, default: str) -> None:
    """Which items are asked."""
    parser.add_argument("--choose", choices=("telling", "random"), default=default,
                        help=tr("adaptive: ask the most informative items (the default), or a "
                                "random part, whose interval holds for any model"))  # fmt: skip


def add_bank(kinds: Any) -> None:
    """``analyze bank SPLIT``."""
    text = tr("adaptive evaluation replayed on a split's answers, or periods linked by anchors")
    parser = add_command(kinds, "bank", text, _bank)
    parser.add_argument("split", metavar="SPLIT", help=tr("name of the split"))
    parser.add_argument("--within", type=percentage, default=1.5, metavar="POINTS",
                        help=tr("half the width of the interval to reach, in points; "
                                "default 1.5"))  # fmt: skip
    parser.add_argument("--most", type=percentage, default=100.0, metavar="PERCENT",
                        help=tr("ask at most this share of the items"))  # fmt: skip
    add_choice(parser, "telling")
    parser.add_argument("--link", metavar="SPLIT", default="",
                        help=tr("an earlier split that shares items with it"))  # fmt: skip
    parser.add_argument("--items", action="store_true",
                        help=tr("the items with difficulty and discrimination, for evaluate "
                                "--adaptive FILE"))  # fmt: skip
    add_tables(parser.add_mutually_exclusive_group())


def _bank(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.analysis import item_banks

    if arguments.link == arguments.split:
        raise UsageError.tr("--link takes another split.")
    if arguments.link and arguments.items:
        raise UsageError.tr("--link and --items exclude each other.")
    ws = open_workspace(arguments, console)
    if arguments.items:
        from core.workflow.analysis import adaptive_runs

        bank = adaptive_runs.bank_of(ws, arguments.split)
        table = adaptive_runs.bank_table(bank)
        document: dict[str, Any] = {
            "split": arguments.split, "models": bank.models, "items": bank.bank.as_rows(),
        }  # fmt: skip
    elif arguments.link:
        found = item_banks.link_periods(ws, arguments.split, arguments.link)
        table, document = item_banks.link_table(found), found.as_json()
    else:
        within = arguments.within / 100
        choice = arguments.choose
        replays = item_banks.replay(
            ws, arguments.split, within=within, most=arguments.most / 100, choice=choice
        )
        table = item_banks.replay_table(arguments.split, replays, within, choice)
        models = [
            {
                "model": r.model,
                **r.adaptive.as_json(),
                "full": r.full,
                "closest_by_a_fifth": r.closest,
                "items_needed_for_a_fifth": r.enough,
            }
            for r in replays
        ]
        document = {"split": arguments.split, "choice": choice, "models": models}
    if not print_tables(arguments, console, table):
        console.emit(document, table_text(table))
