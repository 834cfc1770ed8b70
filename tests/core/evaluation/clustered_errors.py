"""Bell and McCaffrey's clustered error of a mean, from the matrices of their paper."""

import math
from collections.abc import Hashable, Sequence

import numpy as np


def bell_mccaffrey(values: Sequence[float], clusters: Sequence[Hashable]) -> tuple[float, float]:
    """(CR2 error of the mean, its degrees of freedom), with hat matrix and matrix square roots."""
    data, count = np.asarray(values, float), len(values)
    codes = np.unique([str(name) for name in clusters], return_inverse=True)[1]
    residuals = np.eye(count) - np.full((count, count), 1 / count)
    errors = residuals @ data
    total, rows = 0.0, []
    for code in np.unique(codes):
        own = codes == code
        powers, directions = np.linalg.eigh(residuals[np.ix_(own, own)])
        root = directions @ np.diag(powers**-0.5) @ directions.T
        adjusted = root @ np.ones(int(own.sum())) / count
        total += float(adjusted @ errors[own]) ** 2
        rows.append(residuals[:, own] @ adjusted)
    gram = np.array(rows) @ np.array(rows).T
    return math.sqrt(total), float(np.trace(gram) ** 2 / np.sum(gram**2))
