"""Undo: after a restart, across stages, and refused with the reason when others built on it."""

import pytest

from core.errors import NotFoundError, RightsError, StateError
from core.workflow import people
from core.workflow.audit import lots
from core.workflow.check import adjudicate, notes, rate, review
from core.workflow.items import bulk, history, search, undo
from core.workflow.items.bulk import BulkAction
from core.workflow.items.search import Filters
from core.workflow.production import write
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from tests.workspaces import BENCHMARK, TASK, accept_all, make_task, payload, write_items


@pytest.mark.parametrize(
    ("verdict", "words"),
    [("accept", {}), ("reject", {"reason": "other"}), ("return", {"note": "fix"})],
)
def test_a_decision_is_taken_back_after_a_restart_and_the_item_is_with_its_reviewer(
    ws, location, verdict, words
):
    make_task(ws)
    (number,) = write_items(ws, 1)
    review.next_card(ws, "li", BENCHMARK)
    review.decide(ws, "li", number, verdict, **words)
    again = Workspace.open(location)
    done = undo.undo(again, "li")
    again.close()
    assert (done.number, done.verdict) == (number, verdict)
    assert history.state_of(ws, number) == "in_review"
    assert review.next_card(ws, "wu", BENCHMARK) is None
    assert review.next_card(ws, "li", BENCHMARK).number == number
    assert review.decide(ws, "li", number, "accept").state == "accepted"


