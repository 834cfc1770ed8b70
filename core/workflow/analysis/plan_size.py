"""How large a split must be: what difference it can show between two models, before it is frozen.

Articles and items are those of a split, of what a benchmark could freeze now, or stated ones; how
alike models answer comes from finished runs, or is stated. Reads only.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from statistics import fmean
from typing import Any

from core.errors import InputError, StateError
from core.evaluation.clusters import cluster_name
from core.evaluation.mean_interval import FEW_CLUSTERS, few_sources
from core.evaluation.power import (
    ComparisonSettings,
    PairAssumptions,
    articles_needed,
    pilot_assumptions,
    power_of,
    smallest_difference,
    spread_sizes,
)
from core.evaluation.scoring import Report, key_of
from core.families.shared_source import ALONE, recognised, shared_words
from core.i18n import listed, tr, trn
from core.release.frozen_items import askable
from core.report_table import ReportTable
from core.workflow.evaluation.finished_runs import finished_reports
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace

_MOST_ITEMS = 1_000_000
_STEPS = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the curve, in sizes of the split


@dataclass(frozen=True, slots=True)
class Stated:
    """Assumptions that were stated; None leaves one to the pilot runs, else to its default."""

    accuracy: float | None = None
    correlation: float | None = None
    discordance: float | None = None
    icc: float | None = None

    def over(self, assumed: PairAssumptions) -> PairAssumptions:
        """The assumptions with what was stated instead. A stated accuracy or correlation takes the
        place of an observed discordance."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        if self.discordance is None and {"accuracy", "correlation"} & set(given):
            given["discordance"] = None
        return replace(assumed, **given)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """So many items, of so many sources, show this smallest difference (None: none)."""

    items: int
    articles: int
    smallest: float | None


@dataclass(frozen=True)
class SizePlan:
    """What a split of these sources can show, and what a wished difference needs.

    ``shared`` says in words which sources they are, empty where they are stated.
    ``smallest`` is the smallest difference in accuracy, in 0…1, that is found with the wished
    power; ``wished_power`` the power that the split has for the ``wished`` one. ``pilot_models``
    are those whose runs the assumptions are from.
    """

    sizes: tuple[int, ...] = field(repr=False)
    shared: str
    assumed: PairAssumptions
    settings: ComparisonSettings
    smallest: float | None
    wished: float | None
    wished_power: float | None
    needed_articles: int | None
    curve: tuple[CurvePoint, ...]
    pilot: str = ""
    pilot_models: tuple[str, ...] = ()

    @property
    def items(self) -> int:
        """How many items the split has."""
        return sum(self.sizes)

    @property
    def caution(self) -> str:
        """In words that few sources share the items, so that the power is rough; else empty."""
        shared = len(self.sizes) < self.items
        return few_sources(len(self.sizes)) if shared and len(self.sizes) <= FEW_CLUSTERS else ""

    @property
    def needed_items(self) -> int | None:
        """How many items the wished difference needs, at as many of each source."""
        if self.needed_articles is None:
            return None
        return round(self.needed_articles * self.items / len(self.sizes))

    def as_json(self) -> dict[str, Any]:
        """One object."""
        return {
            "items": self.items,
            "articles": len(self.sizes),
            "shared": self.shared,
            "assumed": asdict(self.assumed),
            "alpha": self.settings.alpha,
            "power": self.settings.power,
            "models": self.settings.models,
            "level": self.settings.level,
            "smallest_difference": self.smallest,
            "wished_difference": self.wished,
            "wished_power": self.wished_power,
            "needed_articles": self.needed_articles,
            "needed_items": self.needed_items,
            "caution": self.caution,
            "curve": [asdict(point) for point in self.curve],
            "pilot": self.pilot,
            "pilot_models": list(self.pilot_models),
        }


@dataclass(frozen=True, slots=True)
class SourceSizes:
    """How many questions each source has, and in words what they share and how that is known."""

    counts: tuple[int, ...]
    shared: str = ""


