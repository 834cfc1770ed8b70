"""What a run keeps about each item, as one line of its shard file."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from core.families.base import Defect
from core.families.rewrite_payload import Triple
from core.rewriting.prompts import Texts
from core.rewriting.step_calls import CallTrail
from core.sources.labelled.datasets import LabelledExample
from core.sources.news.events import NewsFact

Outcome = Literal["accepted", "screened_out", "left_out", "failed"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
STEPS = ("entities", "knowledge", "summary", "triples", "semantic", "updated", "facts", "label")


@dataclass
class Round:
    """One attempt at the final text and what was said about it. None: not judged."""

    number: int
    texts: Texts
    defects: list[Defect] = field(default_factory=list)
    supported: bool | None = None
    facts_rationale: str = ""
    agrees: bool | None = None
    label_rationale: str = ""

    @property
    def good(self) -> bool:
        """Whether every check and both criteria passed."""
        return not self.defects and self.supported is True and self.agrees is True

    @property
    def critique(self) -> list[str]:
        """What the next attempt is told."""
        points = [defect.detail for defect in self.defects]
        if self.supported is False:
            points.append(f"Facts: {self.facts_rationale}")
        if self.agrees is False:
            points.append(f"Label: {self.label_rationale}")
        return points

    def as_json(self) -> dict[str, Any]:
        """One JSON object."""
        return {
            "round": self.number,
            "texts": list(self.texts),
            "defects": [[defect.name, defect.detail] for defect in self.defects],
            "supported": self.supported,
            "facts_rationale": self.facts_rationale,
            "agrees": self.agrees,
            "label_rationale": self.label_rationale,
        }


@dataclass
class RewriteDraft:
    """An item on its way; each step fills in its part."""

    example: LabelledExample
    trace: CallTrail = field(default_factory=CallTrail)
    entities: list[tuple[str, str]] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    facts_found: int = 0
    facts: list[NewsFact] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    summary: str = ""
    before: tuple[Triple, ...] = ()
    after: tuple[Triple, ...] = ()
    substituted: Texts = ("", "")
    semantic: Texts = ("", "")
    rounds: list[Round] = field(default_factory=list)
    # attempts of the triples and the semantic text, with what was wrong with them
    attempts: dict[str, list[list[str]]] = field(default_factory=dict)
    # how often the triples and the semantic text were asked for
    tried: Counter[str] = field(default_factory=Counter)

    @property
    def knowledge(self) -> str:
        """The summary and the headlines behind it, as the writer and the critic see them."""
        lines = [f"[{fact.seen:%Y-%m-%d}] {fact.title}" for fact in self.facts]
        return "\n".join([self.summary, *lines])

    @property
    def grounds(self) -> str:
        """Everything that a new name may come from."""
        details = [fact.detail for fact in self.facts]
        return "\n".join([self.knowledge, *details, self.example.text, self.example.second])

    def record(
        self, outcome: Outcome, step: str, reason: str = "", detail: str = ""
    ) -> dict[str, Any]:
        """The record; ``step`` is where the journey ended, ``reason`` why (empty: accepted)."""
        return {
            "id": self.example.id,
            "outcome": outcome,
            "step": step,
            "reason": reason,
            "detail": detail[:1000],
            "example": self.example.model_dump(),
            "entities": [list(pair) for pair in self.entities],
            "refused_queries": self.refused,
            "facts_found": self.facts_found,
            "facts": [fact.as_json() for fact in self.facts],
            "scores": self.scores,
            "summary": self.summary,
            "before": [list(triple) for triple in self.before],
            "after": [list(triple) for triple in self.after],
            "substituted": list(self.substituted),
            "semantic": list(self.semantic),
            "updated": list(self.rounds[-1].texts) if outcome == "accepted" else None,
            "rounds": [round.as_json() for round in self.rounds],
            "attempts": self.attempts,
            "calls": self.trace.calls,
            "prompt_tokens": self.trace.prompt_tokens,
            "completion_tokens": self.trace.completion_tokens,
        }


def texts_of(row: Mapping[str, Any], name: str) -> Texts:
    """A pair of texts as a record keeps it."""
    first, second = row[name]
    return str(first), str(second)
