"""What the dialog of a rewrite orders, and the use case that carries it out."""

from dataclasses import dataclass
from pathlib import Path

from core.llm.keys import consent
from core.rewriting.params import RewriteParams
from core.sources.labelled.dataset_files import Columns
from core.sources.labelled.datasets import LabelledTask
from core.workflow.production import rewrite_runs
from core.workflow.workspace import Workspace


@dataclass(frozen=True, slots=True)
class RewriteOrder:
    """Everything that the dialog says."""

    benchmark: str
    name: str
    path: Path
    task: LabelledTask
    columns: Columns | None
    split: str
    params: RewriteParams
    limit: int | None
    sheet: str = ""


def start_rewrite(ws: Workspace, order: RewriteOrder) -> str:
    """Remember the data with their task and start the run; the use case of ``benchseal rewrite``.

    Returns the id of the run.
    """
    data = rewrite_runs.map_base_data(
        ws,
        order.benchmark,
        order.name,
        order.path,
        order.task,
        order.columns,
        order.split,
        order.sheet,
    )
    params = order.params.model_copy(update={"task": data.task})
    with consent(*rewrite_runs.named_servers(params)):
        folder = rewrite_runs.start(
            ws, order.benchmark, order.name, params, data.examples, limit=order.limit
        )
    return folder.spec().id
