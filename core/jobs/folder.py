"""The run folder: the one protocol between a workspace, a launcher and a worker.

A folder holds ``spec.json`` (what to do), ``work.jsonl`` (one line per work item, with an ``id``),
other inputs of the kind, ``shard-NNN.jsonl`` (one line per finished item), ``progress.json``,
``log.txt``, ``error.json`` (why it stopped), ``launch.json`` (how it was started, see
``core.jobs.launch_record``) and ``result.json`` (once every item is finished).
"""

import contextlib
import errno
import fcntl
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from core.errors import ConflictError, InputError, NotFoundError
from core.files import read_jsonl, write_atomic, write_json, write_jsonl
from core.i18n import tr
from core.jobs.launch_record import LaunchRecord, read_launch

RunState = Literal[
    "prepared", "queued", "running", "stopped", "interrupted", "failed", "finished",
    "preempted", "timeout",
]  # fmt: skip

SPEC_VERSION = 1
_CLAIM_PATIENCE = 1.0  # seconds; somebody who looks whether a lock is held holds it for a moment
_ID_FIRST = re.compile(rb'\{"id": "([^"\\]*)"')
_BUFFER = 1 << 20  # bytes read at once: a line of work may have thousands


class RunSpec(BaseModel):
    """The content of ``spec.json``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = SPEC_VERSION
    id: str
    kind: str
    params: dict[str, Any]
    total: int
    created: str
    # What the workspace wants to remember about the run; a worker does not read it.
    origin: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is. ``speed`` in items per second since the start of the newest workers."""

    state: RunState
    done: int
    total: int
    speed: float | None
    seconds_left: float | None
    notes: dict[str, Any]
    error: str | None


