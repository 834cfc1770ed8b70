"""The datasheet and the Croissant description of a split, from what the workspace knows of it."""

from collections import Counter
from pathlib import Path

from core.errors import InputError
from core.families.base import NO_ARTICLE_FIELD
from core.families.shared_source import named_source, source_by
from core.files import write_atomic, write_json
from core.release.canary import canary_of
from core.release.datasheet import SplitFacts, croissant, datasheet
from core.release.manifest import ITEMS_FILE, read_head
from core.workflow import labels
from core.workflow.splits import freeze, lifecycle, split_states
from core.workflow.workspace import Workspace
from db import benchmarks, reviews, splits
from db.engine import Session

DATASHEET_FILE, CROISSANT_FILE = "datasheet.md", "croissant.json"


def facts_of(ws: Workspace, name: str) -> SplitFacts:
    """What is known of a split. NotFoundError for an unknown one; as ``read_head``."""
    info, life = freeze.info(ws, name), lifecycle.split_life(ws, name)
    with ws.reading() as session:
        row = split_states.split_in(session, name)
        tasks = splits.task_counts(session, row.id)
        people, decisions = reviews.counted_in_split(session, row.id)
        names = {task.id: task.name for task in benchmarks.tasks(session)}
        sources, no_articles = _origins(session, row.id)
        alone = sources.pop("", 0)  # of no source that is known: each is one of its own
    manifest = read_head(ws.releases / name)
    return SplitFacts(
        name=info.name,
        benchmark=info.benchmark,
        state=info.state,
        items=info.size,
        sources=len(sources) + alone,
        counts=manifest.counts,
        tasks={names[task]: count for task, count in tasks.items()},
        no_articles=no_articles,
        people=people,
        decisions=decisions,
        unaudited=info.unaudited,
        frozen_at=manifest.created[:19] + "Z",
        digest=manifest.digest,
        items_digest=manifest.files.get(ITEMS_FILE, ""),
        canary=canary_of(manifest.digest),
        openings=life.openings,
        evaluations=life.evaluations,
    )


def _origins(session: Session, split_id: int) -> tuple[Counter[str], Counter[str]]:
    """The items of a split by source, and those of no article by the kind of their text."""
    sources, no_articles = Counter[str](), Counter[str]()
    for provenance, _, items in splits.origins(session, split_id, passages=False):
        sources[named_source(provenance)] += items
        if (kind := provenance.get(NO_ARTICLE_FIELD)) in labels.TEXTS:
            no_articles[labels.word(labels.TEXTS, str(kind))] += items
    if sources.pop("", 0):  # most items name a source, and no payload is read for them
        for provenance, passage, items in splits.origins(session, split_id, passages=True):
            if not named_source(provenance):
                sources[source_by(provenance, passage)] += items
    return sources, no_articles


def write(
    ws: Workspace, name: str, folder: Path, *, license_url: str = "", address: str = ""
) -> tuple[Path, Path]:
    """Write both into a folder, made where it is not there; their paths. They hold no item.

    InputError for a folder that cannot be written to.
    """
    facts = facts_of(ws, name)
    sheet, description = folder / DATASHEET_FILE, folder / CROISSANT_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(sheet, datasheet(facts), for_others=True)
        write_json(description, croissant(facts, license_url, address), for_others=True)
    except OSError as error:
        raise InputError.tr("Could not write “{path}”: {reason}.", path=folder,
                            reason=error.strerror or str(error)) from error  # fmt: skip
    return sheet, description
