"""Who is given which tasks: shares, quotas and days that claims respect, pauses, invitations."""

import shlex
from datetime import date

import pytest

from core.errors import InputError, NotFoundError, RightsError
from core.workflow import people, queues, tasks, team
from core.workflow.check import gold, nothing_left, rate, review
from core.workflow.verify.checks import verify
from tests.workspaces import BENCHMARK, make_task, write_items

ROLES = {"ann": "annotator", "li": "annotator", "wu": "annotator", "boss": "lead"}
DUE = date(2026, 12, 1)


@pytest.fixture
def both(ws):
    """Two tasks of four items each, which ann wrote."""
    for name, role in ROLES.items():
        people.ensure_person(ws, name, role)
    for place, name in enumerate(("titles", "endings")):
        make_task(ws, name)
        write_items(ws, 4, task=name, start=10 * place)
    return ws


def take(ws, person: str) -> list[str]:
    """The tasks of everything that a person is given, decided one after the other."""
    had = []
    while (card := review.next_card(ws, person, BENCHMARK)) is not None:
        review.decide(ws, person, card.number, "accept")
        had.append(card.task)
    return had


def test_a_task_that_is_assigned_is_given_to_nobody_else(both):
    team.assign(both, ["titles"], ["li"], "boss")
    assert queues.queue(both, "wu", benchmark=BENCHMARK).counts["review"] == 4
    assert review.queue(both, "wu", BENCHMARK).left == 4
    assert take(both, "wu") == ["endings"] * 4
    assert nothing_left.to_review(both, "wu", BENCHMARK).assigned == 4
    assert "assigned to others" in " ".join(nothing_left.to_review(both, "wu", BENCHMARK)
                                            .sentences())  # fmt: skip
    assert take(both, "li") == ["titles"] * 4


def test_a_quota_ends_what_somebody_is_given_and_is_counted_everywhere(both):
    team.assign(both, ["titles"], ["li", "wu"], "boss", most=3)
    assert review.queue(both, "li", BENCHMARK).left == 7
    assert queues.queue(both, "li", benchmark=BENCHMARK).counts["review"] == 7
    assert sorted(take(both, "li")) == ["endings"] * 4 + ["titles"] * 3
    assert review.queue(both, "li", BENCHMARK).left == 0
    assert nothing_left.to_review(both, "li", BENCHMARK).quota == 1
    assert take(both, "wu") == ["titles"]
    (share,) = team.shares_of(both, "li", BENCHMARK)
    assert (share.done, share.left, share.is_met) == (3, 0, True)


def test_what_somebody_holds_is_not_reviewed_yet_but_fills_their_share(both):
    team.assign(both, ["titles"], ["li"], "boss", most=2)
    team.assign(both, ["endings"], ["wu"], "boss")
    held = review.next_card(both, "li", BENCHMARK)
    (share,) = team.shares_of(both, "li", BENCHMARK)
    assert (share.done, share.left) == (0, 2)
    (member,) = [entry for entry in team.team(both, "boss").members if entry.name == "li"]
    assert (member.holds, member.done) == (1, 0)
    review.next_card(both, "li", BENCHMARK, leave_out=(held.number,))
    assert review.queue(both, "li", BENCHMARK).left == 2
    review.decide(both, "li", held.number, "accept")
    (share,) = team.shares_of(both, "li", BENCHMARK)
    assert share.done == 1


def test_nobody_gets_around_a_share_by_naming_the_item(both):
    team.assign(both, ["titles"], ["li"], "boss", most=1)
    first, second = 1, 2
    with pytest.raises(RightsError, match="assigned to others"):
        review.decide(both, "wu", first, "accept")
    review.decide(both, "li", first, "accept")
    with pytest.raises(RightsError, match="their share"):
        review.decide(both, "li", second, "accept")


