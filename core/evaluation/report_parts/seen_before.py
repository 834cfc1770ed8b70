"""What a model's provider had been sent of a split before it was evaluated: a score's exposure."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.evaluation.scoring import Report
from core.i18n import tr, trn

FIELD = "seen_before"
"""Where it stands in a report's origin."""


@dataclass(frozen=True, slots=True)
class SeenBefore:
    """Of a run: how many of the ``items`` of its split its model or its provider's host (``by``)
    had been sent by this workspace before; ``seen`` is 0 for a model that had never been asked.

    ``participants`` is how many people had access to the items and belong to the organisation of
    the model or of its host, or started the run."""

    by: str
    seen: int
    items: int
    participants: int = 0

    def sentence(self) -> str:
        """It in words."""
        sent = trn(
            "Before this run, {by} had been sent {seen} of 1 item of this split.",
            "Before this run, {by} had been sent {seen} of {n} items of this split.",
            self.items,
            by=self.by,
            seen=self.seen,
        )
        if not self.participants:
            return sent
        flag = trn(
            "Participant with access: 1 person who has seen items of it started the run or belongs "
            "to the model's organisation.",
            "Participants with access: {n} people who have seen items of it started the run or "
            "belong to the model's organisation.",
            self.participants,
        )
        return f"{sent} {flag}"

    def as_json(self) -> dict[str, Any]:
        """Its fields and its sentence."""
        return {**asdict(self), "sentence": self.sentence()}


def seen_before_of(report: Report) -> SeenBefore | None:
    """What a report says of it; None of a run that asked no model."""
    told = report.origin.get(FIELD)
    if not told:
        return None
    return SeenBefore(told["by"], told["seen"], told["items"], told.get("participants", 0))


def seen_items(seen: SeenBefore | None) -> int | None:
    """How many items a provider had been sent; None where no model was asked."""
    return None if seen is None else seen.seen


def with_seen(report: Report, seen: Mapping[str, SeenBefore]) -> Report:
    """The report with what is known of its run."""
    known = seen.get(str(report.origin.get("run", "")))
    if known is None:
        return report
    return replace(report, origin={**report.origin, FIELD: known.as_json()})


def seen_notes(rows: Iterable[tuple[str, SeenBefore | None]]) -> tuple[str, ...]:
    """A sentence for each named score whose provider had been sent the split, or part of it, or
    that has participants with access."""
    return tuple(
        tr("{a}: {reason}", a=name, reason=seen.sentence())
        for name, seen in rows
        if seen is not None and (seen.seen or seen.participants)
    )
