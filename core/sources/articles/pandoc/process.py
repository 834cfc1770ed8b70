"""Pandoc as a reader: it runs as a child process, gets the source on its input, sees no file."""

import contextlib
import json
import re
import subprocess
import sys
from functools import lru_cache
from typing import Any

from core.i18n import tr
from core.optional_packages import how_to_add
from core.sources.limits import UnreadableSource


class RefusedAt(UnreadableSource):
    """Pandoc does not understand a source; ``line`` is the one where it gave up, from 1, or 0.

    ``said`` are its own words, which are for no reader.
    """

    def __init__(self, message: str, line: int, said: str) -> None:
        super().__init__(message)
        self.line = line
        self.said = said


_PLACE = re.compile(r"\(line (\d{1,7}), column \d+\)")
_KINDS = {
    "docx": "Word", "odt": "OpenDocument", "epub": "EPUB", "jats": "JATS", "asciidoc": "AsciiDoc",
    "rst": "reStructuredText", "org": "Org", "typst": "Typst", "ipynb": "Jupyter", "latex": "LaTeX",
}  # fmt: skip
_SECONDS = 300
"""By the clock of a busy machine; the processor time of who started it bounds it more closely."""
_TREE_BYTES = 64 * 2**20


@lru_cache(maxsize=1)
def pandoc_command() -> str:
    """Where pandoc is. Raises ``UnreadableSource`` when it is not installed."""
    import pypandoc

    try:
        return str(pypandoc.get_pandoc_path())
    except OSError as error:
        raise UnreadableSource.tr(
            "Reading it needs pandoc. {remedy}", remedy=how_to_add("pypandoc_binary")
        ) from error


def _bound(child: int) -> None:
    """Leave the child the seconds of a processor that this process and its children have left."""
    if sys.platform != "linux":
        return
    import resource

    most = resource.getrlimit(resource.RLIMIT_CPU)[0]
    if most == resource.RLIM_INFINITY:
        return
    own = resource.getrusage(resource.RUSAGE_SELF)
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
    left = max(1, int(most - used))
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(child, resource.RLIMIT_CPU, (left, left))


def syntax_tree(source: bytes, reader: str) -> dict[str, Any]:
    """Pandoc's syntax tree of a document in the format that ``reader`` names.

    Raises ``RefusedAt`` when pandoc fails, and ``UnreadableSource`` when it takes too long.
    """
    command = [pandoc_command(), "--sandbox", "--from", reader, "--to", "json"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        _bound(process.pid)
        try:
            out, said = process.communicate(source, timeout=_SECONDS)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise UnreadableSource.tr(
                "Reading it takes too long for a file of its size."
            ) from error
    if process.returncode < 0:  # ended from outside, by its limits
        raise UnreadableSource.tr("Reading it takes too long for a file of its size.")
    if process.returncode or len(out) > _TREE_BYTES:
        reason = " ".join(said.decode("utf-8", "replace").split())
        place = _PLACE.search(reason)
        told = tr(
            "It is damaged, or its format is not {kind}.",
            kind=_KINDS.get(reader.partition("+")[0], reader),
        )
        raise RefusedAt(told, int(place[1]) if place else 0, reason)
    tree: dict[str, Any] = json.loads(out)
    return tree
