"""Reviewing: who gets which item, what decisions make of it, and what stays hidden."""

import threading
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from core.errors import ConflictError, InputError, NotFoundError, RightsError, StateError
from core.workflow import people, tasks
from core.workflow.check import adjudicate, leases, review
from core.workflow.items import history, undo
from core.workflow.production import write
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import assignments, items
from db.tables import ASSIGNMENT, now
from tests.polling import becomes_true
from tests.workspaces import BENCHMARK, TASK, accept_all, make_task, payload, write_items


def state(ws: Workspace, number: int) -> str:
    return history.state_of(ws, number)


def test_one_reviewer_settles_an_item_where_the_protocol_wants_one(ws):
    make_task(ws)
    first, second, third = write_items(ws, 3)
    assert review.decide(ws, "li", first, "accept").state == "accepted"
    assert review.decide(ws, "li", second, "reject", reason="ambiguous").state == "rejected"
    assert review.decide(ws, "li", third, "return", note="太短").state == "returned"
    assert state(ws, first) == "accepted"


def test_two_reviewers_who_agree_settle_it_and_two_who_do_not_dispute_it(ws):
    make_task(ws, overlap=2)
    agreed, disputed = write_items(ws, 2)
    assert review.decide(ws, "li", agreed, "accept").state == "in_review"
    assert review.decide(ws, "wu", agreed, "accept").state == "accepted"
    review.decide(ws, "li", disputed, "accept")
    decided = review.decide(ws, "wu", disputed, "reject", reason="language")
    assert (decided.state, decided.disputed) == ("in_review", True)


def test_one_return_settles_it_at_once_and_frees_the_others(ws):
    make_task(ws, overlap=3)
    (number,) = write_items(ws, 1)
    assert review.next_card(ws, "wu", BENCHMARK).number == number
    assert review.decide(ws, "li", number, "return", note="fix").state == "returned"
    with pytest.raises(StateError, match="not in review"):
        review.decide(ws, "wu", number, "accept")


def test_nobody_reviews_their_own_item(ws):
    make_task(ws)
    (number,) = write_items(ws, 1, author="li")
    with pytest.raises(RightsError, match="someone else must review it"):
        review.decide(ws, "li", number, "accept")
    assert review.next_card(ws, "li", BENCHMARK) is None
    assert review.next_card(ws, "wu", BENCHMARK).number == number


def test_an_item_goes_to_as_many_people_as_it_needs_and_no_more(ws):
    make_task(ws, overlap=2)
    (number,) = write_items(ws, 1)
    assert review.next_card(ws, "a", BENCHMARK).number == number
    assert review.next_card(ws, "b", BENCHMARK).number == number
    assert review.next_card(ws, "c", BENCHMARK) is None
    with pytest.raises(ConflictError, match="already"):
        review.decide(ws, "c", number, "accept")


def test_asking_again_gives_the_item_that_one_holds(ws):
    make_task(ws)
    numbers = write_items(ws, 2)
    assert review.next_card(ws, "li", BENCHMARK).number == numbers[0]
    assert review.next_card(ws, "li", BENCHMARK).number == numbers[0]
    ahead = review.next_card(ws, "li", BENCHMARK, leave_out=(numbers[0],))
    assert ahead.number == numbers[1]


def let_leases_run_out(ws: Workspace) -> int:
    with ws.writing() as session:
        return assignments.expire_leases(session, now() + timedelta(hours=2))


