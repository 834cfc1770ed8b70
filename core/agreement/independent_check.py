"""The independent check of written reports: statsmodels and krippendorff compute a value again.

Both read one pandas table of the ratings, and what they return must equal our own value, or the
report fails. pandas, statsmodels and krippendorff are imported only here, once a report is
written; dashboards and resampling keep to our own computation.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from importlib.metadata import version
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from core.agreement.rater_pairs import RaterMatrix
from core.agreement.ratings import RatingTable
from core.agreement.statistic import CheckedWith, CoefficientResult
from core.errors import CheckError
from core.i18n import tr, trn

if TYPE_CHECKING:
    import pandas as pd

TOLERANCE = 1e-9
"""A larger difference between two computations of one value is an error."""
_MOST_CELLS = 20_000_000
"""Numbers that a package may hold at once, about a gigabyte with its copies."""


class NotComparable(Exception):
    """The package defines the coefficient on other tables than this one; says on which."""


class RatingFrame:
    """One table of ratings as pandas has it, and what the packages compute on it.

    Categories stand as their codes 0 … C − 1, as in the table.
    """

    def __init__(self, table: RatingTable) -> None:
        self._table = table

    @cached_property
    def ratings(self) -> "pd.DataFrame":
        """Items × raters, NaN where missing."""
        import pandas as pd

        codes = pd.DataFrame(self._table.data)
        return codes.where(codes >= 0)

    @cached_property
    def counts(self) -> "pd.DataFrame":
        """Items with a rating × categories that were used: how often each was given."""
        import pandas as pd

        if self._table.counts is not None:
            counts = pd.DataFrame(self._table.counts)
            return counts.loc[counts.sum(axis=1) > 0, counts.sum(axis=0) > 0]
        long = self.ratings.melt(ignore_index=False, value_name="code").dropna(subset="code")
        return pd.crosstab(long.index, long["code"].astype("int64"))

    def fleiss(self, method: Literal["fleiss", "randolph"]) -> float:
        """statsmodels' ``fleiss_kappa``: every item with as many ratings as the others."""
        from statsmodels.stats.inter_rater import fleiss_kappa

        if self.counts.sum(axis=1).nunique() != 1:
            raise NotComparable(
                tr("statsmodels needs the same number of ratings for each item; here it varies.")
            )
        counts = self.counts.reindex(columns=range(len(self._table.categories)), fill_value=0)
        return float(fleiss_kappa(counts, method=method))

    def krippendorff(self, level: Literal["nominal", "ordinal", "interval", "ratio"]) -> float:
        """krippendorff's ``alpha``, with missing ratings as they are."""
        from krippendorff import alpha

        items, used = self.counts.shape
        if items * used * used > _MOST_CELLS:
            raise NotComparable(
                trn("{items} with 1 category are too many for krippendorff.",
                    "{items} with {n} categories are too many for krippendorff.",
                    used, items=trn("1 item", "{n} items", items))
            )  # fmt: skip
        domain = self._table.scale[self.counts.columns.to_numpy()]
        return float(alpha(value_counts=self.counts, value_domain=domain,
                           level_of_measurement=level))  # fmt: skip

    def cohen(self, weights: Literal["linear", "quadratic", "cost"] | None = None) -> float:
        """statsmodels' ``cohens_kappa``, the mean over the pairs of raters where it is defined."""
        from statsmodels.stats.inter_rater import cohens_kappa

        ratings, width = self.ratings, len(self._table.categories)
        pairs = ratings.shape[1] * (ratings.shape[1] - 1) // 2
        if pairs * width * width > _MOST_CELLS:
            raise NotComparable(
                trn(
                    "1 pair of raters with so many categories is too much for statsmodels.",
                    "{n} pairs of raters are too many for statsmodels.",
                    pairs,
                )
            )
        values = []
        for first, second in combinations(ratings.columns, 2):
            common = ratings[[first, second]].dropna().to_numpy(np.int64)
            if not len(common) or (common == common[0, 0]).all():  # nothing, or one category only
                continue
            used = np.arange(width) if self._table.declared else np.unique(common)
            cells = np.zeros((len(used), len(used)))
            np.add.at(cells, tuple(np.searchsorted(used, common).T), 1.0)
            numbers = self._table.scale[used]
            costs = np.abs(numbers[:, None] - numbers) if weights == "cost" else None
            step = None if weights == "cost" else weights
            values.append(cohens_kappa(cells, weights=costs, wt=step, return_results=False))
        return float(np.mean(values)) if values else float("nan")


