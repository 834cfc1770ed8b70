"""A workspace that contradicts itself, as the reason for what nobody foresaw."""

from core.errors import BenchsealError, WorkspaceError
from core.i18n import labelled, tr
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace


def refuse_contradictions(ws: Workspace) -> None:
    """Raise WorkspaceError where the workspace contradicts its own ledger.

    For what nobody foresaw, once the database itself was found whole.
    """
    try:
        findings = verify(ws).findings
    except BenchsealError:
        raise
    except Exception as error:  # rows that not even this can read
        detail = f"{type(error).__name__}: {error}"
        raise WorkspaceError(_contradicted(ws, detail)) from error
    if findings:
        first = findings[0]
        raise WorkspaceError(_contradicted(ws, labelled(first.subject, first.detail)))


def _contradicted(ws: Workspace, detail: str) -> str:
    return tr(
        "Workspace “{place}” is damaged: {detail}. Restore it from a backup.",
        place=ws.place.folder,
        detail=detail,
    )
