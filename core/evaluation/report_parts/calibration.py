"""Are the likelihoods of the options worth what they say? Calibration, and scores by length.

The confidence of an answer is the probability of the chosen option, the softmax of the options'
log-likelihoods. The expected calibration error (Naeini, Cooper and Hauskrecht 2015, AAAI 29) is the
mean over ten bins of as many answers each of |confidence − accuracy|, weighted by their answers;
answers of one confidence are in one bin. It is never zero even of a perfect model, so that its
interval is corrected for that, and reaches down to zero where a test does not find any.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.evaluation.clusters import cluster_name, mean_spread
from core.evaluation.mean_interval import FEW_CLUSTERS, few_sources, mean_interval
from core.evaluation.scoring import AnswerKey
from core.i18n import printed, tr, trn, with_note
from core.report_table import ReportTable, printed_p

Floats = npt.NDArray[np.float64]

BINS = 10
FEW_ANSWERS = 200
"""Of 100 answers and gaps of five points the interval of the error held it in 92 of 100 samples, of
200 in 95."""
_RESAMPLES, _SEED = 1000, 0
_Z, _WIDER = 1.959963984540054, 1.1


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Answers of similar confidence: ``confidence`` and ``accuracy`` are means in 0…1, with the
    95% interval of the accuracy over sources."""

    answers: int
    confidence: float
    accuracy: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Of ``answers`` with likelihoods: the calibration error ``ece`` in 0…1 with its 95% interval
    and the one-sided ``p`` that there is none; ``confidence`` less ``accuracy`` is overconfidence.
    ``normalised`` is the accuracy where each log-likelihood is divided by the characters of its
    option, lm-evaluation-harness's ``acc_norm``. ``caution`` says where all this rests on little.
    """

    answers: int
    ece: float
    low: float
    high: float
    p: float
    confidence: float
    accuracy: float
    normalised: float
    normalised_low: float | None
    normalised_high: float | None
    caution: str
    bins: tuple[ReliabilityBin, ...]

    def as_json(self) -> dict[str, Any]:
        """One object; ``bins`` is a list."""
        return asdict(self) | {"bins": [asdict(one) for one in self.bins]}


def calibration(
    asked: Iterable[tuple[AnswerKey, Mapping[str, Any] | None]],
) -> Calibration | None:
    """The calibration of a run's records, each with the key of its question; None where none has
    likelihoods of two or more options."""
    sure: list[float] = []
    right: list[float] = []
    by_length: list[float] = []
    sources: list[str] = []
    for key, record in asked:
        scores = (record or {}).get("scores") or ()
        if len(scores) < 2 or len(scores) != len(key.choices):
            continue
        logs = np.asarray(scores, dtype=float)
        best = int(np.argmax(logs))
        sure.append(float(1 / np.exp(logs - logs[best]).sum()))
        right.append(float(key.choices[best] == key.answer))
        lengths = np.array([max(1, len(choice)) for choice in key.choices])
        by_length.append(float(key.choices[int(np.argmax(logs / lengths))] == key.answer))
        sources.append(cluster_name(key.cluster, key.id))
    if not sure:
        return None
    return _calibration(np.array(sure), np.array(right), by_length, sources)


def _calibration(
    sure: Floats, right: Floats, by_length: Sequence[float], sources: Sequence[str]
) -> Calibration:
    place = _bins_of(sure)
    known: dict[str, int] = {}
    cluster = np.array([known.setdefault(name, len(known)) for name in sources])
    gaps = np.zeros((len(known), BINS))
    np.add.at(gaps, (cluster, place), sure - right)
    counts = np.bincount(cluster).astype(float)
    ece, low, high, p = _error_interval(gaps, counts)
    spread = mean_spread(by_length, sources, binary=True)
    normalised = mean_interval(spread)
    bins = []
    for number in range(int(place.max()) + 1):
        own = np.flatnonzero(place == number)
        values = right[own].tolist()
        within = mean_interval(mean_spread(values, [sources[int(n)] for n in own], binary=True))
        bins.append(
            ReliabilityBin(
                len(own), float(sure[own].mean()), float(right[own].mean()), within.low, within.high
            )
        )
    return Calibration(
        len(sure), ece, low, high, p, float(sure.mean()), float(right.mean()), spread.mean,
        normalised.low, normalised.high, _caution(len(sure), len(known)), tuple(bins),
    )  # fmt: skip


def _bins_of(sure: Floats) -> npt.NDArray[np.int64]:
    """The bin of each answer: ten of as many answers each, but answers of one confidence in one
    bin, that of their middle, because else it would be that of their order."""
    ordered = np.sort(sure)
    first, behind = np.searchsorted(ordered, sure), np.searchsorted(ordered, sure, "right")
    middle = (first + behind - 1) // 2
    found = np.unique(middle * min(BINS, len(sure)) // len(sure), return_inverse=True)[1]
    return np.asarray(found, dtype=np.int64)


def _error_interval(gaps: Floats, counts: Floats) -> tuple[float, float, float, float]:
    """(error, low, high, p) from sums of confidence less correctness by source and bin.

    Sources are resampled; what their errors are above that of the sample is taken off once. p is
    the share of random signs of the sources with as large an error: each is as likely either way
    where the model is calibrated.
    """
    answers = counts.sum()
    error = float(np.abs(gaps.sum(0)).sum() / answers)
    groups = len(gaps)
    rng = np.random.default_rng(_SEED)
    drawn = rng.multinomial(groups, np.full(groups, 1 / groups), _RESAMPLES)
    errors = np.abs(drawn @ gaps).sum(1) / (drawn @ counts)
    signs = rng.choice(np.array([-1.0, 1.0]), (_RESAMPLES, groups))
    null = np.abs(signs @ gaps).sum(1) / answers
    p = float((1 + np.sum(null >= error - 1e-12)) / (_RESAMPLES + 1))
    above = float(errors.mean()) - error
    low = max(0.0, error - above - _Z * _WIDER * float(errors.std()))
    high = min(1.0, max(0.0, float(np.quantile(errors, 0.975)) - above))
    return error, 0.0 if p > 0.05 else low, high, p


def _caution(answers: int, sources: int) -> str:
    if sources < min(FEW_CLUSTERS, answers):
        return few_sources(sources)
    if answers < FEW_ANSWERS:
        return trn("few items: 1", "few items: {n}", answers)
    return ""


def calibration_sentence(found: Mapping[str, Any]) -> str:
    """``Calibration.as_json`` in words."""
    gap = 100 * (found["confidence"] - found["accuracy"])
    said = tr(
        "Likelihoods: calibration error {ece} points [{low}, {high}], confidence less accuracy "
        "{gap}; divided by the length of each option they give {normalised}%.",
        ece=f"{100 * found['ece']:.1f}",
        low=f"{100 * found['low']:.1f}",
        high=f"{100 * found['high']:.1f}",
        gap=printed(gap, 1, plus=True),
        normalised=f"{100 * found['normalised']:.1f}",
    )
    return with_note(said, found["caution"])


def reliability_table(name: str, found: Mapping[str, Any]) -> ReportTable:
    """A row for each bin of a run: answers, confidence, accuracy with its interval; percent."""
    rows = tuple(
        (
            one["answers"],
            100 * one["confidence"],
            100 * one["accuracy"],
            None if one["low"] is None else 100 * one["low"],
            None if one["high"] is None else 100 * one["high"],
        )
        for one in found["bins"]
    )
    heads = (tr("Answers"), tr("Confidence"), tr("Accuracy"), tr("Low"), tr("High"))
    notes = (
        calibration_sentence(found),
        tr("p that confidence equals accuracy in every bin: {p}.", p=printed_p(found["p"])),
        tr("Confidence is the probability of the chosen option among the options. A calibrated "
           "model is right as often as it is confident; that says nothing about how good it is."),
    )  # fmt: skip
    return ReportTable(tr("{run}: reliability of likelihoods (%)", run=name), heads, rows, notes, 1)
