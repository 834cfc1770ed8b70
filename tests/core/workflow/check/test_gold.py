"""Gold items: mixed in, not recognisable, counted, and pausing whoever misses too many."""

import pytest

from core.errors import ConflictError, RightsError, StateError
from core.workflow import people
from core.workflow.check import gold, review
from core.workflow.items import history, undo
from core.workflow.splits import freeze, lifecycle
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import gold as gold_rows
from tests.workspaces import (
    BENCHMARK,
    accept_all,
    gold_answers,
    make_task,
    write_items,
)


def with_gold(ws: Workspace, count: int, **settings) -> list[int]:
    """A task whose first items are gold (known to be good) and whose others wait."""
    make_task(ws, **settings)
    known = write_items(ws, count)
    accept_all(ws, known, "earlier")
    for number in known:
        gold.mark_gold(ws, "boss", number, "accept")
    return known


def test_gold_items_come_among_the_others_looking_like_them(ws):
    known = with_gold(ws, 8, gold_rate=0.5)
    waiting = write_items(ws, 8, start=100)
    seen, looks = [], set()
    while (card := review.next_card(ws, "li", BENCHMARK)) is not None:
        decided = review.decide(ws, "li", card.number, "accept")
        seen.append(card.number)
        looks.add((card.state, card.already, decided.state, decided.reveal.others))
    assert set(waiting) < set(seen)
    shown = [number for number in seen if number in known]
    assert 2 <= len(shown) <= 8
    assert len(seen) == len(set(seen))
    assert looks == {("in_review", "", "accepted", ())}
    assert gold_answers(ws) == [("li", True)] * len(shown)


def test_a_gold_verdict_changes_nothing_and_can_be_undone(ws):
    (known,) = with_gold(ws, 1, gold_rate=0.5)
    waiting = write_items(ws, 30, start=100)
    while (card := review.next_card(ws, "li", BENCHMARK)).number != known:
        review.decide(ws, "li", card.number, "accept")
    review.decide(ws, "li", known, "reject", reason="other")
    assert history.state_of(ws, known) == "accepted"
    assert gold_answers(ws) == [("li", False)]
    people.ensure_person(ws, "wu")
    assert "gold" not in repr(history.item_history(ws, known, "wu"))
    assert undo.undo(ws, "li").number == known
    assert gold_answers(ws) == []
    assert review.next_card(ws, "li", BENCHMARK).number in (known, *waiting)


def test_what_lies_in_a_sealed_split_is_shown_to_nobody_as_gold(ws):
    known = with_gold(ws, 4, gold_rate=0.5)
    write_items(ws, 30, start=100)
    while (held := review.next_card(ws, "li", BENCHMARK).number) not in known:
        review.decide(ws, "li", held, "accept")
    freeze.freeze(ws, "s", BENCHMARK, person="boss")
    lifecycle.seal(ws, "s", "boss")
    with pytest.raises((StateError, ConflictError)):
        review.decide(ws, "li", held, "accept")
    shown = set()
    while (card := review.next_card(ws, "li", BENCHMARK)) is not None:
        shown.add(card.number)
        review.decide(ws, "li", card.number, "accept")
    assert shown
    assert not shown & set(known)
    with pytest.raises(StateError, match="in a sealed split"):
        gold.mark_gold(ws, "boss", known[0], "reject")


def miss_all(ws: Workspace, known: list[int]) -> None:
    """Go through the queue and reject what is known to be good."""
    while (card := review.next_card(ws, "li", BENCHMARK)) is not None:
        verdict = "reject" if card.number in known else "accept"
        review.decide(ws, "li", card.number, verdict, reason="other")


def test_whoever_misses_too_many_is_paused_until_a_lead_lifts_it(ws):
    known = with_gold(ws, 20, gold_rate=0.5, gold_limit=0.6)
    write_items(ws, 60, start=100)
    with pytest.raises(RightsError, match="paused"):
        miss_all(ws, known)
    assert gold_answers(ws) == [("li", False)] * gold.GOLD_ANSWERS
    with pytest.raises(RightsError):
        gold.lift_pause(ws, "li", "li")
    gold.lift_pause(ws, "boss", "li")
    assert review.next_card(ws, "li", BENCHMARK) is not None


def test_only_settled_items_become_gold_and_only_by_leads(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    with pytest.raises(StateError, match="only a decided item"):
        gold.mark_gold(ws, "boss", number, "accept")
    people.ensure_person(ws, "li")
    with pytest.raises(RightsError):
        gold.mark_gold(ws, "li", number, "accept")


def test_a_gold_item_stays_with_its_reviewer_while_the_next_one_is_loaded(ws):
    (known,) = with_gold(ws, 1, gold_rate=0.5)
    write_items(ws, 30, start=100)
    while (card := review.next_card(ws, "li", BENCHMARK)).number != known:
        review.decide(ws, "li", card.number, "accept")
    review.next_card(ws, "li", BENCHMARK, leave_out=(known,))  # as the window, which reads ahead
    assert history.item_history(ws, known, "li").state == "in_review"


def test_an_item_is_gold_again_and_with_another_verdict(ws):
    (known,) = with_gold(ws, 1)
    gold.unmark_gold(ws, "boss", known)
    gold.mark_gold(ws, "boss", known, "accept")
    gold.mark_gold(ws, "boss", known, "reject")
    with ws.reading() as session:
        row = gold_rows.get(session, known)
    assert row is not None
    assert (row.verdict, row.active) == ("reject", True)
    assert verify(ws).sound
