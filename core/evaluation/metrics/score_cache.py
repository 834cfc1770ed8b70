"""Scores that cost a model, kept on disk so that a report made again asks nothing."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from core.evaluation.metrics.base import Metric, MetricResult, MetricSetting, Prediction
from core.files import digest, make_private_folder, private_file_mode

CHUNK = 256
"""Predictions measured at a time; what was measured stays when the next ones fail."""


class ScoreCache:
    """The scores of one metric by what was compared, in one file that only grows.

    Two processes may add to it at once, for each line is written whole; a damaged line counts as
    absent.
    """

    def __init__(self, folder: Path, metric: str, made_with: str) -> None:
        self._path = folder / f"{metric}-{digest([metric, made_with])[:16]}.jsonl"
        self._known = dict(_lines(self._path))

    def get(self, prediction: Prediction) -> float | None:
        """The kept score, or None."""
        return self._known.get(_key(prediction))

    def add(self, predictions: Sequence[Prediction], scores: Sequence[float]) -> None:
        """Keep the scores of these predictions."""
        stored = {_key(p): score for p, score in zip(predictions, scores, strict=True)}
        self._known |= stored
        text = "".join(json.dumps([key, score]) + "\n" for key, score in stored.items())
        make_private_folder(self._path.parent)
        # begins with a line's end: a line that a killed process left unfinished harms no other
        line = os.open(
            self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, private_file_mode(self._path.parent)
        )
        try:
            os.write(line, f"\n{text}".encode())
        finally:
            os.close(line)


def _key(prediction: Prediction) -> str:
    return digest([prediction.predicted, list(prediction.references)])


def _lines(path: Path) -> Iterator[tuple[str, float]]:
    if not path.is_file():
        return
    with path.open(encoding="utf-8", errors="replace") as handle:
        for line in handle:
            try:
                key, score = json.loads(line)
                yield str(key), float(score)
            except (ValueError, TypeError):
                continue


def measure_cached(
    metric: Metric,
    predictions: Sequence[Prediction],
    setting: MetricSetting,
    folder: Path,
    before: Callable[[Sequence[Prediction]], None] = lambda _left: None,
) -> MetricResult:
    """As ``metric.measure``, with the scores of an expensive metric kept in ``folder``; ``before``
    is told which predictions are about to be measured, where any are.

    Raises what ``measure`` raises; what was measured until then is not measured again.
    """
    if not (metric.expensive and metric.by_answer and predictions):
        before(predictions)
        return metric.measure(predictions, setting)
    made_with = metric.made_with(setting)
    cache = ScoreCache(folder, metric.name, made_with)
    missing = [p for p in predictions if cache.get(p) is None]
    if missing:
        before(missing)
    left = _different(missing)
    for start in range(0, len(left), CHUNK):
        part = left[start : start + CHUNK]
        cache.add(part, metric.measure(part, setting).scores)
    scores = [score for p in predictions if (score := cache.get(p)) is not None]
    return metric.mean(scores, made_with=made_with)


def _different(predictions: Iterable[Prediction]) -> list[Prediction]:
    """One prediction for each comparison: models often say the same."""
    return list({_key(p): p for p in predictions}.values())
