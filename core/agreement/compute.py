"""From a table of ratings to results: value, interval, or the reason why there is none."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.agreement import coefficient
from core.agreement.coefficients import COEFFICIENTS
from core.agreement.features import LARGEST_KERNEL
from core.agreement.interpretation import landis_koch_of, paradox_note
from core.agreement.intervals import (
    STUDENT,
    Bootstrap,
    Interval,
    IntervalKind,
    analytic_interval,
    bootstrap_interval,
    interval_kind,
    sources_interval,
)
from core.agreement.ratings import RatingTable
from core.agreement.shared_sources import SharedSources
from core.agreement.statistic import (
    Coefficient,
    CoefficientResult,
    PairwiseCoefficient,
    Statistic,
    few_in_common,
)
from core.errors import InputError
from core.i18n import listed, sentences, tr, trn

_MOST_PAIRS = 100_000
"""Pairs of raters with common items: beyond, each interval takes more than half a minute."""
_MOST_COMPARISONS = 20_000_000
"""Comparisons of two ratings: beyond, they take more than a gigabyte."""
FEW_ITEMS = 31
"""Items rated by two or more: below, simulated intervals cover less often than they say."""
FEW_SOURCES = 20
"""Below, simulated intervals over sources hold the value in 92 of 100 samples."""
FEW_TELLING, FEW_TELLING_AMONG = 10, 1000
"""Where fewer items than that make out a value's spread, as with squared distances, too; asked
among so many items at most."""
_NO_WIDTH = 1e-12
_WITH_KERNEL = frozenset(
    {
        "gwet_ac2",
        "krippendorff_alpha_ratio",
        "cohen_kappa",
        "cohen_kappa_linear",
        "cohen_kappa_quadratic",
        "cohen_kappa_cost",
    }
)


def coefficients_for(
    table: RatingTable,
    names: Sequence[str] | None = None,
    interval: str = "bca",
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    sources: Sequence[str] | SharedSources | None = None,
) -> list[CoefficientResult]:
    """The coefficients of these names (None: all), in the order asked for.

    ``sources`` names the source, such as the article, of each item of the table (empty: none, the
    item stands for itself; by default those that the table has), or is made of such names; where
    items share one, whole sources are resampled.

    ``interval``: bca (which covers where few or lopsided ratings make percentiles too narrow),
    bootstrap (percentile), analytic or none. The same seed gives the same bounds. Raises InputError
    for an unknown name or a senseless number.
    """
    measures = [coefficient(name) for name in names] if names else list(COEFFICIENTS)
    kind = interval_kind(interval)
    if not 0 < confidence < 1:
        raise InputError.tr("The confidence level must be between 0 and 1, such as 0.95.")
    if seed < 0:
        raise InputError.tr("A seed must be a whole number of zero or more.")
    if kind in ("bootstrap", "bca") and not 2 <= resamples <= 1_000_000:
        raise InputError.tr("The number of resamples must be between 2 and 1,000,000.")
    named = table.sources if sources is None else sources
    if named is not None and not isinstance(named, SharedSources):
        named = SharedSources.of(named)
    bootstrap = Bootstrap(resamples, seed, named)
    return [_result(measure, table, kind, bootstrap, confidence) for measure in measures]


def value_of(table: RatingTable, name: str) -> float:
    """One coefficient without interval; NaN where it is undefined."""
    measure = coefficient(name)
    if unmet_need(measure, table) is not None:
        return math.nan
    return measure.statistic(table).value


def _result(
    measure: Coefficient,
    table: RatingTable,
    kind: IntervalKind,
    bootstrap: Bootstrap,
    confidence: float,
) -> CoefficientResult:
    frame = CoefficientResult(
        name=measure.name,
        title=measure.title,
        value=None,
        confidence=confidence,
        items=table.items_rated,
        compared=table.items_compared,
        pairable=table.n_pairable,
        raters=table.n_raters,
        coverage=table.coverage,
        notes=_remarks(table),
    )
    reason = unmet_need(measure, table)
    if reason is not None:
        return replace(frame, undefined=reason)
    statistic = measure.statistic(table)
    if math.isnan(statistic.value):
        return replace(frame, undefined=_why_not_a_number(table))
    bounds = _with_width(_bounds(measure, table, statistic, kind, bootstrap, confidence))
    resampled = bounds.kind.startswith("bootstrap")
    sources = bootstrap.sources if resampled or bounds.kind == STUDENT else None
    rough = [] if bounds.low is None else list(_rough(measure, table, statistic, sources))
    if bounds.kind == "analytic" and bounds.low is not None and bootstrap.sources is not None:
        rough.append(
            tr("The interval does not allow for what the items share ({sources}), so it is rough.",
               sources=bootstrap.sources.words)
        )  # fmt: skip
    return replace(
        frame,
        value=_clean(statistic.value),
        low=None if bounds.low is None else _clean(bounds.low),
        high=None if bounds.high is None else _clean(bounds.high),
        interval=bounds.kind,
        resamples=bootstrap.resamples if resampled else 0,
        seed=bootstrap.seed if resampled else None,
        word=landis_koch_of(statistic.value, bounds) if measure.chance_corrected else None,
        notes=_notes(measure, table, statistic, bounds, rough),
        rough_because=tuple(rough),
        sources=sources.count - sources.alone if sources else 0,
        shared=sources.words if sources else "",
        details=_details(measure, table, statistic, bootstrap),
        behind=measure.behind(table, statistic),
    )


def _details(
    measure: Coefficient, table: RatingTable, statistic: Statistic, bootstrap: Bootstrap
) -> Mapping[str, float]:
    """Further numbers of a value. A ``z`` that takes items as independent becomes Student's ``t``
    over their sources where they share these."""
    details = measure.details(table, statistic)
    shared = bootstrap.sources
    if "z" not in details or shared is None:
        return details
    error = shared.error(statistic, bootstrap.seed)
    if not error or math.isnan(error):
        return {}
    return {"t": statistic.value / error, "freedom": shared.freedom, "standard_error": error}


def _bounds(
    measure: Coefficient,
    table: RatingTable,
    statistic: Statistic,
    kind: IntervalKind,
    bootstrap: Bootstrap,
    confidence: float,
) -> Interval:
    if kind == "none":
        return Interval(None, None, "none")
    if kind == "analytic":
        return analytic_interval(measure, table, statistic, confidence)
    if bootstrap.sources is not None and bootstrap.sources.count == 1:
        why = tr("All items share one source, which says nothing about how other sources vary: "
                 "there is no interval.")  # fmt: skip
        return Interval(None, None, "none", why)
    if bootstrap.sources is not None and bootstrap.sources.few:
        return sources_interval(measure, statistic, bootstrap.sources, confidence)
    return bootstrap_interval(statistic, bootstrap, confidence, accelerated=kind == "bca")


def _notes(
    measure: Coefficient,
    table: RatingTable,
    statistic: Statistic,
    bounds: Interval,
    rough: Sequence[str],
) -> tuple[str, ...]:
    notes = [*_remarks(table), *measure.notes(table, statistic)]
    if measure.sinks_with_prevalence:
        paradox = paradox_note(table, statistic.value)
        notes += [paradox] if paradox else []
    unused = [
        name
        for name, total in zip(table.words or table.categories, table.category_totals, strict=True)
        if not total
    ]
    if measure.counts_unused and unused:
        notes.append(
            tr(
                "Chance agreement also counts categories that nobody used ({unused}), which "
                "changes this value.",
                unused=listed(map(str, unused)),
            )
        )
    if _used_categories(table) == 1:
        notes.append(
            tr("Only one category was used; the value depends only on the declared scale.")
            if measure.chance_corrected
            else tr("Only one category was used.")
        )
    notes += [bounds.note] if bounds.note else []
    notes += rough
    return tuple(notes)


def _remarks(table: RatingTable) -> tuple[str, ...]:
    if table.items_compared == table.n_pairable:
        return table.remarks
    said = tr(
        "{revisions} of {items} were compared, each by itself.",
        revisions=trn("1 revision", "{n} revisions", table.n_pairable),
        items=trn("1 item", "{n} items", table.items_compared),
    )
    return (*table.remarks, said)


def _with_width(bounds: Interval) -> Interval:
    """No interval where it would be a point, as of raters who never differ."""
    if bounds.low is None or (bounds.high or 0.0) - bounds.low > _NO_WIDTH:
        return bounds
    why = tr("The ratings vary too little to give an interval; this is not evidence of precision.")
    return Interval(None, None, bounds.kind, sentences((bounds.note, why)))


def _rough(
    measure: Coefficient,
    table: RatingTable,
    statistic: Statistic,
    sources: SharedSources | None,
) -> Iterator[str]:
    """Why an interval may hold the value less often than it says."""
    if sources is not None and sources.freedom < FEW_SOURCES - 1.01:  # equal ones have one less
        yield trn(
            "The items share sources that count as 1, so the interval is rough.",
            "The items share sources that count as {n}, so the interval is rough.",
            round(sources.freedom) + 1,
        )
    if table.n_pairable < FEW_ITEMS:
        yield trn(
            "Only 1 item was rated by two or more raters, so the interval is rough.",
            "Only {n} items were rated by two or more raters, so the interval is rough.",
            table.n_pairable,
        )
    elif table.n_pairable < FEW_TELLING_AMONG and _telling(statistic) < FEW_TELLING:
        yield tr("This value depends mostly on a few items, so the interval is rough.")
    if isinstance(measure, PairwiseCoefficient) and few_in_common(table):
        yield tr("Pairs of raters share few items, so the interval is rough.")


def _telling(statistic: Statistic) -> float:
    """How many items make out the value's spread: (Σd²)² / Σd⁴ over what each adds to it."""
    values, times = statistic.left_out, statistic.patterns.weights
    defined = ~np.isnan(values)
    values, times = values[defined], times[defined]
    if not len(values):
        return 0.0
    squares = (values - float(times @ values) / float(times.sum())) ** 2
    fourth = float(times @ squares**2)
    return float(times @ squares) ** 2 / fourth if fourth > 0 else 0.0


