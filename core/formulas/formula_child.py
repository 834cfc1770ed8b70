"""The child that sets formulas: a request a line, an answer a line, as JSON.

A request is ``[number, tex, display]``, its answer ``[number, outline]`` or ``[number, null]``.
A formula has ``SECONDS`` of processor time; one that holds on longer ends the child.
"""

import json
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import Any

if sys.platform != "win32":  # which has no such limits
    import resource

from core.formulas.finding import LONGEST
from core.formulas.outlines import outline

SECONDS = 1.0
_MEMORY = 2**30


class _TooLongError(BaseException):
    """Raised by the clock; no clause of a library that catches Exception holds it up."""


def _on_clock(_signal: int, _frame: FrameType | None) -> None:
    raise _TooLongError


def main() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        signal.signal(signal.SIGPROF, _on_clock)
    for line in sys.stdin.buffer:
        number, tex, display = json.loads(line)
        text = json.dumps([number, _within_limits(str(tex), bool(display))], separators=(",", ":"))
        answers.write(text.encode() + b"\n")
        answers.flush()


def _within_limits(tex: str, display: bool) -> dict[str, Any] | None:
    if len(tex) > LONGEST:
        return None
    with suppress(Exception, _TooLongError):  # whatever a library makes of it, it stays TeX
        if sys.platform != "win32":
            used = resource.getrusage(resource.RUSAGE_SELF)
            most = int(used.ru_utime + used.ru_stime + 3 * SECONDS) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            return outline(tex, display=display)
        finally:
            if sys.platform != "win32":
                signal.setitimer(signal.ITIMER_PROF, 0)
    return None


if __name__ == "__main__":
    main()
