"""Standard errors of a mean score where answers share an item or a source.

Pure Python: a report of 100,000 answers is to be printed within two seconds.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.evaluation.mean_interval import (
    ROUNDING,
    MeanSpread,
    ScoreInterval,
    caution,
    mean_interval,
)
from core.families.shared_source import ALONE, recognised, shared_words
from core.proportion import cluster_freedom
from core.release.question_ids import uid_of

_ALIKE = 1e-12
SKEWED_FROM = 6
"""Of fewer clusters the skewness that they show is mostly chance: simulated with 3 to 5 of them,
allowing for it makes intervals 11 to 17% longer, which hold the share in 98.4 to 99.8% of samples
with it and in 98.1 to 99.7% without."""


class ClusterSums:
    """Sums and numbers of scores by what the answers share: their article, or their item."""

    __slots__ = ("_sums",)

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = {}

    def __len__(self) -> int:
        return len(self._sums)

    @property
    def alone(self) -> int:
        """How many of the clusters are one item without a source."""
        return sum(name.startswith(ALONE) for name in self._sums)

    def by_cluster(self) -> Mapping[str, tuple[float, int]]:
        """(sum of scores, number of answers) of each cluster."""
        return {name: (total, int(count)) for name, (total, count) in self._sums.items()}

    def extend(self, clusters: Iterable[str], scores: Iterable[float]) -> None:
        """Count the scores of as many clusters, one for one."""
        sums = self._sums
        for cluster, score in zip(clusters, scores, strict=True):
            known = sums.get(cluster)
            if known is None:
                sums[cluster] = [score, 1]
            else:
                known[0] += score
                known[1] += 1

    def merge(self, other: "ClusterSums") -> None:
        """Count what another one has counted."""
        for cluster, (total, count) in other._sums.items():
            known = self._sums.setdefault(cluster, [0.0, 0])
            known[0] += total
            known[1] += count

    def error(self) -> float | None:
        """Cluster-robust standard error of the mean score.

        As ``score_intervals.clustered_error``. None where no cluster has two answers, so that the
        plain error holds, and where there is only one cluster.
        """
        groups = len(self._sums)
        count = sum(number for _, number in self._sums.values())
        if not 2 <= groups < count:
            return None
        mean = math.fsum(total for total, _ in self._sums.values()) / count
        squares = math.fsum(
            (total - number * mean) ** 2 / (1 - number / count)
            for total, number in self._sums.values()
        )
        return math.sqrt(squares) / count

    def freedom(self) -> float | None:
        """Degrees of freedom of ``error``; None where that is."""
        counts = [int(number) for _, number in self._sums.values()]
        if not 2 <= len(counts) < sum(counts):
            return None
        return cluster_freedom(counts)

    def skew(self) -> float:
        """Skewness of the mean, Σe³ / (Σe²)^1.5 with e what a cluster adds to the sum of scores
        beyond its share; 0 where all add alike, and for fewer than ``SKEWED_FROM`` clusters."""
        count = sum(number for _, number in self._sums.values())
        if len(self._sums) < SKEWED_FROM:
            return 0.0
        mean = math.fsum(total for total, _ in self._sums.values()) / count
        beyond = [total - number * mean for total, number in self._sums.values()]
        squares = math.fsum(value * value for value in beyond)
        cubes = math.fsum(value**3 for value in beyond)
        return float(cubes / squares**1.5) if squares > _ALIKE else 0.0


@dataclass(frozen=True, slots=True)
class AccuracyEstimate:
    """``correct`` of ``n``: accuracy in 0…1, its standard error and its 95% interval.

    Where answers were graded, ``correct`` is the sum of their scores and ``squares`` that of their
    squares. Where answers share an item or a source, ``clustered`` is the error that allows for
    it, with ``freedom`` degrees of freedom, and ``clusters`` how many there are; ``sums`` are the
    scores of each. Accuracy and error are None for no item.
    """

    n: int
    correct: float
    squares: float | None = None
    clustered: float | None = None
    clusters: int = 0
    freedom: float | None = None
    sums: ClusterSums | None = field(default=None, compare=False, repr=False)

    @property
    def accuracy(self) -> float | None:
        """Share of correct items."""
        return self.correct / self.n if self.n else None

    @property
    def stderr(self) -> float | None:
        """Standard error of the share, the clustered one where answers share an item or a source
        and it is the larger one; None where all scores are alike, which gives no error."""
        error = max(self.clustered or 0.0, self.plain_stderr or 0.0)
        return error if error > ROUNDING else None

    @property
    def plain_stderr(self) -> float | None:
        """√(p(1−p)/(n−1)), lm-evaluation-harness's: as if the answers shared nothing. None for
        fewer than two items."""
        return math.sqrt(self._variance / (self.n - 1)) if self.n > 1 else None

    @property
    def interval(self) -> ScoreInterval:
        """The 95% interval of the share, which also allows for few items and few sources."""
        return mean_interval(self._spread) if self.n else ScoreInterval(None, None)

    @property
    def caution(self) -> str:
        """In words where the interval rests on little; empty where it does not."""
        return caution(self._spread) if self.n else ""

    @property
    def worth(self) -> float:
        """How many independent right-or-wrong answers the scores are worth; 0 for no item."""
        return self._spread.worth if self.n else 0.0

    @property
    def shared(self) -> str:
        """In words what the answers share and how that is known, such as “6 sources (identified by
        the passage)”."""
        names = self.sums.by_cluster() if self.sums is not None else ()
        return shared_words(self.clusters, self._alone, recognised(names))

    @property
    def _alone(self) -> int:
        return self.sums.alone if self.sums is not None else 0

    @property
    def binary(self) -> bool:
        """Whether every score is 0 or 1, as counted answers are and a judge's verdicts may be."""
        return self.squares is None or self.squares == self.correct

    @property
    def _variance(self) -> float:
        p = self.correct / self.n
        variance = (p if self.squares is None else self.squares / self.n) - p * p
        return variance if variance > _ALIKE else 0.0

    @property
    def _spread(self) -> MeanSpread:
        skew = self.sums.skew() if self.clustered and self.sums is not None else 0.0
        return MeanSpread(
            self.correct / self.n, self.n, self._variance, self.clustered, self.clusters,
            self.freedom, self.binary, skew, alone=self._alone,
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """``n``, ``correct``, ``accuracy`` and what the tables print: ``stderr``, ``low``,
        ``high``, ``caution``. ``plain_stderr`` is as if answers shared nothing,
        ``clustered_stderr`` None where they do."""
        interval = self.interval
        return {
            "n": self.n,
            "correct": self.correct,
            "accuracy": self.accuracy,
            "stderr": self.stderr,
            "low": interval.low,
            "high": interval.high,
            "caution": self.caution,
            "plain_stderr": self.plain_stderr,
            "clustered_stderr": self.clustered,
            "clusters": self.clusters,
        }


def cluster_name(source: str, id_: str) -> str:
    """What an answer shares with others: its source, else its item, which no source is called
    like. ``id_`` is that of the item or of the question."""
    return source or f"{ALONE}{uid_of(id_)}"


def mean_spread(
    values: Sequence[float], clusters: Sequence[str], *, binary: bool = False
) -> MeanSpread:
    """What the interval of a mean of values, of which each has a cluster, needs."""
    sums = ClusterSums()
    sums.extend(clusters, values)
    count = len(values)
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) ** 2 for value in values) / count
    error = sums.error()
    skew = sums.skew() if error else 0.0
    return MeanSpread(mean, count, variance, error, len(sums), sums.freedom(), binary, skew)


