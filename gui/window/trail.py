"""The way that a person went through the panels, and back."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

_LONGEST = 50


@dataclass(frozen=True, slots=True)
class Stop:
    """One place on the way: the panel, the benchmark in front, where in the panel, and what had
    the keys there."""

    panel: str
    benchmark: str
    place: Any = None
    focus: "QWidget | None" = field(default=None, compare=False)


class Trail:
    """The stops behind, newest last, and those ahead after going back."""

    def __init__(self) -> None:
        self._behind: list[Stop] = []
        self._ahead: list[Stop] = []

    @property
    def can_go_back(self) -> bool:
        """Whether there is a stop behind."""
        return bool(self._behind)

    @property
    def can_go_on(self) -> bool:
        """Whether somebody went back from somewhere."""
        return bool(self._ahead)

    def leave(self, stop: Stop) -> None:
        """The person goes on from here to a new place."""
        self._ahead.clear()
        if not self._behind or self._behind[-1] != stop:
            self._behind = [*self._behind[1 - _LONGEST :], stop]

    def back(self, here: Stop) -> Stop | None:
        """The stop before; None where there is none."""
        if not self._behind:
            return None
        self._ahead.append(here)
        return self._behind.pop()

    def on(self, here: Stop) -> Stop | None:
        """The stop that was left by going back; None where there is none."""
        if not self._ahead:
            return None
        self._behind.append(here)
        return self._ahead.pop()
