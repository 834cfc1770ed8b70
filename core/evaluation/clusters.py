"""Standard errors of a mean score where answers share an item or a source.

Pure Python: a report of 100,000 answers is to be printed within two seconds.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from core.evaluation.mean_interval import MeanSpread
from core.proportion import cluster_freedom

_ALIKE = 1e-12


class ClusterSums:
    """Sums and numbers of scores by what the answers share: their article, or their item."""

    __slots__ = ("_sums",)

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = {}

    def __len__(self) -> int:
        return len(self._sums)

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
        beyond its share; 0 where all add alike, and for fewer than three clusters."""
        count = sum(number for _, number in self._sums.values())
        if len(self._sums) < 3:
            return 0.0
        mean = math.fsum(total for total, _ in self._sums.values()) / count
        beyond = [total - number * mean for total, number in self._sums.values()]
        squares = math.fsum(value * value for value in beyond)
        cubes = math.fsum(value**3 for value in beyond)
        return float(cubes / squares**1.5) if squares > _ALIKE else 0.0


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
