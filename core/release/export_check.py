"""Checking an export without the workspace it came from: against its own marker, the manifest that
it has, and a receipt of its split."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from core.bounded_json import MOST_DOCUMENT, parse_json
from core.errors import BenchsealError, InputError
from core.families.base import ItemContent
from core.files import file_digest, read_regular
from core.i18n import tr
from core.release.formats import export_format
from core.release.formats.base import MARKER, ExportFormat, stays_inside
from core.release.formats.parquet import Parquet
from core.release.manifest import (
    MANIFEST_FILE,
    Difference,
    Manifest,
    SplitItem,
    differences,
    read_manifest,
)
from core.release.public_folder import PublishedSplit

_DEEPEST = 20  # folders and the file; no format has more than a few


@dataclass(frozen=True, slots=True)
class ExportCheck:
    """What was found. ``files`` counts the files that were compared; ``notes`` say what could not
    be checked."""

    files: int
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]


def check_export(folder: Path, receipt: Mapping[str, Any] | None = None) -> ExportCheck:
    """Everything in which an export differs from what its marker, manifest and receipt say.

    Without a receipt it only shows that the folder fits itself. Raises InputError for a folder
    that is not an export.
    """
    marker = marker_of(folder)
    found = list(file_differences(folder, marker["files"]))
    notes: list[str] = []
    manifest = None
    if MANIFEST_FILE in marker["files"]:
        try:
            manifest = read_manifest(folder)
        except InputError as error:
            found.append(Difference("file_unreadable", MANIFEST_FILE, str(error)))
    else:
        notes.append(tr("The export has no manifest: an earlier version of Benchseal wrote it."))
    if manifest is not None:
        if manifest.computed_digest() != manifest.digest:
            detail = tr("The manifest does not match its own hash.")
            found.append(Difference("manifest_changed", MANIFEST_FILE, detail))
        if "locked" in marker:
            notes.append(tr("The items are locked, so they are not compared with the manifest."))
        elif marker.get("whole"):
            found += _items(folder, str(marker["format"]), manifest)
        else:
            notes.append(tr("The export words the items differently from the split, so they are "
                            "not compared with the manifest."))  # fmt: skip
    if receipt is None:
        notes.append(tr("Without a receipt this shows only that the files match each other. Give "
                        "one with --receipt."))  # fmt: skip
    else:
        found += _against(folder, marker, manifest, receipt, notes)
    return ExportCheck(len(marker["files"]) + 1, tuple(found), tuple(notes))


def marker_of(folder: Path) -> dict[str, Any]:
    """The marker of an export; InputError for a folder that is none."""
    try:
        content = read_regular(folder / MARKER, MOST_DOCUMENT)
    except OSError as error:
        raise _no_export(folder) from error
    return marker_in(content, folder)


def marker_in(content: bytes, folder: object) -> dict[str, Any]:
    """The marker of an export that has this content and lies in a folder or at an address."""
    try:
        marker = parse_json(content)
        files, names = marker["files"], (marker["format"], marker["split"])
    except (ValueError, KeyError, TypeError) as error:
        raise _no_export(folder) from error
    sound = isinstance(files, dict) and all(
        _is_file_name(name) and isinstance(digest, str) for name, digest in files.items()
    )
    if not sound or not all(isinstance(name, str) for name in names):
        raise _no_export(folder)
    return dict(marker)


def _is_file_name(name: str) -> bool:
    """Whether a marker may name a file so: one below its folder other than the marker itself,
    spelled in the one way in which an export spells it."""
    path = PurePosixPath(name)
    return (
        stays_inside(name)
        and name not in (".", MARKER)
        and path.as_posix() == name
        and len(path.parts) <= _DEEPEST
    )


def _no_export(folder: object) -> InputError:
    return InputError.tr("“{folder}” is not an export of a split.", folder=folder)


def file_differences(folder: Path, files: Mapping[str, Any]) -> Iterator[Difference]:
    """Files that were changed, are missing or were added, and links in their place."""
    for name, digest in files.items():
        path = folder / name
        if _is_link(folder, name):
            detail = tr("The file was replaced by a link.")
            yield Difference("file_linked", name, detail)
        elif not path.is_file():
            yield Difference("file_missing", name, tr("The file is missing."))
        elif file_digest(path) != digest:
            detail = tr("The file has changed since the export was written.")
            yield Difference("file_changed", name, detail)
    if (folder / MARKER).is_symlink():
        yield Difference("file_linked", MARKER, tr("The file was replaced by a link."))
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        known = name in files or name == MARKER
        if not known and (path.is_symlink() or not path.is_dir()):
            detail = tr("The file does not belong to the export.")
            yield Difference("file_extra", name, detail)


def _is_link(folder: Path, name: str) -> bool:
    parts = Path(name).parts
    return any((folder / Path(*parts[: n + 1])).is_symlink() for n in range(len(parts)))


def _items(folder: Path, form: str, manifest: Manifest) -> list[Difference]:
    """How the items in the files differ from the manifest."""
    try:
        contents = _form(form).read_back(folder)
    except (BenchsealError, OSError) as error:
        return [Difference("item_unreadable", form, str(error))]
    if len(contents) != len(manifest.entries):
        detail = tr("The export does not have as many items as the manifest.")
        return [Difference("item_missing", MANIFEST_FILE, detail)]
    return differences(manifest, _numbered(contents, manifest))


def _form(name: str) -> ExportFormat:
    """A published split, which only ``split publish`` writes, is no format to export in."""
    return Parquet() if name == PublishedSplit.name else export_format(name)


def _numbered(contents: Sequence[ItemContent], manifest: Manifest) -> list[SplitItem]:
    pairs = zip(contents, manifest.entries, strict=True)
    return [
        SplitItem(entry.position, entry.uid, entry.revision, content) for content, entry in pairs
    ]


def _against(
    folder: Path,
    marker: Mapping[str, Any],
    manifest: Manifest | None,
    receipt: Mapping[str, Any],
    notes: list[str],
) -> Iterator[Difference]:
    """Whether a receipt lists this export, and stands for its manifest."""
    if "split" not in receipt or "manifest_hash" not in receipt:
        raise InputError.tr("This is not the receipt of a split.")
    if receipt["split"] != marker["split"]:
        detail = tr("The receipt is for split “{name}”.", name=receipt["split"])
        yield Difference("receipt", "split", detail)
    if manifest is not None and manifest.digest != receipt["manifest_hash"]:
        detail = tr("The manifest is not the one of the receipt.")
        yield Difference("manifest_changed", MANIFEST_FILE, detail)
    exports = receipt.get("exports")
    if not isinstance(exports, list):
        notes.append(tr("The receipt lists no exports: an earlier version of Benchseal issued it."))
        return
    digests = {entry.get("digest") for entry in exports if isinstance(entry, dict)}
    if file_digest(folder / MARKER) not in digests:
        yield Difference("receipt", MARKER, tr("The receipt does not list this export."))
