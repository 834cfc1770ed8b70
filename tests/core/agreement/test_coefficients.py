"""Our fast paths against statsmodels, krippendorff, scikit-learn, SciPy and plain definitions."""

import itertools
import math
import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa

from core.agreement.compute import coefficients_for, value_of
from core.agreement.ratings import RatingTable, table_of_columns

LEVELS = ("nominal", "ordinal", "interval", "ratio")


@st.composite
def rating_matrices(draw, most_raters=6, missing=True):
    """Items × raters of integers from 0, -1 where missing, with odd shapes and gaps."""
    shape = (draw(st.integers(2, 25)), draw(st.integers(2, most_raters)))
    most = draw(st.integers(1, 6))
    return draw(arrays(np.int8, shape, elements=st.integers(-1 if missing else 0, most)))


def table_of(matrix: np.ndarray) -> RatingTable:
    columns = [[None if v < 0 else int(v) for v in column] for column in matrix.T]
    return table_of_columns(columns, [f"R{i}" for i in range(matrix.shape[1])])


def agrees(ours: float, theirs: float | None) -> bool:
    if theirs is None or math.isnan(theirs):
        return math.isnan(ours)
    return ours == pytest.approx(theirs, abs=1e-9)


def enough(matrix: np.ndarray, least: int = 2) -> bool:
    return int(((matrix >= 0).sum(axis=1) >= 2).sum()) >= least


def check_alpha(matrix: np.ndarray) -> None:
    data = np.where(matrix < 0, np.nan, matrix.astype(float)).T
    for level in LEVELS:
        theirs = None
        if enough(matrix) and len(np.unique(matrix[matrix >= 0])) > 1:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                theirs = float(krippendorff.alpha(data, level_of_measurement=level))
        assert agrees(value_of(table_of(matrix), f"krippendorff_alpha_{level}"), theirs), level


def test_a_rating_that_nobody_can_be_compared_with_makes_no_spread():
    check_alpha(np.array([[-1, 1], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], np.int8))


def check_fleiss(matrix: np.ndarray) -> None:
    counts, _ = aggregate_raters(matrix)
    constant = counts.shape[1] == 1
    ours = {name: value_of(table_of(matrix), name) for name in ("fleiss_kappa", "randolph_kappa")}
    assert agrees(ours["fleiss_kappa"], None if constant else fleiss_kappa(counts))
    assert agrees(ours["randolph_kappa"], None if constant else fleiss_kappa(counts, "randolph"))


def mean_over_pairs(matrix: np.ndarray, measure, least: int = 1) -> float | None:
    values = []
    for a, b in itertools.combinations(range(matrix.shape[1]), 2):
        both = (matrix[:, a] >= 0) & (matrix[:, b] >= 0)
        if both.sum() >= least:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                values.append(float(measure(matrix[both, a], matrix[both, b])))
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else None


def check_cohen(matrix: np.ndarray) -> None:
    for name, weights in (
        ("cohen_kappa", None),
        ("cohen_kappa_linear", "linear"),
        ("cohen_kappa_quadratic", "quadratic"),
    ):

        def measure(a: np.ndarray, b: np.ndarray, weights: str | None = weights) -> float:
            return float("nan") if len({*a, *b}) < 2 else cohen_kappa_score(a, b, weights=weights)

        theirs = mean_over_pairs(matrix, measure) if enough(matrix) else None
        assert agrees(value_of(table_of(matrix), name), theirs), name


def check_correlations(matrix: np.ndarray) -> None:
    for name, theirs in (("spearman", spearmanr), ("kendall", kendalltau)):

        def measure(a: np.ndarray, b: np.ndarray, theirs=theirs) -> float:
            constant = len({*a}) < 2 or len({*b}) < 2
            return float("nan") if constant else float(theirs(a, b).statistic)

        expected = mean_over_pairs(matrix, measure) if enough(matrix, 3) else None
        assert agrees(value_of(table_of(matrix), name), expected), name


def chance_corrected(matrix: np.ndarray, name: str) -> float | None:
    """Gwet's definitions, item by item in plain Python."""
    used = sorted({int(v) for v in matrix[matrix >= 0]})
    rows = [[int(v) for v in row if v >= 0] for row in matrix]
    pairs = [row for row in rows if len(row) >= 2]
    if len(pairs) < 2 or len(used) < 2:
        return None
    span = used[-1] - used[0]

    def alike(a: int, b: int) -> float:
        return 1 - ((a - b) / span) ** 2 if name == "gwet_ac2" else float(a == b)

    observed = sum(
        sum(alike(a, b) for a, b in itertools.permutations(row, 2)) / (len(row) * (len(row) - 1))
        for row in pairs
    ) / len(pairs)
    rated = [row for row in rows if row]
    shares = [sum(row.count(c) / len(row) for row in rated) / len(rated) for c in used]
    q = len(used)
    if name == "fleiss_kappa":
        expected = sum(share**2 for share in shares)
    else:
        total = sum(alike(a, b) for a in used for b in used)
        expected = total / (q * (q - 1)) * sum(share * (1 - share) for share in shares)
    return (observed - expected) / (1 - expected) if expected < 1 - 1e-12 else None


