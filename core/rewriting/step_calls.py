"""One question of one step: from the log if it was answered before, else from the server."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal, TypeVar

from core.files import digest
from core.llm.concurrency import StoppedError
from core.llm.replies import InvalidReply, json_schema, parse_json_reply
from core.llm.session import ServerSession
from core.llm.types import ChatRequest, Message, Reply
from core.rewriting.call_log import CallLog
from core.rewriting.params import RewriteParams
from core.rewriting.prompts import StepPrompt
from core.rewriting.reply_schemas import Form

F = TypeVar("F", bound=Form)

FailureReason = Literal["invalid_reply", "truncated", "refused", "empty_reply", "no_reply"]
_AGAIN = "That was not the form asked for ({why}). Reply again, with the one JSON object only."
_KEPT = ("text", "outcome", "finish_reason", "prompt_tokens", "completion_tokens",
         "tokens_estimated", "reasoning", "refusal", "error", "status", "latency_s",
         "server_waits_s", "attempts", "model")  # fmt: skip
_SEED_STEP = 1000  # between the seeds of two rounds, so that a repeated text is drawn afresh


class StepFailed(Exception):
    """A step got no usable reply; the item ends there. Not an error of the run."""

    def __init__(self, step: str, why: FailureReason, detail: str = "") -> None:
        super().__init__(f"{step}: {why} {detail}".strip())
        self.step, self.why, self.detail = step, why, detail


@dataclass(frozen=True, slots=True)
class CallPosition:
    """Where in an item's journey a call stands. ``turn`` is 2 for the second text of a pair."""

    item: str
    step: str
    round: int = 1
    turn: int = 1


@dataclass
class CallTrail:
    """The calls that led to an item's outcome, in order, as the record keeps them."""

    calls: list[list[Any]] = field(default_factory=list)
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, place: CallPosition, key: str, reply: Mapping[str, Any]) -> None:
        """Note one call."""
        self.calls.append([place.step, place.round, place.turn, key])
        self.prompt_tokens += int(reply.get("prompt_tokens", 0))
        self.completion_tokens += int(reply.get("completion_tokens", 0))


class StepCaller:
    """Where all items of a run put their questions. ``budget`` is in tokens, None for no limit.

    ``spent`` turns true when the budget leaves room for no further call; from then on every new
    question ends its item unfinished.
    """

    def __init__(self, params: RewriteParams, log: CallLog, budget: int | None) -> None:
        self._params = params
        self.log = log
        self.budget = budget
        self._on_their_way = 0
        self.spent = False

    async def ask(
        self,
        session: ServerSession,
        place: CallPosition,
        prompt: StepPrompt,
        form: type[F],
        trace: CallTrail,
        *,
        critic: bool = False,
    ) -> F:
        """The reply in its form. Raises StepFailed where there is none after ``asks`` tries."""
        request = self._request(place, prompt, form, critic)
        for ask in range(1, self._params.asks + 1):
            reply = await self._reply(session, place, prompt, request, trace, ask)
            if reply["outcome"] in ("failed", "refused"):
                why: FailureReason = "no_reply" if reply["outcome"] == "failed" else "refused"
                raise StepFailed(place.step, why, reply["error"] or reply["refusal"])
            try:
                return parse_json_reply(reply["text"], form)
            except InvalidReply as error:
                last = StepFailed(place.step, _why(reply), str(error))
                request = _repeated_request(request, reply, str(error))
        raise last

    def _request(
        self, place: CallPosition, prompt: StepPrompt, form: type[Form], critic: bool
    ) -> ChatRequest:
        params = self._params
        other = bool(critic and params.critic_model and params.critic_model != params.model)
        return ChatRequest(
            id=f"{place.item}/{place.step}",
            messages=(Message("user", prompt.text),),
            max_tokens=params.max_tokens,
            temperature=params.temperature,
            seed=params.seed + _SEED_STEP * (place.round - 1),
            schema=_schema(form),
            schema_name=place.step,
            extra={"model": params.critic_model} if other else {},
        )

    def _key(self, place: CallPosition, prompt: StepPrompt, request: ChatRequest) -> str:
        return digest(
            {
                "step": place.step,
                "model": request.extra.get("model", self._params.model),
                "prompt_version": prompt.version,
                "messages": [[m.role, m.content] for m in request.messages],
                "max_tokens": request.max_tokens,
                "temperature": request.temperature,
                "seed": request.seed,
            }
        )

    async def _reply(
        self,
        session: ServerSession,
        place: CallPosition,
        prompt: StepPrompt,
        request: ChatRequest,
        trace: CallTrail,
        ask: int,
    ) -> Mapping[str, Any]:
        """The reply as its log entry has it, new or kept."""
        key = self._key(place, prompt, request)
        async with self.log.alone(key):
            entry = self.log.find(key)
            if entry is None:
                reply = await self._from_server(session, request)
                entry = {
                    "key": key,
                    "kept": reply.outcome != "failed",
                    "item": place.item,
                    "step": place.step,
                    "round": place.round,
                    "turn": place.turn,
                    "ask": ask,
                    "prompt_version": prompt.version,
                    "messages": [[m.role, m.content] for m in request.messages],
                    "max_tokens": request.max_tokens,
                    "seed": request.seed,
                    "reply": {name: getattr(reply, name) for name in _KEPT},
                }
                self.log.append(entry)
        answer: Mapping[str, Any] = entry["reply"]
        trace.add(place, key, answer)
        return answer

    async def _from_server(self, session: ServerSession, request: ChatRequest) -> Reply:
        if self.spent or not self._affordable(session):
            self.spent = True
            raise StoppedError
        self._on_their_way += 1
        try:
            return await session.ask(request)
        finally:
            self._on_their_way -= 1

    def _affordable(self, session: ServerSession) -> bool:
        """Whether one more call of usual size fits beside those on their way."""
        if self.budget is None:
            return True
        usage = session.usage
        mean = usage.tokens / usage.replies if usage.replies else 0
        return usage.tokens + mean * (self._on_their_way + 1) <= self.budget and self.budget > 0


@cache
def _schema(form: type[Form]) -> dict[str, Any]:
    """Made once for each form: it costs more than everything else about a question."""
    return json_schema(form)


def _why(reply: Mapping[str, Any]) -> FailureReason:
    named: dict[str, FailureReason] = {"truncated": "truncated", "empty": "empty_reply"}
    return named.get(str(reply["outcome"]), "invalid_reply")


def _repeated_request(request: ChatRequest, reply: Mapping[str, Any], why: str) -> ChatRequest:
    """The question once more: with more room after a cut reply, with the fault after another."""
    if reply["outcome"] == "truncated" and request.max_tokens:
        return replace(request, max_tokens=2 * request.max_tokens)
    turns = (
        Message("assistant", reply["text"][:4000] or "…"),
        Message("user", _AGAIN.format(why=why)),
    )
    return replace(request, messages=(*request.messages, *turns))
