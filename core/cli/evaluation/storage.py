"""``run push`` and ``run pull``: runs for machines that share no disk, through a storage."""

import argparse
from pathlib import Path

from core.cli.commands import open_workspace, the_person
from core.cli.console import Console
from core.errors import UsageError
from core.i18n import trn

VERBS = ("push", "pull")


def transfer(arguments: argparse.Namespace, console: Console) -> int:
    """Carry out ``push RUN ADDRESS``, of a run of the workspace or a run folder, or
    ``pull RUN ADDRESS``, into the workspace or below ``--out``."""
    from core.jobs import stored_runs
    from core.jobs.folder import RunFolder
    from core.jobs.object_store import ObjectStore

    verb, run, address = arguments.what
    if verb == "push" and arguments.out:
        raise UsageError.tr("--out is for pull.")
    if verb == "push" and (folder := RunFolder(Path(run))).path.is_dir() and folder.has_spec():
        done = stored_runs.push_answers(ObjectStore(address), folder)
    elif arguments.out:
        done = stored_runs.pull(ObjectStore(address), run, Path(arguments.out))
    else:
        from core.workflow.runs import run_storage

        ws = open_workspace(arguments, console)
        act = run_storage.push if verb == "push" else run_storage.pull
        done = act(ws, run, address, the_person(ws))
    said = {
        "push": trn("Run {run}: sent 1 file that is new there ({bytes} bytes).",
                    "Run {run}: sent {n} files that are new there ({bytes} bytes).",
                    done.files, run=done.run, bytes=done.bytes),
        "pull": trn("Run {run}: brought 1 file that is new here ({bytes} bytes).",
                    "Run {run}: brought {n} files that are new here ({bytes} bytes).",
                    done.files, run=done.run, bytes=done.bytes),
    }  # fmt: skip
    console.emit({"run": done.run, "files": done.files, "bytes": done.bytes}, said[verb])
    return 0
