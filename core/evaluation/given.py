"""Parameters as people give them, ``name=value``, made into those of an evaluation or a judge."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from core.errors import InputError
from core.evaluation.params import EvaluateParams
from core.text import tr

# given by options of their own, or not by a person at all
_OWN_PARAMS = ("split", "split_digest", "engine", "engine_args", "judge")

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SECRET_WORDS = frozenset({
    "apikey", "auth", "authorization", "bearer", "cookie", "credential", "credentials",
    "passphrase", "passwd", "password", "secret", "secrets", "accesstoken", "authtoken"
})  # fmt: skip
_SECRET_KEYS = frozenset({
    "access", "account", "anthropic", "api", "auth", "azure", "dashscope", "deepseek", "google",
    "hf", "openai", "private", "secret", "service", "subscription"
})  # fmt: skip
# an eos_token is a word of a model, and so are these
_MODEL_TOKENS = frozenset({
    "audio", "begin", "bos", "cls", "end", "eos", "eot", "fim", "first", "image", "last", "mask",
    "new", "next", "pad", "per", "sep", "sot", "special", "start", "stop", "think", "unk",
    "video"
})  # fmt: skip

Model = TypeVar("Model", bound=BaseModel)


def named_values(texts: Sequence[str]) -> list[tuple[str, Any]]:
    """Names and values of ``name=value`` texts, dashes in names read as underscores.

    Raises InputError for a text of another form.
    """
    found = []
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name.isidentifier():
            raise InputError(tr("A parameter is written name=value, not “{given}”.", given=text))
        found.append((name, _value(value)))
    return found


def _value(text: str) -> Any:
    """The value as JSON where it is JSON (numbers, true, lists), else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


def fitting(model: type[Model], given: Mapping[str, Any]) -> Model:
    """The typed parameters; InputError names the first one that does not fit."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InputError(
            tr("The parameter “{name}” does not fit: {why}.", name=field, why=first["msg"])
        ) from error


def _is_secret(name: str) -> bool:
    """Whether a parameter or header of that name holds a secret, as far as its name tells."""
    *before, last = re.split(r"[-_.\s]+", _HUMP.sub("_", name.strip()).casefold())
    if last == "env":  # names a variable of the environment
        return False
    if last in ("key", "keys") and before:
        return before[-1] in _SECRET_KEYS
    if last == "token":
        return not before or before[-1] not in _MODEL_TOKENS
    return last == "key" or not _SECRET_WORDS.isdisjoint([*before, last])


def _secret_in(value: Any) -> str:
    """The first name in nested JSON that tells of a secret; "" where there is none."""
    if isinstance(value, Mapping):
        named = (name if _is_secret(name) else _secret_in(one) for name, one in value.items())
        return next(filter(None, named), "")
    return next(filter(None, map(_secret_in, value)), "") if isinstance(value, list) else ""


def params_of(given: Mapping[str, Any], more: Sequence[str] = ()) -> EvaluateParams:
    """Parameters from named values and from ``name=value`` texts; unknown names go to the engine.

    Raises InputError that names the first one that does not fit.
    """
    values: dict[str, Any] = {**given, "engine_args": dict(given.get("engine_args", {}))}
    for name, value in named_values(more):
        own = name in EvaluateParams.model_fields and name not in _OWN_PARAMS
        if not own and (secret := _secret_in({name: value})):
            raise InputError(
                tr(
                    "“{name}” looks like a secret, and parameters are kept with the run. A "
                    "server's key is read from BENCHSEAL_API_KEY or the system's keyring.",
                    name=secret,
                )
            )
        (values if own else values["engine_args"])[name] = value
    return fitting(EvaluateParams, values)
