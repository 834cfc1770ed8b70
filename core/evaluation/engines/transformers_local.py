"""Hugging Face transformers in the worker: on one GPU, or on a CPU for small models."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

from typing_extensions import override

from core.errors import OutsideError
from core.evaluation.engines.hardware import (
    gpu_versions,
    model_versions,
    not_installed,
    package_versions,
)
from core.evaluation.engines.likelihood import cut_at, encode_pair, most_likely, written
from core.evaluation.types import (
    Answer,
    Availability,
    Engine,
    EngineContext,
    EngineParams,
    Question,
)
from core.i18n import tr, tr_noop
from core.jobs.gpus import visible_gpus


class TransformersLocal(Engine):
    """One question at a time, so that padding never changes an answer. ``engine_args`` go to
    ``from_pretrained`` as they are (``dtype``, ``device_map``, ``attn_implementation`` …)."""

    name = "transformers"
    title = tr_noop("Transformers in the worker process")
    answers_by = ("generation", "choice", "loglikelihood")

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
        loaded = _Loaded(context.params)
        for question in questions:
            if context.stopping():
                return
            started = time.monotonic()
            if context.params.answer_by == "loglikelihood":
                scores = [loaded.likelihood(question, choice) for choice in question.choices]
                seconds = time.monotonic() - started
                empty = Answer(question.id, outcome="empty")
                yield most_likely(question, scores, seconds) if scores else empty
            else:
                yield loaded.write(question, started)

    @override
    def versions(self, params: EngineParams) -> dict[str, str]:
        """Packages, model files, GPU and driver."""
        versions = model_versions(params.model, params.revision, params.adapter)
        return package_versions("transformers", "torch", "peft") | versions | gpu_versions()


class _Loaded:
    """A model and its tokenizer, in memory."""

    def __init__(self, params: EngineParams) -> None:
        import torch
        import transformers

        self._params = params
        self._torch = torch
        named = {"revision": params.revision} if params.revision else {}
        try:
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(params.model, **named)
            model = transformers.AutoModelForCausalLM.from_pretrained(
                params.model, **named, **params.engine_args
            )
        except (OSError, ValueError, RuntimeError) as error:
            raise OutsideError(
                tr(
                    "Transformers could not load “{model}”: {reason}.",
                    model=params.model,
                    reason=" ".join(str(error).split())[:300],
                )
            ) from error
        if params.adapter:
            model = _with_adapter(model, params.adapter)
        if "device_map" not in params.engine_args and torch.cuda.is_available():
            model = model.to("cuda")
        self._model: Any = model.eval()

    def _context(self, question: Question) -> str:
        system = self._params.system
        if self._params.mode != "chat":
            return f"{system}\n\n{question.prompt}" if system else question.prompt
        turns = [{"role": "system", "content": system}] if system else []
        turns.append({"role": "user", "content": question.prompt})
        return str(
            self._tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        )

    def _tokens(self, text: str) -> list[int]:
        # a chat template writes the special tokens itself
        plain = self._params.mode != "chat"
        return list(self._tokenizer.encode(text, add_special_tokens=plain))

    def write(self, question: Question, started: float) -> Answer:
        """Generate one answer, greedily unless the parameters say otherwise."""
        params, torch = self._params, self._torch
        inputs = torch.tensor([self._tokens(self._context(question))], device=self._model.device)
        held = params.answer_by == "choice" and bool(question.choices)
        stops = () if held else params.stops_for(question)
        extra: dict[str, Any] = {}
        if stops:
            extra |= {"stop_strings": list(stops), "tokenizer": self._tokenizer}
        if held:
            extra["prefix_allowed_tokens_fn"] = self._only(question.choices, inputs.shape[1])
        if params.temperature > 0:
            torch.manual_seed(params.seed)
            extra |= {"do_sample": True, "temperature": params.temperature}
        else:
            extra |= {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
        limit = params.tokens_for(question)
        with torch.inference_mode():
            output = self._model.generate(
                inputs,
                attention_mask=torch.ones_like(inputs),
                max_new_tokens=limit,
                pad_token_id=self._padding(),
                **extra,
            )
        new = output[0, inputs.shape[1] :].tolist()
        text, stopped = cut_at(self._tokenizer.decode(new, skip_special_tokens=True), stops)
        ended = stopped or (bool(new) and new[-1] in self._ends()) or len(new) < limit
        return written(
            question,
            text.strip() if held else text,
            "stop" if ended else "length",
            prompt_tokens=inputs.shape[1],
            completion_tokens=len(new),
            seconds=time.monotonic() - started,
            choosing=held,
        )

    def likelihood(self, question: Question, choice: str) -> float:
        """Sum of the log-probabilities of a choice's tokens behind the prompt."""
        torch = self._torch
        delimiter = "" if self._params.mode == "chat" else " "
        tokens, before = encode_pair(self, self._context(question), delimiter + choice)
        inputs = torch.tensor([tokens], device=self._model.device)
        with torch.inference_mode():
            logits = self._model(inputs).logits[0, before - 1 : -1].float()
        logs = torch.log_softmax(logits, dim=-1)
        return float(logs.gather(1, inputs[0, before:, None]).sum())

    def encode(self, text: str) -> list[int]:
        """Tokens of a text, in the form that ``encode_pair`` asks for."""
        return self._tokens(text)

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
