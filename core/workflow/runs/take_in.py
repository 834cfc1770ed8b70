"""The one way in for what a run made, whatever its kind: asked by the window and the commands."""

from typing import Any

from core.workflow.runs import kinds, runs
from core.workflow.workspace import Workspace


def has_results(kind: str) -> bool:
    """Whether what runs of that kind make is taken in; nothing is of a kind unknown here."""
    return any(registered.name == kind and registered.take_in for registered in kinds.RUN_KINDS)


def take_in(ws: Workspace, name: str) -> dict[str, Any]:
    """Bring what a finished run made into the workspace; a second time changes nothing.

    Returns what the use case of its kind says of it, nothing where results stay in the run folder.
    Raises StateError for a run that is not finished, NotFoundError for one of an unknown kind.
    """
    row = runs.find(ws, name)
    use_case = kinds.use_case_of(row.kind)
    if use_case is None:
        return {}
    with runs.reading_results(row.id):
        return use_case(ws, row.id)
