"""Stage 1: bringing items into the workspace, from runs that generate them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import InputError, OutsideError, StateError
from core.families.base import Defect, ItemContent
from core.generation.run import items_of, prepare
from core.generation.spec import ScpSpec
from core.generation.text_defects import defects_of_items
from core.i18n import labelled, tr, trn
from core.jobs.folder import RunFolder, write_rows
from core.jobs.launchers import launcher_named
from core.sources.articles.read_paths import ReadReport
from core.workflow.people import ensure_benchmark_in, ensure_task_in
from core.workflow.protocols import settings_of
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.runs import bound_files, runs
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger
from db import runs as run_rows
from db.benchmarks import BenchmarkRow, TaskRow
from db.engine import Session
from db.items import NewItem
from db.vocabulary import EventKind, ItemState

_MANY = 1000  # items whose texts are indexed after they are written


@dataclass(frozen=True, slots=True)
class GeneratedItems:
    """What became of the items of a run: added, or known already (same content, same task)."""

    added: int
    known: int


def require_articles(report: ReadReport) -> None:
    """Raise InputError, with the first reason, when not one article could be read."""
    if not report.articles:
        first = labelled(*report.skipped[0]) if report.skipped else "–"
        raise InputError(
            trn(
                "No article could be read (1 file was skipped). First problem: {first}",
                "No article could be read ({n} files were skipped). First problem: {first}",
                len(report.skipped),
                first=first,
            )
        )


def start_generation(
    ws: Workspace,
    report: ReadReport,
    benchmark: str,
    spec: ScpSpec,
    *,
    jobs: int = 1,
    launcher: str = "local",
) -> RunFolder:
    """Make and start a generation run over articles that were read, by ``jobs`` workers.

    ``launcher`` is ``local`` or ``slurm:PROFILE``; raises what ``Launcher.require`` raises.

    Raises InputError when not one article could be read.
    """
    refuse_early(ws, "", Action.MAKE_ITEMS)
    require_articles(report)
    starter = launcher_named(launcher, ws.place.folder)
    starter.require()
    folder = prepare(
        ws.runs,
        report.articles,
        spec,
        skipped=report.skipped,
        origin={"benchmark": benchmark},
    )
    with writing_as(ws, "", Action.MAKE_ITEMS) as (session, actor):
        benchmark_row = ensure_benchmark_in(session, benchmark, actor.name)
        runs.enter(
            session,
            folder,
            trn("SCP from 1 article", "SCP from {n} articles", len(report.articles)),
            details={"benchmark": benchmark},
            benchmark_id=benchmark_row.id,
            launcher=starter.name,
            shards=jobs,
            actor=actor.name,
        )
    starter.start(folder, jobs)
    return folder


def generated(ws: Workspace, name: str) -> dict[str, Any]:
    """Take a finished generation in and tell what it made; a second time changes nothing new.

    Raises StateError while the run is not finished, OutsideError with the reason when it failed.
    """
    row = runs.find(ws, name)
    folder = runs.folder_of(ws, row.id)
    result = folder.result()
    if result is None:
        if error := folder.error():
            raise OutsideError(error)
        raise StateError(tr("Run “{run}” is not finished; resume it first.", run=row.id))
    contents = list(items_of(folder.ordered_records()))
    benchmark = str(folder.spec().origin["benchmark"])
    if not folder.files.has("items.jsonl"):
        write_rows(folder.files, "items.jsonl", (content.as_json() for content in contents))
    taken = take_in_items(ws, row.id, benchmark, contents, result, folder=folder.path)
    return {
        "run": row.id,
        "benchmark": benchmark,
        "file": str(folder.path / "items.jsonl"),
        "added": taken.added,
        "known": taken.known,
        **result,
    }


def task_name(content: ItemContent) -> str:
    """Name of the task that a generated item belongs to: ``scp-cloze-CS``."""
    parts = (content.family, content.format, content.domain)
    return "-".join(part for part in parts if part)


def take_in_items(
    ws: Workspace,
    run_id: str,
    benchmark: str,
    contents: Sequence[ItemContent],
    summary: dict[str, Any] | None = None,
    *,
    screened_out: Sequence[ItemContent] = (),
    folder: Path | None = None,
) -> GeneratedItems:
    """Add generated items as drafts of their tasks, each with its ledger event.

    ``screened_out`` are kept as that: attempts that their own run found wanting. An item whose
    content its task has already is left out, so taking in twice changes nothing. ``folder`` is that
    of the run: the first time, its files are bound in the ledger.
    """
    files = bound_files.taken_in(folder) if folder is not None else {}
    every = [*contents, *screened_out]
    found = _defects_of_new(ws, benchmark, every)
    with ws.writing() as session:
        run = run_rows.get(session, run_id, lock=True)
        benchmark_row = ensure_benchmark_in(session, benchmark)
        tasks = _tasks_for(session, benchmark_row, every)
        known = items.known_hashes(session, [task.id for task in tasks.values()])
        drafts: list[tuple[ItemContent, TaskRow]] = []
        places: list[int] = []
        for place, content in enumerate(every):
            key = (tasks[task_name(content)].id, content.content_hash)
            if key not in known:
                known.add(key)
                drafts.append((content, tasks[task_name(content)]))
                places.append(place)
        made = new_items(drafts, run_id, found=[found[place] for place in places])
        new = [
            _out(item) if place >= len(contents) else item
            for item, place in zip(made, places, strict=True)
        ]
        ids = items.add(session, new, index_later=len(new) > _MANY)
        events = created_events(zip(ids, new, strict=True), "", {"run": run_id})
        ledger.append(session, *events)
        if files and run is not None and run.taken_in_at is None:
            ledger.append(session, bound_files.event(run_id, len(contents), files))
        run_rows.mark_taken_in(session, run_id, summary or {})
    return GeneratedItems(len(new), len(every) - len(new))


def _defects_of_new(
    ws: Workspace, benchmark: str, contents: Sequence[ItemContent]
) -> Sequence[Sequence[Defect]]:
    """The defects of items, looked for while nobody is kept from writing; of those that their
    tasks have already none are looked for."""
    with ws.reading() as session:
        home = benchmarks.benchmark_named(session, benchmark)
        ids = {row.name: row.id for row in benchmarks.tasks(session, home.id)} if home else {}
        named = {ids[name] for name in map(task_name, contents) if name in ids}
        known = items.known_hashes(session, named)
    new = [
        place
        for place, content in enumerate(contents)
        if (ids.get(task_name(content)), content.content_hash) not in known
    ]
    found: list[Sequence[Defect]] = [()] * len(contents)
    defects = defects_of_items([contents[place] for place in new])
    for place, ones in zip(new, defects, strict=True):
        found[place] = ones
    return found


def _out(item: NewItem) -> NewItem:
    return replace(item, state=ItemState.SCREENED_OUT, open_slots=0)


def _tasks_for(
    session: Session, benchmark: BenchmarkRow, contents: Sequence[ItemContent]
) -> dict[str, TaskRow]:
    tasks: dict[str, TaskRow] = {}
    for content in contents:
        name = task_name(content)
        if name not in tasks:
            tasks[name] = ensure_task_in(
                session,
                benchmark,
                name,
                content.family,
                format=content.format,
                domain=content.domain,
            )
    return tasks


def created_events(
    written: Iterable[tuple[int, NewItem]], actor: str, data: Mapping[str, Any]
) -> list[ledger.NewEvent]:
    """The ledger's event for each new item; ``data`` says where it came from."""
    return [
        ledger.NewEvent(
            EventKind.CREATED,
            actor,
            number,
            data={
                **data,
                "content_hash": item.content_hash,
                "before": {},
                "after": {
                    "state": str(item.state),  # written as it is, without a second look
                    "revision": 1,
                    "open_slots": item.open_slots,
                    "disputed": False,
                    "lot_id": None,
                    "round": item.round,
                },
            },
        )
        for number, item in written
    ]


