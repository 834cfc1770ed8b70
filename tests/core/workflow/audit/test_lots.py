"""The audit: the lot, its sample by a recorded seed, and what a failure does."""

import pytest

from core.audit.sampling import draw
from core.errors import ConflictError, InputError, RightsError, StandsAlreadyError, StateError
from core.workflow import tasks
from core.workflow.audit import lots
from core.workflow.check import review
from core.workflow.items import history
from core.workflow.production import write
from core.workflow.workspace import Workspace
from tests.workspaces import TASK, accept_all, make_task, payload, write_items


def lot_of(ws: Workspace, count: int, **settings) -> list[int]:
    make_task(ws, **{"audit_sample": 3, **settings})
    numbers = write_items(ws, count)
    accept_all(ws, numbers, "li")
    return numbers


def drawn(status: lots.AuditStatus) -> list[int]:
    return [entry.number for entry in status.lots[-1].drawn]


def test_the_sample_is_drawn_by_the_seed_and_can_be_drawn_again(ws):
    numbers = lot_of(ws, 8)
    status = lots.start(ws, TASK, "ruth", seed=11)
    again = [int(n) for n in draw([str(n) for n in numbers], 3, 11)]
    assert drawn(status) == again
    assert (status.lots[0].seed, status.lots[0].size, status.lots[0].sample) == (11, 8, 3)


def test_a_lot_whose_sample_passes_is_approved(ws):
    numbers = lot_of(ws, 5)
    for number in drawn(lots.start(ws, TASK, "ruth", seed=1)):
        assert history.state_of(ws, number) == "accepted"
        last = lots.decide(ws, "ruth", number, "accept")
    assert last.lot_state == "passed"
    assert {history.state_of(ws, number) for number in numbers} == {"approved"}
    assert lots.status(ws, TASK).round == 1


def test_what_one_audited_before_is_said_to_oneself_also_when_that_ended_the_lot(ws):
    lot_of(ws, 5)
    sample = drawn(lots.start(ws, TASK, "ruth", seed=1))
    for number in sample:
        lots.decide(ws, "ruth", number, "accept")
        with pytest.raises(StandsAlreadyError, match=f"You audited item #{number} already"):
            lots.decide(ws, "ruth", number, "accept")


def test_one_failed_item_returns_the_whole_task_as_the_next_round_with_the_reason(ws):
    numbers = lot_of(ws, 6)
    first = drawn(lots.start(ws, TASK, "ruth", seed=1))[0]
    done = lots.decide(ws, "ruth", first, "reject", reason="答案有误")
    assert (done.lot_state, done.round) == ("returned", 2)
    assert {history.state_of(ws, number) for number in numbers} == {"returned"}
    status = lots.status(ws, TASK)
    assert status.round == 2
    assert [entry.reason for entry in status.lots[0].drawn if entry.verdict] == ["答案有误"]
    words = write.returned(ws, "ann", first).words
    assert [(word.kind, word.reason) for word in words] == [("audit", "答案有误")]


def test_after_rework_a_fresh_sample_is_drawn_in_the_next_round(ws):
    numbers = lot_of(ws, 6)
    first = drawn(lots.start(ws, TASK, "ruth", seed=1))[0]
    lots.decide(ws, "ruth", first, "reject", reason="wrong")
    with pytest.raises(InputError, match="unchanged"):
        write.revise(ws, "ann", first)
    assert set(write.hand_in_unchanged(ws, "ann", TASK)) == set(numbers) - {first}
    assert write.revise(ws, "ann", first, payload("改过的")).revision == 2
    accept_all(ws, numbers, "li")
    status = lots.start(ws, TASK, "ruth", seed=2)
    assert (status.lots[-1].round, status.lots[-1].attempt, len(status.lots)) == (2, 1, 2)
    for number in drawn(status):
        lots.decide(ws, "ruth", number, "accept")
    assert lots.status(ws, TASK).states["approved"] == 6


def test_as_many_failures_as_the_plan_allows_pass_and_those_items_go_back(ws):
    numbers = lot_of(ws, 5, audit_allowed=1)
    sample = drawn(lots.start(ws, TASK, "ruth", seed=3))
    lots.decide(ws, "ruth", sample[0], "reject", reason="one")
    lots.decide(ws, "ruth", sample[1], "accept")
    assert lots.decide(ws, "ruth", sample[2], "accept").lot_state == "passed"
    states = {number: history.state_of(ws, number) for number in numbers}
    assert states.pop(sample[0]) == "returned"
    assert set(states.values()) == {"approved"}


def test_a_lot_that_is_smaller_than_the_sample_is_seen_whole(ws):
    numbers = lot_of(ws, 2, audit_sample=20)
    assert sorted(drawn(lots.start(ws, TASK, "ruth"))) == numbers


def test_a_protocol_without_a_sample_approves_the_lot_at_once(ws):
    numbers = lot_of(ws, 3, audit_sample=0)
    status = lots.start(ws, TASK, "ruth")
    assert status.lots[0].state == "passed"
    assert {history.state_of(ws, number) for number in numbers} == {"approved"}


def test_only_researchers_and_leads_audit_and_not_what_they_wrote_or_reviewed(ws):
    make_task(ws, audit_sample=3)
    numbers = write_items(ws, 3)
    tasks.add(ws, "other", "instruction", benchmark="bench", format="triplet")
    audit_error = pytest.raises(RightsError, match="researcher")
    accept_all(ws, numbers, "li")
    with audit_error:
        lots.start(ws, TASK, "li")
    lots.start(ws, TASK, "ruth", seed=1)
    with pytest.raises(RightsError, match="researcher"):
        lots.decide(ws, "ann", numbers[0], "accept")
    from core.workflow import people

    people.set_role(ws, "li", "researcher")
    with pytest.raises(RightsError, match="must audit"):
        lots.decide(ws, "li", numbers[0], "accept")
    people.set_role(ws, "ann", "lead")
    with pytest.raises(RightsError, match="wrote"):
        lots.decide(ws, "ann", numbers[0], "accept")


def test_there_is_one_open_lot_at_a_time_and_it_needs_accepted_items(ws):
    make_task(ws, audit_sample=1)
    with pytest.raises(StateError, match="accepted"):
        lots.start(ws, TASK, "ruth")
    accept_all(ws, write_items(ws, 2), "li")
    sample = drawn(lots.start(ws, TASK, "ruth", seed=5))
    accept_all(ws, write_items(ws, 1, start=7), "li")
    with pytest.raises(StateError, match="already"):
        lots.start(ws, TASK, "ruth")
    other = next(n for n in (1, 2) if n not in sample)
    with pytest.raises(StateError, match="not in a sample under audit"):
        lots.decide(ws, "ruth", other, "accept")


def test_an_item_is_audited_once(ws):
    lot_of(ws, 4)
    sample = drawn(lots.start(ws, TASK, "ruth", seed=5))
    lots.decide(ws, "ruth", sample[0], "accept")
    with pytest.raises(ConflictError, match="already"):
        lots.decide(ws, "boss", sample[0], "accept")
    assert lots.next_card(ws, TASK, "ruth").number == sample[1]


def test_items_that_are_being_audited_cannot_be_reviewed_again(ws):
    numbers = lot_of(ws, 4)
    lots.start(ws, TASK, "ruth", seed=5)
    with pytest.raises(StateError, match="not in review; its state is accepted"):
        review.decide(ws, "wu", numbers[0], "accept")
