"""What every coefficient promises, asked of the whole registry."""

import math

import numpy as np
import pytest

from core.agreement import coefficient
from core.agreement.coefficients import COEFFICIENTS
from core.agreement.compute import coefficients_for
from core.agreement.ratings import RatingTable, table_of_columns, table_of_counts
from core.agreement.statistic import Coefficient
from core.errors import NotFoundError

EVERY = pytest.mark.parametrize("measure", COEFFICIENTS, ids=lambda measure: measure.name)
NAMES = {
    "percent",
    "cohen_kappa",
    "cohen_kappa_linear",
    "cohen_kappa_quadratic",
    "cohen_kappa_cost",
    "conger_kappa",
    "fleiss_kappa",
    "randolph_kappa",
    "scott_pi",
    "krippendorff_alpha_nominal",
    "krippendorff_alpha_ordinal",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_ratio",
    "gwet_ac1",
    "gwet_ac2",
    "spearman",
    "kendall",
}


def result(measure: Coefficient, table: RatingTable):
    return coefficients_for(table, [measure.name], resamples=50)[0]


def raters(*columns: list) -> RatingTable:
    return table_of_columns(list(columns), [f"rater {i}" for i in range(len(columns))])


def test_the_names_that_reports_hold_stay_and_each_is_there_once():
    names = [measure.name for measure in COEFFICIENTS]
    assert set(names) >= NAMES
    assert len(names) == len(set(names))


def test_an_unknown_coefficient_is_named_in_the_error():
    with pytest.raises(NotFoundError, match="icc"):
        coefficient("icc")


@EVERY
def test_a_coefficient_is_documented(measure: Coefficient):
    assert measure.title
    assert len((type(measure).__doc__ or "").strip()) > 30


@EVERY
def test_a_published_value_is_reproduced(measure: Coefficient):
    example = measure.example
    assert example.source
    found = result(measure, example.table).value
    assert round(found, example.digits) == pytest.approx(example.value, abs=1e-12)


@EVERY
@pytest.mark.parametrize("count", [2, 3, 5])
def test_perfect_agreement_gives_the_maximum(measure: Coefficient, count: int):
    column = [1, 2, 3, 4, 1, 2, 3, 5]
    found = result(measure, raters(*[column] * count))
    assert (found.value, found.low, found.high) == (measure.maximum, None, None)


@EVERY
def test_the_order_of_the_raters_does_not_matter(measure: Coefficient):
    rng = np.random.default_rng(3)
    columns = [[None if v == 0 else int(v) for v in rng.integers(0, 5, 40)] for _ in range(4)]
    values = {
        round(result(measure, raters(*(columns[i] for i in order))).value, 10)
        for order in ([0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0])
    }
    assert len(values) == 1


@EVERY
def test_the_order_of_the_items_does_not_matter(measure: Coefficient):
    rng = np.random.default_rng(4)
    matrix = rng.integers(1, 5, (30, 3))
    values = {
        round(result(measure, raters(*matrix[order].T.tolist())).value, 10)
        for order in (np.arange(30), rng.permutation(30))
    }
    assert len(values) == 1


@EVERY
def test_the_value_lies_in_its_interval_and_the_interval_in_its_range(measure: Coefficient):
    rng = np.random.default_rng(5)
    true = rng.integers(1, 5, 200)
    columns = [np.where(rng.random(200) < 0.7, true, rng.integers(1, 5, 200)) for _ in range(3)]
    for interval in ("bootstrap", "bca"):
        table = raters(*(column.tolist() for column in columns))
        found = coefficients_for(table, [measure.name], interval, resamples=300)[0]
        assert measure.minimum <= found.low < found.value < found.high <= measure.maximum


UNDEFINED = {
    "no ratings": ([None, None], [None, ""]),
    "one rater": ([1, 2, 3, 1],),
    "one rater and an empty column": ([1, 2, 3, 1], [None] * 4),
    "disjoint raters": ([1, 2, None, None], [None, None, 1, 2]),
    "a single item": ([1], [2]),
    "a single item in common": ([1, 2, None], [1, None, 3]),
}


@EVERY
@pytest.mark.parametrize("case", UNDEFINED)
def test_an_undefined_case_gives_a_reason_and_no_number(measure: Coefficient, case: str):
    found = result(measure, raters(*UNDEFINED[case]))
    assert found.value is None
    assert found.low is None
    assert found.high is None
    assert len(found.undefined) > 10


@EVERY
def test_constant_ratings_give_a_reason_unless_the_measure_is_defined_on_them(measure: Coefficient):
    found = result(measure, raters([1] * 9, [1] * 9, [1] * 9))
    if measure.name == "percent":
        assert found.value == 1.0
    else:
        assert found.value is None
        assert "one category" in found.undefined


@EVERY
def test_a_declared_scale_decides_whether_constant_ratings_are_defined(measure: Coefficient):
    found = result(measure, table_of_counts([[4, 0], [4, 0], [4, 0]]))
    defined = not measure.needs_raters and measure.defined_on_constant_ratings
    assert (found.value == 1.0) == defined
    assert (found.undefined is None) == defined
    assert not defined or any("one category" in note for note in found.notes)


@EVERY
def test_a_rater_who_always_says_the_same_never_gives_nan(measure: Coefficient):
    found = result(measure, raters([1, 1, 1, 1, 1, 1], [1, 2, 1, 2, 1, 2]))
    assert (found.value is None) == (found.undefined is not None)
    assert found.value is None or math.isfinite(found.value)


@EVERY
def test_counts_alone_are_enough_exactly_where_the_measure_says_so(measure: Coefficient):
    found = result(measure, table_of_counts([[3, 1, 0], [0, 4, 0], [0, 1, 3], [2, 0, 1]]))
    assert (found.undefined is None) == (not measure.needs_raters)


@EVERY
def test_words_without_an_order_are_refused_where_order_matters(measure: Coefficient):
    found = result(measure, raters(["a", "b", "c", "a"], ["a", "b", "c", "b"]))
    assert (found.undefined is None) == (not measure.needs_order)
