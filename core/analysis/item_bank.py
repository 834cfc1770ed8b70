"""An item bank: items calibrated by the two-parameter model, adaptive evaluation, and linking.

A new model is asked the item that tells most about where it stands, and so on, until the score that
it would have on all items is known closely enough (computerised adaptive testing, van der Linden
and Glas 2010). The score is what was right among the asked items and what the model predicts of the
others; its interval holds the uncertain ability, the luck of the answers that were not asked,
items that are not known exactly, and that all of them err together where few models calibrated
them. Two banks come to one scale by their common items (Stocking and
Lord 1983).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from core.analysis.response_model import (
    FEWEST_MODELS,
    ResponseModel,
    few_models,
    two_parameter_model,
)
from core.errors import InputError
from core.i18n import trn

Floats = npt.NDArray[np.float64]

FEWEST_ANCHORS = 5
FEW_ANCHORS = 30
"""Fewer common items are few."""
SHARED = 0.04
"""Standard error that the errors of all items of a bank, which go together, give a score of
predicted items, times the root of the number of models that calibrated them. In simulations of
500 to 5,000 items it was 0.030 to 0.043 for 20 to 50 models, whatever the number of items.
"""
BANK_COLUMNS = ("item", "discrimination", "difficulty", "difficulty_error")
FIFTH = 0.2
_THETA = np.linspace(-5.0, 5.0, 401)
_LOGISTIC = 16 * math.sqrt(3) / (15 * math.pi)  # the logistic curve is nearly normal with 1/this
_NORMAL = 1.959963984540054
_ABILITIES = tuple(NormalDist().inv_cdf((place + 0.5) / 20) for place in range(20))
_HELD = 0.95
_LARGEST = 1e7
ROUND = 0.01
"""Share of all items that is chosen at a time."""
_FIRST = 20  # items before an early end: an interval of fewer is a guess


@dataclass(frozen=True)
class ItemBank:
    """Calibrated items: discrimination a, difficulty b and the error of b, one for each id.

    ``models`` calibrated them; 0 where the items are known, or nobody says.
    """

    ids: tuple[str, ...]
    slopes: Floats
    places: Floats
    place_errors: Floats
    models: int = 0

    @classmethod
    def of(cls, ids: Sequence[str], model: ResponseModel) -> "ItemBank":
        """The bank of a fitted model."""
        return cls(tuple(ids), model.discrimination, model.difficulty, model.difficulty_error,
                   len(model.ability))  # fmt: skip

    def probabilities(self) -> Floats:
        """P(right) of every item over the grid of abilities, flatter where b is uncertain."""
        flatter = np.sqrt(1 + (_LOGISTIC * self.slopes * self.place_errors) ** 2)
        slope = self.slopes / flatter
        distance = np.outer(slope, _THETA) - (slope * self.places)[:, None]
        return np.asarray(1 / (1 + np.exp(-distance)))

    def expected(self, ability: float) -> tuple[float, float]:
        """Expected share right (0…1) at an ability, and by how much it grows with it."""
        rights = 1 / (1 + np.exp(-self.slopes * (ability - self.places)))
        return float(rights.mean()), float((self.slopes * rights * (1 - rights)).mean())

    def closest(self, ability: float, share: float) -> float:
        """How near (half a 95% interval, 0…1) asking ``share`` of the items can come at best.

        Were the ability known, the answers that were not asked would still be luck: √Σp(1−p)/n
        over the items whose answers are surest. No way of choosing the items comes nearer, as
        long as answers are independent given the ability.
        """
        rights = 1 / (1 + np.exp(-self.slopes * (ability - self.places)))
        luck = np.sort(rights * (1 - rights))
        left = luck[: len(luck) - math.floor(share * len(luck) + 1e-9)]
        return _NORMAL * math.sqrt(float(left.sum())) / len(luck)

    def share_for(self, ability: float, within: float) -> float:
        """The smallest share of the items after which ``closest`` is ``within``: fewer never do."""
        rights = 1 / (1 + np.exp(-self.slopes * (ability - self.places)))
        luck = np.sort(rights * (1 - rights))
        may_stay = (within * len(luck) / _NORMAL) ** 2
        return 1 - int(np.searchsorted(np.cumsum(luck), may_stay, side="right")) / len(luck)

    def reach(self, ability: float, share: float) -> float:
        """How near (half a 95% interval, 0…1) asking the most telling ``share`` of the items is
        expected to come: beside luck, what these items leave open of the ability, and what the
        errors of all items have in common.
        """
        rights = 1 / (1 + np.exp(-self.slopes * (ability - self.places)))
        luck = rights * (1 - rights)
        telling = np.argsort(-(self.slopes**2) * luck, kind="stable")
        asked = math.floor(share * len(luck) + 1e-9)
        chosen, left = telling[:asked], telling[asked:]
        ability_variance = 1 / (1 + float((self.slopes[chosen] ** 2 * luck[chosen]).sum()))
        steepness = float((self.slopes[left] * luck[left]).sum())
        variance = float(luck[left].sum()) + steepness**2 * ability_variance
        shared = self.shared_error(len(left) / len(luck))
        return _NORMAL * math.hypot(math.sqrt(variance) / len(luck), shared)

    def size_for(self, share: float, within: float) -> int | None:
        """How many items like these a bank needs for ``share`` of them to come ``within``,
        for 95 of 100 models with abilities as those that calibrated it have.

        Luck and the uncertain ability both shrink with the root of the size; what the errors of all
        items have in common does not, so that where few models calibrated them no number is enough:
        None.
        """
        shared = self.shared_error(1 - share)
        wide = [self.reach(ability, share) / _NORMAL for ability in _ABILITIES]
        own = [max(0.0, one**2 - shared**2) for one in wide]

        def held(size: float) -> float:
            errors = [math.sqrt(one * len(self.ids) / size + shared**2) for one in own]
            return float(np.mean([math.erf(within / (one * math.sqrt(2))) for one in errors]))

        if held(_LARGEST) < _HELD:
            return None
        low, high = 1.0, float(len(self.ids))
        while held(high) < _HELD:
            low, high = high, 2 * high
        while high - low > 0.01 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if held(middle) >= _HELD else (middle, high)
        return math.ceil(high)

    def as_rows(self) -> list[dict[str, Any]]:
        """A row for each item."""
        columns = (self.slopes.tolist(), self.places.tolist(), self.place_errors.tolist())
        return [
            dict(zip(BANK_COLUMNS, row, strict=True))
            for row in zip(self.ids, *columns, strict=True)
        ]

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]], models: int = 0) -> "ItemBank":
        """Inverse of ``as_rows``; raises KeyError or ValueError for other rows."""
        ids = tuple(str(row[BANK_COLUMNS[0]]) for row in rows)
        numbers = np.array([[float(row[name]) for name in BANK_COLUMNS[1:]] for row in rows])
        if not np.isfinite(numbers).all() or (numbers[:, [0, 2]] < 0).any():
            raise ValueError("a bank holds numbers, and neither slopes nor errors below zero")
        return cls(ids, numbers[:, 0], numbers[:, 1], numbers[:, 2], models)

    def shared_error(self, left: float) -> float:
        """Standard error (0…1) of a score of which the share ``left`` of the items is predicted,
        for what the errors of all items have in common; see ``SHARED``."""
        return SHARED * left / math.sqrt(self.models) if self.models else 0.0


@dataclass(frozen=True, slots=True)
class AdaptiveScore:
    """What adaptive evaluation made of one model: ``asked`` of ``items``, the share right on all
    of them (0…1) with its 95% interval, and the ability with its standard deviation. ``caution``
    says in words where the interval is rough, empty where it is not known to be."""

    asked: int
    items: int
    score: float
    low: float
    high: float
    ability: float
    ability_error: float
    caution: str = ""

    @property
    def half_width(self) -> float:
        """Half of the interval."""
        return (self.high - self.low) / 2

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        return asdict(self)


def calibrated(ids: Sequence[str], answers: Floats) -> ItemBank:
    """The bank of items × models of 1, 0 and NaN. InputError for too few of either."""
    return ItemBank.of(ids, two_parameter_model(answers))


class AdaptiveSession:
    """What is known of one model: its ability, what is right, and what was not asked."""

    first = _FIRST

    def __init__(self, bank: ItemBank, within: float, most: float) -> None:
        self._within, self._limit = within, max(1, math.floor(most * len(bank.ids) + 1e-9))
        self._portions = len(bank.ids)
        self.curves = bank.probabilities()
        self._luck = self.curves * (1 - self.curves)
        self._information = bank.slopes[:, None] ** 2 * self._luck
        self._right, self._wrong = np.log(self.curves), np.log1p(-self.curves)
        self.open = np.ones(len(bank.ids), bool)
        self._bank = bank
        self._items, self._asked, self._sum = len(bank.ids), 0, 0.0
        self._logs = -(_THETA**2) / 2
        # of the items that were not asked, by ability
        self._totals, self._variances = self.curves.sum(0), self._luck.sum(0)

    def run(self, answer: Callable[[int], float]) -> AdaptiveScore:
        """Ask until the score is known; ``answer`` as for ``adaptive_score``."""
        while places := self.next_places(ROUND):
            for place in places:
                self.take(place, answer(place))
        return self.score()

    def next_places(self, share: float) -> list[int]:
        """The items to ask now, at most ``share`` of all; none once the score is known closely
        enough, or as many as may be were asked."""
        found = self.score()
        enough = found.asked >= min(self.first, self._limit) and found.half_width <= self._within
        if enough or found.asked >= self._limit or not self.open.any():
            return []
        return self.chosen(min(max(1, round(share * self._portions)), self._limit - found.asked))

    def weights(self) -> Floats:
        """The posterior of the ability over the grid."""
        weights = np.exp(self._logs - self._logs.max())
        return np.asarray(weights / weights.sum())

    def chosen(self, count: int) -> list[int]:
        """The open items with most information about the ability, the best first."""
        gains = np.where(self.open, self._information @ self.weights(), -1.0)
        best: list[int] = np.argsort(-gains, kind="stable")[:count].tolist()
        return [place for place in best if self.open[place]]

    def take(self, place: int, value: float) -> None:
        """Note the answer to an item; one without an answer is out of the score."""
        self.open[place] = False
        self._totals = self._totals - self.curves[place]
        self._variances = self._variances - self._luck[place]
        if math.isnan(value):
            self._items -= 1
            return
        self._asked += 1
        self._sum += value
        self._logs = self._logs + (self._right if value >= 0.5 else self._wrong)[place]

    def score(self) -> AdaptiveScore:
        """The score on all items as it is known now."""
        weights = self.weights()
        mean = float(self._totals @ weights)
        between = float(((self._totals - mean) ** 2) @ weights)
        luck = max(0.0, float(self._variances @ weights))
        items = max(1, self._items)
        left = int(self.open.sum())
        error = math.hypot(math.sqrt(between + luck) / items, self._bank.shared_error(left / items))
        score = (self._sum + mean) / items
        ability = float(_THETA @ weights)
        spread = math.sqrt(float(((_THETA - ability) ** 2) @ weights))
        low, high = max(0.0, score - _NORMAL * error), min(1.0, score + _NORMAL * error)
        return AdaptiveScore(self._asked, self._items, score, low, high, ability, spread)


@dataclass(frozen=True, slots=True)
class ScaleLink:
    """Abilities of a later bank on the scale of an earlier one: ``slope · θ + shift``, by
    ``anchors`` common items, with standard errors from leaving each of them out in turn."""

    slope: float
    shift: float
    slope_error: float
    shift_error: float
    anchors: int

    def on_earlier_scale(self, ability: float, error: float) -> tuple[float, float]:
        """An ability and its error of the later bank on the earlier one's scale."""
        value = self.slope * ability + self.shift
        variance = (self.slope * error) ** 2 + (ability * self.slope_error) ** 2
        return value, math.sqrt(variance + self.shift_error**2)


