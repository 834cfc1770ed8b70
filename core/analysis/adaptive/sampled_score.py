"""The score on all items by a part of them that was drawn at random: an interval without a model.

What the two-parameter model predicts of every item only helps. The mean of the drawn answers is
corrected by how far the drawn items' predictions are from those of all (regression estimator:
Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, chapter 6.4). Where the model
fits badly the interval becomes longer, not wrong; nor does it matter what items share, for the
score is that of these items and no others.
"""

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from core.analysis.item_bank import FIFTH, AdaptiveScore, AdaptiveSession, ItemBank
from core.evaluation.mean_interval import MeanSpread, caution, mean_interval

Choice = Literal["telling", "random"]
"""Which items are asked: those that tell most about the model, or a random part."""
FEWEST_DRAWN = 50
"""Items before an early end: whoever stops where few happen to agree has too short an interval."""
_NORMAL = 1.959963984540054
_FEWEST_FOR_SLOPE = 10


class SampledSession(AdaptiveSession):
    """As ``AdaptiveSession``, but items come in a random order, which ``seed`` sets, and the
    interval is that of the draw."""

    first = FEWEST_DRAWN

    def __init__(self, bank: ItemBank, within: float, most: float, seed: int = 0) -> None:
        super().__init__(bank, within, most)
        self._order: list[int] = np.random.default_rng(seed).permutation(len(bank.ids)).tolist()
        self._answers = np.full(len(bank.ids), np.nan)
        self._scored = np.ones(len(bank.ids), bool)

    def chosen(self, count: int) -> list[int]:
        """The next open items of the random order."""
        return [place for place in self._order if self.open[place]][:count]

    def take(self, place: int, value: float) -> None:
        """Note the answer to an item; one without an answer is out of the score."""
        super().take(place, value)
        self._answers[place] = value
        self._scored[place] = not math.isnan(value)

    def score(self) -> AdaptiveScore:
        """The score on all items as it is known now."""
        by_model = super().score()
        drawn = self._scored & ~self.open
        asked, items = int(drawn.sum()), int(self._scored.sum())
        ability = by_model.ability, by_model.ability_error
        if asked < 2:
            return AdaptiveScore(asked, items, by_model.score, 0.0, 1.0, *ability)
        predicted = self.curves @ self.weights()
        score, variance = _estimate(self._answers[drawn], predicted[drawn],
                                    float(predicted[self._scored].mean()))  # fmt: skip
        if asked == items:
            return AdaptiveScore(asked, items, score, score, score, *ability)
        spread = MeanSpread(
            score, asked, variance * (1 - asked / items), clusters=asked, binary=False
        )
        found = mean_interval(spread)
        return AdaptiveScore(
            asked, items, score, found.low or 0.0, 1.0 if found.high is None else found.high,
            *ability, caution(spread),
        )  # fmt: skip


def _estimate(
    answers: npt.NDArray[np.float64], predicted: npt.NDArray[np.float64], mean_of_all: float
) -> tuple[float, float]:
    """The score on all (0…1), and the variance of one drawn answer about its prediction."""
    count = len(answers)
    beyond = predicted - predicted.mean()
    squares = float(beyond @ beyond)
    use = count >= _FEWEST_FOR_SLOPE and squares > 1e-9
    slope = float(beyond @ answers) / squares if use else 0.0
    apart = mean_of_all - float(predicted.mean())
    left = answers - answers.mean() - slope * beyond
    # two numbers of the line and the ability were fitted to the same answers
    variance = float(left @ left) / max(1, count - (3 if use else 1))
    if use:
        variance *= 1 + count * apart**2 / squares
    return min(1.0, max(0.0, float(answers.mean()) + slope * apart)), variance


def session_of(
    bank: ItemBank, within: float, most: float, choice: Choice = "telling", seed: int = 0
) -> AdaptiveSession:
    """A session that chooses its items so; ``seed`` orders a random part."""
    if choice == "random":
        return SampledSession(bank, within, most, seed)
    return AdaptiveSession(bank, within, most)


def drawn_reach(bank: ItemBank, ability: float, share: float = FIFTH) -> float:
    """How near (half a 95% interval, 0…1) a random ``share`` of the items is expected to come where
    the two-parameter model fits."""
    rights = 1 / (1 + np.exp(-bank.slopes * (ability - bank.places)))
    asked = max(1, math.floor(share * len(rights) + 1e-9))
    luck = float((rights * (1 - rights)).mean())
    return _NORMAL * math.sqrt((1 - asked / len(rights)) * luck / asked)