def unmet_need(measure: Coefficient, table: RatingTable) -> str | None:
    """Why the table cannot give this coefficient, None when it can."""
    if measure.needs_raters and table.codes is None:
        return tr("Counts do not show who gave which rating, which this coefficient needs.")
    return (
        _too_few(measure, table) or _unfit_scale(measure, table) or _too_many_pairs(measure, table)
    )


def _too_many_pairs(measure: Coefficient, table: RatingTable) -> str | None:
    if not isinstance(measure, PairwiseCoefficient):
        return None
    totals = table.patterns.totals
    comparisons = int((totals * (totals - 1)).sum()) // 2
    possible = table.n_raters * (table.n_raters - 1) // 2
    if min(comparisons, possible) <= _MOST_PAIRS and comparisons <= _MOST_COMPARISONS:
        return None
    return tr(
        "With {count} raters there are too many pairs for this coefficient. Use Fleiss' "
        "kappa or Krippendorff's alpha.",
        count=table.n_raters,
    )


def _too_few(measure: Coefficient, table: RatingTable) -> str | None:
    if table.n_raters == 0:
        return tr("There are no ratings.")
    if table.n_raters == 1:
        return tr("There is only one rater, or no item with more than one rating.")
    if table.n_pairable == 0:
        return tr("No item was rated by two raters, so there is no overlap.")
    if table.n_pairable == 1:
        return tr("Only one item was rated by two or more raters.")
    if table.n_pairable < measure.least_items:
        return trn(
            "Only 1 item was rated by two or more raters; at least {least} are needed.",
            "Only {n} items were rated by two or more raters; at least {least} are needed.",
            table.n_pairable,
            least=measure.least_items,
        )
    return None


