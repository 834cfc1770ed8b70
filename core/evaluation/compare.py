"""Two or more runs on the same items: is the difference more than luck?

Everything is paired: only items that both runs answered count, and how many those are is said.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.errors import InputError
from core.evaluation.clusters import cluster_name
from core.evaluation.mean_interval import FEW_CLUSTERS, MeanSpread, ScoreInterval, few_sources
from core.evaluation.mean_interval import mean_interval as share_interval
from core.evaluation.score_intervals import (
    bootstrap_means,
    bootstrap_p,
    clustered_error,
    degrees_of_freedom,
    least_bootstrap_p,
    percentile_interval,
    standard_error,
    student_interval,
)
from core.evaluation.scoring import ItemScore, Report
from core.families.shared_source import recognised, shared_words
from core.i18n import tr, trn
from core.proportion import FEW_ITEMS, above_zero
from core.release.question_ids import uid_of
from core.report_table import JsonFields

PEOPLE = "people"
"""The engine whose answers have a person in the place of a way of asking."""
_EXACT_UP_TO = 25  # discordant items; beyond, the chi-squared approximation is as good
_FEW_DISCORDANT = 10  # about so many: the mid-p is below 0.05 in 4.1 of 100 cases of no difference


@dataclass(frozen=True)
class Comparison(JsonFields):
    """Run A against run B. ``difference`` is accuracy A − accuracy B, in −1…1.

    ``a_only`` and ``b_only`` are the items that only one of them got right; ``p_mcnemar`` is
    two-sided (``mcnemar``).
    Where answers share a source or an item it is ``clustered_mcnemar`` over those; ``clusters`` is
    their number, else 0, and ``identified`` says by what sources were recognised. Scores between 0
    and 1, of which there are some where ``graded``, count there as right from one half on.
    ``p_bootstrap`` is that of resampled sources and of the scores. ``p_mcnemar_least`` and
    ``p_bootstrap_least`` are the smallest that so many sources (or items) that differ, up to 25,
    and so many draws can show. ``interval`` is Student's with clustered errors, and ``bootstrap``
    by expanded percentiles, undefined of two to four sources; ``caution`` says in words where they
    rest on little.
    """

    _not_in_json = ("interval", "bootstrap", "identified")

    a: str
    b: str
    n: int
    left_out: int
    accuracy_a: float | None
    accuracy_b: float | None
    difference: float | None
    stderr: float | None
    interval: ScoreInterval
    bootstrap: ScoreInterval
    both_right: int
    both_wrong: int
    a_only: tuple[str, ...]
    b_only: tuple[str, ...]
    p_mcnemar: float | None
    p_bootstrap: float | None
    p_holm: float | None = None
    undefined: str | None = None
    clusters: int = 0
    caution: str = ""
    graded: bool = False
    p_bootstrap_least: float | None = None
    sources: int = 0
    p_mcnemar_least: float | None = None
    identified: str = ""

    @property
    def p_notes(self) -> list[str]:
        """In words what the p-values are of, and which can be no smaller."""
        return [note for note in (self.graded_note, self.mcnemar_note, self.bootstrap_note) if note]

    @property
    def mcnemar_note(self) -> str:
        """In words that McNemar's p is the smallest that few differences can show, else empty."""
        least = self.p_mcnemar_least
        if least is None or self.p_mcnemar != least or least < 2.0**-_FEW_DISCORDANT:
            return ""
        figures = {"p": f"{least:.3f}", "exact": f"{2 * least:.3f}"}
        if self.sources:
            return tr("all sources that differ prefer the same run: McNemar's p can be no smaller "
                      "than {p} (mid-p; the exact p is {exact})", **figures)  # fmt: skip
        return tr("all items that differ prefer the same run: McNemar's p can be no smaller "
                  "than {p} (mid-p; the exact p is {exact})", **figures)  # fmt: skip

    @property
    def bootstrap_note(self) -> str:
        """In words that the bootstrap's p may be smaller than it can show, else empty."""
        if self.p_bootstrap is None or self.p_bootstrap != self.p_bootstrap_least:
            return ""
        return tr(
            "no draw of the bootstrap is beyond zero: its p is at most {p}, the smallest that so "
            "many draws of {shared} can show",
            shared=self.shared,
            p=f"{self.p_bootstrap:.3f}",
        )

    @property
    def shared(self) -> str:
        """In words what the answers share, such as “6 sources”; the items where they share none."""
        if not self.clusters:
            return shared_words(self.n, self.n)
        return shared_words(self.clusters, self.clusters - self.sources, self.identified)

    @property
    def graded_note(self) -> str:
        """In words what McNemar's and Holm's p are of where scores were graded, else empty."""
        if not self.graded:
            return ""
        return tr(
            "McNemar's and Holm's p count scores of one half or more as right; the interval and "
            "the bootstrap's p are of the scores themselves"
        )

    def as_json(self) -> dict[str, Any]:
        """One flat JSON object."""
        document = super().as_json()
        return document | {
            "items": document.pop("n"),
            **asdict(self.interval),
            "bootstrap_low": self.bootstrap.low,
            "bootstrap_high": self.bootstrap.high,
        }


