"""Rating by a rubric: the drawn sample, several raters an item, values inside the scale."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from core.errors import ConflictError, InputError, RightsError, StateError
from core.workflow import people, queues, tasks
from core.workflow.check import leases, rate, review
from core.workflow.items import undo
from core.workflow.splits import freeze, lifecycle
from db import assignments
from db.tables import ASSIGNMENT, now
from tests.workspaces import (
    BENCHMARK,
    TASK,
    make_task,
    ratings_of,
    write_items,
)


def test_the_sample_is_drawn_by_the_seed_from_what_is_in_the_pipeline(ws):
    make_task(ws, rating_sample=4, raters=2, rubric="coreeval")
    numbers = write_items(ws, 9)
    review.decide(ws, "li", numbers[0], "reject", reason="other")
    first = rate.draw(ws, TASK, "ruth", seed=3)
    again = rate.draw(ws, TASK, "ruth", seed=3)
    other = rate.draw(ws, TASK, "ruth", seed=4)
    assert first.items == again.items != other.items
    assert len(first.items) == 4
    assert numbers[0] not in dict(first.items)


def test_what_lies_in_a_sealed_split_is_rated_by_nobody(ws):
    make_task(ws, rating_sample=2, rubric="coreeval")
    people.ensure_person(ws, "boss", "lead")
    numbers = write_items(ws, 2)
    review.decide(ws, "li", numbers[0], "accept")
    rate.draw(ws, TASK, "boss", seed=1)
    freeze.freeze(ws, "s", BENCHMARK, person="boss")
    rate.rate(ws, "li", numbers[0], {"fluency": 2})
    lifecycle.seal(ws, "s", "boss")
    assert rate.next_card(ws, TASK, "wu", BENCHMARK, wanted=numbers[0]).card.number == numbers[1]
    with pytest.raises(StateError, match="in a sealed split"):
        rate.rate(ws, "wu", numbers[0], {"fluency": 2})
    assert rate.own_ratings(ws, TASK, "wu", BENCHMARK).left == 1
    assert dict(rate.draw(ws, TASK, "boss", seed=1).items).keys() == {numbers[1]}


def test_who_rates_is_told_what_is_left_to_rate(ws):
    make_task(ws, rating_sample=1, raters=2, rubric="coreeval")
    write_items(ws, 1)
    ((number, _),) = rate.draw(ws, TASK, "ruth", seed=1).items
    rate.rate(ws, "a", number, {"coherence": 2})
    assert rate.rate(ws, "b", number, {"fluency": 3}).unrated[0] == "Coherence"
    rest = [
        c.name for c in rate.rating_card(ws, "b", number).rubric.criteria if c.name != "fluency"
    ]
    assert rate.rate(ws, "b", number, dict.fromkeys(rest, 1)).unrated == ()


def test_each_item_gets_its_raters_and_no_more(ws):
    make_task(ws, rating_sample=2, raters=2, rubric="coreeval")
    write_items(ws, 3)
    drawn = [number for number, _ in rate.draw(ws, TASK, "ruth", seed=1).items]
    for rater in ("a", "b"):
        for number in drawn:
            assert rate.next_card(ws, TASK, rater).card.number == number
            rate.rate(ws, rater, number, {"fluency": 3})
        assert rate.next_card(ws, TASK, rater) is None
    assert rate.next_card(ws, TASK, "c") is None
    with pytest.raises(ConflictError, match="already"):
        rate.rate(ws, "c", drawn[0], {"fluency": 1})
    assert dict(rate.sample(ws, TASK).items) == dict.fromkeys(drawn, 2)
    left = next(n for n in (1, 2, 3) if n not in drawn)
    with pytest.raises(StateError, match=f"Item #{left} is not in the rating sample"):
        rate.rate(ws, "a", left, {"fluency": 1})


def test_drawn_items_wait_in_the_queue_of_everybody_who_may_still_rate_them(ws):
    make_task(ws, rating_sample=2, raters=1, rubric="coreeval")
    write_items(ws, 3)
    drawn = [number for number, _ in rate.draw(ws, TASK, "ruth", seed=1).items]
    for name in ("li", "wu"):
        people.ensure_person(ws, name, "annotator")

    def waiting(person: str, **more: str) -> list[int]:
        queue = queues.queue(ws, person, **more)
        found = [entry for entry in queue.entries if entry.what == "rate"]
        assert {entry.state for entry in found} <= {""}
        assert queue.counts["rate"] == len(found)
        return sorted(entry.number for entry in found)

    assert waiting("li") == waiting("wu", benchmark=BENCHMARK) == sorted(drawn)
    rate.rate(ws, "li", drawn[0], {"fluency": 3})
    assert waiting("li") == waiting("wu") == [drawn[1]]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "criterion=value"),
        ({"beauty": 1}, "no criterion"),
        ({"fluency": 4}, "fluency takes 1, 2, 3, not 4"),
        ({"fluency": 1.5}, r"fluency takes 1, 2, 3, not 1\.5"),
        ({"accuracy": float("nan")}, "accuracy takes 0, 1, not nan"),
        ({"accuracy": 2}, "accuracy takes 0, 1, not 2"),
    ],
)
def test_values_outside_the_rubric_are_refused(ws, values, words):
    make_task(ws, rubric="coreeval")
    (number,) = write_items(ws, 1)
    with pytest.raises(InputError, match=words):
        rate.rate(ws, "li", number, values)
    with pytest.raises(RightsError, match="wrote"):
        rate.rate(ws, "ann", number, {"fluency": 1})


def test_a_criterion_may_be_called_by_its_title_in_capitals_or_not(ws):
    make_task(ws, rubric="coreeval")
    (number,) = write_items(ws, 1)
    rate.rate(ws, "li", number, {"FLUENCY": 1, "Coherence": 2})
    assert ratings_of(ws, "li", number) == {"li": {"fluency": 1.0, "coherence": 2.0}}
    people.ensure_person(ws, "boss", "lead")
    tasks.change(ws, TASK, "boss", rubric="Tone of voice\n1 dull\n2 lively\n\ntone\n1 a\n2 b\n\n"
                 "Tone\n1 c\n2 d", benchmark=BENCHMARK)  # fmt: skip
    rate.rate(ws, "li", number, {"tone OF voice": 2, "tone": 1, "Tone": 2})
    rated = ratings_of(ws, "li", number)["li"]
    assert (rated["Tone of voice"], rated["tone"], rated["Tone"]) == (2.0, 1.0, 2.0)
    with pytest.raises(InputError, match=r"“Tone of voice” is given twice\."):
        rate.rate(ws, "li", number, {"Tone of voice": 2, "tone of voice": 1})


def test_a_later_value_replaces_the_earlier_one(ws):
    make_task(ws, rubric="coreeval")
    (number,) = write_items(ws, 1)
    rate.rate(ws, "li", number, {"fluency": 1, "coherence": 2})
    rate.rate(ws, "li", number, {"fluency": 3})
    assert ratings_of(ws, "li", number) == {"li": {"fluency": 3.0, "coherence": 2.0}}


def test_without_a_sample_in_the_protocol_there_is_nothing_to_draw(ws):
    make_task(ws)
    with pytest.raises(StateError, match="has no rating sample"):
        rate.draw(ws, TASK, "ruth")
    with pytest.raises(StateError, match=f"No rating sample of “{TASK}” has been drawn yet"):
        rate.sample(ws, TASK)


def sampled(ws, items: int, raters: int) -> list[int]:
    make_task(ws, rating_sample=items, raters=raters, rubric="coreeval", lease_minutes=30)
    write_items(ws, items)
    return [number for number, _ in rate.draw(ws, TASK, "ruth", seed=1).items]


def test_an_item_to_rate_is_held_by_no_more_people_than_rate_it(ws):
    first, second = sampled(ws, 2, raters=1)
    assert rate.next_card(ws, TASK, "a").card.number == first
    assert rate.next_card(ws, TASK, "a").card.number == first
    assert rate.next_card(ws, TASK, "b").card.number == second
    assert rate.next_card(ws, TASK, "c") is None
    with pytest.raises(ConflictError, match="already has all its raters"):
        rate.rate(ws, "c", first, {"fluency": 1})
    rate.rate(ws, "a", first, {"fluency": 2})
    assert rate.next_card(ws, TASK, "a") is None


def test_an_item_to_rate_comes_back_when_its_rater_leaves_or_is_gone_too_long(ws):
    (number,) = sampled(ws, 1, raters=1)
    rate.next_card(ws, TASK, "a")
    assert leases.release(ws, "a") == 1
    assert rate.next_card(ws, TASK, "b").card.number == number
    with ws.writing() as session:
        session.execute(update(ASSIGNMENT).values(lease_until=now() + timedelta(minutes=2)))
    assert leases.renew(ws, "b") == 1
    with ws.writing() as session:
        assert assignments.expire_leases(session, now() + timedelta(minutes=20)) == 0
        assert assignments.expire_leases(session, now() + timedelta(hours=2)) == 1
    assert rate.next_card(ws, TASK, "c").card.number == number


def test_ratings_that_were_taken_back_leave_the_item_with_their_rater(ws):
    (number,) = sampled(ws, 1, raters=1)
    rate.next_card(ws, TASK, "a")
    rate.rate(ws, "a", number, {"fluency": 2})
    undo.undo(ws, "a")
    assert rate.next_card(ws, TASK, "b") is None
    assert rate.next_card(ws, TASK, "a").card.number == number
