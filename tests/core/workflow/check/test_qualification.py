"""A task may begin with gold items: told after each, passed at a score, nothing real before."""

import pytest

from core.errors import ConflictError, RightsError, StateError
from core.workflow import people, protocols, queues, tasks
from core.workflow.check import gold, nothing_left, qualification, review
from core.workflow.items import change_decision, undo
from core.workflow.protocols import ProtocolSettings
from core.workflow.workspace import Workspace
from tests.workspaces import BENCHMARK, TASK, accept_all, make_task, write_items


def prepared(
    ws: Workspace, count: int = 4, wanted: int = 3, share: float = 0.6, real: int = 2
) -> list[int]:
    """A task with ``count`` gold items and ``real`` other ones, and a round of ``wanted``."""
    make_task(ws)
    known = write_items(ws, count)
    for number in known[:-1]:
        accept_all(ws, [number], "earlier")
    review.decide(ws, "earlier", known[-1], "reject", reason="ambiguous", note="two answers fit")
    for number in known[:-1]:
        gold.mark_gold(ws, "boss", number, "accept", why=f"because {number}")
    gold.mark_gold(ws, "boss", known[-1], "reject")
    tasks.set_protocol(
        ws,
        TASK,
        {"qualification": str(wanted), "qualification_pass": str(share)},
        person="boss",
        benchmark=BENCHMARK,
    )
    write_items(ws, real, start=100)
    people.ensure_person(ws, "li", "annotator")
    return known


def next_number(ws: Workspace, person: str = "li") -> int:
    card = review.next_card(ws, person, BENCHMARK)
    return card.number if card is not None else 0


def answer(ws: Workspace, known: list[int], *, right: bool) -> qualification.QualificationAnswer:
    number = next_number(ws)
    verdict = "reject" if (number == known[-1]) == right else "accept"
    decided = review.decide(ws, "li", number, verdict, reason="other" * (verdict == "reject"))
    assert decided.answer is not None
    return decided.answer


def test_the_round_comes_first_and_is_told_answer_by_answer(ws):
    known = prepared(ws)
    card = review.next_card(ws, "li", BENCHMARK)
    assert card.number in known
    assert (card.qualification.answered, card.qualification.wanted) == (0, 3)
    told = [answer(ws, known, right=right) for right in (True, False, True)]
    assert [entry.right for entry in told] == [True, False, True]
    assert [entry.standing.state for entry in told] == ["open", "open", "passed"]
    for entry in told:
        if entry.known == "accept":
            assert entry.note.startswith("because ")
        else:
            assert (entry.reason, entry.note) == ("ambiguous", "two answers fit")
    real = review.next_card(ws, "li", BENCHMARK)
    assert real.number not in known
    assert real.qualification is None
    assert review.decide(ws, "li", real.number, "accept").answer is None


def test_a_round_is_given_also_where_nothing_real_waits(ws):
    known = prepared(ws, real=0)
    assert counted(ws) == (1, 1)
    assert [answer(ws, known, right=True).standing.state for _ in range(3)][-1] == "passed"
    assert next_number(ws) == 0


def test_what_waits_is_counted_as_it_is_given(ws):
    known = prepared(ws)
    assert counted(ws) == (1, 1)  # the next item of the round; real ones are not given yet
    for _ in known[:3]:
        answer(ws, known, right=True)
    assert counted(ws) == (2, 2)
    people.ensure_person(ws, "wu", "annotator")
    for number in known:
        gold.unmark_gold(ws, "boss", number)
    assert next_number(ws, "wu") == 0
    assert counted(ws, "wu") == (0, 0)


def counted(ws: Workspace, person: str = "li") -> tuple[int, int]:
    queue = queues.queue(ws, person, benchmark=BENCHMARK)
    return review.queue(ws, person, BENCHMARK).left, queue.counts["review"]


def test_who_fails_gets_nothing_until_a_lead_allows_another_round(ws):
    known = prepared(ws, count=6)
    for _ in range(3):
        told = answer(ws, known, right=False)
    assert told.standing.state == "failed"
    assert next_number(ws) == 0
    (sentence,) = nothing_left.to_review(ws, "li", BENCHMARK).qualification
    assert "0 of 3" in sentence
    gold.lift_pause(ws, "boss", "li")
    for _ in range(3):
        told = answer(ws, known, right=True)
    assert told.standing.state == "passed"
    assert next_number(ws) not in (0, *known)


