"""Splits after freezing: sealed, opened and expired, each step in the ledger and counted."""

import pytest
from sqlalchemy import text

from core.errors import InputError, NotFoundError, RightsError, StateError
from core.evaluation.run import EvaluateParams
from core.workflow import people
from core.workflow.evaluation import start
from core.workflow.splits import exports, freeze, lifecycle
from core.workflow.verify.checks import verify
from tests.workspaces import BENCHMARK, accept_all, make_task, write_items


@pytest.fixture
def frozen(ws):
    """A workspace with a frozen split ``s1`` of two items, a lead and a specialist."""
    make_task(ws)
    people.ensure_person(ws, "王", "lead")
    people.ensure_person(ws, "li", "specialist")
    accept_all(ws, write_items(ws, 2), "li")
    freeze.freeze(ws, "s1", BENCHMARK, "王")
    return ws


def test_a_split_is_sealed_opened_twice_and_expires(frozen):
    receipt = lifecycle.seal(frozen, "s1", "王")
    assert receipt.manifest_hash == freeze.info(frozen, "s1").manifest_hash
    assert (receipt.items, receipt.sealed_by) == (2, "王")
    lifecycle.open_split(frozen, "s1", "王", "evaluation of 2026b")
    life = lifecycle.open_split(frozen, "s1", "王", "one more model")
    assert (life.state, life.openings) == ("opened", 2)
    over = lifecycle.expire(frozen, "s1", "王")
    steps = [(step.state, step.person, step.reason) for step in over.steps]
    assert steps == [
        ("frozen", "王", ""),
        ("sealed", "王", ""),
        ("opened", "王", "evaluation of 2026b"),
        ("opened", "王", "one more model"),
        ("expired", "王", ""),
    ]


def test_a_sealed_split_is_neither_exported_nor_asked(frozen, tmp_path):
    lifecycle.seal(frozen, "s1", "王")
    with pytest.raises(StateError, match="sealed"):
        exports.export(frozen, "s1", "jsonl", tmp_path / "out")
    with pytest.raises(StateError, match="sealed"):
        start.start(frozen, "s1", EvaluateParams(split="s1", engine="baseline:random"))
    assert not (tmp_path / "out").exists()
    lifecycle.open_split(frozen, "s1", "王", "for the evaluation")
    assert exports.export(frozen, "s1", "jsonl", tmp_path / "out", plain="tests").items == 2


def test_only_the_right_people_take_the_steps_in_their_order(frozen):
    with pytest.raises(StateError, match="only a sealed split can be opened"):
        lifecycle.open_split(frozen, "s1", "王", "too early")
    with pytest.raises(RightsError):
        lifecycle.seal(frozen, "s1", "li")
    lifecycle.seal(frozen, "s1", "王")
    with pytest.raises(StateError, match="only a frozen split can be sealed"):
        lifecycle.seal(frozen, "s1", "王")
    with pytest.raises(InputError, match="reason"):
        lifecycle.open_split(frozen, "s1", "王", "  ")
    with pytest.raises(RightsError):
        lifecycle.open_split(frozen, "s1", "li", "curious")
    lifecycle.expire(frozen, "s1", "王", "never used")
    with pytest.raises(StateError, match="has already expired"):
        lifecycle.expire(frozen, "s1", "王")
    with pytest.raises(NotFoundError, match="s1"):
        lifecycle.split_life(frozen, "s2")


def test_a_split_that_was_changed_is_not_sealed(frozen):
    path = frozen.releases / "s1" / "items.jsonl"
    kept = path.read_bytes()
    path.write_bytes(kept.replace("春天".encode(), "秋天".encode(), 1))
    with pytest.raises(StateError, match="has changed since it was frozen"):
        lifecycle.seal(frozen, "s1", "王")
    path.write_bytes(kept)
    assert freeze.info(frozen, "s1").state == "frozen"


def test_verify_finds_a_split_whose_state_no_event_brought_about(frozen):
    lifecycle.seal(frozen, "s1", "王")
    with frozen.writing() as session:
        session.execute(text("update split set state = 'frozen'"))
    findings = {(f.kind, f.subject) for f in verify(frozen).findings}
    assert findings == {("split", "s1"), ("split", "split 1")}
    with frozen.writing() as session:
        session.execute(text("update split set state = 'sealed'"))