def test_what_was_frozen_without_an_audit_is_not_said_to_have_passed_one(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    review.next_card(ws, "li", BENCHMARK)
    review.decide(ws, "li", number, "accept")
    people.ensure_person(ws, "boss", "lead")
    freeze.freeze(ws, "july", BENCHMARK, "boss")
    with pytest.raises(StateError, match=r"\(it was frozen in a split\)"):
        undo.undo(ws, "li")


def test_what_was_written_beside_a_step_is_being_written_again_after_its_undo(ws):
    make_task(ws, rubric="coreeval")
    (number,) = write_items(ws, 1)
    review.next_card(ws, "li", BENCHMARK)
    review.decide(ws, "li", number, "return", note="name the unit")
    undo.undo(ws, "li")
    assert notes.kept_notes(ws, "li", "review") == {number: "name the unit"}
    review.decide(ws, "li", number, "return", note="name each unit")
    assert notes.kept_notes(ws, "li", "review") == {}
    undo.undo(ws, "li")
    review.skip(ws, "li", number, "too hot today")
    undo.undo(ws, "li")
    assert notes.kept_notes(ws, "li", "review") == {number: "too hot today"}
    rate.rate(ws, "wu", number, {"fluency": 2}, comment="a word is missing")
    assert undo.undo(ws, "wu").values == {"fluency": 2}
    assert notes.kept_notes(ws, "wu", "rate") == {number: "a word is missing"}


def test_drawing_items_for_rating_is_no_step_that_an_undo_takes_back(ws):
    make_task(ws, rubric="coreeval", rating_sample=1)
    people.ensure_person(ws, "boss", "lead")
    (number,) = write_items(ws, 1)
    drawn = rate.draw(ws, TASK, "boss", seed=1)
    assert undo.preview(ws, "boss") is None
    with pytest.raises(StateError, match="nothing to undo"):
        undo.undo(ws, "boss")
    with pytest.raises(StateError, match="cannot be undone"):
        undo.undo(ws, "boss", rate.rate(ws, "li", number, {"fluency": 2}).event - 1)
    assert [entry[0] for entry in rate.sample(ws, TASK).items] == [drawn.items[0][0]]


def test_a_rating_is_taken_back_though_a_reviewer_has_taken_the_item_up(ws):
    make_task(ws, rubric="coreeval", rating_sample=1)
    (number,) = write_items(ws, 1)
    people.ensure_person(ws, "boss", "lead")
    rate.draw(ws, TASK, "boss", seed=1)
    rate.rate(ws, "li", number, {"fluency": 2})
    review.next_card(ws, "wu", BENCHMARK)
    assert undo.preview(ws, "li").refusal == ""
    assert (undo.undo(ws, "li").number, history.state_of(ws, number)) == (number, "in_review")


def test_undoing_again_takes_back_the_one_before(ws):
    make_task(ws)
    numbers = write_items(ws, 3)
    accept_all(ws, numbers, "li")
    assert [undo.undo(ws, "li").number for _ in numbers] == numbers[::-1]
    with pytest.raises(StateError, match="nothing to undo"):
        undo.undo(ws, "li")


def test_a_decision_that_the_next_reviewer_completed_stays(ws):
    make_task(ws, overlap=2)
    (number,) = write_items(ws, 1)
    event = review.decide(ws, "li", number, "accept").event
    review.decide(ws, "wu", number, "accept")
    assert "other work builds on it" in undo.preview(ws, "li").refusal
    with pytest.raises(StateError, match="other work builds on it"):
        undo.undo(ws, "li")
    undo.undo(ws, "wu")
    assert undo.preview(ws, "li").refusal == ""
    assert undo.undo(ws, "li", event).number == number


def test_a_handed_in_item_goes_back_to_its_author_while_nobody_has_touched_it(ws):
    make_task(ws)
    first, second = write_items(ws, 2)
    review.next_card(ws, "li", BENCHMARK)
    assert undo.undo(ws, "ann").number == second
    assert history.state_of(ws, second) == "returned"
    assert write.revise(ws, "ann", second, payload("再写")).state == "draft"
    with pytest.raises(StateError, match="already been undone"):
        undo.undo(ws, "ann", write_event(ws, second))
    with pytest.raises(StateError, match="other work builds on it"):
        undo.undo(ws, "ann", write_event(ws, first))


def write_event(ws: Workspace, number: int) -> int:
    return next(
        e.number for e in history.item_history(ws, number, "").events if e.kind == "submitted"
    )


def test_a_revision_is_taken_back_with_its_content(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    review.decide(ws, "li", number, "return", note="fix")
    before = search.page(ws, search.Filters(), viewer="").rows[0].content_hash
    write.revise(ws, "ann", number, payload("别的"))
    undo.undo(ws, "ann")
    line = search.page(ws, search.Filters(), viewer="").rows[0]
    assert (line.state, line.revision, line.content_hash) == ("returned", 1, before)
    assert write.revise(ws, "ann", number, payload("又一个")).revision == 3


def test_a_settled_disagreement_is_open_again(ws):
    make_task(ws, overlap=2)
    (number,) = write_items(ws, 1)
    review.decide(ws, "li", number, "accept")
    review.decide(ws, "wu", number, "reject", reason="other")
    adjudicate.settle(ws, "zoe", number, "accept")
    undo.undo(ws, "zoe")
    assert [line.id for line in adjudicate.disputed(ws, "zoe")] == [number]


def test_a_failed_audit_is_taken_back_with_everything_it_returned(ws):
    make_task(ws, audit_sample=2)
    numbers = write_items(ws, 4)
    accept_all(ws, numbers, "li")
    sample = [entry.number for entry in lots.start(ws, TASK, "ruth", seed=1).lots[0].drawn]
    lots.decide(ws, "ruth", sample[0], "reject", reason="by mistake")
    assert undo.undo(ws, "ruth").changed == 4
    status = lots.status(ws, TASK)
    assert (status.round, status.lots[0].state, status.lots[0].decided) == (1, "open", 0)
    for number in sample:
        done = lots.decide(ws, "ruth", number, "accept")
    assert done.lot_state == "passed"
    undo.undo(ws, "ruth")
    assert lots.status(ws, TASK).states["accepted"] == 4


def test_a_failed_audit_stays_once_an_author_has_begun_the_rework(ws):
    make_task(ws, audit_sample=2)
    numbers = write_items(ws, 3)
    accept_all(ws, numbers, "li")
    first = lots.start(ws, TASK, "ruth", seed=1).lots[0].drawn[0].number
    lots.decide(ws, "ruth", first, "reject", reason="wrong")
    write.revise(ws, "ann", first, payload("重写"))
    with pytest.raises(StateError, match="other work builds on it"):
        undo.undo(ws, "ruth")


def test_a_decision_before_an_audit_is_out_of_reach(ws):
    make_task(ws, audit_sample=1)
    accept_all(ws, write_items(ws, 2), "li")
    lots.start(ws, TASK, "ruth", seed=1)
    with pytest.raises(StateError, match="other work builds on it"):
        undo.undo(ws, "li")


def test_a_bulk_action_is_one_step(ws):
    make_task(ws)
    numbers = write_items(ws, 5)
    accept_all(ws, numbers[:3], "li")
    people.ensure_person(ws, "boss", "lead")
    bulk.run(ws, Filters(), BulkAction("reject", "off topic"), "boss")
    assert {history.state_of(ws, n) for n in numbers} == {"rejected"}
    assert undo.undo(ws, "boss").changed == 5
    assert [history.state_of(ws, n) for n in numbers] == ["accepted"] * 3 + ["draft"] * 2


def test_a_bulk_action_stays_once_one_of_its_items_has_moved_on(ws):
    make_task(ws)
    numbers = write_items(ws, 3)
    people.ensure_person(ws, "boss", "lead")
    bulk.run(ws, Filters(), BulkAction("return", "see guideline"), "boss")
    assert [word.note for word in write.returned(ws, "ann", numbers[1]).words] == ["see guideline"]
    write.revise(ws, "ann", numbers[1], payload("照办"))
    with pytest.raises(StateError, match="other work builds on it"):
        undo.undo(ws, "boss")


def test_ratings_are_taken_back_and_the_ones_before_stand_again(ws):
    make_task(ws, rubric="coreeval")
    (number,) = write_items(ws, 1)
    rate.rate(ws, "li", number, {"fluency": 3})
    rate.rate(ws, "li", number, {"fluency": 1})
    undo.undo(ws, "li")
    assert rate.rating_card(ws, "li", number).own == {"fluency": 3}
    undo.undo(ws, "li")
    assert rate.rating_card(ws, "li", number).own == {}


def test_only_ones_own_events_can_be_undone(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    event = review.decide(ws, "li", number, "accept").event
    with pytest.raises(RightsError, match="belongs to somebody else") as refused:
        undo.undo(ws, "ann", event)
    assert "li" not in str(refused.value).split(), "who did it is hidden"
    with pytest.raises(NotFoundError, match="9999"):
        undo.undo(ws, "li", 9999)
    with pytest.raises(StateError, match="cannot be undone"):
        undo.undo(ws, "li", 1)
