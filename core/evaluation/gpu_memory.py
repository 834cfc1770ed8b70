"""How much GPU memory a model takes, from its folder alone: nothing is loaded.

Per GPU: the weights, divided by tensor parallelism; the key-value cache of at least one sequence of
the longest length, below which vLLM refuses to start; and what the engine needs beside them. What
is left of the GPU after that holds more sequences at once. Transformers reserves nothing: it keeps
the cache of the one sequence that it works on, and weights in the format in which they are stored.
"""

import math
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.bounded_json import parse_json, read_document
from core.errors import InputError
from core.files import open_regular
from core.i18n import tr, trn
from core.jobs.gpus import Gpu

GIB = 1024**3
# context and activations where nothing is reserved. Measured with transformers on an H100 (1.1 and
# 8 billion weights, prompts of up to 1,500 tokens): 1.2 GiB of context, 0.1 to 0.5 besides
OVERHEAD = int(1.5 * GIB)
# beside the activations of a step. Measured with vLLM 0.26 on an H200: 0.22 GiB that are not
# PyTorch's (1.1 and 8 billion weights), and 0.46 of graphs (1.1 billion)
_ENGINE = int(0.75 * GIB)
_STEP = 8192  # tokens that vLLM works on at once on a GPU of which nothing is known
_LARGE_GPU = 70 * GIB  # from here on vLLM works on more
UTILISATION = 0.9  # the share of a GPU that vLLM takes by default

_BYTES: Mapping[str, float] = {
    "float32": 4, "float": 4, "float16": 2, "half": 2, "bfloat16": 2, "fp8": 1, "fp8_e4m3": 1,
    "fp8_e5m2": 1, "int8": 1,
}  # fmt: skip
_STORED: Mapping[str, float] = {
    "F64": 8, "F32": 4, "F16": 2, "BF16": 2, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1, "F4": 0.5,
    "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U64": 8, "U32": 4, "U16": 2, "U8": 1, "BOOL": 1,
}  # fmt: skip
_CAST_TO_DTYPE = ("F64", "F32", "F16", "BF16")
_WEIGHT_BYTES_QUANTISED: Mapping[str, float] = {"fp8": 1.0, "bitsandbytes": 0.6}
_LARGEST_HEADER = 200_000_000  # bytes; a header beyond is not a header


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """Bytes on **each** GPU. Undefined parts are None and ``unknown`` says why.

    ``weights`` are this GPU's share; ``kv_cache`` is one sequence of ``max_model_len`` tokens;
    ``overhead`` is context or graphs, and activations. ``problems`` are reasons for which an engine
    will refuse the plan whatever the memory (heads that cannot be divided, a length beyond the
    model's).
    """

    dtype: str
    tensor_parallel: int
    max_model_len: int | None = None
    parameters: int | None = None
    weights: int | None = None
    kv_cache: int | None = None
    overhead: int = OVERHEAD
    unknown: str = ""
    problems: tuple[str, ...] = ()

    @property
    def total(self) -> int | None:
        """The least that one GPU must give; None where a part is unknown."""
        if self.weights is None or self.kv_cache is None:
            return None
        return self.weights + self.kv_cache + self.overhead

    def fits(self, gpu_bytes: int, utilisation: float = UTILISATION) -> bool | None:
        """Whether it fits in that share of a GPU; None where that cannot be known."""
        if self.problems:
            return False
        return None if self.total is None else self.total <= gpu_bytes * utilisation


def estimate(
    model_dir: Path | str,
    *,
    revision: str = "",
    dtype: str = "auto",
    max_model_len: int | None = None,
    tensor_parallel: int = 1,
    kv_cache_dtype: str = "auto",
    quantization: str = "",
    sequence: int | None = None,
    batched_tokens: int = _STEP,
) -> MemoryEstimate:
    """The memory of a model's folder, or of a hub name whose files are in the local cache.

    ``dtype`` ``auto`` is the one in ``config.json``; ``max_model_len`` None is the model's own
    longest. ``sequence`` is given for an engine that reserves no memory: the tokens of the longest
    prompt with its answer, of which alone there is a cache. ``batched_tokens`` are those of one
    step of an engine that reserves its memory (``tokens_a_step``). Never raises for a folder that
    says too little: ``unknown`` then says what is missing.
    """
    plain = MemoryEstimate(dtype, max(1, tensor_parallel), max_model_len)
    folder = model_folder(str(model_dir), revision)
    if folder is None:
        return _unknown(plain, tr("The files of “{model}” are not on this machine.",
                                  model=model_dir))  # fmt: skip
    try:
        whole = _config(folder)
        config = _text_part(whole)
        kind = _dtype(whole, config, dtype, halves=sequence is None)
        length = max_model_len or _longest(config)
        if sequence is not None:
            length = min(length, sequence)
        count, size = _weights(folder, whole, config, kind, quantization)
        return MemoryEstimate(
            dtype=kind,
            tensor_parallel=plain.tensor_parallel,
            max_model_len=length,
            parameters=count,
            weights=math.ceil(size / plain.tensor_parallel),
            kv_cache=_cache_bytes(config, plain.tensor_parallel, length, kind, kv_cache_dtype),
            overhead=_step_bytes(config, plain.tensor_parallel, batched_tokens, kind)
            if sequence is None
            else OVERHEAD,
            problems=tuple(_problems(config, plain.tensor_parallel, length)),
        )
    except InputError as error:
        return _unknown(plain, str(error))


