"""Many works against one session, handed over one by one as they finish."""

import asyncio
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from typing import Generic, TypeVar

from core.llm.concurrency import StoppedError
from core.llm.session import ServerSession
from core.llm.types import ChatRequest, ModelServer, Reply

W = TypeVar("W")
R = TypeVar("R")

WorkFunction = Callable[[ServerSession, W], Awaitable[R]]
_POLL_S = 0.2
_GRACE_S = 10.0  # for what is on its way when a stop is asked for


def _never() -> bool:
    return False


class _WorkPool(Generic[W, R]):
    """The works under way in a session, and those that have come to an end."""

    def __init__(self, session: ServerSession, works: Iterable[W], do: WorkFunction[W, R]) -> None:
        self.running: set[asyncio.Task[tuple[W, R]]] = set()
        self.finished: deque[asyncio.Task[tuple[W, R]]] = deque()
        self._session = session
        self._source = iter(works)
        self._do = do

    def begin(self) -> bool:
        """Start as many requests as there is room for; False once none are left."""
        while self._session.room_for_more(len(self.running)):
            try:
                task = asyncio.ensure_future(self._one(next(self._source)))
            except StopIteration:
                return False
            self.running.add(task)
            task.add_done_callback(self._on_done)
        return True

    async def until_changed(self) -> None:
        """Until a work ends or begins to wait, but no longer than a stop may go unseen."""
        if self.running and not self.finished:
            with suppress(TimeoutError):
                async with asyncio.timeout(_POLL_S):
                    await self._session.changed.wait()
        self._session.changed.clear()

    async def cancel(self) -> None:
        """End everything that is under way."""
        for task in self.running:
            task.cancel()
        await asyncio.gather(*self.running, return_exceptions=True)

    async def _one(self, work: W) -> tuple[W, R]:
        return work, await self._do(self._session, work)

    def _on_done(self, task: asyncio.Task[tuple[W, R]]) -> None:
        self.running.discard(task)
        self.finished.append(task)
        self._session.changed.set()


async def each(
    session: ServerSession,
    works: Iterable[W],
    do: WorkFunction[W, R],
    *,
    stopping: Callable[[], bool] = _never,
) -> AsyncIterator[tuple[W, R]]:
    """(work, result) of every work, in the order of completion.

    ``works`` is read as places become free, so it may be endless. A work whose requests wait
    leaves its place to the next. When ``stopping()`` turns true or the budget is spent nothing
    new is begun, what is on its way is still handed over (after a stop for at most ten seconds),
    and what waits is dropped: works that are never handed over were not finished. An exception of
    ``do`` (OutsideError, say) ends the rest and is raised after what had finished was handed over.
    """
    pool = _WorkPool(session, works, do)
    failure: BaseException | None = None
    deadline = math.inf
    more = True
    try:
        while more or pool.running or pool.finished:
            await pool.until_changed()
            if failure or stopping():
                more = False
                session.stop()
                deadline = min(deadline, time.monotonic() + _GRACE_S)
            if failure or time.monotonic() > deadline:
                await pool.cancel()
            more = more and not session.budget_spent() and pool.begin()
            while pool.finished:
                task = pool.finished.popleft()
                error = _error_of(task)
                if error is None:
                    yield task.result()
                elif not isinstance(error, StoppedError | asyncio.CancelledError):
                    failure = failure or error
                    break
        if failure:
            raise failure
    finally:
        await pool.cancel()


def _error_of(task: asyncio.Task[tuple[W, R]]) -> BaseException | None:
    return asyncio.CancelledError() if task.cancelled() else task.exception()


def work_all(
    server: ModelServer,
    works: Iterable[W],
    do: WorkFunction[W, R],
    *,
    concurrency: int = 8,
    budget_tokens: int | None = None,
    tokens_used: int = 0,
    stopping: Callable[[], bool] = _never,
    watch: Callable[[ServerSession], None] | None = None,
) -> Iterator[tuple[W, R]]:
    """The plain generator over ``each``, for run workers: no threads, own event loop.

    The loop stands still while the caller handles a result, so that should take milliseconds.
    ``watch`` is called once with the session, for those who want its ``usage`` afterwards.
    """

    async def run() -> AsyncIterator[tuple[W, R]]:
        async with ServerSession(
            server, concurrency=concurrency, budget_tokens=budget_tokens, tokens_used=tokens_used
        ) as session:
            if watch:
                watch(session)
            async for result in each(session, works, do, stopping=stopping):
                yield result

    loop = asyncio.new_event_loop()
    results = run()
    try:
        while True:
            try:
                result = loop.run_until_complete(anext(results))
            except StopAsyncIteration:
                return
            yield result
    finally:
        loop.run_until_complete(results.aclose())  # type: ignore[attr-defined]  # async generator
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _ask(session: ServerSession, request: ChatRequest) -> Reply:
    return await session.ask(request)


def ask_all(
    server: ModelServer,
    requests: Iterable[ChatRequest],
    *,
    concurrency: int = 8,
    budget_tokens: int | None = None,
    tokens_used: int = 0,
    stopping: Callable[[], bool] = _never,
    watch: Callable[[ServerSession], None] | None = None,
) -> Iterator[tuple[str, Reply]]:
    """(request id, Reply) of independent requests, in the order of completion, as a generator."""
    for request, reply in work_all(
        server,
        requests,
        _ask,
        concurrency=concurrency,
        budget_tokens=budget_tokens,
        tokens_used=tokens_used,
        stopping=stopping,
        watch=watch,
    ):
        yield request.id, reply
