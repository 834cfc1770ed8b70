"""F1 over classes (CoreEval, macro) and over sets of labels (CIF-Bench, multi-label)."""

import re
from collections import Counter
from collections.abc import Sequence

from typing_extensions import override

from core.evaluation.metrics.base import Metric, MetricResult, MetricSetting, Prediction
from core.i18n import tr_noop, trn

_BETWEEN_LABELS = re.compile(r"[,，、;；|\n/]+")


class MacroF1(Metric):
    """Mean of the F1 of every label in the label space (CoreEval §4, there in percent).

    A reply without a known label is a miss for its true label. A label that is neither expected
    nor predicted has F1 zero, as in scikit-learn with ``zero_division=0``.
    """

    name = "macro_f1"
    title = tr_noop("Macro F1")
    by_answer = False

    @override
    def of(self, predictions: Sequence[Prediction], setting: MetricSetting) -> MetricResult:
        """Equals scikit-learn's ``f1_score(average="macro", labels=…)``."""
        expected = [p.references[0] for p in predictions]
        labels = list(setting.labels) or sorted(set(expected))
        parts: dict[str, float] = {}
        for label in labels:
            hits = sum(p.predicted == label == p.references[0] for p in predictions)
            claimed = sum(p.predicted == label for p in predictions)
            true = expected.count(label)
            parts[label] = 2 * hits / (claimed + true) if claimed + true else 0.0
        value = sum(parts.values()) / len(labels)
        return MetricResult(self.name, value, len(predictions), parts=parts)


def macro_f1_by_item(
    expected: Sequence[str], predicted: Sequence[str | None], labels: Sequence[str]
) -> list[float]:
    """Values of the items of which macro F1 is the mean, and their errors are its errors.

    Each is macro F1 plus its linearised change when the item counts a little more (the
    infinitesimal jackknife, Efron 1982, The Jackknife, the Bootstrap and Other Resampling Plans,
    chapter 6). They may lie outside 0…1.
    """
    space = list(labels) or sorted(set(expected))
    true, claimed = Counter(expected), Counter(predicted)
    hits = Counter(t for t, p in zip(expected, predicted, strict=True) if t == p)
    weight = {label: true[label] + claimed[label] for label in space}
    f1 = {label: 2 * hits[label] / weight[label] if weight[label] else 0.0 for label in space}
    whole, scale = sum(f1.values()) / len(space), len(expected) / len(space)
    values = []
    for t, p in zip(expected, predicted, strict=True):
        change = (2 - 2 * f1[t]) / weight[t] if t == p and t in f1 else 0.0
        if t != p:
            change = -sum(f1[label] / weight[label] for label in (t, p) if label in f1)
        values.append(whole + scale * change)
    return values


FEW_OF_A_LABEL = 10


def macro_f1_caution(expected: Sequence[str], labels: Sequence[str]) -> str:
    """In words where a label is so rare that the interval of macro F1 covers too seldom."""
    counts = Counter(expected)
    fewest = min((counts[label] for label in labels or counts), default=0)
    if fewest >= FEW_OF_A_LABEL:
        return ""
    return trn("few items of a label: 1", "few items of a label: {n}", fewest)


class MultilabelF1(Metric):
    """Mean over the items of the F1 between the predicted and the true set of labels.

    Labels are separated by commas, semicolons, enumeration commas, bars, slashes or line breaks,
    of either script. Two empty sets agree. Micro and macro F1 over labels are given beside it.
    """

    name = "multilabel_f1"
    title = tr_noop("Multi-label F1")

    @override
    def of(self, predictions: Sequence[Prediction], setting: MetricSetting) -> MetricResult:
        """Equals scikit-learn's ``f1_score(average="samples", zero_division=1)``."""
        pairs = [
            (label_set(p.predicted or ""), label_set("\n".join(p.references))) for p in predictions
        ]
        scores = [
            _f1(len(predicted & true), len(predicted), len(true)) for predicted, true in pairs
        ]
        labels = set(setting.labels) or set().union(*(true for _, true in pairs))
        by_label = [
            _f1(
                sum(label in predicted and label in true for predicted, true in pairs),
                sum(label in predicted for predicted, _ in pairs),
                sum(label in true for _, true in pairs),
            )
            for label in sorted(labels)
        ]
        known = [(predicted & labels, true & labels) for predicted, true in pairs]
        micro = _f1(
            sum(len(predicted & true) for predicted, true in known),
            sum(len(predicted) for predicted, _ in known),
            sum(len(true) for _, true in known),
        )
        macro = sum(by_label) / len(by_label) if by_label else 1.0
        return self.mean(scores, micro=micro, macro=macro)


def label_set(text: str) -> frozenset[str]:
    """The labels written in a text."""
    return frozenset(part.strip() for part in _BETWEEN_LABELS.split(text) if part.strip())


def _f1(hits: int, claimed: int, true: int) -> float:
    return 2 * hits / (claimed + true) if claimed + true else 1.0