def _unfit_scale(measure: Coefficient, table: RatingTable) -> str | None:
    if _used_categories(table) == 1 and not measure.defined_on_constant_ratings:
        return _one_category()
    if measure.needs_order and not table.ordered:
        return tr("The categories are text without an order, which this coefficient needs.")
    if measure.needs_ratio_scale and (table.values is None or min(table.values) < 0):
        return tr("This coefficient needs numbers of zero or more.")
    if measure.name in _WITH_KERNEL and len(table.categories) > LARGEST_KERNEL:
        return tr(
            "There are {count} different ratings; this coefficient takes at most {most}. "
            "Round them or use Krippendorff's alpha.",
            count=len(table.categories),
            most=LARGEST_KERNEL,
        )
    return None


def _why_not_a_number(table: RatingTable) -> str:
    if _used_categories(table) == 1:
        return _one_category()
    return tr(
        "Where raters overlap, their ratings do not vary (only one category, or one rater "
        "who always gives the same rating), so agreement beyond chance is undefined."
    )


def _one_category() -> str:
    return tr("Only one category was used, so agreement beyond chance is undefined.")


def _used_categories(table: RatingTable) -> int:
    return int(np.count_nonzero(table.category_totals))


def _clean(value: float) -> float:
    """Without the noise of the last bits: 1.0 rather than 0.9999999999999998."""
    rounded = round(value, 12)
    return rounded + 0.0