def linked(earlier: ItemBank, later: ItemBank) -> ScaleLink:
    """The line between the scales of two banks, by the characteristic curves of their common items.

    InputError for fewer than five of them.
    """
    known = {name: place for place, name in enumerate(earlier.ids)}
    pairs = [(known[name], place) for place, name in enumerate(later.ids) if name in known]
    if len(pairs) < FEWEST_ANCHORS:
        raise InputError.trn(
            "The two periods share only 1 item; linking needs five or more.",
            "The two periods share only {n} items; linking needs five or more.", len(pairs)
        )  # fmt: skip
    first, second = (np.asarray(side) for side in zip(*pairs, strict=True))
    old = earlier.slopes[first], earlier.places[first]
    new = later.slopes[second], later.places[second]
    slope, shift = _line(old, new)
    count = len(pairs)
    without = np.asarray(
        [
            _line(_but(old, place), _but(new, place))
            for place in range(count)
        ]
    )  # fmt: skip
    errors = np.sqrt((count - 1) / count * ((without - without.mean(0)) ** 2).sum(0))
    return ScaleLink(slope, shift, float(errors[0]), float(errors[1]), count)


def linking_caution(anchors: int, models: int) -> str:
    """In words why the errors of a link are rough: few anchors, few models in one period, or else
    how many models calibrated the anchors, for in simulations 40 are too few as well."""
    if anchors < FEW_ANCHORS:
        return trn("few anchors: 1", "few anchors: {n}", anchors)
    return few_models(models) or trn("by 1 model", "by {n} models", models)


