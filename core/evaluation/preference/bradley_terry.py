"""Strengths of models from comparisons in pairs: Bradley and Terry's model, on the scale of Elo.

``P(a better than b) = 1 / (1 + exp(θ_b − θ_a))``, fitted by maximum likelihood (Bradley and Terry
1952, Biometrika 39, 324-345); a tie counts half for each. Errors are robust over what comparisons
share, their item or source, with Student's quantile at G − 1 degrees of freedom for G of them.
Elo is ``1000 + 400 θ / ln 10`` with mean 0 over the models of θ.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.evaluation.mean_interval import FEW_CLUSTERS, few_sources
from core.i18n import tr
from core.proportion import student_quantile

ELO = 400 / math.log(10)
_CENTRE = 1000.0
_STEPS = 100
_ALIKE = 1e-6  # of Elo: an error below it is that of the sums


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """One comparison: ``score`` is 1 where ``a`` is better, 0 where ``b`` is, between for ties;
    ``cluster`` is what it shares with others, its item or its source."""

    a: str
    b: str
    score: float
    cluster: str


@dataclass(frozen=True, slots=True)
class ModelStrength:
    """A model's Elo with its 95% interval, None where it has none; ``reason`` says why, unless all
    comparisons are of one cluster, which is the table's caution.

    ``share`` (0…1) is how often it was better, ties counting half, in ``n`` comparisons.
    """

    model: str
    elo: float | None
    low: float | None
    high: float | None
    share: float
    n: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StrengthTable:
    """The models, the strongest first, over ``clusters`` items or sources."""

    models: tuple[ModelStrength, ...]
    clusters: int
    caution: str

    def as_json(self) -> dict[str, Any]:
        """One object."""
        return {"models": [asdict(one) for one in self.models], "clusters": self.clusters,
                "caution": self.caution}  # fmt: skip


def strengths(outcomes: Sequence[PairOutcome]) -> StrengthTable:
    """The table of all models that were compared; empty without any comparison.

    Where some models were never beaten by the others, or never compared with them, no finite
    strengths exist (Ford 1957): they have shares and a reason, and no Elo.
    """
    names = sorted({name for one in outcomes for name in (one.a, one.b)})
    place = {name: at for at, name in enumerate(names)}
    clusters = {name: at for at, name in enumerate(dict.fromkeys(o.cluster for o in outcomes))}
    won: defaultdict[str, float] = defaultdict(float)
    asked: Counter[str] = Counter()
    for one in outcomes:
        won[one.a] += one.score
        won[one.b] += 1 - one.score
        asked.update((one.a, one.b))
    share = {name: won[name] / asked[name] for name in names}
    apart = _apart(outcomes, place)
    elos: Mapping[str, tuple[float, float | None]] = {}
    if names and not apart:
        elos = _fitted(outcomes, names, place, clusters)
    reach = student_quantile(len(clusters) - 1.0) if len(clusters) > 1 else 0.0
    models = []
    for name in sorted(names, key=lambda model: (-elos.get(model, (0.0,))[0], -share[model])):
        elo, error = elos.get(name, (None, None))
        low = high = None
        reason = apart if elo is None else ""
        if elo is not None and error is not None and error > _ALIKE:
            low, high = elo - reach * error, elo + reach * error
        elif error is not None:
            reason = tr("its comparisons do not vary, which gives no interval")
        models.append(ModelStrength(name, elo, low, high, share[name], asked[name], reason))
    caution = few_sources(len(clusters)) if 0 < len(clusters) < FEW_CLUSTERS else ""
    return StrengthTable(tuple(models), len(clusters), caution)


def _apart(outcomes: Sequence[PairOutcome], place: Mapping[str, int]) -> str:
    """Why no finite strengths exist; empty if they do."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    ends = [
        pair
        for one in outcomes
        for pair in (
            *([(place[one.b], place[one.a])] if one.score > 0 else []),
            *([(place[one.a], place[one.b])] if one.score < 1 else []),
        )
    ]
    if not ends:
        return ""
    rows, columns = zip(*ends, strict=True)
    graph = coo_matrix((np.ones(len(ends)), (rows, columns)), shape=(len(place),) * 2)
    groups, _ = connected_components(graph, directed=True, connection="strong")
    if groups == 1:
        return ""
    return tr("some models were better, or worse, than the others every time")


def _fitted(
    outcomes: Sequence[PairOutcome],
    names: Sequence[str],
    place: Mapping[str, int],
    clusters: Mapping[str, int],
) -> dict[str, tuple[float, float | None]]:
    """Elo and its standard error by model; no error of fewer than two clusters."""
    count = len(names)
    design = np.zeros((len(outcomes), count))
    rows = np.arange(len(outcomes))
    design[rows, [place[one.a] for one in outcomes]] = 1.0
    design[rows, [place[one.b] for one in outcomes]] = -1.0
    scores = np.asarray([one.score for one in outcomes])
    # strengths with mean 0, so that every direction but the common one is estimated
    basis = np.linalg.qr(np.eye(count) - 1 / count)[0][:, : count - 1]
    x = design @ basis
    beta = np.zeros(count - 1)
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-(x @ beta)))
        information = (x * (p * (1 - p))[:, None]).T @ x
        step = np.linalg.solve(information, x.T @ (scores - p))
        beta += step * min(1.0, 2.0 / max(1e-12, float(np.abs(step).max())))
        if float(np.abs(step).max()) < 1e-12:
            break
    p = 1 / (1 + np.exp(-(x @ beta)))
    bread = np.linalg.inv((x * (p * (1 - p))[:, None]).T @ x)
    errors = _errors(x * (scores - p)[:, None], bread, basis, clusters, outcomes)
    theta = basis @ beta
    return {
        name: (
            _CENTRE + ELO * float(theta[at]), None if errors is None else ELO * float(errors[at])
        )
        for at, name in enumerate(names)
    }  # fmt: skip


def _errors(
    score_rows: npt.NDArray[np.float64],
    bread: npt.NDArray[np.float64],
    basis: npt.NDArray[np.float64],
    clusters: Mapping[str, int],
    outcomes: Sequence[PairOutcome],
) -> npt.NDArray[np.float64] | None:
    """Cluster-robust standard errors of the strengths, with the factor G / (G − 1)."""
    groups = len(clusters)
    if groups < 2:
        return None
    sums = np.zeros((groups, score_rows.shape[1]))
    np.add.at(sums, [clusters[one.cluster] for one in outcomes], score_rows)
    spread = bread @ (sums.T @ sums * (groups / (groups - 1))) @ bread
    variances: npt.NDArray[np.float64] = np.einsum("ij,jk,ik->i", basis, spread, basis)
    return np.sqrt(np.maximum(variances, 0.0))