def test_what_an_absent_reviewer_held_goes_to_others_and_can_come_back(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    review.next_card(ws, "gone", BENCHMARK)
    assert review.next_card(ws, "li", BENCHMARK) is None
    assert let_leases_run_out(ws) == 1
    assert review.next_card(ws, "li", BENCHMARK).number == number
    with pytest.raises(ConflictError):
        review.decide(ws, "gone", number, "accept")
    leases.release(ws, "li")
    assert review.decide(ws, "gone", number, "accept").state == "accepted"


def test_who_goes_on_keeps_what_they_hold(ws):
    make_task(ws, lease_minutes=60)
    write_items(ws, 3)
    held = [review.next_card(ws, "li", BENCHMARK).number]
    held.append(review.next_card(ws, "li", BENCHMARK, leave_out=tuple(held)).number)
    fresh = ends(ws, held)
    assert review.next_card(ws, "li", BENCHMARK).number == held[0]
    assert ends(ws, held) == fresh, "written again for each item that is shown"
    soon = min(fresh.values()) - timedelta(minutes=50)
    with ws.writing() as session:
        mine = update(ASSIGNMENT).where(ASSIGNMENT.c.item_id == held[1])
        session.execute(mine.values(lease_until=soon))
    assert review.next_card(ws, "li", BENCHMARK).number == held[0]
    assert min(ends(ws, held).values()) >= min(fresh.values())


def ends(ws, numbers):
    query = select(ASSIGNMENT.c.item_id, ASSIGNMENT.c.lease_until)
    with ws.reading() as session:
        rows = session.execute(query.where(ASSIGNMENT.c.item_id.in_(numbers))).all()
    return {row[0]: row[1] for row in rows}


@pytest.mark.parametrize(
    ("policy", "again"), [("to_others", None), ("to_end", "skipped"), ("with_reason", None)]
)
def test_a_skipped_item_goes_where_the_protocol_says(ws, policy, again):
    make_task(ws, skip=policy)
    first, second = write_items(ws, 2)
    review.next_card(ws, "li", BENCHMARK)
    review.skip(ws, "li", first, "not my field")
    assert review.next_card(ws, "li", BENCHMARK).number == second
    review.decide(ws, "li", second, "accept")
    last = review.next_card(ws, "li", BENCHMARK)
    assert (last and last.number) == (first if again else None)
    if not again:
        assert review.next_card(ws, "wu", BENCHMARK).number == first


def test_skipping_without_words_is_refused_where_words_are_wanted(ws):
    make_task(ws, skip="with_reason")
    (number,) = write_items(ws, 1)
    review.next_card(ws, "li", BENCHMARK)
    with pytest.raises(InputError, match="reason"):
        review.skip(ws, "li", number)
    people.ensure_person(ws, "wu")
    with pytest.raises(StateError, match="not assigned to wu"):
        review.skip(ws, "wu", number, "why not")


@pytest.mark.parametrize(
    ("verdict", "words"),
    [("maybe", {}), ("reject", {}), ("reject", {"reason": "  "}), ("return", {"reason": "x"})],
)
def test_a_verdict_without_its_words_is_refused_and_nothing_is_written(ws, verdict, words):
    make_task(ws)
    (number,) = write_items(ws, 1)
    with pytest.raises(InputError):
        review.decide(ws, "li", number, verdict, **words)
    assert state(ws, number) == "draft"


def test_a_decision_on_an_item_that_changed_since_it_was_shown_is_refused(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    with pytest.raises(ConflictError, match="changed"):
        review.decide(ws, "li", number, "accept", revision=2)
    with pytest.raises(NotFoundError, match="#999"):
        review.decide(ws, "li", 999, "accept")


def test_a_second_decision_of_the_same_person_is_refused(ws):
    make_task(ws, overlap=2)
    (number,) = write_items(ws, 1)
    review.decide(ws, "li", number, "accept")
    with pytest.raises(ConflictError, match="already"):
        review.decide(ws, "li", number, "reject", reason="other")


def test_the_others_are_shown_after_ones_own_decision_and_without_names(ws):
    make_task(ws, overlap=2)
    (number,) = write_items(ws, 1)
    first = review.decide(ws, "li", number, "reject", reason="有歧义")
    assert first.reveal.others == ()
    second = review.decide(ws, "wu", number, "accept")
    (other,) = second.reveal.others
    assert (other.verdict, other.reason) == ("reject", "有歧义")
    assert "li" not in repr(second.reveal)


def test_the_queue_counts_what_is_done_and_what_is_left(ws):
    make_task(ws, overlap=2)
    numbers = write_items(ws, 4)
    write_items(ws, 1, author="li", start=9)
    people.ensure_person(ws, "li")
    assert review.queue(ws, "li", BENCHMARK).left == 4
    accept_all(ws, numbers[:1], "li")
    review.next_card(ws, "li", BENCHMARK)
    queue = review.queue(ws, "li", BENCHMARK)
    assert (queue.done, queue.left) == (1, 3)
    assert [entry.number for entry in queue.recent] == numbers[:1]


def test_what_one_skipped_is_counted_until_somebody_decides_on_it(ws):
    make_task(ws, overlap=1)
    first, *_ = write_items(ws, 3)
    people.ensure_person(ws, "li")
    review.next_card(ws, "li", BENCHMARK)
    review.skip(ws, "li", first)
    queue = review.queue(ws, "li", BENCHMARK)
    assert (queue.done, queue.left, queue.skipped) == (0, 2, 1)
    accept_all(ws, [first], "wu")
    queue = review.queue(ws, "li", BENCHMARK)
    assert (queue.done, queue.left, queue.skipped) == (0, 2, 0)


def test_the_queue_lists_what_one_decided_as_a_reviewer_and_not_what_one_settled(ws):
    make_task(ws, overlap=2)
    number, other = write_items(ws, 2)
    people.ensure_person(ws, "zoe", "lead")
    review.decide(ws, "li", number, "accept")
    review.decide(ws, "wu", number, "reject", reason="other")
    adjudicate.settle(ws, "zoe", number, "accept")
    assert review.queue(ws, "zoe", BENCHMARK).recent == ()
    review.decide(ws, "zoe", other, "accept")
    assert [entry.number for entry in review.queue(ws, "zoe", BENCHMARK).recent] == [other]


def test_somebody_who_left_can_neither_claim_nor_decide(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    people.ensure_person(ws, "li")
    people.set_active(ws, "li", False)
    with pytest.raises(RightsError, match="no longer works in this workspace"):
        review.decide(ws, "li", number, "accept")
    with pytest.raises(RightsError, match="no longer works in this workspace"):
        review.next_card(ws, "li", BENCHMARK)


def test_active_seconds_are_kept_and_nonsense_is_not(ws):
    make_task(ws)
    numbers = write_items(ws, 3)
    for number, seconds in zip(numbers, (12.5, -4, float("nan")), strict=True):
        review.decide(ws, "li", number, "accept", seconds=seconds)
    kept = [history.item_history(ws, number, "").decisions[0].seconds for number in numbers]
    assert kept == [12.5, 0.0, 0.0]


def test_more_reviewers_from_now_on_apply_to_what_nobody_has_judged(ws):
    make_task(ws, overlap=2)
    judged, held = write_items(ws, 2)
    review.decide(ws, "li", judged, "accept")
    assert review.next_card(ws, "li", BENCHMARK).number == held
    change = tasks.set_protocol(ws, TASK, {"overlap": "3"})
    assert (change.version, change.applied, change.kept) == (2, 1, 1)
    assert review.decide(ws, "wu", judged, "accept").state == "accepted"
    assert review.decide(ws, "li", held, "accept").state == "in_review"
    assert review.decide(ws, "wu", held, "accept").state == "in_review"
    assert review.decide(ws, "zoe", held, "accept").state == "accepted"


def test_an_item_that_somebody_is_just_at_is_waited_for_not_passed_over(ws):
    make_task(ws, overlap=2)
    (number,) = write_items(ws, 1)
    people.ensure_person(ws, "li")
    cards = []
    asker = threading.Thread(target=lambda: cards.append(review.next_card(ws, "li", BENCHMARK)))
    with ws.writing() as session:
        items.get(session, number, lock=True)
        asker.start()
        assert not becomes_true(lambda: cards, 0.2)
    asker.join(60)
    (card,) = cards
    assert card is not None
    assert card.number == number


def test_who_held_what_its_author_withdrew_holds_no_place_of_it(ws):
    make_task(ws, overlap=2)
    people.ensure_person(ws, "ann", "annotator")
    people.ensure_person(ws, "li", "specialist")
    number = write.submit(ws, "li", TASK, payload("a")).number
    review.decide(ws, "ann", number, "return", reason="r", note="n")
    undo.undo(ws, "ann")
    undo.undo(ws, "li")
    assert review.next_card(ws, "ann", BENCHMARK) is None
    assert verify(ws).findings == ()
