"""The first item of a reviewer, and how far they are, read together."""

from contextlib import suppress
from dataclasses import dataclass

from core.errors import BenchsealError
from core.workflow.check import questions, review
from core.workflow.check.review import ReviewCard, ReviewQueue
from core.workflow.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Begun:
    """What Review begins with; no card where nothing is left."""

    queue: ReviewQueue
    card: ReviewCard | None
    unsure: frozenset[int]


def begun(wanted: int, ws: Workspace, person: str, benchmark: str) -> Begun:
    """The item that is ``wanted``, such as the one that was left at the last time, while it still
    waits; else the next one."""
    card = None
    if wanted:
        with suppress(BenchsealError):
            card = review.claim_item(ws, person, wanted)
    card = card or review.next_card(ws, person, benchmark)
    return Begun(review.queue(ws, person, benchmark), card,
                 questions.own_marks(ws, person, benchmark))  # fmt: skip
