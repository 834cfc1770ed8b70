"""Rewriting labelled data with fresh knowledge: the run, taking its sets in, one item's journey."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.errors import InputError, NotFoundError, StateError
from core.families.rewrite_payload import ORIGINAL
from core.i18n import trn
from core.jobs.folder import RunFolder, write_rows
from core.jobs.launchers import Launcher, launcher_named
from core.llm.keys import NamedServer
from core.own_places import allow_place, news_place
from core.rewriting.knowledge import check_source, named_server
from core.rewriting.params import RewriteParams, work_of
from core.rewriting.results import RewrittenSets, read_sets
from core.rewriting.run_progress import RewriteProgressReader
from core.rewriting.trace import Trace, read_trace
from core.sources.labelled.dataset_files import Columns, read_labelled
from core.sources.labelled.datasets import TASKS, LabelledExample, LabelledTask, counted
from core.workflow.lookup import item_in
from core.workflow.people import ensure_benchmark_in, ensure_task_in
from core.workflow.production import take_in_items
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger
from db.benchmarks import TaskRow
from db.engine import Session
from db.vocabulary import EventKind

BASE_DATA = "base_data"  # in a task's profile: where its labelled data are and how they are read


@dataclass(frozen=True, slots=True)
class BaseData:
    """The labelled data of a task: read once from a file or folder, or the task's own originals.

    ``left_out`` has the lines of rows that were not used, by reason.
    """

    task: LabelledTask
    examples: tuple[LabelledExample, ...]
    left_out: Mapping[str, Sequence[int]]

    @property
    def skipped(self) -> dict[str, int]:
        """How many rows were left out, by reason."""
        return counted(self.left_out)


def map_base_data(
    ws: Workspace,
    benchmark: str,
    name: str,
    path: Path,
    task: LabelledTask,
    columns: Columns | None = None,
    split: str = "test",
    sheet: str = "",
) -> BaseData:
    """Read a task's labelled data and remember how, so that they are named only once.

    Raises NotFoundError or InputError for data that cannot be read as this task's.
    """
    refuse_early(ws, "", Action.MAKE_ITEMS)
    data = read_labelled(path, task, columns=columns, split=split, sheet=sheet)
    remembered = {
        "path": str(Path(path).absolute()),
        "task": task.model_dump(mode="json"),
        "columns": asdict(columns) if columns else None,
        "split": split,
        "sheet": sheet,
    }
    with writing_as(ws, "", Action.MAKE_ITEMS) as (session, actor):
        row = _task(session, benchmark, name, actor.name)
        benchmarks.set_profile(session, row.id, {**row.profile, BASE_DATA: remembered})
        data_event = {"benchmark": benchmark, BASE_DATA: remembered}
        event = ledger.NewEvent(EventKind.TASK, actor.name, subject=name, data=data_event)
        ledger.append(session, event)
    return BaseData(data.task, data.examples, data.left_out)


def _task(session: Session, benchmark: str, name: str, actor: str) -> TaskRow:
    benchmark_row = ensure_benchmark_in(session, benchmark, actor)
    return ensure_task_in(session, benchmark_row, name, "rewrite", format=ORIGINAL, actor=actor)


def base_data(ws: Workspace, benchmark: str, name: str) -> BaseData:
    """The labelled data of a task, as they were mapped, or its own original items.

    Raises NotFoundError where the task has neither.
    """
    with ws.reading() as session:
        benchmark_row = benchmarks.benchmark_named(session, benchmark)
        row = benchmarks.task_named(session, benchmark_row.id, name) if benchmark_row else None
        remembered = row.profile.get(BASE_DATA) if row else None
        originals = _originals(session, row) if row and not remembered else None
    if remembered:
        columns = remembered["columns"]
        data = read_labelled(
            Path(remembered["path"]),
            LabelledTask.model_validate(remembered["task"]),
            columns=Columns(**columns) if columns else None,
            split=remembered["split"],
            sheet=remembered.get("sheet", ""),
        )
        return BaseData(data.task, data.examples, data.left_out)
    if originals:
        return originals
    raise NotFoundError.tr(
        "Task “{task}” has no labelled data yet. Give a file or folder with --data.",
        task=name,
    )


def _originals(session: Session, row: TaskRow) -> BaseData | None:
    """The task's items that are originals of the rewrite family."""
    originals = [
        item
        for item in items.in_state(
            session, ("draft", "in_review", "accepted", "approved"), task_id=row.id
        )
        if item.family == "rewrite" and item.format == ORIGINAL
    ]
    contents = items.contents(session, [item.id for item in originals])
    payloads = [contents[item.id].payload for item in originals]
    if not payloads:
        return None
    labels = tuple(payloads[0]["labels"])
    fitting = next((task for task in TASKS if set(task.labels) == set(labels)), None)
    task = fitting or LabelledTask(name=row.name, labels=labels)
    examples = tuple(
        LabelledExample(
            id=payload["base"],
            text=payload["text"],
            label=payload["label"],
            second=payload.get("second", ""),
            target=payload.get("target", ""),
            source=row.name,
            row=number,
        )
        for number, payload in enumerate(payloads, 1)
    )
    return BaseData(task, examples, {})


def named_servers(params: RewriteParams) -> tuple[NamedServer, NamedServer]:
    """The servers of a run, as whoever gives their addresses consents to them."""
    return NamedServer(params.base_url, params.key_env), named_server(params.knowledge)


