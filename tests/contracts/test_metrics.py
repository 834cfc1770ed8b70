"""What every metric promises: range, ties, empty input, and values known from elsewhere."""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import f1_score
from sklearn.preprocessing import MultiLabelBinarizer

from core.errors import InputError, NotFoundError, OutsideError
from core.evaluation.metrics import METRICS, Metric, MetricSetting, Prediction, metric
from core.evaluation.metrics.f1 import label_set
from core.i18n import LANGUAGES
from core.llm.types import ModelServer
from tests.messages import translated
from tests.servers.model_server import LoopbackModel

EVERY = pytest.mark.parametrize("one", METRICS, ids=lambda one: one.name)
# these need packages and weights that are not here: their refusals are tested below, and ROUGE-L in
# the environment of vLLM
ELSEWHERE = ("bleurt", "rouge_l", "bertscore")
MEASURABLE = pytest.mark.parametrize(
    "one", [one for one in METRICS if one.name not in ELSEWHERE], ids=lambda one: one.name
)
LABELS = ("anger", "joy", "optimism", "sadness")


@pytest.fixture(scope="module")
def setting() -> Iterator[MetricSetting]:
    with LoopbackModel() as server:
        yield MetricSetting(server=ModelServer(server.url, "embedder"))


def predictions(pairs: list[tuple[str | None, str]]) -> list[Prediction]:
    return [Prediction(f"item-{n}", said, (true,)) for n, (said, true) in enumerate(pairs)]


def random_labels(seed: int, size: int = 300) -> list[tuple[str | None, str]]:
    drawn = random.Random(seed)
    said = (*LABELS, None, "something else")
    return [(drawn.choice(said), drawn.choice(LABELS[: 2 + seed % 3])) for _ in range(size)]


@EVERY
def test_a_metric_is_found_by_its_name_and_documented(one: Metric):
    assert metric(one.name) is one
    assert [other.name for other in METRICS].count(one.name) == 1
    assert all(one.title in translated(language) for language in LANGUAGES if language != "en")
    assert len((type(one).__doc__ or "").strip()) > 40


def test_an_unknown_metric_is_named_in_the_error():
    with pytest.raises(NotFoundError, match="vibes"):
        metric("vibes")


@EVERY
def test_nothing_to_measure_is_undefined_and_not_zero(one: Metric, setting: MetricSetting):
    found = one.measure([], setting)
    assert (found.value, found.n) == (None, 0)
    assert found.undefined


@MEASURABLE
def test_perfect_answers_reach_the_top(one: Metric, setting: MetricSetting):
    found = one.measure(predictions([(label, label) for label in LABELS]), setting)
    assert found.value == pytest.approx(one.high)


@MEASURABLE
def test_values_and_single_scores_stay_in_the_range(one: Metric, setting: MetricSetting):
    pairs = [*random_labels(1, 40), ("悲伤、愤怒", "愤怒"), ("", "joy"), (None, "joy")]
    found = one.measure(predictions(pairs), setting)
    assert one.low <= found.value <= one.high
    assert all(one.low <= score <= one.high for score in found.scores)
    assert len(found.scores) in (0, len(pairs))


@MEASURABLE
def test_no_answer_is_never_better_than_a_wrong_one(one: Metric, setting: MetricSetting):
    silent = one.measure(predictions([(None, "joy"), ("joy", "joy")]), setting)
    perfect = one.measure(predictions([("joy", "joy"), ("joy", "joy")]), setting)
    assert silent.value < perfect.value


@MEASURABLE
def test_the_order_of_the_items_changes_nothing(one: Metric, setting: MetricSetting):
    pairs = random_labels(2, 60)
    turned = one.measure(predictions(pairs[::-1]), setting)
    assert turned.value == pytest.approx(one.measure(predictions(pairs), setting).value)


@pytest.mark.parametrize("seed", range(12))
def test_macro_f1_equals_scikit_learn(seed: int):
    pairs = random_labels(seed)
    expected = f1_score(
        [true for _, true in pairs],
        [said or "" for said, _ in pairs],
        labels=list(LABELS),
        average="macro",
        zero_division=0,
    )
    found = metric("macro_f1").measure(predictions(pairs), MetricSetting(labels=LABELS))
    assert found.value == pytest.approx(expected)


def test_macro_f1_by_hand():
    pairs = [("yes", "yes"), ("yes", "no"), ("no", "no"), (None, "no")]
    # yes: 2·1/(2+1) = 2/3; no: 2·1/(1+3) = 1/2
    found = metric("macro_f1").measure(predictions(pairs))
    assert found.value == pytest.approx((2 / 3 + 1 / 2) / 2)