def sizes_of(ws: Workspace, *, benchmark: str = "", split: str = "") -> SourceSizes:
    """How many questions each source of a split has, or of what a benchmark could freeze now.

    An item without a source stands for itself. Raises StateError where there is none.
    """
    members = freeze.members_of(ws, split) if split else freeze.freezable_items(ws, benchmark)
    if not members:
        raise StateError(
            tr("Nothing can be frozen yet; state a size with --items and --per-article.")
        )
    named = [
        cluster_name(key_of(item.uid, item.content).cluster, item.uid) for item in askable(members)
    ]
    counts = Counter(named)
    alone = sum(name.startswith(ALONE) for name in counts)
    shared = shared_words(len(counts), alone, recognised(counts)) if alone < len(counts) else ""
    return SourceSizes(tuple(counts.values()), shared)


def stated_sizes(items: int, per_article: float) -> SourceSizes:
    """A split of so many items, with so many of each source on average."""
    if not 1 <= items <= _MOST_ITEMS or not 1 <= per_article <= items:
        raise InputError(
            tr("A split has no more items than {most}, and an article at least one of them.",
               most=_MOST_ITEMS)
        )  # fmt: skip
    return SourceSizes(tuple(spread_sizes(items, round(items / per_article))))


def pilot_of(ws: Workspace, split: str) -> tuple[PairAssumptions, tuple[str, ...]]:
    """How alike the models that were evaluated on a split answered, over all pairs of them.

    Raises StateError for fewer than two models.
    """
    reports = {
        model: report
        for model, report in finished_reports(ws, split).items()
        if report.total.accuracy is not None
    }
    if len(reports) < 2:
        raise StateError(
            tr("At least two models must be evaluated on “{split}”; currently: {models}.",
               split=split, models=listed(reports) or tr("none"))
        )  # fmt: skip
    pairs = [_pair(a, b) for a, b in combinations(reports.values(), 2)]
    accuracy = fmean(report.total.accuracy or 0.0 for report in reports.values())
    return pilot_assumptions(pairs, accuracy), tuple(reports)


def _pair(a: Report, b: Report) -> tuple[list[int], list[str]]:
    """A right less B right on the items that both answered, and the items' articles."""
    other = {entry.id: entry for entry in b.scores}
    both = [
        (entry, other[entry.id])
        for entry in a.scores
        if entry.id in other and None not in (entry.score, other[entry.id].score)
    ]
    values = [int(first.correct) - int(second.correct) for first, second in both]
    return values, [cluster_name(first.cluster, first.id) for first, _ in both]


def plan(
    sizes: SourceSizes,
    assumed: PairAssumptions,
    settings: ComparisonSettings,
    wished: float | None = None,
    *,
    curve: bool = True,
    pilot: str = "",
    pilot_models: Sequence[str] = (),
) -> SizePlan:
    """What sources of these sizes can show, with the curve over sizes or without.

    Raises InputError for assumptions out of range.
    """
    assumed.check()
    settings.check()
    if wished is not None and not 0 < wished <= 1:
        raise InputError(tr("A difference must be above 0 and at most 1."))
    counts = sizes.counts
    items, articles = sum(counts), len(counts)
    smallest = smallest_difference(counts, assumed, settings)
    here = CurvePoint(items, articles, smallest)
    steps = [step for step in _STEPS if curve and articles * step >= 2] or [1.0]
    points = [
        here if step == 1
        else _point(round(items * step), round(articles * step), assumed, settings)
        for step in steps
    ]  # fmt: skip
    return SizePlan(
        sizes=counts,
        shared=sizes.shared,
        assumed=assumed,
        settings=settings,
        smallest=smallest,
        wished=wished,
        wished_power=power_of(counts, wished, assumed, settings.level) if wished else None,
        needed_articles=articles_needed(wished, items / articles, assumed, settings)
        if wished
        else None,
        curve=tuple(points),
        pilot=pilot,
        pilot_models=tuple(pilot_models),
    )


