"""Asking a server one short question: whether it answers, with this model, and how fast."""

import time
from dataclasses import dataclass

from core.errors import OutsideError
from core.llm.batch import ask_all
from core.llm.keys import NamedServer, consent
from core.llm.types import ChatRequest, ModelServer

_QUESTION = "Reply with the word OK."
_LONGEST_S = 30.0
_TOKENS = 16


@dataclass(frozen=True, slots=True)
class ProbedServer:
    """A server that answered: how many seconds that took, and the model that it says answered."""

    seconds: float
    model: str


def probe(base_url: str, model: str, variable: str = "") -> ProbedServer:
    """Send one question of a few tokens, once, and wait at most half a minute for the reply.

    Whoever names the server here consents to it (``keys.consent``). Raises InputError for an
    address that is none, OutsideError with the server's own reason where it does not answer.
    """
    server = ModelServer(base_url, model, timeout_s=_LONGEST_S, retries=0, longest_wait_s=0.0)
    begin = time.monotonic()
    question = ChatRequest.of("probe", _QUESTION, max_tokens=_TOKENS)
    with consent(NamedServer(base_url, variable)):
        replies = dict(ask_all(server, [question], concurrency=1))
    reply = replies["probe"]
    if reply.outcome == "failed":
        raise OutsideError.tr("The server at {url} did not answer: {reason}", url=server.base_url,
                              reason=reply.error)  # fmt: skip
    return ProbedServer(time.monotonic() - begin, reply.model or model)