def compare(
    a: Report,
    b: Report,
    *,
    names: tuple[str, str] | None = None,
    seed: int = 0,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> Comparison:
    """Compare two reports on the same split; items that one of them did not answer are left out.

    Raises InputError where the two are on different items altogether.
    """
    title_a, title_b = names or (a.model or a.engine, b.model or b.engine)
    pairs = _pairs(a, b)
    if not pairs and a.scores and b.scores:
        raise InputError.tr(
            "“{a}” and “{b}” answered different items, so there is nothing to compare.",
            a=title_a, b=title_b
        )  # fmt: skip
    both = [
        (first, second)
        for first, second in pairs
        if first.score is not None and second.score is not None
    ]
    left_out = _named(a.scores, b.scores, pairs) - len(both)
    if not both:
        nothing = ScoreInterval(None, None, confidence)
        return Comparison(
            title_a, title_b, 0, left_out, None, None, None, None, nothing, nothing, 0, 0, (), (),
            None, None, undefined=tr("No item was answered by both runs."),
        )  # fmt: skip
    return _compared(both, (title_a, title_b), left_out, seed, resamples, confidence)


def _pairs(a: Report, b: Report) -> list[tuple[ItemScore, ItemScore]]:
    """The answers of both runs to the same question; where people answered on one side, each of
    theirs with the other run's answer to the item in its own words."""
    if (a.engine == PEOPLE) == (b.engine == PEOPLE):
        other = {entry.id: entry for entry in b.scores}
        return [(entry, other[entry.id]) for entry in a.scores if entry.id in other]
    if a.engine == PEOPLE:
        other = {entry.id: entry for entry in b.scores}
        return [(e, other[uid_of(e.id)]) for e in a.scores if uid_of(e.id) in other]
    return [(first, second) for second, first in _pairs(b, a)]


def _named(
    a: Sequence[ItemScore], b: Sequence[ItemScore], pairs: Sequence[tuple[ItemScore, ItemScore]]
) -> int:
    """How many questions there are in both runs, those that go together counted once."""
    paired = {entry.id for pair in pairs for entry in pair}
    return len(pairs) + len({entry.id for entry in (*a, *b)} - paired)


def compare_many(reports: Mapping[str, Report]) -> list[Comparison]:
    """Every pair of runs, with Holm's correction of McNemar's p over all of them."""
    titles = list(reports)
    comparisons = [
        compare(reports[first], reports[second], names=(first, second))
        for place, first in enumerate(titles)
        for second in titles[place + 1 :]
    ]
    corrected = holm([comparison.p_mcnemar for comparison in comparisons])
    return [
        replace(comparison, p_holm=p) for comparison, p in zip(comparisons, corrected, strict=True)
    ]


def mcnemar(a_only: int, b_only: int) -> float:
    """Two-sided p that the two kinds of discordant items are equally likely; 1 where they are
    equally many.

    The mid-p up to 25 of them: what was seen counts by half. The exact p counts it whole, and is
    below 0.05 in only 2 to 3 of 100 cases without a difference; so is chi-squared with a correction
    for continuity, which is left out beyond (Fagerland, Lydersen and Laake, BMC Medical Research
    Methodology 13:91, 2013).
    """
    discordant = a_only + b_only
    if a_only == b_only:
        return 1.0
    if discordant <= _EXACT_UP_TO:
        masses = [math.comb(discordant, k) for k in range(min(a_only, b_only) + 1)]
        return (2 * sum(masses) - masses[-1]) / 2.0**discordant
    return above_zero(math.erfc(abs(a_only - b_only) / math.sqrt(2 * discordant)))


def clustered_mcnemar(differences: Sequence[int]) -> float:
    """Two-sided p that neither run is right more often, of pairs that come in clusters.

    ``differences`` has for each cluster the number of pairs that only A got right less that of
    those that only B did. Under the null the sign of each is as likely as the other. Up to 25
    clusters that differ, p is the share of all signs with a larger sum and half of those with an
    equal one. Beyond, it is the modified Obuchowski statistic (Yang, Sun and Hardin, Biometrical
    Journal 52, 2010, 638-652), (Σd)² / Σd². Of clusters of one pair it is ``mcnemar``.
    """
    sizes = [abs(difference) for difference in differences if difference]
    total = abs(sum(differences))
    if not total:
        return 1.0
    if len(sizes) <= _EXACT_UP_TO:
        counts = {0: 1}
        for size in sizes:
            grown: dict[int, int] = {}
            for reached, count in counts.items():
                for place in (reached - size, reached + size):
                    grown[place] = grown.get(place, 0) + count
            counts = grown
        beyond = sum(count for reached, count in counts.items() if abs(reached) > total)
        return (beyond + counts[total]) / 2.0 ** len(sizes)  # both signs of the total, by half
    return above_zero(math.erfc(total / math.sqrt(2 * sum(size**2 for size in sizes))))


def least_mcnemar(differing: int) -> float | None:
    """The smallest p of so many items or clusters that differ: that of all the same way. None of
    none, and beyond 25, where it depends on how much they differ."""
    return 2.0**-differing if 0 < differing <= _EXACT_UP_TO else None


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction; what is undefined stays so and does not count."""
    order = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - rank) * p))
        corrected[place] = highest
    return corrected


def missed_alike(reports: Sequence[Report]) -> list[tuple[str, str]]:
    """(item id, shared wrong answer) where all runs miss in the same way.

    Strong models which agree against the key make the key worth another look.
    """
    votes: dict[str, dict[str, int]] = {}
    for report in reports:
        for entry in report.scores:
            if entry.answered and not entry.correct and entry.predicted is not None:
                predictions = votes.setdefault(entry.id, {})
                predictions[entry.predicted] = predictions.get(entry.predicted, 0) + 1
    return [
        (item, answer)
        for item, predictions in votes.items()
        for answer, count in predictions.items()
        if count == len(reports)
    ]


def _compared(
    both: Sequence[tuple[ItemScore, ItemScore]],
    titles: tuple[str, str],
    left_out: int,
    seed: int,
    resamples: int,
    confidence: float,
) -> Comparison:
    scored = [(score_a.score or 0.0, score_b.score or 0.0) for score_a, score_b in both]
    differences = [first - second for first, second in scored]
    clusters = _clusters([score_a for score_a, _ in both])
    mean = sum(differences) / len(both)
    error = standard_error(differences)
    if clusters:
        # of few sources that happen to agree the clustered error is too small, down to zero
        error = max(error or 0.0, clustered_error(differences, clusters) or 0.0)
    freedom = degrees_of_freedom(len(both), clusters)
    a_only = tuple(
        score_a.id for score_a, score_b in both if score_a.correct and not score_b.correct
    )
    b_only = tuple(
        score_a.id for score_a, score_b in both if score_b.correct and not score_a.correct
    )
    by_cluster = _by_cluster(both, clusters) if clusters else []
    right = sum(score_a.correct and score_b.correct for score_a, score_b in both)
    bootstrap, p_bootstrap = _bootstrapped(
        differences, clusters, freedom, seed, resamples, confidence
    )
    interval = student_interval(mean, error, freedom, confidence)
    if error == 0:
        interval = _never_apart(mean, len(both), len(by_cluster), freedom, confidence)
    return Comparison(
        a=titles[0],
        b=titles[1],
        n=len(both),
        left_out=left_out,
        accuracy_a=sum(first for first, _ in scored) / len(both),
        accuracy_b=sum(second for _, second in scored) / len(both),
        difference=mean,
        stderr=error or None,
        interval=interval,
        bootstrap=bootstrap,
        both_right=right,
        both_wrong=len(both) - right - len(a_only) - len(b_only),
        a_only=a_only,
        b_only=b_only,
        p_mcnemar=clustered_mcnemar(by_cluster) if clusters else mcnemar(len(a_only), len(b_only)),
        p_mcnemar_least=least_mcnemar(
            sum(map(bool, by_cluster)) if clusters else len(a_only) + len(b_only)
        ),
        p_bootstrap=p_bootstrap,
        clusters=len(by_cluster),
        sources=len({e.cluster for e, _ in both if e.cluster}) if clusters else 0,
        identified=recognised(e.cluster for e, _ in both) if clusters else "",
        caution=_caution(
            [score_a for score_a, _ in both], clusters, freedom, len(a_only) + len(b_only)
        ),
        graded=any(score not in (0.0, 1.0) for pair in scored for score in pair),
        p_bootstrap_least=None if p_bootstrap is None else least_bootstrap_p(resamples, freedom),
    )


def _caution(
    scores: Sequence[ItemScore],
    clusters: Sequence[Hashable] | None,
    freedom: float,
    discordant: int,
) -> str:
    """In words where intervals and p-values rest on little."""
    count = len(scores)
    shared = {cluster_name(entry.cluster, entry.id) for entry in scores}
    if count > 1 and clusters is None and len(shared) == 1:
        return tr("all items share 1 source")
    if clusters:
        alone = len({uid_of(entry.id) for entry in scores if not entry.cluster})
        if few := sources_caution(len(set(clusters)), freedom, alone):
            return few
    return few_pairs(count, discordant)


def few_pairs(count: int, discordant: int) -> str:
    """In words that a comparison rests on few items, or few that only one of the two got right."""
    if count < FEW_ITEMS:
        return trn("few items: 1", "few items: {n}", count)
    if discordant <= _FEW_DISCORDANT:
        return trn(
            "few items that only one got right: 1",
            "few items that only one got right: {n}",
            discordant,
        )
    return ""


def sources_caution(groups: int, freedom: float, alone: int = 0) -> str:
    """In words that a comparison rests on ten sources or fewer, or on more that count as so few.
    Empty of more. ``alone`` of them are one item without a source."""
    if freedom >= FEW_CLUSTERS - 0.5:  # ten sources of one size have nine
        return ""
    if groups <= FEW_CLUSTERS:
        return few_sources(groups, alone)
    return trn(
        "unequal sources: 1 counts as {freedom}",
        "unequal sources: {n} count as {freedom}",
        groups,
        freedom=f"{freedom:.0f}",
    )


def _never_apart(
    mean: float, count: int, clusters: int, freedom: float, confidence: float
) -> ScoreInterval:
    """The interval where every pair differs alike, mostly not at all: as far as the share of pairs
    that differ otherwise may go when none of ``count`` does."""
    spread = MeanSpread(
        0.0, count, 0.0, 0.0 if clusters else None, clusters or count, freedom if clusters else None
    )
    reach = share_interval(spread, confidence).high or 0.0
    return ScoreInterval(max(-1.0, mean - reach), min(1.0, mean + reach), confidence)


def _by_cluster(
    both: Sequence[tuple[ItemScore, ItemScore]], clusters: Sequence[Hashable]
) -> list[int]:
    """Of each cluster the answers that only A got right less those that only B got right."""
    sums: dict[Hashable, int] = {}
    for (first, second), name in zip(both, clusters, strict=True):
        sums[name] = sums.get(name, 0) + first.correct - second.correct
    return list(sums.values())


def _clusters(scores: Sequence[ItemScore]) -> list[Hashable] | None:
    """Cluster of each item, its own name if it has none; None if no two items share one."""
    names: list[Hashable] = [cluster_name(entry.cluster, entry.id) for entry in scores]
    return names if 2 <= len(set(names)) < len(names) else None


def _bootstrapped(
    differences: Sequence[float],
    clusters: list[Hashable] | None,
    freedom: float,
    seed: int,
    resamples: int,
    confidence: float,
) -> tuple[ScoreInterval, float | None]:
    """The percentile interval and the two-sided p, of the same draws."""
    if len(differences) < 2:
        return ScoreInterval(None, None, confidence), None
    means = bootstrap_means(differences, seed=seed, resamples=resamples, clusters=clusters)
    units = len(set(clusters)) if clusters else len(differences)
    interval = percentile_interval(means, confidence, freedom, units)
    return interval, bootstrap_p(means, freedom)
