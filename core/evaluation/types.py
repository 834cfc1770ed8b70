"""What travels between an evaluation and its engines: questions, answers, parameters.

A question holds nothing that would give the answer away: keys stay at home
(``core.evaluation.scoring``).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from core.errors import InputError, OutsideError
from core.families import family
from core.families.base import ItemContent
from core.i18n import listed
from core.jobs.engine_options import refuse_unsafe_options
from core.jobs.model_in_memory import ModelInMemory
from core.redaction import refuse_stored_key

Outcome = Literal["ok", "truncated", "thinking_truncated", "refused", "empty", "failed"]
AnswerBy = Literal["generation", "choice", "loglikelihood"]
Mode = Literal["auto", "completion", "chat"]
LongPrompts = Literal["fail", "truncate"]
_Model = TypeVar("_Model")


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt to answer; a line of a run's ``work.jsonl``.

    ``id`` is the item's uid, with a variant behind ``#`` where an item is asked in several ways.
    ``choices`` are the admissible answers in order and ``choice_texts`` what each one says;
    both are empty for free generation. Nothing here tells the key: candidates of a short answer
    are the same for a whole block of items.
    """

    id: str
    family: str
    format: str
    domain: str
    prompt: str
    choices: tuple[str, ...] = ()
    choice_texts: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()
    max_tokens: int = 50

    def as_json(self) -> dict[str, Any]:
        """A line of ``work.jsonl``."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "Question":
        """Inverse of ``as_json``."""
        return cls(
            id=row["id"],
            family=row["family"],
            format=row["format"],
            domain=row["domain"],
            prompt=row["prompt"],
            choices=tuple(row.get("choices", ())),
            choice_texts=tuple(row.get("choice_texts", ())),
            stop=tuple(row.get("stop", ())),
            max_tokens=row.get("max_tokens", 50),
        )


def question_of(uid: str, content: ItemContent, instruction: str = "") -> Question:
    """The question that an item asks, in its family's words or in those of an instruction."""
    prompt = family(content.family).prompt(content, instruction)
    return Question(
        id=uid,
        family=content.family,
        format=content.format,
        domain=content.domain,
        prompt=prompt.text,
        choices=prompt.choices,
        choice_texts=prompt.choice_texts,
        stop=prompt.stop,
        max_tokens=prompt.max_tokens,
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine made of one question; a line of a run's shard file.

    ``text`` is the answer without the model's thinking, which is in ``thinking``. ``choice`` is
    the chosen one of ``choices`` where the engine chose instead of writing. ``outcome``: ``ok``;
    ``truncated`` (the token limit cut the answer, which is still scored);
    ``thinking_truncated`` (the thinking was cut, so that there is no answer); ``refused``;
    ``empty``; ``failed`` (no answer could be had; ``error`` says why). ``latency_s`` is the time
    in seconds of the one request, its wait for a seat in the engine included, or the batch's time
    shared out where an engine works in batches. ``scores`` are the log-likelihoods of the choices
    where they were measured.
    """

    id: str
    text: str = ""
    outcome: Outcome = "ok"
    choice: str | None = None
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    latency_s: float = 0.0
    thinking: str = ""
    error: str = ""
    scores: tuple[float, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """A line of a shard file; fields that say nothing are left out."""
        row = {name: getattr(self, name) for name in self.__slots__}
        filled = {name: value for name, value in row.items() if value or name == "text"}
        return filled | {"latency_s": round(self.latency_s, 4)}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "Answer":
        """Inverse of ``as_json``; unknown fields are ignored."""
        get = row.get
        return cls(
            id=row["id"],
            text=get("text", ""),
            outcome=get("outcome", "ok"),
            choice=get("choice"),
            finish_reason=get("finish_reason", ""),
            prompt_tokens=get("prompt_tokens", 0),
            completion_tokens=get("completion_tokens", 0),
            latency_s=get("latency_s", 0.0),
            thinking=get("thinking", ""),
            error=get("error", ""),
            scores=tuple(get("scores", ())),
            notes=get("notes") or {},
        )


class EngineParams(BaseModel):
    """How questions are put to a model, whichever engine does it.

    ``engine_args`` are passed through to the engine's own package (``dtype``,
    ``tensor_parallel_size``, ``quantization``, ``max_model_len`` …). ``mode`` ``auto`` asks for
    plain completion, as the paper does, and falls back to chat where a server has no completion.
    ``max_tokens`` and ``stop`` replace those of the items where they are given. ``temperature``,
    ``top_p``, ``top_k`` (0: all tokens) and ``repetition_penalty`` are the same for every engine,
    whatever a model's own ``generation_config.json`` says. A prompt longer than the model takes
    fails, or is cut from the left with ``long_prompts`` ``truncate``, as lm-evaluation-harness
    does; both are counted. ``enable_thinking`` switches the
    thinking of a model whose chat template knows it (None: as the model does), ``template_args``
    are further arguments of its template. Stop strings apply behind ``think_end_token``, which is
    ``</think>`` where none is given. ``batch`` is how
    many questions the engine ``vllm`` is given at once; None: as many as keep it busy.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    engine: str
    model: str = ""
    revision: str = ""
    adapter: str = ""
    base_url: str = ""
    # named by older runs, and by people who say so: nothing that is kept names a variable
    key_env: str = Field(default="", exclude=True)
    mode: Mode = "auto"
    answer_by: AnswerBy = "generation"
    system: str = ""
    max_tokens: int | None = Field(default=None, ge=1)
    stop: tuple[str, ...] | None = None
    temperature: float = Field(default=0.0, ge=0.0)
    top_p: float = Field(default=1.0, gt=0.0, le=1.0)
    top_k: int = Field(default=0, ge=0)
    repetition_penalty: float = Field(default=1.0, gt=0.0)
    long_prompts: LongPrompts = "fail"
    enable_thinking: bool | None = None
    think_end_token: str = ""
    template_args: dict[str, Any] = {}
    seed: int = 0
    concurrency: int = Field(default=16, ge=1, le=4096)
    batch: int | None = Field(default=None, ge=1)
    timeout_s: float = Field(default=120.0, gt=0)
    retries: int = Field(default=5, ge=0)
    budget_tokens: int | None = Field(default=None, ge=0)
    engine_args: dict[str, Any] = {}

    def sampling(self) -> dict[str, float]:
        """The settings of sampling, each said explicitly."""
        names = ("temperature", "top_p", "top_k", "repetition_penalty")
        return {name: getattr(self, name) for name in names}

    def chat_args(self) -> dict[str, Any]:
        """Arguments of the chat template."""
        switch = {} if self.enable_thinking is None else {"enable_thinking": self.enable_thinking}
        return {**self.template_args, **switch}

    @property
    def thinks(self) -> bool:
        """Whether the model is said to think before it answers."""
        return self.enable_thinking is True or bool(self.think_end_token)

    def tokens_for(self, question: Question) -> int:
        """The token limit for a question's answer."""
        return self.max_tokens or question.max_tokens

    def stops_for(self, question: Question) -> tuple[str, ...]:
        """The stop strings for a question's answer."""
        return question.stop if self.stop is None else self.stop

    def stops_sent(self, question: Question) -> tuple[str, ...]:
        """Those of them at which an engine may stop: a line's end before the answer ends nothing,
        so replies are cut there afterwards."""
        return tuple(stop for stop in self.stops_for(question) if stop.strip())


