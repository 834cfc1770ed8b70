"""The one place where tests wait: until a condition holds, and never for a fixed time."""

import time
from collections.abc import Callable


def becomes_true(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    """Whether the condition holds within ``seconds``; it is asked about every 10 ms."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return bool(condition())
        time.sleep(0.01)
    return True


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait for the condition, and fail where it does not hold within ``seconds``."""
    assert becomes_true(condition, seconds), "waited in vain"


async def async_until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """The same within an event loop, which goes on meanwhile."""
    import asyncio

    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        await asyncio.sleep(0.01)
