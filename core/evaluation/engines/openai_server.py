"""Any OpenAI-compatible server, through the one door in ``core.llm``."""

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from core.errors import OutsideError
from core.evaluation.types import Answer, Engine, EngineContext, EngineParams, Mode, Question
from core.i18n import tr, tr_noop, trn

if TYPE_CHECKING:
    from core.llm.session import ServerSession
    from core.llm.types import ChatRequest, Reply

_TELL_S = 1.0  # seconds between two notes of what a session costs


class OpenAIServer(Engine):
    """Completion or chat requests, many at once, with the retries and the budget of core.llm."""

    name = "openai"
    title = tr_noop("OpenAI-compatible server")
    needs_server = True
    answers_by = ("generation", "choice")

    def answer(self, questions: Sequence[Question], context: EngineContext) -> Iterator[Answer]:
        """Answers in the order in which the server gives them."""
        params = context.params
        if not questions:
            return
        mode = params.mode
        rest = questions
        if mode == "auto":
            mode, first = _find_mode(questions[0], context)
            if first is not None:
                yield first
                rest = questions[1:]
        context.note(mode=mode)
        yield from _ask(rest, mode, context)

    @override
    def versions(self, params: EngineParams) -> dict[str, str]:
        """The client's version; what the server runs, only the server knows."""
        from importlib.metadata import version

        return {"openai": version("openai")}


def _find_mode(question: Question, context: EngineContext) -> tuple[Mode, Answer | None]:
    """Completion where the server has it, else chat; with the answer the trial brought."""
    trial: OutsideError | None = None
    for mode in ("completion", "chat"):
        try:
            answer = next(_ask([question], mode, context), None)
        except OutsideError as error:
            if trial is not None:
                raise trial from error
            trial = error
            context.log(
                tr("The server gives no plain completion ({error}); trying chat.", error=error)
            )
            continue
        if answer is None or answer.outcome != "failed":
            return mode, answer
        context.log(
            tr("The first question in {mode} mode failed ({error}).", mode=mode, error=answer.error)
        )
    return "completion", None


def _ask(questions: Sequence[Question], mode: Mode, context: EngineContext) -> Iterator[Answer]:
    """Answers; those whose thinking was cut by a stop string are asked for again without any."""
    params = context.params
    again: list[str] = []
    for answer in _replies(questions, mode, context, with_stops=not params.thinks):
        by_stop = answer.outcome == "thinking_truncated" and answer.finish_reason == "stop"
        if by_stop and not params.thinks:
            again.append(answer.id)
        else:
            yield answer
    if again and not context.stopping():
        rest = [question for question in questions if question.id in set(again)]
        yield from _replies(rest, mode, context, with_stops=False)


def _replies(
    questions: Sequence[Question], mode: Mode, context: EngineContext, *, with_stops: bool
) -> Iterator[Answer]:
    from core.llm.batch import ask_all
    from core.llm.types import ModelServer

    params = context.params
    server = ModelServer.named_by(params, quoted=context.quoted)
    watch = _SessionLog(context)
    replies = ask_all(
        server,
        (_request(question, mode, params, with_stops) for question in questions),
        concurrency=params.concurrency,
        budget_tokens=params.budget_tokens,
        tokens_used=context.tokens_used,
        stopping=watch.stopping,
        watch=watch.begin,
    )
    asked = {question.id: question for question in questions}
    for id_, reply in replies:
        yield _answer(asked[id_], reply, mode, params)
    watch.end()


class _SessionLog:
    """Tells of a session while it is at work: what it costs, and that it waits for the server."""

    def __init__(self, context: EngineContext) -> None:
        self._context = context
        self._session: ServerSession | None = None
        self._logged_at = time.monotonic()
        self._waits = False

    def begin(self, session: "ServerSession") -> None:
        self._session = session

    def stopping(self) -> bool:
        """Is asked several times a second as long as the session lives."""
        if time.monotonic() - self._logged_at > _TELL_S:
            self._log()
        return self._context.stopping()

    def _log(self) -> None:
        self._logged_at = time.monotonic()
        if self._session is None:
            return
        usage, waiting = self._session.usage, self._session.waiting
        self._context.note(
            requests=usage.requests,
            retries=usage.retries,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            server_waits_s=round(usage.server_waits_s, 3),
            left_out=sorted(usage.adaptations),
            waiting=waiting,
        )
        if waiting and not self._waits:
            self._context.log(
                trn(
                    "1 question is waiting: the server asked to wait or did not answer.",
                    "{n} questions are waiting: the server asked to wait or did not answer.",
                    waiting,
                )
            )
        self._waits = bool(waiting)

    def end(self) -> None:
        self._log()
        if self._session is not None and self._session.budget_spent():
            self._context.log(tr("The token budget is used up; resume with a larger one."))


def _request(
    question: Question, mode: Mode, params: EngineParams, with_stops: bool
) -> "ChatRequest":
    from core.llm.types import ChatRequest, Message

    # what a server does without them is its own affair, and not every one knows them
    usual = EngineParams.model_fields
    extra: dict[str, Any] = {
        name: value
        for name, value in params.sampling().items()
        if name != "temperature" and value != usual[name].default
    }
    extra |= params.engine_args
    if params.answer_by == "choice" and question.choices:
        # vLLM's own field; a server that does not know it answers freely, and extraction decides
        extra["structured_outputs"] = {"choice": list(question.choices)}
    common: dict[str, Any] = {
        "id": question.id,
        "max_tokens": params.tokens_for(question),
        "temperature": params.temperature,
        "stop": params.stops_sent(question) if with_stops else (),
        "seed": params.seed,
        "extra": extra,
    }
    if mode == "chat":
        if arguments := params.chat_args():
            extra["chat_template_kwargs"] = arguments
        turns = (Message("system", params.system),) if params.system else ()
        return ChatRequest(messages=(*turns, Message("user", question.prompt)), **common)
    prompt = f"{params.system}\n\n{question.prompt}" if params.system else question.prompt
    return ChatRequest(prompt=prompt, **common)


def _answer(question: Question, reply: "Reply", mode: Mode, params: EngineParams) -> Answer:
    from core.evaluation.engines.likelihood import cut_at, split_thinking

    outcome, text, thinking = reply.outcome, reply.text, reply.reasoning
    finish = reply.finish_reason
    held = params.answer_by == "choice"
    if not thinking and params.thinks:
        text, thinking = split_thinking(text, params.think_end_token, finish, told=True)
    if not held:
        text, stopped = cut_at(text, params.stops_for(question))
        if stopped:
            finish, outcome = "stop", "ok" if text.strip() else "empty"
    # by the limit, or by a stop string inside the thinking
    unanswered = outcome in ("ok", "truncated", "empty") and not text.strip()
    cut_thinking = unanswered and bool(thinking)
    return Answer(
        id=question.id,
        text=text,
        outcome="thinking_truncated" if cut_thinking else outcome,
        choice=text.strip() if held and text.strip() in question.choices else None,
        finish_reason=finish,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        latency_s=reply.latency_s,
        thinking=thinking,
        error=reply.error or reply.refusal,
        notes={"mode": mode, "attempts": reply.attempts, "model": reply.model},
    )
