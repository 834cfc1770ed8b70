"""Power of a paired comparison before the split is frozen: what difference can it show?

Two models answer the same items, of which those of one article are alike. The test is the one that
``compare`` makes (``clustered_mcnemar`` over articles, ``mcnemar`` where no two items share one);
the difference is accuracy A less accuracy B, in −1…1.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from core.errors import InputError
from core.evaluation.compare import mcnemar
from core.i18n import tr

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_EXACT_UP_TO = 25  # as mcnemar
_TOLERANCE = 5e-4  # to which a smallest difference is found
_MOST_ENUMERATED = 300  # items of an article, from which on its outcomes are not listed
_SAMPLES, _SEED = 4000, 0  # comparisons drawn for the power over articles
_MOST_ARTICLES = 1_000_000


@dataclass(frozen=True, slots=True)
class PairAssumptions:
    """How two models are expected to answer.

    ``accuracy`` is the mean of the two, ``correlation`` that between their being right (phi).
    ``discordance`` is the share of items that exactly one of them gets right; where given, it holds
    instead of the other two. ``icc`` is the correlation of the differences within a source.
    """

    accuracy: float = 0.6
    correlation: float = 0.4
    discordance: float | None = None
    icc: float = 0.05

    def check(self) -> None:
        """Raises InputError where a share lies outside its range."""
        shares = (
            (tr("accuracy"), self.accuracy, 0.0, 1.0),
            (tr("correlation"), self.correlation, -1.0, 1.0),
            (tr("discordance"), self.discordance or 0.0, 0.0, 1.0),
            (tr("correlation within a source"), self.icc, 0.0, 1.0),
        )
        for name, share, low, high in shares:
            if not low <= share <= high:
                raise InputError.tr(
                    "{name}: {value} does not lie between {low} and {high}.", name=name,
                    value=f"{share:g}", low=f"{low:g}", high=f"{high:g}"
                )  # fmt: skip

    @property
    def largest(self) -> float:
        """The largest difference in 0…1 that two models can have: with a mean accuracy of p,
        2·min(p, 1 − p)."""
        if self.discordance is not None:
            return 1.0
        return 2 * min(self.accuracy, 1 - self.accuracy)

    def discordant(self, difference: float) -> float:
        """The share of items that exactly one model gets right, at such a difference.

        p(1−q) + q(1−p) − 2φ√(p(1−p)q(1−q)) for accuracies p and q; never less than the difference.
        """
        if self.discordance is not None:
            return max(self.discordance, abs(difference))
        first = min(1.0, max(0.0, self.accuracy + difference / 2))
        second = min(1.0, max(0.0, self.accuracy - difference / 2))
        apart = first * (1 - second) + second * (1 - first)
        shared = math.sqrt(first * (1 - first) * second * (1 - second))
        return min(1.0, max(abs(difference), apart - 2 * self.correlation * shared))


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """Two-sided ``alpha``, wished ``power``, and how many ``models`` are compared: of m there are
    m(m−1)/2 pairs, and Holm's first step tests the best pair at alpha over their number."""

    alpha: float = 0.05
    power: float = 0.8
    models: int = 2

    @property
    def level(self) -> float:
        """The two-sided level of one pair."""
        return self.alpha / max(1, self.models * (self.models - 1) // 2)

    def check(self) -> None:
        """Raises InputError for settings that no test has."""
        if not 0 < self.alpha < 1 or not self.alpha < self.power < 1:
            raise InputError.tr("Alpha must lie between 0 and 1, and the power above alpha.")
        if self.models < 2:
            raise InputError.tr("A comparison needs two or more models.")


def power_of(
    sizes: Sequence[int], difference: float, assumed: PairAssumptions, level: float
) -> float:
    """Probability that the test finds this difference on articles of these numbers of items.

    Of items that share nothing it is exact (sum over the discordant items of the binomial
    distribution, Connett, Smith and McHugh 1987, Statistics in Medicine 6, 725-735). Of articles
    it is simulated, to about one point and always alike: a formula from the design effect is off
    by ten points where few articles differ.
    """
    if not sizes or not difference:
        return level if sizes else 0.0
    apart = assumed.discordant(difference)
    if max(sizes) == 1:
        return _exact_power(len(sizes), abs(difference), apart, level)
    return _clustered_power(sizes, abs(difference), apart, assumed.icc, level)


def smallest_difference(
    sizes: Sequence[int], assumed: PairAssumptions, settings: ComparisonSettings
) -> float | None:
    """The smallest difference in 0…1 that is found with the wished power; None where none is that
    the assumptions allow."""
    return _bisect_smallest(
        lambda difference: power_of(sizes, difference, assumed, settings.level) >= settings.power,
        assumed.largest,
    )


def articles_needed(
    difference: float, per_article: float, assumed: PairAssumptions, settings: ComparisonSettings
) -> int | None:
    """How many articles of ``per_article`` items on average show the difference with the wished
    power; None where a million do not. With one item in each it is the number of items."""

    def enough(articles: int) -> bool:
        sizes = spread_sizes(round(articles * per_article), articles)
        return power_of(sizes, difference, assumed, settings.level) >= settings.power

    if difference <= 0:
        return None
    high = 2
    while not enough(high):
        high *= 2
        if high > _MOST_ARTICLES:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def spread_sizes(items: int, articles: int) -> list[int]:
    """``items`` divided among ``articles`` as evenly as can be; an article has one at least."""
    articles = max(1, min(items, articles))
    each, more = divmod(items, articles)
    return [each + 1] * more + [each] * (articles - more)


def pilot_assumptions(
    pairs: Sequence[tuple[Sequence[int], Sequence[Hashable]]], accuracy: float
) -> PairAssumptions:
    """What pilot runs say: for each pair of models A right less B right by item (−1, 0 or 1), and
    the article of each item.

    Discordance is the mean over pairs; the correlation is ``pilot_correlation``, or the usual one
    where the pilot does not tell it. Raises InputError without a pair.
    """
    if not any(len(values) for values, _ in pairs):
        raise InputError.tr("There are no two models with answers to the same items.")
    apart = float(np.mean([np.abs(np.asarray(values)).mean() for values, _ in pairs if values]))
    usual = PairAssumptions(accuracy, 0.0, apart)
    icc = pilot_correlation(pairs)
    return usual if icc is None else replace(usual, icc=icc)


def pilot_correlation(
    pairs: Sequence[tuple[Sequence[int], Sequence[Hashable]]],
) -> float | None:
    """Correlation in 0…1 of the differences within an article, pooled over pairs by the analysis
    of variance (Donner 1986, International Statistical Review 54, 67-82), 0 where it would be
    negative. None where no pair tells it: no two items share an article, all share one, or no
    difference varies.
    """
    between = within = 0.0
    size = 1.0
    for values, articles in pairs:
        parts = _variance_parts(np.asarray(values, dtype=float), articles)
        if parts is not None:
            between, within, size = between + parts[0], within + parts[1], parts[2]
    total = between + (size - 1) * within
    return min(1.0, max(0.0, (between - within) / total)) if total > 0 else None


def _exact_power(items: int, difference: float, apart: float, level: float) -> float:
    """Sum over the number of discordant items and over those that A alone got right."""
    from scipy.special import betainc, gammaln

    apart = min(max(apart, 1e-12), 1 - 1e-12)
    counts = np.arange(1, items + 1, dtype=float)
    ways = gammaln(items + 1) - gammaln(counts + 1) - gammaln(items - counts + 1)
    masses = np.exp(ways + counts * math.log(apart) + (items - counts) * math.log1p(-apart))
    likely = masses > 1e-12
    counts, masses = counts[likely], masses[likely]
    edges = np.asarray([_critical(int(count), level) for count in counts], dtype=float)
    possible = edges <= counts
    counts, masses, edges = counts[possible], masses[possible], edges[possible]
    share = min(1.0, (1 + difference / apart) / 2)
    # P(at least k of n) is the incomplete beta function I_p(k, n − k + 1)
    tails = sum(betainc(edges, counts - edges + 1, one) for one in (share, 1 - share))
    return float(np.sum(masses * tails))


def _critical(discordant: int, level: float) -> int:
    """From how many of the discordant items on, right by A alone, the test finds a difference;
    one more than there are where it never does."""
    from statistics import NormalDist

    if discordant > _EXACT_UP_TO:
        z = NormalDist().inv_cdf(1 - level / 2)
        return math.ceil((discordant + z * math.sqrt(discordant)) / 2)
    for more in range(discordant // 2 + 1, discordant + 1):
        if mcnemar(more, discordant - more) <= level:
            return more
    return discordant + 1


def _clustered_power(
    sizes: Sequence[int], difference: float, apart: float, icc: float, level: float
) -> float:
    """The share of drawn sets of articles that ``clustered_mcnemar`` calls different."""
    from scipy.special import erfcinv

    rng = np.random.default_rng(_SEED)
    each, often = np.unique(np.asarray(sizes), return_counts=True)
    drawn = [
        _drawn_sums(rng, int(size), int(count), (difference, apart, icc))
        for size, count in zip(each, often, strict=True)
    ]
    total, squares, telling = (np.sum([part[n] for part in drawn], axis=0) for n in range(3))
    # beyond 25 articles that differ, as clustered_mcnemar
    reach = math.sqrt(2) * float(erfcinv(level))
    found = np.abs(total) >= reach * np.sqrt(squares)
    if np.any(few := telling <= _EXACT_UP_TO):
        largest = np.concatenate([part[3][few] for part in drawn], axis=1)
        largest = -np.sort(-largest, axis=1)[:, :_EXACT_UP_TO]
        found[few] = _sign_flips(rng, largest, np.abs(total[few])) <= level
    return float(np.mean(found & (total > 0)) + np.mean(found & (total < 0)))


def _drawn_sums(
    rng: np.random.Generator, size: int, count: int, pair: tuple[float, float, float]
) -> tuple[Ints, Ints, Ints, Ints]:
    """Of ``count`` articles of one size, drawn many times: Σd, Σd², how many d are not 0, and the
    absolute d of the largest 25."""
    if size > _MOST_ENUMERATED:
        return _of_values(_drawn_differences(rng, size, count, pair))
    sums, shares = _difference_shares(size, *pair)
    if count < len(sums):
        return _of_values(
            sums[np.searchsorted(np.cumsum(shares)[:-1], rng.random((_SAMPLES, count)))]
        )
    counts = rng.multinomial(count, shares, size=_SAMPLES)
    order = np.argsort(-np.abs(sums), kind="stable")
    above = np.minimum(np.cumsum(counts[:, order], axis=1), _EXACT_UP_TO)
    places = np.arange(_EXACT_UP_TO)
    which = np.stack([(above <= place).sum(1) for place in places], axis=1)
    largest = np.abs(sums)[order][np.minimum(which, len(sums) - 1)]
    return counts @ sums, counts @ sums**2, count - counts[:, sums == 0].sum(1), largest


def _of_values(values: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    largest = -np.sort(-np.abs(values), axis=1)[:, :_EXACT_UP_TO]
    return values.sum(1), (values**2).sum(1), np.count_nonzero(values, axis=1), largest


def _drawn_differences(
    rng: np.random.Generator, size: int, count: int, pair: tuple[float, float, float]
) -> Ints:
    """A − B of articles that are too large for a table of all that may come up."""
    weights = rng.gamma(_concentrations(*pair), size=(_SAMPLES, count, 3))
    total = weights.sum(axis=2, keepdims=True)
    rates = np.where(total > 0, weights / np.where(total > 0, total, 1), [0.0, 0.0, 1.0])
    drawn = rng.multinomial(size, rates)
    return np.asarray(drawn[..., 0] - drawn[..., 1])


def _concentrations(difference: float, apart: float, icc: float) -> Floats:
    """Those of the Dirichlet distribution of (only A right, only B right, both or neither)."""
    shares = np.maximum([(apart + difference) / 2, (apart - difference) / 2, 1 - apart], 1e-9)
    scale = 1 / min(max(icc, 1e-6), 1 - 1e-6) - 1
    return np.asarray(shares / shares.sum() * scale, dtype=float)


def _difference_shares(size: int, difference: float, apart: float, icc: float) -> tuple[Ints, Any]:
    """How often each A − B from −size to size comes up in an article of this size.

    The article's shares of items that only A, only B, and both or neither get right follow a
    Dirichlet distribution, so that the counts have exactly the correlation ``icc`` (Mosimann 1962,
    Biometrika 49, 65-82).
    """
    from scipy.special import gammaln

    alpha = _concentrations(difference, apart, icc)
    a, b = np.meshgrid(np.arange(size + 1), np.arange(size + 1), indexing="ij")
    inside = a + b <= size
    a, b = a[inside], b[inside]
    counts = ((a, alpha[0]), (b, alpha[1]), (size - a - b, alpha[2]))
    logs = sum(gammaln(n + own) - gammaln(n + 1) for n, own in counts)
    weights = np.exp(logs - np.max(logs))
    masses = np.bincount(a - b + size, weights=weights, minlength=2 * size + 1)
    return np.arange(-size, size + 1), masses / masses.sum()


def _sign_flips(rng: np.random.Generator, sizes: Ints, totals: Ints) -> Floats:
    """p of each row of absolute differences: the share of signs with a larger sum, and half of
    those with an equal one.

    All signs of the eleven largest, each with one draw of those of the others. Without a matrix
    product: the threads of a linear algebra library take longer to meet than these sums.
    """
    width = sizes.shape[1]
    full = min(width, 11)
    flips = 1 << (full - 1)
    signs = 1 - 2 * rng.integers(0, 2, (width - full, flips), dtype=np.int32)
    shares = np.empty(len(sizes))
    for start in range(0, len(sizes), 256):
        part = sizes[start : start + 256].astype(np.int32)
        # the sign of the largest stays: turning all signs round changes no absolute sum
        reached = part[:, :1]
        for place in range(1, full):
            one = part[:, place : place + 1]
            reached = np.concatenate((reached + one, reached - one), axis=1)
        for place, sign in enumerate(signs, full):
            reached = reached + part[:, place : place + 1] * sign
        sums, seen = np.abs(reached), totals[start : start + 256, None]
        twice = np.count_nonzero(sums > seen, axis=1) + np.count_nonzero(sums >= seen, axis=1)
        shares[start : start + 256] = twice / (2 * flips)
    return shares


def _variance_parts(
    values: Floats, articles: Sequence[Hashable]
) -> tuple[float, float, float] | None:
    """Mean squares between and within articles, and the mean number of items as Donner weighs it;
    None where there is no article with two items, or only one."""
    numbers: dict[Hashable, int] = {}
    codes = np.asarray([numbers.setdefault(name, len(numbers)) for name in articles])
    groups, items = len(numbers), len(values)
    if not 2 <= groups < items:
        return None
    counts = np.bincount(codes).astype(float)
    means = np.bincount(codes, weights=values) / counts
    between = float(np.sum(counts * (means - values.mean()) ** 2)) / (groups - 1)
    within = float(np.sum((values - means[codes]) ** 2)) / (items - groups)
    size = (items - float(np.sum(counts**2)) / items) / (groups - 1)
    return between, within, size


def _bisect_smallest(enough: Callable[[float], bool], largest: float) -> float | None:
    low, high = 0.0, largest
    if not enough(high):
        return None
    while high - low > _TOLERANCE:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
