"""Stage 1: bringing items into the workspace, from runs that generate them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from typing_extensions import override

from core.errors import InputError, OutsideError, StateError
from core.families.base import Defect, ItemContent, task_name
from core.generation.run import items_of, prepare
from core.generation.spec import ScpSpec
from core.generation.text_defects import defects_of_items
from core.i18n import labelled, sentences, tr, trn
from core.jobs.folder import RunFolder, write_rows
from core.jobs.launchers import launcher_named
from core.sources.articles.read_paths import ReadReport
from core.workflow.lost_connections import carried_through
from core.workflow.people import ensure_benchmark_in, ensure_task_in
from core.workflow.production.hidden_items import HiddenItems, hidden_in
from core.workflow.production.new_items import created_events, new_items
from core.workflow.rights import Action, at_work, refuse_early, writing_as
from core.workflow.runs import bound_files, runs
from core.workflow.short_steps import FEW
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger
from db import runs as run_rows
from db.benchmarks import BenchmarkRow, TaskRow
from db.engine import Session
from db.importing import pending_imports
from db.items import NewItem
from db.runs import RunRow
from db.server import logins
from db.vocabulary import ItemState


@dataclass(frozen=True, slots=True)
class GeneratedItems:
    """What became of the items of a run: added, or known already (same content, same task), of
    which some may be ``hidden`` until the end of the import that brought them."""

    added: int
    known: int
    hidden: int = 0

    def as_json(self) -> dict[str, int]:
        """The three counts, the last where it is not 0."""
        return {
            "added": self.added,
            "known": self.known,
            **({"hidden": self.hidden} if self.hidden else {}),
        }


def require_articles(report: ReadReport, option: str = "") -> None:
    """Raise InputError, with the first reason, when not one article could be read.

    ``option`` as for ``any_text_hint``.
    """
    if not report.articles:
        first = labelled(*report.skipped[0]) if report.skipped else "–"
        said = [
            trn(
                "No article could be read (1 file was skipped). First problem: {first}",
                "No article could be read ({n} files were skipped). First problem: {first}",
                len(report.skipped),
                first=first,
            )
        ]
        if report.no_articles:
            said.append(any_text_hint(report.no_articles, option))
        raise InputError(sentences(said))


def any_text_hint(count: int, option: str = "") -> str:
    """What reads files that were left out because they are no articles.

    ``option`` is what the command line calls it; else the window's words are said.
    """
    return trn(
        "1 file is not an article and is left out; {option} reads it anyway.",
        "{n} files are not articles and are left out; {option} reads them anyway.",
        count,
        option=option or tr("“Any text”"),
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

    ``launcher`` is ``local`` or, say, ``slurm:PROFILE``; raises what ``Launcher.require`` raises.

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
    """Take a finished generation in and tell what it made; a second time changes nothing new, and
    tells the same, for a window that watches may have taken it in before.

    Raises StateError while the run is not finished, OutsideError with the reason when it failed.
    """
    row = runs.find(ws, name)
    folder = runs.folder_of(ws, row.id)
    result = folder.result()
    if result is None:
        if error := folder.error():
            raise OutsideError(error)
        raise StateError.tr("Run “{run}” is not finished; resume it first.", run=row.id)
    contents = list(items_of(runs.complete_records(folder)))
    benchmark = str(folder.spec().origin["benchmark"])
    if not folder.files.has("items.jsonl"):
        write_rows(folder.files, "items.jsonl", (content.as_json() for content in contents))
    taken = take_in_items(ws, row.id, benchmark, contents, result, folder=folder.path)
    with ws.reading() as session:
        added = items.count_of_run(session, row.id)
    return {
        "run": row.id,
        "benchmark": benchmark,
        "file": str(folder.path / "items.jsonl"),
        **replace(taken, added=added, known=len(contents) - added).as_json(),
        **result,
    }


def first_of_run(ws: Workspace, run_id: str) -> int:
    """The number of the first item that a run brought; 0 where it brought none."""
    with ws.reading() as session:
        return items.first_of_run(session, run_id)


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
    of the run: the first time, its files are bound in the ledger. Many items are written in short
    transactions, for which nobody waits, and are seen after the last.
    """
    every = [*contents, *screened_out]
    files = bound_files.taken_in(folder) if folder is not None else {}
    found, in_parts = _looked_at(ws, benchmark, every)
    taking = _Taking(ws, run_id, benchmark, every, len(contents), found, summary or {}, files)
    return taking.in_parts() if in_parts else taking.at_once()


class _RunItems(HiddenItems):
    """As an import, in nobody's name: a run is taken in by whoever looks first."""

    @override
    @contextmanager
    def writing(self) -> Iterator[tuple[Session, int | None]]:
        with self.ws.writing() as session:
            yield session, at_work(session).id if logins.secured(session) else None


