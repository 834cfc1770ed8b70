"""Foreign files are interpreted in a child process with limits of memory and time.

What parses a foreign format can be made to need gigabytes or hours by a few kilobytes, or be
crashed. So the readers of articles, workbooks, Parquet and the like run in ``bounded_worker``, and
what they read comes back through a pipe as JSON, a piece at a time. A child that fails is replaced,
and one file is lost.
"""

import atexit
import json
import os
import select
import signal
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from core.errors import InputError, OutsideError
from core.i18n import language, tr
from core.own_process import module_command, module_environment

_PIECE = 2**27
"""Bytes of the largest piece that is taken: more than the largest article needs."""
_HEADER = struct.Struct(">I")
KEPT_S = 60.0
"""Seconds that a child waits for a further request before it ends."""


_SECONDS_OF_TEXT, _MOST_SECONDS = 30, 60
"""Seconds for a megabyte of a text and what it includes, which quiet machines read in ten, and how
many there are at most: a large text is read in two minutes by this child and those it starts."""


@dataclass(frozen=True)
class Budget:
    """What one reading may cost: seconds of a processor, bytes of memory, bytes of result."""

    seconds: int = 5
    memory: int = 600 * 2**20
    result: int = 200 * 2**20

    def for_file(self, path: Path, parts: int = 0) -> "Budget":
        """More for a larger file: a big one may take its time, a small one has no reason to.

        ``parts`` are the bytes of the other files that it includes, which are interpreted.
        """
        megabytes = path.stat().st_size / 2**20
        of_text = min(self.seconds + _SECONDS_OF_TEXT * (megabytes + parts / 2**20), _MOST_SECONDS)
        of_data = self.seconds + 2 * max(0.0, megabytes - 2)
        return Budget(
            seconds=int(max(of_text, of_data)),
            memory=self.memory + int(16 * megabytes * 2**20),
            result=self.result + int(16 * megabytes * 2**20),
        )


class BoundedReader:
    """One child that reads file after file; leaving it as a context ends the child."""

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget or Budget()
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "BoundedReader":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.end()

    def read(self, job: str, path: Path, *, parts: int = 0, **options: Any) -> Iterator[Any]:
        """What a job of ``bounded_worker`` yields for a file, one JSON value after the other;
        ``parts`` are the bytes of what the file includes.

        Raises InputError with the job's own sentence, or for a file that needs more memory or time
        than it may have. Raises OSError for a file that cannot be opened.
        """
        budget = self._budget.for_file(path, parts)
        request = {
            "job": job, "path": os.fsencode(path).decode("latin-1"), "options": options,
            "language": language(), "seconds": budget.seconds, "memory": budget.memory,
        }  # fmt: skip
        finished = False
        try:
            self._send(json.dumps(request).encode() + b"\n")
            # a worker that waits for nothing and has used up its seconds is ended by the system;
            # the limit by the clock is for one that hangs where no second passes
            pieces = self._pieces(time.monotonic() + 60 + 20 * budget.seconds, budget)
            for kind, value in pieces:
                if kind == "value":
                    yield value
                    continue
                said, grown = value
                # what a large file leaves in memory is not a fault of the next one
                finished = not grown
                if kind == "refused":
                    raise InputError(str(said))
                if kind == "unopened":
                    raise OSError(said[0], said[1], str(path))
                return
        finally:
            if not finished:
                self.end()

    def end(self) -> None:
        """End the child, if there is one; the next file is read by another."""
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue  # what was still to be sent has no reader any more

    def _send(self, request: bytes) -> None:
        if self._child is None or self._child.poll() is not None:
            self.end()
            self._child = _started()
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(request)
            self._child.stdin.flush()
        except BrokenPipeError:
            raise InputError(self._why_ended()) from None

    def _pieces(self, deadline: float, budget: Budget) -> Iterator[tuple[str, Any]]:
        taken = 0
        while True:
            (length,) = _HEADER.unpack(self._bytes(_HEADER.size, deadline))
            taken += length
            if length > _PIECE or taken > budget.result:
                raise InputError.tr(
                    "It contains more than {megabytes} MB of data, too much for a file of its "
                    "size.",
                    megabytes=budget.result // 2**20,
                )
            kind, value = json.loads(self._bytes(length, deadline).decode("utf-8", "surrogatepass"))
            yield str(kind), value

    def _bytes(self, count: int, deadline: float) -> bytes:
        assert self._child is not None
        assert self._child.stdout is not None
        descriptor = self._child.stdout.fileno()
        parts: list[bytes] = []
        while count:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                raise InputError(_too_long())
            data = os.read(descriptor, min(count, 2**20))
            if not data:
                raise InputError(self._why_ended())
            parts.append(data)
            count -= len(data)
        return b"".join(parts)

    def _why_ended(self) -> str:
        assert self._child is not None
        code = self._child.wait()
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return _too_long()
        return too_much_memory() if code == -signal.SIGABRT else tr("It could not be interpreted.")


class _Kept:
    """The child that waits for what is read next: its start takes longer than most tables."""

    def __init__(self) -> None:
        self.reader = BoundedReader()
        self.free = threading.Lock()
        self.used = 0.0


_kept = _Kept()


def _forget() -> None:
    """In a process that was forked: the child and its pipes are the other one's."""
    global _kept
    _kept = _Kept()


atexit.register(lambda: _kept.reader.end())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def read_by_kept_child(job: str, path: Path, **options: Any) -> Iterator[Any]:
    """``BoundedReader.read`` of one file, by a child that then waits a minute for another one.

    While somebody else reads with it, by a child of its own.
    """
    kept = _kept
    if not kept.free.acquire(blocking=False):
        with BoundedReader() as own:
            yield from own.read(job, path, **options)
        return
    try:
        if time.monotonic() - kept.used > KEPT_S / 2:
            kept.reader.end()
        yield from kept.reader.read(job, path, **options)
    finally:
        kept.used = time.monotonic()
        kept.free.release()


def _started() -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            module_command("core.sources.bounded_worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=module_environment(),
        )
    except OSError as error:  # no file's fault
        reason = error.strerror or str(error)
        raise OutsideError.tr("Could not start the command: {reason}", reason=reason) from error


def _too_long() -> str:
    return tr("Reading it takes too long for a file of its size.")


def too_much_memory() -> str:
    """What is said of a file whose content does not fit into the memory that it may have."""
    return tr("Reading it needs too much memory for a file of its size.")
