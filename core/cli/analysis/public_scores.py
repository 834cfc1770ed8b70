"""``analyze public``: the public scores that a workspace keeps to compare with."""

import argparse
from pathlib import Path
from typing import Any

from core.cli.commands import add_command, open_workspace
from core.cli.console import Console, columns
from core.cli.options import add_sheet
from core.i18n import printed_time, tr


def add_public(kinds: Any) -> None:
    """The grammar of the command."""
    parser = add_command(
        kinds, "public", tr("store public scores to compare with, or list the stored ones"), _public
    )
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE",
        help=tr(
            "table with model, domain, accuracy; results of lm_eval; or record of Every Eval Ever"
        ),
    )
    add_sheet(parser)


def _public(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.evaluation import public_score_files

    ws = open_workspace(arguments, console)
    added = [
        public_score_files.add(ws, path, arguments.user, arguments.sheet).name
        for path in arguments.files
    ]
    files = public_score_files.stored_files(ws)
    rows = [
        (
            one.name,
            one.by or "–",
            printed_time(one.at),
            one.digest[:12],
            tr("changed since then") * one.changed,
        )
        for one in files
    ]
    header = (tr("file"), tr("added by"), tr("at"), tr("digest"), "")
    text = columns(rows, header) if rows else tr("The workspace has no public scores.")
    console.emit({"added": added, "kept": [one.as_json() for one in files]}, text)
