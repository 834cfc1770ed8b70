"""Reviewers who decide and say so, and what of it is in the workspace afterwards."""

from collections import Counter
from collections.abc import Iterable

from sqlalchemy import select

from core.workflow.check import review
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db.tables import DECISION, PERSON
from tests.hostile.attackers.children import Say, Work
from tests.workspaces import BENCHMARK


def deciding(location: str, person: str) -> Work:
    """The work of a reviewer: item after item, each said once its decision is committed."""

    def work(say: Say) -> None:
        ws = Workspace.open(location)
        while (card := review.next_card(ws, person, BENCHMARK)) is not None:
            say([person, review.decide(ws, person, card.number, "accept").number])

    return work


def lost(ws: Workspace, acknowledged: Iterable[tuple[str, int]]) -> list[str]:
    """What is wrong with a workspace after a death: acknowledged decisions that are not there,
    decisions that are there twice, and what ``verify`` finds."""
    with ws.reading() as session:
        rows = session.execute(
            select(PERSON.c.name, DECISION.c.item_id).join(
                PERSON, PERSON.c.id == DECISION.c.person_id
            )
        ).all()
    there = Counter((str(name), int(item)) for name, item in rows)
    faults = [f"lost: {one}" for one in sorted(set(acknowledged) - set(there))]
    faults += [f"twice: {one}" for one, count in there.items() if count > 1]
    return faults + [str(finding) for finding in verify(ws).findings]


def decided(ws: Workspace) -> int:
    """How many decisions there are."""
    with ws.reading() as session:
        return len(session.execute(select(DECISION.c.id)).all())
