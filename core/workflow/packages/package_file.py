"""What lies in the file of a work package, and in the one that comes back.

Both are JSON encrypted with age: the package to the person who works on it, what comes back to
them and to who handed it out. Nothing is in a package that the person could not see in the window.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from platformdirs import user_data_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import InputError
from core.files import digest
from core.i18n import tr
from core.sealing.encrypted_file import own_recipient, read_encrypted

PACKAGE, RETURNED = "benchseal-package", "benchseal-package-return"


Model = TypeVar("Model", bound=BaseModel)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PackageTask(_Part):
    """A task as who works offline needs it."""

    benchmark: str
    name: str
    family: str
    format: str
    domain: str
    profile: dict[str, Any]
    skip: str


class PackageItem(_Part):
    """An item revision as it was handed out; ``task`` is a place in the list of tasks."""

    number: int
    revision: int
    task: int
    content_hash: str
    format: str
    domain: str
    payload: dict[str, Any]
    provenance: dict[str, Any]
    defects: list[dict[str, str]]
    barred: str


class WorkPackage(_Part):
    """A package for one person; ``until`` is the day (ISO) to which its items are theirs."""

    format: str = Field(default=PACKAGE, pattern=f"^{PACKAGE}$")
    version: int = Field(default=1, ge=1, le=1)
    package: str
    workspace: str
    person: str
    lead: str
    made_at: str
    until: str
    return_to: str
    tasks: list[PackageTask]
    items: list[PackageItem]


class PackageDecision(_Part):
    """What was decided on an item, or that it was skipped (``kind``); ``event`` is its number in
    the ledger of the package, ``made`` its time there."""

    kind: str = Field(pattern="^(decide|skip)$")
    number: int
    revision: int
    content_hash: str
    verdict: str
    reason: str
    note: str
    seconds: float
    made: str
    event: int


class ReturnedPackage(_Part):
    """What comes back of a package."""

    format: str = Field(default=RETURNED, pattern=f"^{RETURNED}$")
    version: int = Field(default=1, ge=1, le=1)
    package: str
    person: str
    decisions: list[PackageDecision]

    def token_of(self, decision: PackageDecision) -> str:
        """What the ledger says beside a decision, so that it is taken once."""
        return digest([self.package, decision.number, decision.event])[:32]


def identity_path() -> Path:
    """The age identity of this account, to which packages are encrypted."""
    return user_data_path("benchseal") / "packages" / "identity.txt"


def own_key() -> str:
    """The recipient of this account, made where there is none: ``age1…``."""
    return own_recipient(identity_path())


def read_package(path: Path) -> WorkPackage:
    """The package in a file; InputError for another file, or one that is for somebody else."""
    return _read(WorkPackage, path)


def read_returned(path: Path) -> ReturnedPackage:
    """What came back in a file; errors as of ``read_package``."""
    return _read(ReturnedPackage, path)


def _read(kind: type[Model], path: Path) -> Model:
    document: Mapping[str, Any] = read_encrypted(path, identity_path())
    try:
        return kind.model_validate(document)
    except ValidationError as error:
        raise InputError(
            tr("“{path}” is not a work package.", path=path)
            if kind is WorkPackage
            else tr("“{path}” is not a work package that comes back.", path=path)
        ) from error
