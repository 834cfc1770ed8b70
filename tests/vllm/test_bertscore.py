"""BERTScore by the real package and a tiny BERT with random weights, where bert-score is installed
beside this environment: its lock does not have it."""

from pathlib import Path

import pytest
import torch
from transformers import BertConfig, BertModel, BertTokenizer

from core.errors import InputError
from core.evaluation.metrics import Prediction, metric
from core.evaluation.metrics.base import MetricSetting

SENTENCES = "the cat sat on mat a dog 今 天 气 很 好"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *SENTENCES.split()]


def tiny_bert(folder: Path, **told: int) -> Path:
    """A model folder; ``told`` goes to its tokenizer."""
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    BertTokenizer(str(folder / "vocab.txt"), **told).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(WORDS), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    return folder


def test_bertscore_is_that_of_the_package_and_no_answer_is_0(tmp_path: Path) -> None:
    package = pytest.importorskip("bert_score")
    folder = tiny_bert(tmp_path, model_max_length=64)
    given = [
        Prediction("1", "the cat sat", ("a dog", "the cat sat")),
        Prediction("2", "a dog", ("the cat sat on the mat",)),
        Prediction("3", None, ("a dog",)),
    ]
    found = metric("bertscore").measure(given, MetricSetting(checkpoint=str(folder)))
    scorer = package.BERTScorer(model_type=str(folder), num_layers=2)
    own = scorer.score(["a dog"], [["the cat sat on the mat"]])[2]
    assert found.scores == pytest.approx((1.0, float(own[0]), 0.0), abs=1e-6)


def test_a_tokenizer_without_a_length_is_said(tmp_path: Path) -> None:
    pytest.importorskip("bert_score")
    folder = tiny_bert(tmp_path)
    with pytest.raises(InputError, match="model_max_length"):
        metric("bertscore").measure(
            [Prediction("1", "the cat", ("a dog",))], MetricSetting(checkpoint=str(folder))
        )
