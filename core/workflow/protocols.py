"""How a task is reviewed: the typed protocol, its defaults per family, and its versions."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import InputError
from core.i18n import field_problem, tr, tr_noop
from core.known_names import refuse_unknown
from core.workflow.labels import SETTING_TITLES, TASK_PARTS, word
from core.workflow.rubrics import rubric

LEASE_MINUTES = 30.0
"""How long a claim lasts where a protocol says nothing else."""


class ProtocolSettings(BaseModel):
    """One version of a task's protocol. Shares are fractions from 0 to 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: int = Field(default=100, ge=1, le=10**9, description="items wanted")
    overlap: int = Field(default=1, ge=1, le=50, description="reviewers on every item")
    gate: Literal["required", "optional", "off"] = Field(
        default="optional", description="whether the language model must screen before people"
    )
    threshold: float = Field(default=6.0, ge=0, le=10, description="lowest score that passes")
    gate_audit_share: float = Field(
        default=0.05, ge=0, le=1, description="share of the screened-out shown to people anyway"
    )
    audit_sample: int = Field(
        default=20, ge=0, le=10**9, description="items drawn from a lot; 0: no audit"
    )
    audit_allowed: int = Field(
        default=0, ge=0, le=10**9, description="failures a lot may have and pass"
    )
    private_share: float = Field(default=1.0, ge=0, le=1, description="share kept private")
    instructions: int = Field(
        default=1, ge=1, le=10**6, description="instruction variants of the task"
    )
    public_instructions: int = Field(
        default=0, ge=0, le=10**6, description="variants that are public"
    )
    raters: int = Field(default=0, ge=0, le=10**6, description="people who rate each sampled item")
    rating_sample: int = Field(default=0, ge=0, le=10**9, description="items drawn for rating")
    rubric: str = Field(default="", description="name of the rubric that is rated")
    lease_minutes: float = Field(
        default=LEASE_MINUTES, gt=0, le=10**6, description="minutes a claim is held"
    )
    gold_rate: float = Field(default=0.0, ge=0, le=0.5, description="share of gold items mixed in")
    gold_limit: float = Field(
        default=0.0, ge=0, le=1, description="gold accuracy below which a reviewer is paused"
    )
    qualification: int = Field(
        default=0,
        ge=0,
        le=200,
        description="gold items everybody answers before real ones; 0: none",
    )
    qualification_pass: float = Field(
        default=0.8, ge=0, le=1, description="share of them that must be right to go on"
    )
    skip: Literal["to_end", "to_others", "with_reason"] = Field(
        default="to_others",
        description="where a skipped item goes; with_reason: to others, and only with words",
    )


_DEFAULTS: dict[str, ProtocolSettings] = {
    "scp": ProtocolSettings(overlap=2, target=100),
    "instruction": ProtocolSettings(
        overlap=1,
        gate="required",
        private_share=0.5,
        instructions=5,
        public_instructions=1,
    ),
    "rewrite": ProtocolSettings(
        overlap=1, gate="off", raters=5, rating_sample=50, rubric="coreeval"
    ),
}


def default_protocol(family: str) -> ProtocolSettings:
    """The protocol a new task of a family begins with."""
    return _DEFAULTS.get(family, ProtocolSettings())


def settings_of(stored: dict[str, Any]) -> ProtocolSettings:
    """The typed protocol of a stored version; fields it does not name have their defaults."""
    return ProtocolSettings.model_validate(stored)


def changed(settings: ProtocolSettings, values: dict[str, str]) -> ProtocolSettings:
    """A protocol with some values replaced, given as text; InputError names a wrong one.

    NotFoundError for a rubric that does not ship.
    """
    known = ProtocolSettings.model_fields
    for name in values:
        if name in TASK_PARTS and name not in known:
            raise InputError.tr(
                "“{name}” is not a protocol setting; it belongs to the task's description: "
                "benchseal task change TASK --{name} …", name=name
            )  # fmt: skip
        refuse_unknown(
            name, known, tr_noop("There is no protocol setting “{name}”. Available: {known}.")
        )
    if values.get("rubric", settings.rubric) not in ("", settings.rubric):
        rubric(values["rubric"])  # nobody could rate by one that is not there
    try:
        return ProtocolSettings.model_validate({**settings.model_dump(), **values})
    except ValidationError as error:
        name, problem = field_problem(error)
        raise InputError(
            tr(
                "“{value}” is not a valid value for the protocol setting “{title}”: {problem}.",
                value=values[name],
                title=word(SETTING_TITLES, name),
                problem=problem,
            ),
            command=tr("Its name is {name}.", name=name),
        ) from error
