"""A task as its lead sees it: what it asks for, how it is reviewed, its wordings, its versions."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.workflow import tasks
from core.workflow.check.visibility import closed_among
from core.workflow.lookup import task_in
from core.workflow.production import write
from core.workflow.production.author_view import VARIANT
from core.workflow.production.write import SubmittedItem
from core.workflow.protocol_changes import ProtocolChange
from core.workflow.rights import Action, at_work, is_allowed
from core.workflow.tasks import ProtocolVersion, TaskChange, TaskInfo, TaskVersion
from core.workflow.workspace import Workspace
from db import items
from db.engine import Session
from db.queries import item_search
from db.queries.item_search import ItemQuery
from db.schema.sealed_values import is_locked


@dataclass(frozen=True, slots=True)
class TaskVariant:
    """One wording of a task's instruction, which is an item; ``public`` ones are released.
    One that lies in a sealed split has no text."""

    number: int
    text: str
    public: bool
    state: str


@dataclass(frozen=True, slots=True)
class TaskView:
    """Everything about one task. ``versions`` and ``protocols`` are oldest first."""

    info: TaskInfo
    versions: tuple[TaskVersion, ...]
    protocols: tuple[ProtocolVersion, ...]
    variants: tuple[TaskVariant, ...]
    may_edit: bool


@dataclass(frozen=True, slots=True)
class TaskEdit:
    """What a task should become: its texts, its labels, its reasons for a rejection, its rubric as
    a text, what judges are told and its metric (None: as they are), and settings of its protocol as
    text; ``seen`` is the task from which that was edited."""

    guideline: str | None = None
    instruction: str | None = None
    labels: tuple[str, ...] | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    reasons: tuple[str, ...] | None = None
    rubric: str | None = None
    judge: str | None = None
    metric: str | None = None
    seen: TaskInfo | None = None


@dataclass(frozen=True, slots=True)
class TaskEdited:
    """What an edit did, or would do when it was only tried."""

    task: TaskChange
    protocol: ProtocolChange

    @property
    def differs(self) -> bool:
        """Whether anything changes at all."""
        return bool(self.task.changed or self.protocol.changed)


def names(ws: Workspace, benchmark: str) -> tuple[str, ...]:
    """The tasks of a benchmark by name."""
    return tuple(row.name for row in tasks.uncounted(ws, benchmark))


def task_view(ws: Workspace, task: str, benchmark: str, viewer: str) -> TaskView:
    """One task with its versions and wordings; only leads may edit it."""
    info = tasks.show(ws, task, benchmark)
    with ws.reading() as session:
        may_edit = is_allowed(at_work(session, viewer).role, Action.EDIT_TASK)
        variants = _variants(session, task_in(session, task, benchmark).id)
    return TaskView(
        info,
        tasks.descriptions(ws, task, benchmark),
        tasks.versions(ws, task, benchmark),
        variants,
        may_edit,
    )


def _variants(session: Session, task_id: int) -> tuple[TaskVariant, ...]:
    query = ItemQuery(task_id=task_id, family="instruction", format=VARIANT)
    rows = items.get_many(session, item_search.ids(session, query, limit=None))
    closed = closed_among(session, rows)
    contents = items.contents(session, [row.id for row in rows])
    payloads = {
        number: content.payload
        for number, content in contents.items()
        if number not in closed and not is_locked(content.payload)
    }
    return tuple(
        TaskVariant(row.id, str(payload.get("text", "")), bool(payload.get("public")), row.state)
        for row in rows
        for payload in [payloads.get(row.id, {})]
    )


def edit(
    ws: Workspace, task: str, benchmark: str, person: str, fields: TaskEdit, *, dry_run: bool
) -> TaskEdited:
    """Change a task's texts and its protocol in one transaction, or read what that would do.

    Raises RightsError for anybody but a lead, InputError for a wrong label, text or setting,
    ConflictError for what somebody else has changed since it was seen; nothing is changed then.
    """
    change = tasks.change(
        ws,
        task,
        person,
        guideline=fields.guideline,
        instruction=fields.instruction,
        labels=fields.labels,
        reasons=fields.reasons,
        rubric=fields.rubric,
        judge=fields.judge,
        metric=fields.metric,
        settings=fields.settings,
        seen=fields.seen,
        benchmark=benchmark,
        dry_run=dry_run,
    )
    assert change.protocol is not None
    return TaskEdited(change, change.protocol)


def add_variant(
    ws: Workspace, task: str, benchmark: str, person: str, text: str, *, public: bool
) -> SubmittedItem:
    """Hand in one more wording of a task's instruction; it passes the stages like any item."""
    payload = {"text": text, "public": public}
    return write.submit(ws, person, task, payload, format=VARIANT, benchmark=benchmark)
