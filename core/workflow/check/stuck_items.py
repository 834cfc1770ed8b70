"""Items that nobody can go on with by themselves: held by a screening whose run is dead, gone or
damaged. ``doctor`` names them, and frees them when asked."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.errors import InputError, NotFoundError
from core.i18n import tr
from core.jobs.folder import RunFolder
from core.workflow.check import screen
from core.workflow.labels import state_label
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from db import items
from db import runs as run_rows
from db.vocabulary import ItemState


@dataclass(frozen=True, slots=True)
class StuckRun:
    """A screening that holds items though nobody works on it; ``reason`` says what is wrong with
    it. ``run`` is empty for items that no screening claims."""

    run: str
    items: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is stuck: screenings with their items."""

    screenings: tuple[StuckRun, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing is stuck."""
        return not self.screenings


def find_stuck(ws: Workspace) -> Diagnosis:
    """What is stuck now; writes nothing."""
    with ws.reading() as session:
        held = {item.id for item in items.in_state(session, (ItemState.SCREENING,))}
        rows = [row for row in run_rows.all_runs(session) if row.kind == "prescreen"]
    stuck: list[StuckRun] = []
    for row in rows:
        if row.taken_in_at is not None:
            continue
        claimed, reason = _state_of(runs.folder_of(ws, row.id))
        claimed &= held
        held -= claimed
        if reason:
            stuck.append(StuckRun(row.id, tuple(sorted(claimed)), reason))
    if held:
        stuck.append(StuckRun("", tuple(sorted(held)), tr("no run holds these items any more")))
    return Diagnosis(tuple(stuck))


def _state_of(folder: RunFolder) -> tuple[set[int], str]:
    """The items that a screening claims, and why it is stuck; no reason for one that is not."""
    try:
        waits = bool(folder.spec().after)  # its items come in with its verdicts
        claimed = set() if waits else {int(number) for number in folder.work_ids()}
        if folder.is_running():
            return claimed, ""
        state = folder.state()
        folder.records()
    except (InputError, NotFoundError, OSError, ValueError) as error:
        return set(), tr("its run folder cannot be read: {reason}", reason=error)
    if state == "finished":
        return claimed, tr("it is finished, but its results were not imported")
    if waits:
        return claimed, ""
    return claimed, tr("nobody works on it (state {state})", state=state_label(state))


def free_stuck(ws: Workspace) -> Diagnosis:
    """Import what the stuck screenings have, and let their other items be drafts again.

    Returns what was stuck before. A second time changes nothing.
    """
    before = find_stuck(ws)
    for stuck in before.screenings:
        if not stuck.run:
            continue
        try:
            screen.close(ws, stuck.run)
        except (InputError, NotFoundError, OSError):
            screen.abandon(ws, stuck.run, stuck.items)
    left = [number for stuck in find_stuck(ws).screenings for number in stuck.items]
    if left:
        screen.abandon(ws, "", left)
    return before


def as_json(diagnosis: Diagnosis) -> Mapping[str, object]:
    """The diagnosis as a document."""
    return {
        "sound": diagnosis.is_sound,
        "screenings": [
            {"run": one.run, "items": list(one.items), "reason": one.reason}
            for one in diagnosis.screenings
        ],
    }
