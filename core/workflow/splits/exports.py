"""Exporting a frozen split: a folder in one of the export formats, and who made it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from core.errors import InputError, StateError
from core.files import file_digest
from core.gc_pause import few_collections
from core.release import manifest as manifests
from core.release.by_uid import ValuesByUid
from core.release.canary import canary_of
from core.release.export_lock import ExportLock
from core.release.frozen_items import FrozenItems
from core.release.manifest import SplitItem
from core.workflow.lookup import metric_of
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.splits import (
    freeze,
    interruptions,
    opening_keys,
    openings,
    readings,
    receipts,
    split_states,
)
from core.workflow.splits.freeze import SplitInfo
from core.workflow.workspace import Workspace
from db import benchmarks, ledger, splits
from db.vocabulary import EventKind, SplitState

if TYPE_CHECKING:
    from core.release.formats import ExportReport
    from core.release.formats.base import ExportFormat, ItemTask


def _tasks_of(ws: Workspace, name: str) -> "Mapping[str, ItemTask]":
    """The task of every item of a split by its uid."""
    from core.release.formats.base import ItemTask

    with ws.reading() as session:
        known = {
            task.id: ItemTask(task.name, metric_of(task)) for task in benchmarks.tasks(session)
        }
        numbers = splits.task_numbers(session, split_states.split_in(session, name).id)
        return ValuesByUid((number, known[task]) for number, task in numbers)


@few_collections()
def export(
    ws: Workspace,
    name: str,
    format: str,
    out: Path,
    members: Sequence[SplitItem] | None = None,
    *,
    person: str = "",
    locked: bool = False,
    plain: str = "",
) -> "ExportReport":
    """Write a split to a folder in one of the export formats, after checking it is unchanged.

    ``members`` are its items in other words (``variants.variant_items``), None for its own. The
    export has the split's manifest, and the ledger says who made it, with a digest of all its
    files, before it appears. ``locked`` encrypts its data files under a key of its own, derived
    from the newest opening, which the report has and no file; ``plain`` is the reason that a plain
    export of a private split needs (``needs_reason``). Raises StateError for a sealed split and for
    one that was changed, InputError without that reason and for a format that cannot be locked,
    RightsError for somebody who may not evaluate.
    """
    from core.release.formats import export_format

    refuse_early(ws, person, Action.EVALUATE)
    split = freeze.info(ws, name)
    freeze.refuse_sealed(split)
    openings.refuse_early_use(ws, name)
    form = export_format(format)
    said: dict[str, Any] = {}
    if locked:
        lock = _lock(ws, name, format)
        form = form.locked_by(lock)
        said = {"locked": lock.name, "opening": lock.opening}
    elif needs_reason(split):
        said = {"plain": _reason(name, plain)}
    with freeze.unchanged_items(ws, name) as own:
        chosen = own if members is None else members
        report = export_as(ws, name, form, out, chosen, person, own, said)
    return replace(report, key=form.lock.key.hex()) if form.lock else report


def needs_reason(split: SplitInfo) -> bool:
    """Whether a plain export of a split needs a reason: it was sealed and has not expired, or is
    the private part of a benchmark."""
    if split.state == SplitState.EXPIRED:
        return False
    return split.state != SplitState.FROZEN or split.half == "private"


def _reason(name: str, plain: str) -> str:
    if not plain.strip():
        raise InputError.tr(
            "Split “{name}” is private: a plain export needs a reason, which the ledger keeps "
            "(--plain REASON). After it was sealed and opened it can be exported locked "
            "(--locked).", name=name
        )  # fmt: skip
    return plain.strip()


def _lock(ws: Workspace, name: str, format: str) -> ExportLock:
    with ws.reading() as session:
        opening = opening_keys.opening_for(session, name)
    if not opening:
        raise StateError.tr(
            "A locked export is made under an opening, and split “{name}” is not open: seal it, "
            "and open it.", name=name
        )  # fmt: skip
    called = f"{name}/{format}/{token_hex(4)}"
    key = opening_keys.key_of(ws, opening, export_purpose(called))
    return ExportLock(key, called, opening, canary_of(freeze.info(ws, name).manifest_hash))


def export_purpose(called: str) -> str:
    """What the key of a locked export is derived for."""
    return f"export {called}"


def key_of_export(ws: Workspace, head: Mapping[str, Any]) -> bytes:
    """The key of a locked export of this workspace, by what its files say in the clear.

    StateError for another workspace's, and for who may not read it.
    """
    called, opening = head.get("export"), head.get("opening")
    if not isinstance(called, str) or type(opening) is not int:
        raise StateError.tr("The file does not say which export it belongs to.")
    return opening_keys.key_of(ws, opening, export_purpose(called))


def export_as(
    ws: Workspace,
    name: str,
    form: "ExportFormat",
    out: Path,
    items: Sequence[SplitItem],
    person: str,
    own: FrozenItems,
    said: Mapping[str, Any],
) -> "ExportReport":
    """Write items of a split in a format, which the ledger tells with what is ``said`` besides;
    ``own`` are all of the split. Raises as ``export``."""
    issued_at = 0

    def tell(digest: str) -> None:
        nonlocal issued_at
        with writing_as(ws, person, Action.EVALUATE) as (session, actor):
            row = split_states.split_in(session, name, lock=True)
            freeze.refuse_sealed(freeze.info_in(ws, session, name))
            openings.refuse_use(ws, session, name)
            data: dict[str, Any] = {
                "exported": form.name,
                **said,
                **readings.reading_facts(session, row, None if items is own else _uids(items)),
                "export": digest,
                **receipts.promise(session, name),
            }
            told = ledger.NewEvent(EventKind.SPLIT, actor.name, subject=name, data=data)
            number = ledger.append(session, told)
            issued_at = number if receipts.PROMISE in data else 0

    with interruptions.receipt_due(ws, name):
        report = form.export(
            items,
            name,
            out,
            tasks=_tasks_of(ws, name),
            manifest=ws.releases / name / manifests.MANIFEST_FILE,
            whole=items is own,
            beside=partial(_described, ws, name) if form.name == "parquet" else _nothing,
            before_placing=tell,
        )
        if issued_at:
            receipts.issue(ws, name, issued_at)
    return report


def _uids(items: Sequence[SplitItem]) -> Iterator[str]:
    return (item.uid for item in items)


def _nothing(_folder: Path) -> dict[str, str]:
    return {}


def _described(ws: Workspace, name: str, folder: Path) -> dict[str, str]:
    """The Croissant description of the Parquet files of an export."""
    from core.release.datasheet import croissant
    from core.release.formats.parquet import FOLDER
    from core.workflow.splits.datasheets import CROISSANT_FILE, facts_of

    paths = sorted((folder / FOLDER).glob("*.parquet"))
    files = {path.relative_to(folder).as_posix(): file_digest(path) for path in paths}
    document = croissant(facts_of(ws, name), parquet=files)
    return {CROISSANT_FILE: json.dumps(document, ensure_ascii=False, indent=1) + "\n"}
