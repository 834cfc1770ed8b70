"""Reading what a server sent: the choice, its reasoning, its outcome, and strict JSON."""

import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from core.bounded_json import refuse_deep
from core.i18n import tr
from core.llm.types import Outcome, Reply
from core.redaction import SHORTEST_SECRET, without_secret

M = TypeVar("M", bound=BaseModel)

_FENCE = re.compile(r"\A```(?:json|JSON)?[ \t]*\n(.*?)\n?[ \t]*```\Z", re.DOTALL)
_CLOSED_THINK = re.compile(r"\A\s*(?:<think(?:ing)?>)?(.*?)</think(?:ing)?>", re.DOTALL)
_OPEN_THINK = re.compile(r"\A\s*<think(?:ing)?>(.*)\Z", re.DOTALL)
_MOST_TOKENS = 10**8  # of one request
_MOST_DEPTH = 64
_NAME = 200  # characters that are kept of a name which a server gives
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")


class InvalidReply(Exception):
    """A reply that is not in the form that was asked for; the message says why, in English."""


def parse_json_reply(text: str, schema: type[M]) -> M:
    """The reply as a value of ``schema``, or InvalidReply.

    The whole reply must be one JSON object (a code fence around it is allowed): no text beside
    it, no repeated key, no NaN or Infinity, and types as they are (``"7"`` and ``true`` are no
    numbers).
    """
    stripped = text.strip()
    if fenced := _FENCE.match(stripped):
        stripped = fenced.group(1).strip()
    try:
        value = json.loads(
            stripped, object_pairs_hook=_without_repeats, parse_constant=_no_constant
        )
    except (ValueError, RecursionError) as error:
        raise InvalidReply(f"not one JSON object: {error}"[:300]) from None
    if not isinstance(value, dict):
        raise InvalidReply(f"a JSON {type(value).__name__}, not an object")
    try:
        # through JSON again: strict JSON mode takes a JSON list for a tuple, strict Python not
        return schema.model_validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidReply(f"{where}: {first['msg']}"[:300]) from None


def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """JSON schema of a pydantic model in the narrow form that constrained decoders accept.

    Every property is required and no other is allowed.
    """
    schema = model.model_json_schema()
    schema.pop("description", None)  # our own docstring
    schema.pop("title", None)
    for part in (schema, *schema.get("$defs", {}).values()):
        if part.get("type") == "object":
            part["required"] = list(part.get("properties", {}))
            part["additionalProperties"] = False
    return schema


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = {name: clean(value) if isinstance(value, str) else value for name, value in pairs}
    if len(fields) != len(pairs):
        raise ValueError("a key is repeated")
    return fields


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def clean(text: str) -> str:
    """Text that can be written anywhere: no lone surrogates, no NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "")


def parse_reply(content: bytes) -> Any:
    """The JSON of an answer; ValueError where it is none or is nested too deeply.

    Numbers are as the server wrote them, so whoever uses one looks at it first.
    """
    try:
        value = json.loads(content)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    refuse_deep(value, _MOST_DEPTH)
    return value


def without_key(value: Any, key: str) -> Any:
    """A JSON value whose texts do not hold the key that a server was sent, however they spell it:
    what a server says is kept with a run, and read by others."""
    if not key or len(key) < SHORTEST_SECRET:
        return value
    if isinstance(value, str):
        return without_secret(value, key)
    if isinstance(value, list):
        return [without_key(inner, key) for inner in value]
    if isinstance(value, dict):
        return {without_secret(k, key): without_key(inner, key) for k, inner in value.items()}
    return value


def split_reasoning(text: str) -> tuple[str, str]:
    """(answer, reasoning) of a text with a ``<think>`` part; an unclosed one leaves no answer.

    Some chat templates write the opening tag into the prompt, so a closing tag alone counts.
    """
    if match := _CLOSED_THINK.match(text):
        return text[match.end() :].strip(), match.group(1).strip()
    if match := _OPEN_THINK.match(text):
        return "", match.group(1).strip()
    return text, ""


def estimate_tokens(text: str) -> int:
    """A rough count for servers that report none: a token per CJK character, else per four."""
    wide = len(_CJK.findall(text))
    return wide + (len(text) - wide + 3) // 4


def read_reply(body: Any, prompt_text: str) -> Reply:
    """The Reply in a chat or completion body; raises InvalidReply where it has no such shape.

    ``prompt_text`` is the text of the request, to estimate tokens where the server counts none.
    """
    if not isinstance(body, Mapping):
        raise InvalidReply(tr("the answer is not a JSON object"))
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise InvalidReply(tr("the answer has no choices"))
    choice = choices[0]
    message = choice.get("message")
    spoken = message if isinstance(message, Mapping) else {}
    text, reasoning = split_reasoning(clean(_text_of(spoken.get("content", choice.get("text")))))
    thoughts = spoken.get("reasoning_content") or spoken.get("reasoning")
    reasoning = clean(thoughts) if isinstance(thoughts, str) and thoughts else reasoning
    refusal = clean(_text_of(spoken.get("refusal")))
    finish = clean(str(choice.get("finish_reason") or ""))[:_NAME]
    usage = body.get("usage")
    counted = usage if isinstance(usage, Mapping) else {}
    prompt_tokens = token_count(counted.get("prompt_tokens"))
    completion_tokens = token_count(counted.get("completion_tokens"))
    estimated = prompt_tokens is None or completion_tokens is None
    return Reply(
        text=text,
        outcome=_outcome(text, finish, refusal),
        finish_reason=finish,
        prompt_tokens=estimate_tokens(prompt_text) if prompt_tokens is None else prompt_tokens,
        completion_tokens=estimate_tokens(text + reasoning)
        if completion_tokens is None
        else completion_tokens,
        tokens_estimated=estimated,
        reasoning=reasoning,
        refusal=refusal,
        status=200,
        model=clean(str(body.get("model") or ""))[:_NAME],
        choice=choice,
    )


def _text_of(content: Any) -> str:
    """The text of a ``content`` field: a string, or a list of parts as newer servers send."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text", "") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _outcome(text: str, finish: str, refusal: str) -> Outcome:
    if refusal or finish == "content_filter":
        return "refused"
    if finish == "length":
        return "truncated"
    return "ok" if text.strip() else "empty"


def token_count(value: Any) -> int | None:
    """A token count, or None where the server sent none that can be one of a single request."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value <= _MOST_TOKENS else None
