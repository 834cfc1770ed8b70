"""What a freeze would take is read from the disk, by the checks before it."""

import random
import tracemalloc
from contextlib import closing

from core.families.base import ItemContent
from core.screening.near_duplicates import near_pairs
from core.workflow.people import ensure_benchmark_in, ensure_task_in
from core.workflow.production.take_in_items import new_items
from core.workflow.splits import freeze
from core.workflow.splits.compared_items import ComparedItems, EarlierItems
from core.workflow.splits.selection import FreezeOrder
from db import items
from db.vocabulary import ItemState

LETTERS = "abcdefgh ijklmnop"


def answer(draw: random.Random) -> ItemContent:
    text = "".join(draw.choices(LETTERS, k=4000))
    return ItemContent("answer", "answer", {"question": text, "answers": ["x"]})


def choice(number: int) -> ItemContent:
    payload = {"question": f"Which of these is {number}?", "options": ["a", "b"], "key": "A"}
    return ItemContent("choice", "choice", payload)


def test_of_many_long_items_hardly_any_text_is_held(sqlite_ws):
    draw = random.Random(4)
    with sqlite_ws.writing() as session:
        home = ensure_benchmark_in(session, "b")
        task = ensure_task_in(session, home, "quiz", "answer")
        for _ in range(12):
            drafts = [(answer(draw), task) for _ in range(250)]
            items.add(session, new_items(drafts, None, found=[()] * 250), index_later=True)
        rows = items.in_state(session, (ItemState.DRAFT,))
        items.change(session, [row.id for row in rows], state=ItemState.APPROVED)
    with sqlite_ws.reading() as session:
        selection = freeze.select(session, FreezeOrder("s", "b", seed=1))
        tracemalloc.start()
        try:
            with closing(ComparedItems(session, selection)) as members:
                assert sum(1 for _ in members.contents()) == len(members.texts) == 3000
                most = tracemalloc.get_traced_memory()[1]
                assert list(near_pairs(members.texts)) == []
        finally:
            tracemalloc.stop()
    assert most < 3000 * 4000 / 2, f"{most / 3000:.0f} bytes an item"


def test_families_are_read_by_themselves_and_earlier_items_by_name(sqlite_ws):
    draw = random.Random(5)
    with sqlite_ws.writing() as session:
        home = ensure_benchmark_in(session, "b")
        tasks = {kind: ensure_task_in(session, home, kind, kind) for kind in ("answer", "choice")}
        contents = [choice(1), answer(draw), choice(2), answer(draw), choice(3)]
        drafts = [(content, tasks[content.family]) for content in contents]
        numbers = items.add(session, new_items(drafts, None, found=[()] * 5))
        items.change(session, numbers[:2], state=ItemState.APPROVED)
    freeze.freeze(sqlite_ws, "old", "b")
    with sqlite_ws.writing() as session:
        items.change(session, numbers[2:], state=ItemState.APPROVED)
    with sqlite_ws.reading() as session:
        selection = freeze.select(session, FreezeOrder("s", "b", seed=1))
        with closing(ComparedItems(session, selection)) as members:
            places, own = members.of_family("choice")
            assert list(places) == [0, 2]
            assert [c.payload["question"] for c in own] == [contents[n].payload["question"]
                                                            for n in (2, 4)]  # fmt: skip
            assert own[1].payload == contents[4].payload
            assert members.of_family("rewrite") == ((), ())
            with closing(EarlierItems(session, members.numbers)) as earlier:
                assert [earlier.at(n).name for n in range(2)] == [f"old #{n}" for n in numbers[:2]]
                assert not earlier.at(0).is_public
                assert len(earlier.texts) == 2
