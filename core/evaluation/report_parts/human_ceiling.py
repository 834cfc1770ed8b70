"""What people reach on a split: each on average, the majority of them, and how far they agree.

An answer's way of asking names the person: ``uid#person-2``. People are numbered and not named.
Intervals over sources are of the people who answered; one of the mean is also over people, as if
these had been drawn from others like them.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core.agreement import coefficient
from core.agreement.compute import coefficients_for
from core.agreement.ratings import table_of_rows
from core.agreement.statistic import CoefficientResult
from core.evaluation.clusters import ClusterSums, cluster_name, mean_spread
from core.evaluation.compare import PEOPLE
from core.evaluation.mean_interval import caution, mean_interval
from core.evaluation.scoring import ItemScore, Report
from core.i18n import joined_clauses, printed, printed_bounds, sentences, tr, trn, with_note
from core.proportion import student_quantile, wilson_bounds
from core.release.question_ids import uid_of

ENGINE = PEOPLE
PERSON = "person-"
_ALPHA = "krippendorff_alpha_nominal"
_RESAMPLES = 1000
FEW_PEOPLE = 10
"""Of fewer people the spread among them is known too little for an interval over people."""


@dataclass(frozen=True, slots=True)
class HumanFigure:
    """A share in 0…1 with its 95% interval over sources; ``caution`` where it rests on little."""

    value: float
    low: float | None
    high: float | None
    caution: str


@dataclass(frozen=True, slots=True)
class HumanCeiling:
    """``people`` who answered ``items``. ``mean`` is over all their answers, ``majority`` that of
    the answer most of them gave, where answers can be equal (of answers that as many gave, each
    counts with its share); ``by_person`` in 0…1. ``alpha`` is Krippendorff's for their answers,
    ``alpha_caution`` says why its interval is rough, if it is. ``anybody`` is the mean again, with
    an interval over sources and people together; None of one person, or of too few answers."""

    people: int
    items: int
    mean: HumanFigure
    majority: HumanFigure | None
    by_person: Mapping[str, float]
    alpha: float | None
    alpha_low: float | None
    alpha_high: float | None
    alpha_caution: str = ""
    anybody: HumanFigure | None = None

    def as_json(self) -> dict[str, Any]:
        """One object."""
        return {**asdict(self), "by_person": dict(self.by_person),
                "sentences": list(ceiling_sentences(self))}  # fmt: skip


def human_ceiling(report: Report) -> HumanCeiling | None:
    """The figures of a report of people's answers; None for any other, and without an answer."""
    if report.engine != ENGINE:
        return None
    entries = [entry for entry in report.scores if entry.score is not None]
    if not entries:
        return None
    by_item: defaultdict[str, list[ItemScore]] = defaultdict(list)
    by_person: defaultdict[str, list[float]] = defaultdict(list)
    for entry in entries:
        by_item[uid_of(entry.id)].append(entry)
        by_person[entry.variant].append(entry.score or 0.0)
    scores = [entry.score or 0.0 for entry in entries]
    sources = [cluster_name(entry.cluster, entry.id) for entry in entries]
    mean = _figure(scores, sources)
    several = {uid: given for uid, given in by_item.items() if len(given) > 1}
    majority = None
    graded = any(entry.graded is not None for entry in entries)
    if several and not graded:
        values = [_majority(given) for given in several.values()]
        majority = _figure(
            values, [cluster_name(given[0].cluster, uid) for uid, given in several.items()]
        )
    alpha = _alpha(several) if several and not graded else None
    shares = {name: sum(values) / len(values) for name, values in sorted(by_person.items())}
    return HumanCeiling(
        len(by_person), len(by_item), mean, majority, shares,
        *((alpha.value, alpha.low, alpha.high) if alpha else (None, None, None)),
        sentences(alpha.rough_because) if alpha else "",
        _anybody(scores, sources, [entry.variant for entry in entries], mean),
    )  # fmt: skip


def _figure(values: Sequence[float], clusters: Sequence[str]) -> HumanFigure:
    spread = mean_spread(values, clusters, binary=all(value in (0.0, 1.0) for value in values))
    interval = mean_interval(spread)
    return HumanFigure(spread.mean, interval.low, interval.high, caution(spread))


