"""What a machine offers and lacks for this program: one line for each thing, with what to do."""

from dataclasses import dataclass
from typing import Literal

Finding = Literal["good", "note", "stop"]


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """What was found of one thing.

    ``finding`` is ``good``, ``note`` where something cannot be done here that not everybody needs,
    or ``stop`` where something that is set up does not work. ``says`` is a sentence, ``remedy``
    what to do, empty where nothing is to be done.
    """

    name: str
    title: str
    finding: Finding
    says: str
    remedy: str = ""
