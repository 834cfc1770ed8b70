"""How far a model's score depends on the way of asking: instructions, templates, option orders."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.errors import InputError
from core.evaluation.clusters import cluster_name, mean_spread
from core.evaluation.mean_interval import CONFIDENCE, caution, mean_interval, score_intervals_note
from core.evaluation.option_orders import as_own, place_of, turn_of
from core.evaluation.scoring import ItemScore, Report
from core.i18n import listed, tr
from core.release.question_ids import uid_of
from core.report_table import JsonFields, PValue, ReportTable

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Robustness(JsonFields):
    """One run over its ways of asking, on the ``items`` that have a score in every one.

    ``mean`` of the ways' scores in 0…1 with its 95% bounds over these items' sources, and
    ``caution`` where these are few; ``spread`` the ways' sample standard deviation. ``consistency``
    is the share of items that get the same answer in all ways (options by what they say, not by
    their letter), ``always`` that of items right in all. ``places`` are the shares of the option
    places that were chosen, and ``place_p`` the two-sided p that none is preferred; both only where
    every item was asked in all orders of its options. ``varied`` says what differs among the ways:
    ``instructions``, ``templates``, ``orders``.
    """

    ways: Mapping[str, float]
    items: int
    mean: float
    low: float | None
    high: float | None
    spread: float
    consistency: float
    always: float
    places: tuple[float, ...] = ()
    place_p: float | None = None
    varied: tuple[str, ...] = ()
    caution: str = ""

    @property
    def worst(self) -> tuple[str, float]:
        """The way with the lowest score."""
        return min(self.ways.items(), key=lambda way: way[1])

    @property
    def best(self) -> tuple[str, float]:
        """The way with the highest score."""
        return max(self.ways.items(), key=lambda way: way[1])

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        document = JsonFields.as_json(self)
        return document | {
            "confidence": CONFIDENCE,
            "worst": self.worst[1],
            "worst_way": self.worst[0],
            "best": self.best[1],
            "best_way": self.best[0],
            "always_right": document.pop("always"),
        }


def robustness(report: Report) -> Robustness:
    """How a run fared over its ways of asking.

    Where its items were asked in different ways, as in a split of several tasks, those that have
    most answers in the same ways count. Raises InputError for a run that asked in one way only.
    """
    by_item: dict[str, dict[str, ItemScore]] = {}
    for entry in report.scores:
        if entry.score is not None:
            by_item.setdefault(uid_of(entry.id), {})[entry.variant] = entry
    groups: dict[tuple[str, ...], list[str]] = {}
    for uid, entries in by_item.items():
        if len(entries) > 1:
            groups.setdefault(tuple(sorted(entries)), []).append(uid)
    if not groups:
        raise InputError.tr(
            "“{model}” was asked in one way only; evaluate it with --orders, --variants or "
            "--templates.", model=report.model or report.engine
        )  # fmt: skip
    ways, common = max(groups.items(), key=lambda group: len(group[1]) * len(group[0]))
    items = [[by_item[uid][way] for way in ways] for uid in common]
    scores = np.array([[entry.score for entry in entries] for entries in items], dtype=float)
    alike = [
        len({entry.predicted and as_own(entry.predicted, entry.variant) for entry in entries}) == 1
        for entries in items
    ]
    spread = mean_spread(
        scores.mean(1).tolist(),
        [cluster_name(entries[0].cluster, uid) for uid, entries in zip(common, items, strict=True)],
    )
    interval = mean_interval(spread)
    places, p = _places(items)
    return Robustness(
        ways=dict(
            zip((way.removeprefix("@") for way in ways), scores.mean(0).tolist(), strict=True)
        ),
        items=len(common),
        mean=float(scores.mean()),
        low=interval.low,
        high=interval.high,
        spread=float(scores.mean(0).std(ddof=1)),
        consistency=float(np.mean(alike)),
        always=float((scores.min(1) >= 0.5).mean()),
        places=places,
        place_p=p,
        varied=_varied(ways),
        caution=caution(spread),
    )


def _places(items: Sequence[Sequence[ItemScore]]) -> tuple[tuple[float, ...], float | None]:
    """Shares of the chosen places and their p.

    Over all orders of its options, a model that looks at what they say chooses each place once on
    average, item by item. The test is Hotelling's of the mean counts over articles (1931, Annals of
    Mathematical Statistics 2, 360-378), with the F distribution.
    """
    rows: list[tuple[str, list[int]]] = []
    options = 0
    for ways in items:
        turns = [turn_of(entry.variant) for entry in ways]
        counts = Counter(turn[0] for turn in turns if turn is not None)
        of = {turn[1] for turn in turns if turn is not None}
        if None in turns or len(of) != 1 or len(counts) != next(iter(of)):
            return (), None
        options = max(options, next(iter(of)))
        chosen = [place_of(entry.predicted) for entry in ways if entry.predicted]
        rows.append((cluster_name(ways[0].cluster, ways[0].id), chosen))
    total: Counter[int] = Counter(place for _, chosen in rows for place in chosen)
    if not total or options < 2 or any(not 0 <= place < options for place in total):
        return (), None
    shares = tuple(total[place] / total.total() for place in range(options))
    counted = np.array(
        [np.bincount(chosen, minlength=options) - len(chosen) / options for _, chosen in rows]
    )[:, :-1]
    sums: dict[str, Floats] = {}
    for (cluster, _), row in zip(rows, counted, strict=True):
        sums[cluster] = sums.get(cluster, np.zeros(options - 1)) + row
    p = hotelling_p(np.array(list(sums.values())))
    if p is None:  # too few articles, or all alike: the items, with the articles' freedom
        p = hotelling_p(counted, len(sums))
    return shares, p


def hotelling_p(rows: Floats, units: int | None = None) -> float | None:
    """p that the mean of the rows is zero, with the freedom of so many ``units`` (the rows); None
    for too few, or where they leave a direction without spread; 1 where none differs from it."""
    from scipy.special import fdtrc

    count = len(rows)
    units = min(units or count, count)
    if not rows.any():
        return 1.0
    if units < 2:
        return None
    mean = rows.mean(0)
    covariance = np.atleast_2d(np.cov(rows, rowvar=False))
    width = int(np.linalg.matrix_rank(covariance, hermitian=True))
    inverse = np.linalg.pinv(covariance, hermitian=True)
    if not width or units <= width + 1:
        return None
    if not np.allclose(covariance @ inverse @ mean, mean):
        return None  # without spread in a direction in which it differs
    squared = float(count * mean @ inverse @ mean)
    return float(fdtrc(width, units - width, squared * (units - width) / (width * (units - 1))))


def robustness_table(found: Mapping[str, Robustness]) -> ReportTable:
    """A row for each run: mean, spread and worst case over its ways, consistency, places."""
    rows = tuple(
        (
            name,
            listed(_titles()[kind] for kind in one.varied),
            len(one.ways),
            one.items,
            100 * one.mean,
            None if one.low is None else 100 * one.low,
            None if one.high is None else 100 * one.high,
            100 * one.spread,
            100 * one.worst[1],
            one.worst[0],
            100 * one.consistency,
            100 * one.always,
            " ".join(f"{100 * share:.0f}" for share in one.places) or None,
            PValue.of(one.place_p),
        )
        for name, one in found.items()
    )
    heads = (tr("Run"), tr("Varied"), tr("Ways"), tr("Items"), tr("Mean"), tr("Low"), tr("High"),
             tr("Spread"), tr("Worst"), tr("Worst way"), tr("Same answer"), tr("Always right"),
             tr("Places"), tr("p (no preferred place)"))  # fmt: skip
    notes = (
        score_intervals_note(),
        tr(
            "Spread is the standard deviation over the ways of asking. Places are the shares of "
            "the option places that were chosen; a preferred place shows only in a run that asked "
            "every item in all orders of its options."
        ),
        *(
            tr("{run}: the interval is rough ({why}).", run=name, why=one.caution)
            for name, one in found.items()
            if one.caution
        ),
    )
    return ReportTable(tr("Robustness (%)"), heads, rows, notes, 1)


def _varied(ways: Sequence[str]) -> tuple[str, ...]:
    parts = [way.partition("@") for way in ways]
    turned = any(turn_of(way) for way in ways)
    named = (
        ("instructions", len({name for name, _, _ in parts}) > 1),
        ("templates", not turned and len({form for _, _, form in parts}) > 1),
        ("orders", turned),
    )
    return tuple(name for name, differs in named if differs)


def _titles() -> Mapping[str, str]:
    return {
        "instructions": tr("instructions"),
        "templates": tr("templates"),
        "orders": tr("orders of options"),
    }
