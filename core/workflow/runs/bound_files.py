"""What the ledger holds of a run folder: a digest of every file that a figure depends on.

When a run starts, its ``spec.json`` and ``work.jsonl`` are bound; when its results are taken in,
every file of the folder but those in ``UNBOUND``, and the Merkle root over its results. From then
on a file that was edited, removed or added is found, and no score is computed from it.
"""

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.errors import InputError, StateError
from core.files import file_digest
from core.i18n import tr, tr_noop
from core.jobs.folder import RunFolder
from core.workflow.workspace import Workspace
from db import ledger
from db.engine import Session
from db.evidence.merkle import merkle_root
from db.ledger import LedgerEvent, NewEvent
from db.vocabulary import EventKind

_ID_FIRST = re.compile(rb'\{"id": "([^"\\]*)"')

FIELD = "files"
REMOVED = "removed"
TAKEN_IN = "taken_in"
"""The field of a run's event with the number of answers, items or scores that were taken in."""
_GIVEN = ("spec.json", "work.jsonl")

UNBOUND: tuple[tuple[str, str], ...] = (
    ("log.txt", tr_noop("the worker's log: no figure depends on it")),
    ("slurm-*.txt", tr_noop("the scheduler's log: no figure depends on it")),
    ("ray-*.txt", tr_noop("the scheduler's log: no figure depends on it")),
    ("server.log", tr_noop("the model server's log: no figure depends on it")),
    ("progress.json", tr_noop("progress of the workers: not needed once they have ended")),
    ("launch.json", tr_noop("how the workers were started: not needed once they have ended")),
    ("job.sh", tr_noop("how the workers were started: not needed once they have ended")),
    ("error.json", tr_noop("why the last worker stopped: no figure depends on it")),
    ("stop", tr_noop("a request to stop: no figure depends on it")),
    ("*.lock", tr_noop("shows that a worker is running; it is empty")),
    ("*.queued", tr_noop("shows that a worker is waiting; it is empty")),
    ("*.spare", tr_noop("disk space that a worker reserves for its final messages")),
    (".*.tmp", tr_noop("a file that was being written when a process was killed")),
)
"""Files of a run folder that are not bound, as patterns of names, each with the reason."""


@dataclass(frozen=True, slots=True)
class BoundFiles:
    """What the ledger says of a run folder. ``named`` maps a file, relative to the folder, to its
    SHA-256; ``whole`` says that these are all its files."""

    run: str
    named: Mapping[str, str]
    whole: bool
    removed: bool
    taken_in: bool


def is_bound(name: str) -> bool:
    """Whether a file of a run folder is one that figures may depend on."""
    last = name.rpartition("/")[2]
    return not any(fnmatch(last, pattern) for pattern, _ in UNBOUND)


def files_at_start(folder: Path) -> dict[str, Any]:
    """What an event says of the files that a run is started with; nothing where its worker is yet
    to write them, since it comes after another run."""
    if RunFolder(folder).spec().after:
        return {"named": {}}
    return {"named": {name: file_digest(folder / name) for name in _GIVEN}}


def taken_in(folder: Path) -> dict[str, Any]:
    """What an event says of the whole folder of a run whose results are taken in.

    Ask it before the results are read: what changes in between is then found as a change.
    """
    named = {name: file_digest(folder / name) for name in _names(folder) if is_bound(name)}
    entries = results(folder)
    return {"named": named, "root": merkle_root(entries), "results": len(entries)}


def event(run_id: str, count: int, files: Mapping[str, Any]) -> NewEvent:
    """The event by which ``count`` results of a run are taken in, with its ``files``."""
    return NewEvent(EventKind.RUN, "", subject=run_id, data={TAKEN_IN: count, FIELD: dict(files)})


def results(folder: Path) -> list[bytes]:
    """The line of every result in the shards as it was written, by id: the leaves of the Merkle
    tree. Of two lines for one id the first counts, and a torn last line does not.

    The lines are not parsed: a report of 100,000 answers takes them in within its two seconds.
    InputError where a shard is damaged.
    """
    lines: dict[str, bytes] = {}
    run = RunFolder(folder)
    for name in run.shard_names():
        with run.files.open(name) as handle:
            for line in handle:
                if line.endswith(b"\n") and line.strip():
                    lines.setdefault(_id_of(line, folder / name), line[:-1])
    return [lines[id_] for id_ in sorted(lines)]


