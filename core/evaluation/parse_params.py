"""Parameters as people give them, ``name=value``, made into those of an evaluation or a judge."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from core.errors import InputError
from core.evaluation.params import EvaluateParams, JudgeParams
from core.i18n import field_problem
from core.redaction import refuse_stored_key, secret_in

# given by options of their own, or not by a person at all
_OWN_PARAMS = ("split", "split_digest", "engine", "engine_args", "judge")

Model = TypeVar("Model", bound=BaseModel)


def named_values(texts: Sequence[str]) -> list[tuple[str, Any]]:
    """Names and values of ``name=value`` texts, dashes in names read as underscores.

    Raises InputError for a text of another form.
    """
    pairs = []
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name.isidentifier():
            raise InputError.tr("Write a parameter as name=value, not “{given}”.", given=text)
        pairs.append((name, _value(value)))
    return pairs


def _value(text: str) -> Any:
    """The value as JSON where it is JSON (numbers, true, lists), else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


def fitting(model: type[Model], values: Mapping[str, Any]) -> Model:
    """The typed parameters; InputError names the first one that does not fit."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        field, problem = field_problem(error)
        raise InputError.tr(
            "The parameter “{name}” is not valid: {why}.", name=field, why=problem
        ) from error


def params_of(fields: Mapping[str, Any], more: Sequence[str] = ()) -> EvaluateParams:
    """Parameters from named values and from ``name=value`` texts; unknown names go to the engine.

    Raises InputError that names the first one that does not fit.
    """
    values: dict[str, Any] = {**fields, "engine_args": dict(fields.get("engine_args", {}))}
    for name, value in named_values(more):
        is_field = name in EvaluateParams.model_fields and name not in _OWN_PARAMS
        (values if is_field else values["engine_args"])[name] = value
    refuse_secrets(values["engine_args"])
    params = fitting(EvaluateParams, values)
    refuse_stored_key(params.base_url, params.key_env)
    return params


def judge_params_of(fields: Mapping[str, Any], more: Sequence[str] = ()) -> JudgeParams:
    """A judge's parameters from named values and from ``name=value`` texts.

    Raises InputError that names the first one that does not fit.
    """
    values = {**fields, **dict(named_values(more))}
    refuse_secrets({n: value for n, value in values.items() if n not in JudgeParams.model_fields})
    params = fitting(JudgeParams, values)
    refuse_stored_key(params.base_url, params.key_env)
    return params


def refuse_secrets(values: Mapping[str, Any]) -> None:
    """Raise InputError for a name, on any level, that tells of a secret: parameters are kept."""
    secret = secret_in(values)
    if secret:
        raise InputError.tr(
            "“{name}” looks like a secret, and parameters are stored with the run. Put "
            "the server's key in BENCHSEAL_API_KEY or the system keyring.",
            name=secret,
        )
