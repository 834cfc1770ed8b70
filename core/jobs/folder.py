"""The run folder: the one protocol between a workspace, a launcher and a worker.

A folder holds ``spec.json`` (what to do), ``work.jsonl`` (one line per work item, with an ``id``),
other inputs of the kind, ``shard-NNN.jsonl`` (one line per finished item), ``progress.json``,
``log.txt``, ``error.json`` (why it stopped), ``launch.json`` (how it was started, see
``core.jobs.launch_record``) and ``result.json`` (once every item is finished). In a locked run the
rows, the log and the error are encrypted (``core.jobs.locked_rows``).
"""

import contextlib
import errno
import fcntl
import json
import re
import secrets
import shutil
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from core.bounded_json import parse_json
from core.errors import ConflictError, InputError, NotFoundError, StateError
from core.files import add_private_folder, make_private_folder, sync_folder
from core.guarded_folder import GuardedFolder
from core.jobs import locked_rows, stored_rows
from core.jobs.launch_record import LaunchRecord, read_launch
from core.jobs.locked_rows import KeySource, RowLock
from core.jobs.stored_rows import FinishedRecords, StoredRows, each_id, id_of_line, place_in
from core.redaction import one_line

RunState = Literal[
    "prepared", "queued", "running", "stopped", "interrupted", "failed", "finished",
    "preempted", "timeout",
]  # fmt: skip

SPEC_VERSION = 1
_Spelling = Callable[[Mapping[str, Any]], str]
_JSON: _Spelling = partial(json.dumps, ensure_ascii=False)
_CLAIM_PATIENCE = 1.0  # seconds; somebody who looks whether a lock is held holds it for a moment
_SHARD = re.compile(r"shard-[0-9]{3,9}\.jsonl")
_LOCK = re.compile(r"shard-[0-9]{3,9}\.lock")
# What the workers of a run count up from nothing: these go on over shards and over a resume. The
# tokens of a rewriting run are counted from its call log, with what earlier workers used.
_COUNTERS = (
    "requests", "retries", "prompt_tokens", "completion_tokens", "server_waits_s", "asked",
    "passed", "screened_out", "invalid", "failed", "cached", "items", "tokens",
)  # fmt: skip
_FROM_LOG = {"rewrite": ("tokens",)}
_BEFORE = "before"
_MOST_COUNTED = 2**53
_SHARE = re.compile(r"[0-9]{1,9}/[0-9]{1,9}")

_Count = Annotated[int, Field(ge=0, le=10**12)]
_Moment = Annotated[float, Field(ge=0, le=1e11, allow_inf_nan=False)]  # seconds since 1970
# they become names of jobs and of files; a bound within the pattern would be compiled two hundred
# times over all letters of Unicode, for longer than the rest of a worker's start
_Id = Annotated[str, StringConstraints(pattern=r"^\w[\w.\-]*$", max_length=200)]
_Kind = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_\-]{0,39}$")]


class RunSpec(BaseModel):
    """The content of ``spec.json``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = SPEC_VERSION
    id: _Id
    kind: _Kind
    params: dict[str, Any]
    total: _Count
    created: str
    # What the workspace wants to remember about the run; a worker does not read it.
    origin: dict[str, Any] = {}
    # Whether its rows are encrypted; a worker is handed the key.
    locked: bool = False
    # The run whose results are its work, see ``core.jobs.earlier_run``; ``total`` is 0 until then.
    after: _Id | Literal[""] = ""


class ShardProgress(BaseModel):
    """What ``progress.json`` says of one shard. ``since`` and ``at`` are when its worker started
    and last wrote, ``share`` how many items are its own, of which ``before`` were done already."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    pid: Annotated[int, Field(ge=0, le=2**31)]
    host: str
    since: _Moment
    at: _Moment
    done: _Count
    share: _Count = 0
    before: _Count
    notes: dict[str, Any] = {}


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


