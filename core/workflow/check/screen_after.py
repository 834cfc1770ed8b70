"""Screening what a generation makes, as a run that is started while the generation goes on."""

from core.errors import ConflictError, StateError
from core.i18n import tr
from core.jobs.folder import RunFolder
from core.jobs.launch_record import read_launch
from core.jobs.launchers import launcher_named
from core.screening.run import PrescreenParams
from core.workflow.check.screen import same_question, unfinished_after_generations
from core.workflow.labels import run_kind_label
from core.workflow.protocols import settings_of
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.runs import runs
from core.workflow.runs.titles import title_now
from core.workflow.workspace import Workspace
from db import benchmarks
from db.runs import RunRow


def start(
    ws: Workspace, of: str, params: PrescreenParams, *, launcher: str = "local", shards: int = 1
) -> RunFolder:
    """Send what a generation makes through the gate, by a run that is queued until it has ended.

    ``of`` is the generation, which may go on or be finished. When its verdicts are taken in, so are
    the items. Asked for a second time, the run is taken up again if it has ended unfinished.

    Raises StateError for a run that is no generation, one that ended unfinished, and one whose
    items are in the workspace already, ConflictError where they are screened by other parameters,
    and what ``Launcher.require`` and ``Launcher.refuse_after`` raise.
    """
    refuse_early(ws, "", Action.MAKE_ITEMS)
    params.server()
    row = _generation(ws, of)
    starter = launcher_named(launcher, ws.place.folder)
    starter.require()
    known = _known(ws, row, params)
    if known is not None:
        if known.result() is None and not known.is_running():
            starter.start(known, shards)
            runs.launched(ws, known.spec().id, starter, shards)
        return known
    if row.taken_in_at is not None:
        raise StateError.tr(
            "The items of run “{run}” are in the workspace already: screen them as any other "
            "drafts.",
            run=row.id,
        )
    generation = runs.sound_folder_of(ws, row.id)
    if generation.result() is None and not generation.is_running():
        raise StateError.tr("Run “{run}” ended unfinished. Resume it first.", run=row.id)
    starter.refuse_after(read_launch(generation.path) if generation.result() is None else None)
    benchmark = str(generation.spec().origin["benchmark"])
    params = params.model_copy(update={"ungated": _ungated(ws, row)})
    folder = RunFolder.create(
        ws.runs, "prescreen", params, (), origin={"benchmark": benchmark, "task": ""}, after=row.id
    )
    with writing_as(ws, "", Action.MAKE_ITEMS) as (session, actor):
        runs.enter(
            session,
            folder,
            tr("{run}, screened by {model}", run=title_now(row.title), model=params.model),
            details={"after": row.id},
            benchmark_id=row.benchmark_id,
            launcher=starter.name,
            shards=shards,
            actor=actor.name,
        )
    starter.start(folder, shards)
    return folder


def _generation(ws: Workspace, name: str) -> RunRow:
    row = runs.find(ws, name)
    if row.kind != "generate":
        raise StateError.tr(
            "Run “{run}” is not a generation; its kind is {kind}.",
            run=row.id,
            kind=run_kind_label(row.kind),
        )
    return row


def _known(ws: Workspace, row: RunRow, params: PrescreenParams) -> RunFolder | None:
    """The run that screens what this generation makes, where there is one."""
    for folder, of in unfinished_after_generations(ws):
        if of == row.id:
            if not same_question(folder, params, ""):
                raise ConflictError.tr(
                    "Run “{run}” screens the same items with other parameters. Remove it first: "
                    "benchseal run remove {run} --reason REASON",
                    run=folder.spec().id,
                )
            return folder
    return None


def _ungated(ws: Workspace, row: RunRow) -> tuple[str, ...]:
    """The tasks of the benchmark that have no gate."""
    with ws.reading() as session:
        tasks = benchmarks.tasks(session, row.benchmark_id)
    return tuple(task.name for task in tasks if settings_of(task.protocol).gate == "off")
