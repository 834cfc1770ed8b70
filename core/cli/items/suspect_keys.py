"""Items whose key is probably wrong: ranked by the models' answers, and declared errata."""

import argparse
from dataclasses import asdict, replace
from typing import Any

from core.cli.commands import add_command, open_workspace, positive
from core.cli.console import Console, columns
from core.cli.options import add_tables, item_number, print_tables, table_text
from core.errors import UsageError
from core.i18n import printed_day, tr, trn

_SHOWN = 20


def _add_suspect_keys(commands: Any) -> None:
    text = tr("rank the items of a split whose key is probably wrong, by the models' answers")
    parser = add_command(commands, "suspect-keys", text, _suspect_keys)
    parser.add_argument("split", metavar="SPLIT", help=tr("name of the split"))
    parser.add_argument("--model", metavar="M", action="append", default=[],
                        help=tr("only these models; default: all that were evaluated"))  # fmt: skip
    parser.add_argument("--top", type=positive, metavar="N", default=_SHOWN,
                        help=tr("how many items; default 20"))  # fmt: skip
    parser.add_argument("--second-look", action="store_true",
                        help=tr("request a second look at these items"))  # fmt: skip
    parser.add_argument("--note", metavar="WORDS", default="", help=tr("what to look at"))
    add_tables(parser.add_mutually_exclusive_group())


def _suspect_keys(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.analysis import second_look, suspect_items
    from core.workflow.evaluation.item_results import as_missed
    from core.workflow.splits import readings

    ws = open_workspace(arguments, console)
    found = suspect_items.ranked(ws, arguments.split, viewer=arguments.user, models=arguments.model)
    found = replace(found, keys=found.keys[: arguments.top])
    if arguments.second_look and found.keys:
        missed = as_missed(found.keys)
        note = arguments.note or tr("The models' answers contradict the key.")
        done = second_look.run_for_numbers(
            ws, "second_look", [one.number for one in missed], arguments.user, note, missed
        )
        console.say(
            trn("A second look was requested at 1 item.",
                "A second look was requested at {n} items.", len(done.changed))
        )  # fmt: skip
    table = suspect_items.table(found)
    if arguments.save is not None:
        numbers = [int(one.id) for one in found.keys]
        readings.record_before_sending(ws, readings.Act.ITEMS, arguments.save.name, numbers)
    if not print_tables(arguments, console, table):
        empty = tr("No model gave a readable answer other than the key.")
        console.emit(found.as_json(), table_text(table) if table.rows else empty)


def _add_erratum(commands: Any) -> None:
    text = tr("declare frozen items errata: reports show scores with and without them")
    parser = add_command(commands, "erratum", text, _erratum)
    parser.add_argument("items", metavar="ITEM", nargs="*", type=item_number,
                        help=tr("item numbers; if omitted, list the errata"))  # fmt: skip
    parser.add_argument("--reason", metavar="REASON", default="",
                        help=tr("reason; recorded in the ledger"))  # fmt: skip
    parser.add_argument("--withdraw", action="store_true", help=tr("take the errata back"))


def _erratum(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.evaluation import errata

    if not arguments.items and (arguments.reason or arguments.withdraw):
        raise UsageError.tr("Give the items that are errata.")
    ws = open_workspace(arguments, console)
    if arguments.items:
        act = errata.withdraw if arguments.withdraw else errata.declare
        changed = act(ws, arguments.items, arguments.user, arguments.reason)
        named = " ".join(f"#{number}" for number in changed)
        text = (
            tr("No longer errata: {items}.", items=named)
            if arguments.withdraw
            else tr("Errata: {items}.", items=named)
        )
        console.emit({"changed": list(changed)}, text)
        return
    standing = errata.errata(ws)
    rows = [(one.number, one.reason, one.by, printed_day(one.at)) for one in standing]
    heads = ("#", tr("reason"), tr("who"), tr("when"))
    console.emit(
        {"errata": [asdict(one) for one in standing]},
        columns(rows, heads) if rows else tr("No errata."),
    )


COMMANDS = (_add_suspect_keys, _add_erratum)
