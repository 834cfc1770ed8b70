"""Who rated what: the table that every coefficient is computed from."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from core.agreement.contingency import AlikePairs, RaterPair, alike_pairs, contingency_features
from core.agreement.features import Features
from core.agreement.patterns import Patterns, weighted_count
from core.errors import InputError
from core.i18n import listed

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[Any]

_LARGEST_NUMBER = 1e100  # sums of squares of larger ones are infinite
MISSING_WORDS = frozenset({"", ".", "*", "na", "n/a", "#n/a", "<na>", "nan", "null"})


@dataclass(frozen=True, eq=False)
class RatingTable:
    """Items × raters, or items × categories where only counts are known.

    ``codes``: int, shape (items, raters), index into ``categories``, -1 where missing.
    ``counts``: int, shape (items, categories), how often each category was given.
    Exactly one of the two is present. ``values`` are the numbers behind the categories in
    ascending order, None where they are words; ``ordered`` says that the order of ``categories``
    means something. ``declared`` says that ``categories`` is the whole scale, not merely what
    was used. ``item_ids`` None means the row numbers from 1. ``words`` are the categories as
    people read them in a sentence, None where that is as they are; ``remarks`` say what was odd
    about the ratings when they were read. ``sources`` names each item's source, such as its
    article (empty: none), None where nothing is known of them. ``revised`` is the item of each
    row, where several rows are revisions of one item; None where every row is an item.
    """

    categories: tuple[str, ...]
    codes: Ints | None = None
    counts: Ints | None = None
    item_ids: tuple[str, ...] | None = None
    rater_ids: tuple[str, ...] = ()
    values: tuple[float, ...] | None = None
    ordered: bool = False
    declared: bool = False
    words: tuple[str, ...] | None = None
    remarks: tuple[str, ...] = ()
    sources: tuple[str, ...] | None = None
    revised: Ints | None = None

    def __post_init__(self) -> None:
        data = self.codes if self.codes is not None else self.counts
        if data is None or (self.codes is not None and self.counts is not None) or data.ndim != 2:
            raise ValueError("a table holds either codes or counts, with two dimensions")
        if data.size and self.codes is not None:
            low, high = int(data.min()), int(data.max())
            if low < -1 or high >= len(self.categories):
                raise ValueError(
                    f"codes from {low} to {high} for {len(self.categories)} categories"
                )
        elif data.size and int(data.min()) < 0:
            raise ValueError("counts are never negative")

    @property
    def n_items(self) -> int:
        """Rows of the table, rated or not."""
        return int(self.data.shape[0])

    @property
    def data(self) -> Ints:
        """The codes or the counts, whichever there are."""
        data = self.codes if self.codes is not None else self.counts
        assert data is not None
        return data

    @cached_property
    def patterns(self) -> Patterns:
        """The distinct rows of the table and how often each occurs."""
        if self.codes is not None:
            return Patterns.of_codes(self.codes, len(self.categories))
        return Patterns.of_counts(self.data)

    @cached_property
    def contingency(self) -> tuple[list[RaterPair], Features]:
        """Contingency cells of every two raters with common items."""
        return contingency_features(self.patterns, self.declared)

    @cached_property
    def alike_pairs(self) -> list[AlikePairs]:
        """The pairs of ``contingency``, those of one shape together."""
        return alike_pairs(self.contingency[0])

    @cached_property
    def n_raters(self) -> int:
        """Raters with at least one rating; for counts, the largest number on one item."""
        patterns = self.patterns
        if self.codes is None:
            return int(patterns.totals.max(initial=0))
        assert patterns.codes is not None
        return int((patterns.codes >= 0).any(axis=0).sum())

    @cached_property
    def n_pairable(self) -> int:
        """Items with two ratings or more: only they say anything about agreement."""
        patterns = self.patterns.merged
        return int(patterns.weights[patterns.totals >= 2].sum())

    @property
    def items_rated(self) -> int:
        """Items of the table, however many of their revisions it has."""
        return self.n_items if self.revised is None else len(np.unique(self.revised))

    @cached_property
    def items_compared(self) -> int:
        """Items of which a row has two ratings or more."""
        if self.revised is None:
            return self.n_pairable
        assert self.codes is not None
        several = np.count_nonzero(self.codes >= 0, axis=1) >= 2
        return len(np.unique(self.revised[several]))

    @cached_property
    def coverage(self) -> float:
        """Share of the items × raters cells that hold a rating, 0 to 1."""
        cells = self.n_items * self.n_raters
        patterns = self.patterns.merged
        return float(patterns.weights @ patterns.totals) / cells if cells else 0.0

    @cached_property
    def category_totals(self) -> Floats:
        """How often each category was given over all items, shape (categories,)."""
        patterns = self.patterns.merged
        rows, codes, counts = patterns.cells
        return weighted_count(codes, counts * patterns.weights[rows], len(self.categories))

    @property
    def scale(self) -> Floats:
        """Numbers of the categories, or their positions where they are words."""
        return np.array(
            self.values if self.values is not None else range(len(self.categories)), float
        )

    def item_id(self, row: int) -> str:
        """Identity of the item in a row counted from 0."""
        return self.item_ids[row] if self.item_ids is not None else str(row + 1)

    def rater_index(self, rater: str) -> int:
        """Column of a rater; raises InputError for somebody who is not in the table."""
        if rater not in self.rater_ids:
            raise InputError.tr(
                "There are no ratings by “{rater}”. Raters here: {known}.",
                rater=rater,
                known=listed(self.rater_ids[:20]),
            )
        return self.rater_ids.index(rater)

    def of_raters(self, columns: Sequence[int]) -> "RatingTable":
        """The same items with only these rater columns."""
        assert self.codes is not None
        raters = tuple(self.rater_ids[c] for c in columns)
        return replace(self, codes=self.codes[:, list(columns)], rater_ids=raters)


@dataclass(frozen=True, slots=True)
class Scale:
    """Categories in order, with the numbers behind them (None: words)."""

    categories: tuple[str, ...]
    values: tuple[float, ...] | None
    ordered: bool
    declared: bool = False


def is_missing(value: Any) -> bool:
    """None, NaN, an empty cell or one of the usual words for a missing value."""
    if value is None:
        return True
    if isinstance(value, float):
        return math.isnan(value)
    return isinstance(value, str) and value.strip().lower() in MISSING_WORDS


def as_number(value: Any, decimal_comma: bool = False) -> float | None:
    """The number that a cell holds, None where it holds a word, or one no scale has."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        value = value.strip()
        if decimal_comma and value.count(",") == 1:
            value = value.replace(",", ".")
        if "_" in value:
            return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if abs(number) < _LARGEST_NUMBER else None