def spread_over_tasks(tasks: Sequence[tuple[Sequence[float], Sequence[str]]]) -> MeanSpread | None:
    """Of the mean over tasks of each one's mean, which has two values or more; None where one has
    fewer. A task is its values and their clusters; of one task as ``mean_spread``.

    Tasks are fixed and items drawn: the squared error is Σc²/T² over what each cluster adds to the
    sum of the T means, in all tasks together, enlarged as in ``ClusterSums.error``; of tasks that
    have no cluster in common that is √(Σ se²)/T. The degrees of freedom are Satterthwaite's over
    groups of tasks that have none in common.
    """
    if len(tasks) == 1:
        values, clusters = tasks[0]
        return mean_spread(values, clusters, binary=all(value in (0.0, 1.0) for value in values))
    if not tasks or min(len(values) for values, _ in tasks) < 2:
        return None
    sums = [ClusterSums() for _ in tasks]
    for own, (values, clusters) in zip(sums, tasks, strict=True):
        own.extend(clusters, values)
    squared = each = cubes = 0.0
    for group in _in_common(sums):
        added, weights = _added([sums[place] for place in group])
        alone = math.fsum(_plain_squared_error(tasks[place][0]) for place in group)
        known = math.fsum(value * value for value in added.values())
        square = max(known, alone)
        many = len(weights) > 1
        freedom = cluster_freedom(list(weights.values())) if many else _items_of(tasks, group)
        squared += square
        each += square * square / freedom
        if len(weights) >= SKEWED_FROM and (len(group) > 1 or sums[group[0]].error()):
            cubes += math.fsum(value**3 for value in added.values()) * _ratio(square, known) ** 1.5
    names = {name for own in sums for name in own.by_cluster()}
    skewed = cubes / squared**1.5 if squared > _ALIKE else 0.0
    items = sum(len(values) for values, _ in tasks)
    means = [math.fsum(values) / len(values) for values, _ in tasks]
    return MeanSpread(
        math.fsum(means) / len(tasks), items, 0.0, math.sqrt(squared) / len(tasks), len(names),
        squared * squared / each if each else float(items - len(tasks)), skew=skewed,
        one_source=min(map(len, sums)) == 1,
    )  # fmt: skip