def _anybody(
    values: Sequence[float], sources: Sequence[str], people: Sequence[str], mean: HumanFigure
) -> HumanFigure | None:
    """The mean of people like these on items like these.

    Its squared error is that over sources plus what people differ by beyond it (Cameron, Gelbach
    and Miller 2011, Journal of Business & Economic Statistics 29, 238-249), with Satterthwaite's
    degrees of freedom, people − 1 at least; never shorter than the interval over sources.
    """
    by_person, cells = ClusterSums(), ClusterSums()
    by_person.extend(people, values)
    cells.extend(map("\n".join, zip(sources, people, strict=True)), values)
    count = len(by_person)
    over_people = by_person.error()
    if count < 2 or over_people is None:
        return None
    spread = mean_spread(values, sources, binary=all(value in (0.0, 1.0) for value in values))
    over_sources, share = spread.squared_error, spread.mean
    both = (
        math.fsum((total - number * share) ** 2 for total, number in cells.by_cluster().values())
        / len(values) ** 2
    )
    error = over_sources + max(0.0, over_people**2 - both)
    why = mean.caution
    if count < FEW_PEOPLE:
        few = trn("few people: 1", "few people: {n}", count)
        why = joined_clauses(filter(None, (few, why)))
    if not error or not 0 < share < 1:
        return HumanFigure(share, mean.low, mean.high, why)
    freedom = spread.freedom or len(values) - 1.0
    each = over_sources**2 / freedom + over_people**4 / (count - 1)
    quantile = student_quantile(max(error**2 / each, count - 1.0))
    low, high = wilson_bounds(share, share * (1 - share) / error, quantile)
    if mean.low is not None and mean.high is not None:
        low, high = min(low, mean.low), max(high, mean.high)
    return HumanFigure(share, max(0.0, low), min(1.0, high), why)


def _majority(given: Sequence[ItemScore]) -> float:
    """Whether the majority answer is right, as 0 or 1; 0 if no answer could be read."""
    counts = Counter(entry.predicted for entry in given if entry.predicted is not None)
    if not counts:
        return 0.0
    most = max(counts.values())
    first = [answer for answer, count in counts.items() if count == most]
    right = {entry.predicted for entry in given if entry.correct}
    return sum(answer in right for answer in first) / len(first)


def _alpha(several: Mapping[str, Sequence[ItemScore]]) -> CoefficientResult:
    rows = [
        (uid, entry.variant, entry.predicted if entry.predicted is not None else "–")
        for uid, given in several.items()
        for entry in given
    ]
    sources = [cluster_name(given[0].cluster, uid) for uid, given in several.items()]
    (result,) = coefficients_for(
        table_of_rows(rows), (_ALPHA,), resamples=_RESAMPLES, seed=0,
        sources=sources,
    )  # fmt: skip
    return result


def ceiling_sentences(ceiling: HumanCeiling) -> tuple[str, ...]:
    """The human ceiling in words, for what stands beside the models."""
    said = [
        tr(
            "Human ceiling: {people} on {items}, {mean} on average, {worst} to {best} each.",
            people=trn("1 person", "{n} people", ceiling.people),
            items=trn("1 item", "{n} items", ceiling.items),
            mean=_span(ceiling.mean),
            worst=f"{100 * min(ceiling.by_person.values()):.1f}%",
            best=f"{100 * max(ceiling.by_person.values()):.1f}%",
        )
    ]
    if ceiling.majority is not None:
        said.append(tr("The answer of most people: {share}.", share=_span(ceiling.majority)))
    if ceiling.alpha is not None:
        value = printed(ceiling.alpha, 2)
        if ceiling.alpha_low is not None and ceiling.alpha_high is not None:
            value += f" {printed_bounds(ceiling.alpha_low, ceiling.alpha_high, 2)}"
        said.append(tr("People agree with Krippendorff's alpha {value}.", value=value))
    if ceiling.alpha_caution:
        title = coefficient(_ALPHA).title
        said.append(tr("{what}: {note}", what=title, note=ceiling.alpha_caution))
    said.append(_of_whom(ceiling))
    cautions = (ceiling.mean.caution, ceiling.majority.caution if ceiling.majority else "")
    why = joined_clauses(dict.fromkeys(filter(None, cautions)))
    return (*said, *((tr("The intervals are rough ({why}).", why=why),) if why else ()))


def _of_whom(ceiling: HumanCeiling) -> str:
    """The population that the intervals generalise to."""
    if ceiling.anybody is None and ceiling.people > 1:
        return tr("These intervals describe the people who answered, on items like these; so few "
                  "answers do not tell what other people would reach.")  # fmt: skip
    if ceiling.anybody is None:
        return tr("These intervals describe this one person on items like these; they do not tell "
                  "what other people would reach.")  # fmt: skip
    told = tr("These intervals describe the people who answered, on items like these. For "
              "people like them, the mean is {mean}.", mean=_span(ceiling.anybody))  # fmt: skip
    return with_note(told, ceiling.anybody.caution)


def _span(figure: HumanFigure) -> str:
    if figure.low is None or figure.high is None:
        return f"{100 * figure.value:.1f}%"
    return f"{100 * figure.value:.1f}% [{100 * figure.low:.1f}, {100 * figure.high:.1f}]"