def _point(
    items: int, articles: int, assumed: PairAssumptions, settings: ComparisonSettings
) -> CurvePoint:
    sizes = spread_sizes(items, articles)
    return CurvePoint(items, len(sizes), smallest_difference(sizes, assumed, settings))


def sentences(found: SizePlan) -> tuple[str, ...]:
    """The plan in sentences for people: what it shows, what a wish needs, what was assumed."""
    size = _size(found.items, len(found.sizes))
    power = f"{found.settings.power:.0%}"
    if found.smallest is None and found.items == len(found.sizes):
        said = [tr("{size} can show no difference with a power of {power}.", size=size,
                   power=power)]  # fmt: skip
    elif found.smallest is None:
        said = [
            tr("{size} can show no difference with a power of {power}. The test counts sources: "
               "more items from the same sources help little.", size=size, power=power)
        ]  # fmt: skip
    else:
        said = [
            tr("{size} can show a difference of {points} points between two models with a power of "
               "{power}.", size=size, points=_points(found.smallest), power=power)
        ]  # fmt: skip
    if found.wished is not None:
        said.append(_wish(found, found.wished, power))
    if found.caution:
        said.append(
            tr("The power is rough ({why}): with so few, it depends on how much they "
               "differ, and may be five points lower.", why=found.caution)
        )  # fmt: skip
    if found.shared:
        said.append(tr("The items are from {sources}.", sources=found.shared))
    said.append(_assumed(found))
    return tuple(said)


def _wish(found: SizePlan, wished: float, power: str) -> str:
    reached = f"{found.wished_power or 0.0:.0%}"
    if found.needed_articles is None and found.items == len(found.sizes):
        return tr(
            "For {points} points the power here is {reached}; no number of items reaches {power}.",
            points=_points(wished), reached=reached, power=power,
        )  # fmt: skip
    if found.needed_articles is None:
        return tr(
            "For {points} points the power here is {reached}; no number of sources reaches "
            "{power}.", points=_points(wished), reached=reached, power=power,
        )  # fmt: skip
    return tr(
        "For {points} points the power here is {reached}; {power} needs {size}.",
        points=_points(wished),
        reached=reached,
        power=power,
        size=_size(found.needed_items or 0, found.needed_articles),
    )


def _size(items: int, articles: int) -> str:
    """How many items, and from how many sources where some share one."""
    counted = trn("1 item", "{n} items", items)
    if items == articles:
        return counted
    return tr("{items} from {sources}", items=counted,
              sources=trn("1 source", "{n} sources", articles))  # fmt: skip


def _assumed(found: SizePlan) -> str:
    assumed = found.assumed
    if assumed.discordance is not None:
        answers = tr("two models differ on {share} of the items",
                     share=f"{assumed.discordance:.1%}")  # fmt: skip
    else:
        answers = tr("accuracy {accuracy}, correlation between models {correlation}",
                     accuracy=f"{assumed.accuracy:.0%}",
                     correlation=f"{assumed.correlation:.2f}")  # fmt: skip
    origin = (
        trn("from 1 model on “{split}”", "from {n} models on “{split}”", len(found.pilot_models),
            split=found.pilot)
        if found.pilot
        else tr("stated, not measured")
    )  # fmt: skip
    return tr(
        "Assumed ({origin}): {answers}; correlation within a source {icc}; two-sided alpha "
        "{alpha}, Holm over {pairs}.",
        origin=origin,
        answers=answers,
        icc=f"{assumed.icc:.2f}",
        alpha=f"{found.settings.alpha:g}",
        pairs=trn("1 pair", "{n} pairs", found.settings.models * (found.settings.models - 1) // 2),
    )


def _points(difference: float) -> str:
    return f"{100 * difference:.1f}"


def curve_table(found: SizePlan) -> ReportTable:
    """The curve: items, sources, and the smallest difference in points."""
    rows = tuple(
        (point.items, point.articles, None if point.smallest is None else 100 * point.smallest)
        for point in found.curve
    )
    heads = (tr("items"), tr("sources"), tr("smallest difference (points)"))
    return ReportTable(tr("What a split can show"), heads, rows, sentences(found), digits=1)
