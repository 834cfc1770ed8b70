"""What a metric is: predictions and references in, one value with its single scores out."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.i18n import tr
from core.report_table import JsonFields

if TYPE_CHECKING:
    from core.llm.types import ModelServer


@dataclass(frozen=True, slots=True)
class Prediction:
    """One answered item. ``predicted`` is None where the reply held no answer: that is wrong.

    ``references`` are the right answers, any of which counts; the first is the main one.
    """

    id: str
    predicted: str | None
    references: tuple[str, ...]
    cluster: str = ""


@dataclass(frozen=True, slots=True)
class MetricSetting:
    """What some metrics need: ``labels`` is the label space (macro F1 averages over it; without
    one, over the labels of the references), ``checkpoint`` a folder with BLEURT's weights,
    ``server`` the embedding server."""

    labels: tuple[str, ...] = ()
    checkpoint: str = ""
    server: "ModelServer | None" = None


@dataclass(frozen=True)
class MetricResult(JsonFields):
    """``value`` in the metric's range, or None and in ``undefined`` the reason.

    ``scores`` has one number per prediction, in order, where the metric is a mean of such
    numbers; it is empty where it is not (macro F1). ``made_with`` names what measured plainly.
    """

    _not_in_json = ("scores",)

    metric: str
    value: float | None
    n: int
    scores: tuple[float, ...] = ()
    made_with: str = ""
    undefined: str | None = None
    parts: Mapping[str, float] = field(default_factory=dict)


class Metric(ABC):
    """One way to score predictions against references. Stateless; listed in ``METRICS``.

    Values lie between ``low`` and ``high``; more is better. ``title`` is English; people read
    ``tr(title)``. ``by_answer`` says whether the value is the mean of one score per prediction,
    ``expensive`` whether a score costs a model and is therefore kept.
    """

    name: str
    title: str
    low: float = 0.0
    high: float = 1.0
    by_answer: bool = True
    expensive: bool = False

    def made_with(self, setting: MetricSetting) -> str:
        """What measures, named so plainly that another would get the same scores; "" for none.

        Raises InputError or OutsideError where it is not given, or not there.
        """
        del setting
        return ""

    def measure(
        self, predictions: Sequence[Prediction], setting: MetricSetting | None = None
    ) -> MetricResult:
        """The metric over the predictions; undefined, with the reason, where there are none.

        Raises OutsideError where a package, checkpoint or server that it needs is not there.
        """
        if not predictions:
            return MetricResult(
                self.name, None, 0, undefined=tr("There are no predictions to score.")
            )
        return self.of(predictions, setting or MetricSetting())

    @abstractmethod
    def of(self, predictions: Sequence[Prediction], setting: MetricSetting) -> MetricResult:
        """The metric over at least one prediction."""

    def mean(self, scores: Sequence[float], made_with: str = "", **parts: float) -> MetricResult:
        """The result of a metric that is the mean of its scores, of which there is one at least."""
        value = sum(scores) / len(scores)
        return MetricResult(
            self.name, value, len(scores), tuple(scores), made_with=made_with, parts=parts
        )