def conger(matrix: np.ndarray) -> float | None:
    """Every two raters with their own shares, in plain Python."""
    rows = [[int(v) for v in row if v >= 0] for row in matrix]
    pairs = [row for row in rows if len(row) >= 2]
    given = [[int(v) for v in column if v >= 0] for column in matrix.T]
    given = [column for column in given if column]
    used = {v for column in given for v in column}
    if len(pairs) < 2 or len(used) < 2:
        return None
    observed = np.mean(
        [np.mean([a == b for a, b in itertools.permutations(row, 2)]) for row in pairs]
    )
    by_chance = [
        sum(a.count(c) / len(a) * b.count(c) / len(b) for c in used)
        for a, b in itertools.permutations(given, 2)
    ]
    expected = sum(by_chance) / len(by_chance)
    return float((observed - expected) / (1 - expected)) if expected < 1 - 1e-12 else None


def check_conger(matrix: np.ndarray) -> None:
    assert agrees(value_of(table_of(matrix), "conger_kappa"), conger(matrix))


def check_missing(matrix: np.ndarray) -> None:
    for name in ("fleiss_kappa", "gwet_ac1", "gwet_ac2"):
        ours = value_of(table_of(matrix), name)
        assert agrees(ours, chance_corrected(matrix, name)), name


def check_scott(matrix: np.ndarray) -> None:
    """Scott's pi of a pair is Fleiss' kappa of its complete items."""

    def measure(a: np.ndarray, b: np.ndarray) -> float:
        if len({*a, *b}) < 2:
            return float("nan")
        return float(fleiss_kappa(aggregate_raters(np.column_stack([a, b]))[0]))

    theirs = mean_over_pairs(matrix, measure) if enough(matrix) else None
    assert agrees(value_of(table_of(matrix), "scott_pi"), theirs)


CHECKS = {
    "alpha": (check_alpha, rating_matrices()),
    "fleiss": (check_fleiss, rating_matrices(missing=False)),
    "cohen": (check_cohen, rating_matrices(most_raters=4)),
    "correlations": (check_correlations, rating_matrices(most_raters=3)),
    "missing": (check_missing, rating_matrices()),
    "conger": (check_conger, rating_matrices()),
    "scott": (check_scott, rating_matrices(most_raters=4)),
}


@pytest.mark.parametrize("name", CHECKS)
def test_random_tables_give_the_values_of_the_reference(name):
    check, matrices = CHECKS[name]
    settings(max_examples=60)(given(matrices)(check))()


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_thousands_of_random_tables_give_the_values_of_the_reference(name):
    check, matrices = CHECKS[name]
    settings(max_examples=1000)(given(matrices)(check))()


def test_ben_davids_costs_are_a_weighted_kappa_with_a_cost_matrix():
    from core.agreement.coefficients.cohen import CohenKappaCost

    rng = np.random.default_rng(2)
    matrix = rng.integers(0, 3, (80, 2))
    costs = np.array([[0.0, 1, 5], [1, 0, 2], [5, 2, 0]])
    counts = np.zeros((3, 3))
    np.add.at(counts, (matrix[:, 0], matrix[:, 1]), 1)
    ours = CohenKappaCost(lambda scale: costs).statistic(table_of(matrix)).value
    assert ours == pytest.approx(cohens_kappa(counts, weights=costs).kappa)


@pytest.mark.parametrize("raters", [12, 30, 70])
def test_tables_too_wide_for_direct_counting_give_the_same_values(raters):
    rng = np.random.default_rng(raters)
    true = rng.integers(0, 5, 400)
    matrix = np.where(
        rng.random((400, raters)) < 0.6, true[:, None], rng.integers(0, 5, (400, raters))
    )
    matrix[rng.random(matrix.shape) < 0.5] = -1
    check_alpha(matrix)
    check_missing(matrix)
    if raters == 12:
        check_cohen(matrix)


def test_many_different_values_use_the_sparse_features_and_give_the_same():
    rng = np.random.default_rng(9)
    true = rng.normal(size=3000)
    matrix = np.round(true[:, None] * 1000 + rng.normal(size=(3000, 2)) * 300).astype(int) + 5000
    check_correlations(matrix)
    data = matrix.astype(float)
    ours = value_of(table_of(matrix), "krippendorff_alpha_interval")
    spread = ((data[:, 0] - data[:, 1]) ** 2).mean()
    assert ours == pytest.approx(1 - spread / (2 * data.var(ddof=1)), rel=1e-9)
    assert value_of(table_of(matrix), "krippendorff_alpha_ordinal") > 0.7


def test_what_chance_agreement_takes_of_items_that_one_person_rated_is_said():
    """So the number of items compared beside a value is not all that it rests on."""
    first = [0, 0, 1, 1, 0, 1, 0, 0]
    second = [0, 0, 1, 0, 0, None, None, None]
    whole = table_of_columns([first, second], ["R0", "R1"])
    compared = table_of_columns([first[:5], second[:5]], ["R0", "R1"])
    said = "Chance agreement also counts 3 ratings of items that nobody else rated."
    for result in coefficients_for(whole, interval="none"):
        if result.value is not None:
            (alone,) = coefficients_for(compared, [result.name], interval="none")
            same = result.value == pytest.approx(alone.value)
            assert (said in result.notes) == (not same), result.name
            assert said not in alone.notes
