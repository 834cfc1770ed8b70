"""Claims last as long as the protocol of their own task says."""

from datetime import timedelta

from sqlalchemy import select, update

from core.workflow.check import leases, review
from core.workflow.workspace import Workspace
from db.tables import ASSIGNMENT, now
from tests.workspaces import BENCHMARK, make_task, write_items


def held_in_two_tasks(ws: Workspace) -> tuple[int, int]:
    """What li holds, with two minutes left: an item of a task with leases of five minutes, and one
    of a task with leases of an hour."""
    held = []
    for task, minutes in (("short", 5), ("long", 60)):
        make_task(ws, task, lease_minutes=minutes)
        held += write_items(ws, 1, task=task)
        assert review.next_card(ws, "li", BENCHMARK, leave_out=tuple(held[:-1])).number == held[-1]
    with ws.writing() as session:
        session.execute(update(ASSIGNMENT).values(lease_until=now() + timedelta(minutes=2)))
    return held[0], held[1]


def minutes_left(ws: Workspace, numbers: tuple[int, int]) -> list[int]:
    query = select(ASSIGNMENT.c.item_id, ASSIGNMENT.c.lease_until)
    with ws.reading() as session:
        ends = {row.item_id: row.lease_until for row in session.execute(query)}
    return [round((ends[number] - now()).total_seconds() / 60) for number in numbers]


def test_a_renewed_lease_is_as_long_as_its_own_task_says(ws):
    held = held_in_two_tasks(ws)
    assert leases.renew(ws, "li") == 2
    assert minutes_left(ws, held) == [5, 60]
    assert review.next_card(ws, "wu", BENCHMARK) is None
    assert review.decide(ws, "li", held[0], "accept").state == "accepted"


def test_who_goes_on_keeps_each_item_as_long_as_its_own_task_says(ws):
    held = held_in_two_tasks(ws)
    assert review.next_card(ws, "li", BENCHMARK).number == held[0]
    assert minutes_left(ws, held) == [5, 60]
