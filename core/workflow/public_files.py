"""Public scores that a workspace keeps: CSV files and results of lm_eval in a folder of its own.

They stand beside the runs, so that every screen and report compares with the same public side.
"""

from pathlib import Path

from core.analysis.public_scores import read_public
from core.errors import InputError
from core.files import write_atomic
from core.sources.encodings import decode
from core.text import tr
from core.workflow.workspace import Workspace

_ENDINGS = (".csv", ".json")
_MOST = 16 * 2**20


def folder(ws: Workspace) -> Path:
    """Where they lie."""
    return ws.place.folder / "public"


def files(ws: Workspace) -> tuple[Path, ...]:
    """The files with public scores, by name."""
    if not folder(ws).is_dir():
        return ()
    found = (path for path in folder(ws).iterdir() if path.suffix.lower() in _ENDINGS)
    return tuple(sorted(found))


def add(ws: Workspace, source: Path) -> Path:
    """Keep a copy of a file with public scores; InputError for one that holds none.

    A file of the same name is replaced: it is the newer version of the same scores.
    """
    if source.suffix.lower() not in _ENDINGS or not source.is_file():
        raise InputError(tr("“{path}” is no CSV file and no results file of lm_eval.", path=source))
    if source.stat().st_size > _MOST:
        raise InputError(tr("“{path}” is too large for a table of scores.", path=source))
    if not read_public(source):
        raise InputError(tr("“{path}” holds no public scores.", path=source))
    folder(ws).mkdir(exist_ok=True)
    kept = folder(ws) / source.name
    write_atomic(kept, decode(source.read_bytes()))
    return kept
