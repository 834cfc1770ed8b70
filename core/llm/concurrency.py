"""How many requests are on their way at once, and when to slow down.

A request that waits gives its place to another. Only when most recent answers are "too many
requests" is the wait taken as meant for everybody: all hold until then, and the limit is halved
and grows back one by one.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

_MANY = 4  # fewer refusals than these may be chance
_GAP_S = 0.002  # between two requests that would leave together


class StoppedError(Exception):
    """The session is being stopped while a request waits; its work is simply not finished."""


class ConcurrencyLimit:
    """The limit on requests in flight of one session, between 1 and ``concurrency``."""

    def __init__(self, concurrency: int) -> None:
        self.stopped = asyncio.Event()
        self.full = max(1, concurrency)
        self.limit = self.full
        self.active = 0
        self._queue: deque[asyncio.Future[None]] = deque()
        self._recent: deque[bool] = deque(maxlen=max(8, 2 * self.full))
        self._good = 0
        self._hold_until = 0.0
        self._latency_s = 0.0
        self._next_at = 0.0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """A place on the line; waits until one is free and no hold is on."""
        await self._enter()
        try:
            while (pause := self._hold_until - time.monotonic()) > 0:
                await self.rest(pause)
            await self._step_aside()
            yield
        finally:
            self.active -= 1
            self._wake()

    async def rest(self, seconds: float) -> None:
        """Wait; StoppedError when the session is stopped before the time is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.stopped.wait()
        if self.stopped.is_set():
            raise StoppedError

    def succeeded(self, latency_s: float = 0.0) -> None:
        """An answer that was not a refusal for load, and the time it took."""
        if latency_s > 0:
            mean = self._latency_s or latency_s
            self._latency_s = 0.9 * mean + 0.1 * latency_s
        self._recent.append(False)
        self._good += 1
        if self.limit < self.full and self._good >= self.limit:
            self.limit += 1
            self._good = 0

    def overloaded(self, wait_s: float) -> None:
        """An answer 429 or 503; ``wait_s`` is what the server asks for."""
        self._recent.append(True)
        refused = sum(self._recent)
        if refused >= _MANY and 2 * refused > len(self._recent):
            self._hold_until = time.monotonic() + min(wait_s, 60.0)
            self.limit = max(1, self.limit // 2)
            self._good = 0
            self._recent.clear()

    async def _step_aside(self) -> None:
        """Leave a small gap after the request before.

        Requests that leave together are answered together, and then the work on all those
        answers delays every next request. Once apart they stay apart, so this waits but rarely.
        """
        share = self._latency_s / (4 * self.limit) if self._latency_s else _GAP_S
        now = time.monotonic()
        self._next_at = max(now, self._next_at + min(_GAP_S, share))
        if self._next_at > now:
            await asyncio.sleep(self._next_at - now)

    async def _enter(self) -> None:
        if self.active < self.limit and not self._queue:
            self.active += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # was let in and cancelled in the same breath
                self.active -= 1
                self._wake()
            raise

    def _wake(self) -> None:
        while self._queue and self.active < self.limit:
            turn = self._queue.popleft()
            if not turn.done():
                self.active += 1
                turn.set_result(None)
