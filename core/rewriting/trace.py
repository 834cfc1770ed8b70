"""An item's journey, step by step, with every prompt and every reply."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.bounded_json import parse_json
from core.errors import NotFoundError
from core.guarded_folder import GuardedFolder
from core.jobs.folder import RunFolder
from core.rewriting.call_log import PATTERN, key_of
from core.sources.news.events import NewsFact


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One call of a model, or one look-up of knowledge (then ``query`` and ``facts``).

    ``outcome`` is that of ``core.llm.Reply``, or ``refused`` for a query that the source did not
    take; ``prompt`` holds all turns that were sent.
    """

    step: str
    round: int
    turn: int
    outcome: str
    prompt: str = ""
    reply: str = ""
    reasoning: str = ""
    model: str = ""
    prompt_version: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    latency_s: float = 0.0
    query: str = ""
    facts: tuple[NewsFact, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """A journey. ``record`` is the item's line in the run, None while it is not finished."""

    item: str
    steps: tuple[TraceStep, ...]
    record: Mapping[str, Any] | None

    @property
    def outcome(self) -> str:
        """The record's outcome; ``unfinished`` without one."""
        return str(self.record["outcome"]) if self.record else "unfinished"


def read_trace(folder: Path, item: str) -> Trace:
    """The journey of the item with that id (its ``base``) in a run folder.

    Raises NotFoundError where the run has no such item.
    """
    run = RunFolder(folder)
    record = _record_of(run, item)
    if record is None and item not in run.work_ids():
        raise NotFoundError.tr("Run “{run}” has no item “{item}”.", run=run.path.name, item=item)
    if record is None:
        prefix = f'"item": {json.dumps(item, ensure_ascii=False)}, '.encode("utf-8", "replace")
        entries = (parse_json(line) for line in _lines(run.path) if prefix in line)
        steps = [_step(entry) for entry in entries if entry["item"] == item]
        return Trace(item, tuple(steps), None)
    keys = {key for *_, key in record["calls"]}
    calls: dict[str, dict[str, Any]] = {}
    for line in _lines(run.path):
        key = key_of(line)
        if key in keys:
            calls[key] = parse_json(line)
    return trace_of(item, record, calls.get)


def trace_of(
    item: str, record: Mapping[str, Any], call_of: Callable[[str], Mapping[str, Any] | None]
) -> Trace:
    """The journey that a record tells of; ``call_of`` finds a call by its key."""
    steps = []
    for step, round, turn, key in record["calls"]:
        entry = call_of(key)
        if entry is not None:
            steps.append(_step({**entry, "step": step, "round": round, "turn": turn}))
    return Trace(item, tuple(steps), record)


def _record_of(run: RunFolder, item: str) -> dict[str, Any] | None:
    """The first record with that id; of other lines only the beginning is read."""
    start = f'{{"id": {json.dumps(item, ensure_ascii=False)}, '.encode("utf-8", "replace")
    for name in run.shard_names():
        for line in run.files.lines(name):
            if line.startswith(start):
                record: dict[str, Any] = parse_json(line)
                return record
    return None


def _lines(folder: Path) -> Iterator[bytes]:
    """Every whole line of every log of calls."""
    files = GuardedFolder(folder)
    for name in files.names(PATTERN):
        yield from files.lines(name)


def _step(entry: Mapping[str, Any]) -> TraceStep:
    place = (entry["step"], entry.get("round", 1), entry.get("turn", 1))
    if entry["step"] == "knowledge":
        return TraceStep(
            *place,
            outcome="refused" if entry["refused"] else "ok",
            query=entry["query"],
            reply=entry["refused"],
            facts=tuple(NewsFact.from_json(row) for row in entry["facts"]),
        )
    reply = entry["reply"]
    return TraceStep(
        *place,
        outcome=reply["outcome"],
        prompt="\n\n".join(text for _, text in entry["messages"]),
        reply=reply["text"] or reply["refusal"] or reply["error"],
        reasoning=reply["reasoning"],
        model=reply["model"],
        prompt_version=entry["prompt_version"],
        prompt_tokens=reply["prompt_tokens"],
        completion_tokens=reply["completion_tokens"],
        latency_s=reply["latency_s"],
    )
