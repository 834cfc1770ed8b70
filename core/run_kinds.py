"""The registry of run kinds. To add one: a module with the kind and an entry in the tuple.

Kinds are named as ``module:object`` and imported when a run of that kind is worked on, so that
no worker loads the heavy packages of another kind.
"""

from importlib import import_module

from core.errors import NotFoundError
from core.i18n import tr
from core.jobs.run_kind import RunKind

RUN_KINDS: tuple[tuple[str, str], ...] = (
    ("generate", "core.generation.run:GENERATE"),
    ("prescreen", "core.screening.run:PRESCREEN"),
    ("rewrite", "core.rewriting.run:REWRITE"),
    ("evaluate", "core.evaluation.run:EVALUATE"),
    ("judge", "core.evaluation.judge_run:JUDGE"),
    ("finetune", "core.finetuning.run:FINETUNE"),
)


def run_kind(name: str) -> RunKind:
    """The run kind of that name; raises NotFoundError for an unknown one."""
    for known, place in RUN_KINDS:
        if known == name:
            module, _, attribute = place.partition(":")
            kind: RunKind = getattr(import_module(module), attribute)
            return kind
    raise NotFoundError(tr("This Benchseal knows no run of the kind “{name}”.", name=name))
