"""The worker: a pure function of a run folder: ``benchseal run FOLDER [--shard i/n]``."""

import errno
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from core.errors import BenchsealError, ConflictError, InputError, OutsideError
from core.guarded_folder import GuardedFolder
from core.i18n import tr, trn
from core.jobs import locked_rows
from core.jobs.earlier_run import spec_with_work
from core.jobs.folder import RunFolder
from core.jobs.launch_record import lived_at
from core.jobs.locked_rows import RowLock
from core.jobs.run_kind import RunContext, RunKind
from core.redaction import one_line, without_known_secrets

SPARE = 32 * 1024  # bytes kept back, so that a full disk can still be told of
PROGRESS_EVERY = 0.25  # seconds between two writes of progress.json
SYNC_EVERY = 1.0  # seconds between two fsyncs of the shard file


class _Journal:
    """Appends finished records to a shard file, one flushed line each."""

    def __init__(self, files: GuardedFolder, name: str, lock: RowLock | None = None) -> None:
        self._lock = lock
        files.drop_torn_line(name)
        descriptor = files.descriptor_to_write(name, append=True)
        self._handle = os.fdopen(descriptor, "a", encoding="utf-8", newline="\n")
        self._synced = time.monotonic()

    def append(self, record: dict[str, Any]) -> None:
        if self._lock is None:
            line = json.dumps(record, ensure_ascii=False)
        else:
            line = self._lock.locked(locked_rows.RECORD, record)
        self._handle.write(line + "\n")
        self._handle.flush()
        now = time.monotonic()
        if now - self._synced > SYNC_EVERY:
            os.fsync(self._handle.fileno())
            self._synced = now

    def close(self) -> None:
        with self._handle:
            os.fsync(self._handle.fileno())


class _Meter:
    """Keeps ``progress.json`` of one shard up to date, at most a few times a second."""

    def __init__(self, folder: RunFolder, shard: str, share: int, before: int) -> None:
        self._folder, self._shard = folder, shard
        now = time.time()
        self._figures: dict[str, Any] = {
            "pid": os.getpid(),
            "host": os.uname().nodename,
            "since": now,
            "at": now,
            "done": 0,
            "share": share,
            "before": before,
            "notes": {},
        }
        self._written = 0.0
        self.write()

    def count(self) -> None:
        self._figures["done"] += 1
        self._write_sometimes()

    def note(self, **figures: Any) -> None:
        self._figures["notes"].update(figures)
        self._write_sometimes()

    def _write_sometimes(self) -> None:
        if time.monotonic() - self._written > PROGRESS_EVERY:
            self.write()

    def write(self) -> None:
        self._figures["at"] = time.time()
        self._folder.update_progress(self._shard, self._figures)
        self._written = time.monotonic()


class _StopSwitch:
    """Turns true on SIGTERM or SIGINT, or when somebody left a ``stop`` file in the folder."""

    def __init__(self, folder: RunFolder, outer: Callable[[], bool] | None = None) -> None:
        self._files = folder.files
        self._outer = outer
        self._asked = False
        self._looked = 0.0

    def ask(self, *_: object) -> None:
        self._asked = True

    def __call__(self) -> bool:
        now = time.monotonic()
        if not self._asked and now - self._looked > PROGRESS_EVERY:
            self._looked = now
            self._asked = self._files.has("stop")
        return self._asked or bool(self._outer and self._outer())

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Route the signals here for a while; only possible on a process's main thread."""
        before = [
            (number, signal.signal(number, self.ask)) for number in (signal.SIGTERM, signal.SIGINT)
        ]
        try:
            yield
        finally:
            for number, handler in before:
                signal.signal(number, handler)


def run_worker(
    path: Path,
    shard: int,
    shards: int,
    kind_named: Callable[[str], RunKind],
    within: RunContext | None = None,
) -> RunFolder:
    """Do the pending share of a run and, when nothing is left of the whole, write its result.

    ``kind_named`` finds the run kind. A BenchsealError is kept in ``error.json`` and raised again;
    any other error too, as an OutsideError, with its traceback in ``log.txt``. ConflictError where
    somebody works on the shard, or on the run by another number of shards. The key of a locked run
    is read from the standard input; StateError without it. ``within`` is the run that this one is
    a part of: its worker's signals and its loaded model are those of this one.
    """
    if not 0 <= shard < shards:
        raise InputError.tr("There is no shard {shard} of {shards}.", shard=shard, shards=shards)
    folder = RunFolder(path)
    folder.files.require_own()
    spec = folder.spec()
    if spec.locked:
        key = locked_rows.typed_key(sys.stdin.buffer)
        folder = RunFolder(path, lambda: key)
        locked_rows.keep_in_memory()
    name = f"shard-{shard:03d}"
    _refuse_other_shares(folder, shards)
    lock = folder.claim(name)
    try:
        with _opened_log(folder, folder.lock() if spec.locked else None) as log:
            try:
                _keep_spare(folder, name)
                _work(folder, kind_named(spec.kind), shard, shards, log, within)
            except BenchsealError as error:
                folder.files.remove(f"{name}.spare")
                _keep_error(folder, log, str(error), error.exit_code)
                raise
            except Exception as error:
                folder.files.remove(f"{name}.spare")
                message = _broke_off(folder, error)
                if not _is_full(error):
                    log.write_lines(traceback.format_exc())
                _keep_error(folder, log, message, OutsideError.exit_code)
                raise OutsideError(message) from error
    finally:
        folder.files.remove(f"{name}.spare")
        lock.close()
    return folder


