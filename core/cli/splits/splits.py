"""Commands about the life of a frozen split: where it stands, sealing, opening, expiring, and its
receipts."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, add_group, open_workspace
from core.cli.console import Console, columns
from core.cli.splits.stored_releases import add_storage_verbs
from core.cli.splits.unlocking import add_key_verbs, add_keys, unlocking_of
from core.errors import InputError
from core.i18n import listed, printed_time, tr, trn

if TYPE_CHECKING:
    from core.workflow.splits.lifecycle import SplitLife
    from core.workflow.splits.receipts import Receipt


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
    receipt = add_command(
        verbs, "receipt", tr("issue the receipt of a split again, as of now"), _receipt
    )
    receipt.add_argument("name", metavar="NAME", help=tr("name of the split"))
    receipt.add_argument(
        "--out", type=Path, metavar="FILE", help=tr("write the receipt to this file")
    )
    sheet = add_command(
        verbs, "datasheet", tr("write a datasheet and a Croissant description"), _datasheet
    )
    sheet.add_argument("name", metavar="NAME", help=tr("name of the split"))
    sheet.add_argument("--out", type=Path, required=True, metavar="DIR",
                       help=tr("folder to write them into"))  # fmt: skip
    sheet.add_argument("--license", default="", metavar="URL",
                       help=tr("address of the license of the items"))  # fmt: skip
    sheet.add_argument("--address", default="", metavar="URL",
                       help=tr("where the benchmark is described"))  # fmt: skip
    published = add_command(
        verbs, "publish", tr("write an expired split as a public data set with its proof"), _publish
    )
    published.add_argument("name", metavar="NAME", help=tr("name of the split"))
    published.add_argument("--out", type=Path, required=True, metavar="DIR",
                           help=tr("folder to write it into"))  # fmt: skip
    published.add_argument(
        "--license", required=True, metavar="NAME",
        help=tr("license of the items, such as cc-by-4.0, or its address"),
    )  # fmt: skip
    published.add_argument("--address", default="", metavar="URL",
                           help=tr("where the benchmark is described"))  # fmt: skip
    errata = add_command(
        verbs, "errata", tr("write the errata of a split as a signed file beside its archive"),
        _errata,
    )  # fmt: skip
    errata.add_argument("name", metavar="NAME", help=tr("name of the split"))
    errata.add_argument("--out", type=Path, required=True, metavar="FILE",
                        help=tr("file to write"))  # fmt: skip
    add_key_verbs(verbs)
    add_storage_verbs(verbs)
    for verb in (opened, expired, errata):
        add_keys(verb)
    for verb in (sealed, opened, expired):
        verb.add_argument("name", metavar="NAME", help=tr("name of the split"))
    sealed.add_argument(
        "--receipt", type=Path, metavar="FILE", help=tr("write the receipt to this file")
    )
    sealed.add_argument(
        "--once",
        action="store_true",
        help=tr("each model is evaluated once for each opening; no export"),
    )
    opened.add_argument("--model", default="", metavar="M",
                        help=tr("model it is opened for, as evaluate names it"))  # fmt: skip
    opened.add_argument(
        "--reason", required=True, metavar="REASON", help=tr("reason; recorded in the ledger")
    )
    expired.add_argument(
        "--reason", default="", metavar="REASON", help=tr("reason; recorded in the ledger")
    )


def _errata(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.sealing.sealed_errata import write_errata

    ws = open_workspace(arguments, console)
    written = write_errata(ws, arguments.name, arguments.out, unlocking=unlocking_of(arguments))
    text = trn(
        "Wrote 1 erratum to {path}, signed by {key}.",
        "Wrote {n} errata to {path}, signed by {key}.",
        written.errata,
        path=written.path,
        key=written.key_id[:12],
    )
    console.emit(asdict(written), text)


def _status(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.splits import freeze, lifecycle

    ws = open_workspace(arguments, console)
    if arguments.name:
        _emit(lifecycle.split_life(ws, arguments.name), console)
    else:
        splits = freeze.all_splits(ws)
        rows = [(s.name, s.benchmark, s.size, s.state, s.manifest_hash[:12]) for s in splits]
        header = (tr("split"), tr("benchmark"), tr("items"), tr("state"), tr("manifest"))
        table = columns(rows, header) if rows else tr("no splits")
        console.emit({"splits": [asdict(split) for split in splits]}, table)


def _emit(life: "SplitLife", console: Console) -> None:
    from core.workflow.labels import SPLIT_STATES, word

    head = tr(
        "{name} of “{benchmark}”, {items}, manifest {hash}: {state}, {count}.",
        name=life.name,
        benchmark=life.benchmark,
        items=trn("1 item", "{n} items", life.size),
        hash=life.manifest_hash[:12],
        state=word(SPLIT_STATES, life.state),
        count=listed(
            (
                trn("opened once", "opened {n} times", life.openings),
                trn("evaluated once", "evaluated {n} times", life.evaluations),
            )
        ),
    )
    rows = [
        (
            printed_time(step.at),
            word(SPLIT_STATES, step.state),
            step.person or "–",
            step.reason,
            step.model,
        )
        for step in life.steps
    ]
    text = head + "\n" + columns(rows)
    if life.policy:
        text += "\n" + tr("Each model is evaluated once for each opening.")
    if life.encrypted:
        text += "\n" + (
            tr("The items are encrypted in the workspace. Their key is on this computer.")
            if life.key_here
            else tr("The items are encrypted in the workspace. Their key is not on this computer.")
        )
    if life.readings:
        uses = [
            (printed_time(entry.at), entry.title,
             entry.person or "–", trn("1 item", "{n} items", entry.items), entry.detail)
            for entry in life.readings
        ]  # fmt: skip
        text += "\n" + columns(uses, (tr("time"), tr("use"), tr("who"), "", ""))
    if life.archives:
        locked = [
            (printed_time(note.at), note.person, note.root[:12], note.openers)
            for note in life.archives
        ]
        text += "\n" + columns(locked, (tr("locked archive"), tr("who"), tr("root"), ""))
    console.emit({**asdict(life), "evaluations": life.evaluations}, text)


def _seal(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.splits import lifecycle, openings, receipts

    ws = open_workspace(arguments, console)
    policy = openings.ONCE if arguments.once else ""
    receipt = lifecycle.seal(ws, arguments.name, arguments.user, policy)
    # on the disk before anybody hears that the split is sealed
    failure = _write(receipt, arguments.receipt)
    path = ws.receipts / receipts.file_name(arguments.name, receipt.last_event)
    head = tr("“{name}” is sealed. Its receipt, of which a copy belongs outside the workspace, is "
              "in {path}:", name=arguments.name, path=path)  # fmt: skip
    console.emit(receipts.as_json(receipt), head + "\n" + receipts.text_of(receipt).rstrip())
    if failure is not None:
        raise InputError.tr(
            "The split is sealed, but the receipt could not be written to “{path}”: "
            "{reason}. It is printed above.",
            path=arguments.receipt,
            reason=failure.strerror or str(failure),
        ) from failure


def _write(receipt: "Receipt", path: Path | None) -> OSError | None:
    """Write a receipt to the file that was asked for; why that was impossible, if it was."""
    from core.workflow.splits import receipts

    if path is not None:
        try:
            receipts.write(path, receipt)
        except OSError as error:
            return error
    return None


def _receipt(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.splits import receipts

    ws = open_workspace(arguments, console)
    receipt, restored = receipts.issue_again(ws, arguments.name)
    failure = _write(receipt, arguments.out)
    for path in restored:
        console.say(tr("A missing receipt was written again: {path}", path=path))
    console.emit(receipts.as_json(receipt), receipts.text_of(receipt).rstrip())
    if arguments.out is not None and failure is None:
        console.say(tr("Written: {paths}.", paths=arguments.out))
    if failure is not None:
        reason = failure.strerror or str(failure)
        raise InputError.tr(
            "Could not write “{path}”: {reason}.", path=arguments.out, reason=reason
        ) from failure


def _datasheet(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.splits import datasheets

    ws = open_workspace(arguments, console)
    written = datasheets.write(
        ws, arguments.name, arguments.out, license_url=arguments.license,
        address=arguments.address,
    )  # fmt: skip
    paths = [str(path) for path in written]
    text = tr("Written: {paths}.", paths=listed(paths))
    console.emit({"split": arguments.name, "files": paths}, text)


def _publish(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.sealing.publish import publish

    ws = open_workspace(arguments, console)
    written = publish(
        ws, arguments.name, arguments.out, person=arguments.user, license=arguments.license,
        address=arguments.address,
    )  # fmt: skip
    text = trn(
        "Wrote 1 item of “{name}” as a public data set to {path}.",
        "Wrote {n} items of “{name}” as a public data set to {path}.",
        written.items,
        name=written.split,
        path=written.path,
    )
    root = tr("Its items give the root {root}.", root=written.root)
    console.emit(asdict(written), f"{text}\n{root}" if written.root else text)


def _open(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.splits import lifecycle

    ws = open_workspace(arguments, console)
    life = lifecycle.open_split(
        ws, arguments.name, arguments.user, arguments.reason, arguments.model,
        unlocking_of(arguments),
    )  # fmt: skip
    _emit(life, console)


def _expire(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.splits import lifecycle

    ws = open_workspace(arguments, console)
    life = lifecycle.expire(
        ws, arguments.name, arguments.user, arguments.reason, unlocking_of(arguments)
    )
    _emit(life, console)


COMMANDS = (_add_split,)
