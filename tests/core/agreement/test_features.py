"""The sums behind the coefficients are the same however the matrix is kept."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from core.agreement.features import Features


@pytest.mark.parametrize(
    ("shape", "entries", "kept"),
    [
        ((40, 7), 60, "_dense"),
        ((3000, 300), 5000, "_sums"),
        ((3000, 300), 9000, "_sums"),
        ((3000, 300), 15_000, "_sparse"),
    ],
)
@pytest.mark.parametrize("ones", [True, False])
def test_totals_and_totals_without_one_item(
    shape: tuple[int, int], entries: int, kept: str, ones: bool
) -> None:
    rng = np.random.default_rng(1)
    flat = rng.choice(shape[0] * shape[1], entries, replace=False)
    rows, columns = np.divmod(flat, shape[1])
    columns[columns == 3] = 4  # a feature that no pattern has
    _, once = np.unique(rows * shape[1] + columns, return_index=True)
    rows, columns = rows[once], columns[once]
    values = np.ones(len(rows)) if ones else rng.normal(size=len(rows))
    features = Features(rows, columns, values, shape)
    assert getattr(features, kept, None) is not None
    plain = csr_array((values, (rows, columns)), shape=shape)
    dense = plain.toarray()
    weights = rng.integers(0, 9, (70, shape[0]))
    for given in (weights.astype(float), np.asfortranarray(weights.astype(np.float32))):
        np.testing.assert_allclose(features.totals(given), (plain.T @ weights.T).T, atol=1e-4)
    total = features.totals(weights[:1].astype(float))
    for start, found in features.without_one(weights[0].astype(float)):
        part = dense[start : start + len(found)]
        np.testing.assert_allclose(found, total - part, atol=1e-4)
    groups, shown = rng.integers(0, 9, 500), rng.integers(0, shape[0], 500)
    grouped = np.stack([dense[shown[groups == group]].sum(0) for group in range(9)])
    np.testing.assert_allclose(features.by_group(groups, shown, 9), grouped, atol=1e-8)
    slopes = rng.normal(size=shape[1])
    np.testing.assert_allclose(features.along(slopes), dense @ slopes, atol=1e-8)
