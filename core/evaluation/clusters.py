"""Standard errors of a mean score where answers share an item or a source.

Pure Python: a report of 100,000 answers is to be printed within two seconds.
"""

import math
from collections.abc import Iterable


class ClusterSums:
    """Sums and numbers of scores by what the answers share: their article, or their item."""

    __slots__ = ("_sums",)

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = {}

    def __len__(self) -> int:
        return len(self._sums)

    def extend(self, clusters: Iterable[str], scores: Iterable[float]) -> None:
        """Count the scores of as many clusters, one for one."""
        sums = self._sums
        for cluster, score in zip(clusters, scores, strict=True):
            found = sums.get(cluster)
            if found is None:
                sums[cluster] = [score, 1]
            else:
                found[0] += score
                found[1] += 1

    def merge(self, other: "ClusterSums") -> None:
        """Count what another one has counted."""
        for cluster, (total, count) in other._sums.items():
            found = self._sums.setdefault(cluster, [0.0, 0])
            found[0] += total
            found[1] += count

    def error(self) -> float | None:
        """Cluster-robust standard error of the mean score.

        As ``intervals.clustered_error``: √(G/(G−1) · Σ_g (Σ_{i∈g} (x_i − x̄))²) / n. None where no
        cluster has two answers, so that the plain error holds, and where there is only one cluster.
        """
        groups = len(self._sums)
        count = sum(number for _, number in self._sums.values())
        if not 2 <= groups < count:
            return None
        mean = math.fsum(own for own, _ in self._sums.values()) / count
        squares = math.fsum((own - number * mean) ** 2 for own, number in self._sums.values())
        return math.sqrt(groups / (groups - 1) * squares) / count