def new_items(
    drafts: Sequence[tuple[ItemContent, TaskRow]],
    run_id: str | None,
    author_id: int | None = None,
    found: Sequence[Sequence[Defect]] | None = None,
) -> list[NewItem]:
    """Drafts of tasks with the defects that were ``found``, else checked for them now."""
    slots = {task.id: _slots(task) for _, task in drafts}
    if found is None:
        found = defects_of_items([content for content, _ in drafts])
    return [
        _new_item(content, task, slots[task.id], defects, run_id, author_id)
        for (content, task), defects in zip(drafts, found, strict=True)
    ]


def new_item(
    content: ItemContent, task: TaskRow, run_id: str | None, author_id: int | None = None
) -> NewItem:
    """``new_items`` of one."""
    return new_items([(content, task)], run_id, author_id)[0]


def _slots(task: TaskRow) -> int:
    protocol = settings_of(task.protocol)
    return 0 if protocol.gate == "required" else protocol.overlap


def _new_item(
    content: ItemContent,
    task: TaskRow,
    slots: int,
    defects: Sequence[Defect],
    run_id: str | None,
    author_id: int | None,
) -> NewItem:
    published = bool(content.provenance.get("as_published"))
    return NewItem(
        task_id=task.id,
        benchmark_id=task.benchmark_id,
        family=content.family,
        format=content.format,
        domain=content.domain,
        content_hash=content.content_hash,
        payload=content.payload,
        provenance=content.provenance,
        label=str(content.payload.get("label") or "")[:200],
        state=ItemState.DRAFT,
        open_slots=slots,
        barred="as_published" if published else "",
        defects=[{"name": defect.name, "detail": defect.detail} for defect in defects],
        author_id=author_id,
        run_id=run_id,
        round=task.round,
    )
