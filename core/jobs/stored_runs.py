"""Run folders in an object store, for machines that share no disk.

Below one address many runs lie together:

- ``objects/ab/abcd…``: a piece of a file of at most 8 MiB, named by its SHA-256, so that runs which
  ask the same questions share them, and what is there is not sent again;
- ``runs/ID/run.json``: what a run was made of, written last: before it is there, no run is;
- ``runs/ID/written/NAME.json``: a file that a worker wrote, a record each, so that the workers of
  several machines do not write over each other's.

Nothing that comes from there is believed: names and sizes are checked, and every piece against its
SHA-256. A locked run is ciphertext in its folder and stays so; its key is in none of its files.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from core.bounded_json import MOST_DOCUMENT, parse_json
from core.errors import ConflictError, InputError, NotFoundError
from core.files import add_private_folder, make_private_folder, sync_folder
from core.guarded_folder import GuardedFolder
from core.jobs.copied_files import MOST_BYTES, comes_back, stays_here
from core.jobs.folder import RunFolder
from core.jobs.object_store import ObjectStore

PIECE = 8 * 2**20  # bytes
_GIVEN_ALWAYS = ("work.jsonl", "spec.json")  # the second is written last
_ERROR = "error.json"
_OF_NO_FIGURE = ("log.txt", "server.log", "progress.json", _ERROR)
_RUN_ID = re.compile(r"\w[\w.\-]{0,199}", re.ASCII)
_AT_ONCE = 2**16  # bytes
_Record = TypeVar("_Record", bound=BaseModel)
_Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.\-]{0,99}$")]


class _Piece(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: _Sha256
    size: Annotated[int, Field(ge=1, le=PIECE)]


class _StoredFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: _Name
    size: Annotated[int, Field(ge=0)]
    sha256: _Sha256
    pieces: tuple[_Piece, ...]


class _StoredRun(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    run: str
    files: tuple[_StoredFile, ...]


@dataclass(frozen=True, slots=True)
class Transfer:
    """What a push or a pull did: how many files differed, and the bytes that were sent."""

    run: str
    files: int
    bytes: int


def push(store: ObjectStore, folder: RunFolder) -> Transfer:
    """Put a run there: what it was made of, and what its workers wrote so far.

    ConflictError where another run of this name is there, or other answers of this one.
    """
    run = _checked_id(folder.spec().id)
    sender = _Sender(store, run, folder.files)
    known = _stored_run(store, run)
    if known is not None:
        _refuse_other(folder, known)
    for name in folder.files.names("*"):
        if comes_back(name) and name != _ERROR:  # an earlier try here is over
            sender.send_written(name)
    if known is None:
        files = tuple(sender.send(name) for name in _given(folder.files))
        sender.write("run.json", _StoredRun(run=run, files=files))
    else:
        for file in known.files:  # an object that was lost or cut is sent again
            sender.send(file.name)
    return sender.transfer()


def push_answers(store: ObjectStore, folder: RunFolder) -> Transfer:
    """Put there what workers wrote here, of a run that is there already.

    NotFoundError where it is not, ConflictError where other answers of it are there.
    """
    run = _checked_id(folder.spec().id)
    known = _required(store, run)
    _refuse_other(folder, known)
    sender = _Sender(store, run, folder.files)
    for name in folder.files.names("*"):
        if comes_back(name):
            sender.send_written(name)
    return sender.transfer()


def pull(store: ObjectStore, run: str, root: Path) -> Transfer:
    """Bring a run here, as a folder of its name below ``root``, or what is new of it.

    ConflictError where the folder is another run's or has other answers, InputError for an object
    that was changed or cut, NotFoundError where there is no such run.
    """
    known = _required(store, _checked_id(run))
    folder = RunFolder(root / run)
    if not folder.path.is_dir():
        make_private_folder(root)
        add_private_folder(folder.path)
    for file in known.files:
        if folder.files.has(file.name) and _whole_of(folder.files, file.name) != file.sha256:
            raise _another_run(folder.path)
    receiver = _Receiver(store, folder.files)
    for file in sorted(known.files, key=lambda file: file.name == "spec.json"):
        receiver.receive(file)
    sync_folder(folder.path.parent)
    if folder.spec().id != run:
        raise _damaged(store, _run_file(run, "run.json"))
    return _pulled(receiver, store, run)


def pull_answers(store: ObjectStore, folder: RunFolder) -> Transfer:
    """Bring here what workers wrote elsewhere, of a run whose folder is here.

    Raises as ``pull``.
    """
    run = _checked_id(folder.spec().id)
    _refuse_other(folder, _required(store, run))
    return _pulled(_Receiver(store, folder.files), store, run)


def has_new_answers(store: ObjectStore, folder: RunFolder) -> bool:
    """Whether a shard, or the result, is not here as it is there."""
    return any(
        file.name not in _OF_NO_FIGURE
        and not (folder.files.has(file.name) and _whole_of(folder.files, file.name) == file.sha256)
        for file in _written_there(store, folder.spec().id)
    )


def _pulled(receiver: "_Receiver", store: ObjectStore, run: str) -> Transfer:
    there = {file.name: file for file in _written_there(store, run)}
    result = there.pop("result.json", None)
    if result is not None:
        there.pop(_ERROR, None)  # why a worker failed before the run was finished
    for file in there.values():
        receiver.receive(file)
    if result is not None:
        receiver.receive(result)  # last: with it the run is finished
        receiver.forget(_ERROR)
    return Transfer(run, receiver.files, receiver.bytes)


class _Sender:
    """Sends the files of a run folder."""

    def __init__(self, store: ObjectStore, run: str, files: GuardedFolder) -> None:
        self._store, self._run, self._files = store, run, files
        self._sent = self._changed = 0

    def transfer(self) -> Transfer:
        return Transfer(self._run, self._changed, self._sent)

    def send_written(self, name: str) -> None:
        record = f"written/{name}.json"
        there = _stored_file(self._store, self._run, name)
        if there is not None and _is_journal(name):
            match _compared(self._store, self._files, there):
                case "more there":
                    return
                case "other":
                    raise _other_answers(self._files, self._store, name)
        self.write(record, self.send(name))

    def send(self, name: str) -> _StoredFile:
        whole, pieces, size, sent = hashlib.sha256(), [], 0, self._sent
        for content in _pieces(self._files, name):
            whole.update(content)
            size += len(content)
            piece = _Piece(sha256=hashlib.sha256(content).hexdigest(), size=len(content))
            pieces.append(piece)
            if self._store.size(_object(piece)) != piece.size:
                self._store.write(_object(piece), content)
                self._sent += piece.size
        self._changed += self._sent > sent
        return _StoredFile(name=name, size=size, sha256=whole.hexdigest(), pieces=tuple(pieces))

    def write(self, name: str, record: BaseModel) -> None:
        self._store.write(_run_file(self._run, name), record.model_dump_json().encode())


class _Receiver:
    """Brings files into a run folder; a piece that is here already does not come again."""

    def __init__(self, store: ObjectStore, files: GuardedFolder) -> None:
        self._store, self._target = store, files
        self.files = self.bytes = 0

    def receive(self, file: _StoredFile) -> None:
        """Bring a file, which is seen under its name when the whole of it is there."""
        if self._target.has(file.name):
            if _is_journal(file.name):
                match _compared(self._store, self._target, file):
                    case "same" | "more here":
                        return
                    case "other":
                        raise _other_answers(self._target, self._store, file.name)
            elif _whole_of(self._target, file.name) == file.sha256:
                return
        part = f".{file.name}.pulled.tmp"
        with os.fdopen(self._target.descriptor_to_write(part), "rb+") as handle:
            self._fill(handle, file)
        self._target.rename(part, file.name)
        self.files += 1

    def forget(self, name: str) -> None:
        """Take a file away that is of no use any more."""
        self._target.remove(name)

    def _fill(self, handle: IO[bytes], file: _StoredFile) -> None:
        before = self._target.open(file.name) if self._target.has(file.name) else None
        whole, offset = hashlib.sha256(), 0
        try:
            for piece in file.pieces:
                content = _at(handle, offset, piece) or (before and _at(before, offset, piece))
                if not content:
                    content = _read_piece(self._store, piece)
                    self.bytes += piece.size
                handle.seek(offset)
                handle.write(content)
                whole.update(content)
                offset += piece.size
        finally:
            if before is not None:
                before.close()
        handle.truncate(offset)
        handle.flush()
        os.fsync(handle.fileno())
        if whole.hexdigest() != file.sha256:
            raise self._target.damaged(file.name)


def _at(handle: IO[bytes], offset: int, piece: _Piece) -> bytes:
    """A piece as it is in a file; empty where something else is."""
    handle.seek(offset)
    content = handle.read(piece.size)
    return content if hashlib.sha256(content).hexdigest() == piece.sha256 else b""


def _read_piece(store: ObjectStore, piece: _Piece) -> bytes:
    content = store.read(_object(piece), piece.size)
    if hashlib.sha256(content).hexdigest() != piece.sha256:
        raise InputError.tr(
            "“{address}” was changed or cut: its content does not have the SHA-256 that names it. "
            "Delete it and push the run again from where it is sound.",
            address=store.address_of(_object(piece)),
        )
    return content


# --- what is where -----------------------------------------------------------------------------


def _checked_id(run: str) -> str:
    if not _RUN_ID.fullmatch(run):
        raise InputError.tr("“{run}” is not the whole id of a run.", run=run)
    return run


def _object(piece: _Piece) -> str:
    return f"objects/{piece.sha256[:2]}/{piece.sha256}"


def _run_file(run: str, name: str) -> str:
    return f"runs/{run}/{name}"


def _required(store: ObjectStore, run: str) -> _StoredRun:
    known = _stored_run(store, run)
    if known is None:
        raise NotFoundError.tr(
            "There is no run “{run}” at “{address}”.", run=run, address=store.address
        )
    return known


def _stored_run(store: ObjectStore, run: str) -> _StoredRun | None:
    name = _run_file(run, "run.json")
    with suppress(NotFoundError):
        known = _record(store, name, _StoredRun)
        names = [file.name for file in known.files]
        if (
            known.run != run
            or len(set(names)) < len(names)
            or not set(_GIVEN_ALWAYS) <= set(names)
            or any(stays_here(one) or comes_back(one) or one == "stop" for one in names)
            or not all(map(_is_whole, known.files))
        ):
            raise _damaged(store, name)
        return known
    return None


def _written_there(store: ObjectStore, run: str) -> list[_StoredFile]:
    names = (name.removesuffix(".json") for name in store.names(_run_file(run, "written")))
    return [file for name in names if (file := _stored_file(store, run, name)) is not None]


def _stored_file(store: ObjectStore, run: str, name: str) -> _StoredFile | None:
    record = _run_file(run, f"written/{name}.json")
    with suppress(NotFoundError):
        file = _record(store, record, _StoredFile)
        if file.name != name or not comes_back(name) or not _is_whole(file):
            raise _damaged(store, record)
        return file
    return None


def _is_whole(file: _StoredFile) -> bool:
    return file.size == sum(piece.size for piece in file.pieces) <= MOST_BYTES


def _record(store: ObjectStore, name: str, model: type[_Record]) -> _Record:
    content = store.read(name, MOST_DOCUMENT)
    try:
        if len(content) > MOST_DOCUMENT:
            raise ValueError(len(content))
        return model.model_validate(parse_json(content))
    except ValueError as error:
        raise _damaged(store, name) from error


def _damaged(store: ObjectStore, name: str) -> InputError:
    return InputError.tr(
        "“{address}” was changed or cut. Delete it and push the run again from where it is sound.",
        address=store.address_of(name),
    )


# --- what is here ------------------------------------------------------------------------------


def _given(files: GuardedFolder) -> list[str]:
    """The names of what a run is made of."""
    names = [n for n in files.names("*") if not (stays_here(n) or comes_back(n) or n == "stop")]
    return sorted({*names, *_GIVEN_ALWAYS})


def _refuse_other(folder: RunFolder, known: _StoredRun) -> None:
    """ConflictError where a folder was not made of what is there."""
    for file in known.files:
        if not folder.files.has(file.name) or _whole_of(folder.files, file.name) != file.sha256:
            raise _another_run(folder.path)


def _another_run(path: Path) -> ConflictError:
    return ConflictError.tr(
        "“{path}” and the run of that name in the storage differ in what they were made of, so "
        "nothing was copied.",
        path=path,
    )


def _other_answers(files: GuardedFolder, store: ObjectStore, name: str) -> ConflictError:
    return ConflictError.tr(
        "“{path}” and what is at “{address}” have different answers: two workers did the same "
        "shard. Remove one of them.",
        path=files.path / name,
        address=store.address,
    )


def _is_journal(name: str) -> bool:
    """Whether workers add to a file, by whole lines, and never change what is in it."""
    return comes_back(name) and name.endswith(".jsonl")


def _pieces(files: GuardedFolder, name: str) -> Iterator[bytes]:
    """The content of a file in pieces; without the last line of a journal that is torn."""
    with files.open(name) as handle:
        left = _end_of(handle, _is_journal(name))
        handle.seek(0)
        while left:
            content = handle.read(min(PIECE, left))
            if not content:
                raise files.damaged(name)
            left -= len(content)
            yield content


def _end_of(handle: IO[bytes], whole_lines: bool) -> int:
    end = handle.seek(0, os.SEEK_END)
    while whole_lines and end:
        start = max(0, end - _AT_ONCE)
        handle.seek(start)
        cut = handle.read(end - start).rfind(b"\n")
        if cut >= 0:
            return start + cut + 1
        end = start
    return end


def _whole_of(files: GuardedFolder, name: str) -> str:
    digest = hashlib.sha256()
    for content in _pieces(files, name):
        digest.update(content)
    return digest.hexdigest()


def _compared(
    store: ObjectStore, files: GuardedFolder, there: _StoredFile
) -> Literal["same", "more here", "more there", "other"]:
    """How a journal here and one there go together: one may be the beginning of the other."""
    size, digest = 0, hashlib.sha256()
    cut = False  # where the journal here goes beyond the one there
    pieces = iter(there.pieces)
    for content in _pieces(files, there.name):
        room = there.size - size
        cut = cut or len(content) > room
        digest.update(content[:room])
        size += min(len(content), room)
        piece = next(pieces, None)
        if piece is not None and len(content) < piece.size:  # the end of the journal here
            is_beginning = _read_piece(store, piece).startswith(content)
            return "more there" if is_beginning else "other"
        if piece is not None and hashlib.sha256(content[: piece.size]).hexdigest() != piece.sha256:
            return "other"
    if size < there.size:
        return "more there"
    if digest.hexdigest() != there.sha256:
        return "other"
    return "more here" if cut else "same"
