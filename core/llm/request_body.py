"""The body of a request, without what the server has shown that it does not take."""

from collections.abc import Mapping
from typing import Any

from core.llm.failures import FailedAttempt
from core.llm.types import ChatRequest

_OPTIONAL = ("response_format", "temperature", "seed", "stop")
_FIELD_STATUS = (400, 422, 501)


def endpoint(request: ChatRequest) -> tuple[str, str]:
    """(path, text asked) of a request."""
    if request.messages:
        return "/chat/completions", "\n".join(m.content for m in request.messages)
    return "/completions", request.prompt


def request_body(model: str, request: ChatRequest, without: frozenset[str]) -> dict[str, Any]:
    """The JSON body; ``without`` names optional fields to leave out.

    ``max_tokens`` in it stands for its newer name ``max_completion_tokens``.
    """
    body: dict[str, Any] = {"model": model}
    if request.messages:
        body["messages"] = [{"role": m.role, "content": m.content} for m in request.messages]
    else:
        body["prompt"] = request.prompt
    options: dict[str, Any] = {
        "temperature": request.temperature,
        "seed": request.seed,
        "stop": list(request.stop) or None,
        "max_completion_tokens" if "max_tokens" in without else "max_tokens": request.max_tokens,
    }
    if request.schema is not None:
        form = {"name": request.schema_name, "schema": dict(request.schema), "strict": True}
        options["response_format"] = {"type": "json_schema", "json_schema": form}
    options |= request.extra
    body |= {k: v for k, v in options.items() if v is not None and k not in without}
    return body


def refused_field(failure: FailedAttempt, body: Mapping[str, Any], schema_works: bool) -> str:
    """The optional field that a 400, 422 or 501 is about, or empty.

    A server that does not know constrained replies often does not name the field, so an
    unexplained refusal is blamed on it as long as it has never worked.
    """
    if failure.status not in _FIELD_STATUS:
        return ""
    message = f"{failure.param} {failure.detail}".lower()
    if "max_tokens" in body and "max_completion_tokens" in message:
        return "max_tokens"
    for name in _OPTIONAL:
        if name in body and (name == failure.param or (len(name) > 4 and name in message)):
            return name
    return "response_format" if "response_format" in body and not schema_works else ""
