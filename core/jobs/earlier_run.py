"""Runs that come after another: what that one made is their work.

The folder of the earlier run lies beside that of the later one, which names it in ``spec.after``.
The later run may be started while the earlier one goes on: a scheduler is told to wait, and on this
machine each worker is started as this module, which waits and then becomes the worker. The worker
that begins first writes ``work.jsonl``.
"""

import argparse
import fcntl
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from core.errors import InputError, NotFoundError, StateError
from core.guarded_folder import GuardedFolder
from core.jobs.folder import RunFolder, RunSpec, write_rows
from core.jobs.launch_record import LaunchRecord, queued_name, read_launch
from core.own_process import module_command

LOOK_EVERY = 0.5  # seconds between two looks at the earlier run


@runtime_checkable
class WorksAfter(Protocol):
    """A run kind whose work may be what another run made."""

    def work_after(self, earlier: RunFolder, params: Any) -> Iterator[dict[str, Any]]:
        """The work items that a finished run gives, always the same ones, each ``id`` once."""


def name_of_earlier(folder: RunFolder) -> str:
    """The run that this one comes after; empty for none, and where the folder does not say."""
    try:
        return folder.spec().after
    except (InputError, NotFoundError):
        return ""


def earlier_of(folder: RunFolder) -> RunFolder:
    """The folder of the run that this one comes after."""
    return RunFolder(folder.path.resolve().parent / folder.spec().after)


def launch_to_wait_for(folder: RunFolder) -> LaunchRecord | None:
    """How the earlier run was started; None where there is nothing to wait for.

    StateError where the earlier run ended unfinished: nobody works on it.
    """
    if not folder.spec().after:
        return None
    earlier = earlier_of(folder)
    if earlier.result() is not None:
        return None
    launch = read_launch(earlier.path)
    if launch is None or not earlier.is_running():
        raise _unfinished(earlier)
    return launch


def spec_with_work(folder: RunFolder, kind: object, params: Any) -> RunSpec:
    """The spec of a run whose work is there: where it comes after another run, the first worker
    writes it, and the others wait for that.

    StateError where the earlier run is not finished, InputError for a kind that comes after none.
    """
    spec = folder.spec()
    if not spec.after or spec.total:
        return spec
    earlier = earlier_of(folder)
    if not earlier.has_spec() or earlier.result() is None:
        raise _unfinished(earlier)
    earlier.files.require_own()
    if not isinstance(kind, WorksAfter):
        raise InputError.tr(
            "The parameters of the run in “{path}” do not match its kind.", path=folder.path
        )
    with folder.files.append_to("work.lock") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        spec = folder.spec()
        if not spec.total:
            total = write_rows(folder.files, "work.jsonl", kind.work_after(earlier, params))
            spec = spec.model_copy(update={"total": total})
            folder.write_spec(spec)
    return spec


def _unfinished(earlier: RunFolder) -> StateError:
    return StateError.tr(
        "Run “{run}”, whose results are needed here, ended unfinished. Resume it first.",
        run=earlier.path.name,
    )


def waiting_command(command: Sequence[str], folder: Path, shard: int) -> list[str]:
    """The command that waits until the earlier run has ended and then becomes ``command``."""
    return module_command(
        "core.jobs.earlier_run", "--folder", str(folder), "--shard", str(shard), "--", *command
    )


def wait_for_earlier(folder: RunFolder) -> bool:
    """Wait until the earlier run has ended; False when this one was told to stop before."""
    earlier = earlier_of(folder)
    while not folder.files.has("stop"):
        if earlier.result() is not None or not earlier.is_running():
            return True
        time.sleep(LOOK_EVERY)
    return False


def main(arguments: Sequence[str]) -> None:
    """Wait, then become the command; returns when told to stop before."""
    parser = argparse.ArgumentParser(prog="core.jobs.earlier_run")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--shard", type=int, required=True)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args(arguments)
    files, mark = GuardedFolder(options.folder), queued_name(options.shard)
    files.write(mark, f"{os.getpid()}\n")
    try:
        ended = wait_for_earlier(RunFolder(options.folder))
    finally:
        files.remove(mark)
    if ended:
        os.execv(options.command[0], options.command)  # noqa: S606 - it is the worker


if __name__ == "__main__":
    main(sys.argv[1:])
