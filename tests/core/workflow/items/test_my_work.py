"""My work: what came back says why."""

from core.workflow import people
from core.workflow.check import review
from core.workflow.items import my_work, undo
from tests.workspaces import BENCHMARK, make_task, write_items


def test_what_came_back_says_why(ws):
    make_task(ws)
    people.ensure_person(ws, "boss", "lead")
    numbers = write_items(ws, 2)
    for _ in numbers:
        card = review.next_card(ws, "li", BENCHMARK)
        review.decide(ws, "li", card.number, "return", note=f"name the unit of {card.number}")
    entries = my_work.my_work(ws, "ann", BENCHMARK).entries
    back = {entry.number: entry for entry in entries if entry.kind == "returned"}
    assert {number: (one.verdict, one.note) for number, one in back.items()} == {
        number: ("return", f"name the unit of {number}") for number in numbers
    }
    undo.undo(ws, "li")
    left = my_work.my_work(ws, "ann", BENCHMARK)
    assert [entry.kind for entry in left.entries].count("returned") == 1


def test_an_item_whose_submission_was_undone_is_not_said_to_come_from_its_lot(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    undo.undo(ws, "ann")
    (entry,) = (e for e in my_work.my_work(ws, "ann", BENCHMARK).entries if e.kind == "returned")
    assert (entry.number, entry.note) == (number, "Its submission was undone.")