def label_of(number: float) -> str:
    """How a number is written as a category: 3 rather than 3.0."""
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def declared_scale(categories: Sequence[Any], ordered: bool = True) -> Scale:
    """The whole scale of a rubric, in its order (numbers are put in ascending order)."""
    numbers = [as_number(category) for category in categories]
    values = [number for number in numbers if number is not None]
    if len(values) == len(numbers) and len(set(values)) == len(values):
        values.sort()
        return Scale(tuple(label_of(v) for v in values), tuple(values), True, True)
    return Scale(tuple(str(category).strip() for category in categories), None, ordered, True)


def scale_of_values(distinct: Iterable[Any], decimal_comma: bool = False) -> Scale:
    """The scale that the ratings themselves show: numbers in ascending order, or words."""
    cells = list(distinct)
    numbers = [as_number(cell, decimal_comma) for cell in cells]
    known = [number for number in numbers if number is not None]
    if known and len(known) == len(numbers):
        values = tuple(sorted(set(known)))
        return Scale(tuple(label_of(v) for v in values), values, True)
    return Scale(tuple(sorted({str(cell).strip() for cell in cells})), None, False)


def table_of_columns(
    columns: Sequence[Sequence[Any]],
    rater_ids: Sequence[str],
    item_ids: Sequence[str] | None = None,
    scale: Scale | None = None,
    decimal_comma: bool = False,
) -> RatingTable:
    """The raters layout: one sequence of ratings per rater, all of the same length."""
    distinct = {cell for column in columns for cell in set(column) if not is_missing(cell)}
    scale = scale or scale_of_values(distinct, decimal_comma)
    code_of = _coder(distinct, scale, decimal_comma)
    n_items = len(columns[0]) if columns else 0
    codes = np.full((n_items, len(columns)), -1, dtype=code_type(len(scale.categories)))
    for index, column in enumerate(columns):
        codes[:, index] = [code_of.get(cell, -1) for cell in column]
    return RatingTable(
        categories=scale.categories,
        codes=codes,
        item_ids=None if item_ids is None else tuple(item_ids),
        rater_ids=tuple(rater_ids),
        values=scale.values,
        ordered=scale.ordered,
        declared=scale.declared,
    )


