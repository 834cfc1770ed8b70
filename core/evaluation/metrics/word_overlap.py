"""BLEU, ROUGE-L and BERTScore, each by the library that papers name."""

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from typing_extensions import override

from core.errors import InputError, OutsideError
from core.evaluation.metrics.base import Metric, MetricResult, MetricSetting, Prediction
from core.evaluation.metrics.packages import loading, package_stamp, reference_columns
from core.i18n import tr, tr_noop
from core.sources.chinese_text import has_han

_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
_CONFIG = "config.json"


def _imported(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        missing = package if error.name in (None, module) else f"{error.name} ({package})"
        raise OutsideError.tr(
            "The package {package} is not installed. Install it, or use chrF.", package=missing
        ) from error


class Bleu(Metric):
    """Sentence BLEU of sacrebleu (order 4, exponential smoothing, effective order), divided by 100.

    Chinese is split into characters (``tokenize="zh"``) where a reference has any. The corpus
    score, which papers print, is in ``parts``.
    """

    name = "bleu"
    title = tr_noop("BLEU")

    @override
    def of(self, predictions: Sequence[Prediction], setting: MetricSetting) -> MetricResult:
        """Mean of sentence scores; the corpus score is in ``parts``."""
        from sacrebleu.metrics import BLEU

        chinese = any(has_han(text) for p in predictions for text in p.references)
        tokenizer = "zh" if chinese else "13a"
        meter = BLEU(tokenize=tokenizer, effective_order=True)
        texts = [p.predicted or "" for p in predictions]
        scores = [
            min(1.0, meter.sentence_score(text, list(p.references)).score / 100)
            for text, p in zip(texts, predictions, strict=True)
        ]
        whole = BLEU(tokenize=tokenizer)
        corpus = whole.corpus_score(texts, reference_columns(predictions)).score / 100
        return self.mean(scores, made_with=f"sacrebleu {meter.get_signature()}", corpus=corpus)


class RougeL(Metric):
    """ROUGE-L F1 of the package rouge-score, the best over the references.

    Words are as rouge-score takes them, without stemming; Chinese, Japanese and Korean characters
    count as words, which its own tokenizer drops.
    """

    name = "rouge_l"
    title = tr_noop("ROUGE-L")
    expensive = True

    @override
    def made_with(self, setting: MetricSetting) -> str:
        """The package; OutsideError where it is not installed."""
        _imported("rouge_score.rouge_scorer", "rouge-score")
        return "rouge-score rougeL"

    @override
    def of(self, predictions: Sequence[Prediction], setting: MetricSetting) -> MetricResult:
        """Mean of the best F1 over the references; no answer counts zero."""
        made_with = self.made_with(setting)
        module = _imported("rouge_score.rouge_scorer", "rouge-score")
        scorer = module.RougeScorer(["rougeL"], tokenizer=_Words())
        scores = [
            max(
                float(scorer.score(text, p.predicted or "")["rougeL"].fmeasure)
                for text in p.references
            )
            for p in predictions
        ]
        return self.mean(scores, made_with=made_with)


class _Words:
    """What rouge-score asks of a tokenizer."""

    def tokenize(self, text: str) -> list[str]:
        """Words in lower case, and single characters of languages without spaces."""
        return _TOKEN.findall(text.lower())


class BertScore(Metric):
    """BERTScore F1 of the package bert-score, with a model folder of the user's.

    The last layer of the model is taken unless its name is one that bert-score has tuned.
    """

    name = "bertscore"
    title = tr_noop("BERTScore")
    low, high = -1.0, 1.0
    expensive = True

    @override
    def made_with(self, setting: MetricSetting) -> str:
        """The model's folder and the beginning of its configuration's SHA-256."""
        return package_stamp(
            "bert-score", setting, _CONFIG,
            missing=tr("BERTScore needs the folder of a model. Give it in BENCHSEAL_BERTSCORE, or "
                       "use chrF."),
            wrong=tr("“{path}” is not a model folder: {name} is missing.",
                     path=setting.checkpoint, name=_CONFIG),
        )  # fmt: skip

    @override
    def of(self, predictions: Sequence[Prediction], setting: MetricSetting) -> MetricResult:
        """Mean of the best F1 over the references; OutsideError without the package."""
        made_with = self.made_with(setting)
        scorer = bert_scorer(str(Path(setting.checkpoint).expanduser().resolve()))
        # of an empty text the package says 0, and asks newer tokenizers for what they lack
        asked = [n for n, p in enumerate(predictions) if (p.predicted or "").strip()]
        texts = [predictions[n].predicted for n in asked]
        references = [list(predictions[n].references) for n in asked]
        values = [0.0] * len(predictions)
        try:
            found = scorer.score(texts, references)[2] if asked else ()
        except OverflowError as error:  # its tokenizer then cuts at 10³⁰ tokens
            raise InputError.tr(
                "“{path}” does not say how long a text may be: its tokenizer_config.json needs "
                "model_max_length.", path=setting.checkpoint
            ) from error  # fmt: skip
        for place, value in zip(asked, found, strict=True):
            values[place] = float(value)
        return self.mean(values, made_with=made_with)


@lru_cache(maxsize=1)
def bert_scorer(folder: str) -> Any:
    """The scorer, loaded once."""
    module = _imported("bert_score", "bert-score")
    from core.bounded_json import parse_json

    layers = int(parse_json((Path(folder) / _CONFIG).read_text("utf-8"))["num_hidden_layers"])
    with loading("BERTScore", folder):
        return module.BERTScorer(model_type=folder, num_layers=layers)