def test_what_somebody_holds_they_may_finish(both):
    held = review.next_card(both, "wu", BENCHMARK)
    team.assign(both, ["titles"], ["li"], "boss")
    team.pause(both, "wu", "holiday", "boss")
    assert review.next_card(both, "wu", BENCHMARK).number == held.number
    review.decide(both, "wu", held.number, "accept")
    with pytest.raises(RightsError, match="wu is paused: holiday"):
        review.next_card(both, "wu", BENCHMARK)
    team.resume(both, "wu", "boss")
    assert review.next_card(both, "wu", BENCHMARK).task == "endings"


def test_a_share_that_is_taken_away_opens_the_task_to_everybody(both):
    team.assign(both, ["titles"], ["li"], "boss", most=2, due=DUE)
    team.unassign(both, ["titles"], ["li"], "boss")
    assert review.queue(both, "wu", BENCHMARK).left == 8
    assert team.team(both, "boss").shares == ()
    with pytest.raises(NotFoundError, match="not assigned to li"):
        team.unassign(both, ["titles"], ["li"], "boss")


def test_days_are_told_and_are_late_only_while_something_is_left(both):
    team.assign(both, ["titles"], ["li"], "boss", due=DUE)
    (share,) = team.shares_of(both, "li")
    assert not share.is_late(DUE)
    assert share.is_late(date(2026, 12, 2))
    assert team.share_sentence(share) == "titles: 0 items reviewed, due 2026-12-01"
    take(both, "li")
    (share,) = team.shares_of(both, "li")
    assert not share.is_late(date(2026, 12, 2))


def test_a_share_of_a_task_without_items_is_neither_done_nor_late(both):
    make_task(both, "later")
    team.assign(both, ["later"], ["li"], "boss", due=DUE)
    (share,) = team.shares_of(both, "li")
    assert not share.is_met
    assert not share.is_late(date(2026, 12, 2))


def test_only_who_is_named_rates_an_assigned_task(ws):
    for name, role in ROLES.items():
        people.ensure_person(ws, name, role)
    make_task(ws, rubric="coreeval", raters=2, rating_sample=2)
    write_items(ws, 2)
    rate.draw(ws, "titles", "boss")
    team.assign(ws, ["titles"], ["li"], "boss")
    assert rate.next_card(ws, "titles", "wu") is None
    assert queues.stage_counts(ws, "wu", BENCHMARK)["rate"] == 0
    assert rate.next_card(ws, "titles", "li") is not None


def test_the_load_of_everybody_is_shown_to_leads(both):
    team.assign(both, ["titles", "endings"], ["li"], "boss", most=4, due=DUE)
    review.decide(both, "li", review.next_card(both, "li", BENCHMARK).number, "accept")
    review.next_card(both, "li", BENCHMARK)
    seen = {member.name: member for member in team.team(both, "boss", BENCHMARK).members}
    li = seen["li"]
    assert (li.done, li.holds, li.next_due, len(li.shares)) == (1, 1, DUE, 2)
    assert seen["wu"].shares == ()
    with pytest.raises(RightsError):
        team.team(both, "li", BENCHMARK)


def test_a_pause_by_gold_items_is_seen_and_lifted_in_the_same_place(both):
    make_task(both, "known", gold_limit=0.9)
    numbers = write_items(both, gold.GOLD_ANSWERS + 2, task="known", start=40)
    for number in numbers[: gold.GOLD_ANSWERS]:
        review.decide(both, "wu", number, "accept")
        gold.mark_gold(both, "boss", number, "accept")
    team.assign(both, ["known"], ["li"], "boss")
    team.assign(both, ["titles", "endings"], ["wu"], "boss")
    from core.workflow import tasks

    tasks.set_protocol(both, "known", {"gold_rate": "0.5"}, person="boss")
    with pytest.raises(RightsError, match="is paused"):
        reject_until_paused(both, numbers[: gold.GOLD_ANSWERS])
    (li,) = [m for m in team.team(both, "boss").members if m.name == "li"]
    assert li.gold
    assert "gold items correct" in str(li.pause)
    team.resume(both, "li", "boss")
    (li,) = [m for m in team.team(both, "boss").members if m.name == "li"]
    assert li.pause is None


