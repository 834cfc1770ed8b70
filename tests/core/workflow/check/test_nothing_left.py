"""Why nothing is left is said truly: own items, the gate, others, disputes not one's to settle."""

from core.workflow import people, tasks
from core.workflow.check import adjudicate, blinding, nothing_left, review
from core.workflow.check.nothing_left import NothingToAdjudicate, NothingToReview
from tests.workspaces import BENCHMARK, make_task, write_items

ROLES = {"ann": "annotator", "li": "specialist", "wu": "specialist", "boss": "lead"}


def prepare(ws) -> list[int]:
    """Ann wrote five items that two people review, and two that wait for the gate."""
    for name, role in ROLES.items():
        people.ensure_person(ws, name, role)
    make_task(ws, overlap=2)
    make_task(ws, "gated", gate="required")
    numbers = write_items(ws, 5)
    write_items(ws, 2, task="gated", start=20)
    return numbers


def test_each_reason_is_counted_once(ws):
    numbers = prepare(ws)
    for number in numbers[:2]:
        review.decide(ws, "li", number, "accept")
    review.decide(ws, "wu", numbers[1], "reject", reason="ambiguous")
    assert nothing_left.to_review(ws, "ann", BENCHMARK) == NothingToReview(own=6, held=1)
    li = nothing_left.to_review(ws, "li", BENCHMARK)
    assert li == NothingToReview(decided=1, disputed=1, gate=2)
    assert li.sentences() == (
        "2 drafts wait for screening by a language model.",
        "1 item that you decided on waits for another reviewer.",
        "1 item is disputed and waits for adjudication.",
    )


def test_items_that_others_hold_are_with_others(ws):
    numbers = prepare(ws)
    for name in ("li", "wu"):
        assert review.next_card(ws, name, BENCHMARK).number == numbers[0]
    assert nothing_left.to_review(ws, "boss", BENCHMARK) == NothingToReview(held=1, gate=2)


def test_who_may_not_know_of_disputes_is_told_of_items_with_others(ws):
    numbers = prepare(ws)
    people.ensure_person(ws, "zed", "annotator")
    review.decide(ws, "li", numbers[0], "accept")
    review.decide(ws, "wu", numbers[0], "reject", reason="ambiguous")
    zed = nothing_left.to_review(ws, "zed", BENCHMARK)
    assert (zed.disputed, zed.held) == (0, 1)


def test_disputes_that_one_may_not_settle_are_named_with_the_reason(ws):
    numbers = prepare(ws)
    for number in numbers[:2]:
        review.decide(ws, "li", number, "accept")
        review.decide(ws, "wu", number, "reject", reason="ambiguous")
    assert nothing_left.to_adjudicate(ws, "li", BENCHMARK) == NothingToAdjudicate(involved=2)
    (said,) = nothing_left.to_adjudicate(ws, "li", BENCHMARK).sentences()
    assert "boss" not in said
    assert nothing_left.to_adjudicate(ws, "boss", BENCHMARK) == NothingToAdjudicate()
    blinding.reveal(ws, "boss", numbers[0])
    boss = nothing_left.to_adjudicate(ws, "boss", BENCHMARK)
    assert (boss.involved, boss.revealed) == (0, 1)
    assert "1 disputed item" in boss.sentences()[0]
    assert len(adjudicate.disputed(ws, "boss", BENCHMARK)) == 1


def test_where_nobody_in_the_team_may_settle_a_dispute_it_is_said_and_who_it_takes(ws):
    for name, role in (("boss", "lead"), ("li", "specialist"), ("ann", "annotator")):
        people.ensure_person(ws, name, role)
    make_task(ws, overlap=2)
    for person in people.people(ws):
        if person.name not in ("boss", "li", "ann"):
            people.set_active(ws, person.name, False, "boss")
    for number in write_items(ws, 2):
        review.decide(ws, "li", number, "accept")
        review.decide(ws, "boss", number, "reject", reason="ambiguous")
    for name in ("boss", "li"):
        barred = nothing_left.to_adjudicate(ws, name, BENCHMARK)
        assert barred == NothingToAdjudicate(involved=2, stuck=2)
        assert barred.sentences()[-1] == (
            "Nobody in the team may settle 2 of them: that takes somebody else (specialist, "
            "researcher, lead), whom a lead adds in Team."
        )
    people.ensure_person(ws, "wu", "researcher", "boss")
    boss = nothing_left.to_adjudicate(ws, "boss", BENCHMARK)
    assert boss == NothingToAdjudicate(involved=2, able=("wu",))
    assert boss.sentences()[-1] == "Who may settle them: wu."
    assert nothing_left.to_adjudicate(ws, "li", BENCHMARK).able == ()
    people.set_active(ws, "wu", False, "boss")
    assert nothing_left.to_adjudicate(ws, "boss", BENCHMARK).stuck == 2


def test_another_benchmark_with_items_for_somebody_is_known(ws):
    prepare(ws)
    people.ensure_person(ws, "zed", "annotator")
    tasks.add(ws, "other", "instruction", benchmark="b2", format="triplet")
    assert nothing_left.waiting_elsewhere(ws, "zed", BENCHMARK) == ("", 0)
    assert nothing_left.waiting_elsewhere(ws, "zed", "b2") == (BENCHMARK, 5)
    assert nothing_left.waiting_elsewhere(ws, "ann", "b2") == ("", 0)
