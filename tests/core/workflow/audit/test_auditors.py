"""Who may audit the items of a lot, on a lot of a few hundred items."""

import pytest

from core.workflow import people
from core.workflow.audit.auditors import LotAuditors, auditors
from core.workflow.audit.lots import involved
from core.workflow.workspace import Workspace
from db import items
from db import people as rows
from tests.workload import BENCHMARK, fill

TASK, ASKS = "task-000", "reviewer a"


@pytest.fixture(scope="module")
def ws(tmp_path_factory) -> Workspace:
    """450 accepted items of one task, each reviewed by three of a team of four researchers."""
    filled = fill(tmp_path_factory.mktemp("reviewed") / "ws", 450, tasks=1, decided=1.0, team=4)
    for letter in "abcd":
        people.set_role(filled, f"reviewer {letter}", "researcher")
    return filled


def judged_by(ws: Workspace) -> dict[str, set[int]]:
    """What everybody at work wrote or judged, asked about all items at once."""
    with ws.reading() as session:
        numbers = [item.id for item in items.in_state(session, ("accepted",))]
        return {
            row.name: involved(session, row, numbers)
            for row in rows.everybody(session)
            if row.active
        }


@pytest.mark.parametrize("others", ["bcd+", "bc+", "bcd", "bc", "b", ""])
def test_who_is_left_is_told_as_asking_everybody_about_every_item_does(ws, others):
    """``+`` stands for the lead, who judged nothing."""
    with ws.writing() as session:
        for row in rows.everybody(session):
            here = row.name[-1] if row.name.startswith("reviewer") else "+"
            rows.set_active(session, row.id, here in f"a{others}")
    known = judged_by(ws)
    own = known.pop(ASKS)
    assert 300 < len(own) < 400
    able = tuple(sorted(name for name, judged in known.items() if own - judged))
    stuck = own.intersection(*known.values())
    assert bool(stuck) is (others in ("bc", "b", ""))
    assert auditors(ws, TASK, ASKS, BENCHMARK) == LotAuditors(450, len(own), len(stuck), able)