def reject_until_paused(ws, known: list[int]) -> None:
    """li rejects everything; there is one more item before each gold item."""
    for place in range(40):
        card = review.next_card(ws, "li", BENCHMARK)
        review.decide(ws, "li", card.number, "reject", reason="ambiguous")
        if card.number not in known:
            write_items(ws, 1, task="known", start=100 + place)


def test_what_was_assigned_stands_in_the_ledger_and_verifies(both):
    team.assign(both, ["titles"], ["li"], "boss", most=2, due=DUE)
    team.assign(both, ["titles"], ["li"], "boss", most=2, due=DUE)
    team.pause(both, "li", "exam week", "boss")
    team.resume(both, "li", "boss")
    assert not verify(both).findings


def test_wrong_orders_are_refused_in_words(both):
    with pytest.raises(NotFoundError, match="no task “title”"):
        team.assign(both, ["title"], ["li"], "boss")
    with pytest.raises(NotFoundError, match="no person “lee”"):
        team.assign(both, ["titles"], ["lee"], "boss")
    with pytest.raises(InputError, match="at least one"):
        team.assign(both, ["titles"], [], "boss")
    with pytest.raises(InputError, match="from 1"):
        team.assign(both, ["titles"], ["li"], "boss", most=0)
    with pytest.raises(RightsError):
        team.assign(both, ["titles"], ["li"], "li")


def test_an_invitation_says_where_the_workspace_is_and_what_there_is_to_do(both):
    team.assign(both, ["titles"], ["li"], "boss", most=2, due=DUE)
    text = team.invitation(both, "li", "boss")
    place = both.address if both.is_server else str(both.place.folder)
    assert f"--workspace {shlex.quote(place)}" in text
    assert text.count("--user li") == 1
    assert "titles: 0 of 2 items reviewed, due 2026-12-01" in text


def test_who_invites_hears_that_nobody_else_can_open_the_folder(both):
    if both.is_server:
        assert team.closed_to_others(both) == ""
        return
    both.place.folder.chmod(0o700)
    assert "One shared folder" in team.closed_to_others(both)
    both.place.folder.chmod(0o770)
    assert team.closed_to_others(both) == ""


def test_a_task_given_to_fewer_people_than_its_items_need_is_named(both):
    tasks.set_protocol(both, "titles", {"overlap": "2"}, benchmark=BENCHMARK)

    def short(*more: str) -> str:
        known = team.team(both, "boss", BENCHMARK)
        return " ".join(team.too_few_reviewers(known, known.tasks, more))

    assert short() == ""  # it is everybody's as long as it is given to nobody
    assert short("li", "wu") == ""
    assert "“titles” needs 2 reviewers, but only 1 person" in short("li")
    assert "“endings”" not in short("li")
    team.assign(both, ["titles"], ["li", "wu"], "boss")
    assert short() == ""
    team.pause(both, "li", "ill", "boss")
    assert "only 1 person" in short()
    assert short("boss") == ""


def test_a_task_that_is_given_to_nobody_is_named(both):
    team.assign(both, ["titles"], ["li", "wu"], "boss", most=1)
    assert team.team(both, "boss").stranded == ()
    team.pause(both, "li", "ill", "boss")
    assert team.team(both, "boss").stranded == ()
    people.set_active(both, "wu", False, "boss")
    assert team.team(both, "boss").stranded == ("titles",)
    team.resume(both, "li", "boss")
    assert team.team(both, "boss").stranded == ()
    take(both, "li")
    assert team.team(both, "boss").stranded == ("titles",)
    team.assign(both, ["titles"], ["li"], "boss")
    assert team.team(both, "boss").stranded == ()
    take(both, "li")
    assert team.team(both, "boss").stranded == ()
