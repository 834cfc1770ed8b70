"""A trial: the engine at work on a few items, so that time and tokens of the rest can be told.

It is a real run by the local launcher, in a folder of its own that no list of runs shows, and that
is gone afterwards with all answers.
"""

import random
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from core.errors import BenchsealError, StateError
from core.evaluation.engines import engine
from core.evaluation.params import EvaluateParams
from core.evaluation.types import Answer
from core.i18n import tr
from core.jobs.folder import RunFolder
from core.jobs.launchers import Launcher, launcher_named
from core.workflow.evaluation.plan import DryRunResult, EvaluationRequest, questions_of
from core.workflow.rights import Action, writing_as
from core.workflow.runs import locked_runs
from core.workflow.splits import freeze, openings, other_copies, readings, split_states
from core.workflow.workspace import Workspace

ITEMS = 20
_FOLDER = "trials"
_LOOK_EVERY = 0.1  # seconds between two looks whether the trial ended or was cancelled
_GRACE = 2.0  # seconds that a cancelled trial has before its processes are ended


def _never() -> bool:
    return False


def try_out(
    ws: Workspace,
    request: EvaluationRequest,
    *,
    items: int = ITEMS,
    stopping: Callable[[], bool] = _never,
    person: str = "",
) -> DryRunResult:
    """Run the first model of a request on ``items`` prompts and measure it; blocks meanwhile.

    A trial whose engine fails is a Trial with an ``error``. ``stopping()`` cancels it. The ledger
    says that ``person`` read these items by it. Raises StateError for a request that is not for
    this machine, and for a sealed split; RightsError for somebody who may not evaluate.
    """
    if request.launcher != "local":
        raise StateError.tr("A trial run uses this machine only; choose the launcher “local”.")
    freeze.refuse_sealed(freeze.info(ws, request.split))
    params = request.per_model[0].model_copy(update={"judge": None})
    rows = _some(list(questions_of(ws, request)), items, params.seed)
    with other_copies.one_at_a_time(ws, request.split):
        with writing_as(ws, person, Action.EVALUATE) as (session, actor):
            row = split_states.split_in(session, request.split, lock=True)
            freeze.refuse_sealed(freeze.info_in(ws, session, request.split))
            model = params.model or params.engine
            openings.refuse_trial(ws, session, request.split, model)
            data = readings.reading_facts(session, row, (line["id"] for line in rows))
            readings.record(session, actor.name, readings.Act.TRIAL, {**data, "for": model})
        other_copies.keep(ws, request.split)
    root = ws.place.folder / _FOLDER
    _sweep(root)
    folder = locked_runs.create(
        ws, "evaluate", params, rows, request.split, model=params.model or params.engine,
        origin={}, root=root, named="trial",
    )  # fmt: skip
    needed = engine(params.engine).gpus(params) if request.gpus is None else request.gpus
    launcher = launcher_named("local", ws.place.folder, needed)
    try:
        began = time.monotonic()
        cancelled = not _finish(launcher, folder, stopping)
        return _measured(folder, request, rows, time.monotonic() - began, cancelled)
    except BenchsealError as error:
        return _failed(folder, request, rows, str(error))
    finally:
        shutil.rmtree(folder.path, ignore_errors=True)


def _some(rows: Sequence[dict[str, Any]], count: int, seed: int) -> list[dict[str, Any]]:
    """A sample without replacement, in the order of the work."""
    if len(rows) <= count:
        return list(rows)
    places = sorted(random.Random(seed).sample(range(len(rows)), count))
    return [rows[place] for place in places]


def _finish(launcher: Launcher, folder: RunFolder, stopping: Callable[[], bool]) -> bool:
    """Whether the run ended by itself rather than because somebody cancelled it."""
    launcher.require()
    launcher.start(folder, 1)
    while not launcher.wait(folder, _LOOK_EVERY):
        if stopping():
            launcher.stop(folder, _GRACE)
            return False
    return True


def _measured(
    folder: RunFolder,
    request: EvaluationRequest,
    rows: Sequence[Any],
    seconds: float,
    cancelled: bool,
) -> DryRunResult:
    answers = [Answer.from_json(record) for record in folder.records().values()]
    error = folder.error() or ""
    replied = [answer for answer in answers if answer.outcome != "failed"]
    if not error and not replied and not cancelled:
        first_error = next((answer.error for answer in answers if answer.error), "")
        error = first_error or folder.log_tail(1).strip() or tr("No items were answered.")
    if error:
        return _failed(folder, request, rows, error)
    busy = min(seconds, _busy(request.per_model[0], replied))
    count = max(1, len(replied))
    return DryRunResult(
        name=folder.path.name,
        what=request.what,
        prompts=len(rows),
        failed=len(rows) - len(replied),
        startup_s=seconds - busy,
        each_s=busy / count,
        prompt_tokens=sum(answer.prompt_tokens for answer in replied) / count,
        completion_tokens=sum(answer.completion_tokens for answer in replied) / count,
        cancelled=cancelled,
    )


def _busy(params: EvaluateParams, answers: Sequence[Answer]) -> float:
    """Seconds that the answers took: those in flight together share them."""
    total = sum(answer.latency_s for answer in answers)
    at_once = params.concurrency if engine(params.engine).needs_server else 1
    return total / max(1, min(at_once, len(answers)))


def _failed(
    folder: RunFolder, request: EvaluationRequest, rows: Sequence[Any], why: str
) -> DryRunResult:
    return DryRunResult(
        folder.path.name, request.what, len(rows), len(rows), 0.0, 0.0, 0.0, 0.0, why
    )


def _sweep(root: Path) -> None:
    """Clear away what a trial left that was killed with its window."""
    if root.is_dir():
        for path in root.iterdir():
            if path.is_dir() and not RunFolder(path).is_running():
                shutil.rmtree(path, ignore_errors=True)
