"""arXiv metadata in the JSON lines of the Kaggle snapshot, streamed: it may have gigabytes."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

from core.bounded_json import parse_json
from core.errors import InputError
from core.files import open_regular
from core.sources.articles.identifiers import without_version

_ID = re.compile(rb'"id"\s*:\s*"([^"\\]{1,60})"')
_LINE = 16 * 2**20
"""A line longer than this is not a record."""


@dataclass(frozen=True)
class Metadata:
    """One record. ``submitted`` is the day of version 1 in UTC; None where the record has none."""

    id: str
    title: str
    categories: tuple[str, ...]
    submitted: date | None
    versions: tuple[str, ...] = ()


def looks_like_metadata(line: str) -> bool:
    """Is this line one record: an object with an id, categories, and no text of an article?"""
    try:
        row = parse_json(line)
    except ValueError:
        return False
    return isinstance(row, dict) and "id" in row and "categories" in row and "text" not in row


def read_metadata(
    path: Path,
    wanted: Iterable[str] | None = None,
    on_bad: Callable[[int], None] | None = None,
) -> dict[str, Metadata]:
    """Records by arXiv id without version; only those ``wanted``, when given.

    A line that is not a record is left out and its number, from 1, given to ``on_bad``. Raises
    ``InputError`` when the file cannot be opened.
    """
    ids = None if wanted is None else {without_version(name) for name in wanted}
    records: dict[str, Metadata] = {}
    if ids is not None and not ids:
        return records
    try:
        with open_regular(path) as handle:
            number = 0
            while line := handle.readline(_LINE):
                number += 1
                record = _record(line, ids)
                if record is not None:
                    records[record.id] = record
                elif on_bad and line.strip() and not _ID.search(line):
                    on_bad(number)
    except OSError as error:
        raise InputError.tr(
            "Could not read the metadata file {path}: {error}.",
            path=path,
            error=error.strerror or error,
        ) from error
    return records


def _record(line: bytes, ids: set[str] | None) -> Metadata | None:
    identifier = _ID.search(line)
    if not identifier or (ids is not None and _text(identifier[1]) not in ids):
        return None
    try:
        row = parse_json(line)
    except ValueError:
        return None
    return metadata_of(row) if isinstance(row, dict) else None


def _text(raw: bytes) -> str:
    return without_version(raw.decode("utf-8", "replace"))


def metadata_of(row: dict[str, Any]) -> Metadata | None:
    """The record in one JSON object; None without an id."""
    identifier = row.get("id")
    if not isinstance(identifier, str) or not identifier:
        return None
    categories = row.get("categories") or ""
    if isinstance(categories, list):
        categories = " ".join(str(category) for category in categories)
    versions = [v for v in row.get("versions") or [] if isinstance(v, dict)]
    first = next((v.get("created") for v in versions if v.get("version") == "v1"), None)
    return Metadata(
        id=without_version(identifier),
        title=" ".join(str(row.get("title") or "").split()),
        categories=tuple(str(categories).split()),
        submitted=day_of(first or row.get("submitted") or row.get("published")),
        versions=tuple(str(v.get("version")) for v in versions if v.get("version")),
    )


def day_of(value: object) -> date | None:
    """Day in UTC of ``Mon, 2 Apr 2007 19:18:42 GMT`` or ``2007-04-02…``; None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
    except ValueError:
        try:
            moment = parsedate_to_datetime(value)
        except ValueError:
            return None
    return (moment.astimezone(UTC) if moment.tzinfo else moment).date()
