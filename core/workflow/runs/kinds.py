"""The registry of run kinds. To add one: a module with the kind, and an entry here.

Everything is named as ``module:object`` and imported when it is used, so that no worker loads the
database or the heavy packages of another kind.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from core.errors import NotFoundError
from core.jobs.run_kind import RunKind

if TYPE_CHECKING:
    from core.workflow.workspace import Workspace

TakeIn = Callable[["Workspace", str], dict[str, Any]]
"""Brings the results of a finished run into the workspace, and says what came in."""


@dataclass(frozen=True, slots=True)
class RegisteredKind:
    """A run kind by name: ``worker`` does the work, ``take_in`` is the use case that brings the
    results into the workspace; empty where they stay in the run folder."""

    name: str
    worker: str
    take_in: str = ""


RUN_KINDS = (
    RegisteredKind(
        "generate",
        "core.generation.run:GENERATE",
        "core.workflow.production.take_in_items:generated",
    ),
    RegisteredKind(
        "prescreen", "core.screening.run:PRESCREEN", "core.workflow.check.screen:take_in"
    ),
    RegisteredKind("signatures", "core.screening.duplicate_runs:SIGN_TEXTS"),
    RegisteredKind("near_pairs", "core.screening.duplicate_runs:COMPARE_PAIRS"),
    RegisteredKind(
        "rewrite", "core.rewriting.run:REWRITE", "core.workflow.production.rewrite_runs:take_in"
    ),
    RegisteredKind(
        "evaluate",
        "core.evaluation.run:EVALUATE",
        "core.workflow.evaluation.take_in_answers:take_in",
    ),
    RegisteredKind(
        "matrix",
        "core.evaluation.matrix.run:MATRIX",
        "core.workflow.evaluation.matrix:take_in",
    ),
    RegisteredKind(
        "adaptive",
        "core.analysis.adaptive.adaptive_run:ADAPTIVE",
        "core.workflow.analysis.adaptive_runs:take_in",
    ),
    RegisteredKind(
        "judge",
        "core.evaluation.judge_run:JUDGE",
        "core.workflow.evaluation.take_in_answers:take_in_verdicts",
    ),
    RegisteredKind(
        "pairwise",
        "core.evaluation.preference.pairwise:PAIRWISE_JUDGING",
        "core.workflow.evaluation.pairwise_judging:take_in",
    ),
    RegisteredKind(
        "finetune",
        "core.finetuning.run:FINETUNE",
        "core.workflow.analysis.simulations:take_in",
    ),
)


def run_kind(name: str) -> RunKind:
    """What does the work of a kind of run; NotFoundError for an unknown one."""
    kind: RunKind = _imported(_registered(name).worker)
    return kind


def use_case_of(name: str) -> TakeIn | None:
    """The use case that takes in what runs of that kind made, None where nothing is taken in.

    Raises NotFoundError for an unknown kind.
    """
    place = _registered(name).take_in
    if not place:
        return None
    use_case: TakeIn = _imported(place)
    return use_case


def _registered(name: str) -> RegisteredKind:
    for kind in RUN_KINDS:
        if kind.name == name:
            return kind
    raise NotFoundError.tr("This version of Benchseal has no run kind “{name}”.", name=name)


def _imported(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)
