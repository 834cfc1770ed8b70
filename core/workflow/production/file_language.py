"""Whether a file is written in the language of a task that nobody chose for it."""

from collections.abc import Iterator

from core.families.intake import ImportPreview, ImportTarget, instructions_of
from core.families.languages import is_in_another, language_of_task, language_of_texts
from core.workflow.workspace import Workspace
from db import benchmarks, items
from db.benchmarks import TaskRow
from db.engine import Session
from db.queries import item_lists

_READ = 20
_ASKS = ("instruction", "text", "question")


def is_of_another_language(
    ws: Workspace, benchmark: str, task: str, preview: ImportPreview
) -> bool:
    """Whether what the first rows of a file ask is evidently in another language than a task's
    items; False for a task that is not there yet or whose language nothing tells."""
    with ws.reading() as session:
        home = benchmarks.benchmark_named(session, benchmark)
        row = benchmarks.task_named(session, home.id, task) if home else None
        language = _language_of(session, row) if row else ""
    target = ImportTarget(preview.family, preview.item_format)
    return is_in_another(language, instructions_of(preview.rows, preview.mapping, target))


def _language_of(session: Session, task: TaskRow) -> str:
    """The language that a task says, else what its first items say or ask in."""
    return language_of_task(task.profile) or language_of_texts(_asked(session, task))


def _asked(session: Session, task: TaskRow) -> Iterator[str]:
    numbers = item_lists.first_of_task(session, task.id, _READ)
    for revision in items.contents(session, numbers).values():
        yield next(
            (str(revision.payload[name]) for name in _ASKS if revision.payload.get(name)), ""
        )