def _but(items: tuple[Floats, Floats], place: int) -> tuple[Floats, Floats]:
    return np.delete(items[0], place), np.delete(items[1], place)


def _line(old: tuple[Floats, Floats], new: tuple[Floats, Floats]) -> tuple[float, float]:
    """Stocking and Lord's slope and shift: the expected scores on the common items agree."""
    from scipy.optimize import minimize

    grid = np.linspace(-3, 3, 61)
    weights = np.exp(-(grid**2) / 2)
    target = _expected(old[0], old[1], grid)

    def loss(line: Floats) -> float:
        slope, shift = math.exp(line[0]), line[1]
        scores = _expected(new[0] / slope, slope * new[1] + shift, grid)
        return float(weights @ (target - scores) ** 2)

    start = np.array([0.0, float(old[1].mean() - new[1].mean())])
    fit = minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-10})
    return math.exp(fit.x[0]), float(fit.x[1])


def _expected(slopes: Floats, places: Floats, grid: Floats) -> Floats:
    scores: Floats = (1 / (1 + np.exp(-slopes[:, None] * (grid - places[:, None])))).sum(0)
    return scores


@dataclass(frozen=True, slots=True)
class Replay:
    """A model that was evaluated in full, as an adaptive evaluation by a bank made without it
    would have found it."""

    model: str
    adaptive: AdaptiveScore
    full: float
    closest: float
    """How near a fifth of the items can come to the score at best (``ItemBank.closest``)."""
    enough: int | None
    """How many such items a fifth needs to come as near as was asked (``ItemBank.size_for``)."""

    @property
    def error(self) -> float:
        """By how much the adaptive score differs from the full one."""
        return self.adaptive.score - self.full


def replayed(
    ids: Sequence[str], models: Sequence[str], answers: Floats, *, within: float, most: float,
    begin: Callable[[ItemBank, float, float], "AdaptiveSession"] = AdaptiveSession,
) -> list[Replay]:  # fmt: skip
    """Each model adaptively, by a bank of the answers of all others; ``begin`` makes the session
    of a bank, how near, and what share at most.

    InputError for fewer than six models: five others calibrate the items.
    """
    if len(models) <= FEWEST_MODELS:
        raise InputError.trn(
            "An item bank needs the answers of six models; there is 1.",
            "An item bank needs the answers of six models; there are {n}.", len(models)
        )  # fmt: skip
    found = []
    for place, model in enumerate(models):
        bank = calibrated(ids, np.delete(answers, place, axis=1))
        own: list[float] = answers[:, place].tolist()
        score = begin(bank, within, most).run(own.__getitem__)
        full = float(np.nanmean(answers[:, place]))
        closest, enough = bank.closest(score.ability, FIFTH), bank.size_for(FIFTH, within)
        found.append(Replay(model, score, full, closest, enough))
    return found
