"""``backup``, ``restore`` and ``copy``: a workspace saved, put back, and moved whole."""

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from core.cli.commands import add_command, open_with_password, open_workspace, the_location
from core.cli.commands import refuse_password_in as refuse_password
from core.cli.console import Console, columns
from core.i18n import tr, trn


def _add_backup(commands: Any) -> None:
    parser = add_command(commands, "backup", tr("back up the workspace; the newest 30 backups "
                                                "are kept"),
                         _backup)  # fmt: skip
    parser.add_argument("--list", action="store_true", help=tr("list the backups instead"))
    parser.add_argument("--user", metavar="U", default="", help=tr("who does it"))


def _backup(arguments: argparse.Namespace, console: Console) -> int:
    from core.workflow.backups import backup_files

    ws = open_workspace(arguments, console)
    if arguments.list:
        found = backup_files.backups(ws)
        listed = [{"file": str(one.path), "bytes": one.size} for one in found]
        rows = [(str(one.path), one.size) for one in found]
        heads = (tr("file"), tr("bytes"))
        text = columns(rows, heads) if rows else tr("There is no backup yet.")
        console.emit({"backups": listed}, text)
        return 0
    made = backup_files.make(ws)
    document = {"file": str(made.path), "bytes": made.size, "events": made.events,
                "problem": made.problem}  # fmt: skip
    if made.problem:
        text = tr("Backed up to {path}, but the workspace is not sound: {detail}",
                  path=made.path, detail=made.problem)  # fmt: skip
    elif made.events is None:
        text = tr("Backed up to {path}.", path=made.path)
    else:
        text = trn("Backed up to {path}: verified, 1 event.",
                   "Backed up to {path}: verified, {n} events.",
                   made.events, path=made.path)  # fmt: skip
    console.emit(document, text)
    return 1 if made.problem else 0


def _add_restore(commands: Any) -> None:
    parser = add_command(commands, "restore", tr("replace the workspace with a backup"),
                         _restore)  # fmt: skip
    parser.add_argument("file", type=Path, metavar="FILE", help=tr("the backup"))


def _restore(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.backups import backup_files
    from core.workflow.workspace import shown_address

    location = the_location(arguments)
    events, before = open_with_password(
        partial(backup_files.restore, arguments.file.absolute()), location
    )
    place = shown_address(location)
    text = tr("Restored {file} to {place}.", file=arguments.file, place=place)
    if before is not None:
        text += " " + tr("The database that was there is kept as {path}.", path=before)
    if events is None:
        text += " " + tr("Everybody needs a new password: benchseal people reset NAME")
    document = {"workspace": place, "events": events, "before": str(before) if before else None}
    console.emit(document, text)


def _add_copy(commands: Any) -> None:
    parser = add_command(
        commands, "copy", tr("copy a whole workspace, also between SQLite and PostgreSQL"), _copy
    )
    parser.add_argument("source", metavar="A", help=tr("the workspace"))
    parser.add_argument("target", metavar="B",
                        help=tr("where there is none yet: a folder, a file or an empty "
                                "database"))  # fmt: skip
    parser.add_argument("--user", metavar="U", default="", help=tr("who does it"))


def _copy(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.backups import copies
    from core.workflow.workspace import shown_address

    refuse_password(arguments.target)
    arguments.workspace = arguments.source
    ws = open_workspace(arguments, console)
    copied = open_with_password(partial(copies.copy, ws), arguments.target)
    place = shown_address(arguments.target)
    document = {
        "from": ws.address, "to": place, "rows": copied.rows, "folders": list(copied.folders),
        "tables": {name: {"rows": count, "digest": digest}
                   for name, (count, digest) in copied.tables.items()},
    }  # fmt: skip
    lines = [
        trn("Copied 1 row to {place}; the ledger and every table are equal there.",
            "Copied {n} rows to {place}; the ledger and every table are equal there.",
            copied.rows, place=place),
    ]  # fmt: skip
    if "://" in arguments.target:
        lines.append(tr("Give it logins: benchseal init --lead NAME --workspace {place}",
                        place=place))  # fmt: skip
    console.emit(document, "\n".join(lines))


COMMANDS = (_add_backup, _add_restore, _add_copy)
