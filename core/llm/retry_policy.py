"""When to try again, after how long, and when the whole run should rather stop."""

import random
from dataclasses import dataclass

from core.errors import OutsideError
from core.i18n import tr
from core.llm.concurrency import ConcurrencyLimit
from core.llm.failures import FailedAttempt, backoff_s
from core.llm.keys import KEY_VARIABLES, variable_of
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

    def __init__(
        self, server: ModelServer, concurrency: ConcurrencyLimit, draw: random.Random
    ) -> None:
        self._server = server
        self._concurrency = concurrency
        self._draw = draw
        self.successes = 0
        self._given_up = 0
        self._refused = 0

    def succeeded(self, latency_s: float) -> None:
        """A request got its reply, in that time."""
        self.successes += 1
        self._given_up = 0
        self._concurrency.succeeded(latency_s)

    def wait_for(self, failure: FailedAttempt, history: AttemptHistory) -> float | None:
        """Seconds until the next attempt; None to give this request up.

        A wait that the server asks for costs no retry, but all of them together are limited by
        ``ModelServer.longest_wait_s``. Raises OutsideError where no request can succeed.
        """
        self._stop_early(failure)
        if not failure.retryable:
            return None
        if failure.wait_s is not None:
            return self._wait_asked_for(failure.wait_s, history)
        if failure.kind == "overloaded":
            self._concurrency.overloaded(backoff_s(history.retries, self._draw))
        retries = self._server.retries
        if failure.kind == "timeout" or (failure.kind == "unreachable" and not self.successes):
            retries = min(retries, _FEW_RETRIES)
        if history.retries < retries:
            history.retries += 1
            return backoff_s(history.retries - 1, self._draw)
        if failure.kind == "unreachable" and self.successes == history.successes_before:
            raise self.no_use(failure)
        return None

    def give_up(self, failure: FailedAttempt) -> None:
        """Count a request without a reply; OutsideError when there are too many in a row."""
        if failure.retryable:
            self._given_up += 1
            if self._given_up >= _STOP_AFTER_GIVEN_UP:
                raise self.no_use(failure)
        elif not self.successes:
            self._refused += 1
            if self._refused >= _STOP_AFTER_REFUSED:
                raise self.no_use(failure)

    def no_use(self, failure: FailedAttempt) -> OutsideError:
        """The error for a server that answers nothing."""
        if failure.kind == "unreachable":
            sentence = tr(
                "Could not connect to the server {url} ({said}). Check that it is running "
                "and that the address is correct, then start again.",
                url=self._server.base_url,
                said=failure.detail,
            )
        else:
            sentence = tr(
                "The server {url} does not answer any request successfully ({said}). Check "
                "the server, then start again; finished items are saved.",
                url=self._server.base_url,
                said=failure.detail,
            )
        return OutsideError(sentence)

    def _wait_asked_for(self, wait_s: float, history: AttemptHistory) -> float | None:
        if wait_s > self._server.longest_wait_s:
            raise OutsideError.trn(
                "The server {url} asks to wait 1 minute. Start the run again later; "
                "finished items are saved.",
                "The server {url} asks to wait {n} minutes. Start the run again later; "
                "finished items are saved.",
                round(wait_s / 60),
                url=self._server.base_url,
            )
        self._concurrency.overloaded(wait_s)
        history.server_waits_s += wait_s
        if history.server_waits_s > self._server.longest_wait_s:
            return None
        # spread a little, or all who were sent away come back in the same instant; and a
        # server that asks for no wait at all while it fails must not be asked without end
        history.server_waits_s += 0.05
        return wait_s + self._draw.uniform(0.0, 0.05)

    def _stop_early(self, failure: FailedAttempt) -> None:
        """Raise OutsideError where every further request would fail the same way."""
        url, detail = self._server.base_url, failure.detail
        if failure.status in (401, 403):
            sentence = tr(
                "The server {url} did not accept the key ({said}). Say where its key is with "
                "“benchseal keys add {url} --env NAME” (such as {name}), and start again.",
                url=url,
                said=detail,
                name=variable_of(url) or KEY_VARIABLES[0],
            )
        elif failure.status in (404, 405):
            sentence = tr(
                "The server {url} does not offer the model “{model}” at this address "
                "({said}). Check the address and the model name.",
                url=url,
                model=self._server.model,
                said=detail,
            )
        elif failure.kind == "redirected":
            sentence = tr(
                "The server {url} redirects to {origin}, and nothing was sent there. If you "
                "trust that server, use its address.",
                url=url,
                origin=detail,
            )
        elif failure.quota:
            sentence = tr(
                "The quota of the server {url} is used up ({said}). Start the run again "
                "when there is quota; finished items are saved.",
                url=url,
                said=detail,
            )
        else:
            return
        raise OutsideError(sentence)
