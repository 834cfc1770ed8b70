"""Giving a run another token budget, so that one that stopped for it can go on."""

from core.errors import ConflictError, InputError, NotFoundError, StateError
from core.files import write_json
from core.i18n import tr, trn
from core.workflow.runs import runs
from core.workflow.runs.runs import RunInfo
from core.workflow.workspace import Workspace
from db import ledger
from db import runs as run_rows
from db.vocabulary import EventKind


def budget_of(ws: Workspace, name: str) -> int | None:
    """How many tokens a run may spend in all; None for a run without such a limit."""
    try:
        spec = runs.folder_of(ws, runs.find(ws, name).id).spec()
    except (InputError, NotFoundError):
        return None  # a damaged run is told of elsewhere
    found = spec.params.get("budget_tokens")
    return int(found) if found else None


def set_budget(ws: Workspace, name: str, tokens: int) -> RunInfo:
    """Let a run that nobody works on spend ``tokens`` in all, earlier starts included.

    Raises InputError for a run without such a budget and for one that is used up already,
    ConflictError while the run goes on, StateError once it is finished.
    """
    info = runs.info(ws, name)
    folder = runs.folder_of(ws, info.id)
    spec = folder.spec()
    if "budget_tokens" not in spec.params:
        raise InputError(tr("The run “{run}” has no budget of tokens.", run=info.id))
    if info.state == "finished":
        raise StateError(tr("The run “{run}” is finished; it needs no budget.", run=info.id))
    if folder.is_running():
        raise ConflictError(
            tr("The run “{run}” is at work. Stop it first, then change its budget.", run=info.id)
        )
    used = int(info.notes.get("tokens", 0)) if spec.kind == "rewrite" else 0
    if tokens <= used:
        raise InputError(
            trn(
                "The run “{run}” has used 1 token already. Give it more than that.",
                "The run “{run}” has used {n} tokens already. Give it more than that.",
                used,
                run=info.id,
            )
        )
    before = spec.params["budget_tokens"]
    params = {**spec.params, "budget_tokens": tokens}
    raised = spec.model_copy(update={"params": params})
    write_json(folder.path / "spec.json", raised.model_dump(), durable=True)
    with ws.writing() as session:
        run_rows.set_params(session, info.id, params)
        said = {"budget_tokens": {"before": before, "after": tokens}}
        ledger.append(session, ledger.NewEvent(EventKind.RUN, "", subject=info.id, data=said))
    return runs.info(ws, info.id)
