"""What happens beside the straight way of an item, by people who each have a login of their own and
no right beyond their role: drafts, gold items, skips, undoing, bulk changes, pauses, own work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.errors import BenchsealError, RightsError, StateError
from core.workflow import people, queues, tasks, team
from core.workflow.anchors import anchors
from core.workflow.audit import lots
from core.workflow.check import (
    adjudicate,
    blinding,
    gold,
    leases,
    notes,
    nothing_left,
    qualification,
    questions,
    rate,
    review,
)
from core.workflow.dashboards.judgements import JudgementBook
from core.workflow.dashboards.registry import DASHBOARDS, DashboardRequest, draw
from core.workflow.items import bulk, change_decision, history, my_work, search, undo
from core.workflow.items.bulk import BulkAction
from core.workflow.items.search import Filters
from core.workflow.production import author_view, write
from core.workflow.splits import freeze, lifecycle
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.workspaces import (
    BENCHMARK,
    TASK,
    gold_answers,
    make_task,
    payload,
    ratings_of,
    write_items,
)

ROLES = {"ann": "annotator", "bob": "annotator", "sue": "specialist", "sam": "specialist",
         "ruth": "researcher", "ray": "researcher", "boss": "lead"}  # fmt: skip
VALUES = {"fluency": 3.0, "coherence": 3.0, "factuality": 1.0, "accuracy": 1.0}


class Staff(dict[str, Workspace]):
    """The workspace as each of them has it opened, by name."""


@pytest.fixture
def staff(team: Callable[[str], str]) -> Iterator[Staff]:
    """Seven people with logins on an empty workspace; what they did must verify in the end."""
    admin = Workspace.create(team("postgres"), "boss", "boss")
    opened = Staff(boss=Workspace.open(team("boss")))
    for name, role in ROLES.items():
        if name != "boss":
            people.ensure_person(opened["boss"], name, role)
            opened[name] = Workspace.open(team(name))
    admin.close()
    yield opened
    found = verify(opened["boss"]).findings
    for ws in opened.values():
        ws.close()
    assert found == ()


@contextmanager
def refused(kind: type[BenchsealError] = RightsError) -> Iterator[None]:
    """What the program itself refuses, in its own words and not in the server's."""
    with pytest.raises(kind) as caught:
        yield
    assert "row-level" not in str(caught.value)
    assert "server" not in str(caught.value)


def reviewed(staff: Staff, numbers: list[int], verdict: str = "accept") -> None:
    """Bob and Sue decide alike on every item."""
    for number in numbers:
        for name in ("bob", "sue"):
            review.decide(staff[name], name, number, verdict, reason="ambiguous", note="so")


def test_drafts_returns_and_undoing_under_ones_own_login(staff: Staff):
    make_task(staff["boss"], overlap=2)
    ann, bob, sue, sam = (staff[name] for name in ("ann", "bob", "sue", "sam"))
    draft = write.save_draft(ann, "ann", TASK, payload("草稿"))
    write.save_draft(ann, "ann", TASK, payload("草稿二"), draft=draft)
    assert write.my_drafts(ann, "ann")[0].id == draft
    first = write.submit(ann, "ann", TASK, payload("草稿二"), draft=draft).number
    assert undo.undo(ann, "ann").number == first
    assert write.returned(ann, "ann", first).number == first
    write.revise(ann, "ann", first, payload("草稿三"), note="better")
    other = write.save_draft(ann, "ann", TASK, payload("不要"))
    write.give_up_draft(ann, "ann", other)
    assert author_view.author_view(ann, "ann", TASK, BENCHMARK)
    # a claim, a note, a skip, a mark; all of it taken back or changed
    card = review.next_card(bob, "bob", BENCHMARK)
    assert card is not None
    assert card.number == first
    notes.keep_note(bob, "bob", "review", first, "half a word")
    assert notes.kept_notes(bob, "bob", "review") == {first: "half a word"}
    review.skip(bob, "bob", first, "later")
    assert undo.undo(bob, "bob").kind == "skipped"
    questions.mark_unsure(bob, "bob", first, "which?")
    review.decide(bob, "bob", first, "accept")
    change_decision.change(bob, "bob", first, "reject", reason="ambiguous")
    undone = undo.undo(bob, "bob")
    assert (undone.verdict, undone.stands) == ("reject", "accept")
    review.claim_item(sue, "sue", first)
    review.decide(sue, "sue", first, "reject", reason="ambiguous")
    assert [line.id for line in adjudicate.disputed(sam, "sam")] == [first]
    assert len(adjudicate.disputed_card(sam, "sam", first).opinions) == 2
    adjudicate.settle(sam, "sam", first, "return", note="once more")
    assert undo.undo(sam, "sam").kind == "adjudicated"
    adjudicate.settle(sam, "sam", first, "return", note="once more")
    assert "once more" in repr(write.returned(ann, "ann", first))
    write.save_draft(ann, "ann", TASK, payload("草稿四"), item=first)
    write.revise(ann, "ann", first, payload("草稿四"))
    assert undo.undo(ann, "ann").kind == "revised"
    assert history.state_of(staff["boss"], first) == "returned"
    for name, ws in staff.items():
        assert nothing_left.to_review(ws, name, BENCHMARK)
        assert my_work.my_work(ws, name) is not None
        assert queues.queue(ws, name) is not None
    with refused(StateError):
        undo.undo(staff["ray"], "ray")


