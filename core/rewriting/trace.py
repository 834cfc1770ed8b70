"""An item's journey, step by step, with every prompt and every reply."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import NotFoundError
from core.jobs.folder import RunFolder
from core.rewriting.call_log import read_calls
from core.sources.gdelt import Fact
from core.text import tr


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
    facts: tuple[Fact, ...] = ()


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
    record = run.records().get(item)
    if record is None and all(work["id"] != item for work in run.work()):
        raise NotFoundError(
            tr("The run “{run}” has no item “{item}”.", run=run.path.name, item=item)
        )
    if record is None:
        steps = [_step(entry) for entry in read_calls(run.path) if entry["item"] == item]
        return Trace(item, tuple(steps), None)
    wanted = {key for *_, key in record["calls"]}
    entries = {entry["key"]: entry for entry in read_calls(run.path) if entry["key"] in wanted}
    steps = [
        _step({**entries[key], "step": step, "round": round, "turn": turn})
        for step, round, turn, key in record["calls"]
        if key in entries
    ]
    return Trace(item, tuple(steps), record)


def _step(entry: Mapping[str, Any]) -> TraceStep:
    place = (entry["step"], entry.get("round", 1), entry.get("turn", 1))
    if entry["step"] == "knowledge":
        return TraceStep(
            *place,
            outcome="refused" if entry["refused"] else "ok",
            query=entry["query"],
            reply=entry["refused"],
            facts=tuple(Fact.from_json(row) for row in entry["facts"]),
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
