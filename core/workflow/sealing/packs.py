"""Packs for a neutral evaluator: a split that was opened, locked for them, with how it is asked.

A pack is a locked archive (``core.sealing.archive``) whose manifest says besides, in ``pack``, with
which engine and settings models are asked, which models, and whether only on the evaluator's own
computer. All of it is signed; what runs a pack is ``neutral_evaluation``. The ledger keeps a pack
as the export that it is. A split under a policy is packed by nobody: outside, no opening counts.
"""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import InputError, unwritable
from core.evaluation.params import EvaluateParams
from core.files import NewFile, readable_by_others, sync_folder
from core.sealing import archive
from core.sealing.archive import Locks, SealedArchive
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.sealing.locked_archives import signing_key, write_items
from core.workflow.sealing.manifest_facts import facts_of
from core.workflow.splits import freeze, interruptions, openings, readings, receipts, split_states
from core.workflow.workspace import Workspace
from db import ledger
from db.vocabulary import EventKind

FIELD = "pack"
VERSION = 1
NAME = "pack"
"""What the ledger calls the format of this export."""
SETTINGS = frozenset(
    ("engine", "mode", "answer_by", "system", "max_tokens", "stop", "temperature", "top_p",
     "top_k", "repetition_penalty", "long_prompts", "enable_thinking", "think_end_token",
     "template_args", "seed", "engine_args", "instruction")
)  # fmt: skip
"""The parameters that a pack fixes; where the model is, and how quickly it is asked, is left to who
evaluates."""


@dataclass(frozen=True, slots=True)
class PackOrder:
    """What is packed: into which file, for whom, how models are asked, and which (none: any);
    ``offline`` packs ask no server of another computer."""

    out: Path
    locks: Locks
    params: EvaluateParams
    models: tuple[str, ...] = ()
    offline: bool = True


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack that was written; ``key_id`` is the key that signed it."""

    split: str
    path: str
    sha256: str
    root: str
    items: int
    key_id: str


def write(ws: Workspace, name: str, person: str, order: PackOrder) -> Pack:
    """Write a split as a pack.

    Raises InputError for settings that a pack cannot hold, locks or a file that cannot be used,
    StateError for a split that is sealed, under a policy or not as it was frozen.
    """
    refuse_early(ws, person, Action.EVALUATE)
    _refuse(ws, name, order)
    signer = signing_key(ws)
    facts = {**facts_of(ws, name), FIELD: _described(order)}
    try:
        with (
            closing(NewFile(order.out, readable_by_others())) as file,
            interruptions.receipt_due(ws, name),
        ):
            packed, digest = write_items(ws, name, file, facts, order.locks, signer)
            _tell(ws, name, person, order, packed, digest)
            file.publish()
        sync_folder(order.out.parent)
    except OSError as error:
        raise unwritable(order.out, error) from error
    return Pack(name, str(order.out), digest, packed.root, packed.items, packed.key_id)


def _refuse(ws: Workspace, name: str, order: PackOrder) -> None:
    archive.refuse_unusable(order.locks)
    if order.out.exists():
        raise InputError.tr("“{path}” is there already; name a new file.", path=order.out)
    freeze.refuse_sealed(freeze.info(ws, name))
    openings.refuse_early_use(ws, name)
    params = order.params
    if params.variants or params.templates or params.orders > 1 or params.shots or params.judge:
        raise InputError.tr(
            "A pack asks each item once, as it is: without variants, templates, orders of "
            "options, examples and judges."
        )  # fmt: skip


def _described(order: PackOrder) -> Mapping[str, Any]:
    settings = order.params.model_dump(mode="json", include=set(SETTINGS))
    return {"version": VERSION, "settings": settings, "models": list(order.models),
            "offline": order.offline}  # fmt: skip


def _tell(
    ws: Workspace, name: str, person: str, order: PackOrder, packed: SealedArchive, digest: str
) -> None:
    with writing_as(ws, person, Action.EVALUATE) as (session, actor):
        row = split_states.split_in(session, name, lock=True)
        freeze.refuse_sealed(freeze.info_in(ws, session, name))
        openings.refuse_use(ws, session, name)
        data: dict[str, Any] = {
            "exported": NAME, **readings.reading_facts(session, row), "export": digest,
            "root": packed.root, "recipients": len(order.locks.recipients),
            "models": list(order.models), **receipts.promise(session, name),
        }  # fmt: skip
        told = ledger.NewEvent(EventKind.SPLIT, actor.name, subject=name, data=data)
        number = ledger.append(session, told)
    if receipts.PROMISE in data:
        receipts.issue(ws, name, number)
