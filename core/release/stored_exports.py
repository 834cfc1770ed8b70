"""Exports, published splits and locked archives in an object store, each file an object.

What lies at an address is what lay in the folder: other programs read it as they read the folder.
An export's marker, which has the SHA-256 of all its files, is written last: before it is there, no
export is. A file is seen there when the whole of it is. Whoever was killed begins again: what is
there as it should be is not sent, or brought, once more. What was sent is read again, and nothing
that comes from there is believed before its SHA-256 is the one that the marker tells.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from core.bounded_json import MOST_DOCUMENT
from core.errors import ConflictError, InputError, NotFoundError, StateError, unreadable, unwritable
from core.files import (
    file_digest,
    make_private_folder,
    open_regular,
    sync_folder,
    write_atomic,
)
from core.guarded_folder import GuardedFolder
from core.jobs.object_store import ObjectStore
from core.release.export_check import file_differences, marker_in, marker_of
from core.release.formats.base import MARKER


@dataclass(frozen=True, slots=True)
class StoredRelease:
    """What a push or a pull did: where the release is now, how many files were sent or brought, and
    their bytes."""

    place: str
    files: int
    bytes: int


def push_export(
    store: ObjectStore, folder: Path, tell: Callable[[], None] = lambda: None
) -> StoredRelease:
    """Put an export there; what is there already is not sent again. ``tell`` is called before
    anything is sent, once it is known that something may be.

    InputError for a folder that is no export or was changed since it was written, ConflictError
    where another export is there.
    """
    marker = marker_of(folder)
    content = (folder / MARKER).read_bytes()
    there = _marker_there(store)
    if there not in (None, content):
        raise ConflictError.tr(
            "Another export is already at “{address}”, so nothing was sent. Choose another "
            "address.",
            address=store.address,
        )
    for one in file_differences(folder, marker["files"]):
        raise InputError.tr(
            "“{path}” is not as it was exported: {detail}", path=folder / one.subject,
            detail=one.detail,
        )  # fmt: skip
    tell()
    files = sent = 0
    for name, digest in marker["files"].items():
        size = _send(store, name, folder / name, digest)
        files += size > 0
        sent += size
    if there is None:
        store.write(MARKER, content)
    return StoredRelease(store.address, files, sent)


def pull_export(store: ObjectStore, out: Path) -> StoredRelease:
    """Bring an export here, to a folder that is new, or is the same export.

    NotFoundError where there is none, InputError for an object that was changed, cut or is missing,
    StateError where something else is at ``out``.
    """
    content = _marker_there(store)
    if content is None:
        raise NotFoundError.tr("There is no export at “{address}”.", address=store.address)
    files = marker_in(content, store.address_of(MARKER))["files"]
    if out.exists():
        if not (out / MARKER).is_file() or (out / MARKER).read_bytes() != content:
            raise StateError.tr("“{path}” is there already; name a new folder.", path=out)
        return StoredRelease(str(out), 0, 0)
    part = out.with_name(f".{out.name}.pulled")  # whoever pulls again goes on with it
    brought = total = 0
    try:
        make_private_folder(part)
        GuardedFolder(part).require_own()
        for path in part.rglob("*"):  # of another export that was being brought here
            if not path.is_dir() and path.relative_to(part).as_posix() not in files:
                path.unlink()
        for name, digest in files.items():
            make_private_folder((part / name).parent)
            size = _bring(store, name, part / name, digest)
            brought += size > 0
            total += size
        write_atomic(part / MARKER, [content])
        part.rename(out)
        sync_folder(out.parent)
    except OSError as error:
        raise unwritable(out, error) from error
    return StoredRelease(str(out), brought, total)


def push_file(
    store: ObjectStore, path: Path, digest: str, tell: Callable[[], None] = lambda: None
) -> StoredRelease:
    """Put one file there, such as a locked archive, under its name, which has that SHA-256.
    ``tell`` is called as by ``push_export``.

    ConflictError where another is there; InputError for one that cannot be read.
    """
    there = store.digest(path.name)
    if there not in ("", digest):
        raise ConflictError.tr(
            "Another file is already at “{address}”, so nothing was sent. Choose another address.",
            address=store.address_of(path.name),
        )
    tell()
    size = 0 if there else _send(store, path.name, path, digest)
    return StoredRelease(store.address_of(path.name), int(size > 0), size)


def pull_file(
    store: ObjectStore, name: str, out: Path, refuse: Callable[[Path], None]
) -> StoredRelease:
    """Bring one object here as a new file, which gets its name once ``refuse`` has let it pass.

    NotFoundError where there is none, StateError where something is at ``out``, and what ``refuse``
    raises, after which nothing is left here.
    """
    if out.exists():
        raise StateError.tr("“{path}” is there already; name a new file.", path=out)
    if store.size(name) is None:
        raise NotFoundError.tr(
            "There is no export or archive at “{address}”, or not the whole of it yet.",
            address=store.address_of(name),
        )
    part = out.with_name(f".{out.name}.pulled")
    try:
        size = _bring(store, name, part, None)
        refuse(part)
        part.rename(out)
        sync_folder(out.parent)
    except OSError as error:
        raise unwritable(out, error) from error
    finally:
        part.unlink(missing_ok=True)
    return StoredRelease(str(out), 1, size)


def has_export(store: ObjectStore) -> bool:
    """Whether an export lies right at an address."""
    return store.size(MARKER) is not None


def _marker_there(store: ObjectStore) -> bytes | None:
    try:
        return store.read(MARKER, MOST_DOCUMENT)
    except NotFoundError:
        return None


def _send(store: ObjectStore, name: str, path: Path, digest: str) -> int:
    """Send a file unless it is there; how many bytes were sent."""
    if store.digest(name) == digest:
        return 0
    try:
        with open_regular(path) as handle:
            store.send(name, handle)
            size = handle.tell()
    except OSError as error:
        raise unreadable(path, error) from error
    if store.digest(name) != digest:
        raise _damaged(store, name)
    return size


def _bring(store: ObjectStore, name: str, path: Path, digest: str | None) -> int:
    """Bring a file unless it is here, of any content without a digest; how many bytes were
    brought."""
    if path.exists() and file_digest(path) == digest:
        return 0
    size = 0

    def parts() -> Iterator[bytes]:
        nonlocal size
        whole = hashlib.sha256()
        for part in store.parts(name):
            size += len(part)
            whole.update(part)
            yield part
        if digest is not None and whole.hexdigest() != digest:
            raise _damaged(store, name)

    try:
        write_atomic(path, parts(), durable=True)
    except OSError as error:
        raise unwritable(path, error) from error
    return size


def _damaged(store: ObjectStore, name: str) -> InputError:
    return InputError.tr(
        "“{address}” was changed or cut: its content does not have the SHA-256 that the export "
        "lists. Push the export again from where it is sound.",
        address=store.address_of(name),
    )