def tokens_a_step(gpus: Sequence[Gpu], *, serves: bool = False) -> int:
    """The tokens that vLLM works on at once by default on the first of these GPUs, or on one of
    which nothing is known (``max_num_batched_tokens``; vLLM 0.26, ``get_batch_defaults``)."""
    if gpus and gpus[0].total >= _LARGE_GPU and "a100" not in gpus[0].name.lower():
        return 8192 if serves else 16384
    return 2048 if serves else _STEP


def model_folder(model: str, revision: str = "") -> Path | None:
    """The folder of a model: itself, or a snapshot in the hub's local cache.

    That is the snapshot of the revision where it is there by its commit, else the newest.
    """
    if not model.strip():
        return None
    path = Path(model).expanduser()
    if path.is_dir():
        return path
    home = os.environ.get("HF_HOME") or "~/.cache/huggingface"
    hub = Path(os.environ.get("HF_HUB_CACHE") or f"{home}/hub").expanduser()
    snapshots = hub / ("models--" + model.strip("/").replace("/", "--")) / "snapshots"
    try:
        snapshots_there = sorted(snapshots.iterdir(), key=lambda folder: folder.stat().st_mtime)
    except OSError:
        return None
    named = [folder for folder in snapshots_there if revision and folder.name.startswith(revision)]
    candidates = named or snapshots_there
    return candidates[-1] if candidates else None


def _unknown(plain: MemoryEstimate, why: str) -> MemoryEstimate:
    return MemoryEstimate(plain.dtype, plain.tensor_parallel, plain.max_model_len, unknown=why)


def _config(folder: Path) -> Mapping[str, Any]:
    path = folder / "config.json"
    try:
        config = read_document(path)
    except (OSError, ValueError) as error:
        raise InputError.tr("“{path}” does not exist or cannot be read.", path=path) from error
    if not isinstance(config, dict):
        raise InputError.tr("“{path}” does not exist or cannot be read.", path=path)
    return config


