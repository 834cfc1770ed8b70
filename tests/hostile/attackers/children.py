"""Processes to be killed: forked from the process of the tests, which has everything imported.

A child does its ``work`` and says what it acknowledges, one JSON value a line, in a pipe that
outlives it. Close every open workspace before a fork: SQLite forgets locks across one.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from sqlalchemy import Engine, event

Say = Callable[[Any], None]
Work = Callable[[Say], object]

_CHANGES = ("os.link", "os.rename", "os.mkdir", "os.rmdir", "os.remove", "os.truncate", "os.chmod")
_WRITES = os.O_WRONLY | os.O_RDWR
_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


class Child:
    """A process that does ``work`` until it ends or is killed.

    ``at_step`` makes it kill itself at that step, counted from 1: before and after every
    statement of SQL, at every commit, and whenever it opens a file for writing, renames, removes
    or flushes one. ``until_over`` waits for that. At step 0 it says at its end how many there are.
    """

    def __init__(self, work: Work, *, at_step: int | None = None) -> None:
        reading, writing = os.pipe()
        self._rest = b""
        self.said: list[Any] = []
        self.pid = os.fork()
        if self.pid == 0:
            _be_the_child(work, writing, at_step)
        os.close(writing)
        os.set_blocking(reading, False)
        self._pipe = reading
        self._status: int | None = None

    def hear(self, count: int = 0, seconds: float = 0.0) -> list[Any]:
        """What it has said so far: waits for ``count`` values, and at most ``seconds`` long."""
        deadline = time.monotonic() + seconds
        while True:
            over = self._read()
            left = deadline - time.monotonic()
            if over or left <= 0 or (count and len(self.said) >= count):
                return self.said
            select.select([self._pipe], [], [], left)

    def _read(self) -> bool:
        """Take what is in the pipe; whether nothing more will come."""
        while True:
            try:
                data = os.read(self._pipe, 65536)
            except BlockingIOError:
                return False
            if not data:
                return True
            *lines, self._rest = (self._rest + data).split(b"\n")
            self.said += [json.loads(line) for line in lines]

    def kill(self) -> list[Any]:
        """SIGKILL; everything that it said before. It may have failed already."""
        os.kill(self.pid, signal.SIGKILL)
        return self._end(60.0)

    def until_over(self, seconds: float = 120.0) -> list[Any]:
        """Wait for its end; everything that it said. Any end but that of its work, or at its step,
        fails here."""
        said = self._end(seconds)
        assert self._status in (0, signal.SIGKILL), (self._status, said)
        return said

    def _end(self, seconds: float) -> list[Any]:
        self.hear(0, seconds)
        os.close(self._pipe)
        _, self._status = os.waitpid(self.pid, 0)
        return self.said


def _be_the_child(work: Work, pipe: int, at_step: int | None) -> None:
    """Do the work and end, without anything that Python or pytest does at an end."""
    code = 7
    with contextlib.suppress(BaseException):
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

        def say(value: Any) -> None:
            os.write(pipe, json.dumps(value).encode() + b"\n")

        try:
            steps = [] if at_step is None else _count_steps(at_step)
            work(say)
            if at_step == 0:
                say(len(steps))
            code = 0
        except BaseException:
            say(traceback.format_exc())
    os._exit(code)


def _count_steps(last: int) -> list[object]:
    """Kill this process at that step; see ``Child``. Returns the steps as they come."""
    steps: list[object] = []

    def step(*_: Any, **__: Any) -> None:
        steps.append(None)
        if len(steps) == last:
            os.kill(os.getpid(), signal.SIGKILL)

    def audit(name: str, arguments: tuple[Any, ...]) -> None:
        if name in _CHANGES or (name == "open" and arguments[2] & _WRITES):
            step()

    def fsync(handle: Any, flush: Callable[[Any], None] = os.fsync) -> None:
        step()
        flush(handle)
        step()

    for name in ("before_cursor_execute", "after_cursor_execute", "commit"):
        event.listen(Engine, name, step)
    sys.addaudithook(audit)
    os.fsync = fsync
    return steps