def _numbers(notes: object) -> dict[str, float]:
    """The counters among a worker's notes; values that are not counts are left out."""
    if not isinstance(notes, dict):
        return {}
    return {
        name: notes[name]
        for name in _COUNTERS
        if type(notes.get(name)) in (int, float) and 0 <= notes[name] < _MOST_COUNTED
    }


def new_run_id(kind: str) -> str:
    """A readable, sortable, unique name: ``20260102-030405-generate-1a2b3c``."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{kind}-{secrets.token_hex(3)}"


class RunFolder:
    """One run folder; cheap to make, holds no open files. ``key`` gives the key of a locked run,
    and is asked only where there is something to open or to lock."""

    def __init__(self, path: Path, key: KeySource | None = None) -> None:
        self.path = Path(path)
        self.files = GuardedFolder(self.path)
        self._key = key
        self._row_lock: RowLock | None = None

    @classmethod
    def create(
        cls,
        root: Path,
        kind: str,
        params: BaseModel,
        work: "Iterable[dict[str, Any]] | RunFolder",
        *,
        origin: dict[str, Any] | None = None,
        run_id: str | None = None,
        key: bytes | None = None,
        after: str = "",
    ) -> "RunFolder":
        """Make a folder below ``root``. ``spec.json`` is written last: without it, no run.

        With a ``key``, which is that of ``run_id``, the run is locked. ``work`` is written as it
        comes; that of another run, which is not locked, is shared with it.
        """
        run_id = run_id or new_run_id(kind)
        folder = cls(Path(root) / run_id, None if key is None else lambda: key)
        lock = None if key is None else RowLock(key, run_id)
        folder._row_lock = lock
        make_private_folder(folder.path.parent)
        add_private_folder(folder.path)
        try:
            total = folder._write_work(work, lock)
        except BaseException:
            shutil.rmtree(folder.path, ignore_errors=True)  # nobody would know what it is
            raise
        spec = RunSpec(
            id=run_id,
            kind=kind,
            params=params.model_dump(mode="json"),
            total=total,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            origin=origin or {},
            locked=key is not None,
            after=after,
        )
        folder.write_spec(spec)
        sync_folder(folder.path.parent)
        return folder

    def _write_work(
        self, work: "Iterable[dict[str, Any]] | RunFolder", lock: RowLock | None
    ) -> int:
        if not isinstance(work, RunFolder):
            written = partial(lock.locked, locked_rows.WORK) if lock else _JSON
            return write_rows(self.files, "work.jsonl", work, written)
        self.files.share("work.jsonl", work.files)
        return work.spec().total

    def write_spec(self, spec: RunSpec) -> None:
        """Replace ``spec.json``."""
        # what earlier versions do not know is said only where it matters
        left_out = {name for name in ("locked", "after") if not getattr(spec, name)}
        self._write("spec.json", spec.model_dump(exclude=left_out), durable=True)

    def spec(self) -> RunSpec:
        """Read ``spec.json``; NotFoundError without it, InputError when it is not one of ours."""
        if not self.has_spec():
            raise NotFoundError.tr(
                "“{path}” is not a run folder: it has no spec.json.", path=self.path
            )
        try:
            spec = RunSpec.model_validate(parse_json(self.files.read("spec.json")))
        except ValueError as error:
            raise InputError.tr(
                "The spec.json in “{path}” is damaged or belongs to another program.",
                path=self.path,
            ) from error
        if spec.format > SPEC_VERSION:
            raise InputError.tr(
                "The run in “{path}” was created by a newer version of Benchseal; update "
                "Benchseal.",
                path=self.path,
            )
        return spec

    def has_spec(self) -> bool:
        """Whether this is a run folder at all."""
        return self.files.has("spec.json")

    def key(self) -> bytes:
        """The key of a locked run; StateError for who cannot have it."""
        if self._key is None:
            raise locked_rows.no_key()
        return self._key()

    def lock(self) -> RowLock:
        """What locks and opens the rows of a locked run; StateError without its key."""
        if self._row_lock is None:
            self._row_lock = RowLock(self.key(), self.spec().id)
        return self._row_lock

    def work(self) -> list[dict[str, Any]]:
        """All work items, in order; InputError where the file is damaged, StateError where they
        are locked and there is no key."""
        return list(self.work_rows())

    def work_rows(self) -> Iterator[dict[str, Any]]:
        """As ``work``, one at a time."""
        return self._rows("work.jsonl", locked_rows.WORK)

    def shard_rows(self, name: str) -> Iterator[dict[str, Any]]:
        """The records in a shard file, as they were written; raises as ``work``."""
        return self._rows(name, locked_rows.RECORD)

    def write_shard(self, name: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Replace a shard file; returns the number of its records."""
        written = partial(self.lock().locked, locked_rows.RECORD) if self.spec().locked else _JSON
        return write_rows(self.files, name, rows, written)

    def _rows(self, name: str, kind: str) -> Iterator[dict[str, Any]]:
        for line in self.files.lines(name):
            if not line.isspace():
                yield self._opened(name, kind, line)

    def _opened(self, name: str, kind: str, line: bytes) -> dict[str, Any]:
        row = locked_rows.locked_row_of(line) or self.files.row(name, line)
        with_id = _with_id(self.files, name, row)
        return self.lock().opened(kind, row) if locked_rows.is_locked_row(row) else with_id

    def pending_work(self, shard: int, shards: int) -> tuple[int, StoredRows]:
        """How many work items are a shard's own, and those of them without a record.

        What they ask stays in ``work.jsonl``; raises as ``work``, also when they are read.
        """
        finished = self.finished_ids()
        offsets, own, index, offset = array("q"), 0, 0, 0
        for line in self.files.lines("work.jsonl"):
            if not line.isspace():
                if index % shards == shard:
                    own += 1
                    if id_of_line(self.files, "work.jsonl", line) not in finished:
                        offsets.append(place_in(0, offset))
                index += 1
            offset += len(line)
        return own, StoredRows(self.files, ("work.jsonl",), offsets, self._row_of_line)

    def _row_of_line(self, name: str, line: bytes) -> dict[str, Any]:
        kind = locked_rows.WORK if name == "work.jsonl" else locked_rows.RECORD
        return self._opened(name, kind, line)

    def work_ids(self) -> list[str]:
        """As ``each_work_id``, all at once."""
        return list(self.each_work_id())

    def each_work_id(self) -> Iterator[str]:
        """Ids of all work items, in order; reads no more of a line than it must."""
        return each_id(self.files, "work.jsonl")

    def shard_names(self) -> list[str]:
        """The names of the shard files that exist, in order."""
        return [name for name in self.files.names("shard-*.jsonl") if _SHARD.fullmatch(name)]

    def shard_files(self) -> list[Path]:
        """The paths of the shard files that exist, in order."""
        return [self.path / name for name in self.shard_names()]

    def records(self) -> dict[str, dict[str, Any]]:
        """Finished records by id over all shards; of two for one id the first counts."""
        records: dict[str, dict[str, Any]] = {}
        for name in self.shard_names():
            for record in self.shard_rows(name):
                records.setdefault(record["id"], record)
        return records

    def finished_ids(self) -> set[str]:
        """Ids that have a record in any shard; reads no more of a line than it must."""
        return {id_ for name in self.shard_names() for id_ in each_id(self.files, name) if id_}

    def finished(self) -> FinishedRecords:
        """The finished records in the order of the work items, which stay in their files."""
        names, read = self.shard_names(), self._row_of_line
        return stored_rows.finished_records(self.files, "work.jsonl", names, read)

    def ordered_records(self) -> list[dict[str, Any]]:
        """As the records of ``finished``, all at once."""
        return list(self.finished().records)

    def result(self) -> dict[str, Any] | None:
        """The content of ``result.json``, or None while the run is not finished."""
        return self._document("result.json")

    def write_result(self, result: Mapping[str, Any]) -> None:
        """Write ``result.json``: from now on the run is finished."""
        self._write("result.json", dict(result), durable=True)

    def write_error(self, message: str, code: int, at: str) -> None:
        """Say in ``error.json`` why the newest worker failed."""
        if self.spec().locked:
            message = self.lock().locked_line(message)
        self._write("error.json", {"message": message, "exit_code": code, "at": at})

    def error(self) -> str | None:
        """Why the newest worker failed, in one sentence; None when it did not."""
        content = self._document("error.json")
        if content is None:
            launch = read_launch(self.path)
            return launch.failure_reason() if launch and not self.is_running() else None
        return one_line(self._open_line(str(content.get("message", ""))))

    def log_tail(self, lines: int = 200, name: str = "log.txt") -> str:
        """The last lines of a log, read from the end so that a huge one costs nothing."""
        try:
            end = self.files.read_end(name, 400 * lines)
        except FileNotFoundError:
            return ""
        text = end.decode("utf-8", "replace")
        return "\n".join(map(self._open_line, text.splitlines()[-lines:]))

    def _open_line(self, text: str) -> str:
        """A line as it was written; one that cannot be opened here says so."""
        if not locked_rows.is_locked_line(text):
            return text
        try:
            return one_line(self.lock().opened_line(text))
        except (InputError, StateError):
            return locked_rows.hidden_line()

    def _document(self, name: str) -> dict[str, Any] | None:
        """The JSON object in a file; None without the file, InputError where it is damaged."""
        try:
            content = self.files.read_json(name)
        except FileNotFoundError:  # or taken away at this moment, by a resumption
            return None
        if not isinstance(content, dict):
            raise self.files.damaged(name)
        return content

    def _write(self, name: str, content: dict[str, Any], *, durable: bool = False) -> None:
        text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
        self.files.write(name, text, durable=durable)

    # -- liveness ---------------------------------------------------------------------------

    def claim(self, name: str) -> IO[bytes]:
        """Hold ``NAME.lock`` while a worker lives; ConflictError when another one holds it."""
        handle = self.files.append_to(f"{name}.lock")
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
                raise ConflictError.tr(
                    "Another worker is already working on {name} of “{path}”.",
                    name=name,
                    path=self.path,
                ) from error

    def _is_claimed(self, name: str) -> bool:
        try:
            opened = self.files.append_to(name)  # what a network file system wants to lock it
        except OSError as error:
            if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM):
                raise
            opened = self.files.open(name)  # one that is only to be read
        except InputError:
            opened = self.files.open(name)  # somebody else's
        with opened as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return True
        return False

    def _claims(self) -> bool:
        locks = (name for name in self.files.names("shard-*.lock") if _LOCK.fullmatch(name))
        return any(map(self._is_claimed, locks))

    def is_claimed(self, shard: int) -> bool:
        """Whether a worker holds that shard right now."""
        name = f"shard-{shard:03d}.lock"
        return self.files.has(name) and self._is_claimed(name)

    def is_running(self) -> bool:
        """Whether a worker holds a shard right now, or one is queued or just starting."""
        if self._claims():
            return True
        launch = read_launch(self.path)
        return launch is not None and bool(launch.alive(self.path))

    # -- progress ---------------------------------------------------------------------------

    def read_progress(self) -> dict[str, dict[str, Any]]:
        """The figures in ``progress.json`` by shard (``0/4``). What is no such figure is left out:
        what is finished is counted on disk."""
        try:
            content = self._document("progress.json") or {}
        except InputError:
            return {}
        shards: dict[str, dict[str, Any]] = {}
        for name, figures in content.items():
            with contextlib.suppress(ValidationError):
                if _SHARE.fullmatch(name):
                    shards[name] = ShardProgress.model_validate(figures).model_dump()
        return shards

    def update_progress(self, shard: str, figures: dict[str, Any]) -> None:
        """Replace one shard's figures; several workers may do so at once.

        Those of workers that shared the work out otherwise are of no use any more.
        """
        with self._progress_lock():
            alike = f"/{shard.partition('/')[2]}"
            known = self.read_progress().items()
            content = {name: value for name, value in known if name.endswith(alike)}
            content[shard] = figures
            content[_BEFORE] = self._counted_before()
            self._write("progress.json", content)

    def forget_progress(self) -> None:
        """Drop the figures of earlier workers, before new ones start; their counts go on."""
        with self._progress_lock():
            self._write("progress.json", {_BEFORE: self._counts()})

    def _counted_before(self) -> dict[str, float]:
        """What workers counted before the newest ones were started."""
        try:
            found = (self._document("progress.json") or {}).get(_BEFORE)
        except InputError:
            return {}
        return _numbers(found)

    def _counts(self) -> dict[str, float]:
        """The counts of all workers, earlier ones and all shards together."""
        counts = self._counted_before()
        replaced = _FROM_LOG.get(self.spec().kind, ())
        for shard in self.read_progress().values():
            for name, value in _numbers(shard["notes"]).items():
                counts[name] = value if name in replaced else counts.get(name, 0) + value
        return counts

    @contextlib.contextmanager
    def _progress_lock(self) -> Iterator[None]:
        with self.files.append_to("progress.lock") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def state(self) -> RunState:
        """What the files, the live workers and the launcher's last words say about the run."""
        if self.files.has("result.json"):
            return "finished"
        launch = read_launch(self.path)
        alive = launch.alive(self.path) if launch else frozenset()
        if "running" in alive:
            return "running"
        if self._claims():
            return "running"
        if alive:
            return "preempted" if "preempted" in alive else "queued"
        return self._ended_state(launch)

    def _ended_state(self, launch: LaunchRecord | None) -> RunState:
        """Why no worker is busy with the unfinished run."""
        if self.files.has("error.json"):
            return "failed"
        if self.files.has("stop"):
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
            done = _finished_in(self.path, self.looks(self.shard_names()))
        now = time.time()
        speed = 0.0
        for shard in shards:
            seconds = (now if state == "running" else shard["at"]) - shard["since"]
            # a clock that was set back says nothing
            speed += shard["done"] / max(0.1, seconds) if seconds > 0 else 0.0
        done = min(total, done)
        notes: dict[str, Any] = {}
        for shard in shards:
            notes.update(shard["notes"])
        notes.update(self._counts())
        left = (total - done) / speed if speed > 0 and state == "running" else None
        return RunProgress(state, done, total, speed or None, left, notes, self.error())

    def _all_count(self, counting: int) -> bool:
        """Whether that many workers are all that were started."""
        launch = read_launch(self.path)
        return counting >= (launch.shards if launch else 1)

    def clear_outcome(self) -> None:
        """Forget an earlier error or stop request, before the run is started again."""
        for name in ("error.json", "stop", *self.files.names("shard-*.queued")):
            self.files.remove(name)

    def request_stop(self) -> None:
        """Ask the workers to stop after what is in flight; they look several times a second."""
        self.files.write("stop", "")

    def looks(self, names: Iterable[str]) -> tuple[tuple[str, int, int], ...]:
        """Name, size in bytes and time of change of files: equal as long as the files are.

        The time is that of the inode, which whoever edits a file cannot set back.
        """
        known = ((name, self.files.status(name)) for name in names)
        return tuple((name, at.st_size, at.st_ctime_ns) for name, at in known if at is not None)


@lru_cache(maxsize=64)
def _finished_in(folder: Path, looks: tuple[tuple[str, int, int], ...]) -> int:
    """How many items have a record in the shard files of a folder, which look like this.

    InputError where one is damaged.
    """
    del looks
    return len(RunFolder(folder).finished_ids())


def write_rows(
    files: GuardedFolder, name: str, rows: Iterable[Mapping[str, Any]], written: _Spelling = _JSON
) -> int:
    """Replace a file of a run folder by JSON lines; returns their number."""
    count = 0

    def lines() -> Iterator[str]:
        nonlocal count
        for row in rows:
            count += 1
            yield written(row) + "\n"

    files.write(name, lines())
    return count


def _with_id(files: GuardedFolder, name: str, row: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(row.get("id"), str):
        raise files.damaged(name)
    return row