def test_gold_items_pauses_and_shares_under_ones_own_login(staff: Staff):
    make_task(staff["boss"], overlap=2, gold_rate=0.5, gold_limit=0.6)
    known = write_items(staff["ann"], 20)
    reviewed(staff, known)
    with refused():
        gold.mark_gold(staff["sue"], "sue", known[0], "accept")
    for number in known:
        gold.mark_gold(staff["ruth"], "ruth", number, "reject", "because")
    write_items(staff["ann"], 30, start=100)
    team.assign(staff["boss"], [TASK], ["ray", "sam"], benchmark=BENCHMARK, most=60)
    ray = staff["ray"]
    seen: list[int] = []

    def work() -> None:
        while (card := review.next_card(ray, "ray", BENCHMARK)) is not None:
            seen.append(card.number)
            assert card.state == "in_review"
            review.decide(ray, "ray", card.number, "accept")

    with pytest.raises(RightsError, match="is paused"):
        work()
    assert set(seen) & set(known)
    assert my_work.my_work(ray, "ray").shares[0].task == TASK
    gold.lift_pause(staff["boss"], "boss", "ray")
    assert review.next_card(ray, "ray", BENCHMARK) is not None
    assert {person for person, _ in gold_answers(staff["ruth"])} == {"ray"}
    team.pause(staff["boss"], "sam", "a rest")
    with pytest.raises(RightsError, match="paused"):
        review.next_card(staff["sam"], "sam", BENCHMARK)
    team.resume(staff["boss"], "sam")
    assert review.next_card(staff["sam"], "sam", BENCHMARK) is not None
    assert leases.release(staff["sam"], "sam")
    team.unassign(staff["boss"], [TASK], ["sam"], benchmark=BENCHMARK)
    assert {row.name for row in team.team(staff["ruth"], "ruth").members} >= set(ROLES)


def test_a_qualification_round_under_ones_own_login(staff: Staff):
    make_task(staff["boss"], overlap=2, qualification=2, qualification_pass=0.5)
    tasks.set_protocol(staff["boss"], TASK, {"qualification": "0"}, benchmark=BENCHMARK)
    known = write_items(staff["ann"], 3)
    reviewed(staff, known)
    for number in known:
        gold.mark_gold(staff["ruth"], "ruth", number, "accept", f"because {number}")
    tasks.set_protocol(staff["boss"], TASK, {"qualification": "2"}, benchmark=BENCHMARK)
    write_items(staff["ann"], 2, start=50)
    for name, count in (("sam", 2), ("ray", 0)):  # who sees gold items is spared the round
        ws = staff[name]
        for _ in range(count):
            card = review.next_card(ws, name, BENCHMARK)
            assert card is not None
            assert card.number in known
            done = review.decide(ws, name, card.number, "accept")
            assert done.answer is not None
        card = review.next_card(ws, name, BENCHMARK)
        assert card is not None
        assert card.number not in known
    assert qualification.results(staff["ruth"], "ruth", BENCHMARK, TASK)


