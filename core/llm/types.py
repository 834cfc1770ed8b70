"""What is asked, of whom, and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, Self
from urllib.parse import urlsplit

from core.errors import InputError
from core.redaction import one_line, redacted_url, refuse_stored_key
from core.web_hosts import is_loopback, web_host

Outcome = Literal["ok", "truncated", "refused", "empty", "failed"]

_ENDPOINTS = ("/chat/completions", "/completions", "/embeddings", "/models")


class ServerParams(Protocol):
    """What the parameters of a run that asks a server name; see ``ModelServer``."""

    @property
    def base_url(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def timeout_s(self) -> float: ...
    @property
    def retries(self) -> int: ...


@dataclass(frozen=True, slots=True)
class ModelServer:
    """An OpenAI-compatible server and one model on it. Holds no key, so it may be stored.

    ``base_url`` may be given with or without ``/v1`` (added where the address has no path).
    ``timeout_s`` limits one request; ``retries`` is how often a transient failure is tried again;
    ``longest_wait_s`` is how long one request follows the server's own requests to wait
    (``Retry-After``) in all. What a server says of an error may quote what it was asked: of one
    that is not ``quoted`` only the status is told. Where its key is says ``core.llm.keys`` alone.
    Raises InputError for an unusable address.
    """

    base_url: str
    model: str
    timeout_s: float = 120.0
    retries: int = 8
    longest_wait_s: float = 600.0
    quoted: bool = True

    def __post_init__(self) -> None:
        refuse_stored_key(self.base_url)
        object.__setattr__(self, "base_url", _normal_url(self.base_url))
        if not self.model.strip():
            raise InputError.tr("No model given. Choose one that the server offers.")

    @classmethod
    def named_by(cls, params: ServerParams, *, quoted: bool = True) -> Self:
        """The server that a run's parameters name; InputError for an unusable address."""
        return cls(
            params.base_url,
            params.model,
            timeout_s=params.timeout_s,
            retries=params.retries,
            quoted=quoted,
        )

    @property
    def on_loopback(self) -> bool:
        """Whether the server is on this machine; such a server is never asked through a proxy."""
        return is_loopback(web_host(self.base_url))


def _normal_url(address: str) -> str:
    url = address.strip().rstrip("/")
    if not web_host(url):
        raise InputError.tr(
            "“{url}” is not a server address. Write it like {example}.",
            url=one_line(redacted_url(url))[:200],
            example="http://localhost:8000/v1",
        )
    if "?" in url or "#" in url:
        raise InputError.tr(
            "A server address must not contain “?” or “#”. Write it like {example}.",
            example=redacted_url(url)[:200],
        )
    for endpoint in _ENDPOINTS:
        url = url.removesuffix(endpoint)
    return url if urlsplit(url).path else url + "/v1"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a model. ``id`` is the caller's and comes back with the reply.

    With ``prompt`` instead of ``messages`` the completion endpoint is asked. ``schema`` is a JSON
    schema; it constrains the reply where the server can, so the prompt must still describe the
    form. ``extra`` holds further fields of the request body (``logprobs``, ``top_p``, …).
    """

    id: str
    messages: tuple[Message, ...] = ()
    prompt: str = ""
    max_tokens: int | None = None
    temperature: float | None = 0.0
    stop: tuple[str, ...] = ()
    seed: int | None = None
    schema: Mapping[str, Any] | None = None
    schema_name: str = "reply"
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, id: str, user: str, *, system: str = "", **rest: Any) -> "ChatRequest":
        """A request of one user turn, with a system turn before it where there is one."""
        turns = (Message("system", system),) if system else ()
        return cls(id=id, messages=(*turns, Message("user", user)), **rest)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one request, with everything that has to be counted.

    ``text`` is the answer without the model's reasoning. ``outcome``: ``ok``; ``truncated`` (the
    token limit cut it); ``refused`` (refusal field or content filter); ``empty``; ``failed`` (no
    reply after all retries, ``error`` says why). ``latency_s`` is the time of the last attempt,
    ``server_waits_s`` what the server itself asked us to wait. ``tokens_estimated`` marks token
    counts guessed from the length because the server sent none. ``choice`` is the server's own
    choice object (for log-probabilities); empty on failure.
    """

    text: str = ""
    outcome: Outcome = "ok"
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tokens_estimated: bool = False
    reasoning: str = ""
    refusal: str = ""
    error: str = ""
    status: int = 0
    latency_s: float = 0.0
    server_waits_s: float = 0.0
    attempts: int = 1
    model: str = ""
    choice: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(slots=True)
class Usage:
    """What a run has used so far; the one mutable counter, owned by its session.

    ``adaptations`` names request fields that the server refused and that were left out since
    (``response_format``, ``temperature``, …): a greedy run whose temperature was dropped must say
    so.
    """

    requests: int = 0
    replies: int = 0
    failed: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    server_waits_s: float = 0.0
    adaptations: set[str] = field(default_factory=set)

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens

    def add(self, reply: Reply) -> None:
        """Count one finished request."""
        self.replies += 1
        self.failed += reply.outcome == "failed"
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens
        self.server_waits_s += reply.server_waits_s
