"""Evaluations for machines that share no disk: run folders in an object store, and answers from it.

A push tells the ledger before anything is sent: of a run in plain text as a reading, with the
address and its host, of a locked one, whose texts nobody can read there, as a step of the run.
"""

from core.errors import ConflictError, StateError
from core.jobs import stored_runs
from core.jobs.folder import RunFolder
from core.jobs.object_store import ObjectStore
from core.jobs.stored_runs import Transfer
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.runs import locked_runs, runs
from core.workflow.splits import freeze, readings, split_states
from core.workflow.splits.readings import Act
from core.workflow.store_sentences import closed_sentence
from core.workflow.workspace import Workspace
from db import ledger
from db.runs import RunRow
from db.vocabulary import EventKind


def push(ws: Workspace, name: str, address: str, person: str = "") -> Transfer:
    """Put the folder of an evaluation at an address; what is there already is not sent again.

    Raises StateError for a run of another kind and for a split that was sealed since, ConflictError
    while workers go on here, RightsError for somebody who may not evaluate, and what
    ``stored_runs.push`` raises.
    """
    row, folder = _resting(ws, name, person)
    split, locked = str(row.params["split"]), folder.spec().locked
    if not locked and locked_runs.is_locked(ws, split):
        raise StateError(closed_sentence())
    store = ObjectStore(address)
    receiver = readings.receiver_of(store.address, store.host)
    with writing_as(ws, person, Action.EVALUATE) as (session, actor):
        held = split_states.split_in(session, split, lock=True)
        freeze.refuse_sealed(freeze.info_in(ws, session, split))
        if locked:
            event = ledger.NewEvent(
                EventKind.RUN, actor.name, subject=row.id, data={"pushed": receiver}
            )
            ledger.append(session, event)
        else:
            facts = readings.reading_facts(session, held, folder.each_work_id())
            data = {**facts, "for": receiver, "run": row.id}
            readings.record(session, actor.name, Act.STORAGE, data)
    return stored_runs.push(store, folder)


def pull(ws: Workspace, name: str, address: str, person: str = "") -> Transfer:
    """Bring the answers of an evaluation here that workers elsewhere put at an address.

    Raises StateError for a run of another kind, and for new answers of one whose results were taken
    in, ConflictError while workers go on here, RightsError for somebody who may not evaluate, and
    what ``stored_runs.pull_answers`` raises.
    """
    row, folder = _resting(ws, name, person)
    store = ObjectStore(address)
    if row.taken_in_at is not None and stored_runs.has_new_answers(store, folder):
        raise StateError.tr(
            "The results of run “{run}” are in the workspace already, and those at “{address}” "
            "differ, so nothing was copied.",
            run=row.id, address=store.address,
        )  # fmt: skip
    done = stored_runs.pull_answers(store, folder)
    if done.files:
        ws.note(EventKind.RUN)
    return done


def _resting(ws: Workspace, name: str, person: str) -> tuple[RunRow, RunFolder]:
    refuse_early(ws, person, Action.EVALUATE)
    row = runs.find_evaluation(ws, name)
    folder = runs.sound_folder_of(ws, row.id)
    if folder.is_running():
        raise ConflictError.tr("Run “{run}” is in progress. Stop it first.", run=row.id)
    return row, folder