def _id_of(line: bytes, path: Path) -> str:
    if (match := _ID_FIRST.match(line)) is not None:
        return match[1].decode("utf-8", "surrogateescape")
    try:
        return str(json.loads(line)["id"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError.tr(
            "“{path}” is damaged. Restore it from a backup, or remove it and resume the run.",
            path=path
        ) from error  # fmt: skip


def _names(folder: Path) -> Iterator[str]:
    """The files below a folder, links among them, by their relative names, in order."""
    for place, folders, files in os.walk(folder):
        folders.sort()
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        for name in sorted([*files, *links]):
            yield (Path(place) / name).relative_to(folder).as_posix()


def recorded_files(session: Session, run_id: str) -> BoundFiles:
    """What the ledger says of the folder of a run."""
    return bound_by(run_id, ledger.of_subject(session, EventKind.RUN, run_id))


def bound_by(run_id: str, events: Sequence[LedgerEvent]) -> BoundFiles:
    """As ``recorded_files``, from the events of the run, oldest first."""
    named: dict[str, str] = {}
    whole = removed = is_taken_in = False
    for event in events:
        if REMOVED in event.data:
            removed = True
        if "asked_again" in event.data:
            # the worker writes from here on, until the results are taken in again
            named = {name: digest for name, digest in named.items() if name in _GIVEN}
            whole = is_taken_in = False
        is_taken_in = is_taken_in or TAKEN_IN in event.data
        files = event.data.get(FIELD)
        if isinstance(files, dict):
            if "root" in files:
                named, whole = {}, True
            named |= files.get("named", {})
    return BoundFiles(run_id, named, whole, removed, is_taken_in)


def differences(folder: Path, files: BoundFiles) -> Iterator[tuple[str, str]]:
    """(file, what is wrong) for everything in a run folder that is not as the ledger says."""
    for name, digest in files.named.items():
        if (detail := difference(folder / name, digest)) is not None:
            yield name, detail
    if files.whole:
        for name in _names(folder):
            if is_bound(name) and name not in files.named:
                yield name, tr("The file was not there when the results were taken in.")


def difference(path: Path, digest: str) -> str | None:
    """What is wrong with a file that should have a digest; None for a sound one."""
    try:
        status = path.lstat()
    except OSError:
        return tr("The file is missing.")
    if not stat.S_ISREG(status.st_mode):
        return tr("The file was replaced by a link or another kind of file.")
    try:
        same = _digest_of(path, _look(status)) == digest
    except OSError as error:
        return tr("The file cannot be read: {reason}.", reason=error.strerror or error)
    return None if same else tr("The file has changed since the ledger recorded it.")


def _look(status: os.stat_result) -> tuple[int, ...]:
    # the time of the last change of the inode cannot be set back by whoever edits a file
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


@lru_cache(maxsize=4096)
def _digest_of(path: Path, look: tuple[int, ...]) -> str:
    del look
    return file_digest(path)


def is_sound(ws: Workspace, run_id: str) -> bool:
    """Whether nothing of a run's folder was changed after its results were taken in."""
    try:
        refuse_changed(ws, run_id)
    except StateError:
        return False
    return True


def refuse_changed(ws: Workspace, run_id: str) -> None:
    """StateError for a run whose folder is no longer as it was taken in: it has no scores."""
    with ws.reading() as session:
        files = recorded_files(session, run_id)
    folder = ws.runs / run_id
    changes = list(differences(folder, files)) if files.whole else []
    if changes:
        name, detail = changes[0]
        raise StateError.tr(
            "The results of run “{run}” were changed after they were taken in, so it has no "
            "scores. {file}: {detail} Restore the folder from a backup, or remove the run: "
            "benchseal run remove {run} --reason REASON",
            run=run_id,
            file=folder / name,
            detail=detail,
        )
