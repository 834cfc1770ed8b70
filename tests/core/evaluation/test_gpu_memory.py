"""The memory estimate against sums done by hand, and folders that say too little."""

import json
import os
import struct
from pathlib import Path

import pytest

from core.evaluation.gpu_memory import (
    GIB,
    OVERHEAD,
    estimate,
    model_folder,
    tokens_a_step,
)
from core.jobs.gpus import Gpu

LLAMA = {
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "rope_scaling": {"type": "llama3"},
    "torch_dtype": "bfloat16",
}


def model(
    folder: Path, config: dict | str, tensors: dict[str, tuple[str, list[int]]] | None = None
):
    folder.mkdir(parents=True, exist_ok=True)
    text = config if isinstance(config, str) else json.dumps(config)
    (folder / "config.json").write_text(text, encoding="utf-8")
    if tensors is not None:
        header = json.dumps(
            {n: {"dtype": d, "shape": s, "data_offsets": [0, 0]} for n, (d, s) in tensors.items()}
        ).encode()
        (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header)
    return folder


def test_a_llama_of_eight_thousand_million_weights_is_counted_from_its_configuration(tmp_path):
    found = estimate(model(tmp_path / "m", LLAMA), max_model_len=8192)
    assert found.parameters == 8_030_261_248  # what its card says
    assert found.weights == 2 * 8_030_261_248
    assert found.kv_cache == 2 * 32 * 8 * 128 * 8192 * 2 == GIB
    assert found.total == found.weights + GIB + found.overhead
    assert found.fits(24 * GIB) is True
    assert found.fits(16 * GIB) is False


def card(name: str, gib: int) -> Gpu:
    return Gpu(name, gib * GIB, gib * GIB)


# vLLM 0.26 on an H200, as it reports itself: GiB of weights, of the cache of 2,048 tokens, of a
# step's activations, of what is not PyTorch's, and of graphs (the last as of the smaller model)
MEASURED = [
    (LLAMA | {"max_position_embeddings": 8192}, 14.96, 0.25, 1.78, 0.22, 0.46),
    (
        LLAMA
        | {"hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 18,
           "num_attention_heads": 16, "vocab_size": 2048, "max_position_embeddings": 2048},
        2.11, 0.141, 1.03, 0.22, 0.46,
    ),
]  # fmt: skip


@pytest.mark.parametrize("measured", MEASURED)
def test_what_vllm_took_of_a_large_gpu_is_foretold(tmp_path, measured):
    config, *parts = measured
    found = estimate(model(tmp_path / "m", config), max_model_len=2048,
                     batched_tokens=tokens_a_step([card("NVIDIA H200", 140)]))  # fmt: skip
    assert sum(parts) <= found.total / GIB <= sum(parts) + 0.2


@pytest.mark.parametrize(
    ("gpus", "here", "served"),
    [
        ([card("NVIDIA H200", 140)], 16384, 8192),
        ([card("NVIDIA A100-SXM4-80GB", 80)], 8192, 2048),
        ([card("NVIDIA GeForce RTX 4090", 24)], 8192, 2048),
        ([], 8192, 2048),
    ],
)
def test_the_tokens_of_a_step_are_vllms_own_for_a_gpu_and_a_server(gpus, here, served):
    assert (tokens_a_step(gpus), tokens_a_step(gpus, serves=True)) == (here, served)


def test_the_memory_of_a_step_is_for_an_engine_that_reserves_it(tmp_path):
    folder = model(tmp_path / "m", LLAMA)
    few, many = (estimate(folder, batched_tokens=n) for n in (2048, 16384))
    assert many.overhead - few.overhead == 14336 * (3 * 14336 + 4 * 4096) * 2
    shared = estimate(folder, batched_tokens=16384, tensor_parallel=4)
    assert few.overhead < shared.overhead < many.overhead
    assert estimate(folder, sequence=2048, batched_tokens=16384).overhead == OVERHEAD


def test_without_a_reservation_weights_stay_as_stored_and_the_cache_is_of_one_sequence(tmp_path):
    folder = model(tmp_path / "m", LLAMA | {"torch_dtype": "float32"})
    reserved, as_it_goes = estimate(folder), estimate(folder, sequence=2048)
    assert reserved.weights == 2 * 8_030_261_248  # vLLM makes half of float32
    assert as_it_goes.weights == 4 * 8_030_261_248
    assert as_it_goes.kv_cache == 2 * 32 * 8 * 128 * 2048 * 4
    assert estimate(folder, sequence=2048, dtype="bfloat16").weights == reserved.weights
    assert estimate(folder, sequence=200_000).kv_cache == 2 * 32 * 8 * 128 * 131_072 * 4


