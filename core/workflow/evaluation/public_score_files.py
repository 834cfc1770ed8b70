"""Public scores that a workspace keeps: CSV files and results of lm_eval in a folder of its own.

They stand beside the runs, so that every screen and report compares with the same public side.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.analysis.public_scores import read_public
from core.errors import InputError, unwritable
from core.files import file_digest, make_private_folder, write_atomic
from core.i18n import tr
from core.report_table import csv_text
from core.sources.tables import read_table
from core.sources.text_files import text_of_file
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.workspace import Workspace
from db import ledger
from db.ledger import NewEvent
from db.vocabulary import EventKind

_ENDINGS = (".csv", ".json")
_MOST = 16 * 2**20


def folder(ws: Workspace) -> Path:
    """Where they lie."""
    return ws.place.folder / "public"


def files(ws: Workspace) -> tuple[Path, ...]:
    """The files with public scores, by name."""
    if not folder(ws).is_dir():
        return ()
    paths = (path for path in folder(ws).iterdir() if path.suffix.lower() in _ENDINGS)
    return tuple(sorted(paths))


def usable_files(ws: Workspace) -> tuple[list[str], list[str]]:
    """The files that hold public scores, and what is off with each of the others."""
    rows, notes = [], []
    for path in files(ws):
        try:
            read_public(path)
        except InputError as error:
            # a report goes to others: it names the file, and not where it lies here
            reason = str(error).replace(str(path), path.name)
            notes.append(tr("{what} The file is excluded.", what=reason))
        else:
            rows.append(str(path))
    return rows, notes


def add(ws: Workspace, source: Path, actor: str = "", sheet: str = "") -> Path:
    """Keep the public scores of a file; InputError for one that holds none.

    A table is kept as CSV in UTF-8, so that nothing has to be chosen when it is read again.

    A file of the same name is replaced: it is the newer version of the same scores. The ledger
    has who brought it, its digest, and the digest of the one before.
    """
    refuse_early(ws, actor, Action.KEEP_PUBLIC_SCORES)
    if not source.is_file():
        raise InputError.tr("There is no file “{path}”.", path=source)
    if source.stat().st_size > _MOST:
        raise InputError.tr("“{path}” is too large to be a table of scores.", path=source)
    rows = read_public(source, sheet)
    if not rows:
        raise InputError.tr("“{path}” contains no public scores.", path=source)
    name, text = _stored_as(source, sheet)
    target = folder(ws) / name
    try:
        make_private_folder(target.parent)
        with writing_as(ws, actor, Action.KEEP_PUBLIC_SCORES) as (session, person):
            events = ledger.of_subject(session, EventKind.PUBLIC_SCORES, name)
            data = {
                "digest": hashlib.sha256(text.encode()).hexdigest(),
                "before": events[-1].data["digest"] if events else None,
                "scores": len(rows),
            }
            event = NewEvent(EventKind.PUBLIC_SCORES, person.name, subject=name, data=data)
            ledger.append(session, event)
            # the file last: an event whose file did not come is found by the next look
            write_atomic(target, text, durable=True)
    except OSError as error:
        raise unwritable(target, error) from error
    return target


def _stored_as(source: Path, sheet: str) -> tuple[str, str]:
    """The name and the text under which a file is kept."""
    if source.suffix.lower() in _ENDINGS:
        return source.name, text_of_file(source)[0]
    table = read_table(source, sheet=sheet)
    cells = [table.texts(place) for place in range(len(table.columns))]
    return f"{source.stem}.csv", csv_text([table.columns, *zip(*cells, strict=True)])


@dataclass(frozen=True, slots=True)
class PublicFile:
    """A kept file; ``by`` and ``at`` are from the ledger, empty for one laid there by hand."""

    name: str
    by: str
    at: str
    digest: str
    changed: bool

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        return {name: getattr(self, name) for name in self.__slots__}


def stored_files(ws: Workspace) -> tuple[PublicFile, ...]:
    """What the folder holds, and whether a file is still what its newest event says."""
    stored = []
    with ws.reading() as session:
        for path in files(ws):
            events = ledger.of_subject(session, EventKind.PUBLIC_SCORES, path.name)
            digest = file_digest(path)
            if events:
                changed = digest != events[-1].data["digest"]
                stored.append(
                    PublicFile(path.name, events[-1].actor, events[-1].at, digest, changed)
                )
            else:
                stored.append(PublicFile(path.name, "", "", digest, changed=False))
    return tuple(stored)


def changed_files(ws: Workspace) -> Iterator[tuple[str, str]]:
    """Files, by name, that were added and then changed past the program, and in which way."""
    for stored in stored_files(ws):
        if stored.changed:
            yield stored.name, tr("its content differs from what was added")
