"""What a report wrote into its folder: kept as a list, so that a later report cleans up after it.

``data/files.json`` names every file beside the page with its digests. A file that is no longer
part of the report goes only if it still holds what a report wrote there; whatever else lies in the
folder is nobody's business but its owner's. At any moment of being killed, the list knows every
file, the page is the old or the new one, and the next report finishes the cleaning.
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.bounded_json import read_document
from core.files import file_digest, write_atomic, write_json

LIST = "data/files.json"
_OURS = re.compile(r"data/[a-z0-9_-]+\.(csv|tex|svg|json)")

Known = dict[str, list[str]]
"""SHA-256 of what was written, by path in the folder; two while one replaces the other."""


def replace_files(folder: Path, texts: Mapping[str, str], page: str) -> tuple[str, ...]:
    """Write these files and ``index.html`` over an earlier report, and remove what it had besides.

    Returns what was removed. Raises OSError.
    """
    (folder / "data").mkdir(parents=True, exist_ok=True)
    before = known_files(folder)
    new = {path: [hashlib.sha256(text.encode()).hexdigest()] for path, text in texts.items()}
    both = {p: sorted({*before.get(p, ()), *new.get(p, ())}) for p in {**before, **new}}
    write_json(folder / LIST, both, for_others=True)
    for path, text in texts.items():
        write_atomic(folder / path, text, for_others=True)
    write_atomic(folder / "index.html", page, for_others=True)
    removed = tuple(path for path in sorted(before) if path not in new)
    for path in removed:
        if _still_ours(folder / path, before[path]):
            (folder / path).unlink()
    write_json(folder / LIST, new, for_others=True)
    return removed


def _still_ours(path: Path, digests: list[str]) -> bool:
    return path.is_file() and not path.is_symlink() and file_digest(path) in digests


def known_files(folder: Path) -> Known:
    """What an earlier report wrote; empty where there is none or its list is not ours to follow."""
    try:
        listed: Any = read_document(folder / LIST)
    except (OSError, ValueError):
        return {}
    if not isinstance(listed, dict):
        return {}
    return {
        path: [str(digest) for digest in digests]
        for path, digests in listed.items()
        if _OURS.fullmatch(path) and isinstance(digests, list)
    }
