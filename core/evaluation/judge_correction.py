"""A judge's mean score, corrected by the answers that people rated too.

A judge that is twenty points too kind is so on every model; its standard error does not show it.
Where people rated a random sample of the answers, two estimates of the people's mean over all
answers hold whatever the judge does: the prediction-powered mean, and for verdicts of right and
wrong the Rogan–Gladen estimate.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.evaluation.mean_interval import (
    FEW_CLUSTERS,
    MeanSpread,
    few_sources,
    mean_interval,
)
from core.i18n import printed, tr, trn, with_note
from core.proportion import cluster_freedom, student_quantile

Floats = npt.NDArray[np.float64]
FEWEST_RATED = 10
"""Of fewer rated answers no correction is printed."""
FEW_RATED = 50


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """The people's mean over all answers as it is estimated, in 0…1, with its interval.

    ``judged`` is the judge's own mean over ``answers``; ``rated`` of them people rated. ``bias`` is
    judge less people on those. ``undefined`` says why there is no estimate.
    """

    method: str
    judged: float
    value: float | None
    stderr: float | None
    low: float | None
    high: float | None
    answers: int
    rated: int
    bias: float
    undefined: str = ""
    caution: str = ""

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        return {name: getattr(self, name) for name in self.__slots__}


def prediction_powered_mean(
    judged: Mapping[str, float],
    human: Mapping[str, float],
    clusters: Mapping[str, str] | None = None,
) -> CorrectedMean:
    """λ·mean of the judge over unrated answers + mean of (people − λ·judge) over rated ones.

    Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient Prediction-Powered Inference,
    arXiv:2311.01453, equations 3 and 8: λ is the one of least variance, within 0…1; with λ = 0 it
    is the people's mean alone. The error is over the answers' ``clusters`` where these are given.
    The interval is Wilson's over as many answers as that error is worth, with Student's quantile
    (``mean_interval``): ± the error holds too seldom where people find nearly all answers alike.
    """
    rated = [name for name in judged if name in human]
    rest = [name for name in judged if name not in human]
    own = float(np.mean(list(judged.values()))) if judged else 0.0
    y = np.array([human[name] for name in rated], dtype=float)
    f = np.array([judged[name] for name in rated], dtype=float)
    bias = float(np.mean(f - y)) if rated else 0.0
    if len(rated) < FEWEST_RATED:
        return _none("prediction_powered", own, len(judged), len(rated), bias, _too_few(len(rated)))
    unrated = np.array([judged[name] for name in rest], dtype=float)
    tuned = _tuned(y, f, unrated)
    value = float(np.mean(y - tuned * f)) + (tuned * float(unrated.mean()) if rest else 0.0)
    # what each answer adds to the estimate, less its expectation
    parts = (y - tuned * f - np.mean(y - tuned * f)) / len(rated)
    parts *= math.sqrt(len(rated) / (len(rated) - 2))  # the mean and λ are of the same answers
    if rest:
        parts = np.concatenate((parts, tuned * (unrated - unrated.mean()) / len(rest)))
    names = [(clusters or {}).get(name) or name for name in ([*rated, *rest] if rest else rated)]
    error, freedom = _clustered(parts, names, len(rated))
    value = min(1.0, max(0.0, value))
    low, high = 0.0, 1.0  # where all rated answers share one cluster
    if math.isfinite(error):
        groups = len(set(names[: len(rated)]))
        freedom_of_both = min(freedom, len(rated) - 2)
        spread = MeanSpread(value, len(rated), 0.0, error, groups, freedom_of_both)
        found = mean_interval(spread)
        low, high = found.low or 0.0, 1.0 if found.high is None else found.high
    return CorrectedMean(
        "prediction_powered", own, value, error if math.isfinite(error) else None, low, high,
        len(judged), len(rated), bias, caution=_caution(len(rated), _shared(names), freedom),
    )  # fmt: skip


def rogan_gladen_mean(
    judged: Mapping[str, float],
    human: Mapping[str, float],
    clusters: Mapping[str, str] | None = None,
) -> CorrectedMean:
    """(judge's rate + specificity − 1) / (sensitivity + specificity − 1), of verdicts 0 and 1.

    Rogan and Gladen (1978), American Journal of Epidemiology 107, 71-76; the interval is Lang and
    Reiczigel's (2014), Preventive Veterinary Medicine 113, 13-22, which also allows for sensitivity
    and specificity being estimated. The rate is that of the unrated answers, so that the two
    samples are independent. Where answers share ``clusters``, each sample counts as many answers as
    it is worth: fewer by the design effect of the estimate, which is linear in what each answer
    adds to it, with Student's quantile. Undefined where people found no answer right, or none
    wrong, or where the judge is no better than chance.
    """
    rated = [name for name in judged if name in human]
    own = float(np.mean(list(judged.values()))) if judged else 0.0
    bias = float(np.mean([judged[name] - human[name] for name in rated])) if rated else 0.0

    def none(why: str) -> CorrectedMean:
        return _none("rogan_gladen", own, len(judged), len(rated), bias, why)

    if len(rated) < FEWEST_RATED:
        return none(_too_few(len(rated)))
    right = [judged[name] for name in rated if human[name] >= 0.5]
    wrong = [judged[name] for name in rated if human[name] < 0.5]
    if not right or not wrong:
        return none(tr("People found all rated answers alike."))
    rest = [judged[name] for name in judged if name not in human]
    if not rest:
        return none(tr("People rated every answer; their own mean needs no correction."))
    sensitivity, specificity = float(np.mean(right)), 1 - float(np.mean(wrong))
    youden = sensitivity + specificity - 1
    if youden <= 0:
        return none(tr("The judge tells right from wrong no better than chance."))
    value = (float(np.mean(rest)) + specificity - 1) / youden
    effect, freedom, groups = _design_effect(judged, human, clusters or {}, value, youden)
    low, high, error = _lang_reiczigel(
        (float(np.mean(rest)), len(rest) / effect),
        (sensitivity, len(right) / effect),
        (specificity, len(wrong) / effect),
        student_quantile(freedom),
    )
    if low is None:
        return none(tr("The judge tells right from wrong no better than chance."))
    return CorrectedMean(
        "rogan_gladen", own, min(1.0, max(0.0, value)), error, low, high, len(judged), len(rated),
        bias, caution=_caution(len(rated), groups, freedom, min(len(right), len(wrong))),
    )  # fmt: skip


def _design_effect(
    judged: Mapping[str, float],
    human: Mapping[str, float],
    clusters: Mapping[str, str],
    value: float,
    youden: float,
) -> tuple[float, float | None, int]:
    """By what factor clusters enlarge the variance of the Rogan–Gladen estimate, 1 at least, the
    degrees of freedom of its error, and how many clusters there are; (1, None, 0) without."""
    kinds = {name: _kind(human.get(name)) for name in judged}
    weights = {"rest": 1.0, "right": -value, "wrong": value - 1}
    parts = np.zeros(len(judged))
    kind_of = np.array(list(kinds.values()))
    said = np.array(list(judged.values()), dtype=float)
    for kind, weight in weights.items():
        own = kind_of == kind
        parts[own] = weight * (said[own] - said[own].mean()) / (own.sum() * youden)
    names = [clusters.get(name) or name for name in judged]
    groups = len(set(names))
    plain = float(np.sum(parts**2))
    if groups in (1, len(names)) or not plain:
        return 1.0, None, 0
    error, freedom = _clustered(parts, names, len(names))
    return max(1.0, error**2 / plain), freedom, groups


def _kind(rated: float | None) -> str:
    if rated is None:
        return "rest"
    return "right" if rated >= 0.5 else "wrong"


def correction_sentences(
    corrected: Mapping[str, Sequence[Mapping[str, Any]]], named: Callable[[str], str] = str
) -> list[str]:
    """Corrected means by criterion (``CorrectedMean.as_json``) in sentences; ``named`` says what a
    criterion is called."""
    titles = {
        "prediction_powered": tr("prediction-powered"),
        "rogan_gladen": tr("Rogan–Gladen"),
    }
    lines = []
    for criterion, means in corrected.items():
        for mean in means:
            values = {"criterion": named(criterion), "title": titles[mean["method"]]}
            if mean["value"] is None:
                lines.append(
                    tr("{criterion}, corrected ({title}): none. {why}", why=mean["undefined"],
                       **values)
                )  # fmt: skip
                continue
            lines.append(
                with_note(
                    tr(
                        "{criterion}, corrected by people ({title}): {value}% [{low}, {high}]; the "
                        "judge says {judged}% and is {bias} points off (answers rated: {rated}).",
                        value=f"{100 * mean['value']:.1f}",
                        low=f"{100 * mean['low']:.1f}",
                        high=f"{100 * mean['high']:.1f}",
                        judged=f"{100 * mean['judged']:.1f}",
                        bias=printed(100 * mean["bias"], 1, plus=True),
                        rated=mean["rated"],
                        **values,
                    ),
                    mean["caution"],
                )
            )
    return lines


def _tuned(y: Floats, f: Floats, unrated: Floats) -> float:
    everything = np.concatenate((f, unrated))
    spread = float(np.var(everything, ddof=1))
    if not len(unrated) or spread == 0 or len(y) < 2:
        return 0.0
    together = float(np.cov(y, f, ddof=1)[0, 1])
    return min(1.0, max(0.0, together / (spread * (1 + len(y) / len(unrated)))))


def _shared(names: Sequence[str]) -> int:
    """How many clusters there are; 0 where none has two answers."""
    groups = len(set(names))
    return groups if groups < len(names) else 0


def _clustered(parts: Floats, names: Sequence[str], rated: int) -> tuple[float, float]:
    """Error of a sum whose parts come in clusters, and its degrees of freedom.

    The first ``rated`` parts are of one sample, the others of a second one; each cluster's sum is
    enlarged by what its own answers have taken from it (CR2, Bell and McCaffrey 2002). Infinite,
    with none, where the first sample is of one cluster.
    """
    codes: dict[str, int] = {}
    places = np.array([codes.setdefault(name, len(codes)) for name in names])
    groups = len(codes)
    if len(set(names[:rated])) < 2:
        return math.inf, 0.0
    if groups == len(parts):
        return math.sqrt(float(np.sum(parts**2)) * groups / (groups - 1)), float(groups - 1)
    sums, sizes = np.zeros(groups), [1]
    for sample in (slice(0, rated), slice(rated, None)):
        if not len(parts[sample]):
            continue
        counts = np.bincount(places[sample], minlength=groups)
        shares = np.minimum(counts / counts.sum(), 0.999)
        own = np.bincount(places[sample], weights=parts[sample], minlength=groups)
        sums += own / np.sqrt(1 - shares)
        if sample.start == 0:
            sizes = counts[counts > 0].tolist()
    error = math.sqrt(float(np.sum(sums**2)))
    plain = math.sqrt(float(np.sum(parts**2)))
    return max(error, plain), cluster_freedom(sizes)


def _lang_reiczigel(
    rate: tuple[float, float], sensitivity: tuple[float, float],
    specificity: tuple[float, float], quantile: float,
) -> tuple[float | None, float | None, float | None]:  # fmt: skip
    """Bounds and error. The adjusted shares and the shift of the centre take the normal quantile,
    for which they were made; only the reach takes Student's, which of two sources is 12.7."""
    z = student_quantile(None)
    apparent = (rate[0] * rate[1] + z * z / 2) / (rate[1] + z * z)
    se = (sensitivity[0] * sensitivity[1] + 1) / (sensitivity[1] + 2)
    sp = (specificity[0] * specificity[1] + 1) / (specificity[1] + 2)
    youden = se + sp - 1
    if youden <= 0:
        return None, None, None
    value = (apparent + sp - 1) / youden
    of_se = se * (1 - se) / (sensitivity[1] + 2)
    of_sp = sp * (1 - sp) / (specificity[1] + 2)
    shift = 2 * z * z * (value * of_se - (1 - value) * of_sp)
    of_rate = apparent * (1 - apparent) / (rate[1] + z * z)
    error = math.sqrt(of_rate + value**2 * of_se + (1 - value) ** 2 * of_sp) / youden
    low, high = value + shift - quantile * error, value + shift + quantile * error
    return min(1.0, max(0.0, low)), min(1.0, max(0.0, high)), error


def _none(
    method: str, judged: float, answers: int, rated: int, bias: float, why: str
) -> CorrectedMean:
    return CorrectedMean(method, judged, None, None, None, None, answers, rated, bias, why)


def _too_few(rated: int) -> str:
    return trn(
        "People rated only 1 answer; a correction needs {needed}.",
        "People rated only {n} answers; a correction needs {needed}.",
        rated,
        needed=FEWEST_RATED,
    )


def _caution(
    rated: int, clusters: int = 0, freedom: float | None = None, rarest: int | None = None
) -> str:
    # of unequal sources few count
    worth = clusters if freedom is None else min(clusters, round(freedom) + 1)
    if 0 < worth <= FEW_CLUSTERS:
        return few_sources(worth)
    if rated < FEW_RATED:
        return trn("few rated answers: 1", "few rated answers: {n}", rated)
    if rarest is not None and rarest < FEW_RATED // 2:
        return trn(
            "few rated answers with the rarer outcome: 1",
            "few rated answers with the rarer outcome: {n}",
            rarest,
        )
    return ""
