"""A workspace in which something waits at every stage, for tests that go over all use cases."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlmodel import SQLModel

from core.workflow import people
from core.workflow.audit import lots
from core.workflow.check import gold, rate, review
from core.workflow.production import write
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from tests.splits import freeze_split, varied
from tests.workspaces import TASK, accept_all, make_task, payload, write_items

AUDITED = "audited"
RATED = "rated"
SPLIT = "s"
PEOPLE = {"ann": "annotator", "li": "specialist", "wu": "specialist", "zoe": "specialist",
          "ray": "researcher", "boss": "lead"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FullWorkspace:
    """The numbers of the items at each stage; ``draft`` is a draft of ann's."""

    waiting: list[int]
    disputed: list[int]
    returned: list[int]
    accepted: list[int]
    gold: list[int]
    drawn: list[int]
    rated: list[int]
    frozen: list[int]
    draft: int


def fill(ws: Workspace, count: int = 1) -> FullWorkspace:
    """``count`` items at each stage of three tasks, written by ann, judged by li and wu."""
    for name, role in PEOPLE.items():
        people.ensure_person(ws, name, role)
    freeze_split(ws, {"scp": [varied(number) for number in range(4)]})
    frozen = [int(member.uid) for member in freeze.members_of(ws, SPLIT)]
    make_task(ws, overlap=2)
    make_task(ws, AUDITED, audit_sample=count + 1, audit_allowed=1)
    make_task(ws, RATED, rating_sample=count, raters=3, rubric="coreeval")
    numbers = write_items(ws, 5 * count)
    waiting, disputed, returned, accepted, known = (
        numbers[place * count : (place + 1) * count] for place in range(5)
    )
    for number in disputed:
        review.decide(ws, "li", number, "accept")
        review.decide(ws, "wu", number, "reject", reason="ambiguous")
    for number in returned:
        review.decide(ws, "li", number, "return", note="say more")
    accept_all(ws, accepted + known, "li", "wu")
    for number in known:
        gold.mark(ws, "boss", number, "accept")
    drawn = write_items(ws, count + 1, task=AUDITED)
    accept_all(ws, drawn, "li")
    lots.start(ws, AUDITED, "ray", seed=1)
    rated = write_items(ws, count, task=RATED)
    rate.draw(ws, RATED, "ray", seed=1)
    draft = write.save_draft(ws, "ann", TASK, payload("半句话"))
    return FullWorkspace(waiting, disputed, returned, accepted, known, drawn, rated, frozen, draft)


def stored_rows(ws: Workspace) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table."""
    with ws.reading() as session:
        return {
            name: sorted((tuple(row) for row in session.execute(select(table))), key=repr)
            for name, table in SQLModel.metadata.tables.items()
        }