def _never() -> bool:
    return False


def _ignore(*_: Any, **__: Any) -> None:
    return None


@dataclass(frozen=True)
class EngineContext:
    """What an engine is handed beside the questions.

    ``stopping()`` turns true when nothing new should be begun. ``tokens_used`` is what earlier
    parts of the same run took from the token budget. ``folder`` is the run folder, for the
    engine's own log files; where the run is ``locked``, an engine writes none, and where it is not
    ``quoted``, errors do not repeat what a server said. ``loaded`` is what
    the worker keeps in memory over several runs; None where this is the only one.
    """

    params: EngineParams
    folder: Path
    stopping: Callable[[], bool] = _never
    log: Callable[[str], None] = _ignore
    note: Callable[..., None] = _ignore
    tokens_used: int = 0
    locked: bool = False
    quoted: bool = True
    loaded: ModelInMemory | None = None

    @contextmanager
    def model(self, load: Callable[[], AbstractContextManager[_Model]]) -> Iterator[_Model]:
        """The model of ``params``, entered by ``load`` unless an earlier run of this worker left it
        in memory; runs with the same parameters of their engine share it, but never a locked one
        with one that is not, whose logs may quote prompts."""
        if self.loaded is None:
            with load() as model:
                yield model
            return
        given = self.params.model_dump_json(include=set(EngineParams.model_fields))
        try:
            yield self.loaded.get((given, self.locked), load)
        except Exception:
            self.loaded.close()  # what is left in it after an error is nobody's guess
            raise


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether an engine can be used here; ``reason`` says what to install where it cannot."""

    usable: bool
    reason: str = ""


class Engine(ABC):
    """One way to get answers. Stateless; listed in ``core.evaluation.engines.ENGINES``.

    ``title`` is English; people read ``tr(title)``, so it has its translations as any sentence.
    An answer depends on its question and the parameters alone, never on the order or the number
    of the questions beside it, so that shards and resumed runs give the same answers.
    """

    name: str
    title: str
    needs_model: bool = True
    needs_server: bool = False
    needs_options: bool = False
    cuts_prompts: bool = False
    answers_by: tuple[AnswerBy, ...] = ("generation",)
    reserves_memory: bool = True
    """Whether it takes its share of a GPU at once, as vLLM does; else what it needs as it goes."""

    @abstractmethod
    def answer(self, questions: Sequence[Question], context: EngineContext) -> Iterator[Answer]:
        """Answers in any order, each as soon as it is there; fewer when ``stopping()``.

        A question that cannot be answered is an Answer with outcome ``failed``. Raises
        OutsideError where none can be answered: server gone, package or model missing.
        """

    def available(self) -> Availability:
        """Whether this machine has what the engine needs; cheap, loads nothing heavy."""
        return Availability(True)

    @abstractmethod
    def versions(self, params: EngineParams) -> dict[str, str]:
        """Versions of everything behind the answers: packages, model revision, GPU, driver."""

    def gpus(self, params: EngineParams) -> int:
        """How many GPUs one worker needs; 0 for an engine that needs none of this machine's."""
        del params
        return 0

    def require(self, params: EngineParams) -> None:
        """Refuse parameters this engine cannot work with (InputError, or OutsideError)."""
        refuse_stored_key(params.base_url, params.key_env)
        if self.needs_model and not self.needs_server:
            refuse_unsafe_options(params.model, params.revision, params.adapter, params.engine_args)
        if self.needs_model and not params.model.strip():
            raise InputError.tr(
                "Engine “{engine}” needs a model (in commands: --model NAME).", engine=self.name
            )
        if self.needs_server and not params.base_url.strip():
            raise InputError.tr(
                "Engine “{engine}” needs the address of a server (in commands: --base-url URL).",
                engine=self.name
            )  # fmt: skip
        if params.long_prompts == "truncate" and not self.cuts_prompts:
            raise InputError.tr(
                "Engine “{engine}” cannot cut prompts that are too long. Use vllm or "
                "transformers, or leave long_prompts out.",
                engine=self.name,
            )
        if params.answer_by not in self.answers_by:
            raise InputError.tr(
                "Engine “{engine}” does not support the answer mode {way}. Available: {known}.",
                engine=self.name,
                way=params.answer_by,
                known=listed(self.answers_by),
            )
        availability = self.available()
        if not availability.usable:
            raise OutsideError(availability.reason)