@pytest.mark.parametrize("seed", range(12))
def test_multilabel_f1_equals_scikit_learn(seed: int):
    drawn = random.Random(seed)

    def some() -> str:
        return "，".join(drawn.sample(LABELS, drawn.randint(0, 3)))

    pairs: list[tuple[str | None, str]] = [(some(), some()) for _ in range(200)]
    binarizer = MultiLabelBinarizer(classes=LABELS)
    said = binarizer.fit_transform([label_set(text or "") for text, _ in pairs])
    true = binarizer.fit_transform([label_set(text) for _, text in pairs])
    found = metric("multilabel_f1").measure(predictions(pairs), MetricSetting(labels=LABELS))
    assert found.value == pytest.approx(f1_score(true, said, average="samples", zero_division=1))
    for average in ("micro", "macro"):
        expected = f1_score(true, said, average=average, zero_division=1)
        assert found.parts[average] == pytest.approx(expected)


def test_labels_are_separated_by_the_marks_of_both_scripts():
    assert label_set("讽刺、夸张，双关; pun / irony") == {"讽刺", "夸张", "双关", "pun", "irony"}


def test_accuracy_wants_the_label_itself_and_exact_match_forgives_white_space():
    given = predictions([("joy", "joy"), (" joy\n", "joy"), ("Joy", "joy"), ("é", "e\u0301")])
    assert metric("accuracy").measure(given).value == 0.25
    assert metric("exact_match").measure(given).value == 0.75


def test_any_of_several_references_counts():
    given = [Prediction("a", "two", ("one", "two"))]
    assert metric("exact_match").measure(given).value == 1.0
    assert metric("chrf").measure(given).value == 1.0


def test_chrf_says_what_it_is_and_prefers_the_nearer_text():
    chrf = metric("chrf")
    near = chrf.measure(predictions([("今天天气很好。", "今天天气真好。")]))
    far = chrf.measure(predictions([("完全不同的话", "今天天气真好。")]))
    assert far.value < near.value < 1
    assert near.made_with.startswith("sacrebleu ")


def test_embedding_similarity_names_its_model_and_is_a_cosine(setting: MetricSetting):
    found = metric("embedding_similarity").measure(
        predictions([("the cat sat", "the cat sat down"), ("abc", "xyz"), (None, "x")]), setting
    )
    assert "embedder" in found.made_with
    assert found.scores[0] > found.scores[1] >= found.scores[2] == 0.0
    assert found.value == pytest.approx(np.mean(found.scores))


def test_what_a_metric_lacks_is_named(tmp_path: Path):
    given = predictions([("a", "a")])
    with pytest.raises(InputError, match="checkpoint"):
        metric("bleurt").measure(given)
    with pytest.raises(InputError, match="weights"):
        metric("bleurt").measure(given, MetricSetting(checkpoint="weights"))
    (tmp_path / "bleurt_config.json").write_text("{}")
    with pytest.raises(OutsideError, match="bleurt"):
        metric("bleurt").measure(given, MetricSetting(checkpoint=str(tmp_path)))
    with pytest.raises(InputError, match="needs an embeddings server"):
        metric("embedding_similarity").measure(given)


def test_bleu_is_sacrebleus_and_counts_chinese_characters():
    from sacrebleu import corpus_bleu, sentence_bleu

    said, true = "今天天气真好啊", "今天天气真的很好"
    found = metric("bleu").measure(predictions([(said, true), (None, true)]))
    assert found.scores[0] == pytest.approx(sentence_bleu(said, [true], tokenize="zh").score / 100)
    assert found.scores[1] == 0.0
    words = [("the cat sat on the mat today", "the cat sat on a mat today"), ("b c", "a b c d")]
    english = metric("bleu").measure(predictions(words))
    whole = corpus_bleu([a for a, _ in words], [[b for _, b in words]]).score / 100
    assert english.parts["corpus"] == pytest.approx(whole)
    assert "tok:zh" in found.made_with
    assert "tok:13a" in english.made_with


def test_what_rouge_and_bertscore_lack_is_named(tmp_path: Path):
    given = predictions([("a", "a")])
    with pytest.raises(OutsideError, match="rouge-score"):
        metric("rouge_l").measure(given)
    with pytest.raises(InputError, match="BENCHSEAL_BERTSCORE"):
        metric("bertscore").measure(given)
    with pytest.raises(InputError, match=r"config\.json"):
        metric("bertscore").measure(given, MetricSetting(checkpoint=str(tmp_path)))
    (tmp_path / "config.json").write_text('{"num_hidden_layers": 2}')
    with pytest.raises(OutsideError, match="bert-score"):
        metric("bertscore").measure(given, MetricSetting(checkpoint=str(tmp_path)))