@dataclass(frozen=True)
class _Taking:
    """The items of a run with the defects that were ``found``; those from place ``good`` on are
    screened out."""

    ws: Workspace
    run_id: str
    benchmark: str
    every: Sequence[ItemContent]
    good: int
    found: Sequence[Sequence[Defect]]
    summary: dict[str, Any]
    files: Mapping[str, str]

    def at_once(self) -> GeneratedItems:
        """Everything in one transaction."""
        with self.ws.writing() as session:
            run = run_rows.get(session, self.run_id, lock=True)
            _one_writer(session, self.benchmark, self.every)
            tasks = self._tasks(session)
            known = items.known_hashes(session, [task.id for task in tasks.values()])
            new: list[NewItem] = []
            for task, places in self._places(tasks, known):
                new += self._rows(places, task)
            ids = items.add(session, new)
            data = {"run": self.run_id}
            ledger.append(session, *created_events(zip(ids, new, strict=True), "", data))
            self._end(session, run)
        return GeneratedItems(len(new), len(self.every) - len(new))

    def in_parts(self) -> GeneratedItems:
        """Hidden, in transactions for which nobody waits; the last one shows the items."""
        tasks, known = carried_through(self._begin)
        brought: list[_RunItems] = []
        hidden = 0
        for task, places in self._places(tasks, known):
            bringing = self._bring(task, places)
            brought.append(bringing)
            hidden += len(bringing.waiting)

        def ended(again: bool) -> None:
            with self.ws.writing() as session:
                run = run_rows.get(session, self.run_id, lock=True)
                _one_writer_of(session, {bringing.task.id for bringing in brought})
                for bringing in brought:
                    bringing.show(session, again)
                self._end(session, run)

        carried_through(ended)
        added = sum(bringing.count for bringing in brought)
        return GeneratedItems(added, len(self.every) - added, hidden)

    def _begin(self, _again: bool) -> tuple[Mapping[str, TaskRow], set[tuple[int, str]]]:
        """The tasks, made where they are not there, and what each has already."""
        with self.ws.writing() as session:
            tasks = self._tasks(session)
            ids = [task.id for task in tasks.values()]
            unseen = {(id, h) for id in ids for h in pending_imports.hidden_hashes(session, id)}
            return tasks, items.known_hashes(session, ids) - unseen

    def _bring(self, task: TaskRow, places: Sequence[int]) -> _RunItems:
        with self.ws.reading() as session:
            left = hidden_in(session, task)
        data = {"run": self.run_id}
        bringing = _RunItems(self.ws, "", task, self.run_id, data, left)
        for part in bringing.steps.parts(places):
            bringing.write(partial(self._rows, part))
        return bringing

    def _tasks(self, session: Session) -> dict[str, TaskRow]:
        return _tasks_for(session, ensure_benchmark_in(session, self.benchmark), self.every)

    def _places(
        self, tasks: Mapping[str, TaskRow], known: set[tuple[int, str]]
    ) -> list[tuple[TaskRow, list[int]]]:
        """The places of what is new to each task, each content once."""
        places: dict[str, list[int]] = {name: [] for name in tasks}
        for place, content in enumerate(self.every):
            name = task_name(content)
            if (key := (tasks[name].id, content.content_hash)) not in known:
                known.add(key)
                places[name].append(place)
        return [(tasks[name], new) for name, new in places.items() if new]

    def _rows(self, places: Sequence[int], task: TaskRow) -> list[NewItem]:
        drafts = [(self.every[place], task) for place in places]
        made = new_items(drafts, self.run_id, found=[self.found[place] for place in places])
        return [
            _out(item) if place >= self.good else item
            for item, place in zip(made, places, strict=True)
        ]

    def _end(self, session: Session, run: RunRow | None) -> None:
        if self.files and run is not None and run.taken_in_at is None:
            ledger.append(session, bound_files.event(self.run_id, self.good, self.files))
        run_rows.mark_taken_in(session, self.run_id, self.summary)


def _one_writer(session: Session, benchmark: str, contents: Sequence[ItemContent]) -> None:
    """Keep imports away from the tasks that are there, before anything is written: a task that is
    made now is nobody else's, and whoever has the ledger must not wait for a task."""
    home = benchmarks.benchmark_named(session, benchmark)
    names = set(map(task_name, contents))
    present = benchmarks.tasks(session, home.id) if home else ()
    _one_writer_of(session, {row.id for row in present if row.name in names})


def _one_writer_of(session: Session, tasks: set[int]) -> None:
    """As ``_one_writer``; in one order, or two runs would wait for each other."""
    for task_id in sorted(tasks):
        items.one_writer(session, task_id)


def _looked_at(
    ws: Workspace, benchmark: str, contents: Sequence[ItemContent]
) -> tuple[Sequence[Sequence[Defect]], bool]:
    """The defects of items, looked for while nobody is kept from writing; of those that their
    tasks have already none are looked for. And whether the items are to be written in parts."""
    with ws.reading() as session:
        home = benchmarks.benchmark_named(session, benchmark)
        ids = {row.name: row.id for row in benchmarks.tasks(session, home.id)} if home else {}
        named = {ids[name] for name in map(task_name, contents) if name in ids}
        known = items.known_hashes(session, named)
        unseen = any(pending_imports.hidden_hashes(session, task_id) for task_id in named)
    new = [
        place
        for place, content in enumerate(contents)
        if (ids.get(task_name(content)), content.content_hash) not in known
    ]
    found: list[Sequence[Defect]] = [()] * len(contents)
    defects = defects_of_items([contents[place] for place in new])
    for place, ones in zip(new, defects, strict=True):
        found[place] = ones
    return found, unseen or len(new) > FEW


def _out(item: NewItem) -> NewItem:
    return item._replace(state=ItemState.SCREENED_OUT, open_slots=0)


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
