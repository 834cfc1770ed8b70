"""F1 over classes (CoreEval, macro) and over sets of labels (CIF-Bench, multi-label)."""

import re
from collections.abc import Sequence

from typing_extensions import override

from core.evaluation.metrics.base import Metric, MetricResult, MetricSetting, Prediction
from core.i18n import tr_noop

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
