"""One connection that waits between requests, backs off when asked to, and tries again."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx2

from core.bounded_http import MOST_BYTES, RefusedAnswer, TooLarge, download, fetch
from core.i18n import tr

_HEADERS = {"user-agent": "benchseal (https://info.arxiv.org/help/api)"}
_DOWNLOAD_S = 1800.0  # seconds that one file may take
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})


class RequestRefused(
    Exception
):  # an outcome between these modules; people see the OutsideError around it
    """A request that stayed without a usable answer.

    ``final`` means that asking again is of no use, ``missing`` that the server does not have it,
    ``unreachable`` that no server answered at all.
    """

    def __init__(
        self, reason: str, *, final: bool = False, missing: bool = False, unreachable: bool = False
    ) -> None:
        super().__init__(reason)
        self.final = final
        self.missing = missing
        self.unreachable = unreachable


@dataclass(frozen=True)
class RateLimits:
    """Times in seconds.

    ``delay`` lies between the ends of two requests; after the n-th failure it waits ``backoff``
    times 2ⁿ, or what the server's Retry-After asks for, at most ``longest``.
    """

    delay: float = 3.0
    retries: int = 4
    backoff: float = 3.0
    longest: float = 300.0
    timeout: float = 60.0
    sleep: Callable[[float], None] = time.sleep


class RateLimitedSession:
    """What ``arxiv.Client`` needs of a session (``get``), and downloads, over one connection."""

    def __init__(
        self, politeness: RateLimits, on_wait: Callable[[str, float], None] = lambda *_: None
    ) -> None:
        """``on_wait`` is told why it waits before it asks again, and for how many seconds."""
        self.politeness = politeness
        self._on_wait = on_wait
        self._last = -1e9

    def __enter__(self) -> "RateLimitedSession":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing to close: each request has a connection of its own."""

    def get(self, url: str, headers: dict[str, str] | None = None) -> httpx2.Response:
        """A complete Atom feed. Raises ``RequestRefused`` when none came after all tries."""

        def ask() -> httpx2.Response:
            response = fetch(
                url, total_s=self.politeness.timeout, headers={**_HEADERS, **(headers or {})}
            )
            _check_status(response)
            body = response.content.strip()
            if b"<feed" not in body[:2000]:
                raise RequestRefused(tr("the response is not an Atom feed"))
            if not body.endswith(b"</feed>"):
                raise RequestRefused(tr("the response is incomplete"))
            return response

        answer: httpx2.Response = self._tried(ask)
        return answer

    def download(self, url: str, path: Path, most: int, check: Callable[[Path], None]) -> int:
        """Stream a file to ``path`` and check it; returns its size in bytes.

        Raises ``RequestRefused`` when it cannot be had, is larger than ``most`` or fails the check.
        """

        def ask() -> int:
            # an e-print is gzip itself, whatever the headers say about encodings
            response = download(
                url,
                path,
                most,
                total_s=_DOWNLOAD_S,
                silence_s=self.politeness.timeout,
                headers=_HEADERS,
            )
            _check_status(response)
            check(path)
            return path.stat().st_size

        size: int = self._tried(ask, most)
        return size

    def _tried(self, ask: Callable[[], Any], most: int = MOST_BYTES) -> Any:
        politeness = self.politeness
        for attempt in range(politeness.retries + 1):
            self._wait(politeness.delay - (time.monotonic() - self._last))
            asked_for = 0.0
            try:
                return ask()
            except httpx2.TimeoutException:
                failure = RequestRefused(tr("no answer in time"), unreachable=True)
            except httpx2.RemoteProtocolError as error:
                failure = RequestRefused(tr("the response is incomplete ({error})", error=error))
            except TooLarge as error:
                limit = tr("it is larger than {limit} MB", limit=most // 2**20)
                raise RequestRefused(limit, final=True) from error
            except RefusedAnswer as error:
                raise RequestRefused(str(error), final=True) from error
            except httpx2.HTTPError as error:
                failure = RequestRefused(
                    tr("no connection ({error})", error=error), unreachable=True
                )
            except _Busy as error:
                failure, asked_for = error, error.wait
            except RequestRefused as error:
                failure = error
            finally:
                self._last = time.monotonic()
            if failure.final or attempt == politeness.retries:
                raise failure
            seconds = min(max(asked_for, politeness.backoff * 2**attempt), politeness.longest)
            self._on_wait(str(failure), seconds)
            self._wait(seconds)
        raise RequestRefused(tr("no answer in time"), unreachable=True)

    def _wait(self, seconds: float) -> None:
        if seconds > 0:
            self.politeness.sleep(seconds)


class _Busy(RequestRefused):
    def __init__(self, status: int, wait: float) -> None:
        super().__init__(tr("the server answered with status {status}", status=status))
        self.wait = wait


def _check_status(response: httpx2.Response) -> None:
    status = response.status_code
    if status in _AGAIN:
        raise _Busy(status, _retry_after(response.headers.get("retry-after", "")))
    if status != httpx2.codes.OK:
        raise RequestRefused(
            tr("the server answered with status {status}", status=status),
            final=True,
            missing=status in (httpx2.codes.NOT_FOUND, httpx2.codes.GONE),
        )


def _retry_after(value: str) -> float:
    """Seconds that a Retry-After header asks for, as a number or a date; 0 when it is neither."""
    if value.strip().isdigit():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return 0.0
