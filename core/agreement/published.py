"""Small published tables on which every coefficient proves itself in the contract test."""

import numpy as np

from core.agreement.ratings import RatingTable, table_of_columns, table_of_counts

_CANONICAL = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)

_FLEISS = (
    "0 0 0 0 14",
    "0 2 6 4 2",
    "0 0 3 5 6",
    "0 3 9 2 0",
    "2 2 8 1 1",
    "7 7 0 0 0",
    "3 2 6 3 0",
    "2 5 3 2 2",
    "6 5 2 1 0",
    "0 2 2 3 7",
)

_ABSTRACTORS = ((13, 0, 0), (0, 20, 7), (0, 4, 56))


def canonical_reliability_data() -> RatingTable:
    """Krippendorff's 12 units by 4 observers with missing ratings."""
    columns = [line.split() for line in _CANONICAL]
    return table_of_columns(columns, ["A", "B", "C", "D"])


def canonical_data_of_irrcac() -> RatingTable:
    """The same with the twelfth unit rated by the third observer instead of the second."""
    columns = [line.split() for line in _CANONICAL]
    columns[1][11], columns[2][11] = columns[2][11], columns[1][11]
    return table_of_columns(columns, ["A", "B", "C", "D"])


def fleiss_worked_example() -> RatingTable:
    """Ten items, 14 ratings each, five categories."""
    return table_of_counts(np.array([line.split() for line in _FLEISS], dtype=np.int64))


def two_abstractors(values: tuple[int, int, int] = (1, 2, 3)) -> RatingTable:
    """A hundred cases by two abstractors in three categories, with numbers of one's choice."""
    first: list[int] = []
    second: list[int] = []
    for value, row in zip(values, _ABSTRACTORS, strict=True):
        for other, count in zip(values, row, strict=True):
            first += [value] * count
            second += [other] * count
    return table_of_columns([first, second], ["A", "B"])


def two_rankings(first: list[int], second: list[int]) -> RatingTable:
    """Two raters' numbers, item by item."""
    return table_of_columns([first, second], ["A", "B"])
