"""Nobody sees the author, the model's score or what others said before deciding themselves."""

import pytest

from core.errors import RightsError, StandsAlreadyError
from core.workflow import people
from core.workflow.check import adjudicate, blinding, rate, review
from core.workflow.check.visibility import open_to, viewer_in, visibility_of
from core.workflow.items import history
from core.workflow.workspace import Workspace
from db import items
from db.queries import item_search
from db.queries.item_search import ItemQuery
from tests.full_workspace import fill
from tests.workspaces import (
    BENCHMARK,
    TASK,
    make_task,
    ratings_of,
    screened,
    write_items,
)


def everything(ws: Workspace, number: int, viewer: str = "") -> str:
    return repr(history.item_history(ws, number, viewer))


@pytest.fixture
def number(ws) -> int:
    """An item by ann, scored 3.1415926, accepted by li, waiting for a second reviewer."""
    make_task(ws, overlap=2)
    (found,) = write_items(ws, 1)
    screened(ws, found, 3.1415926)
    review.decide(ws, "li", found, "reject", reason="有歧义")
    people.ensure_person(ws, "wu")
    return found


@pytest.mark.parametrize("viewer", ["", "wu", "boss"])
def test_an_item_under_review_hides_author_score_and_verdicts(ws, number, viewer):
    people.ensure_person(ws, "boss", "lead")
    told = everything(ws, number, viewer)
    for secret in ("ann", "3.1415926", "通顺", "有歧义", "'reject'", "li'"):
        assert secret not in told
    assert history.item_history(ws, number, viewer).hidden
    card = repr(review.next_card(ws, "wu", "bench"))
    assert "3.1415926" not in card
    assert "ann" not in card


def test_after_ones_own_decision_everything_is_open(ws, number):
    decided = review.decide(ws, "wu", number, "accept")
    assert decided.reveal.score == 3.1415926
    told = everything(ws, number, "wu")
    for open_now in ("ann", "3.1415926", "有歧义"):
        assert open_now in told
    assert not history.item_history(ws, number, "wu").hidden


def test_a_lead_who_asks_sees_it_the_ledger_says_so_and_the_lead_cannot_review(ws, number):
    people.ensure_person(ws, "boss", "lead")
    found = blinding.reveal(ws, "boss", number)
    assert (found.score, found.others[0].reason) == (3.1415926, "有歧义")
    assert "ann" in everything(ws, number, "boss")
    assert [
        e.actor for e in history.item_history(ws, number, "").events if e.kind == "revealed"
    ] == ["boss"]
    with pytest.raises(RightsError, match="boss has seen the hidden details"):
        review.decide(ws, "boss", number, "accept")
    assert review.next_card(ws, "boss", "bench") is None


def test_only_leads_and_researchers_may_ask(ws, number):
    with pytest.raises(RightsError, match="specialist"):
        blinding.reveal(ws, "wu", number)


def test_an_adjudicator_sees_both_reasons_without_names(ws, number):
    review.decide(ws, "wu", number, "accept")
    people.ensure_person(ws, "zoe")
    shown = adjudicate.disputed_card(ws, "zoe", number)
    assert {opinion.verdict for opinion in shown.opinions} == {"accept", "reject"}
    for name in ("li", "wu", "ann"):
        assert f"'{name}'" not in repr(shown.opinions)
    for reviewer in ("li", "wu"):
        with pytest.raises(RightsError, match="someone else must adjudicate it"):
            adjudicate.disputed_card(ws, reviewer, number)
    people.set_role(ws, "ann", "specialist")
    with pytest.raises(RightsError, match="wrote"):
        adjudicate.settle(ws, "ann", number, "accept")
    settled = adjudicate.settle(ws, "zoe", number, "return", note="写清楚")
    assert settled.state == "returned"
    with pytest.raises(StandsAlreadyError, match=f"You adjudicated item #{number} already: ret"):
        adjudicate.settle(ws, "zoe", number, "accept")


def test_ratings_of_others_stay_hidden_until_ones_own(ws):
    make_task(ws, rubric="coreeval", raters=2)
    (number,) = write_items(ws, 1)
    assert rate.rate(ws, "li", number, {"fluency": 2, "accuracy": 1}).others == {}
    people.ensure_person(ws, "wu")
    assert history.item_history(ws, number, "wu").ratings == ()
    shown = everything(ws, number, "wu")
    # a time can hold the digits of a value, so the names of the criteria are looked for
    assert "fluency" not in shown
    assert "accuracy" not in shown
    assert rate.rate(ws, "wu", number, {"fluency": 3}).others == {
        "fluency": (2.0,),
        "accuracy": (1.0,),
    }
    assert ratings_of(ws, "wu", number)["li"] == {"fluency": 2.0, "accuracy": 1.0}


def test_who_holds_an_item_and_looks_gives_it_back_and_cannot_judge_it(ws, number):
    people.ensure_person(ws, "boss", "lead")
    assert review.next_card(ws, "boss", "bench").number == number
    blinding.reveal(ws, "boss", number)
    assert not history.item_history(ws, number, "boss").hidden
    assert review.next_card(ws, "boss", "bench") is None
    with pytest.raises(RightsError, match="boss has seen the hidden details"):
        review.decide(ws, "boss", number, "accept")
    assert review.next_card(ws, "wu", "bench").number == number


def test_who_looked_can_neither_adjudicate_nor_rate(ws, number):
    review.decide(ws, "wu", number, "accept")
    people.ensure_person(ws, "boss", "lead")
    assert [line.id for line in adjudicate.disputed(ws, "boss")] == [number]
    blinding.reveal(ws, "boss", number)
    assert adjudicate.disputed(ws, "boss") == ()
    for judge in (
        lambda: adjudicate.disputed_card(ws, "boss", number),
        lambda: adjudicate.settle(ws, "boss", number, "accept"),
        lambda: rate.rate(ws, "boss", number, {"fluency": 2}),
    ):
        with pytest.raises(RightsError, match="boss has seen the hidden details of item"):
            judge()
    people.ensure_person(ws, "zoe")
    assert adjudicate.settle(ws, "zoe", number, "accept").state == "accepted"


def test_a_drawn_item_that_was_looked_at_is_not_offered_for_rating(ws):
    make_task(ws, rubric="coreeval", rating_sample=1, raters=2)
    (number,) = write_items(ws, 1)
    people.ensure_person(ws, "boss", "lead")
    rate.draw(ws, TASK, "boss", seed=1)
    assert rate.next_card(ws, TASK, "boss").card.number == number
    blinding.reveal(ws, "boss", number)
    assert rate.next_card(ws, TASK, "boss") is None


def test_the_database_hides_the_items_that_sight_hides(ws):
    at = fill(ws, 2)
    for name in ("li", "zoe", "ray", "boss"):
        review.next_card(ws, name, BENCHMARK)
    review.decide(ws, "zoe", at.waiting[1], "accept")
    blinding.reveal(ws, "boss", at.disputed[0])
    for name in ("", "ann", "li", "zoe", "ray", "boss"):
        with ws.reading() as session:
            person = viewer_in(session, name)
            visibility = visibility_of(session, person)
            rows = {row[0]: row[1:] for row in items.present_items(session, None)}
            query = ItemQuery(open_to=open_to(person))
            found = item_search.ids(session, query, limit=None)
        assert found == [n for n, row in sorted(rows.items()) if visibility.shows(n, *row)], name
