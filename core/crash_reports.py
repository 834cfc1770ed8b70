"""What is kept on this computer when the window fails: where in the code, and what was done before.

A report is for the person, who may pass it on; nothing sends it. It holds no item, name, address or
key: of an error its kind and its places in the code, of the log the sentences without the values
that were put into them, of the person the commands by their ids.
"""

import contextlib
import faulthandler
import fcntl
import logging
import os
import platform
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from core.files import make_private_folder, write_atomic
from core.own_process import own_version
from core.redaction import without_known_secrets

LOG_MINUTES = 5
"""So much of the log is in a report."""
_LINES, _MOST_REPORTS, _MOST_OF_ONE_RUN = 500, 10, 5
_ROOT = Path(__file__).resolve().parent.parent
_OUR_LOGGERS = ("core", "db", "gui")
_PACKAGES = ("site-packages", "dist-packages")
_STANDARD_LIBRARY = Path(os.__file__).resolve().parent
_ELSEWHERE = "a file outside the program"


def reports_folder() -> Path:
    """Where this person's reports lie on this computer."""
    from platformdirs import user_state_path

    return user_state_path("benchseal") / "crashes"


class CrashRecorder(logging.Handler):
    """Keeps the last minutes of one process and writes a report when an error is not caught.

    What ends the process at once (a fault in a library) is written by ``faulthandler`` and becomes
    a report at the next start, by ``collect``.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(logging.INFO)
        make_private_folder(folder)
        self.folder = folder
        self._lines: deque[tuple[datetime, str]] = deque(maxlen=_LINES)
        self._written = 0
        self._name = f"{os.getpid()}"
        self._running = self._open(f"running-{self._name}.log")
        fcntl.flock(self._running, fcntl.LOCK_EX)
        self._fault = self._open(f"fault-{self._name}.txt")
        self._hooks: tuple[Callable[..., Any], Callable[..., Any]] | None = None

    def _open(self, name: str) -> IO[str]:
        handle = os.open(self.folder / name, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        return os.fdopen(handle, "w", encoding="utf-8")

    def begin(self) -> None:
        """Record log lines and uncaught exceptions."""
        faulthandler.enable(self._fault, all_threads=True)
        logging.getLogger().addHandler(self)
        self._hooks = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._on_error
        threading.excepthook = self._on_thread_error

    def end(self) -> None:
        """The process ends as it should: nothing is left but the reports."""
        logging.getLogger().removeHandler(self)
        if self._hooks is not None:
            sys.excepthook, threading.excepthook = self._hooks
        faulthandler.disable()
        for handle in (self._running, self._fault):
            handle.close()
        for name in (f"running-{self._name}.log", f"fault-{self._name}.txt"):
            (self.folder / name).unlink(missing_ok=True)

    def note(self, words: str) -> None:
        """Remember that something was done; ``words`` hold nothing that a person wrote."""
        line = " ".join(words.split())
        now = datetime.now(UTC)
        self._lines.append((now, line))
        with contextlib.suppress(OSError, ValueError):
            self._running.write(f"{now:%H:%M:%S} {line}\n")
            self._running.flush()

    def emit(self, record: logging.LogRecord) -> None:
        """A line of the log without its values; one with an error becomes a report.

        Of a log call of ours the sentence, which is a constant. Others put values into theirs
        (asyncio the error of a task, with all that it says): of those the place of the call.
        """
        is_ours = record.name.partition(".")[0] in _OUR_LOGGERS and isinstance(record.msg, str)
        said = record.msg if is_ours else f"{_shortened_path(record.pathname)}:{record.lineno}"
        self.note(f"{record.levelname.lower()} {record.name}: {said}")
        if record.levelno >= logging.ERROR and record.exc_info and record.exc_info[1]:
            self.report(record.exc_info[1])

    def report(self, error: BaseException) -> Path | None:
        """Write a report of an error; None where this process has written enough of them."""
        if self._written >= _MOST_OF_ONE_RUN:
            return None
        self._written += 1
        since = datetime.now(UTC) - timedelta(minutes=LOG_MINUTES)
        log = [f"{at:%H:%M:%S} {line}" for at, line in self._lines if at >= since]
        return _write(self.folder, [*_error_lines(error)], log, str(self._written))

    def _on_error(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        self.report(error.with_traceback(trace))
        if self._hooks is not None:
            self._hooks[0](kind, error, trace)

    def _on_thread_error(self, what: threading.ExceptHookArgs) -> None:
        if what.exc_value is not None:
            self.report(what.exc_value)
        if self._hooks is not None:
            self._hooks[1](what)


_recorder: CrashRecorder | None = None


def start(folder: Path | None = None) -> CrashRecorder | None:
    """Begin to record in this process; None where nothing can be written there."""
    global _recorder
    folder = folder or reports_folder()
    try:
        collect(folder)
        _recorder = CrashRecorder(folder)
    except OSError:  # a full disk or a home that is read-only: the window opens all the same
        return None
    _recorder.begin()
    return _recorder


def stop() -> None:
    """End recording."""
    global _recorder
    if _recorder is not None:
        _recorder.end()
        _recorder = None


def note(words: str) -> None:
    """Remember that something was done, where this process records."""
    if _recorder is not None:
        _recorder.note(words)


def _error_lines(error: BaseException) -> list[str]:
    """The kinds of an error and its causes, with the places in the code, newest last."""
    lines = []
    for one in _chain(error):
        lines.append(f"{type(one).__module__}.{type(one).__qualname__}")
        for frame in traceback.extract_tb(one.__traceback__):
            place = _shortened_path(frame.filename)
            named = "" if place == _ELSEWHERE else f":{frame.lineno} {frame.name}"
            lines.append(f"  {place}{named}")
    return lines


def _chain(error: BaseException) -> list[BaseException]:
    """The error, what it came from and, of a group, every error in it with what that came from."""
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is None or one in found:
            continue
        found.append(one)
        waiting.append(one.__cause__ or one.__context__)
        if isinstance(one, BaseExceptionGroup):
            waiting.extend(reversed(one.exceptions))
    return found[::-1]


def _shortened_path(filename: str) -> str:
    """Where a file is in the program or in a package; the folders before that are a person's.

    A frozen program has its code in an archive, whose names begin with the package. A file that
    belongs to neither is a person's, and so is its name.
    """
    path = Path(filename)
    if not path.is_absolute():
        return filename
    for place in (*(p for p in path.parents if p.name in _PACKAGES), _STANDARD_LIBRARY, _ROOT):
        if path.is_relative_to(place):
            return path.relative_to(place).as_posix()
    return _ELSEWHERE


def _write(folder: Path, trouble: list[str], log: list[str], number: str) -> Path:
    now = datetime.now().astimezone()
    path = folder / f"crash-{now:%Y%m%d-%H%M%S}-{os.getpid()}-{number}.txt"
    head = [
        f"Benchseal {own_version()}, {now:%Y-%m-%d %H:%M:%S %Z}",
        f"Python {platform.python_version()}, {platform.platform(terse=True)}",
    ]
    text = "\n".join([*head, "", *trouble, "", f"The last {LOG_MINUTES} minutes (UTC):", *log, ""])
    write_atomic(path, without_known_secrets(text))
    for old in sorted(folder.glob("*crash-*.txt"), key=lambda p: p.stat().st_mtime)[
        :-_MOST_REPORTS
    ]:
        old.unlink(missing_ok=True)
    return path


def collect(folder: Path) -> None:
    """Make reports for processes that died without one; running processes are left alone."""
    for running in folder.glob("running-*.log"):
        with running.open("r+", encoding="utf-8", errors="replace") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            log = handle.read().splitlines()[-_LINES:]
        number = running.stem.removeprefix("running-")
        fault = folder / f"fault-{number}.txt"
        said = fault.read_text(encoding="utf-8", errors="replace") if fault.exists() else ""
        if said.strip():
            _write(folder, [_without_folders(line) for line in said.splitlines()], log, number)
        for path in (running, fault):
            path.unlink(missing_ok=True)


def _without_folders(line: str) -> str:
    """A line of ``faulthandler`` with the place of the file in the program alone."""
    before, quote, rest = line.partition('File "')
    name, end, after = rest.partition('"')
    return f"{before}{quote}{_shortened_path(name)}{end}{after}" if end else line


def waiting(folder: Path | None = None) -> list[Path]:
    """Unread reports, newest first."""
    found = (folder or reports_folder()).glob("crash-*.txt")
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def put_away(path: Path) -> None:
    """A report was looked at: it is kept, and not offered again."""
    path.replace(path.with_name(f"seen-{path.name}"))
