"""Many works against one session, handed over one by one as they finish."""

import asyncio
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from typing import TypeVar

from core.llm.pace import StoppedError
from core.llm.session import ServerSession
from core.llm.values import ChatRequest, ModelServer, Reply

W = TypeVar("W")
R = TypeVar("R")

Do = Callable[[ServerSession, W], Awaitable[R]]
_POLL_S = 0.2
_GRACE_S = 10.0  # for what is on its way when a stop is asked for


def _never() -> bool:
    return False


async def each(
    session: ServerSession,
    works: Iterable[W],
    do: Do[W, R],
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
    source = iter(works)
    running: set[asyncio.Task[tuple[W, R]]] = set()
    finished: deque[asyncio.Task[tuple[W, R]]] = deque()
    failure: BaseException | None = None
    deadline = math.inf
    more = True

    async def one(work: W) -> tuple[W, R]:
        return work, await do(session, work)

    def on_done(task: asyncio.Task[tuple[W, R]]) -> None:
        running.discard(task)
        finished.append(task)
        session.changed.set()

    try:
        while more or running or finished:
            if failure or stopping():
                more = False
                session.stop()
                deadline = min(deadline, time.monotonic() + _GRACE_S)
            if failure or time.monotonic() > deadline:
                await _cancel(running)
            more = more and not session.budget_spent()
            while more and session.room_for_more(len(running)):
                try:
                    task = asyncio.ensure_future(one(next(source)))
                except StopIteration:
                    more = False
                    break
                running.add(task)
                task.add_done_callback(on_done)
            await _until_changed(session, bool(running) and not finished)
            while finished:
                task = finished.popleft()
                if task.cancelled() or isinstance(task.exception(), StoppedError):
                    continue
                if error := task.exception():
                    failure = failure or error
                    break
                yield task.result()
        if failure:
            raise failure
    finally:
        await _cancel(running)


async def _cancel(tasks: set[asyncio.Task[tuple[W, R]]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _until_changed(session: ServerSession, wait: bool) -> None:
    """Until a work finishes or begins to wait, but no longer than a stop may go unseen."""
    if wait:
        with suppress(TimeoutError):
            async with asyncio.timeout(_POLL_S):
                await session.changed.wait()
    session.changed.clear()


def work_all(
    server: ModelServer,
    works: Iterable[W],
    do: Do[W, R],
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


async def ask_many(
    session: ServerSession,
    requests: Iterable[ChatRequest],
    *,
    stopping: Callable[[], bool] = _never,
) -> AsyncIterator[tuple[str, Reply]]:
    """(request id, Reply) of independent requests, in the order of completion."""
    async for request, reply in each(session, requests, _ask, stopping=stopping):
        yield request.id, reply


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