def _text_part(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The language model's part of a configuration that has several."""
    for name in ("text_config", "llm_config", "language_config"):
        part = config.get(name)
        if isinstance(part, dict) and "hidden_size" in part:
            return part
    return config


def _dtype(
    whole: Mapping[str, Any], config: Mapping[str, Any], requested: str, *, halves: bool
) -> str:
    candidates = [c.get(name) for c in (config, whole) for name in ("dtype", "torch_dtype")]
    stored = next((str(name_of_type) for name_of_type in candidates if name_of_type), "float32")
    kind = (stored if requested in ("", "auto") else requested).removeprefix("torch.")
    # vLLM's own rule: half precision unless another one is asked for
    if halves and kind == "float32" and requested in ("", "auto"):
        kind = "float16"
    if kind not in _BYTES:
        raise InputError.tr("Unknown number format “{dtype}”.", dtype=kind)
    return kind


def _whole(config: Mapping[str, Any], *names: str, default: int | None = None) -> int:
    """The first of some fields that is a positive whole number."""
    for name in names:
        value = config.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    if default is None:
        raise InputError.tr("config.json has no “{field}”.", field=names[0])
    return default


def _longest(config: Mapping[str, Any]) -> int:
    return _whole(config, "max_position_embeddings", "n_positions", "max_sequence_length",
                  "seq_length")  # fmt: skip


def _heads(config: Mapping[str, Any]) -> int:
    return _whole(config, "num_attention_heads", "n_head")


def _cache_bytes(
    config: Mapping[str, Any], parallel: int, length: int, dtype: str, cache_dtype: str
) -> int:
    """Bytes of the cache of ``length`` tokens on one of ``parallel`` GPUs.

    Keys and values of every attention layer; a compressed cache (latent attention) is held whole
    by every GPU. A sliding window is not counted as a saving: the estimate stays on the safe side.
    """
    kind = dtype if cache_dtype in ("", "auto") else cache_dtype
    if kind not in _BYTES:
        raise InputError.tr("Unknown number format “{dtype}”.", dtype=kind)
    layers = _attention_layers(config)
    if config.get("kv_lora_rank"):
        width = _whole(config, "kv_lora_rank") + _whole(config, "qk_rope_head_dim", default=64)
        return math.ceil(layers * width * length * _BYTES[kind])
    heads = _heads(config)
    cached_heads = _whole(config, "num_key_value_heads", "num_kv_heads", default=heads)
    size = _whole(config, "head_dim", default=0) if config.get("head_dim") else 0
    size = size or _whole(config, "hidden_size", "n_embd") // heads
    return math.ceil(
        2 * layers * max(1, math.ceil(cached_heads / parallel)) * size * length * _BYTES[kind]
    )


def _step_bytes(config: Mapping[str, Any], parallel: int, tokens: int, dtype: str) -> int:
    """Bytes that one GPU needs in a step of so many tokens, beside weights and cache.

    For every token the feed-forward layer's two inner products and what comes of them, divided
    among the GPUs, and four vectors of the model's width. Measured with vLLM 0.26 on an H200, steps
    of 16,384 tokens: 0.97 to 1.03 GiB where this says 1.0, and 1.78 where it says 1.81.
    """
    hidden = _whole(config, "hidden_size", "n_embd", default=0)
    inner = _whole(config, "intermediate_size", "n_inner", default=4 * hidden)
    return _ENGINE + math.ceil(tokens * (3 * inner / parallel + 4 * hidden) * _BYTES[dtype])


def _attention_layers(config: Mapping[str, Any]) -> int:
    kinds = config.get("layer_types")
    if isinstance(kinds, list) and kinds:
        return sum("linear" not in str(kind) and "mamba" not in str(kind) for kind in kinds)
    return _whole(config, "num_hidden_layers", "n_layer")


def _problems(config: Mapping[str, Any], parallel: int, length: int) -> Iterator[str]:
    heads = _heads(config)
    if heads % parallel:
        yield trn(
            "1 attention head cannot be divided among {gpus} GPUs.",
            "{n} attention heads cannot be divided evenly among {gpus} GPUs.",
            heads,
            gpus=parallel,
        )
    longest = _longest(config)
    if length > longest and not config.get("rope_scaling"):
        yield trn(
            "The model reads at most 1 token, but {asked} are requested.",
            "The model reads at most {n} tokens, but {asked} are requested.",
            longest,
            asked=length,
        )


def _weights(
    folder: Path,
    whole: Mapping[str, Any],
    config: Mapping[str, Any],
    dtype: str,
    quantization: str,
) -> tuple[int | None, float]:
    """(number of weights where it is known, bytes of all of them once loaded)."""
    if quantization and not whole.get("quantization_config"):
        if quantization not in _WEIGHT_BYTES_QUANTISED:
            raise InputError.tr(
                "The size of the weights after “{quantization}” cannot be known in advance.",
                quantization=quantization
            )  # fmt: skip
        plain = _stored(folder, dtype)[0] or _computed(config)
        return plain, plain * _WEIGHT_BYTES_QUANTISED[quantization]
    count, size = _stored(folder, dtype)
    if size:
        return count, size
    other = [path for pattern in ("*.bin", "*.pt", "*.pth") for path in folder.glob(pattern)]
    if other_size := sum(path.stat().st_size for path in other if path.name != "training_args.bin"):
        return None, float(other_size)
    if list(folder.glob("*.gguf")):
        raise InputError.tr("The weights in “{folder}” are in GGUF format, which is not supported.",
                            folder=folder)  # fmt: skip
    computed = _computed(config)
    return computed, computed * _BYTES[dtype]


def _stored(folder: Path, dtype: str) -> tuple[int | None, float]:
    """Number and loaded bytes of the tensors in safetensors files; (None, 0) without any."""
    paths = sorted(folder.glob("model*.safetensors")) or sorted(folder.glob("*.safetensors"))
    count, size = 0, 0.0
    for path in paths:
        for kind, shape in _tensors(path):
            numbers = math.prod(shape)
            count += numbers
            each = _BYTES[dtype] if kind in _CAST_TO_DTYPE else _STORED.get(kind, 2)
            size += numbers * each
    return (count, size) if paths else (None, 0.0)


def _tensors(path: Path) -> Iterator[tuple[str, list[int]]]:
    """Number format and shape of every tensor of a safetensors file, from its header."""
    try:
        with open_regular(path) as handle:
            (length,) = struct.unpack("<Q", handle.read(8))
            if length > _LARGEST_HEADER:
                raise ValueError(length)
            header = parse_json(handle.read(length))
        for name, tensor in header.items():
            if name != "__metadata__":
                yield str(tensor["dtype"]), [int(size) for size in tensor["shape"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise InputError.tr("Could not read the weights in “{path}”.", path=path) from error


def _computed(config: Mapping[str, Any]) -> int:
    """The number of weights of a usual decoder of this configuration, where no weights are at hand.

    Embeddings, four attention matrices and three of the feed-forward layer, for every expert.
    """
    hidden = _whole(config, "hidden_size", "n_embd")
    layers = _whole(config, "num_hidden_layers", "n_layer")
    heads = _heads(config)
    size = _whole(config, "head_dim", default=hidden // heads)
    cached_heads = _whole(config, "num_key_value_heads", "num_kv_heads", default=heads)
    inner = _whole(config, "moe_intermediate_size", "intermediate_size", "n_inner",
                   default=4 * hidden)  # fmt: skip
    experts = _whole(config, "num_experts", "num_local_experts", "n_routed_experts", default=1)
    attention = 2 * hidden * size * (heads + cached_heads)
    matrices = 2 if "n_embd" in config else 3
    layer = attention + matrices * hidden * inner * experts + 2 * hidden
    tables = 1 if config.get("tie_word_embeddings") else 2
    return layers * layer + tables * _whole(config, "vocab_size") * hidden + hidden