class _Log:
    """``log.txt``. What is written comes from the folder and from servers as well, so it is never
    written as it is: each call makes whole lines without a control character or a secret."""

    def __init__(self, handle: IO[str], lock: RowLock | None) -> None:
        self._handle, self._lock = handle, lock

    def write(self, text: str) -> None:
        """One line, with the time before it; what it says is locked in a locked run."""
        line = one_line(without_known_secrets(text))
        if self._lock is not None:
            line = self._lock.locked_line(line)
        self._handle.write(f"{_now()} {line}\n")

    def write_lines(self, text: str) -> None:
        """Every line of the text as one."""
        for line in text.splitlines():
            self.write(line)


@contextmanager
def _opened_log(folder: RunFolder, lock: RowLock | None) -> Iterator[_Log]:
    descriptor = folder.files.descriptor_to_write("log.txt", append=True)
    with os.fdopen(descriptor, "a", encoding="utf-8", buffering=1) as handle:
        yield _Log(handle, lock)


def _keep_spare(folder: RunFolder, name: str) -> None:
    with os.fdopen(folder.files.descriptor_to_write(f"{name}.spare"), "rb+") as spare:
        spare.write(bytes(SPARE))


def _refuse_other_shares(folder: RunFolder, shards: int) -> None:
    """ConflictError where a living worker has shared the work out by another number of shards: both
    would do the same items."""
    host = os.uname().nodename
    for name, figures in folder.read_progress().items():
        shard, _, others = name.partition("/")
        alive = figures["host"] == host and lived_at(int(figures["pid"]), figures["since"])
        if int(others) != shards and alive and folder.is_claimed(int(shard)):
            raise ConflictError.trn(
                "The run in “{path}” is in progress with 1 shard. Stop it before "
                "changing to {shards}.",
                "The run in “{path}” is in progress with {n} shards. Stop it before "
                "changing to {shards}.",
                int(others),
                path=folder.path,
                shards=shards,
            )


def _is_full(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def _broke_off(folder: RunFolder, error: Exception) -> str:
    if _is_full(error):
        return tr(
            "The disk of “{path}” is full. Free some space and resume the run; finished "
            "items are saved.",
            path=folder.path,
        )
    return tr(
        "The worker stopped with an error: {error}. See the log for details; resume the run "
        "to try again.",
        error=f"{type(error).__name__}: {error}",
    )


def _keep_error(folder: RunFolder, log: _Log, message: str, code: int) -> None:
    message = one_line(without_known_secrets(message))
    log.write(message)
    folder.write_error(message, code, _now())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _work(
    folder: RunFolder,
    kind: RunKind,
    shard: int,
    shards: int,
    log: _Log,
    within: RunContext | None,
) -> None:
    spec = folder.spec()
    try:
        params = kind.params_model.model_validate(spec.params)
    except ValidationError as error:
        raise InputError.tr(
            "The parameters of the run in “{path}” do not match its kind.", path=folder.path
        ) from error
    spec = spec_with_work(folder, kind, params)
    share, pending = folder.pending_work(shard, shards)
    before = share - len(pending)
    part = f"{shard}/{shards}"
    log.write(
        trn("shard {shard}: {pending} of 1 item to do, resumed {before} of 1",
            "shard {shard}: {pending} of {n} items to do, resumed {before} of {n}",
            share, shard=part, pending=len(pending), before=before)
    )  # fmt: skip
    lock = folder.lock() if spec.locked else None
    journal = _Journal(folder.files, f"shard-{shard:03d}.jsonl", lock)
    with closing(journal):
        meter = _Meter(folder, part, share, before)
        stop = _StopSwitch(folder, within.stopping if within else None)
        context = RunContext(
            folder=folder.path,
            params=params,
            shard=shard,
            shards=shards,
            stopping=stop,
            log=log.write,
            note=meter.note,
            run=folder,
            loaded=within.loaded if within else None,
        )
        try:
            with nullcontext() if within else stop.listening():
                for record in kind.process(context, pending):
                    journal.append(record)
                    meter.count()
        finally:
            meter.write()
    if stop():
        log.write(tr("shard {shard}: stopped", shard=part))
    else:
        log.write(tr("shard {shard}: done", shard=part))
    _finish(folder, kind)


def _finish(folder: RunFolder, kind: RunKind) -> None:
    """Write ``result.json`` once every work item has its record, whichever shard comes last."""
    if folder.files.has("result.json"):
        return
    found = folder.finished()
    if found.missing:
        return
    result = kind.summarise(folder, found.records)
    # what the newest workers found done already: "resumed n of N"
    resumed = sum(int(shard["before"]) for shard in folder.read_progress().values())
    folder.write_result({**result, "resumed": min(resumed, len(found.records))})