def table_of_rows(
    rows: Iterable[tuple[str, str, Any]], scale: Scale | None = None, decimal_comma: bool = False
) -> RatingTable:
    """Long form: (item, rater, value); of two ratings of one item by one rater the last counts."""
    items: dict[str, int] = {}
    raters: dict[str, int] = {}
    ratings: dict[tuple[int, int], Any] = {}
    for item, rater, value in rows:
        place = (items.setdefault(item, len(items)), raters.setdefault(rater, len(raters)))
        ratings[place] = value
    distinct = {value for value in ratings.values() if not is_missing(value)}
    scale = scale or scale_of_values(distinct, decimal_comma)
    code_of = _coder(distinct, scale, decimal_comma)
    codes = np.full((len(items), len(raters)), -1, dtype=code_type(len(scale.categories)))
    for (item_row, rater_column), value in ratings.items():
        codes[item_row, rater_column] = code_of.get(value, -1)
    return RatingTable(
        categories=scale.categories,
        codes=codes,
        item_ids=tuple(items),
        rater_ids=tuple(raters),
        values=scale.values,
        ordered=scale.ordered,
        declared=scale.declared,
    )


def table_of_counts(
    counts: npt.ArrayLike,
    categories: Sequence[str] | None = None,
    item_ids: Sequence[str] | None = None,
) -> RatingTable:
    """The counts layout: a row per item, a column per category; totals may differ."""
    matrix = np.asarray(counts)
    labels = tuple(categories or (str(i + 1) for i in range(matrix.shape[1])))
    numbers = [number for label in labels if (number := as_number(label)) is not None]
    ascending = len(numbers) == len(labels) and all(np.diff(numbers) > 0)
    return RatingTable(
        categories=labels,
        counts=matrix.astype(np.int64),
        item_ids=None if item_ids is None else tuple(item_ids),
        values=tuple(numbers) if ascending else None,
        ordered=ascending,
        declared=True,
    )


def table_of_matrix(
    matrix: Ints, categories: Sequence[Any] | None = None, raters: Sequence[str] | None = None
) -> RatingTable:
    """Codes as they are, shape (items, raters), -1 where missing; the fast way in, no copy."""
    if categories is None:
        categories = range(int(matrix.max(initial=-1)) + 1)
    scale = declared_scale(list(categories))
    names = tuple(raters) if raters else tuple(f"R{i + 1}" for i in range(matrix.shape[1]))
    return RatingTable(
        categories=scale.categories,
        codes=matrix,
        rater_ids=names,
        values=scale.values,
        ordered=scale.ordered,
        declared=True,
    )


def code_type(categories: int) -> type[np.signedinteger[Any]]:
    """The smallest integer type that holds the codes and -1."""
    return np.int8 if categories <= 127 else np.int16 if categories <= 32767 else np.int32


def _coder(distinct: Iterable[Any], scale: Scale, decimal_comma: bool) -> Mapping[Any, int]:
    places = {label: code for code, label in enumerate(scale.categories)}
    code_of: dict[Any, int] = {}
    for cell in distinct:
        number = as_number(cell, decimal_comma) if scale.values is not None else None
        label = str(cell).strip() if number is None else label_of(number)
        if label not in places:
            raise InputError.tr(
                "The rating “{value}” is not on the scale ({scale}). Correct it or the scale.",
                value=cell,
                scale=listed(scale.categories[:20]),
            )
        code_of[cell] = places[label]
    return code_of
