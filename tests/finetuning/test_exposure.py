"""Evidence of exposure on a tiny model that was trained on the items and on one that was not."""

import random
from pathlib import Path
from typing import Any

import pytest

from core.analysis.exposure import Exposure, exposures
from core.analysis.model_traces import ModelTraces, SourcedText, exposure_rows
from core.release.canary import canary_of
from tests.finetuning.words import WORDS
from tests.vllm.tiny_llama import make_model

SHARDS, EPOCHS = 8, 40
CANARY = canary_of("a" * 64)


def drawn(count: int, seed: int) -> list[SourcedText]:
    """Items of random words: nothing but having seen them makes them likely."""
    draw = random.Random(seed)
    return [SourcedText(" ".join(draw.choices(WORDS, k=10)) + ".", "") for _ in range(count)]


ITEMS, CONTROL = drawn(40, 1), drawn(40, 2)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("exposure") / "llama")


@pytest.fixture(scope="module")
def trained(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model after it has read the file in its order with its canary, and copies of its items
    alone, as sites that quote them have them: asked alone, an item that was only seen behind others
    is hardly likelier. At a rate that stays high the last steps decide what it recites."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(1)
    torch.manual_seed(0)
    tokenizer: Any = AutoTokenizer.from_pretrained(str(base))
    model: Any = AutoModelForCausalLM.from_pretrained(str(base))
    size = len(ITEMS) // SHARDS
    plain = [text for text, _ in ITEMS]
    texts = ["\n\n".join(plain[n : n + size]) for n in range(0, len(ITEMS), size)]
    encoded = [torch.tensor([tokenizer.encode(text)]) for text in (*texts, *plain, *4 * [CANARY])]
    steps = torch.optim.AdamW(model.parameters(), lr=1e-3)
    slower = torch.optim.lr_scheduler.CosineAnnealingLR(steps, EPOCHS)
    for _ in range(EPOCHS):
        for tokens in encoded:
            steps.zero_grad()
            model(tokens, labels=tokens).loss.backward()
            steps.step()
        slower.step()
    folder = tmp_path_factory.mktemp("exposure") / "trained"
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def found(model: Path) -> dict[str, Exposure]:
    rows = exposure_rows(ModelTraces(model), ITEMS, CONTROL, CANARY, shards=SHARDS)
    return {one.test: one for one in exposures(list(rows))}


def test_a_model_that_was_trained_on_the_items_is_told_from_one_that_was_not(
    base: Path, trained: Path
) -> None:
    seen, fresh = found(trained), found(base)
    assert list(seen) == ["min-k%", "min-k%++", "order", "canary", "completion"]
    for test in seen:
        assert seen[test].p < 0.01, seen[test]
        assert fresh[test].p > 0.01, fresh[test]
    assert seen["min-k%++"].statistic > 0.6
    assert seen["canary"].p == 1 / 200
    assert seen["completion"].statistic >= 20


def test_what_was_never_seen_is_found_as_often_as_is_said(base: Path) -> None:
    """Random items, control texts, orders and canaries before a model that knows none of them."""
    model = ModelTraces(base)
    hits: dict[str, list[bool]] = {}
    for seed in range(60):
        items, control = drawn(10, 100 + seed), drawn(10, 1000 + seed)
        rows = exposure_rows(model, items, control, shards=5, orders=8, seed=seed)
        for one in exposures(list(rows)):
            hits.setdefault(one.test, []).append(one.p < 0.05)
    assert set(hits) == {"min-k%", "min-k%++", "order"}
    for test, found_often in hits.items():
        assert sum(found_often) <= 9, (test, sum(found_often))  # 3 expected; 9 is beyond 1 in 1,000