def test_tensor_parallelism_shares_weights_and_heads(tmp_path):
    folder = model(tmp_path / "m", LLAMA)
    one, four = (estimate(folder, max_model_len=4096, tensor_parallel=n) for n in (1, 4))
    assert four.weights == one.weights // 4
    assert four.kv_cache == one.kv_cache // 4
    sixteen = estimate(folder, max_model_len=4096, tensor_parallel=16)
    assert sixteen.kv_cache == one.kv_cache // 8  # a head is not divided
    three = estimate(folder, max_model_len=4096, tensor_parallel=3)
    assert "32" in three.problems[0]
    assert three.fits(1000 * GIB) is False


def test_stored_weights_count_as_they_will_be_loaded(tmp_path):
    tensors = {"a": ("F32", [1000, 100]), "b": ("I32", [10, 10]), "c": ("F8_E4M3", [7])}
    found = estimate(model(tmp_path / "m", LLAMA, tensors))
    assert found.parameters == 100_107
    assert found.weights == 100_000 * 2 + 400 + 7
    wide = estimate(tmp_path / "m", dtype="float32")
    assert wide.weights == 100_000 * 4 + 400 + 7


def test_a_cache_of_another_number_format_is_half_as_large(tmp_path):
    folder = model(tmp_path / "m", LLAMA)
    assert estimate(folder, kv_cache_dtype="fp8").kv_cache * 2 == estimate(folder).kv_cache


def test_latent_attention_and_linear_layers_need_less(tmp_path):
    latent = {**LLAMA, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
    found = estimate(model(tmp_path / "a", latent), max_model_len=1000, tensor_parallel=4)
    assert found.kv_cache == 32 * 576 * 1000 * 2
    mixed = {**LLAMA, "layer_types": ["linear_attention"] * 24 + ["full_attention"] * 8}
    whole = estimate(model(tmp_path / "b", LLAMA), max_model_len=1000)
    assert estimate(model(tmp_path / "c", mixed), max_model_len=1000).kv_cache * 4 == whole.kv_cache


def test_the_language_model_inside_a_larger_one_is_what_counts(tmp_path):
    nested = {"torch_dtype": "bfloat16", "text_config": {**LLAMA, "torch_dtype": None}}
    found = estimate(model(tmp_path / "m", nested), max_model_len=8192)
    assert (found.dtype, found.kv_cache) == ("bfloat16", GIB)


def test_a_length_beyond_the_models_is_a_problem(tmp_path):
    short = {**LLAMA, "max_position_embeddings": 2048, "rope_scaling": None}
    found = estimate(model(tmp_path / "m", short), max_model_len=4096)
    assert "2,048" in found.problems[0]
    assert estimate(tmp_path / "m").max_model_len == 2048


@pytest.mark.parametrize(
    "config",
    ["", "[]", "null", "{", "{}", '{"hidden_size": "big"}', '{"hidden_size": -1}', "[" * 20000],
)
def test_a_damaged_configuration_gives_a_reason_and_no_number(tmp_path, config):
    found = estimate(model(tmp_path / "模型", config))
    assert found.unknown
    assert (found.total, found.fits(GIB)) == (None, None)


@pytest.mark.parametrize(
    "content", [b"", b"12345678", b"\xff" * 20, struct.pack("<Q", 4) + b"nope"]
)
def test_damaged_weights_give_a_reason(tmp_path, content):
    folder = model(tmp_path / "m", LLAMA)
    (folder / "model.safetensors").write_bytes(content)
    assert "model.safetensors" in estimate(folder).unknown


def test_what_is_not_here_or_not_known_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    assert "some/model" in estimate("some/model").unknown
    assert estimate("").unknown
    folder = model(tmp_path / "m", LLAMA)
    assert "int3" in estimate(folder, dtype="int3").unknown
    assert "awq" in estimate(folder, quantization="awq").unknown
    assert estimate(folder, quantization="fp8").weights == 8_030_261_248


def test_a_hub_name_is_found_in_the_local_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    folder = model(tmp_path / "models--some--model" / "snapshots" / "abc", LLAMA)
    assert model_folder("some/model") == folder
    assert estimate("some/model", max_model_len=8192).kv_cache == GIB


def test_the_snapshot_of_the_wanted_revision_is_measured(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    snapshots = tmp_path / "models--some--model" / "snapshots"
    model(snapshots / "abc123", LLAMA)
    newest = model(snapshots / "def456", {**LLAMA, "torch_dtype": "float16"})
    os.utime(newest, (2e9, 2e9))
    assert estimate("some/model").dtype == "float16"
    assert estimate("some/model", revision="abc").dtype == LLAMA["torch_dtype"]
