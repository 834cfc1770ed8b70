"""A second look at settled items: asked for, found, told again, answered; the freeze holds."""

import pytest

from core.errors import InputError, NotFoundError, RightsError, StateError
from core.workflow import people, tasks
from core.workflow.analysis import second_look
from core.workflow.audit import lots
from core.workflow.evaluation.item_results import MissedItem
from core.workflow.items import bulk, history, search, state_counts, undo
from core.workflow.items.bulk import BulkAction
from core.workflow.items.search import Filters
from core.workflow.production import write
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from tests.splits import freeze_split, varied
from tests.workspaces import TASK, accept_all, make_task, write_items

ASK = BulkAction("second_look", "The key may be wrong.")
END = BulkAction("looked_again", "The key is right.")


@pytest.fixture
def frozen(ws: Workspace) -> list[int]:
    """The items of a frozen split, and a lead called 李."""
    people.ensure_person(ws, "李", "lead")
    freeze_split(ws, {"scp": [varied(number) for number in range(4)]})
    return [int(member.uid) for member in freeze.members_of(ws, "s")]


def write_scp(ws: Workspace, benchmark: str, number: int) -> int:
    """A new item of another benchmark, as a person writes it."""
    if not any(task.benchmark == benchmark for task in tasks.tasks(ws)):
        tasks.add(ws, "scp", "scp", benchmark=benchmark, protocol={"gate": "off"})
    content = varied(number)
    return write.submit(
        ws, "ann", "scp", content.payload, format=content.format, benchmark=benchmark
    ).number


def waiting(ws: Workspace) -> list[int]:
    return search.numbers(ws, Filters(second_look=True), viewer="")


def test_a_request_is_on_the_items_life_can_be_found_and_changes_nothing(
    ws: Workspace, frozen: list[int]
):
    before = [history.item_history(ws, number, "").revisions for number in frozen]
    missed = [MissedItem(frozen[1], "A", "C", ("甲", "乙"))]
    done = second_look.run_for_numbers(ws, "second_look", frozen[1:3], "李", ASK.words, missed)
    assert (done.changed, done.cannot) == (tuple(frozen[1:3]), {})
    assert waiting(ws) == frozen[1:3]
    assert search.numbers(ws, Filters(second_look=False), viewer="") == [frozen[0], frozen[3]]
    assert search.count(ws, Filters(second_look=True, benchmark="b"), viewer="") == 2
    assert search.page(ws, Filters(second_look=True, states=("approved",)), viewer="").total == 0
    event = history.item_history(ws, frozen[1], "").events[-1]
    assert (event.kind, event.actor, event.data["note"]) == ("second_look", "李", ASK.words)
    assert [history.item_history(ws, number, "").revisions for number in frozen] == before
    assert state_counts.counts(ws)["frozen"] == 4
    assert freeze.check(ws, "s") == []
    one, two = second_look.requests(ws, viewer="李")
    assert (one.number, one.by, one.note, one.answer) == (frozen[1], "李", ASK.words, "C")
    assert (one.models, two.models, two.answer) == (("甲", "乙"), (), "")


def test_a_request_ends_when_somebody_looked_and_can_be_repeated(ws: Workspace, frozen: list[int]):
    chosen = Filters(numbers=tuple(frozen[:2]))
    second_look.run(ws, chosen, ASK, "李")
    again = second_look.preview(ws, Filters(), ASK, "")
    assert (again.will_change, sum(again.cannot.values())) == (2, 2)
    assert second_look.run(ws, Filters(numbers=(frozen[0],)), END, "李").changed == (frozen[0],)
    assert waiting(ws) == [frozen[1]]
    assert second_look.preview(ws, Filters(), END, "").will_change == 1
    second_look.run(ws, Filters(numbers=(frozen[0],)), ASK, "李")
    assert waiting(ws) == frozen[:2]
    kinds = [event.kind for event in history.item_history(ws, frozen[0], "").events][-3:]
    assert kinds == ["second_look", "looked_again", "second_look"]


def test_the_same_text_in_the_next_period_carries_the_request(ws: Workspace, frozen: list[int]):
    second_look.run(ws, Filters(numbers=(frozen[2],)), ASK, "李")
    new, _ = write_scp(ws, "下一期", 2), write_scp(ws, "下一期", 9)
    assert second_look.requests(ws, viewer="")[0].again == (new,)
    carried = second_look.repeated_texts(ws, "下一期")
    assert {number: one.number for number, one in carried.items()} == {new: frozen[2]}
    assert second_look.repeated_texts(ws, "b") == {}
    bulk.run(ws, Filters(numbers=(new,)), BulkAction("reject", "the old doubt"), "李")
    assert second_look.repeated_texts(ws, "下一期") == {}


def test_who_may_not_ask_and_what_cannot_be_asked_is_said(ws: Workspace, frozen: list[int]):
    people.ensure_person(ws, "ann", "annotator")
    one = Filters(numbers=(frozen[0],))
    with pytest.raises(RightsError):
        second_look.run(ws, one, ASK, "ann")
    with pytest.raises(InputError, match="look at"):
        second_look.run(ws, one, BulkAction("second_look", " "), "李")
    with pytest.raises(InputError, match="no bulk action “melt”"):
        second_look.run(ws, one, BulkAction("melt", "x"), "李")
    with pytest.raises(StateError, match="not waiting"):
        second_look.run(ws, one, END, "李")
    for number in (10_000, 0, -1, 2**70):
        with pytest.raises(NotFoundError):
            second_look.run_for_numbers(ws, "second_look", [frozen[0], number], "李", "x")
    with pytest.raises(StateError, match="no items"):
        second_look.run_for_numbers(ws, "second_look", [], "李", "x")
    draft = write_scp(ws, "c", 30)
    assert waiting(ws) == []
    with pytest.raises(StateError, match="not decided yet"):
        second_look.run_for_numbers(ws, "second_look", [draft], "李", "x")


def test_what_was_done_before_a_second_look_can_still_be_undone(ws: Workspace):
    make_task(ws, audit_sample=1)
    numbers = write_items(ws, 2)
    accept_all(ws, numbers, "li")
    (drawn,) = lots.start(ws, TASK, "ruth", seed=1).lots[0].drawn
    lots.decide(ws, "ruth", drawn.number, "accept")
    people.ensure_person(ws, "李", "lead")
    for kind in ("second_look", "looked_again"):
        assert second_look.run_for_numbers(ws, kind, numbers, "李", ASK.words).changed == tuple(
            numbers
        )
    assert undo.undo(ws, "ruth").number in (0, drawn.number)
    assert {history.state_of(ws, number) for number in numbers} == {"accepted"}
