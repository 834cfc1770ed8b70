"""A session with one server: its client, concurrency limit, budget and refused request fields."""

import asyncio
import logging
import random
import time
from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from core.i18n import tr
from core.llm.concurrency import ConcurrencyLimit
from core.llm.failures import FailedAttempt, failure_of
from core.llm.keys import find_key, redact
from core.llm.replies import InvalidReply, parse_reply, read_reply, token_count, without_key
from core.llm.request_body import endpoint, refused_field, request_body
from core.llm.retry_policy import AttemptHistory, RetryPolicy
from core.llm.types import ChatRequest, ModelServer, Reply, Usage

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai._types import RequestOptions

log = logging.getLogger(__name__)

_LARGEST = 1e30  # of a number in an embedding, which is kept with 32 bits; NaN is no smaller
_MOST_RUNNING = 8  # works under way, waiting ones included, for each place on the line


class ServerSession:
    """``async with ServerSession(server, concurrency=16) as session: await session.ask(…)``.

    ``budget_tokens`` limits prompt and completion tokens together, ``tokens_used`` is what
    earlier parts of the same run took from it. ``usage`` counts what this session used.
    """

    def __init__(
        self,
        server: ModelServer,
        *,
        concurrency: int = 8,
        budget_tokens: int | None = None,
        tokens_used: int = 0,
        seed: int = 0,
    ) -> None:
        self.server = server
        self.usage = Usage()
        self.changed = asyncio.Event()
        self._waiting = 0
        self._concurrency = ConcurrencyLimit(concurrency)
        self._retry_policy = RetryPolicy(server, self._concurrency, random.Random(seed))
        self._budget = budget_tokens
        self._used_before = tokens_used
        self._schema_works = False
        self._key = ""
        self._options: RequestOptions = {}

    async def __aenter__(self) -> Self:
        self._key = find_key(self.server)
        self._client = _client(self.server, self._key, self._concurrency.full)
        if not self._key:
            from openai import Omit

            self._options = {"headers": {"Authorization": Omit()}}
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.close()

    @property
    def tokens(self) -> int:
        """Tokens of the whole run, earlier parts included."""
        return self._used_before + self.usage.tokens

    @property
    def waiting(self) -> int:
        """How many works wait for their next attempt."""
        return self._waiting

    def stop(self) -> None:
        """Stop all waiting: requests that wait now, or would later, are dropped."""
        self._concurrency.stopped.set()

    def budget_spent(self) -> bool:
        """Whether nothing more may be asked."""
        return self._budget is not None and self.tokens >= self._budget

    def room_for_more(self, running: int) -> bool:
        """Whether one more work may start beside ``running`` ones: place and budget allow it."""
        # before the first success what waits is no reason to send more: the server may be down
        active = running - self._waiting if self._retry_policy.successes else running
        most = max(64, _MOST_RUNNING * self._concurrency.full)
        if active >= self._concurrency.limit or running >= most:
            return False
        if self._budget is None or active <= 0:
            return True
        if not self.usage.replies:
            return False  # the first reply shows what one costs
        mean = self.usage.tokens / self.usage.replies
        return self.tokens + mean * (running + 1) <= self._budget

    async def ask(self, request: ChatRequest) -> Reply:
        """The reply to one request, after as many attempts as it takes.

        A request that gets none is a Reply with outcome ``failed``. Raises OutsideError where no
        request can succeed: nobody answers, the key is wrong, the model or address is unknown,
        the quota is used up.
        """
        path, prompt_text = endpoint(request)
        history = AttemptHistory(successes_before=self._retry_policy.successes)
        dropped: set[str] = set()
        while True:
            without = frozenset(self.usage.adaptations | dropped)
            body = request_body(self.server.model, request, without)
            outcome = await self._attempt(path, body, prompt_text, history)
            if isinstance(outcome, Reply):
                self._learn(dropped, body, outcome.latency_s)
                return self._finished(outcome, history)
            if field := refused_field(outcome, body, self._schema_works):
                dropped.add(field)
                continue
            wait_s = self._retry_policy.wait_for(outcome, history)
            if wait_s is None:
                self._retry_policy.give_up(outcome)
                failed = Reply(outcome="failed", error=outcome.detail, status=outcome.status)
                return self._finished(failed, history)
            await self._rest(request.id, outcome, wait_s)

    async def embed(self, texts: list[str]) -> list[list[float]]:
        """Embeddings of texts in their order; OutsideError where the server gives none."""
        history = AttemptHistory(successes_before=self._retry_policy.successes)
        body = {"model": self.server.model, "input": texts, "encoding_format": "float"}
        while True:
            outcome = await self._attempt_embedding(body, len(texts))
            if not isinstance(outcome, FailedAttempt):
                self._retry_policy.succeeded(0.0)
                return outcome
            wait_s = self._retry_policy.wait_for(outcome, history)
            if wait_s is None:
                raise self._retry_policy.no_use(outcome)
            await self._rest("embeddings", outcome, wait_s)

    async def _attempt(
        self, path: str, body: dict[str, Any], prompt_text: str, history: AttemptHistory
    ) -> Reply | FailedAttempt:
        async with self._concurrency.slot():
            history.attempts += 1
            self.usage.requests += 1
            started = time.monotonic()
            try:
                reply = read_reply(await self._post(path, body), prompt_text)
            except InvalidReply as error:
                return FailedAttempt("malformed", str(error))
            except Exception as error:
                return self._failure_of(error)
            return replace(reply, latency_s=time.monotonic() - started)

    async def _attempt_embedding(
        self, body: dict[str, Any], expected: int
    ) -> list[list[float]] | FailedAttempt:
        async with self._concurrency.slot():
            self.usage.requests += 1
            try:
                answer = await self._post("/embeddings", body)
            except InvalidReply as error:
                return FailedAttempt("malformed", str(error))
            except Exception as error:
                return self._failure_of(error)
        try:
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            vectors = [[float(x) for x in row["embedding"]] for row in rows]
            self.usage.prompt_tokens += (
                token_count(answer.get("usage", {}).get("total_tokens")) or 0
            )
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            return FailedAttempt("malformed", tr("the answer has no embeddings"))
        if len(vectors) != expected or len({len(vector) for vector in vectors}) > 1:
            return FailedAttempt("malformed", tr("the answer's embeddings do not match the texts"))
        if not all(vector and all(abs(x) < _LARGEST for x in vector) for vector in vectors):
            return FailedAttempt("malformed", tr("the answer's embeddings hold no numbers"))
        return vectors

    async def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        import httpx2

        answer = await self._client.post(
            path, body=body, cast_to=httpx2.Response, options=self._options
        )
        try:
            return without_key(parse_reply(answer.content), self._key)
        except ValueError:
            raise InvalidReply(tr("the answer is not JSON, or nested too deeply")) from None

    def _failure_of(self, error: Exception) -> FailedAttempt:
        """The trouble in a client's exception, without a key in its words."""

        def hide(text: str) -> str:
            return redact(text, self._key) if self.server.quoted else ""

        failure = failure_of(error, hide)
        return replace(failure, detail=redact(failure.detail, self._key))

    async def _rest(self, who: str, failure: FailedAttempt, seconds: float) -> None:
        """Wait outside the line; StoppedError when the session is stopped meanwhile."""
        self.usage.retries += 1
        told = tr("{who}: {trouble}; next attempt in {seconds} s",
                  who=who, trouble=failure.detail, seconds=f"{seconds:.1f}")  # fmt: skip
        log.info("%s", told)  # no report of a crash holds what is put into a sentence
        self._waiting += 1
        self.changed.set()
        try:
            await self._concurrency.rest(seconds)
        finally:
            self._waiting -= 1

    def _learn(self, dropped: set[str], body: Mapping[str, Any], latency_s: float) -> None:
        """Remember what worked, and what only worked once it was left out."""
        self._retry_policy.succeeded(latency_s)
        self._schema_works = self._schema_works or "response_format" in body
        for field in sorted(dropped - self.usage.adaptations):
            told = tr("The server refuses {field}; asking without it from now on.", field=field)
            log.warning("%s", told)
        self.usage.adaptations |= dropped

    def _finished(self, reply: Reply, history: AttemptHistory) -> Reply:
        reply = replace(
            reply,
            attempts=history.attempts,
            server_waits_s=history.server_waits_s,
            model=reply.model or self.server.model,
        )
        self.usage.add(reply)
        return reply


def _client(server: ModelServer, key: str, connections: int) -> "AsyncOpenAI":
    """The client, which neither retries by itself nor sends what is meant for other servers."""
    import httpx2
    import openai

    from core.bounded_http import BoundedClient

    headers: dict[str, Any] = {}
    if "api.openai.com" not in server.base_url:
        # the client would take these from the environment and send them to anybody
        headers |= {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}
    limits = httpx2.Limits(max_connections=connections, max_keepalive_connections=connections)
    http = BoundedClient(total_s=server.timeout_s, limits=limits, trust_env=not server.on_loopback)
    return openai.AsyncOpenAI(
        api_key=key or "none",
        base_url=server.base_url,
        max_retries=0,
        default_headers=headers,
        timeout=http.timeout,
        http_client=http,
    )
