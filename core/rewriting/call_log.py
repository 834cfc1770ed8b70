"""Every finished call of a run, kept on disk by its content: the cache, the bill and the trace.

One ``calls-NNN.jsonl`` for each shard, a flushed line for each call. A run that is started again
finds in it whatever was answered before, whichever shard had asked, so no finished call is ever
paid for twice.
"""

import asyncio
import json
import os
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from core.bounded_json import MOST_LINE, parse_json
from core.guarded_folder import GuardedFolder

PATTERN = "calls-[0-9]*.jsonl"
_KEY_FIRST = b'{"key": "'


class CallLog:
    """The calls of one run folder, open for one shard. ``with CallLog(folder, shard) as log``.

    An entry is a JSON object with ``key``, ``item``, ``step`` and what the caller adds. Entries
    with ``"kept": false`` (calls that got no reply) are for the trace alone and never found.
    """

    def __init__(self, folder: Path, shard: int) -> None:
        self._name = f"calls-{shard:03d}.jsonl"
        self._files = GuardedFolder(folder)
        self._places: dict[str, tuple[str, int]] = {}
        self._busy: dict[str, asyncio.Lock] = {}
        self._waiting: Counter[str] = Counter()
        self.usage = StepUsage()

    def __enter__(self) -> Self:
        self._files.drop_torn_line(self._name)
        for name in self._files.names(PATTERN):
            for start, entry in _entries(self._files, name):
                self._remember(name, start, entry)
        descriptor = self._files.descriptor_to_write(self._name, append=True)
        self._handle = os.fdopen(descriptor, "ab")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._handle.flush()
        os.fsync(self._handle.fileno())
        self._handle.close()

    def find(self, key: str) -> dict[str, Any] | None:
        """The kept entry of that key, read back from its file."""
        place = self._places.get(key)
        if place is None:
            return None
        name, start = place
        with self._files.open(name) as handle:
            handle.seek(start)
            entry: dict[str, Any] = parse_json(handle.readline(MOST_LINE))
        return entry

    def append(self, entry: dict[str, Any]) -> None:
        """Put a finished call on disk."""
        start = self._handle.tell()
        self._handle.write(json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        self._handle.flush()
        self._remember(self._name, start, entry)

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:
        """Let one at a time ask for a key, so that equal questions of two items are asked once."""
        lock = self._busy.setdefault(key, asyncio.Lock())
        self._waiting[key] += 1
        try:
            async with lock:
                yield
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key], self._busy[key]

    def _remember(self, name: str, start: int, entry: dict[str, Any]) -> None:
        self.usage.add(entry)
        if entry.get("kept", True):
            self._places.setdefault(entry["key"], (name, start))


class StepUsage:
    """Calls and tokens by step."""

    def __init__(self) -> None:
        self._figures: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, entry: dict[str, Any]) -> None:
        """Count one entry; look-ups of knowledge have no tokens."""
        reply = entry.get("reply") or {}
        counts = (int(reply.get(name, 0)) for name in ("prompt_tokens", "completion_tokens"))
        self.count(entry["step"], *counts)

    def count(self, step: str, prompt_tokens: int, completion_tokens: int) -> None:
        """Count one call."""
        figures = self._figures[step]
        figures["calls"] += 1
        figures["prompt_tokens"] += prompt_tokens
        figures["completion_tokens"] += completion_tokens

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens of all steps."""
        return sum(f["prompt_tokens"] + f["completion_tokens"] for f in self._figures.values())

    def as_json(self, price_prompt: float = 0.0, price_completion: float = 0.0) -> dict[str, Any]:
        """Step to calls, tokens and cost; prices are per million tokens."""
        return {
            step: {
                "calls": figures["calls"],
                "prompt_tokens": figures["prompt_tokens"],
                "completion_tokens": figures["completion_tokens"],
                "cost": round(
                    (
                        figures["prompt_tokens"] * price_prompt
                        + figures["completion_tokens"] * price_completion
                    )
                    / 1e6,
                    6,
                ),
            }
            for step, figures in self._figures.items()
        }


def read_calls(folder: Path) -> Iterator[dict[str, Any]]:
    """All entries of a run folder, shard by shard, in the order in which they finished."""
    files = GuardedFolder(folder)
    for name in files.names(PATTERN):
        for _, entry in _entries(files, name):
            yield entry


def key_of(line: bytes) -> str:
    """The key of an entry's line; reads no more of it than it must."""
    if line.startswith(_KEY_FIRST):
        return line[len(_KEY_FIRST) : line.index(b'"', len(_KEY_FIRST))].decode("utf-8")
    return str(parse_json(line)["key"])


def usage_of(folder: Path) -> StepUsage:
    """What all calls of a run took, over all shards and starts."""
    usage = StepUsage()
    for entry in read_calls(folder):
        usage.add(entry)
    return usage


def _entries(files: GuardedFolder, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """(start, entry) of every whole line; a torn last line is left out."""
    start = 0
    for line in files.lines(name):
        try:
            entry = parse_json(line)
            entry["key"], entry["step"]
        except (ValueError, KeyError, TypeError) as error:
            raise files.damaged(name) from error
        yield start, entry
        start += len(line)
