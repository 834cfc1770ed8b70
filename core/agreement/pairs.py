"""Who agrees with whom: raters × raters matrices and confusion matrices with their items."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from core.agreement.base import Floats, Ints
from core.agreement.compute import value_of
from core.agreement.ratings import RatingTable
from core.agreement.report_table import ReportTable
from core.errors import InputError
from core.text import tr


@dataclass(frozen=True, eq=False)
class RaterMatrix:
    """A coefficient of every two raters.

    ``values`` (R, R), symmetric, NaN where undefined and on the diagonal; ``common`` (R, R) counts
    the items both rated, on the diagonal those each rated.
    """

    coefficient: str
    raters: tuple[str, ...]
    values: Floats
    common: Ints

    def to_table(self) -> ReportTable:
        """One row per rater, for CSV and LaTeX."""
        return ReportTable(
            title=tr("Agreement of every two raters ({coefficient})", coefficient=self.coefficient),
            columns=("", *self.raters),
            rows=tuple(
                (rater, *(None if np.isnan(value) else float(value) for value in row))
                for rater, row in zip(self.raters, self.values, strict=True)
            ),
        )


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """How two raters' ratings fall together.

    ``counts`` (C, C), the first rater in rows. ``items`` names the items behind each cell that is
    not empty, by (row, column). Without two named raters, all pairs of raters are pooled and the
    matrix is symmetric; ``counts`` are then pairs of ratings, not items.
    """

    labels: tuple[str, ...]
    counts: Ints
    items: dict[tuple[int, int], tuple[str, ...]]
    first: str | None = None
    second: str | None = None

    def to_table(self) -> ReportTable:
        """One row per category of the first rater."""
        if self.first is None or self.second is None:
            title = tr("Confusion over all pairs of raters")
        else:
            title = tr(
                "{first} (rows) against {second} (columns)", first=self.first, second=self.second
            )
        return ReportTable(
            title=title,
            columns=("", *self.labels),
            rows=tuple(
                (label, *(int(count) for count in row))
                for label, row in zip(self.labels, self.counts, strict=True)
            ),
        )


def rater_matrix(table: RatingTable, coefficient: str = "cohen_kappa") -> RaterMatrix:
    """The coefficient of every two raters; needs to know who gave which rating."""
    codes = _codes(table)
    rated = (codes >= 0).astype(np.float32)
    common = np.rint(rated.T @ rated).astype(np.int64)
    size = len(table.rater_ids)
    values = np.full((size, size), np.nan)
    for a in range(size):
        for b in range(a + 1, size):
            if common[a, b]:
                values[a, b] = values[b, a] = value_of(table.of_raters([a, b]), coefficient)
    return RaterMatrix(coefficient, table.rater_ids, values, common)


def confusion_matrix(
    table: RatingTable, first: str | None = None, second: str | None = None
) -> ConfusionMatrix:
    """Confusion of two raters, or of all pairs pooled when neither is named."""
    codes = _codes(table)
    width = len(table.categories)
    if first is None or second is None:
        columns = range(codes.shape[1])
        pairs = [(a, b) for a in columns for b in columns if a != b]
    else:
        pairs = [(table.rater_index(first), table.rater_index(second))]
    counts = np.zeros((width, width), np.int64)
    rows_of: dict[tuple[int, int], set[int]] = defaultdict(set)
    for a, b in pairs:
        both = np.flatnonzero((codes[:, a] >= 0) & (codes[:, b] >= 0))
        cells = codes[both, a].astype(np.int64) * width + codes[both, b]
        counts += np.bincount(cells, minlength=width * width).reshape(width, width)
        order = np.argsort(cells, kind="stable")
        starts = np.flatnonzero(np.diff(cells[order], prepend=-1))
        for part in np.split(order, starts[1:]) if len(order) else []:
            row, column = divmod(int(cells[part[0]]), width)
            rows_of[row, column].update(both[part].tolist())
    items = {
        cell: tuple(table.item_id(row) for row in sorted(rows)) for cell, rows in rows_of.items()
    }
    return ConfusionMatrix(table.categories, counts, items, first, second)


def _codes(table: RatingTable) -> Ints:
    if table.codes is None:
        raise InputError(
            tr(
                "These ratings are counts per category and do not say who gave which. "
                "Give a row per item and a column per rater."
            )
        )
    return table.codes
