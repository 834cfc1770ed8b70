"""``seal`` and ``unseal``: a split as one locked, signed file, and back."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, ask_passphrase, open_workspace, the_person
from core.cli.console import Console
from core.cli.options import add_user
from core.cli.splits.unlocking import add_keys, lines_of_remains, unlocking_of
from core.errors import InputError
from core.i18n import labelled, tr, trn

if TYPE_CHECKING:
    from core.workflow.sealing.locked_archives import LockedArchive


def _add_seal(commands: Any) -> None:
    text = tr("write a split as one locked, signed archive; a frozen split is sealed by it")
    parser = add_command(commands, "seal", text, _seal)
    parser.add_argument("name", metavar="SPLIT", help=tr("name of the split"))
    parser.add_argument("--out", required=True, type=Path, metavar="FILE",
                        help=tr("the archive; a new file"))  # fmt: skip
    parser.add_argument("--recipient", action="append", default=[], metavar="age1…",
                        help=tr("age recipient or SSH public key that can open it; can be "
                                "repeated"))  # fmt: skip
    parser.add_argument("--recipients", type=Path, metavar="FILE",
                        help=tr("file with one recipient per line"))  # fmt: skip
    parser.add_argument("--passphrase", action="store_true",
                        help=tr("protect it with a passphrase, which is prompted for or read "
                                "from the first line of the input"))  # fmt: skip
    parser.add_argument("--custodians", default="", metavar="K/N",
                        help=tr("K of N custodians must combine their shares to open it; for "
                                "example 2/3"),
                        )  # fmt: skip
    parser.add_argument("--shares", type=Path, metavar="DIR",
                        help=tr("folder for the custodians' shares, a file for each"))  # fmt: skip
    parser.add_argument("--period", default="", metavar="TEXT",
                        help=tr("evaluation period, such as 2026-07/2026-12"))  # fmt: skip
    parser.add_argument(
        "--once",
        action="store_true",
        help=tr("allow one evaluation per model and opening, and no exports"),
    )
    parser.add_argument("--cutoff", default="", metavar="DATE",
                        help=tr("training cutoff: models whose data end before this day cannot "
                                "have seen the items"),
                        )  # fmt: skip
    parser.add_argument(
        "--keep-plain",
        action="store_true",
        help=tr("leave the items in the workspace's database in plain text"),
    )
    add_keys(parser, passphrase=False)
    add_user(parser, tr("who seals it; recorded in the ledger"))


def _seal(arguments: argparse.Namespace, console: Console) -> None:
    from core.sealing.archive import Locks
    from core.sealing.custodians import CustodyRule
    from core.workflow.sealing import locked_archives
    from core.workflow.splits import openings

    ws = open_workspace(arguments, console)
    recipients = [*arguments.recipient, *_recipients(arguments.recipients)]
    custody = CustodyRule.parse(arguments.custodians) if arguments.custodians else None
    passphrase = (
        ask_passphrase(tr("Passphrase of the archive:"), twice=True) if arguments.passphrase else ""
    )
    if arguments.passphrase and not passphrase:
        raise InputError.tr("No passphrase was given.")
    order = locked_archives.SealOrder(
        arguments.out, Locks(tuple(recipients), passphrase, custody), arguments.shares,
        arguments.period, arguments.cutoff, openings.ONCE if arguments.once else "",
        arguments.keep_plain, unlocking_of(arguments, passphrase=False),
    )  # fmt: skip
    locked = locked_archives.seal(ws, arguments.name, the_person(ws), order)
    console.emit(locked_archives.as_json(locked), "\n".join(_lines(locked)))


def _lines(locked: "LockedArchive") -> list[str]:
    lines = [
        trn("Locked 1 item of “{name}” in {path}.", "Locked {n} items of “{name}” in {path}.",
            locked.items, name=locked.split, path=locked.path),
        tr("root {hash}", hash=locked.root),
        tr("signed by the key {key}", key=locked.key_id),
    ]  # fmt: skip
    if locked.shares:
        lines.append(tr("Shares, one for each custodian. Hand them over and delete them here:"))
        lines += [f"  {path}" for path in locked.shares]
    if locked.encrypted:
        lines.append(tr("The items in the workspace are encrypted for whoever can open the "
                        "archive. Without a key that opens it they are lost."))  # fmt: skip
    else:
        lines.append(tr("The items in the workspace's database stay in plain text."))
    return lines + lines_of_remains(locked.remains)


def _recipients(path: Path | None) -> list[str]:
    from core.workflow.sealing.given_keys import text_of

    lines = [] if path is None else text_of(path).splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _add_unseal(commands: Any) -> None:
    text = tr("open a locked archive and check every item, without a workspace")
    parser = add_command(commands, "unseal", text, _unseal)
    parser.add_argument("file", metavar="FILE", type=Path, help=tr("the archive"))
    add_keys(parser)
    parser.add_argument("--out", type=Path, metavar="FILE",
                        help=tr("write the items to this file, in plain text; without it they are "
                                "only checked"))  # fmt: skip


def _unseal(arguments: argparse.Namespace, console: Console) -> int:
    from core.sealing.archive import Unlocking
    from core.workflow.sealing import locked_archives

    unlocking = unlocking_of(arguments) or Unlocking()
    checked = locked_archives.unseal(arguments.file, unlocking, arguments.out)
    document = {"archive": str(arguments.file), "sound": checked.sound,
                "items": checked.manifest.get("items", 0),
                "out": str(arguments.out or ""),
                "differences": [
                    {"subject": one.subject, "detail": one.detail} for one in checked.differences
                ]}  # fmt: skip
    if not checked.sound:
        lines = [tr("The archive is not as it was sealed; nothing was written."),
                 *(labelled(one.subject, one.detail) for one in checked.differences)]  # fmt: skip
        console.emit(document, "\n".join(lines))
        return 1
    count = int(checked.manifest.get("items", 0))
    if arguments.out is None:
        text = trn(
            "The only item is as it was sealed.", "All {n} items are as they were sealed.", count
        )
    else:
        text = trn("Wrote 1 item to {out}, in plain text.", "Wrote {n} items to {out}, in plain "
                   "text.", count, out=arguments.out)  # fmt: skip
    console.emit(document, text)
    return 0


COMMANDS = (_add_seal, _add_unseal)
