"""Commands about the life of a frozen split: where it stands, sealing, opening, expiring."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, add_group, open_workspace
from core.cli.console import Console, columns
from core.cli.options import add_user
from core.errors import InputError
from core.i18n import tr, trn

if TYPE_CHECKING:
    from core.workflow.splits.lifecycle import SplitLife


def _add_split(commands: Any) -> None:
    verbs = add_group(commands, "split", tr("seal, open or expire a frozen split"), tr("WHAT"))
    shown = add_command(verbs, "status", tr("list splits with their states and history"), _status)
    shown.add_argument("name", metavar="NAME", nargs="?", help=tr("name of the split"))
    sealed = add_command(
        verbs, "seal", tr("seal a frozen split: no export or evaluation until it is opened"), _seal
    )
    opened = add_command(
        verbs, "open", tr("open a sealed split for evaluation; every opening is counted"), _open
    )
    expired = add_command(
        verbs, "expire", tr("expire a split: its items count as public from now on"), _expire
    )
    for verb in (sealed, opened, expired):
        verb.add_argument("name", metavar="NAME", help=tr("name of the split"))
        add_user(verb)
    sealed.add_argument(
        "--receipt", type=Path, metavar="FILE", help=tr("write the receipt to this file")
    )
    opened.add_argument(
        "--reason", required=True, metavar="REASON", help=tr("reason; recorded in the ledger")
    )
    expired.add_argument(
        "--reason", default="", metavar="REASON", help=tr("reason; recorded in the ledger")
    )


def _status(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.splits import freeze, lifecycle

    ws = open_workspace(arguments, console)
    if arguments.name:
        _emit(lifecycle.life(ws, arguments.name), console)
    else:
        splits = freeze.all_splits(ws)
        rows = [(s.name, s.benchmark, s.size, s.state, s.manifest_hash[:12]) for s in splits]
        header = (tr("split"), tr("benchmark"), tr("items"), tr("state"), tr("manifest"))
        table = columns(rows, header) if rows else tr("no splits")
        console.emit({"splits": [asdict(split) for split in splits]}, table)


def _emit(life: "SplitLife", console: Console) -> None:
    head = tr(
        "{name} of “{benchmark}”, {items}, manifest {hash}: {state}, {count}.",
        name=life.name,
        benchmark=life.benchmark,
        items=trn("1 item", "{n} items", life.size),
        hash=life.manifest_hash[:12],
        state=life.state,
        count=trn("opened once", "opened {n} times", life.openings),
    )
    rows = [
        (step.at[:19].replace("T", " "), step.state, step.person or "–", step.reason)
        for step in life.steps
    ]
    console.emit(asdict(life), head + "\n" + columns(rows))


def _seal(arguments: argparse.Namespace, console: Console) -> None:
    from core.files import write_json
    from core.workflow.splits import lifecycle

    ws = open_workspace(arguments, console)
    receipt = asdict(lifecycle.seal(ws, arguments.name, arguments.user))
    text = tr("“{name}” is sealed. Its receipt:", name=arguments.name)
    console.emit(receipt, text + "\n" + json.dumps(receipt, ensure_ascii=False, indent=1))
    if arguments.receipt is not None:
        try:
            write_json(arguments.receipt, receipt)
        except OSError as error:
            raise InputError(
                tr(
                    "The split is sealed, but the receipt could not be written to “{path}”: "
                    "{reason}. It is printed above.",
                    path=arguments.receipt,
                    reason=error.strerror or str(error),
                )
            ) from error


def _open(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.splits import lifecycle

    ws = open_workspace(arguments, console)
    life = lifecycle.open_split(ws, arguments.name, arguments.user, arguments.reason)
    _emit(life, console)


def _expire(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.splits import lifecycle

    ws = open_workspace(arguments, console)
    life = lifecycle.expire(ws, arguments.name, arguments.user, arguments.reason)
    _emit(life, console)


COMMANDS = (_add_split,)
