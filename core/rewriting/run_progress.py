"""Where a run stands, read again and again: its funnel, its bill, and a line for every item.

A run of ten thousand items has hundreds of megabytes of calls. They are read once; each later
look reads only what was added, and opening one item's journey reads only its own lines.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.bounded_json import MOST_LINE, parse_json
from core.guarded_folder import GuardedFolder
from core.jobs.folder import RunFolder
from core.rewriting.call_log import PATTERN, StepUsage
from core.rewriting.funnel import Funnel
from core.rewriting.record import STEPS
from core.rewriting.trace import Trace, read_trace, trace_of

_HEAD = re.compile(
    rb'\A\{"key": "([^"\\]+)", (?:"kept": (?:true|false), )?"item": "(?:[^"\\]|\\.)*", '
    rb'"step": "([^"\\]+)"'
)
# inside a text the marks would be escaped, so these can only be the reply's own counts
_COUNTS = re.compile(rb'"prompt_tokens": (\d+), "completion_tokens": (\d+)')
_SHOWN = 160  # characters of an item's text in a list
_BREATH_S = 0.003  # work between two pauses
_PAUSE_S = 0.002


@dataclass(frozen=True, slots=True)
class FinishedItem:
    """One finished item in a list: where its journey ended, and why (empty: accepted)."""

    id: str
    outcome: str
    step: str
    reason: str
    rounds: int
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """One step of the funnel. ``entered`` items reached it; ``left`` says why how many of them
    went no further. Tokens and cost are of all calls of the step, unfinished items included."""

    step: str
    entered: int
    left: Mapping[str, int]
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def passed(self) -> int:
        """Items that went on."""
        return self.entered - sum(self.left.values())


@dataclass(frozen=True, slots=True)
class RewriteProgress:
    """A run as its files are now. ``total`` counts all items, ``funnel`` the finished ones;
    ``items`` are in the order in which they were read. ``budget`` is None without a limit."""

    total: int
    funnel: Mapping[str, Any]
    stages: tuple[FunnelStep, ...]
    items: tuple[FinishedItem, ...]
    tokens: int
    cost: float
    budget: int | None

    @property
    def finished(self) -> int:
        """Items whose journey has ended."""
        return int(self.funnel["items"])

    @property
    def budget_left(self) -> int | None:
        """Tokens that may still be spent; None without a limit."""
        return None if self.budget is None else max(0, self.budget - self.tokens)


def stages_of(
    funnel: Mapping[str, Any], steps: Mapping[str, Mapping[str, float]]
) -> tuple[FunnelStep, ...]:
    """The steps one below the other, from ``Funnel.as_json`` and ``StepUsage.as_json``.

    Of the last three, which are gone through once a round, the last round counts.
    """
    left: dict[str, dict[str, int]] = {step: {} for step in STEPS}
    for name, count in funnel["reasons"].items():
        step, _, reason = name.partition(": ")
        left[step][reason] = count
    stages, entered = [], int(funnel["items"])
    for step in STEPS:
        used = steps.get(step, {})
        stage = FunnelStep(
            step,
            entered,
            left[step],
            int(used.get("calls", 0)),
            int(used.get("prompt_tokens", 0)),
            int(used.get("completion_tokens", 0)),
            float(used.get("cost", 0.0)),
        )
        stages.append(stage)
        entered = stage.passed
    return tuple(stages)


class _GrowingFile:
    """A file that others append to: every whole line is given once, with its place."""

    def __init__(self, path: Path) -> None:
        self._files, self._name = GuardedFolder(path.parent), path.name
        self._end = 0

    def shrank(self) -> bool:
        """Whether the file is shorter than what was read of it: another one took its place."""
        status = self._files.status(self._name)
        return status is not None and status.st_size < self._end

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """(offset in bytes, line) of each complete line added since the last read."""
        with self._files.open(self._name) as handle:
            handle.seek(self._end)
            while line := handle.readline(MOST_LINE):
                if not line.endswith(b"\n"):
                    return
                start, self._end = self._end, self._end + len(line)
                yield start, line


@dataclass
class _LineOffsets:
    """Where the lines stand: (file, start) of the newest call of a key and of an item's record."""

    calls: dict[str, tuple[Path, int]] = field(default_factory=dict)
    records: dict[str, tuple[Path, int]] = field(default_factory=dict)


