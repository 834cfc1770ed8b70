"""How large a split must be: what difference it can show between two models, before it is frozen.

Articles and items are those of a split, of what a benchmark could freeze now, or stated ones; how
alike models answer comes from finished runs, or is stated. Reads only.
"""

from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from statistics import fmean
from typing import Any

from core.errors import InputError, StateError
from core.evaluation.clusters import cluster_name, mean_spread
from core.evaluation.mean_interval import FEW_CLUSTERS, caution, few_sources, mean_interval
from core.evaluation.power import (
    ComparisonSettings,
    PairAssumptions,
    articles_needed,
    pilot_assumptions,
    pilot_correlation,
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
class Pilot:
    """What the runs of ``models`` on a split say of how alike models answer.

    ``low`` and ``high`` are the 95% interval of the share of items that exactly one of two models
    gets right; ``caution`` says in words where it rests on little. ``icc_known`` is whether the
    runs tell the correlation within a source, which is the usual one where they do not.
    """

    split: str
    models: tuple[str, ...]
    assumed: PairAssumptions
    low: float
    high: float
    caution: str = ""
    icc_known: bool = True


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
    power; ``wished_power`` the power that the split has for the ``wished`` one. ``pilot`` is what
    the assumptions are from, and ``smallest_by_pilot`` the smallest difference where two models
    differ as often as the pilot leaves open; None without it, and where the share is stated.
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
    pilot: Pilot | None = None
    smallest_by_pilot: float | None = None

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
            "pilot": self.pilot.split if self.pilot else "",
            "pilot_models": list(self.pilot.models) if self.pilot else [],
            "pilot_low": self.pilot.low if self.pilot else None,
            "pilot_high": self.pilot.high if self.pilot else None,
            "pilot_caution": self.pilot.caution if self.pilot else "",
            "pilot_icc_known": self.pilot.icc_known if self.pilot else None,
            "smallest_by_pilot": self.smallest_by_pilot,
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
        raise StateError.tr(
            "Nothing can be frozen yet; state a size with --items and --per-article."
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
        raise InputError.tr(
            "A split has no more items than {most}, and an article at least one of them.",
            most=_MOST_ITEMS
        )  # fmt: skip
    return SourceSizes(tuple(spread_sizes(items, round(items / per_article))))


def pilot_of(ws: Workspace, split: str) -> Pilot:
    """How alike the models that were evaluated on a split answered, over all pairs of them.

    Raises StateError for fewer than two models.
    """
    reports = {
        model: report
        for model, report in finished_reports(ws, split).items()
        if report.total.accuracy is not None
    }
    if len(reports) < 2:
        raise StateError.tr(
            "At least two models must be evaluated on “{split}”; currently: {models}.",
            split=split, models=listed(reports) or tr("none")
        )  # fmt: skip
    compared = [_pair(a, b) for a, b in combinations(reports.values(), 2)]
    accuracy = fmean(report.total.accuracy or 0.0 for report in reports.values())
    pairs = [(list(pair.values()), [article for _, article in pair]) for pair in compared]
    assumed = pilot_assumptions(pairs, accuracy)
    apart: dict[tuple[str, str], list[int]] = {}
    for pair in compared:
        for item, value in pair.items():
            apart.setdefault(item, []).append(abs(value))
    spread = mean_spread([fmean(values) for values in apart.values()],
                         [article for _, article in apart], binary=len(compared) == 1)  # fmt: skip
    found = mean_interval(spread)
    return Pilot(
        split, tuple(reports), assumed, found.low or 0.0, 1.0 if found.high is None else found.high,
        caution(spread), pilot_correlation(pairs) is not None,
    )  # fmt: skip


def _pair(a: Report, b: Report) -> dict[tuple[str, str], int]:
    """A right less B right by item and article, of the items that both answered."""
    other = {entry.id: entry for entry in b.scores}
    return {
        (entry.id, cluster_name(entry.cluster, entry.id)):
        int(entry.correct) - int(other[entry.id].correct)
        for entry in a.scores
        if entry.id in other and None not in (entry.score, other[entry.id].score)
    }  # fmt: skip


def plan(
    sizes: SourceSizes,
    assumed: PairAssumptions,
    settings: ComparisonSettings,
    wished: float | None = None,
    *,
    curve: bool = True,
    pilot: Pilot | None = None,
) -> SizePlan:
    """What sources of these sizes can show, with the curve over sizes or without; ``pilot`` is what
    ``assumed`` was taken from.

    Raises InputError for assumptions out of range.
    """
    assumed.check()
    settings.check()
    if wished is not None and not 0 < wished <= 1:
        raise InputError.tr("A difference must be above 0 and at most 1.")
    if wished is not None and wished > assumed.largest:
        raise InputError.tr(
            "Two models with a mean accuracy of {accuracy} differ by at most {points} points.",
            accuracy=f"{assumed.accuracy:.0%}", points=f"{100 * assumed.largest:.0f}"
        )  # fmt: skip
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
    at_most = None
    if pilot is not None and assumed.discordance == pilot.assumed.discordance:
        cautious = replace(assumed, discordance=pilot.high)
        at_most = smallest_difference(counts, cautious, settings)
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
        smallest_by_pilot=at_most,
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
    apart = found.assumed.discordance
    if apart is not None and (found.smallest or 0.0) > apart:
        said.append(
            tr("Models that far apart differ on more items than the assumed {share}: all of these "
               "are taken to favour the same model, which is the best case.",
               share=f"{apart:.1%}")
        )  # fmt: skip
    if found.pilot is not None:
        said += _of_pilot(found, found.pilot)
    return tuple(said)


def _of_pilot(found: SizePlan, pilot: Pilot) -> list[str]:
    """How far the share of items on which two models differ is known, and what that leaves open;
    that the runs do not tell the correlation within a source."""
    said = []
    if found.assumed.discordance == pilot.assumed.discordance:
        low, high = f"{pilot.low:.1%}", f"{pilot.high:.1%}"
        figures = {"share": f"{pilot.assumed.discordance or 0.0:.1%}", "low": low, "high": high}
        if pilot.caution:
            said.append(
                tr("Two models differed on {share} of the items there (95% interval {low} to "
                   "{high}, rough: {why}).", **figures, why=pilot.caution)
            )  # fmt: skip
        else:
            said.append(
                tr("Two models differed on {share} of the items there (95% interval {low} to "
                   "{high}).", **figures)
            )  # fmt: skip
        if found.smallest_by_pilot is None:
            said.append(tr("At {high} no difference is found with that power.", high=high))
        else:
            said.append(
                tr("At {high} the smallest difference is {points} points.", high=high,
                   points=_points(found.smallest_by_pilot))
            )  # fmt: skip
    if not pilot.icc_known and found.assumed.icc == pilot.assumed.icc:
        said.append(
            tr("The correlation within a source cannot be told from “{split}”; the usual {icc} is "
               "assumed.", split=pilot.split, icc=f"{pilot.assumed.icc:.2f}")
        )  # fmt: skip
    return said


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
        trn("from 1 model on “{split}”", "from {n} models on “{split}”", len(found.pilot.models),
            split=found.pilot.split)
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