def new_run_id(kind: str) -> str:
    """A readable, sortable, unique name: ``20260102-030405-generate-1a2b3c``."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{kind}-{secrets.token_hex(3)}"


class RunFolder:
    """One run folder; cheap to make, holds no open files."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)

    @classmethod
    def create(
        cls,
        root: Path,
        kind: str,
        params: BaseModel,
        work: Iterable[dict[str, Any]],
        *,
        origin: dict[str, Any] | None = None,
        run_id: str | None = None,
    ) -> "RunFolder":
        """Make a folder below ``root``. ``spec.json`` is written last: without it, no run."""
        run_id = run_id or new_run_id(kind)
        folder = cls(Path(root) / run_id)
        folder.path.mkdir(parents=True)
        try:
            total = write_jsonl(folder.path / "work.jsonl", work)
        except OSError:
            shutil.rmtree(folder.path, ignore_errors=True)  # nobody would know what it is
            raise
        spec = RunSpec(
            id=run_id,
            kind=kind,
            params=params.model_dump(mode="json"),
            total=total,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            origin=origin or {},
        )
        write_json(folder.path / "spec.json", spec.model_dump(), durable=True)
        return folder

    def spec(self) -> RunSpec:
        """Read ``spec.json``; NotFoundError without it, InputError when it is not one of ours."""
        path = self.path / "spec.json"
        if not path.is_file():
            raise NotFoundError(
                tr("“{path}” is not a run folder: it has no spec.json.", path=self.path)
            )
        try:
            spec = RunSpec.model_validate_json(path.read_text(encoding="utf-8"))
        except (ValidationError, UnicodeDecodeError) as error:
            raise InputError(
                tr(
                    "The spec.json in “{path}” is damaged or belongs to another program.",
                    path=self.path,
                )
            ) from error
        if spec.format > SPEC_VERSION:
            raise InputError(
                tr(
                    "The run in “{path}” was created by a newer version of Benchseal; update "
                    "Benchseal.",
                    path=self.path,
                )
            )
        return spec

    def work(self) -> list[dict[str, Any]]:
        """All work items, in order; InputError where the file is damaged."""
        path = self.path / "work.jsonl"
        try:
            items = list(read_jsonl(path))
        except ValueError as error:
            raise _damaged(path) from error
        if not all(isinstance(item, dict) for item in items):
            raise _damaged(path)
        return items

    def work_ids(self) -> list[str]:
        """Ids of all work items, in order; reads no more of a line than it must."""
        return _ids(self.path / "work.jsonl")

    def shard_files(self) -> list[Path]:
        """The shard files that exist, in order."""
        return sorted(self.path.glob("shard-[0-9]*.jsonl"))

    def records(self) -> dict[str, dict[str, Any]]:
        """Finished records by id over all shards; of two for one id the first counts."""
        records: dict[str, dict[str, Any]] = {}
        for path in self.shard_files():
            try:
                for record in read_jsonl(path):
                    records.setdefault(record["id"], record)
            except (ValueError, KeyError, TypeError) as error:
                raise _damaged(path) from error
        return records

    def finished_ids(self) -> set[str]:
        """Ids that have a record in any shard; reads no more of a line than it must."""
        return {id_ for path in self.shard_files() for id_ in _ids(path) if id_}

    def ordered_records(self) -> list[dict[str, Any]]:
        """Finished records in the order of the work items."""
        records = self.records()
        return [records[item["id"]] for item in self.work() if item["id"] in records]

    def result(self) -> dict[str, Any] | None:
        """The content of ``result.json``, or None while the run is not finished."""
        path = self.path / "result.json"
        return _document(path) if path.is_file() else None

    def error(self) -> str | None:
        """Why the newest worker failed, in one sentence; None when it did not."""
        path = self.path / "error.json"
        if not path.is_file():
            launch = read_launch(self.path)
            return launch.failure_reason() if launch and not self.is_running() else None
        return str(_document(path).get("message", ""))

    def log_tail(self, lines: int = 200) -> str:
        """The last lines of ``log.txt``, read from the end so that a huge log costs nothing."""
        path = self.path / "log.txt"
        if not path.is_file():
            return ""
        with path.open("rb") as handle:
            handle.seek(0, os.SEEK_END)
            handle.seek(max(0, handle.tell() - 400 * lines))
            text = handle.read().decode("utf-8", "replace")
        return "\n".join(text.splitlines()[-lines:])

    # -- liveness ---------------------------------------------------------------------------

    def claim(self, name: str) -> IO[str]:
        """Hold ``NAME.lock`` while a worker lives; ConflictError when another one holds it."""
        handle = (self.path / f"{name}.lock").open("a+", encoding="utf-8")
        deadline = time.monotonic() + _CLAIM_PATIENCE
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return handle
            except OSError as error:
                if time.monotonic() < deadline:
                    time.sleep(0.02)
                    continue
                handle.close()
                raise ConflictError(
                    tr(
                        "Another worker is already working on {name} of “{path}”.",
                        name=name,
                        path=self.path,
                    )
                ) from error

    def _is_claimed(self, path: Path) -> bool:
        try:
            opened: IO[bytes] = path.open("a+b")  # what a network file system wants to lock it
        except OSError as error:
            if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM):
                raise
            opened = path.open("rb")  # somebody else's folder, or one that is only to be read
        with opened as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return True
        return False

    def is_claimed(self, shard: int) -> bool:
        """Whether a worker holds that shard right now."""
        path = self.path / f"shard-{shard:03d}.lock"
        return path.exists() and self._is_claimed(path)

    def is_running(self) -> bool:
        """Whether a worker holds a shard right now, or one is queued or just starting."""
        if any(self._is_claimed(path) for path in self.path.glob("shard-[0-9]*.lock")):
            return True
        launch = read_launch(self.path)
        return launch is not None and bool(launch.alive(self.path))

    # -- progress ---------------------------------------------------------------------------

    def read_progress(self) -> dict[str, Any]:
        """The raw content of ``progress.json``: shard name to its figures."""
        path = self.path / "progress.json"
        return _document(path) if path.is_file() else {}

    def update_progress(self, shard: str, figures: dict[str, Any]) -> None:
        """Replace one shard's figures; several workers may do so at once.

        Those of workers that shared the work out otherwise are of no use any more.
        """
        with self._progress_lock():
            alike = f"/{shard.partition('/')[2]}"
            known = self.read_progress().items()
            content = {name: value for name, value in known if name.endswith(alike)}
            content[shard] = figures
            write_json(self.path / "progress.json", content)

    def forget_progress(self) -> None:
        """Drop the figures of earlier workers, before new ones start."""
        with self._progress_lock():
            write_json(self.path / "progress.json", {})

    @contextlib.contextmanager
    def _progress_lock(self) -> Iterator[None]:
        with (self.path / "progress.lock").open("a+", encoding="utf-8") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def state(self) -> RunState:
        """What the files, the live workers and the launcher's last words say about the run."""
        if (self.path / "result.json").is_file():
            return "finished"
        launch = read_launch(self.path)
        alive = launch.alive(self.path) if launch else frozenset()
        if "running" in alive:
            return "running"
        if any(self._is_claimed(path) for path in self.path.glob("shard-[0-9]*.lock")):
            return "running"
        if alive:
            return "preempted" if "preempted" in alive else "queued"
        return self._ended_state(launch)

    def _ended_state(self, launch: LaunchRecord | None) -> RunState:
        """Why nobody works on the unfinished run."""
        if (self.path / "error.json").is_file():
            return "failed"
        if (self.path / "stop").is_file():
            return "stopped"
        match launch.ended() if launch else None:
            case "preempted":
                return "preempted"
            case "timeout":
                return "timeout"
            case "failed":
                return "failed"
        return "interrupted" if launch or self.read_progress() else "prepared"

    def progress(self) -> RunProgress:
        """State, counts, speed and time left, from ``progress.json`` and the live workers.

        Where not every worker is there to count, what is on disk counts.
        """
        state = self.state()
        total = self.spec().total
        shards = self.read_progress().values()
        if state == "finished":
            done = total
        elif state == "running" and self._all_count(len(shards)):
            done = sum(shard["done"] + shard["before"] for shard in shards)
        else:
            done = _finished_in(self.path, _looks(self.shard_files()))
        now = time.time()
        speed = 0.0
        for shard in shards:
            seconds = (now if state == "running" else shard["at"]) - shard["since"]
            # a clock that was set back says nothing
            speed += shard["done"] / max(0.1, seconds) if seconds > 0 else 0.0
        done = min(total, done)
        notes: dict[str, Any] = {}
        for shard in shards:
            notes.update(shard.get("notes", {}))
        left = (total - done) / speed if speed > 0 and state == "running" else None
        return RunProgress(state, done, total, speed or None, left, notes, self.error())

    def _all_count(self, counting: int) -> bool:
        """Whether that many workers are all that were started."""
        launch = read_launch(self.path)
        return counting >= (launch.shards if launch else 1)

    def clear_outcome(self) -> None:
        """Forget an earlier error or stop request, before the run is started again."""
        for name in ("error.json", "stop"):
            (self.path / name).unlink(missing_ok=True)
        for path in self.path.glob("shard-[0-9]*.queued"):
            path.unlink(missing_ok=True)

    def request_stop(self) -> None:
        """Ask the workers to stop after what is in flight; they look several times a second."""
        write_atomic(self.path / "stop", "")


