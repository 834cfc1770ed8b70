"""``split push`` and ``split pull``: exports and archives through a storage."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.cli.commands import add_command, open_workspace, the_person
from core.cli.console import Console
from core.i18n import labelled, tr, trn


def add_storage_verbs(verbs: Any) -> None:
    """``push`` and ``pull`` among the commands about splits."""
    pushed = add_command(
        verbs, "push", tr("put an export, a published split or an archive into a storage"), _push
    )
    pushed.add_argument("path", metavar="PATH", type=Path,
                        help=tr("folder of the export, or the archive"))  # fmt: skip
    pushed.add_argument("address", metavar="ADDRESS",
                        help=tr("where to put it, such as s3://bucket/prefix"))  # fmt: skip
    pulled = add_command(
        verbs, "pull", tr("fetch an export or an archive from a storage and check it"), _pull
    )
    pulled.add_argument("address", metavar="ADDRESS", help=tr("where the export or archive is"))
    pulled.add_argument("--out", required=True, type=Path, metavar="PATH",
                        help=tr("new folder of the export, or new file"))  # fmt: skip


def _push(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.sealing import release_storage

    ws = open_workspace(arguments, console)
    done = release_storage.push(ws, arguments.path, arguments.address, the_person(ws))
    text = trn(
        "Sent 1 new file ({bytes} bytes) and checked everything that is there: {place}",
        "Sent {n} new files ({bytes} bytes) and checked everything that is there: {place}",
        done.files, bytes=done.bytes, place=done.place,
    )  # fmt: skip
    console.emit(asdict(done), text)


def _pull(arguments: argparse.Namespace, console: Console) -> int:
    from core.workflow.sealing import release_storage

    done, checked = release_storage.pull(arguments.address, arguments.out)
    problems = checked.differences if checked else ()
    text = trn(
        "Fetched 1 new file ({bytes} bytes) into {place} and checked everything.",
        "Fetched {n} new files ({bytes} bytes) into {place} and checked everything.",
        done.files, bytes=done.bytes, place=done.place,
    )  # fmt: skip
    lines = [text, *(labelled(one.subject, one.detail) for one in problems)]
    lines += [tr("note: {text}", text=note) for note in (checked.notes if checked else ())]
    document = {**asdict(done), "differences": [asdict(one) for one in problems]}
    console.emit(document, "\n".join(lines))
    return 1 if problems else 0
