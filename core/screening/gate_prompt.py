"""The language-model gate: what it is asked about an item, and how its score is read."""

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from core.errors import BenchsealError, InputError
from core.families import family
from core.families.base import ItemContent
from core.files import file_digest
from core.llm.replies import json_schema, parse_json_reply
from core.llm.types import ChatRequest, Message, Reply
from resources import resource

LOWEST, HIGHEST = 0.0, 10.0
DEFAULT_THRESHOLD = 6.0

_TEXT = "{{text}}"
_KEY = "{{key}}"
# An SCP item means nothing without the selections it offers, which only its prompt spells out.
_SHOWN_AS_PROMPT = frozenset({"scp", "choice"})
_AGAIN = "That was not the form asked for ({why}). Reply again, with the one JSON object only."


@dataclass(frozen=True, slots=True)
class GatePrompt:
    """A prompt file. ``version`` is its own name for itself, ``sha256`` what it really says."""

    version: str
    sha256: str
    system: str
    item: str


def _joined(value: Any) -> Any:
    """A list of reasons as one text; models give either."""
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return " ".join(value)
    return value


class GateVerdict(BaseModel):
    """A gate's reply: a number from 0 to 10, halves allowed, and its reasons."""

    model_config = ConfigDict(frozen=True)

    score: Annotated[float, Field(ge=LOWEST, le=HIGHEST, allow_inf_nan=False)]
    reasons: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1),
        BeforeValidator(_joined),
        Field(validation_alias=AliasChoices("reasons", "reason", "rationale")),
    ]


class _AskedForm(BaseModel):
    """The form that a constrained decoder is held to; bounded, so that it always ends."""

    score: Annotated[float, Field(ge=LOWEST, le=HIGHEST)]
    reasons: Annotated[str, Field(max_length=600)]


@cache
def gate_prompt(family_name: str) -> GatePrompt:
    """The gate's prompt for a family; InputError where there is none."""
    path = resource("prompts", f"screen_{family_name}.md")
    if not path.is_file():
        raise InputError.tr("There is no screening prompt for the family “{name}”.",
                            name=family_name)  # fmt: skip
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition("# system\n")
    system, _, item = rest.partition("# item\n")
    version = head.partition("version:")[2].strip()
    return GatePrompt(version, file_digest(path), system.strip(), item.strip())


def gate_request(
    id: str, item: ItemContent, *, max_tokens: int, temperature: float, seed: int | None = None
) -> ChatRequest:
    """The request that asks for a verdict on an item.

    Raises a BenchsealError where the item cannot be shown: unknown family, unusable payload.
    """
    prompt = gate_prompt(item.family)
    owner = family(item.family)
    try:
        shown = owner.prompt(item).text if item.family in _SHOWN_AS_PROMPT else ""
        shown = shown or owner.plain_text(item)
        key = owner.key(item)
    except BenchsealError:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise InputError.tr(
            "The item does not match the format of its family: {why}.", why=str(error)[:300]
        ) from error
    # one pass over the template: text of the item that looks like a placeholder stays as it is
    before, _, after = prompt.item.partition(_TEXT)
    user = before + shown + after.replace(_KEY, key)
    return ChatRequest(
        id=id,
        messages=(Message("system", prompt.system), Message("user", user)),
        max_tokens=max_tokens,
        temperature=temperature,
        seed=seed,
        schema=json_schema(_AskedForm),
        schema_name="verdict",
    )


def asked_again(request: ChatRequest, reply: Reply, why: str) -> ChatRequest:
    """The same request after a reply that could not be read, with what was wrong about it."""
    turns = (
        Message("assistant", reply.text[:2000] or "…"),
        Message("user", _AGAIN.format(why=why)),
    )
    return ChatRequest(
        id=request.id,
        messages=(*request.messages, *turns),
        max_tokens=request.max_tokens,
        temperature=request.temperature,
        seed=request.seed,
        schema=request.schema,
        schema_name=request.schema_name,
    )


def read_verdict(text: str) -> GateVerdict:
    """The verdict in a reply; InvalidReply where it is anything but one (see parse_json_reply)."""
    return parse_json_reply(text, GateVerdict)
