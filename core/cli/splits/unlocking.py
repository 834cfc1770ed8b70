"""``split unlock`` and ``split lock``, and the options by which a command is given a key."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, ask_passphrase, open_workspace
from core.cli.console import Console
from core.i18n import tr, trn

if TYPE_CHECKING:
    from core.sealing.archive import Unlocking
    from core.workflow.sealing.plain_remains import PlainRemains


def add_keys(parser: argparse.ArgumentParser, *, passphrase: bool = True) -> None:
    """Options for what opens a locked archive, and the items that were sealed with it."""
    parser.add_argument("--identity", action="append", default=[], type=Path, metavar="FILE",
                        help=tr("file with an age identity or a private key of SSH"))  # fmt: skip
    if passphrase:
        parser.add_argument("--passphrase", action="store_true",
                            help=tr("ask for the passphrase, or read the first line of the input"),
                            )  # fmt: skip
    parser.add_argument("--share", action="append", default=[], type=Path, metavar="FILE",
                        help=tr("share of a custodian; repeat it for each"))  # fmt: skip


def unlocking_of(arguments: argparse.Namespace, *, passphrase: bool = True) -> "Unlocking | None":
    """What the command was given, the passphrase asked for; None for nothing."""
    asked = passphrase and arguments.passphrase
    if not (arguments.identity or arguments.share or asked):
        return None
    from core.sealing.archive import Unlocking
    from core.sealing.custodians import read_share
    from core.workflow.sealing.given_keys import identities_of

    identities = identities_of(arguments.identity)
    shares = tuple(map(read_share, arguments.share))
    typed = ask_passphrase(tr("Passphrase of the archive:")) if asked else ""
    return Unlocking(identities, typed, shares)


def add_key_verbs(verbs: Any) -> None:
    """``unlock`` and ``lock`` among the commands about splits."""
    unlocked = add_command(
        verbs, "unlock", tr("unlock the encrypted items of an opened split on this computer"),
        _unlock,
    )  # fmt: skip
    unlocked.add_argument("name", metavar="NAME", help=tr("name of the split"))
    add_keys(unlocked)
    locked = add_command(
        verbs, "lock",
        tr("forget the key of a split's items, and look for plain text that is left"), _lock,
    )  # fmt: skip
    locked.add_argument("name", metavar="NAME", help=tr("name of the split"))
    locked.add_argument(
        "--remove-backups", action="store_true",
        help=tr("delete the backups in the workspace that hold the items in plain text"),
    )  # fmt: skip


def _unlock(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.splits import item_keys

    ws = open_workspace(arguments, console)
    item_keys.unlock(ws, arguments.name, arguments.user, unlocking_of(arguments))
    state = item_keys.state_of(ws, arguments.name)
    text = tr("The items of “{name}” can be read on this computer until they are locked again: "
              "benchseal split lock {name}", name=arguments.name)  # fmt: skip
    if not state.sealed:
        text = tr("The items of “{name}” are not encrypted.", name=arguments.name)
    console.emit({"split": arguments.name, **asdict(state)}, text)


def _lock(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.sealing import plain_remains
    from core.workflow.sealing.quoted_items import quoted_items
    from core.workflow.splits import item_keys

    ws = open_workspace(arguments, console)
    before = item_keys.state_of(ws, arguments.name)
    quoted = quoted_items(ws, arguments.name) if before.sealed and before.here else ()
    was_here = item_keys.lock(ws, arguments.name)
    state = item_keys.state_of(ws, arguments.name)
    removed: tuple[str, ...] = ()
    if arguments.remove_backups:
        removed = plain_remains.remove_backups(ws, arguments.name, arguments.user)
    left = plain_remains.clean(ws, arguments.name) if state.sealed else ()
    left += quoted
    if not state.sealed:
        lines = [tr("The items of “{name}” are not encrypted.", name=arguments.name)]
    elif was_here:
        lines = [tr("The key of “{name}” is no longer on this computer.", name=arguments.name)]
    else:
        lines = [tr("The key of “{name}” was not on this computer.", name=arguments.name)]
    lines += [tr("Deleted: {path}", path=path) for path in removed]
    console.emit(
        {"split": arguments.name, "was_here": was_here, **asdict(state), "removed": list(removed),
         "remains": [asdict(one) for one in left]},
        "\n".join([*lines, *lines_of_remains(left)]),
    )  # fmt: skip


def lines_of_remains(remains: "tuple[PlainRemains, ...]") -> list[str]:
    """What still holds the items in plain text, for people."""
    from core.workflow.sealing.plain_remains import BACKUP, DATABASE, QUOTED, RUN

    if not remains:
        return []
    lines = [trn("1 place still holds items in plain text:",
                 "{n} places still hold items in plain text:", len(remains))]  # fmt: skip
    for one in remains:
        if one.kind == DATABASE:
            text = tr("  {path}: pages of the database that were replaced. Close other programs, "
                      "then: benchseal split lock NAME", path=one.path)  # fmt: skip
        elif one.kind == BACKUP:
            text = tr("  {path}: a backup from before the sealing. To delete it: benchseal split "
                      "lock NAME --remove-backups", path=one.path)  # fmt: skip
        elif one.kind == RUN:
            text = tr("  {path}: a run from before the sealing", path=one.path)
        elif one.kind == QUOTED:
            text = tr("  {path}: a note or comment quotes the item, and stays in the ledger",
                      path=one.path)  # fmt: skip
        else:
            text = tr("  {path}: from before the sealing; it may contain items. Delete it "
                      "if it is not needed.", path=one.path)  # fmt: skip
        lines.append(text)
    return lines
