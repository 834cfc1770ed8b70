"""Similarity of texts: chrF always, BLEURT and embeddings where they can be had."""

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from core.errors import InputError, OutsideError
from core.evaluation.metrics.base import Metric, MetricResult, MetricSetting, Prediction
from core.evaluation.metrics.packages import loading, package_stamp, reference_columns
from core.i18n import tr, tr_noop

if TYPE_CHECKING:
    from core.llm.types import ModelServer

_BLEURT_CONFIG = "bleurt_config.json"


class ChrF(Metric):
    """Character n-gram F-score of sacrebleu (order 6, beta 2) per item, divided by 100.

    Works on Chinese without segmentation; stands in for BLEURT where no checkpoint is given,
    and says so in ``made_with``.
    """

    name = "chrf"
    title = tr_noop("chrF")

    @override
    def of(self, predictions: Sequence[Prediction], setting: MetricSetting) -> MetricResult:
        """Mean of sentence scores; the corpus score is in ``parts``."""
        from sacrebleu.metrics import CHRF

        meter = CHRF()
        texts = [p.predicted or "" for p in predictions]
        scores = [
            meter.sentence_score(text, list(p.references)).score / 100
            for text, p in zip(texts, predictions, strict=True)
        ]
        corpus = meter.corpus_score(texts, reference_columns(predictions)).score / 100
        return self.mean(scores, made_with=f"sacrebleu {meter.get_signature()}", corpus=corpus)


class Bleurt(Metric):
    """BLEURT (CIF-Bench §3.3) with a checkpoint folder of the user's.

    Scores are about 0 to 1 but not bounded by it; the range says what is accepted as sane.
    """

    name = "bleurt"
    title = tr_noop("BLEURT")
    low, high = -2.0, 2.0
    expensive = True

    @override
    def made_with(self, setting: MetricSetting) -> str:
        """The checkpoint's folder and the beginning of its configuration's SHA-256."""
        return package_stamp(
            "bleurt", setting, _BLEURT_CONFIG,
            missing=tr("BLEURT needs the folder of its checkpoint. Give it with --bleurt or in "
                       "BENCHSEAL_BLEURT, or use chrF."),
            wrong=tr("“{path}” is not a BLEURT checkpoint: {name} is missing.",
                     path=setting.checkpoint, name=_BLEURT_CONFIG),
        )  # fmt: skip

    @override
    def of(self, predictions: Sequence[Prediction], setting: MetricSetting) -> MetricResult:
        """Mean of the best score over the references; OutsideError without the package."""
        made_with = self.made_with(setting)
        scorer = bleurt_scorer(str(Path(setting.checkpoint).expanduser().resolve()))
        pairs = [(p.predicted or "", text) for p in predictions for text in p.references]
        measured = iter(
            scorer.score(
                candidates=[predicted for predicted, _ in pairs],
                references=[text for _, text in pairs],
            )
        )
        scores = [max(float(next(measured)) for _ in p.references) for p in predictions]
        return self.mean(scores, made_with=made_with)


@lru_cache(maxsize=1)
def bleurt_scorer(checkpoint: str) -> Any:
    """The scorer, loaded once: that takes longer than scoring a hundred answers."""
    try:
        module = import_module("bleurt.score")
    except ImportError as error:
        raise OutsideError.tr(
            "The package bleurt, which needs TensorFlow, is not installed. Install it from "
            "github.com/google-research/bleurt, or use chrF."
        ) from error  # fmt: skip
    with loading("BLEURT", checkpoint):
        return module.BleurtScorer(checkpoint)


class EmbeddingSimilarity(Metric):
    """Cosine between the embeddings of answer and reference, from an embedding server."""

    name = "embedding_similarity"
    title = tr_noop("Embedding similarity")
    low, high = -1.0, 1.0
    expensive = True

    @override
    def made_with(self, setting: MetricSetting) -> str:
        """The server's model; where it is makes no difference."""
        return f"embeddings of {_server(setting).model}"

    @override
    def of(self, predictions: Sequence[Prediction], setting: MetricSetting) -> MetricResult:
        """Mean of the best cosine over the references; no answer counts zero."""
        import numpy as np

        from core.llm.embeddings import embed_all

        texts = sorted(
            {text for p in predictions for text in (p.predicted or "", *p.references) if text}
        )
        rows = embed_all(_server(setting), texts)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        units = dict(zip(texts, rows / np.where(lengths == 0, 1, lengths), strict=True))
        scores = [
            max(
                (float(units[p.predicted] @ units[text]) for text in p.references if text),
                default=0.0,
            )
            if p.predicted
            else 0.0
            for p in predictions
        ]
        bounded = [min(1.0, max(-1.0, score)) for score in scores]
        return self.mean(bounded, made_with=self.made_with(setting))


def _server(setting: MetricSetting) -> "ModelServer":
    if setting.server is None:
        raise InputError.tr(
            "Embedding similarity needs an embeddings server. Give it with --embeddings "
            "MODEL@URL, or in BENCHSEAL_EMBEDDINGS_URL and BENCHSEAL_EMBEDDINGS_MODEL."
        )  # fmt: skip
    return setting.server
