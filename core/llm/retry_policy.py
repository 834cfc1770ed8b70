"""When to try again, after how long, and when the whole run should rather stop."""

import random
from dataclasses import dataclass

from core.errors import OutsideError
from core.i18n import tr, trn
from core.llm.concurrency import ConcurrencyLimit
from core.llm.failures import FailedAttempt, backoff_s
from core.llm.types import ModelServer

_STOP_AFTER_GIVEN_UP = 5  # requests given up in a row, no success between: the server is down
_STOP_AFTER_REFUSED = 20  # requests refused (400, 422) in a row before the first success
_FEW_RETRIES = 2  # of a time-out, and of a server that was never reached


@dataclass(slots=True)
class AttemptHistory:
    """How one request has gone so far."""

    retries: int = 0
    attempts: int = 0
    server_waits_s: float = 0.0
    successes_before: int = 0


class RetryPolicy:
    """The memory over the requests of one session that decides between wait, fail and stop."""

    def __init__(self, server: ModelServer, pace: ConcurrencyLimit, draw: random.Random) -> None:
        self._server = server
        self._pace = pace
        self._draw = draw
        self.successes = 0
        self._given_up = 0
        self._refused = 0

    def succeeded(self, latency_s: float) -> None:
        """A request got its reply, in that time."""
        self.successes += 1
        self._given_up = 0
        self._pace.went_well(latency_s)

    def wait_for(self, trouble: FailedAttempt, course: AttemptHistory) -> float | None:
        """Seconds until the next attempt; None to give this request up.

        A wait that the server asks for costs no retry, but all of them together are limited by
        ``ModelServer.patience_s``. Raises OutsideError where no request can succeed.
        """
        self._stop_early(trouble)
        if not trouble.retryable:
            return None
        if trouble.wait_s is not None:
            return self._asked_wait(trouble.wait_s, course)
        if trouble.kind == "overloaded":
            self._pace.overloaded(backoff_s(course.retries, self._draw))
        retries = self._server.retries
        if trouble.kind == "timeout" or (trouble.kind == "unreachable" and not self.successes):
            retries = min(retries, _FEW_RETRIES)
        if course.retries < retries:
            course.retries += 1
            return backoff_s(course.retries - 1, self._draw)
        if trouble.kind == "unreachable" and self.successes == course.successes_before:
            raise self.no_use(trouble)
        return None

    def give_up(self, trouble: FailedAttempt) -> None:
        """Count a request without a reply; OutsideError when there are too many in a row."""
        if trouble.retryable:
            self._given_up += 1
            if self._given_up >= _STOP_AFTER_GIVEN_UP:
                raise self.no_use(trouble)
        elif not self.successes:
            self._refused += 1
            if self._refused >= _STOP_AFTER_REFUSED:
                raise self.no_use(trouble)

    def no_use(self, trouble: FailedAttempt) -> OutsideError:
        """The error for a server that answers nothing."""
        if trouble.kind == "unreachable":
            sentence = tr(
                "No connection to the server {url} ({said}). Check that it runs and that the "
                "address is right, then start again.",
                url=self._server.base_url,
                said=trouble.detail,
            )
        else:
            sentence = tr(
                "The server {url} answers no request ({said}). Look at the server, then start "
                "again; what is finished is kept.",
                url=self._server.base_url,
                said=trouble.detail,
            )
        return OutsideError(sentence)

    def _asked_wait(self, wait_s: float, course: AttemptHistory) -> float | None:
        if wait_s > self._server.patience_s:
            raise OutsideError(
                trn(
                    "The server {url} asks to wait 1 minute. Start the run again later; what "
                    "is finished is kept.",
                    "The server {url} asks to wait {n} minutes. Start the run again later; "
                    "what is finished is kept.",
                    round(wait_s / 60),
                    url=self._server.base_url,
                )
            )
        self._pace.overloaded(wait_s)
        course.server_waits_s += wait_s
        if course.server_waits_s > self._server.patience_s:
            return None
        # spread a little, or all who were sent away come back in the same instant; and a
        # server that asks for no wait at all while it fails must not be asked without end
        course.server_waits_s += 0.05
        return wait_s + self._draw.uniform(0.0, 0.05)

    def _stop_early(self, trouble: FailedAttempt) -> None:
        """Raise OutsideError where every further request would fail the same way."""
        url, detail = self._server.base_url, trouble.detail
        if trouble.status in (401, 403):
            sentence = tr(
                "The server {url} does not accept the key ({said}). Set {name} and start again.",
                url=url,
                said=detail,
                name=self._server.key_env or "BENCHSEAL_API_KEY",
            )
        elif trouble.status in (404, 405):
            sentence = tr(
                "The server {url} does not offer the model “{model}” at this address ({said}). "
                "Check the address and the model's name.",
                url=url,
                model=self._server.model,
                said=detail,
            )
        elif trouble.quota:
            sentence = tr(
                "The quota at the server {url} is used up ({said}). Start the run again when "
                "there is some; what is finished is kept.",
                url=url,
                said=detail,
            )
        else:
            return
        raise OutsideError(sentence)
