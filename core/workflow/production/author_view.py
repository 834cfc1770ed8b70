"""What an author has beside the form: the task, its wordings, its labels, and what waits."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.families.base import Defect, ItemContent
from core.generation.text_defects import item_defects
from core.screening.compared_text import own_text
from core.screening.label_balance import LabelBalance, label_balance
from core.workflow import tasks
from core.workflow.lookup import task_in
from core.workflow.people import benchmark_in
from core.workflow.production import write
from core.workflow.production.duplicates import DuplicateWatch, SimilarItem
from core.workflow.production.write import DraftInfo, ReturnedItem
from core.workflow.rights import at_work
from core.workflow.tasks import TaskInfo
from core.workflow.workspace import Workspace
from db import benchmarks, items
from db.queries import author_view as rows
from db.queries import item_lists

VARIANT = "instruction"  # the format of an item that is a wording of its task
WRITTEN = frozenset({"instruction", "choice", "answer"})  # families that people write by hand
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class InstructionVariant:
    """One instruction variant of a task; ``public`` ones are released with the public half."""

    name: str
    text: str
    public: bool = False


@dataclass(frozen=True, slots=True)
class AuthorView:
    """Everything that stands beside the form of one task.

    ``drafts`` are those of new items; that of a returned item is picked up with it.
    ``returned`` has the first of the ``back`` items of this task that are back with the author.
    """

    task: TaskInfo
    guideline: str
    wordings: tuple[InstructionVariant, ...]
    labels: tuple[str, ...]
    balance: LabelBalance | None
    drafts: tuple[DraftInfo, ...]
    returned: tuple[ReturnedItem, ...]
    back: int

    @property
    def sound(self) -> int:
        """How many of ``returned`` came back with their lot though nothing was wrong with them."""
        return sum(
            all(word.revision != entry.revision for word in entry.words) for entry in self.returned
        )


@dataclass(frozen=True, slots=True)
class TextCheck:
    """What is noticed about a text while it is written."""

    similar: tuple[SimilarItem, ...]
    defects: tuple[Defect, ...]


def writable(ws: Workspace, person: str, benchmark: str) -> tuple[str, ...]:
    """Tasks of a benchmark that are written by hand, and those with items back at this person."""
    back = _tasks_back(ws, person)
    return tuple(
        task.name
        for task in tasks.uncounted(ws, benchmark)
        if task.family in WRITTEN or task.name in back
    )


def most_pressing(ws: Workspace, person: str, names: Sequence[str]) -> str:
    """The task to begin with: one with an item that came back, or a draft, or the first."""
    for waiting in (_tasks_back(ws, person), {draft.task for draft in write.my_drafts(ws, person)}):
        for name in names:
            if name in waiting:
                return name
    return names[0] if names else ""


def back_elsewhere(ws: Workspace, person: str, task: str, benchmark: str) -> tuple[str, int]:
    """The first other task of a benchmark with items back at this person, and how many; ("", 0)
    where there is none."""
    with ws.reading() as session:
        waiting = item_lists.returned_by_task(session, at_work(session, person).id)
        rows = benchmarks.tasks(session, benchmark_in(session, benchmark).id)
    found = ((row.name, waiting[row.id]) for row in rows if row.id in waiting and row.name != task)
    return next(found, ("", 0))


def _tasks_back(ws: Workspace, person: str) -> set[str]:
    with ws.reading() as session:
        actor = at_work(session, person)
        waiting = item_lists.returned_by_task(session, actor.id)
        return {row.name for row in benchmarks.tasks(session) if row.id in waiting}


def author_view(ws: Workspace, person: str, task: str, benchmark: str = "") -> AuthorView:
    """What one author sees beside the form of one task."""
    with ws.reading() as session:
        row = task_in(session, task, benchmark)
        states: Counter[str] = Counter()
        counts: Counter[str] = Counter()
        has_variants = False
        for state, format, label, count in rows.counted(session, row.id):
            states[state] += count
            if state not in rows.GONE and format == VARIANT:
                has_variants = True
            elif state not in rows.GONE:
                counts[label] += count
        info = tasks.info_of(session, row, states)
        texts = rows.payloads_of_format(session, row.id, VARIANT) if has_variants else []
        actor = at_work(session, person)
        back = item_lists.returned_by_task(session, actor.id).get(row.id, 0)
        first = (
            item_lists.returned_to(session, actor.id, task_id=row.id, limit=_SHOWN) if back else []
        )
        returned = write.returned_in(session, items.get_many(session, first), actor)
    space = tuple(str(label) for label in info.profile.get("labels", ()))
    drafts = [
        draft for draft in write.my_drafts(ws, person, task) if draft.benchmark == info.benchmark
    ]
    return AuthorView(
        info,
        str(info.profile.get("guideline", "")),
        _wordings(info.profile, texts),
        space,
        label_balance(counts, space) if space or any(counts) else None,
        tuple(draft for draft in drafts if not draft.item),
        returned,
        back,
    )


def _wordings(
    profile: Mapping[str, Any], texts: list[dict[str, Any]]
) -> tuple[InstructionVariant, ...]:
    """The variants that are items, after the instruction that the task itself carries."""
    variants: dict[str, InstructionVariant] = {}
    instruction = str(profile.get("instruction", "") or "")
    if instruction:
        variants[instruction] = InstructionVariant("", instruction)
    for payload in texts:
        text, public = str(payload.get("text", "")), bool(payload.get("public"))
        name = str(payload.get("instruction_id", "") or "")
        if text.strip():
            variant = variants.get(text, InstructionVariant(name, text))
            variants[text] = replace(variant, public=variant.public or public)
    return tuple(variants.values())


def notice(watch: DuplicateWatch, content: ItemContent, item: int = 0) -> TextCheck:
    """Near-duplicates of what is being written, and what the checks find in it.

    ``item`` is the number of the item that is being rewritten, 0 for a new one.
    """
    similar = watch.similar_to(own_text(content), but=item)
    return TextCheck(tuple(similar), tuple(item_defects(content)))