def _ratio(whole: float, part: float) -> float:
    return whole / part if part > _ALIKE else 0.0


def _items_of(
    tasks: Sequence[tuple[Sequence[float], Sequence[str]]], group: Sequence[int]
) -> float:
    """Items less tasks: the degrees of freedom where one cluster holds all of them."""
    return float(sum(len(tasks[place][0]) - 1 for place in group))


def _plain_squared_error(values: Sequence[float]) -> float:
    count = len(values)
    mean = math.fsum(values) / count
    return math.fsum((value - mean) ** 2 for value in values) / (count - 1) / count


def _in_common(tasks: Sequence[ClusterSums]) -> list[list[int]]:
    """Places of tasks, those together that have a cluster in common, also by way of others."""
    first: dict[str, int] = {}
    group = list(range(len(tasks)))

    def top(place: int) -> int:
        while group[place] != place:
            place = group[place]
        return place

    for place, sums in enumerate(tasks):
        for name in sums.by_cluster():
            group[top(place)] = top(first.setdefault(name, place))
    groups: dict[int, list[int]] = {}
    for place in range(len(tasks)):
        groups.setdefault(top(place), []).append(place)
    return list(groups.values())


def _added(tasks: Sequence[ClusterSums]) -> tuple[dict[str, float], dict[str, float]]:
    """What each cluster adds to the sum of the means of tasks beyond its share, and that share."""
    added: dict[str, float] = {}
    shares: dict[str, float] = {}
    for sums in tasks:
        by_cluster = sums.by_cluster()
        count = sum(number for _, number in by_cluster.values())
        mean = math.fsum(total for total, _ in by_cluster.values()) / count
        for name, (total, number) in by_cluster.items():
            share = number / count
            shares[name] = shares.get(name, 0.0) + share
            if number < count:
                own = (total - number * mean) / count / math.sqrt(1 - share)
                added[name] = added.get(name, 0.0) + own
    return added, shares
