"""Raters × raters, confusion, and the work list of disagreements."""

import numpy as np
import pytest

from core.agreement.compute import value_of
from core.agreement.influence import influences, ranked_disagreement
from core.agreement.rater_pairs import confusion_matrix, rater_matrix
from core.agreement.ratings import (
    declared_scale,
    table_of_columns,
    table_of_counts,
    table_of_matrix,
    table_of_rows,
)
from core.errors import InputError

TABLE = table_of_columns(
    [["y", "y", "n", "n", None], ["y", "n", "n", "n", "y"], ["n", "n", "y", None, "y"]],
    ["ann", "bob", "cy"],
    ["q1", "q2", "q3", "q4", "q5"],
)


def test_the_rater_matrix_holds_the_kappa_and_the_common_items_of_every_pair():
    found = rater_matrix(TABLE, "cohen_kappa")
    assert found.raters == ("ann", "bob", "cy")
    assert np.isnan(np.diag(found.values)).all()
    assert found.values[0, 1] == found.values[1, 0]
    assert found.values[0, 1] == pytest.approx(value_of(TABLE.of_raters([0, 1]), "cohen_kappa"))
    assert found.common.tolist() == [[4, 4, 3], [4, 5, 4], [3, 4, 4]]


def test_a_count_based_coefficient_also_has_a_rater_matrix():
    found = rater_matrix(TABLE, "gwet_ac1")
    assert found.values[0, 2] == pytest.approx(value_of(TABLE.of_raters([0, 2]), "gwet_ac1"))


@pytest.mark.parametrize("name", ["cohen_kappa", "cohen_kappa_quadratic", "scott_pi", "spearman"])
def test_all_pairs_at_once_are_what_each_pair_is_alone(name):
    rng = np.random.default_rng(4)
    for _ in range(60):
        matrix = rng.integers(0, 3, (int(rng.integers(1, 9)), 5)).astype(np.int8)
        matrix[rng.random(matrix.shape) < 0.4] = -1
        for table in (
            table_of_matrix(matrix, (1, 2, 3)),
            table_of_columns(matrix.T.tolist(), "abcde"),
        ):
            found = rater_matrix(table, name).values
            for a in range(5):
                for b in range(a + 1, 5):
                    alone = value_of(table.of_raters([a, b]), name)
                    assert found[a, b] == pytest.approx(alone, nan_ok=True), (matrix, a, b)


def test_raters_without_common_items_have_no_value():
    found = rater_matrix(table_of_columns([[1, 2, None, None], [None, None, 1, 2]], ["a", "b"]))
    assert np.isnan(found.values).all()
    assert found.common[0, 1] == 0


def test_a_confusion_matrix_leads_to_the_items_behind_each_cell():
    found = confusion_matrix(TABLE.of_raters([0, 1]))
    assert found.labels == ("n", "y")
    assert found.counts.tolist() == [[4, 1], [1, 2]]
    both_ways = {(0, 1): ("q2",), (1, 0): ("q2",)}
    assert found.items == {(0, 0): ("q3", "q4"), (1, 1): ("q1",), **both_ways}


def test_the_confusion_of_all_pairs_is_symmetric_and_counts_both_ways():
    found = confusion_matrix(TABLE)
    assert (found.counts == found.counts.T).all()
    assert found.counts.sum() == 2 * (4 + 3 + 4)
    assert found.items[0, 1] == found.items[1, 0] == ("q1", "q2", "q3")


def test_confusion_of_counts_is_refused():
    with pytest.raises(InputError, match="counts per category, without raters"):
        confusion_matrix(table_of_counts([[1, 2], [3, 0]]))


@pytest.mark.parametrize(
    "name",
    ["krippendorff_alpha_nominal", "krippendorff_alpha_ordinal", "fleiss_kappa", "cohen_kappa"],
)
def test_the_influence_of_an_item_is_what_leaving_it_out_changes(name):
    rng = np.random.default_rng(6)
    matrix = rng.integers(-1, 4, (40, 3)).astype(np.int8)
    table = table_of_matrix(matrix, range(4))
    whole = value_of(table, name)
    gains = influences(table, name)
    for row in range(40):
        rest = table_of_matrix(np.delete(matrix, row, axis=0), range(4))
        assert gains[row] == pytest.approx(value_of(rest, name) - whole, abs=1e-12)


def test_the_work_list_starts_with_the_item_that_hurts_most():
    ranked = ranked_disagreement(TABLE)
    assert {found.item for found in ranked} == {"q1", "q2", "q3"}
    assert [found.influence for found in ranked] == sorted(
        (found.influence for found in ranked), reverse=True
    )
    gains = influences(TABLE)
    assert ranked[0].row == max(range(3), key=lambda row: gains[row])
    assert ranked_disagreement(TABLE, limit=1) == ranked[:1]
    assert ranked_disagreement(TABLE)[0].ratings.keys() == {"ann", "bob", "cy"}
    assert all(len(found.ratings) == 3 for found in ranked)


def test_agreeing_items_are_not_on_the_work_list():
    assert ranked_disagreement(table_of_columns([[1, 2, 3], [1, 2, 3]], ["a", "b"])) == []
    assert ranked_disagreement(table_of_columns([[1], [1]], ["a", "b"])) == []


def test_where_the_coefficient_is_undefined_the_share_of_differing_pairs_ranks():
    table = table_of_counts([[3, 0], [2, 1]], ["yes", "no"], ["a", "b"])
    ranked = ranked_disagreement(table, "cohen_kappa")
    assert [(found.item, found.influence) for found in ranked] == [("b", None)]
    assert ranked[0].disagreement == pytest.approx(2 / 3)
    assert ranked[0].ratings == {"yes": "2", "no": "1"}


def test_the_work_list_of_45_000_items_is_in_the_right_order():
    rng = np.random.default_rng(7)
    matrix = rng.integers(-1, 5, (45_000, 3)).astype(np.int8)
    ranked = ranked_disagreement(table_of_matrix(matrix, range(5)), limit=100)
    gains = [found.influence for found in ranked]
    assert gains == sorted(gains, reverse=True)
    assert ranked[0].item == str(ranked[0].row + 1)


def test_long_rows_become_a_table_and_the_last_of_two_ratings_counts():
    rows = [("q1", "ann", 1), ("q1", "bob", 2), ("q2", "bob", 3), ("q1", "ann", 2)]
    table = table_of_rows(rows, declared_scale([1, 2, 3, 4]))
    assert table.categories == ("1", "2", "3", "4")
    assert table.codes.tolist() == [[1, 1], [-1, 2]]
    assert table.declared


def test_a_rating_off_the_declared_scale_is_named():
    with pytest.raises(InputError, match="“7” is not on the scale"):
        table_of_rows([("q1", "ann", 7)], declared_scale([1, 2, 3]))
