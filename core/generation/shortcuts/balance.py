"""Choosing distractors so that no cue tells the right option apart.

Each cue ranks the options of an item; over the items of an article the right option is to stand at
each rank equally often, so that the option which a cue likes best is right as often as by chance,
and so is the one it likes second or least.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

TRUE_CUES = ("context", "next", "neighbour")
"""Cues of which the right option truly has more: it does go with the text around it."""

SHARE = 0.1
"""Of an item, by which each item brings the first rank ahead, until it is ahead enough."""

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ranks:
    """The key's rank by each cue in each of several option sets: arrays (cues, sets).

    ``above`` counts the options that score higher, ``level`` the others that score as it does.
    """

    above: Ints
    level: Ints

    def of(self, index: int) -> "Ranks":
        """The ranks in one of the sets."""
        return Ranks(self.above[:, [index]], self.level[:, [index]])


def ranks_of(scores: Floats) -> Ranks:
    """Ranks of the option that comes first, from scores (cues, sets, options)."""
    key = scores[:, :, :1]
    return Ranks((scores > key).sum(axis=2), (scores == key).sum(axis=2) - 1)


class CueBalance:
    """Counts of the key's rank for each cue.

    The counts begin at different fractions, by chance, so that an article with one or two items has
    no rank that comes first; those of all ``TRUE_CUES`` begin alike, since what has more by one of
    them has more by the others. ``lead``, ``at_once`` and ``counts`` give a value to the cues whose
    names begin so, the first beginning that fits. The first rank of a cue is held ahead by up to
    its ``lead`` of items: who weighs words in another way than here still finds a little of what is
    true. It comes ahead with the items, lest an article of a few have no right option of that rank
    at all. In a share ``at_once`` of the articles it is a whole item ahead from the start: some
    true texts stand first by a true cue whatever stands beside them, which few items cannot make
    up for. In the sum over the cues each counts once, or so often as ``counts`` says: one that
    only tells two kinds of options apart moves it less than others.
    """

    def __init__(
        self,
        rng: random.Random,
        cues: Sequence[str],
        options: int,
        lead: Mapping[str, float],
        at_once: Mapping[str, float],
        counts: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        self.cues = tuple(cues)
        self._weights = self._by_name(counts)
        self._weights[self._weights == 0.0] = 1.0
        self._true = np.asarray([cue.startswith(TRUE_CUES) for cue in self.cues])
        self._lead = self._by_name(lead)
        self._ahead = np.zeros(len(self.cues))
        self._counts = np.zeros((len(self.cues), options))
        begin = [step / options for step in range(options)]
        together = rng.sample(begin, options)
        for row, true in zip(self._counts, self._true, strict=True):
            row[:] = together if true else rng.sample(begin, options)
        drawn = rng.random()
        self._move_ahead(np.where(drawn < self._by_name(at_once), 1.0, SHARE))

    def _by_name(self, values: Mapping[str, float]) -> Floats:
        """For each cue the value of the first beginning that its name has; 0 where it has none."""
        return np.asarray(
            [
                next((value for start, value in values.items() if cue.startswith(start)), 0.0)
                for cue in self.cues
            ]
        )

    def excess(self, ranks: Ranks) -> tuple[Floats, Floats]:
        """For each set, how far its ranks have come more often than the rarest one: the sum over
        the cues, and the largest of ``TRUE_CUES``."""
        rows = np.arange(len(self.cues))[:, None]
        before = np.pad(np.cumsum(self._counts, axis=1), ((0, 0), (1, 0)))
        held = before[rows, ranks.above + ranks.level + 1] - before[rows, ranks.above]
        over = held / (ranks.level + 1) - self._counts.min(axis=1)[:, None]
        total = (self._weights[:, None] * over).sum(axis=0)
        return total.round(9), over[self._true].max(axis=0, initial=0.0).round(9)

    def add(self, ranks: Ranks) -> None:
        """Count the ranks in the set of an item that was made; equal scores share their ranks."""
        for row, above, level in zip(
            self._counts, ranks.above[:, 0], ranks.level[:, 0], strict=True
        ):
            row[above : above + level + 1] += 1 / (level + 1)
        self._move_ahead(SHARE)

    def _move_ahead(self, by: Floats | float) -> None:
        step = np.minimum(by, self._lead - self._ahead)
        self._counts[:, 0] += step
        self._ahead += step
