"""Similarity of texts: chrF always, BLEURT and embeddings where they can be had."""

from collections.abc import Sequence
from importlib import import_module

from typing_extensions import override

from core.errors import InputError, OutsideError
from core.evaluation.metrics.base import Metric, MetricResult, MetricSetting, Prediction
from core.text import tr


class ChrF(Metric):
    """Character n-gram F-score of sacrebleu (order 6, beta 2) per item, divided by 100.

    Works on Chinese without segmentation; stands in for BLEURT where no checkpoint is given,
    and says so in ``made_with``.
    """

    name = "chrf"
    title = "chrF"

    @override
    def of(self, predictions: Sequence[Prediction], setting: MetricSetting) -> MetricResult:
        """Mean of sentence scores; the corpus score is in ``parts``."""
        from sacrebleu.metrics import CHRF

        meter = CHRF()
        said = [p.predicted or "" for p in predictions]
        scores = [
            meter.sentence_score(text, list(p.references)).score / 100
            for text, p in zip(said, predictions, strict=True)
        ]
        width = max(len(p.references) for p in predictions)
        columns = [
            [p.references[min(n, len(p.references) - 1)] for p in predictions] for n in range(width)
        ]
        corpus = meter.corpus_score(said, columns).score / 100
        return self.mean(scores, made_with=f"sacrebleu {meter.get_signature()}", corpus=corpus)


class Bleurt(Metric):
    """BLEURT (CIF-Bench §3.3) with a checkpoint folder of the user's.

    Scores are about 0 to 1 but not bounded by it; the range says what is accepted as sane.
    """

    name = "bleurt"
    title = "BLEURT"
    low, high = -2.0, 2.0

    @override
    def of(self, predictions: Sequence[Prediction], setting: MetricSetting) -> MetricResult:
        """Mean of the best score over the references; OutsideError without the package."""
        if not setting.checkpoint:
            raise InputError(
                tr("BLEURT needs the folder of its checkpoint. Give one, or use chrF.")
            )
        try:
            scorer = import_module("bleurt.score").BleurtScorer(setting.checkpoint)
        except ImportError as error:
            raise OutsideError(
                tr("The package bleurt is not installed here. Install it, or use chrF.")
            ) from error
        pairs = [(p.predicted or "", text) for p in predictions for text in p.references]
        found = iter(
            scorer.score(
                candidates=[said for said, _ in pairs], references=[text for _, text in pairs]
            )
        )
        scores = [max(float(next(found)) for _ in p.references) for p in predictions]
        return self.mean(scores, made_with=f"bleurt {setting.checkpoint}")


class EmbeddingSimilarity(Metric):
    """Cosine between the embeddings of answer and reference, from an embedding server."""

    name = "embedding_similarity"
    title = "Embedding similarity"
    low, high = -1.0, 1.0

    @override
    def of(self, predictions: Sequence[Prediction], setting: MetricSetting) -> MetricResult:
        """Mean of the best cosine over the references; no answer counts zero."""
        import numpy as np

        from core.llm import embed_all

        if setting.server is None:
            raise InputError(
                tr("Embedding similarity needs an embedding server. Give its address and model.")
            )
        texts = sorted(
            {text for p in predictions for text in (p.predicted or "", *p.references) if text}
        )
        rows = embed_all(setting.server, texts)
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
        return self.mean(bounded, made_with=f"embeddings of {setting.server.model}")
