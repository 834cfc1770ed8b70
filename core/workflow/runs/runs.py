"""Runs as people see them: the list, starting, stopping, resuming, logs and results."""

import logging
import shutil
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from core.errors import BenchsealError, ConflictError, InputError, NotFoundError, StateError
from core.i18n import language, tr
from core.jobs.folder import RunFolder, RunProgress, RunState
from core.jobs.launch_record import read_launch
from core.jobs.stored_rows import StoredRows
from core.redaction import one_line
from core.workflow.labels import run_kind_label
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.runs import bound_files, locked_runs
from core.workflow.runs.titles import title_now
from core.workflow.workspace import Workspace
from db import benchmarks, ledger
from db import runs as run_rows
from db.engine import Session
from db.runs import RunRow
from db.vocabulary import EventKind

if TYPE_CHECKING:
    from core.jobs.launchers import Launcher


log = logging.getLogger(__name__)

_OUTCOME = ("spec.json", "result.json", "progress.json", "launch.json", "error.json")
"""The files that say all of a run once it is finished."""
_JUDGING = ("judge", "pairwise")  # of the answers of an evaluation, which ``of`` names
_Params = TypeVar("_Params", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One run with how far it is. ``taken_in`` says that its results are in the workspace;
    ``launcher`` is ``local`` or, say, ``slurm:PROFILE``, and ``job`` the number of its
    job there.
    ``going_on`` says that a worker is alive or waits for its turn, by itself."""

    id: str
    kind: str
    title: str
    state: RunState
    done: int
    total: int
    speed: float | None
    seconds_left: float | None
    notes: dict[str, Any]
    error: str | None
    taken_in: bool
    started: str
    folder: str
    launcher: str = "local"
    shards: int = 1
    job: str = ""
    going_on: bool = False
    benchmark: str = ""
    """The benchmark that the run is about; empty for none."""


def folder_of(ws: Workspace, run_id: str) -> RunFolder:
    """The folder of a run of this workspace."""
    return RunFolder(ws.runs / run_id, partial(locked_runs.key_of, ws, run_id))


def sound_folder_of(ws: Workspace, run_id: str) -> RunFolder:
    """The folder of a run that is to be worked with.

    NotFoundError where it is gone, InputError where it is damaged.
    """
    folder = folder_of(ws, run_id)
    if not folder.path.is_dir():
        raise NotFoundError.tr(
            "The folder of run “{run}” no longer exists: “{path}”. The results already "
            "imported from it are still in the workspace.", run=run_id, path=folder.path
        )  # fmt: skip
    folder.spec()
    return folder


def complete_records(folder: RunFolder) -> StoredRows:
    """The records of a finished run, in the order of its work, which has one each; InputError for a
    run that has lost some: with fewer, less would be found, unsaid."""
    found = folder.finished()
    if found.missing:
        raise InputError.tr(
            "Run “{run}” had finished, but “{path}” no longer has all of its results ({missing} of "
            "{total} are gone). Restore the folder from a backup, or remove the run and start it "
            "again: benchseal run remove {run} --reason REASON",
            run=folder.spec().id,
            missing=found.missing,
            total=len(found.places),
            path=folder.path,
        )
    return found.records


@contextmanager
def reading_results(run_id: str) -> Iterator[None]:
    """InputError, with its reason in the log, where what a worker wrote is not what it should be.

    Run folders come back from other machines: any value in one can be of any kind.
    """
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        log.info("the results of run %s cannot be read", run_id, exc_info=True)
        problem = f"{type(error).__name__}: {error}"[:200]
        raise InputError.tr(
            "The results of run “{run}” are damaged ({problem}). Restore its folder from a "
            "backup, or start the run again.",
            run=run_id,
            problem=one_line(problem),
        ) from error


def enter(
    session: Session,
    folder: RunFolder,
    title: str,
    *,
    details: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None,
    benchmark_id: int | None = None,
    split_id: int | None = None,
    launcher: str = "local",
    shards: int = 1,
    actor: str = "",
) -> int:
    """Enter a run in the workspace, and in the ledger with its kind and its ``details``; returns
    the number of the event.

    ``actor`` is who starts it; empty for one that another run brings with it.

    ``params`` are those that the workspace keeps, where they are more than the worker is given.
    """
    spec = folder.spec()
    run_rows.add(
        session,
        spec.id,
        spec.kind,
        benchmark_id=benchmark_id,
        split_id=split_id,
        title=title,
        params=spec.params if params is None else params,
        launcher=launcher,
        shards=shards,
    )
    data = {
        "kind": spec.kind,
        **(details or {}),
        bound_files.FIELD: bound_files.files_at_start(folder.path),
    }
    event = ledger.NewEvent(EventKind.RUN, actor, subject=spec.id, data=data)
    return ledger.append(session, event)


def launched(ws: Workspace, run_id: str, launcher: "Launcher", shards: int) -> None:
    """Keep by which launcher and with how many shards a run was started last."""
    row = find(ws, run_id)
    if (row.launcher, row.shards) != (launcher.name, shards):
        with ws.writing() as session:
            run_rows.set_launch(session, run_id, launcher.name, shards)


def starter_in(session: Session, run_id: str) -> str:
    """Who started a run; empty where the ledger does not say."""
    start = start_of(session, run_id)
    return start.actor if start else ""


def start_of(session: Session, run_id: str) -> ledger.LedgerEvent | None:
    """The event with the ``details`` that a run was entered with."""
    events = ledger.of_subject(session, EventKind.RUN, run_id)
    return next((event for event in events if "kind" in event.data), None)


def judging_of(ws: Workspace, of: str) -> RunRow | None:
    """The newest judging of an evaluation's answers; None without one."""
    return next(iter(judgings_of(ws, of)), None)


def judgings_of(ws: Workspace, of: str) -> list[RunRow]:
    """All judgings of an evaluation's answers, newest first."""
    with ws.reading() as session:
        rows = run_rows.all_runs(session)
    return [row for row in rows if row.kind == "judge" and row.params.get("of") == of]


def params_of(row: RunRow, model: type[_Params]) -> _Params:
    """The parameters that a run was started with; InputError where they were damaged, or another
    version stored them."""
    try:
        return model.model_validate(row.params)
    except ValidationError as error:
        raise InputError.tr(
            "The parameters of run “{run}” do not match its kind.", run=row.id
        ) from error


def launcher_of(ws: Workspace, row: RunRow, gpus: int | None = None) -> "Launcher":
    """The launcher by which a run was started last, with as many GPUs a worker."""
    from core.jobs.launchers import launcher_named

    launch = read_launch(folder_of(ws, row.id).path)
    needed = gpus if gpus is not None else launch.gpus if launch else 0
    return launcher_named(launch.launcher if launch else row.launcher, ws.place.folder, needed)


def find(ws: Workspace, name: str) -> RunRow:
    """A run by its id, or by how it begins or ends; NotFoundError or InputError if not one does."""
    with ws.reading() as session:
        return find_in(session, name)


def find_evaluation(ws: Workspace, name: str) -> RunRow:
    """As ``find``; StateError where the run is not an evaluation."""
    row = find(ws, name)
    if row.kind != "evaluate":
        raise StateError.tr(
            "Run “{run}” is not an evaluation; its kind is {kind}.",
            run=row.id,
            kind=run_kind_label(row.kind),
        )
    return row


def find_in(session: Session, name: str) -> RunRow:
    """As ``find``, within a session."""
    rows = run_rows.matching(session, name) if name else []
    exact = [row for row in rows if row.id == name]
    if exact:
        return exact[0]
    if not rows:
        raise NotFoundError(tr("There is no run “{run}”.", run=name),
                            command=tr("All of them: benchseal runs"))  # fmt: skip
    if len(rows) > 1:
        raise InputError.tr(
            "“{run}” matches {count} runs; give more of its name.",
            run=name,
            count=len(rows),
        )
    return rows[0]


class FinishedRuns:
    """What was read of runs that are finished, for who lists all of them again and again, from any
    thread."""

    def __init__(self) -> None:
        self._one_at_a_time = Lock()
        self._known: dict[str, tuple[Hashable, RunInfo]] = {}
        self._rows: tuple[Sequence[RunRow], Mapping[int, str]] = ((), {})
        self._moment: Hashable = None

    def listed(self, ws: Workspace, moment: Hashable = None) -> tuple[RunInfo, ...]:
        """All runs, newest first.

        Of a finished one nothing is read while its row, its files and the language are the same,
        and nothing looked at while ``moment`` is, which is another one after every commit. Without
        it everything is looked at.
        """
        moment = None if moment is None else (moment, language())
        with self._one_at_a_time:
            if same := moment is not None and moment == self._moment:
                rows, names = self._rows
            else:
                with ws.reading() as session:
                    rows, names = run_rows.all_runs(session), _benchmark_names(session)
            known = self._known if same else {}
            infos = tuple(
                known[row.id][1] if row.id in known else self._look(ws, row, names) for row in rows
            )
            self._rows, self._moment = (rows, names), moment
        return infos

    def _look(self, ws: Workspace, row: RunRow, names: Mapping[int, str]) -> RunInfo:
        try:
            looks = folder_of(ws, row.id).looks(_OUTCOME)  # before they are read
        except (InputError, OSError):
            looks = ()
        key = (looks, title_now(row.title), row.taken_in_at, names.get(row.benchmark_id or 0, ""))
        known = self._known.pop(row.id, None)
        info = known[1] if known is not None and known[0] == key else _info(ws, row, names)
        if info.state == "finished" and not info.going_on and info.error is None:
            self._known[row.id] = key, info
        return info


def runs(ws: Workspace) -> tuple[RunInfo, ...]:
    """All runs, newest first."""
    return FinishedRuns().listed(ws)


def info(ws: Workspace, name: str) -> RunInfo:
    """One run."""
    return _info(ws, find(ws, name))


def _benchmark_names(session: Session) -> dict[int, str]:
    return {row.id: row.name for row in benchmarks.benchmarks(session)}


def _info(ws: Workspace, row: RunRow, names: Mapping[int, str] | None = None) -> RunInfo:
    folder = folder_of(ws, row.id)
    unknown = _ask_launcher(ws, row, folder)
    try:
        progress = sound_folder_of(ws, row.id).progress()
        going_on = folder.is_running()
    except (InputError, NotFoundError, OSError) as error:
        # a list of runs is still a list when the files of one are gone, damaged or odd
        progress = RunProgress("failed", 0, 0, None, None, {}, str(error))
        going_on = False
    launch = read_launch(folder.path)
    if names is None:
        with ws.reading() as session:
            names = _benchmark_names(session)
    return RunInfo(
        id=row.id,
        kind=row.kind,
        title=title_now(row.title),
        state=progress.state,
        done=progress.done,
        total=progress.total,
        speed=progress.speed,
        seconds_left=progress.seconds_left,
        notes=progress.notes,
        error=progress.error or unknown,
        taken_in=row.taken_in_at is not None,
        started=row.at.isoformat(timespec="seconds"),
        folder=str(folder.path),
        launcher=launch.launcher if launch else row.launcher,
        shards=launch.shards if launch else row.shards,
        job=launch.job if launch else "",
        going_on=going_on,
        benchmark=names.get(row.benchmark_id or 0, ""),
    )


def _ask_launcher(ws: Workspace, row: RunRow, folder: RunFolder) -> str | None:
    """Bring a scheduler's word of the run up to date; why that was impossible, if it was."""
    launch = read_launch(folder.path)
    if launch is None or launch.launcher == "local":
        return None
    try:
        launcher_of(ws, row).refresh(folder)
    except BenchsealError as error:
        return str(error)  # a list of runs is still a list when one cluster is out of reach
    return None


def stop(ws: Workspace, name: str) -> RunInfo:
    """Ask a run to stop and wait until it has."""
    row = find(ws, name)
    with writing_as(ws, "", Action.RUN) as (session, actor):
        event = ledger.NewEvent(EventKind.RUN, actor.name, subject=row.id, data={"stopped": True})
        ledger.append(session, event)
    launcher_of(ws, row).stop(sound_folder_of(ws, row.id))
    ws.note(EventKind.RUN)
    return _info(ws, row)


def resume(
    ws: Workspace,
    name: str,
    shards: int | None = None,
    *,
    launcher: str = "",
    gpus: int | None = None,
) -> RunInfo:
    """Start a stopped, interrupted or failed run again; finished items are not done twice.

    While some of its shards go on, only those that ended are started again. ``shards`` and
    ``launcher`` may differ from the last time. Raises ConflictError where nothing is left to start,
    StateError where the split that is asked or judged was sealed meanwhile.
    """
    from core.jobs.launchers import launcher_named

    row = find(ws, name)
    refuse_early(ws, "", Action.RUN)
    if row.params.get("engine") == "people":
        raise StateError.tr("Run “{run}” waits for people: benchseal answer {run}", run=row.id)
    folder = sound_folder_of(ws, row.id)
    refuse_sealed(ws, row)
    starter = launcher_of(ws, row, gpus)
    starter.refresh(folder)
    if folder.is_running():
        if not starter.requeue(folder):
            raise ConflictError.tr("Run “{run}” is already in progress.", run=row.id)
        ws.note(EventKind.RUN)
        return _info(ws, row)
    if launcher and launcher != starter.name:
        starter = launcher_named(launcher, ws.place.folder, gpus or 0)
    shards = shards or row.shards
    if total := folder.spec().total:  # 0 while it waits for another run
        shards = min(shards, total)
    starter.start(folder, shards)
    with writing_as(ws, "", Action.RUN) as (session, actor):
        run_rows.set_launch(session, row.id, starter.name, shards)
        data = {"resumed": True, "launcher": starter.name, "shards": shards}
        event = ledger.NewEvent(EventKind.RUN, actor.name, subject=row.id, data=data)
        ledger.append(session, event)
    return _info(ws, row)


def refuse_sealed(ws: Workspace, row: RunRow) -> None:
    """StateError for an evaluation, or its judging, of a split that is sealed."""
    from core.workflow.splits import freeze

    if row.kind == "matrix":
        for split in row.params.get("splits", ()):
            freeze.refuse_sealed(freeze.info(ws, str(split)))
        return
    evaluated = find(ws, str(row.params.get("of", ""))) if row.kind in _JUDGING else row
    if evaluated.kind == "evaluate":
        freeze.refuse_sealed(freeze.info(ws, str(evaluated.params.get("split", ""))))


def remove(ws: Workspace, name: str, person: str, reason: str) -> str:
    """Delete the folder of a run that nobody works on, and say so in the ledger; returns its id.

    Its answers stay in the workspace, but it has no scores any more. Raises ConflictError while
    the run goes on, InputError without a reason, RightsError for somebody who may not evaluate.
    """
    if not reason.strip():
        raise InputError.tr("Removing a run needs a reason.")
    row = find(ws, name)
    folder = folder_of(ws, row.id)
    if folder.path.is_dir() and folder.is_running():
        raise ConflictError.tr("Run “{run}” is in progress. Stop it first.", run=row.id)
    with writing_as(ws, person, Action.EVALUATE) as (session, actor):
        data = {bound_files.REMOVED: reason.strip()}
        event = ledger.NewEvent(EventKind.RUN, actor.name, subject=row.id, data=data)
        ledger.append(session, event)
    if folder.path.is_symlink():
        folder.path.unlink()  # what somebody laid in its place; where it leads to is not ours
    elif folder.path.is_dir():
        shutil.rmtree(folder.path, ignore_errors=True)
    return row.id


def log_tail(ws: Workspace, name: str, lines: int = 200) -> str:
    """The last lines of a run's log, and of what its launcher kept."""
    row = find(ws, name)
    return launcher_of(ws, row).logs(sound_folder_of(ws, row.id), lines)


def result(ws: Workspace, name: str) -> dict[str, Any] | None:
    """The result a run wrote, or None while it is not finished."""
    return folder_of(ws, find(ws, name).id).result()


def wait(ws: Workspace, name: str, timeout: float | None = None) -> RunInfo:
    """Wait until a run's workers have ended."""
    row = find(ws, name)
    launcher_of(ws, row).wait(folder_of(ws, row.id), timeout)
    return _info(ws, row)


def wait_some(ws: Workspace, name: str, seconds: float) -> bool:
    """Wait that long for a run's workers to end; whether any is left."""
    row = find(ws, name)
    return not launcher_of(ws, row).wait(folder_of(ws, row.id), seconds)


def budget_of(ws: Workspace, name: str) -> int | None:
    """How many tokens a run may spend in all; None for a run without such a limit."""
    try:
        spec = folder_of(ws, find(ws, name).id).spec()
    except (InputError, NotFoundError):
        return None  # its damage is shown elsewhere
    budget = spec.params.get("budget_tokens")
    return int(budget) if budget else None


def set_budget(ws: Workspace, name: str, tokens: int) -> RunInfo:
    """Let a run that nobody works on spend ``tokens`` in all, earlier starts included.

    Raises InputError for a run without such a budget and for one that is used up already,
    ConflictError while the run goes on, StateError once it is finished.
    """
    known = info(ws, name)
    refuse_early(ws, "", Action.RUN)
    folder = folder_of(ws, known.id)
    spec = folder.spec()
    if "budget_tokens" not in spec.params:
        raise InputError.tr("Run “{run}” has no token budget.", run=known.id)
    if known.state == "finished":
        raise StateError.tr("Run “{run}” is finished and needs no budget.", run=known.id)
    if folder.is_running():
        raise ConflictError.tr(
            "Run “{run}” is in progress. Stop it before changing its budget.", run=known.id
        )
    used = int(known.notes.get("tokens", 0)) if spec.kind == "rewrite" else 0
    if tokens <= used:
        raise InputError.trn(
            "Run “{run}” has already used 1 token. Set a larger budget.",
            "Run “{run}” has already used {n} tokens. Set a larger budget.",
            used,
            run=known.id,
        )
    before = spec.params["budget_tokens"]
    params = {**spec.params, "budget_tokens": tokens}
    raised = spec.model_copy(update={"params": params})
    folder.write_spec(raised)
    with writing_as(ws, "", Action.RUN) as (session, actor):
        run_rows.set_params(session, known.id, params)
        change = {
            "budget_tokens": {"before": before, "after": tokens},
            bound_files.FIELD: bound_files.files_at_start(folder.path),
        }
        event = ledger.NewEvent(EventKind.RUN, actor.name, subject=known.id, data=change)
        ledger.append(session, event)
    return info(ws, known.id)
