"""One's own earlier decision is changed by a new one, while nobody has built on it."""

import pytest

from core.errors import InputError, RightsError, StateError
from core.workflow import people
from core.workflow.audit import lots
from core.workflow.check import adjudicate, blinding, gold, review
from core.workflow.items import change_decision, history, undo
from core.workflow.production import write
from core.workflow.verify.checks import verify
from tests.workspaces import (
    BENCHMARK,
    TASK,
    accept_all,
    gold_answers,
    make_task,
    payload,
    write_items,
)

STATES = {"accept": "accepted", "reject": "rejected", "return": "returned"}


def verdicts(ws, number, viewer="li"):
    return [(row.person, row.verdict) for row in history.item_history(ws, number, viewer).decisions]


def test_an_earlier_decision_is_changed_and_what_came_after_it_stands(ws):
    make_task(ws)
    first, second, third = write_items(ws, 3)
    accept_all(ws, [first, second], "li")
    before = review.decide(ws, "li", third, "reject", reason="formula").event
    changed = change_decision.change(ws, "li", first, "reject", reason="ambiguous")
    assert (changed.state, changed.verdict) == ("rejected", "reject")
    assert verdicts(ws, first) == [("li", "reject")]
    assert history.state_of(ws, second) == "accepted"
    assert history.state_of(ws, third) == "rejected"
    kinds = [event.kind for event in history.item_history(ws, first, "li").events]
    assert kinds[-3:] == ["decided", "undone", "decided"]
    assert changed.event > before
    assert verify(ws).findings == ()


@pytest.mark.parametrize(
    ("before", "after", "state"),
    [
        (("accept", "", ""), ("return", "", "more"), "returned"),
        (("return", "", "more"), ("accept", "", ""), "accepted"),
        (("reject", "other", ""), ("accept", "", ""), "accepted"),
        (("reject", "other", ""), ("reject", "formula", ""), "rejected"),
    ],
)
def test_any_verdict_becomes_any_other(ws, before, after, state):
    make_task(ws)
    (number,) = write_items(ws, 1)
    review.next_card(ws, "li", BENCHMARK)
    verdict, reason, note = before
    review.decide(ws, "li", number, verdict, reason=reason, note=note)
    verdict, reason, note = after
    done = change_decision.change(ws, "li", number, verdict, reason=reason, note=note)
    assert done.state == history.state_of(ws, number) == state
    assert undo.undo(ws, "li").number == number
    assert history.state_of(ws, number) == STATES[before[0]]


def test_undoing_a_change_gives_the_decision_back_that_it_replaced(ws):
    make_task(ws)
    first, second = write_items(ws, 2)
    accept_all(ws, [first, second], "li")
    change_decision.change(ws, "li", first, "reject", reason="ambiguous", note="see line 2")
    change_decision.change(ws, "li", first, "return", note="name the unit")
    undone = undo.undo(ws, "li")
    assert (undone.number, undone.verdict, undone.stands) == (first, "return", "reject")
    (stands,) = history.item_history(ws, first, "li").decisions
    assert (stands.verdict, stands.reason, stands.note) == ("reject", "ambiguous", "see line 2")
    assert history.state_of(ws, first) == "rejected"
    undone = undo.undo(ws, "li")
    assert (undone.number, undone.verdict, undone.stands) == (first, "reject", "accept")
    assert verdicts(ws, first) == [("li", "accept")]
    assert history.state_of(ws, first) == "accepted"
    undone = undo.undo(ws, "li")
    assert (undone.number, undone.verdict, undone.stands) == (first, "accept", "")
    assert history.state_of(ws, first) == "draft"
    assert undo.undo(ws, "li").number == second
    assert verify(ws).findings == ()


def test_undoing_a_change_on_a_gold_item_gives_the_answer_back(ws):
    make_task(ws, gold_rate=0.5)
    number, _ = write_items(ws, 2)
    people.ensure_person(ws, "boss", "lead")
    review.decide(ws, "wu", number, "accept")
    gold.mark_gold(ws, "boss", number, "accept", "sound")
    while review.next_card(ws, "li", BENCHMARK).number != number:
        review.skip(ws, "li", review.next_card(ws, "li", BENCHMARK).number)
    review.decide(ws, "li", number, "accept")
    change_decision.change(ws, "li", number, "reject", reason="ambiguous")
    assert undo.undo(ws, "li").stands == "accept"
    assert gold_answers(ws) == [("li", True)]
    assert verify(ws).findings == ()


