"""Stages 1 and 2 by people who each have a login of their own, with no superuser behind them."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from core.errors import BenchsealError, RightsError, StateError
from core.workflow import people, tasks
from core.workflow.check import adjudicate, gold, leases, qualification, rate, review
from core.workflow.items import change_decision, history, undo
from core.workflow.production import write
from core.workflow.rubrics import rubric
from core.workflow.splits import freeze, lifecycle
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.core.workflow.items.test_change_decision import BENCHMARK, TASK, make_task, write_items
from tests.postgres import PostgresServer
from tests.workspaces import gold_answers

PEOPLE = {
    "ann": "annotator", "bob": "annotator", "cy": "annotator", "sue": "specialist",
    "ruth": "researcher", "boss": "lead",
}  # fmt: skip


@pytest.fixture
def work(
    pg_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, Workspace]]:
    """The workspace as each of them opens it; it verifies at the end."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    database = pg_server.create()
    with ExitStack() as stack:
        stack.callback(pg_server.drop, database)
        Workspace.create(pg_server.url(database), "boss", "boss").close()
        opened = {"boss": Workspace.open(pg_server.url(database, "boss"))}
        for name, role in PEOPLE.items():
            people.ensure_person(opened["boss"], name, role)
            opened[name] = opened.get(name) or Workspace.open(pg_server.url(database, name))
            stack.callback(opened[name].close)
        yield opened
        assert verify(opened["boss"]).findings == ()


def test_two_disagree_a_third_settles_and_it_comes_back_better(work):
    make_task(work["boss"], overlap=2)
    (number,) = write_items(work["ann"], 1)
    assert review.next_card(work["ann"], "ann", BENCHMARK) is None  # one's own item
    with pytest.raises(RightsError):
        review.claim_item(work["ann"], "ann", number)
    for name, verdict, reason in (("bob", "accept", ""), ("cy", "reject", "ambiguous")):
        card = review.next_card(work[name], name, BENCHMARK)
        assert card is not None
        done = review.decide(work[name], name, number, verdict, reason=reason)
    assert done.disputed
    assert [other.verdict for other in done.reveal.others] == ["accept"]
    assert [line.id for line in adjudicate.disputed(work["sue"], "sue", BENCHMARK)] == [number]
    seen = adjudicate.disputed_card(work["sue"], "sue", number)
    assert sorted(one.verdict for one in seen.opinions) == ["accept", "reject"]
    settled = adjudicate.settle(work["sue"], "sue", number, "return", note="say more")
    assert settled.state == "returned"
    (back,) = write.returned_to(work["ann"], "ann")
    assert "say more" in [comment.note for comment in back.words]
    payload = {**back.content.payload}
    key = next(name for name, value in payload.items() if isinstance(value, str) and value)
    payload[key] = f"{payload[key]} and more"
    again = write.revise(work["ann"], "ann", number, payload)
    assert (again.revision, again.state) == (2, "draft")


def test_what_somebody_did_can_be_changed_and_undone_by_them(work):
    make_task(work["boss"])
    first, second = write_items(work["ann"], 2)
    for number in (first, second):
        review.claim_item(work["bob"], "bob", number)
        review.decide(work["bob"], "bob", number, "accept")
    changed = change_decision.change(work["bob"], "bob", first, "reject", reason="ambiguous")
    assert changed.state == "rejected"
    assert undo.undo(work["bob"], "bob").number == first
    assert history.state_of(work["boss"], second) == "accepted"
    assert history.state_of(work["boss"], first) == "accepted"
    review_card = review.review_card(work["bob"], "bob", first)
    assert review_card.already == "accept"


def test_skips_leases_and_handing_back_work_without_seeing_others(work):
    make_task(work["boss"])
    first, second = write_items(work["ann"], 2)
    card = review.next_card(work["bob"], "bob", BENCHMARK)
    assert card is not None
    assert card.number == first
    other = review.next_card(work["cy"], "cy", BENCHMARK)
    assert other is not None
    assert other.number == second
    review.skip(work["bob"], "bob", first)
    assert leases.release(work["cy"], "cy") == 1
    assert review.queue(work["cy"], "cy", BENCHMARK).left >= 1


def test_ratings_open_with_ones_own(work):
    make_task(work["boss"], rubric="coreeval", rating_sample=1, raters=2)
    write_items(work["ann"], 1)
    rate.draw(work["ruth"], TASK, "ruth", seed=1)
    values = {criterion.name: criterion.numbers[0] for criterion in rubric("coreeval").criteria}
    seen = []
    for name in ("bob", "cy"):
        card = rate.next_card(work[name], TASK, name)
        assert card is not None
        seen.append(rate.rate(work[name], name, card.card.number, values).others)
    assert seen[0] == {}
    assert set(seen[1]) == set(values)


def test_gold_items_come_among_the_others_and_count(work):
    make_task(work["boss"], qualification=1)
    settled, fresh = write_items(work["ann"], 2)
    review.claim_item(work["ruth"], "ruth", settled)
    review.decide(work["ruth"], "ruth", settled, "accept")
    gold.mark_gold(work["ruth"], "ruth", settled, "accept")
    card = review.next_card(work["bob"], "bob", BENCHMARK)
    assert card is not None
    assert card.number == settled
    assert card.state == "in_review"
    review.decide(work["bob"], "bob", settled, "reject", reason="ambiguous")
    assert gold_answers(work["ruth"]) == [("bob", False)]
    (result,) = qualification.results(work["bob"], "bob")
    assert result.standing.state == "failed"
    assert review.next_card(work["bob"], "bob", BENCHMARK) is None  # the fresh one is not for him
    assert fresh


def test_sealing_ends_what_is_held_and_nobody_draws_what_is_sealed(work):
    make_task(work["boss"], qualification=1)
    settled, fresh = write_items(work["ann"], 2)
    review.claim_item(work["ruth"], "ruth", settled)
    review.decide(work["ruth"], "ruth", settled, "accept")
    gold.mark_gold(work["ruth"], "ruth", settled, "accept")
    assert review.next_card(work["bob"], "bob", BENCHMARK).number == settled
    freeze.freeze(work["ruth"], "s", BENCHMARK, person="ruth")
    lifecycle.seal(work["ruth"], "s", "ruth")
    assert review.next_card(work["bob"], "bob", BENCHMARK) is None
    assert review.next_card(work["cy"], "cy", BENCHMARK) is None
    with pytest.raises(BenchsealError):
        review.decide(work["bob"], "bob", settled, "accept")
    with pytest.raises(StateError, match="in a sealed split"):
        gold.mark_gold(work["ruth"], "ruth", settled, "reject")
    assert fresh


def test_nobody_changes_what_is_for_others(work):
    with pytest.raises(RightsError):
        tasks.add(work["ruth"], "secret", "instruction", benchmark=BENCHMARK, format="triplet")
    with pytest.raises(RightsError):
        people.set_role(work["bob"], "bob", "lead")
    with pytest.raises(RightsError):
        review.next_card(work["bob"], "cy", BENCHMARK)
