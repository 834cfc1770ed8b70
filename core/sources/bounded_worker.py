"""The child in which foreign files are interpreted; ``bounded`` starts it and listens to it.

It reads one request a line and answers with pieces of JSON: values, and how the job ended. It can
write no file, and the system ends it when it needs more than its request allows.
"""

import json
import os
import select
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

if sys.platform != "win32":  # which has no such limits: there the clock of ``bounded`` is alone
    import resource

Job = Callable[..., Iterator[Any]]
_HEADER = struct.Struct(">I")
_GROWN = 300 * 2**20
"""Bytes of data in memory with which a worker reads no further file."""
_UNFORESEEN = (ValueError, LookupError, ArithmeticError, AttributeError, TypeError, AssertionError)


def _job(name: str) -> Job:
    """The reader of that name; a worker that reads tables needs none of the articles' modules."""
    if name == "table":
        from core.sources.foreign_tables import read_foreign_table

        return read_foreign_table
    from core.sources.articles import article_files

    jobs: dict[str, Job] = {
        "articles": article_files.read_articles,
        "outline": article_files.outline,
    }
    return jobs[name]


def main() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _forbid_writing()
    while _is_asked() and (line := sys.stdin.buffer.readline()):
        kind, value = _answered(json.loads(line), answers)
        _say(answers, kind, [value, _has_grown()])


def _is_asked() -> bool:
    """Whether a request comes, or the end of them, before nobody is expected to ask any more.

    One request is answered before the next one is sent, so none waits in a buffer.
    """
    from core.sources.bounded import KEPT_S

    return sys.platform == "win32" or bool(select.select([0], [], [], KEPT_S)[0])


def _answered(request: dict[str, Any], answers: BinaryIO) -> tuple[str, Any]:
    """Do one job, saying what it yields; returns how it ended."""
    from core.errors import BenchsealError
    from core.i18n import set_language, tr
    from core.sources.bounded import too_much_memory

    set_language(request["language"])
    try:
        job = _job(request["job"])
        _limit(request["seconds"], request["memory"])
        path = Path(os.fsdecode(request["path"].encode("latin-1")))
        for value in job(path, **request["options"]):
            _say(answers, "value", value)
    except BenchsealError as error:
        return "refused", str(error)
    except MemoryError:
        return "refused", too_much_memory()
    except RecursionError:
        return "refused", tr("It is nested too deeply.")
    except OSError as error:
        return "unopened", [error.errno, error.strerror or str(error)]
    except _UNFORESEEN as error:
        reason = f"{type(error).__name__}: {error}"[:300]
        return "refused", tr("Could not interpret it ({error}).", error=reason)
    return "end", None


def _has_grown() -> bool:
    """Whether this process has kept so much memory that another one had better read the next file.

    Where the system tells only the most that there was, that is taken for it.
    """
    if sys.platform == "win32":
        return False
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most * (1 if sys.platform == "darwin" else 1024) > _GROWN
    return pages * os.sysconf("SC_PAGE_SIZE") > _GROWN


def _say(answers: BinaryIO, kind: str, value: Any) -> None:
    text = json.dumps([kind, value], ensure_ascii=False, separators=(",", ":"))
    data = text.encode("utf-8", "surrogatepass")
    answers.write(_HEADER.pack(len(data)) + data)
    answers.flush()


def _limit(seconds: int, memory: int) -> None:
    if sys.platform == "win32":
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime)
    _set(resource.RLIMIT_CPU, used + seconds + 1)
    # what is mapped and never touched counts as address space, but not as data
    _set(resource.RLIMIT_DATA, memory)
    _set(resource.RLIMIT_AS, memory + 2**31)


def _forbid_writing() -> None:
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _set(kind: int, most: int) -> None:
    if sys.platform == "win32":
        return
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    main()