class RewriteProgressReader:
    """Reads one run folder; keeps what it has read. For one thread at a time.

    ``pause`` is called every few milliseconds of work, so that a window beside it stays quick.
    """

    def __init__(
        self, folder: Path, pause: Callable[[], None] = lambda: time.sleep(_PAUSE_S)
    ) -> None:
        self.folder = Path(folder)
        self._pause = pause
        self._forget()

    def _forget(self) -> None:
        self._files: dict[Path, _GrowingFile] = {}
        self._funnel = Funnel()
        self._usage = StepUsage()
        self._items: list[FinishedItem] = []
        self._places = _LineOffsets()

    def read(self) -> RewriteProgress:
        """The run as it is now. Raises NotFoundError or InputError where it is not a run."""
        run = RunFolder(self.folder)
        spec = run.spec()
        if any(file.shrank() for file in self._files.values()):
            self._forget()
        for path in run.shard_files():
            for start, line in self._added(path):
                self._take_record(path, start, line)
        for path in (run.path / name for name in run.files.names(PATTERN)):
            for start, line in self._added(path):
                self._take_call(path, start, line)
        prices = (spec.params.get("price_prompt", 0.0), spec.params.get("price_completion", 0.0))
        funnel, steps = self._funnel.as_json(), self._usage.as_json(*prices)
        return RewriteProgress(
            spec.total,
            funnel,
            stages_of(funnel, steps),
            tuple(self._items),
            self._usage.tokens,
            round(sum(used["cost"] for used in steps.values()), 6),
            spec.params.get("budget_tokens"),
        )

    def trace(self, item: str) -> Trace:
        """An item's journey; of one whose end was read, by its own lines alone.

        Raises NotFoundError where the run has no such item.
        """
        record = _at(self._places.records.get(item))
        if record is None:
            return read_trace(self.folder, item)
        return trace_of(item, record, lambda key: _at(self._places.calls.get(key)))

    def _added(self, path: Path) -> Iterator[tuple[int, bytes]]:
        began = time.perf_counter()
        for start, line in self._files.setdefault(path, _GrowingFile(path)).lines():
            yield start, line
            if time.perf_counter() - began > _BREATH_S:
                self._pause()
                began = time.perf_counter()

    def _take_record(self, path: Path, start: int, line: bytes) -> None:
        record = parse_json(line)
        if record["id"] in self._places.records:
            return  # two shards did the same item: the first counts, as in the run's result
        self._places.records[record["id"]] = (path, start)
        self._funnel.add(record)
        self._items.append(_line_of(record))

    def _take_call(self, path: Path, start: int, line: bytes) -> None:
        head = _HEAD.match(line)
        if head is None:
            entry = parse_json(line)
            key, step = entry["key"], entry["step"]
        else:
            key, step = head.group(1).decode(), head.group(2).decode()
        counts = None if step == "knowledge" else _last(_COUNTS, line)
        prompt, completion = (int(c) for c in counts) if counts else (0, 0)
        self._usage.count(step, prompt, completion)
        self._places.calls[key] = (path, start)


def _last(pattern: re.Pattern[bytes], line: bytes) -> tuple[bytes, bytes] | None:
    last = None
    for match in pattern.finditer(line, max(0, line.rfind(b'"reply": '))):
        last = match.group(1), match.group(2)
    return last


def _at(place: tuple[Path, int] | None) -> dict[str, Any] | None:
    if place is None:
        return None
    path, start = place
    with GuardedFolder(path.parent).open(path.name) as handle:
        handle.seek(start)
        record: dict[str, Any] = parse_json(handle.readline(MOST_LINE))
    return record


def _line_of(record: Mapping[str, Any]) -> FinishedItem:
    example = record["example"]
    text = " ".join(part for part in (example["text"], example["second"]) if part)
    return FinishedItem(
        record["id"],
        record["outcome"],
        record["step"],
        record["reason"],
        len(record["rounds"]),
        example["label"],
        text[:_SHOWN],
    )
