"""The typed content of an item revision, and what is said of a content that does not fit."""

from pydantic import BaseModel, ConfigDict, ValidationError

from core.families.base import Defect
from core.i18n import tr


class Payload(BaseModel):
    """The content of one item revision. Frozen; its canonical JSON is what is hashed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def first_problem(error: ValidationError) -> str:
    """The first field that is not as its model wants it, in a sentence."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "–"
    return tr("Field “{field}”: {problem}.", field=where, problem=first["msg"])


def invalid_payload(error: ValidationError) -> Defect:
    """The defect of an item whose payload is not of its family's model."""
    return Defect("invalid_payload", first_problem(error))
