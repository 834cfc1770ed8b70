"""The registry of metrics. To add one: a file beside this one and an entry in the tuple."""

from core.evaluation.metrics.base import Metric, MetricResult, MetricSetting, Prediction
from core.evaluation.metrics.exact import Accuracy, ExactMatch
from core.evaluation.metrics.f1 import MacroF1, MultilabelF1
from core.evaluation.metrics.similarity import Bleurt, ChrF, EmbeddingSimilarity
from core.evaluation.metrics.word_overlap import BertScore, Bleu, RougeL
from core.i18n import tr_noop
from core.known_names import part_named

METRICS: tuple[Metric, ...] = (
    Accuracy(),
    ExactMatch(),
    MacroF1(),
    MultilabelF1(),
    ChrF(),
    Bleu(),
    RougeL(),
    BertScore(),
    Bleurt(),
    EmbeddingSimilarity(),
)

__all__ = ["METRICS", "MacroF1", "Metric", "MetricResult", "MetricSetting", "Prediction", "metric"]


def metric(name: str) -> Metric:
    """The metric of that name; raises NotFoundError for an unknown one."""
    return part_named(METRICS, name, tr_noop("There is no metric “{name}”. Available: {known}."))
