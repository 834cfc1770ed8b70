"""Exporting a frozen split: a folder in one of the export formats, and who made it."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.files import file_digest
from core.gc_pause import few_collections
from core.release import manifest as manifests
from core.release.frozen_items import FrozenItems
from core.release.manifest import SplitItem
from core.workflow.lookup import metric_of
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.splits import freeze, openings, readings, receipts, split_states
from core.workflow.workspace import Workspace
from db import benchmarks, ledger, splits
from db.vocabulary import EventKind

if TYPE_CHECKING:
    from core.release.formats import ExportReport
    from core.release.formats.base import ItemTask


def _tasks_of(ws: Workspace, name: str) -> "dict[str, ItemTask]":
    """The task of every item of a split by its uid."""
    from core.release.formats.base import ItemTask

    with ws.reading() as session:
        rows = splits.tasks_and_labels(session, split_states.split_in(session, name).id)
        known = {
            task.id: ItemTask(task.name, metric_of(task)) for task in benchmarks.tasks(session)
        }
    return {str(number): known[task] for number, task, _ in rows}


@few_collections()
def export(
    ws: Workspace,
    name: str,
    format: str,
    out: Path,
    members: Sequence[SplitItem] | None = None,
    *,
    person: str = "",
) -> "ExportReport":
    """Write a split to a folder in one of the export formats, after checking it is unchanged.

    ``members`` are its items in other words (``variants.variant_items``), None for its own. The
    export has the split's manifest, and the ledger says who made it, with a digest of all its
    files, before it appears. Raises StateError for a sealed split and for one that was changed,
    RightsError for somebody who may not evaluate.
    """
    refuse_early(ws, person, Action.EVALUATE)
    freeze.refuse_sealed(freeze.info(ws, name))
    openings.refuse_early_use(ws, name)
    with freeze.unchanged_items(ws, name) as own:
        return _export(ws, name, format, out, own if members is None else members, person, own)


def _export(
    ws: Workspace,
    name: str,
    format: str,
    out: Path,
    items: Sequence[SplitItem],
    person: str,
    own: FrozenItems,
) -> "ExportReport":
    from core.release.formats import export_format

    issued_at = 0

    def tell(digest: str) -> None:
        nonlocal issued_at
        with writing_as(ws, person, Action.EVALUATE) as (session, actor):
            row = split_states.split_in(session, name, lock=True)
            freeze.refuse_sealed(freeze.info_in(ws, session, name))
            openings.refuse_use(session, name)
            data: dict[str, Any] = {
                "exported": format,
                **readings.facts(session, row, _uids(items)),
                "export": digest,
                **receipts.promise(session, name),
            }
            told = ledger.NewEvent(EventKind.SPLIT, actor.name, subject=name, data=data)
            number = ledger.append(session, told)
            issued_at = number if receipts.PROMISE in data else 0

    report = export_format(format).export(
        items,
        name,
        out,
        tasks=_tasks_of(ws, name),
        manifest=ws.releases / name / manifests.MANIFEST_FILE,
        whole=items is own,
        beside=partial(_described, ws, name) if format == "parquet" else _nothing,
        before_placing=tell,
    )
    if issued_at:
        receipts.issue(ws, name, issued_at)
    return report


def _uids(items: Sequence[SplitItem]) -> Iterator[str]:
    if isinstance(items, FrozenItems):
        return (entry.uid for entry in items.entries())
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