def test_ratings_audits_and_bulk_changes_under_ones_own_login(staff: Staff):
    make_task(staff["boss"], overlap=2, rubric="coreeval", raters=2, rating_sample=2,
              audit_sample=2, audit_allowed=1)  # fmt: skip
    numbers = write_items(staff["ann"], 6)
    reviewed(staff, numbers[:5])
    ruth, sam, ray = staff["ruth"], staff["sam"], staff["ray"]
    rate.draw(ruth, TASK, "ruth", seed=1)
    card = rate.next_card(sam, TASK, "sam")
    assert card is not None
    number = card.card.number
    rate.rate(sam, "sam", number, VALUES, comment="fine")
    rate.rate(sam, "sam", number, {"fluency": 2.0}, comment="rather")
    assert undo.undo(sam, "sam").kind == "rated"
    assert not ratings_of(ray, "ray", number)  # who is to rate it sees no other's rating
    rate.rate(ray, "ray", number, VALUES)
    assert set(ratings_of(ray, "ray", number)) == {"sam", "ray"}
    lot = lots.start(ruth, TASK, "ruth", seed=1).lots[-1]
    drawn = [entry.number for entry in lot.drawn]
    lots.decide(ruth, "ruth", drawn[0], "reject", reason="ambiguous")
    assert undo.undo(ruth, "ruth").kind == "audit_decided"
    for entry in drawn:
        lots.decide(ruth, "ruth", entry, "accept")
    left = Filters(benchmark=BENCHMARK, numbers=(numbers[5],))
    assert bulk.preview(ray, left, BulkAction("reject", "other"), "ray").will_change == 1
    done = bulk.run(ray, left, BulkAction("return", "more"), "ray")
    assert undo.undo(ray, "ray", done.event).kind == "bulk"
    with refused():
        bulk.run(sam, left, BulkAction("reject", "other"), "sam")
    search.save_filter(sam, "mine", left, "sam")
    search.save_filter(ray, "mine", left, "ray")
    assert [row.name for row in search.filters_saved(ray)] == ["mine"]
    search.forget_filter(sam, "mine", "sam")
    assert blinding.reveal(ruth, "ruth", numbers[5]) is not None


@pytest.mark.parametrize("state", ["frozen", "sealed", "expired"])
def test_a_split_is_open_to_each_as_their_role_says(staff: Staff, state: str):
    make_task(staff["boss"], overlap=2, private_share=1)
    numbers = write_items(staff["ann"], 3)
    reviewed(staff, numbers)
    freeze.freeze(staff["ruth"], "secret", BENCHMARK, "ruth")
    if state != "frozen":
        lifecycle.seal(staff["ruth"], "secret", "ruth")
    if state == "expired":
        lifecycle.expire(staff["boss"], "secret", "boss")
    for name, ws in staff.items():
        assert my_work.my_work(ws, name) is not None
        rank = list(dict.fromkeys(ROLES.values())).index(ROLES[name])
        reads = {"frozen": rank >= 2 or name == "ann", "sealed": rank == 3, "expired": True}[state]
        for number in numbers:
            if state == "expired" and rank == 0 and name not in ("ann", "bob"):
                reads = False
            if reads:
                life = history.item_history(ws, number, name)
                assert life.revisions
                assert bool(life.closed) == (state == "sealed")
            else:
                with refused():
                    history.item_history(ws, number, name)
            if reads and state != "sealed":
                assert review.review_card(ws, name, number).content.payload
            else:
                with refused(StateError if state == "sealed" else RightsError):
                    review.review_card(ws, name, number)


def test_every_dashboard_and_list_is_read_by_who_may(staff: Staff):
    make_task(staff["boss"], overlap=2)
    reviewed(staff, write_items(staff["ann"], 3))
    for name in ("sue", "ruth", "boss"):
        ws = staff[name]
        book = JudgementBook(ws)
        for panel in DASHBOARDS:
            if name == "sue" and panel in ("people", "audit"):
                continue
            draw(panel, DashboardRequest(ws, book, BENCHMARK, name))
    for name in ROLES:
        made, path = anchors.make(staff[name], name)
        assert made.is_signed()
        assert Path(path).exists()
