"""The two-parameter logistic model of item responses (Birnbaum 1968), as an empirical Bayes fit.

P(right) = 1/(1 + exp(−a(θ − b))) with discrimination a, difficulty b and θ ~ N(0, 1). Every item
has a posterior over a grid of (log a, b), every model one over a grid of θ; the two are renewed in
turn (variational EM, Bock and Aitkin 1981 with uncertain items). The priors of log a and of b are
learned from all items together: a histogram shrunk towards a normal curve (Mislevy 1986 takes the
curve alone), so that the spread of slopes is never invented where the answers do not show it.
What is reported are posterior means, which no other estimate beats in squared error.

Where numpy does most: Σ log P is r·(aθ − ab) + Σ log(1 − P), so that right answers enter only by
two sums, and the rest depends only on which models answered an item.

No kept library serves: girth 0.8, the one without a deep-learning framework, takes over five
minutes for 1,000 items × 40 models, gives no errors and is not nearer to what was planted.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.errors import InputError
from core.i18n import trn

Floats = npt.NDArray[np.float64]

FEWEST_ITEMS, FEWEST_MODELS = 2, 5
FEW_MODELS = 20
"""Up to so many models errors of slopes, places and abilities are rough."""
_LOG_A = (-2.5, 2.5)
_B = (-5.0, 5.0)
_THETA = 4.0
_HISTOGRAM = 20.0  # so many items' worth of the normal curve are mixed into a learned prior
_ANCHOR = 5.0  # and so many items' worth of (log a, b) ~ N(0, ½²) × N(0, 1½²) into that curve
_WIDTH = 0.5  # of the kernel that smooths it, in standard deviations over the fifth root of items
_TAIL = 0.02  # the share of items at each end where the curve caps the histogram
_START_SD = (0.5, 1.5)
_ROUNDS, _ENOUGH = 100, 0.005
_PORTION = 4_000_000  # cells of item × grid held at once
_FEW_ITEMS = 200
"""Of more items abilities are known so well that integrating over them changes nothing."""


@dataclass(frozen=True)
class ResponseModel:
    """``discrimination`` (a) and ``difficulty`` (b) per item, ``ability`` (θ) per model.

    All are posterior means, the errors posterior standard deviations, ``low`` and ``high`` the 95%
    credible bounds of a. The scale is that of the models: their abilities have mean 0 and standard
    deviation 1. ``reliability`` (0…1) is the share of the variance of log a that is
    between items and not error: 1 − mean posterior variance / total variance.
    """

    discrimination: Floats
    discrimination_error: Floats
    discrimination_low: Floats
    discrimination_high: Floats
    difficulty: Floats
    difficulty_error: Floats
    ability: Floats
    ability_error: Floats
    reliability: float
    rounds: int
    converged: bool


def few_models(models: int) -> str:
    """In words that so few models calibrate items roughly; empty of more."""
    return trn("few models: 1", "few models: {n}", models) if models <= FEW_MODELS else ""


def two_parameter_model(answers: Floats) -> ResponseModel:
    """Fit to ``answers``: items × models of 1 (right), 0 (wrong), the share of right ones
    where there are several, and NaN (no answer).

    Raises InputError for fewer than two items or five models.
    """
    if answers.ndim != 2 or answers.shape[0] < FEWEST_ITEMS or answers.shape[1] < FEWEST_MODELS:
        raise InputError.tr("The two-parameter model needs at least two items and five models.")
    fit = _Fit(answers)
    rounds, converged = 0, False
    for rounds in range(1, _ROUNDS + 1):  # noqa: B007 - reported
        if fit.renew() < _ENOUGH:
            converged = True
            break
    if len(answers) <= _FEW_ITEMS:
        fit.integrate()
    ability, ability_error = _moments(fit.models, fit.theta)
    # of many items the answers outweigh N(0, 1) long before the rounds bring the scale back to it
    middle = float(ability.mean())
    unit = math.sqrt(max(1e-6, float(ability.var() + (ability_error**2).mean())))
    slope, slope_error, low, high = (part * unit for part in fit.slopes())
    place, place_error = fit.places()
    return ResponseModel(
        slope, slope_error, low, high, (place - middle) / unit, place_error / unit,
        (ability - middle) / unit, ability_error / unit, fit.reliability(), rounds, converged,
    )  # fmt: skip


class _Fit:
    """Posteriors of items and models, and the priors of log a and b, on their grids."""

    def __init__(self, answers: Floats) -> None:
        answered = ~np.isnan(answers)
        self.right = np.where(answered, answers, 0.0)
        patterns, which = np.unique(answered, axis=0, return_inverse=True)
        self.patterns, self.which = patterns.astype(float), np.ravel(which)
        self.theta = np.linspace(-_THETA, _THETA, _nodes(61, 2.0, len(answers), 481))
        self.log_a = np.linspace(*_LOG_A, _nodes(31, 2.5, answers.shape[1], 61))
        self.b = np.linspace(*_B, _nodes(31, 4.0, answers.shape[1], 161))
        a, b = (grid.ravel() for grid in np.meshgrid(np.exp(self.log_a), self.b, indexing="ij"))
        self._a, self._ab = a, a * b
        self._none = -np.logaddexp(0, np.outer(self.theta, self._a) - self._ab)  # log(1 − P)
        share = (self.right.sum(0) + 0.5) / (answered.sum(0) + 1)
        start = np.log(share / (1 - share))
        start = (start - start.mean()) / max(float(start.std()), 1e-6)
        self.models = _normalised(-((self.theta - start[:, None]) ** 2) / (2 * 0.3**2))
        self._prior_a = _curve(self.log_a, 0.0, _START_SD[0])
        self._prior_b = _curve(self.b, 0.0, _START_SD[1])
        self._by_a = np.zeros((len(answers), len(self.log_a)))
        self._by_b = np.zeros((len(answers), len(self.b)))
        self._posterior = np.zeros((min(len(answers), _FEW_ITEMS), len(a)))

    def renew(self) -> float:
        """One round; returns by how much a mean of log a or b moved at most."""
        before = self._by_a @ self.log_a, self._by_b @ self.b
        slope, slope_place, patterns = self._items()
        logs = np.outer(self.right.T @ slope, self.theta)
        logs += -(self.right.T @ slope_place)[:, None] + self.patterns.T @ (patterns @ self._none.T)
        self.models = _normalised(logs - self.theta**2 / 2)
        self._prior_a = _learned(self._by_a, self.log_a, _START_SD[0])
        self._prior_b = _learned(self._by_b, self.b, _START_SD[1])
        after = self._by_a @ self.log_a, self._by_b @ self.b
        return max(float(np.abs(x - y).max()) for x, y in zip(before, after, strict=True))

    def _items(self) -> tuple[Floats, Floats, Floats]:
        """Renew the items' posteriors: their means of a and of ab, and their sum by pattern."""
        count, cells = len(self.right), len(self._a)
        base = self.patterns @ (self.models @ self._none)
        base += np.log(np.outer(self._prior_a, self._prior_b).ravel())
        ability = self.right @ (self.models @ self.theta)
        total = self.right.sum(1)
        slope, slope_place = np.empty(count), np.empty(count)
        patterns = np.zeros((len(self.patterns), cells))
        step = max(1, _PORTION // cells)
        for start in range(0, count, step):
            part = slice(start, start + step)
            logs = np.outer(ability[part], self._a) - np.outer(total[part], self._ab)
            posterior = _normalised(logs + base[self.which[part]])
            slope[part], slope_place[part] = posterior @ self._a, posterior @ self._ab
            np.add.at(patterns, self.which[part], posterior)
            self._keep(part, posterior)
        return slope, slope_place, patterns

    def integrate(self) -> None:
        """Renew each item's posterior once more, with the abilities integrated out.

        The rounds average log P over what is known of an ability, which is too sure of an item
        where abilities are known from few: here P itself is averaged, over what the other items
        say of the ability. Simulated with 20 items × 300 models, 95% intervals of b hold the
        planted one in 0.94 of cases instead of 0.91.
        """
        logit = np.outer(self.theta, self._a) - self._ab
        log_right, log_wrong = -np.logaddexp(0, -logit), self._none
        right, wrong = np.exp(log_right), np.exp(log_wrong)
        prior = np.log(np.outer(self._prior_a, self._prior_b).ravel())
        known = np.log(np.maximum(self.models, np.finfo(float).tiny))
        for item, score in enumerate(self.right):
            was_right, was_wrong = (
                score[:, None],
                (self.patterns[self.which[item]] - score)[:, None],
            )
            own = self._posterior[item]
            told = was_right * (log_right @ own) + was_wrong * (log_wrong @ own)
            elsewhere = _normalised(known - told)
            logs = prior + (was_right * np.log(elsewhere @ right)).sum(0)
            logs += (was_wrong * np.log(elsewhere @ wrong)).sum(0)
            self._keep(slice(item, item + 1), _normalised(logs[None]))

    def _keep(self, part: slice, posterior: Floats) -> None:
        """Keep what the posterior of some items says of log a and of b."""
        if len(self.right) <= _FEW_ITEMS:
            self._posterior[part] = posterior
        cube = posterior.reshape(len(posterior), len(self.log_a), len(self.b))
        self._by_a[part], self._by_b[part] = cube.sum(2), cube.sum(1)

    def slopes(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Mean, error and 95% bounds of a."""
        below = np.cumsum(self._by_a, axis=1) - self._by_a / 2
        low, high = (
            np.exp([np.interp(share, row, self.log_a) for row in below]) for share in (0.025, 0.975)
        )
        return *_moments(self._by_a, np.exp(self.log_a)), low, high

    def places(self) -> tuple[Floats, Floats]:
        """Mean and error of b."""
        return _moments(self._by_b, self.b)

    def reliability(self) -> float:
        """Of log a, over the items that were answered."""
        answered = (self.patterns.sum(axis=1) > 0)[self.which]
        if not answered.any():
            return 0.0
        mean, error = _moments(self._by_a[answered], self.log_a)
        within = float((error**2).mean())
        total = within + float(mean.var())
        return 1 - within / total if total > 0 else 0.0


def _nodes(least: int, factor: float, observations: int, most: int) -> int:
    """So many nodes that two posterior deviations lie between neighbours at most; an odd number."""
    return min(most, max(least, 2 * math.ceil(factor * math.sqrt(observations) / 2) + 1))


def _normalised(logs: Floats) -> Floats:
    """Rows of log weights as rows of shares."""
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=float)


def _moments(shares: Floats, nodes: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of every row."""
    mean = shares @ nodes
    return mean, np.sqrt(np.maximum(shares @ nodes**2 - mean**2, 0))


def _curve(nodes: Floats, mean: float, deviation: float) -> Floats:
    curve = np.exp(-(((nodes - mean) / deviation) ** 2) / 2) + 1e-12
    return np.asarray(curve / curve.sum(), dtype=float)


def _learned(shares: Floats, nodes: Floats, start: float) -> Floats:
    """The prior after all items: their histogram, shrunk towards a normal curve of its moments.

    The histogram is smoothed in every round (EMS, Silverman and others 1990, JRSS B 52): left alone
    it breaks up into peaks where single items happen to lie, a prior that repeats their own answers
    to them. Simulated with 20 to 400 items × 300 models, 95% intervals of b then held the planted
    one in 0.92 of cases, and smoothed in 0.94 to 0.955. In the tails the curve is the most that
    counts: a few items that separate the models perfectly would else make a peak of their own at
    the end of the grid.
    """
    items = len(shares)
    histogram = shares.sum(0)
    mean = float(histogram @ nodes) / (items + _ANCHOR)
    second = (float(histogram @ nodes**2) + _ANCHOR * start**2) / (items + _ANCHOR)
    deviation = math.sqrt(max(second - mean**2, 1e-3))
    curve = _curve(nodes, mean, deviation)
    kernels = np.exp(-(((nodes[:, None] - nodes) / (_WIDTH * deviation * items**-0.2)) ** 2) / 2)
    histogram = (kernels / kernels.sum(0)) @ histogram
    below = np.cumsum(histogram) / items
    inside = (below > _TAIL) & (below - histogram / items < 1 - _TAIL)
    learned = np.where(inside, histogram, np.minimum(histogram, items * curve)) + _HISTOGRAM * curve
    return np.asarray(learned / learned.sum(), dtype=float)
