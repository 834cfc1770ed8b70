"""Which options a run may set of an engine that loads models on this machine.

A run may come from anybody, and some options of vLLM and Transformers run code, open files or
listen to others: ``trust_remote_code``, ``chat_template``, ``middleware`` and new ones with every
version. So a run may set those listed here, to plain values; any other only where the person who
works on the run has named it in ``BENCHSEAL_ENGINE_OPTIONS``.
"""

import math
import os
import re
from collections.abc import Mapping
from typing import Any

from core.errors import InputError

OPTIONS_VARIABLE = "BENCHSEAL_ENGINE_OPTIONS"

PLAIN_OPTIONS = frozenset(
    {
        "async_scheduling", "attn_implementation", "block_size", "cpu_offload_gb",
        "data_parallel_size", "device", "device_map", "disable_cascade_attn",
        "disable_custom_all_reduce", "disable_log_stats", "disable_sliding_window",
        "distributed_executor_backend", "dtype", "enable_chunked_prefill", "enable_expert_parallel",
        "enable_prefix_caching", "enforce_eager", "gpu_memory_utilization", "kv_cache_dtype",
        "kv_cache_memory_bytes", "long_prefill_token_threshold", "low_cpu_mem_usage",
        "max_logprobs", "max_model_len", "max_num_batched_tokens", "max_num_partial_prefills",
        "max_num_seqs", "max_seq_len_to_capture", "num_gpu_blocks_override",
        "pipeline_parallel_size", "quantization", "rope_theta", "scheduling_policy", "seed",
        "startup_s", "swap_space", "tensor_parallel_size", "torch_dtype", "use_safetensors",
    }
)  # fmt: skip
"""Options that load no code, open no file and reach no other machine, in both packages."""

# a path, an address and the name of a class or a repository have a dot or a slash
_PLAIN_TEXT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_:-]{0,99}")


def refuse_unsafe_options(
    model: str, revision: str, adapter: str, options: Mapping[str, Any]
) -> None:
    """InputError for an option, or a value, that this person has not allowed; for a model, a
    revision or an adapter that an engine would read as an option."""
    for value in (model, revision, adapter):
        if value.strip().startswith("-"):
            raise InputError.tr(
                "A model, a revision or an adapter cannot begin with “-”: “{given}”.",
                given=value[:100]
            )  # fmt: skip
    allowed = _allowed_here()
    for name, value in options.items():
        plain = name.replace("-", "_")
        if plain in allowed or (plain in PLAIN_OPTIONS and _is_plain(value)):
            continue
        raise InputError.tr(
            "The option “{name}” of this run could run code or open files on this machine, so "
            "it is not used. If you trust the run and its model, set {variable}={name} and "
            "start it again.",
            name=name[:100],
            variable=OPTIONS_VARIABLE,
        )


def options_for_jobs() -> dict[str, str]:
    """The variable that tells a job on another machine what this person has allowed."""
    allowed = _allowed_here()
    return {OPTIONS_VARIABLE: ",".join(sorted(allowed))} if allowed else {}


def _allowed_here() -> frozenset[str]:
    names = os.environ.get(OPTIONS_VARIABLE, "").replace("-", "_").split(",")
    return frozenset(filter(None, map(str.strip, names)))


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return _PLAIN_TEXT.fullmatch(value) is not None
    return value is None or isinstance(value, bool | int) or (
        isinstance(value, float) and math.isfinite(value)
    )  # fmt: skip
