"""Hugging Face transformers in the worker: on one GPU, or on a CPU for small models."""

import gc
import inspect
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from typing_extensions import override

from core.errors import OutsideError
from core.evaluation.engines.hardware import (
    LocalEngine,
    not_installed,
)
from core.evaluation.engines.likelihood import (
    CUT_TOKENS,
    cut_at,
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
from core.jobs.gpus import visible_gpus


class TransformersLocal(LocalEngine):
    """One question at a time, so that padding never changes an answer. ``engine_args`` go to
    ``from_pretrained`` as they are (``dtype``, ``device_map``, ``attn_implementation`` …)."""

    name = "transformers"
    title = tr_noop("Transformers in the worker process")
    packages = ("transformers", "torch", "peft")
    answers_by = ("generation", "choice", "loglikelihood")
    cuts_prompts = True
    reserves_memory = False

    @override
    def available(self) -> Availability:
        """Usable where torch and transformers are installed."""
        missing = not_installed("torch", "transformers")
        return Availability(not missing, missing)

    @override
    def gpus(self, params: EngineParams) -> int:
        """One, where this machine has any; a small model is content with the CPU."""
        del params
        return min(1, len(visible_gpus()))

    @override
    def answer(self, questions: Sequence[Question], context: EngineContext) -> Iterator[Answer]:
        """Answers in order; a stop is heeded between questions."""
        if not questions:
            return
        with context.model(lambda: _in_memory(context)) as loaded:
            for question in questions:
                if context.stopping():
                    return
                started = time.monotonic()
                if context.params.answer_by == "loglikelihood":
                    yield loaded.choose(question, started)
                else:
                    yield loaded.write(question, started)


def _settings(params: EngineParams) -> dict[str, Any]:
    """What ``from_pretrained`` is told: weights stay in the format in which they are stored unless
    another one is asked for, also by version 4, which made float32 of them."""
    usual = {"trust_remote_code": False, "dtype": "auto"}
    if "torch_dtype" in params.engine_args:
        del usual["dtype"]
    return usual | params.engine_args


@contextmanager
def _in_memory(context: EngineContext) -> Iterator["_Loaded"]:
    context.log(tr("loading {model}", model=context.params.model))
    loaded = _Loaded(context.params)
    try:
        yield loaded
    finally:
        loaded.free()


class _Loaded:
    """A model and its tokenizer, in memory."""

    def __init__(self, params: EngineParams) -> None:
        import torch
        import transformers

        self._params = params
        self._torch = torch
        # never asked for at a terminal: what a model brings is run where the option says so
        trusted = bool(params.engine_args.get("trust_remote_code", False))
        named = {"revision": params.revision} if params.revision else {}
        try:
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(
                params.model, trust_remote_code=trusted, **named
            )
            model = transformers.AutoModelForCausalLM.from_pretrained(
                params.model, **named, **_settings(params)
            )
        except (OSError, ValueError, RuntimeError) as error:
            raise OutsideError.tr(
                "Transformers could not load “{model}”: {reason}.",
                model=params.model,
                reason=" ".join(str(error).split())[:300],
            ) from error
        if params.adapter:
            model = _with_adapter(model, params.adapter)
        if "device_map" not in params.engine_args and torch.cuda.is_available():
            model = model.to("cuda")
        self._model: Any = model.eval()
        self._end = end_of_thinking(params, self._tokenizer)
        self._longest = int(getattr(self._model.config, "max_position_embeddings", 0) or 0)
        # logits of a long prompt over a large vocabulary are gigabytes; the option needs few
        self._can_keep = "logits_to_keep" in inspect.signature(model.forward).parameters
        # of a model's own settings only its end tokens hold; the others would change what is asked
        own = model.generation_config
        model.generation_config = transformers.GenerationConfig(
            bos_token_id=own.bos_token_id,
            eos_token_id=own.eos_token_id,
            pad_token_id=own.pad_token_id,
        )

    def free(self) -> None:
        """Give the memory back, for the model that comes next."""
        self._model = None
        gc.collect()
        if self._torch.cuda.is_available():
            self._torch.cuda.empty_cache()

    def _context(self, question: Question) -> str:
        system = self._params.system
        if self._params.mode != "chat":
            return f"{system}\n\n{question.prompt}" if system else question.prompt
        turns = [{"role": "system", "content": system}] if system else []
        turns.append({"role": "user", "content": question.prompt})
        return str(
            self._tokenizer.apply_chat_template(
                turns, tokenize=False, add_generation_prompt=True, **self._params.chat_args()
            )
        )

    def _tokens(self, text: str) -> list[int]:
        # a chat template writes the special tokens itself
        plain = self._params.mode != "chat"
        return list(self._tokenizer.encode(text, add_special_tokens=plain))

    def write(self, question: Question, started: float) -> Answer:
        """Generate one answer, greedily unless the parameters say otherwise."""
        params, torch = self._params, self._torch
        limit = params.tokens_for(question)
        tokens, notes = self._tokens(self._context(question)), dict[str, int]()
        if params.long_prompts == "truncate" and self._longest:
            tokens, notes = fitted(tokens, self._longest - limit)
        if self._longest and len(tokens) > self._longest - 1:
            return too_long(question, len(tokens), self._longest - 1)
        inputs = torch.tensor([tokens], device=self._model.device)
        held = params.answer_by == "choice" and bool(question.choices)
        stops = () if held or self._end else params.stops_for(question)
        extra: dict[str, Any] = {}
        if sent := [stop for stop in stops if stop.strip()]:
            extra |= {"stop_strings": sent, "tokenizer": self._tokenizer}
        if held:
            extra["prefix_allowed_tokens_fn"] = self._only(question.choices, inputs.shape[1])
        extra["repetition_penalty"] = params.repetition_penalty
        if params.temperature > 0:
            torch.manual_seed(params.seed)
            extra |= {"do_sample": True, **params.sampling()}
        else:
            extra |= {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
        with torch.inference_mode():
            output = self._model.generate(
                inputs,
                attention_mask=torch.ones_like(inputs),
                max_new_tokens=limit,
                pad_token_id=self._padding(),
                **extra,
            )
        new = output[0, inputs.shape[1] :].tolist()
        said = self._tokenizer.decode(new, skip_special_tokens=not self._end)
        if self._end:
            said = without_special(said, self._tokenizer, self._end)
        text, stopped = cut_at(said, stops)
        ended = stopped or (bool(new) and new[-1] in self._ends()) or len(new) < limit
        return written(
            question,
            text.strip() if held else text,
            "stop" if ended else "length",
            prompt_tokens=inputs.shape[1],
            completion_tokens=len(new),
            seconds=time.monotonic() - started,
            choosing=held,
            stops=params.stops_for(question),
            end=self._end,
            told=params.thinks,
            notes=notes,
        )

    def choose(self, question: Question, started: float) -> Answer:
        """The likeliest option."""
        delimiter = "" if self._params.mode == "chat" else " "
        context = self._context(question)
        pairs = [encode_pair(self._tokens, context, delimiter + c) for c in question.choices]
        if not pairs:
            return Answer(question.id, outcome="empty")
        most = max(len(tokens) for tokens, _ in pairs)
        over = max(0, most - self._longest) if self._longest else 0
        if over and self._params.long_prompts == "fail":
            return too_long(question, most, self._longest)
        if over:
            pairs = [fitted_pair(tokens, before, self._longest) for tokens, before in pairs]
        scores = [self._likelihood(tokens, before) for tokens, before in pairs]
        notes = {CUT_TOKENS: over} if over else {}
        return most_likely(question, scores, time.monotonic() - started, notes)

    def _likelihood(self, tokens: list[int], before: int) -> float:
        """Sum of the log-probabilities of the tokens behind those ``before``."""
        torch = self._torch
        inputs = torch.tensor([tokens], device=self._model.device)
        kept = len(tokens) - before + 1
        only: dict[str, Any] = {"logits_to_keep": kept} if self._can_keep else {}
        with torch.inference_mode():
            logits = self._model(inputs, **only).logits[0, -kept:-1].float()
        logs = torch.log_softmax(logits, dim=-1)
        return float(logs.gather(1, inputs[0, before:, None]).sum())

    def _only(self, choices: Sequence[str], prompt_length: int) -> Any:
        """Allow only tokens that continue one of the choices, then the end."""
        ends = sorted(self._ends())
        delimiter = "" if self._params.mode == "chat" else " "
        spelled = [
            self._tokenizer.encode(delimiter + choice, add_special_tokens=False)
            for choice in choices
        ]

        def allowed(_: int, tokens: Any) -> list[int]:
            reply = tokens.tolist()[prompt_length:]
            open_ = [ids for ids in spelled if ids[: len(reply)] == reply]
            following = {ids[len(reply)] for ids in open_ if len(ids) > len(reply)}
            if any(len(ids) == len(reply) for ids in open_) or not following:
                following |= set(ends)
            return sorted(following)

        return allowed

    def _ends(self) -> set[int]:
        ends = self._model.generation_config.eos_token_id
        if ends is None:
            ends = self._tokenizer.eos_token_id
        return {ends} if isinstance(ends, int) else set(ends or ())

    def _padding(self) -> int:
        padding = self._tokenizer.pad_token_id
        return int(min(self._ends(), default=0) if padding is None else padding)


def _with_adapter(model: Any, adapter: str) -> Any:
    if missing := not_installed("peft"):
        raise OutsideError(missing)
    import peft

    return peft.PeftModel.from_pretrained(model, adapter)
