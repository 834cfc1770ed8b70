"""Eight processes at once: no assignment twice, overlap exact, nobody on their own item."""

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable

import pytest
from sqlalchemy import text

from core.workflow import people
from core.workflow.items import search, state_counts
from core.workflow.production import write
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.paths import ROOT
from tests.workspaces import (
    BENCHMARK,
    TASK,
    make_task,
    payload,
    ratings_of,
    write_items,
)

WORKER = """
import json, sys
from core.errors import BenchsealError
from core.workflow.check import rate, review
from core.workflow.items import history, state_counts
from core.workflow.workspace import Workspace
location, person, rated = sys.argv[1], sys.argv[2], int(sys.argv[3])
ws = Workspace.open(location)
done = 0
while (card := review.next_card(ws, person, "bench")) is not None:
    verdict = "reject" if (card.number + len(person)) % 7 == 0 else "accept"
    review.decide(ws, person, card.number, verdict, reason="other", seconds=1)
    done += 1
early = []
for number in range(1, rated + 1):
    try:
        if history.item_history(ws, number, person).ratings:
            early.append(number)
    except BenchsealError:
        pass
    rate.rate(ws, person, number, {"fluency": 1 + number % 3})
    assert history.item_history(ws, number, person).ratings
print(json.dumps({"done": done, "early": early}))
"""


def work(location: str, people: list[str], rated: int) -> tuple[list[dict], float]:
    """Everybody works in a process of their own until nothing is left for them."""
    started = time.perf_counter()
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, location, person, str(rated)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, text=True,
        )
        for person in people
    ]  # fmt: skip
    results = []
    for worker in workers:
        out, err = worker.communicate(timeout=1000)
        assert worker.returncode == 0, err
        results.append(json.loads(out))
    return results, time.perf_counter() - started


def run(
    ws: Workspace,
    location: str,
    note: Callable[[str, object], None],
    items: int,
    overlap: int,
    people: int,
) -> None:
    make_task(ws, overlap=overlap, rubric="coreeval")
    names = [f"person-{place}" for place in range(people)]
    # Every person has written some of the items, so that there is something to keep from them.
    for place in range(items):
        write.submit(ws, names[place % people], TASK, payload(f"第{place}次"))
    results, seconds = work(location, names, rated=0)
    decided = sum(result["done"] for result in results)
    note("decisions a second", round(decided / seconds))
    assert decided == items * overlap
    with ws.reading() as session:
        pairs = session.execute(
            text("SELECT item_id, person_id, COUNT(*) FROM decision GROUP BY item_id, person_id")
        ).all()
        own = session.execute(
            text(
                "SELECT COUNT(*) FROM decision JOIN item ON item.id = decision.item_id "
                "WHERE item.author_id = decision.person_id"
            )
        ).scalar_one()
    assert all(row[2] == 1 for row in pairs)
    assert set(Counter(row[0] for row in pairs).values()) == {overlap}
    assert own == 0
    counts = state_counts.counts(ws, BENCHMARK)
    disputed = search.page(ws, search.Filters(disputed=True), limit=1, viewer="").total
    assert counts["in_review"] == disputed
    assert counts["accepted"] + counts["rejected"] + disputed == items
    assert verify(ws).sound


def test_a_few_processes_share_the_work_without_a_clash(ws, location, record_property):
    run(ws, location, record_property, items=24, overlap=2, people=3)


@pytest.mark.slow
def test_eight_processes_share_four_thousand_assignments(ws, location, record_property):
    run(ws, location, record_property, items=2000, overlap=2, people=8)


def test_nobody_reads_a_rating_before_their_own_whatever_the_others_do(ws, location):
    make_task(ws, gate="required", rubric="coreeval")
    numbers = write_items(ws, 12)
    names = ["r1", "r2", "r3"]
    for name in names:
        people.ensure_person(ws, name)
    results, _ = work(location, names, rated=len(numbers))
    assert [result["early"] for result in results] == [[], [], []]
    assert {len(ratings_of(ws, "r1", number)) for number in numbers} == {3}
