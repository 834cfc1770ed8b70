"""What verifying gives back, and what each of its checks is handed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.workflow.workspace import Workspace
from db.engine import Session


@dataclass(frozen=True, slots=True)
class VerifyFinding:
    """One thing that does not fit. ``kind`` is stable; ``subject`` names the item or event."""

    kind: str
    subject: str
    detail: str


@dataclass(frozen=True, slots=True)
class Verified:
    """The outcome; sound when there are no findings. ``notes`` say what could not be checked.

    ``bound_from`` is the event from which on the ledger binds every row: 1, or in a workspace of an
    older program the last event of the upgrade that bound what it found.
    """

    events: int
    items: int
    revisions: int
    splits: int
    findings: tuple[VerifyFinding, ...]
    bound_from: int = 1
    notes: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether everything fits."""
        return not self.findings


@dataclass(slots=True)
class VerifyRun:
    """One verification on its way: what every check is handed, and what it counts.

    ``session`` sees one consistent state of the database; ``receipt`` is the receipt of a
    split as its JSON object, where one was given; ``anchors`` are places with anchors of others.
    """

    ws: Workspace
    session: Session
    receipt: Mapping[str, Any] | None = None
    anchors: Sequence[Path] = ()
    items: int = 0
    revisions: int = 0
    splits: int = 0
    bound_from: int = 0
    notes: list[str] = field(default_factory=list)
