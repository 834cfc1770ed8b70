"""The real command line, once per child of this process: quick, limited and measured."""

import os
import resource
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

_MEMORY = 4 * 2**30  # of addresses, beyond those that the process of the tests has
_SECONDS = 120


@dataclass(frozen=True)
class Ended:
    """How a command ended. ``seconds`` are those of processors, ``megabytes`` the most that it or
    a child of it held at once, over what the process of the tests held when it was forked."""

    code: int
    out: str
    err: str
    seconds: float
    megabytes: float

    def fault(self, codes: Sequence[int] = (0, 1, 2, 3), most: float = 10) -> str:
        """What is wrong with the end: a traceback, a signal, a failure in several lines, or more
        than ``most`` seconds of a processor."""
        if "Traceback" in self.err + self.out:
            return f"traceback: {self.err.strip().splitlines()[-1][:200]}"
        if self.code not in codes:
            return f"ended with {self.code}: {self.err[-200:]}"
        if self.code and not self.err.strip() and not self.out.strip():
            return f"ended with {self.code} without a word"
        if self.megabytes > 1000 or self.seconds > most:
            return f"{self.seconds:.1f} s, {self.megabytes:.0f} MB"
        return ""


def run_command(arguments: Sequence[str], place: Path) -> Ended:
    """``benchseal`` with these arguments in a child; ``place`` is a folder for what it says."""
    out, err = place / "out.txt", place / "err.txt"
    sys.stdout.flush()
    sys.stderr.flush()
    held = psutil.Process().memory_info().rss
    child = os.fork()
    if child == 0:
        _become(arguments, out, err)
    _, status, usage = os.wait4(child, 0)
    return Ended(
        os.waitstatus_to_exitcode(status),
        out.read_text(encoding="utf-8", errors="replace"),
        err.read_text(encoding="utf-8", errors="replace"),
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1024 - held / 2**20,
    )


def _become(arguments: Sequence[str], out: Path, err: Path) -> None:
    code = 99
    try:
        most = psutil.Process().memory_info().vms + _MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
        for path, number in ((out, 1), (err, 2)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
        from core.cli import main

        code = main(list(arguments))
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
