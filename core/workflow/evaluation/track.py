"""Runs put into a tracker of experiments (``core.evaluation.trackers``).

Scores, counts, settings and digests leave, and the ledger says where to. No item, answer or prompt
does, so it is not an exposure of items.
"""

from dataclasses import dataclass

from core.evaluation.params import EvaluateParams
from core.evaluation.trackers import Tracker, place_of, require, send
from core.evaluation.trackers.tracked_run import tracked_run
from core.own_process import own_version
from core.workflow.evaluation import score_run
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.runs import runs
from core.workflow.splits import lifecycle
from core.workflow.workspace import Workspace
from db import ledger
from db.vocabulary import EventKind

TRACKED = "tracked"
_BETWEEN_S = 30.0


@dataclass(frozen=True, slots=True)
class TrackedScore:
    """What was put into a tracker: how far the run was, whether it was going on, and where the
    tracker says that it is now."""

    run: str
    tracker: str
    at: str
    state: str
    answered: int
    items: int
    score: float | None
    going_on: bool


@dataclass(frozen=True, slots=True)
class Announced:
    """A run that the ledger says is put into a tracker: its whole name, the place as the tracker's
    script is given it, and the interpreter that runs the script."""

    run: str
    tracker: Tracker
    place: str
    interpreter: str


def announce(
    ws: Workspace, run: str, tracker: Tracker, where: str, person: str = "", python: str = ""
) -> Announced:
    """Write into the ledger that a run's figures leave for a tracker; ``python`` is the interpreter
    that has the tracker's package.

    RightsError for whoever may not evaluate, InputError for a place that is none, StateError for a
    run that is not an evaluation, OutsideError where the package is lacking.
    """
    refuse_early(ws, person, Action.EVALUATE)
    place, host = place_of(where)
    row = runs.find_evaluation(ws, run)
    score_run.report(ws, row.id, partial=True)  # nothing leaves of a run that cannot be read
    interpreter = require(tracker, python)
    with writing_as(ws, person, Action.EVALUATE) as (session, actor):
        data = {TRACKED: tracker.name, "host": host}
        ledger.append(
            session, ledger.NewEvent(EventKind.RUN, actor.name, subject=row.id, data=data)
        )
    return Announced(row.id, tracker, place, interpreter)


def track(ws: Workspace, announced: Announced) -> TrackedScore:
    """Put a run into its tracker, as far as it is; once more, and the tracker's own run goes on.
    Writes nothing here. OutsideError where the tracker fails."""
    tracker = announced.tracker
    info = runs.info(ws, announced.run)
    report = score_run.report(ws, info.id, partial=True)
    params = runs.params_of(runs.find(ws, info.id), EvaluateParams)
    life = lifecycle.split_life(ws, report.split)
    marks = {"benchseal": own_version()}
    if life.archives:
        marks["root"] = " ".join(sorted({note.root for note in life.archives}))
    told = tracked_run(info.id, info.state, report, params, life.benchmark, marks)
    at = send(tracker, told, announced.place, announced.interpreter)
    return TrackedScore(info.id, tracker.name, at, info.state, report.answered, report.items,
                        report.total.accuracy, info.going_on)  # fmt: skip


def wait(ws: Workspace, announced: Announced) -> None:
    """Wait until a run ends, half a minute at most."""
    runs.wait_some(ws, announced.run, _BETWEEN_S)
