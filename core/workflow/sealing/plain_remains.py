"""What still holds a sealed split's items in plain text: older backups, folders of runs, and
whatever else lay in the workspace's folder before.

The database is rewritten after a sealing, so that none of its pages holds them. What was written
beside it before is named, and an older backup is removed where somebody asks for it: only they know
whether it is needed. Copies in other places (exports, files that were imported) are not known here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from core.workflow.backups import backup_files
from core.workflow.rights import Action, refuse_early
from core.workflow.runs import locked_runs
from core.workflow.splits import item_keys, split_states
from core.workflow.workspace import Workspace
from db import ledger, runs, splits
from db.copies import files
from db.evidence.bindings import BOUND
from db.ledger import LedgerEvent
from db.vocabulary import EventKind

DATABASE, BACKUP, RUN, QUOTED, OTHER = "database", "backup", "run", "quoted", "other"
_TEXTLESS = frozenset(
    ("anchors", "cache/metrics", "cache/surface", "interrupted", "keys", "launchers.toml",
     "public", "receipts")
)  # fmt: skip
"""Places of a workspace's folder in which no text of a private item lies."""
_SEALED = frozenset({"revision", "screening", "answer"})  # tables of evidence that sealing changes


@dataclass(frozen=True, slots=True)
class PlainRemains:
    """A place that holds items in plain text: ``kind`` is ``DATABASE`` (it could not be rewritten
    while others held it), ``BACKUP``, ``RUN`` or ``QUOTED`` (words that somebody wrote of an item;
    the path is its number); ``OTHER`` is none of them, and may hold some."""

    kind: str
    path: str


def clean(ws: Workspace, name: str) -> tuple[PlainRemains, ...]:
    """Rewrite the database without the replaced text; returns what still holds plain text."""
    found = () if ws.compact() else (PlainRemains(DATABASE, ws.address),)
    return (*found, *remains(ws, name))


def remains(ws: Workspace, name: str) -> tuple[PlainRemains, ...]:
    """Older backups, run folders and other files that hold a split's items in plain text; none of a
    split whose items are plain in the database as well."""
    sealing = _last_of_sealing(ws, name)
    if sealing is None:
        return ()
    backups = (PlainRemains(BACKUP, str(path)) for path in _older_backups(ws, sealing))
    return (
        *backups,
        *(PlainRemains(RUN, str(path)) for path in locked_runs.plain_folders(ws, name)),
        *(PlainRemains(OTHER, str(path)) for path in _others(ws, sealing)),
    )


def remove_backups(ws: Workspace, name: str, person: str) -> tuple[str, ...]:
    """Delete the backups that hold a split's items in plain text; their paths.

    RightsError for who may not make backups either.
    """
    refuse_early(ws, person, Action.BACK_UP)
    sealing = _last_of_sealing(ws, name)
    removed = []
    for path in _older_backups(ws, sealing) if sealing is not None else ():
        path.unlink(missing_ok=True)
        removed.append(str(path))
    return tuple(removed)


def _last_of_sealing(ws: Workspace, name: str) -> LedgerEvent | None:
    """The last event of the sealing of a split's items in the database; None for those that are
    plain."""
    if not item_keys.state_of(ws, name).sealed:
        return None
    with ws.reading() as session:
        split_states.split_in(session, name)
        events = ledger.of_subject(session, EventKind.SPLIT, name)
        sealing = next((event for event in events if item_keys.FIELD in event.data), None)
        if sealing is None:
            return None
        last = sealing
        while (event := ledger.event(session, last.id + 1)) and _is_page(event):
            last = event
    return last


def _moment(event: LedgerEvent) -> datetime:
    return datetime.fromisoformat(event.at).astimezone(UTC)


def _is_page(event: LedgerEvent) -> bool:
    """Whether an event is a page of rows that were sealed, and not of something else."""
    return event.kind == EventKind.BOUND and set(event.data.get(BOUND, ())) <= _SEALED


def _others(ws: Workspace, sealing: LedgerEvent) -> Iterator[Path]:
    """What lay in the folder of the workspace before a sealing and is nothing that the workspace
    knows: replies of models, and what was left by whoever was killed. Of a sealing by a clock that
    was behind nobody knows what was before it."""
    sealed_at = (
        datetime.max.replace(tzinfo=UTC) if ledger.CLOCK in sealing.data else _moment(sealing)
    )
    folder, database = ws.place.folder, Path(ws.place.database).name
    with ws.reading() as session:
        known = {ws.runs / row.id for row in runs.all_runs(session)}
        known |= {ws.releases / row.name for row in splits.all_splits(session)}
    known |= {backup.path for backup in backup_files.backups(ws)}
    known |= {folder / f"{database}{end}" for end in ("", "-wal", "-shm")}
    places = [place for path in sorted(folder.iterdir()) for place in _parts(path)]
    for path in places:
        if path not in known and path.relative_to(folder).as_posix() not in _TEXTLESS:
            parts = (path, *path.rglob("*")) if path.is_dir() else (path,)
            if any(_is_older(file, sealed_at) for file in parts):
                yield path


def _parts(path: Path) -> list[Path]:
    """The entries of a folder whose entries are known one by one; any other path itself."""
    is_of_many = path.name in ("backups", "cache", "releases", "runs") and path.is_dir()
    return sorted(path.iterdir()) if is_of_many else [path]


def _is_older(path: Path, moment: datetime) -> bool:
    """Whether a file was written by a moment, or by a clock that is not this one."""
    try:
        if not path.is_file():
            return False
        written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return written <= moment or written > datetime.now(UTC)
    except OSError:  # it has gone meanwhile
        return False


def _older_backups(ws: Workspace, sealing: LedgerEvent) -> Iterator[Path]:
    """The backups without the end of a sealing. A file of a server is not looked into: there the
    clock decides, and one of tomorrow is taken for older."""
    for backup in backup_files.backups(ws):
        if backup.path.suffix == ".db":
            older = not files.holds_event(backup.path, sealing.id, sealing.hash)
        else:
            made = backup.path.stem.rpartition("-")[2].removesuffix("Z")
            moment = datetime.strptime(made, "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC)
            older = moment <= _moment(sealing) or moment > datetime.now(UTC)
        if older:
            yield backup.path
