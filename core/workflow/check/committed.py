"""What a reviewer is told of a decision once it is committed."""

from dataclasses import dataclass

from core.workflow.check.qualification import QualificationAnswer


@dataclass(frozen=True, slots=True)
class PeerDecision:
    """What somebody else said about the item, without their name."""

    verdict: str
    reason: str
    note: str


@dataclass(frozen=True, slots=True)
class Reveal:
    """What was hidden until one's own decision was committed."""

    score: float | None
    threshold: float | None
    rationale: str
    others: tuple[PeerDecision, ...]


@dataclass(frozen=True, slots=True)
class CommittedDecision:
    """A committed decision."""

    number: int
    verdict: str
    state: str
    disputed: bool
    event: int
    reveal: Reveal
    answer: QualificationAnswer | None = None
    """What is said of an answer in a qualification round; None for other decisions."""