def _looks(paths: Iterable[Path]) -> tuple[tuple[str, int, int], ...]:
    """Name, size in bytes and time of change of files: equal as long as the files are."""
    statuses = [(path.name, path.stat()) for path in paths]
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in statuses)


@lru_cache(maxsize=64)
def _finished_in(folder: Path, looks: tuple[tuple[str, int, int], ...]) -> int:
    """How many items have a record in the shard files of a folder, which look like this.

    InputError where one is damaged.
    """
    del looks
    return len(RunFolder(folder).finished_ids())


def _document(path: Path) -> dict[str, Any]:
    """The JSON object in a file of the folder; InputError where it holds none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _damaged(path) from error
    if not isinstance(content, dict):
        raise _damaged(path)
    return content


def _damaged(path: Path) -> InputError:
    return InputError(
        tr("“{path}” is damaged. Restore it from a backup, or remove it and resume the run.",
           path=path)
    )  # fmt: skip


def _ids(path: Path) -> list[str]:
    """The id of every whole line; InputError where the file is damaged."""
    try:
        with path.open("rb", buffering=_BUFFER) as handle:
            # our own lines begin with the id, which saves reading the rest
            return [
                match[1].decode()
                if (match := _ID_FIRST.match(line))
                else str(json.loads(line)["id"])
                for line in handle
                if line.endswith(b"\n") and not line.isspace()
            ]
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(path) from error
