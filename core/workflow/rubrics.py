"""Rubrics: what people rate by, with scales and guidelines (``resources/rubrics``)."""

import json
from functools import cache

from pydantic import BaseModel, ConfigDict

from core.errors import NotFoundError
from core.i18n import tr
from resources import resource


class ScaleValue(BaseModel):
    """One value of a scale and what it means."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float
    text: str


class Criterion(BaseModel):
    """One thing that is rated."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    title: str
    question: str
    scale: str
    values: tuple[ScaleValue, ...]

    @property
    def numbers(self) -> tuple[float, ...]:
        """The values that may be given, ascending."""
        return tuple(sorted(entry.value for entry in self.values))


class Rubric(BaseModel):
    """A named set of criteria."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    title: str
    source: str = ""
    criteria: tuple[Criterion, ...]


@cache
def rubrics() -> tuple[Rubric, ...]:
    """All rubrics that ship."""
    paths = sorted(resource("rubrics").glob("*.json"))
    return tuple(Rubric.model_validate(json.loads(p.read_text(encoding="utf-8"))) for p in paths)


def rubric(name: str) -> Rubric:
    """The rubric of that name; NotFoundError names those there are."""
    for shipped in rubrics():
        if shipped.name == name:
            return shipped
    names = ", ".join(shipped.name for shipped in rubrics())
    raise NotFoundError(
        tr("There is no rubric “{name}”. Available: {known}.", name=name, known=names)
    )


def criterion_scale(name: str) -> tuple[float, ...] | None:
    """The values of a criterion in whichever rubric has it; None for one of no rubric."""
    for shipped in rubrics():
        for criterion in shipped.criteria:
            if criterion.name == name:
                return criterion.numbers
    return None
