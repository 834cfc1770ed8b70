"""Accuracy of labels, and exact match of texts."""

from collections.abc import Sequence

from typing_extensions import override

from core.evaluation.metrics.base import Metric, MetricResult, MetricSetting, Prediction
from core.i18n import tr_noop
from core.unicode_forms import normal_form


class Accuracy(Metric):
    """Share of predictions that are the reference label itself, character for character."""

    name = "accuracy"
    title = tr_noop("Accuracy")

    @override
    def of(self, predictions: Sequence[Prediction], setting: MetricSetting) -> MetricResult:
        """Mean of zeros and ones; no answer is a zero."""
        return self.mean([float(p.predicted in p.references) for p in predictions])


class ExactMatch(Metric):
    """Share of texts that equal a reference once both are in Unicode's composed form and their
    white space is evened out; case and punctuation count."""

    name = "exact_match"
    title = tr_noop("Exact match")

    @override
    def of(self, predictions: Sequence[Prediction], setting: MetricSetting) -> MetricResult:
        """Mean of zeros and ones; no answer is a zero."""
        return self.mean(
            [
                float(
                    p.predicted is not None
                    and _even(p.predicted) in {_even(text) for text in p.references}
                )
                for p in predictions
            ]
        )


def _even(text: str) -> str:
    return " ".join(normal_form("NFC", text).split())
