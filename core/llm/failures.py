"""What went wrong with one attempt, and whether trying again can help."""

import json
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from core.i18n import tr

Kind = Literal[
    "unreachable", "dropped", "timeout", "overloaded", "server", "malformed", "redirected", "final"
]

RETRYABLE_STATUS = frozenset({408, 409, 425, 429})
_QUOTA = ("insufficient_quota", "billing_hard_limit_reached")
_TAG = re.compile(r"<[^>]{0,500}>|\s+")
_KEPT = 300  # characters of what a server says
_FIRST_BACKOFF_S = 0.1
_LONGEST_BACKOFF_S = 30.0


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """One attempt without a reply. ``wait_s`` is what the server asked us to wait, if it did."""

    kind: Kind
    detail: str
    status: int = 0
    wait_s: float | None = None
    param: str = ""
    quota: bool = False

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed later."""
        return self.kind not in ("final", "redirected") and not self.quota


def failure_of(error: Exception, hide: Callable[[str], str] = str) -> FailedAttempt:
    """The Trouble in an exception of the ``openai`` client; re-raises what is none of its own.

    ``hide`` takes keys out of what the server said, before it is cut to its length.
    """
    import openai

    from core.bounded_http import ForeignRedirect, RefusedAnswer

    # the client hands some errors on as they are, and others as the cause of its own
    for refused in (error, error.__cause__):
        if isinstance(refused, ForeignRedirect):
            return FailedAttempt("redirected", refused.origin)
        if isinstance(refused, RefusedAnswer):
            return FailedAttempt("final", str(refused))
    if isinstance(error, openai.APITimeoutError):
        return FailedAttempt("timeout", tr("no answer in time"))
    if isinstance(error, openai.APIStatusError):
        return _of_status(error.status_code, error.response.headers, error.response.text, hide)
    if isinstance(error, openai.APIConnectionError):
        return _of_connection(error)
    raise error


def _of_connection(error: Exception) -> FailedAttempt:
    import httpx2

    cause = error.__cause__
    detail = " ".join(str(cause or error).split())[:200] or type(cause or error).__name__
    # a refused connection, an unknown name or a bad certificate: nobody there to talk to
    refused = isinstance(
        cause, httpx2.ConnectError | httpx2.UnsupportedProtocol | httpx2.ProxyError
    )
    return FailedAttempt("unreachable" if refused else "dropped", detail)


def _of_status(
    status: int, headers: Mapping[str, str], text: str, hide: Callable[[str], str]
) -> FailedAttempt:
    message, param, code = _read_error(text)
    message = hide(message)[:_KEPT]
    kind: Kind = "final"
    if status in (429, 503):
        kind = "overloaded"
    elif status in RETRYABLE_STATUS or (status >= 500 and status != 501):
        kind = "server"
    return FailedAttempt(
        kind,
        message or f"HTTP {status}",
        status=status,
        wait_s=retry_after(headers, datetime.now(UTC)),
        param=param,
        quota=code in _QUOTA,
    )


def _read_error(text: str) -> tuple[str, str, str]:
    """(message, parameter, code) of an error body in any of the shapes that servers use."""
    try:
        body: Any = json.loads(text)
    except (ValueError, RecursionError):
        return _TAG.sub(" ", text[:20_000]).strip(), "", ""
    if isinstance(body, Mapping):
        body = body.get("error") or body.get("detail") or body
    if not isinstance(body, Mapping):
        return str(body), "", ""
    return (
        str(body.get("message") or body),
        str(body.get("param") or ""),
        str(body.get("code") or ""),
    )


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that ``retry-after-ms`` or ``Retry-After`` (seconds or HTTP date) asks for."""
    try:
        return max(0.0, min(float(headers["retry-after-ms"]) / 1000, 1e9))
    except (KeyError, ValueError):
        pass  # absent or not a number: the standard header decides
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = parsedate_to_datetime(value)
        except (ValueError, TypeError):
            return None
        seconds = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - now.timestamp()
    return max(0.0, min(seconds, 1e9)) if seconds == seconds else None


def backoff_s(attempt: int, draw: random.Random) -> float:
    """Exponential back-off with jitter: between a half and the whole of 0.1 s × 2^attempt."""
    longest = min(_LONGEST_BACKOFF_S, _FIRST_BACKOFF_S * 2.0 ** min(attempt, 16))
    return longest * draw.uniform(0.5, 1.0)