def test_no_way_round_the_round(ws):
    known = prepared(ws)
    waiting = known[-1] + 1
    for way in (
        lambda: review.decide(ws, "li", waiting, "accept"),
        lambda: review.claim_item(ws, "li", waiting),
    ):
        with pytest.raises(RightsError, match="qualification"):
            way()
    number = next_number(ws)
    assert next_number(ws) == number  # the one that is held comes again
    first = review.next_card(ws, "li", BENCHMARK, leave_out=(number,))
    assert first.number in known


def test_the_queue_names_the_next_one_and_it_can_be_answered_by_its_number(ws):
    known = prepared(ws, wanted=2)
    for state in ("open", "passed"):
        (entry,) = queues.queue(ws, "li", benchmark=BENCHMARK).entries
        assert (entry.what, entry.number in known) == ("qualify", True)
        others = next(number for number in known if number != entry.number)
        with pytest.raises((StateError, ConflictError)):
            review.decide(ws, "li", others, "accept")
        verdict = "reject" if entry.number == known[-1] else "accept"
        decided = review.decide(ws, "li", entry.number, verdict, reason="x" * (verdict == "reject"))
        assert decided.answer.standing.state == state
    whats = {entry.what for entry in queues.queue(ws, "li", benchmark=BENCHMARK).entries}
    assert whats == {"review"}


def test_no_more_than_the_round_is_fetched_ahead(ws):
    known = prepared(ws, wanted=1)
    number = next_number(ws)
    assert number in known
    assert review.next_card(ws, "li", BENCHMARK, leave_out=(number,)) is None


def test_an_answer_that_was_told_can_neither_be_undone_nor_changed(ws):
    known = prepared(ws)
    number = next_number(ws)
    review.decide(ws, "li", number, "accept")
    with pytest.raises(StateError, match="qualification"):
        undo.undo(ws, "li")
    assert undo.preview(ws, "li").refusal
    with pytest.raises(StateError, match="qualification"):
        change_decision.change(ws, "li", number, "reject", reason="other")
    assert change_decision.earlier(ws, "li", number).refusal
    assert known


def test_who_may_see_gold_is_not_tried_and_a_task_without_gold_says_so(ws):
    known = prepared(ws)
    people.ensure_person(ws, "chief", "researcher")
    assert next_number(ws, "chief") not in known
    for number in known:
        gold.unmark_gold(ws, "boss", number)
    assert next_number(ws) == 0
    (sentence,) = nothing_left.to_review(ws, "li", BENCHMARK).qualification
    assert "no gold item" in sentence


def test_leads_see_everybody_and_others_themselves(ws):
    known = prepared(ws)
    people.ensure_person(ws, "wu", "annotator")
    answer(ws, known, right=True)
    (result,) = qualification.results(ws, "boss")
    assert (result.task, result.person) == (TASK, "li")
    assert (result.standing.answered, result.standing.right) == (1, 1)
    (own,) = qualification.results(ws, "wu")
    assert (own.person, own.standing.answered) == ("wu", 0)


@pytest.mark.parametrize(
    ("answers", "gold_from", "state"),
    [
        ("", 0, "open"),
        ("ab", 0, "open"),
        ("aab", 0, "passed"),
        ("abb", 0, "failed"),
        ("abb", 3, "open"),
        ("abbaa", 3, "open"),
        ("abbaaa", 3, "passed"),
        ("aabbbb", 0, "passed"),
        ("abbabb", 3, "failed"),
    ],
)
def test_rounds_are_counted_in_full(answers: str, gold_from: int, state: str):
    protocol = ProtocolSettings(qualification=3, qualification_pass=0.66)
    given = [(place + 1, letter == "a") for place, letter in enumerate(answers)]
    assert qualification.standing_of(given, gold_from, protocol).state == state
    assert protocols.settings_of({}).qualification == 0