def start(
    ws: Workspace,
    benchmark: str,
    name: str,
    params: RewriteParams,
    examples: tuple[LabelledExample, ...],
    *,
    limit: int | None = None,
    launcher: str = "local",
    shards: int = 1,
) -> RunFolder:
    """Make and start a rewriting run; one of the same order that was not taken in yet goes on.

    The order is the same when only its budget differs: the unfinished run then gets the new one.

    ``launcher`` is ``local`` or, say, ``slurm:PROFILE``; raises what ``Launcher.require`` raises.
    """
    refuse_early(ws, "", Action.MAKE_ITEMS)
    params.server()
    params.window()
    starter = launcher_named(launcher, ws.place.folder)
    starter.require()
    check_source(params.knowledge)
    allow_place(news_place(params.knowledge))
    selected = examples[:limit] if limit else examples
    if not selected:
        raise InputError.tr("Task “{task}” has no labelled text to rewrite.", task=name)
    earlier = _same_order(ws, benchmark, name, params, selected)
    if earlier is not None:
        if earlier.result() is None and not earlier.is_running():
            _go_on(ws, earlier, params.budget_tokens, starter, shards)
        return earlier
    origin = {"benchmark": benchmark, "task": name}
    folder = RunFolder.create(ws.runs, "rewrite", params, work_of(selected), origin=origin)
    with writing_as(ws, "", Action.MAKE_ITEMS) as (session, actor):
        row = ensure_benchmark_in(session, benchmark, actor.name)
        title = trn(
            "{task}: 1 item · {model}",
            "{task}: {n} items · {model}",
            len(selected),
            task=name,
            model=params.model,
        )
        shards = min(shards, len(selected))
        runs.enter(session, folder, title, details=origin, benchmark_id=row.id,
                   launcher=starter.name, shards=shards, actor=actor.name)  # fmt: skip
    starter.start(folder, shards)
    return folder


def _go_on(
    ws: Workspace, folder: RunFolder, tokens: int | None, starter: Launcher, shards: int
) -> None:
    """Start an unfinished run again, with its new budget where it has one."""
    spec = folder.spec()
    if tokens and tokens != spec.params["budget_tokens"]:
        runs.set_budget(ws, spec.id, tokens)
    shards = min(shards, spec.total)
    starter.start(folder, shards)
    runs.launched(ws, spec.id, starter, shards)


def _same_order(
    ws: Workspace,
    benchmark: str,
    name: str,
    params: RewriteParams,
    examples: tuple[LabelledExample, ...],
) -> RunFolder | None:
    settings = params.model_dump(mode="json", exclude={"budget_tokens"})
    unlike = {"budget_tokens", "key_env"}
    for info in runs.runs(ws):
        folder = runs.folder_of(ws, info.id)
        if info.kind != "rewrite" or info.taken_in or not folder.has_spec():
            continue
        spec = folder.spec()
        earlier = {name: value for name, value in spec.params.items() if name not in unlike}
        same = earlier == settings and spec.origin == {"benchmark": benchmark, "task": name}
        if same and spec.total == len(examples) and folder.work() == list(work_of(examples)):
            return folder
    return None


def take_in(ws: Workspace, name: str) -> dict[str, Any]:
    """Bring a finished run's sets into the workspace; a second time changes nothing new.

    Accepted trios become drafts of the tasks original, semantic and updated; last attempts that
    failed become screened-out items of the updated task, with their history.
    """
    row = runs.find(ws, name)
    folder = runs.folder_of(ws, row.id)
    result = folder.result()
    if result is None:
        raise StateError.tr("Run “{run}” is not finished; resume it first.", run=row.id)
    runs.complete_records(folder)
    sets = read_sets(folder.path)
    benchmark = str(folder.spec().origin["benchmark"])
    if not folder.files.has("items.jsonl"):
        write_rows(folder.files, "items.jsonl", (content.as_json() for content in sets.accepted))
    taken = take_in_items.take_in_items(
        ws,
        row.id,
        benchmark,
        sets.accepted,
        result,
        screened_out=sets.screened_out,
        folder=folder.path,
    )
    return {
        "run": row.id,
        "benchmark": benchmark,
        "file": str(folder.path / "items.jsonl"),
        **taken.as_json(),
        **_counts(sets),
        **result,
    }


def _counts(sets: RewrittenSets) -> dict[str, Any]:
    return {
        "sets": {
            "original": len(sets.original),
            "semantic": len(sets.semantic),
            "updated": len(sets.updated),
        },
        "unchanged": sets.unchanged,
        "screened_out": len(sets.screened_out),
    }


def progress_reader(ws: Workspace, name: str) -> RewriteProgressReader:
    """A reader of where a rewriting run stands; InputError for a run of another kind."""
    row = runs.find(ws, name)
    if row.kind != "rewrite":
        raise InputError.tr("Run “{run}” is not a rewriting run.", run=row.id)
    return RewriteProgressReader(runs.folder_of(ws, row.id).path)


def trace(ws: Workspace, item: str, run: str = "") -> Trace:
    """An item's way through its run: by its number here, or by its base id within a run.

    Raises NotFoundError where no run of this workspace made it.
    """
    if item.removeprefix("#").isdigit() and not run:
        with ws.reading() as session:
            row = item_in(session, int(item.removeprefix("#")))
            content = items.revision(session, row.id, 1)
        if row.run_id is None or "base" not in content.payload:
            raise NotFoundError.tr("Item #{number} was not created by rewriting.", number=row.id)
        return read_trace(runs.folder_of(ws, row.run_id).path, str(content.payload["base"]))
    for info in runs.runs(ws):
        if info.kind != "rewrite" or (run and not info.id.startswith(run)):
            continue
        try:
            return read_trace(runs.folder_of(ws, info.id).path, item)
        except NotFoundError:
            continue
    raise NotFoundError.tr("No rewriting run contains an item “{item}”.", item=item)
