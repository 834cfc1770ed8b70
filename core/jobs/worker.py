"""The worker: a pure function of a run folder: ``benchseal run FOLDER [--shard i/n]``."""

import errno
import json
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from core.errors import BenchsealError, ConflictError, InputError, OutsideError
from core.files import write_json
from core.i18n import tr, trn
from core.jobs.folder import RunFolder
from core.jobs.launch_record import lived_at
from core.jobs.run_kind import RunContext, RunKind

SPARE = 32 * 1024  # bytes kept back, so that a full disk can still be told of
PROGRESS_EVERY = 0.25  # seconds between two writes of progress.json
SYNC_EVERY = 1.0  # seconds between two fsyncs of the shard file


class _Journal:
    """Appends finished records to a shard file, one flushed line each."""

    def __init__(self, path: Path) -> None:
        _drop_torn_line(path)
        self._handle = path.open("a", encoding="utf-8", newline="\n")
        self._synced = time.monotonic()

    def append(self, record: dict[str, Any]) -> None:
        self._handle.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._handle.flush()
        now = time.monotonic()
        if now - self._synced > SYNC_EVERY:
            os.fsync(self._handle.fileno())
            self._synced = now

    def close(self) -> None:
        os.fsync(self._handle.fileno())
        self._handle.close()


def _drop_torn_line(path: Path) -> None:
    """Cut a half-written last line, left by a worker that was killed while writing it."""
    if not path.exists():
        return
    with path.open("rb+") as handle:
        size = handle.seek(0, os.SEEK_END)
        end = size
        while end > 0:
            start = max(0, end - 65536)
            handle.seek(start)
            cut = handle.read(end - start).rfind(b"\n")
            if cut >= 0:
                end = start + cut + 1
                break
            end = start
        if end < size:
            handle.truncate(end)


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

    def __init__(self, folder: RunFolder) -> None:
        self._file = folder.path / "stop"
        self._asked = False
        self._looked = 0.0

    def ask(self, *_: object) -> None:
        self._asked = True

    def __call__(self) -> bool:
        now = time.monotonic()
        if not self._asked and now - self._looked > PROGRESS_EVERY:
            self._looked = now
            self._asked = self._file.exists()
        return self._asked

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
    path: Path, shard: int, shards: int, kind_named: Callable[[str], RunKind]
) -> RunFolder:
    """Do the pending share of a run and, when nothing is left of the whole, write its result.

    ``kind_named`` finds the run kind. A BenchsealError or a crash is kept in ``error.json`` (its
    traceback in ``log.txt``) and raised again. ConflictError where somebody works on the shard, or
    on the run by another number of shards.
    """
    if not 0 <= shard < shards:
        raise InputError(tr("There is no shard {shard} of {shards}.", shard=shard, shards=shards))
    folder = RunFolder(path)
    spec = folder.spec()
    name = f"shard-{shard:03d}"
    _refuse_other_shares(folder, shards)
    lock = folder.claim(name)
    spare = folder.path / f"{name}.spare"
    try:
        with (folder.path / "log.txt").open("a", encoding="utf-8", buffering=1) as log:
            try:
                spare.write_bytes(bytes(SPARE))
                _work(folder, kind_named(spec.kind), shard, shards, log)
            except BenchsealError as error:
                spare.unlink(missing_ok=True)
                _keep_error(folder, log, str(error), error.exit_code)
                raise
            except Exception as error:
                spare.unlink(missing_ok=True)
                message = _broke_off(folder, error)
                if not _is_full(error):
                    log.write(traceback.format_exc())
                    _keep_error(folder, log, message, 3)
                    raise
                _keep_error(folder, log, message, OutsideError.exit_code)
                raise OutsideError(message) from error
    finally:
        spare.unlink(missing_ok=True)
        lock.close()
    return folder


def _refuse_other_shares(folder: RunFolder, shards: int) -> None:
    """ConflictError where a living worker has shared the work out by another number of shards: both
    would do the same items."""
    host = os.uname().nodename
    for name, figures in folder.read_progress().items():
        shard, _, others = name.partition("/")
        alive = figures["host"] == host and lived_at(int(figures["pid"]), figures["since"])
        if int(others) != shards and alive and folder.is_claimed(int(shard)):
            raise ConflictError(
                trn(
                    "The run in “{path}” is in progress with 1 shard. Stop it before "
                    "changing to {shards}.",
                    "The run in “{path}” is in progress with {n} shards. Stop it before "
                    "changing to {shards}.",
                    int(others),
                    path=folder.path,
                    shards=shards,
                )
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


def _keep_error(folder: RunFolder, log: IO[str], message: str, code: int) -> None:
    log.write(f"{_now()} {message}\n")
    write_json(folder.path / "error.json", {"message": message, "exit_code": code, "at": _now()})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _work(folder: RunFolder, kind: RunKind, shard: int, shards: int, log: IO[str]) -> None:
    spec = folder.spec()
    try:
        params = kind.params_model.model_validate(spec.params)
    except ValidationError as error:
        raise InputError(
            tr("The parameters of the run in “{path}” do not match its kind.", path=folder.path)
        ) from error
    work = folder.work()
    finished = folder.finished_ids()
    share = [item for index, item in enumerate(work) if index % shards == shard]
    pending = [item for item in share if item["id"] not in finished]
    log.write(
        f"{_now()} shard {shard}/{shards}: {len(pending)} of {len(share)} items to do, "
        f"resumed {len(share) - len(pending)} of {len(share)}\n"
    )
    journal = _Journal(folder.path / f"shard-{shard:03d}.jsonl")
    meter = _Meter(folder, f"{shard}/{shards}", len(share), len(share) - len(pending))
    stop = _StopSwitch(folder)

    def write_line(line: str) -> None:
        log.write(f"{_now()} {line}\n")

    context = RunContext(
        folder=folder.path,
        params=params,
        shard=shard,
        shards=shards,
        stopping=stop,
        log=write_line,
        note=meter.note,
    )
    try:
        with stop.listening():
            for record in kind.process(context, pending):
                journal.append(record)
                meter.count()
    finally:
        journal.close()
        meter.write()
    log.write(f"{_now()} shard {shard}/{shards}: {'stopped' if stop() else 'done'}\n")
    _finish(folder, kind, [item["id"] for item in work])


def _finish(folder: RunFolder, kind: RunKind, ids: list[str]) -> None:
    """Write ``result.json`` once every work item has its record, whichever shard comes last."""
    records = folder.records()
    if any(item not in records for item in ids) or (folder.path / "result.json").exists():
        return
    result = kind.summarise(folder.path, [records[item] for item in ids])
    # what the newest workers found done already: "resumed n of N"
    resumed = sum(int(shard["before"]) for shard in folder.read_progress().values())
    result = {**result, "resumed": min(resumed, len(ids))}
    write_json(folder.path / "result.json", result, durable=True)