def test_the_first_of_two_reviewers_changes_while_the_second_has_not_decided(ws):
    make_task(ws, overlap=2)
    (number,) = write_items(ws, 1)
    review.decide(ws, "li", number, "accept")
    assert change_decision.earlier(ws, "li", number).refusal == ""
    change_decision.change(ws, "li", number, "reject", reason="language")
    assert review.decide(ws, "wu", number, "accept").disputed
    assert "another reviewer" in change_decision.earlier(ws, "li", number).refusal
    with pytest.raises(StateError, match="can no longer be changed: another reviewer"):
        change_decision.change(ws, "li", number, "accept")


def test_the_second_reviewer_may_change_and_the_ledger_says_what_they_knew(ws):
    make_task(ws, overlap=2)
    (number,) = write_items(ws, 1)
    review.decide(ws, "li", number, "accept")
    first = review.decide(ws, "wu", number, "reject", reason="language")
    done = change_decision.change(ws, "wu", number, "accept")
    assert (done.state, done.disputed) == ("accepted", False)
    data = history.item_history(ws, number, "wu").events[-1].data
    assert (data["replaces"], data["knew_others"]) == (first.event, True)


def test_what_others_built_on_it_is_named(ws):
    make_task(ws, overlap=2, audit_sample=1)
    settled, audited, revised = write_items(ws, 3)
    review.decide(ws, "li", settled, "accept")
    review.decide(ws, "wu", settled, "reject", reason="other")
    people.ensure_person(ws, "boss", "lead")
    adjudicate.settle(ws, "boss", settled, "accept")
    assert "adjudicated" in change_decision.earlier(ws, "wu", settled).refusal
    accept_all(ws, [audited], "li", "wu")
    lots.start(ws, TASK, "boss", benchmark=BENCHMARK)
    assert "audited" in change_decision.earlier(ws, "wu", audited).refusal
    review.decide(ws, "li", revised, "return", note="more")
    write.revise(ws, "ann", revised, payload("again"))
    with pytest.raises(StateError, match="no decision on item"):
        change_decision.change(ws, "li", revised, "accept")


def test_only_a_decision_of_ones_own_that_says_something_else(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    people.ensure_person(ws, "wu", "specialist")
    review.decide(ws, "li", number, "reject", reason="other", note="no")
    with pytest.raises(StateError, match="no decision on item"):
        change_decision.change(ws, "wu", number, "accept")
    with pytest.raises(InputError, match="already"):
        change_decision.change(ws, "li", number, "reject", reason="other", note="no")
    with pytest.raises(InputError, match="needs a reason"):
        change_decision.change(ws, "li", number, "reject")
    assert verdicts(ws, number) == [("li", "reject")]


def test_a_skip_is_taken_back_while_the_item_waits(ws):
    make_task(ws)
    first, second = write_items(ws, 2)
    review.next_card(ws, "li", BENCHMARK)
    review.skip(ws, "li", first)
    assert review.next_card(ws, "li", BENCHMARK).number == second
    done = undo.undo(ws, "li")
    assert (done.kind, done.number) == ("skipped", first)
    assert review.next_card(ws, "li", BENCHMARK, leave_out=(second,)).number == first
    assert review.decide(ws, "li", first, "accept").state == "accepted"
    assert verify(ws).findings == ()


def test_a_skipped_item_that_somebody_else_took_stays_theirs(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    review.next_card(ws, "li", BENCHMARK)
    review.skip(ws, "li", number)
    assert review.next_card(ws, "wu", BENCHMARK).number == number
    assert "no longer waits" in undo.preview(ws, "li").refusal
    with pytest.raises(StateError, match="no longer waits"):
        undo.undo(ws, "li")


def test_a_skip_is_not_taken_back_by_who_looked_behind_since(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    people.ensure_person(ws, "boss", "lead")
    review.next_card(ws, "boss", BENCHMARK)
    review.skip(ws, "boss", number)
    blinding.reveal(ws, "boss", number)
    with pytest.raises(StateError, match="no longer waits"):
        undo.undo(ws, "boss")
    with pytest.raises(RightsError):
        review.claim_item(ws, "boss", number)


def test_a_skipped_item_is_taken_up_again(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    review.next_card(ws, "li", BENCHMARK)
    review.skip(ws, "li", number)
    assert review.next_card(ws, "li", BENCHMARK) is None
    assert review.claim_item(ws, "li", number).number == number
    assert review.next_card(ws, "li", BENCHMARK).number == number
    assert review.next_card(ws, "wu", BENCHMARK) is None