Computation = Callable[[RatingFrame], float]

REFERENCES: Mapping[str, tuple[str, Computation]] = {
    "cohen_kappa": ("statsmodels", RatingFrame.cohen),
    "cohen_kappa_linear": ("statsmodels", partial(RatingFrame.cohen, weights="linear")),
    "cohen_kappa_quadratic": ("statsmodels", partial(RatingFrame.cohen, weights="quadratic")),
    "cohen_kappa_cost": ("statsmodels", partial(RatingFrame.cohen, weights="cost")),
    "fleiss_kappa": ("statsmodels", partial(RatingFrame.fleiss, method="fleiss")),
    "randolph_kappa": ("statsmodels", partial(RatingFrame.fleiss, method="randolph")),
    **{
        f"krippendorff_alpha_{level}": (
            "krippendorff", partial(RatingFrame.krippendorff, level=level),
        )
        for level in ("nominal", "ordinal", "interval", "ratio")
    },
}  # fmt: skip
"""For each coefficient that a package offers: the package, and how to call it."""


def checked_results(
    table: RatingTable, results: Iterable[CoefficientResult]
) -> list[CoefficientResult]:
    """The results with ``checked_with``, or with the reason in ``not_checked``.

    Raises CheckError where a package computes another value.
    """
    frame = RatingFrame(table)
    return [_checked(frame, result) for result in results]


def checked_pairs(table: RatingTable, matrix: RaterMatrix) -> list[CoefficientResult]:
    """Every defined value of a matrix of raters, checked as a result of its own."""
    results = []
    for a, b in zip(*np.nonzero(np.triu(~np.isnan(matrix.values), 1)), strict=True):
        pair = table.of_raters([table.rater_index(matrix.raters[place]) for place in (a, b)])
        title = f"{matrix.raters[a]} · {matrix.raters[b]}"
        result = CoefficientResult(matrix.coefficient, title, float(matrix.values[a, b]))
        results += checked_results(pair, [result])
    return results


def _checked(frame: RatingFrame, result: CoefficientResult) -> CoefficientResult:
    if result.value is None:
        return result
    if result.name not in REFERENCES:
        return replace(result, not_checked=tr("no independent implementation here."))
    package, compute = REFERENCES[result.name]
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            value = compute(frame)
    except NotComparable as reason:
        return replace(result, not_checked=tr("not comparable: {reason}", reason=reason))
    difference = abs(result.value - value)
    if not difference <= TOLERANCE:  # NaN as well
        raise CheckError.tr(
            "{title} ({name}) is {value} here and {other} by {package} {version}. They differ "
            "by more than {tolerance:g}, so nothing was written. Please report this.",
            title=result.title, name=result.name, value=result.value, other=round(value, 12),
            package=package, version=version(package), tolerance=TOLERANCE
        )  # fmt: skip
    return replace(result, checked_with=CheckedWith(package, version(package), difference))


def summary_of(results: Iterable[CoefficientResult]) -> dict[str, dict[str, Any]]:
    """By name of the coefficient: package, version, largest difference, and number of tables."""
    summary: dict[str, dict[str, Any]] = {}
    for result in results:
        if result.checked_with is not None:
            entry = summary.setdefault(result.name, result.checked_with.as_json() | {"tables": 0})
            entry["difference"] = max(entry["difference"], result.checked_with.difference)
            entry["tables"] += 1
    return summary
