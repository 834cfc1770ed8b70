"""Splits after freezing: sealed, opened and expired, each step in the ledger and counted."""

import pytest
from sqlalchemy import text

from core.errors import InputError, NotFoundError, RightsError, StateError
from core.evaluation.run import EvaluateParams
from core.workflow import administer, evaluate, freeze, sealing
from core.workflow.verify import verify
from tests.workspaces import BENCHMARK, accept_all, make_task, write_items


@pytest.fixture
def frozen(ws):
    """A workspace with a frozen split ``s1`` of two items, a lead and a specialist."""
    make_task(ws)
    administer.ensure_person(ws, "王", "lead")
    administer.ensure_person(ws, "li", "specialist")
    accept_all(ws, write_items(ws, 2), "li")
    freeze.freeze(ws, "s1", BENCHMARK, "王")
    return ws


def test_a_split_is_sealed_opened_twice_and_expires(frozen):
    receipt = sealing.seal(frozen, "s1", "王")
    assert receipt.manifest_hash == freeze.info(frozen, "s1").manifest_hash
    assert (receipt.items, receipt.sealed_by) == (2, "王")
    sealing.open_split(frozen, "s1", "王", "evaluation of 2026b")
    life = sealing.open_split(frozen, "s1", "王", "one more model")
    assert (life.state, life.openings) == ("opened", 2)
    over = sealing.expire(frozen, "s1", "王")
    steps = [(step.state, step.person, step.reason) for step in over.steps]
    assert steps == [
        ("frozen", "王", ""),
        ("sealed", "王", ""),
        ("opened", "王", "evaluation of 2026b"),
        ("opened", "王", "one more model"),
        ("expired", "王", ""),
    ]


def test_a_sealed_split_is_neither_exported_nor_asked(frozen, tmp_path):
    sealing.seal(frozen, "s1", "王")
    with pytest.raises(StateError, match="sealed"):
        freeze.export(frozen, "s1", "jsonl", tmp_path / "out")
    with pytest.raises(StateError, match="sealed"):
        evaluate.start(frozen, "s1", EvaluateParams(split="s1", engine="baseline:random"))
    assert not (tmp_path / "out").exists()
    sealing.open_split(frozen, "s1", "王", "for the evaluation")
    assert freeze.export(frozen, "s1", "jsonl", tmp_path / "out").items == 2


def test_only_the_right_people_take_the_steps_in_their_order(frozen):
    with pytest.raises(StateError, match="only a sealed one"):
        sealing.open_split(frozen, "s1", "王", "too early")
    with pytest.raises(RightsError):
        sealing.seal(frozen, "s1", "li")
    sealing.seal(frozen, "s1", "王")
    with pytest.raises(StateError, match="only a frozen one"):
        sealing.seal(frozen, "s1", "王")
    with pytest.raises(InputError, match="reason"):
        sealing.open_split(frozen, "s1", "王", "  ")
    with pytest.raises(RightsError):
        sealing.open_split(frozen, "s1", "li", "curious")
    sealing.expire(frozen, "s1", "王", "never used")
    with pytest.raises(StateError, match="expired already"):
        sealing.expire(frozen, "s1", "王")
    with pytest.raises(NotFoundError, match="s1"):
        sealing.life(frozen, "s2")


def test_a_split_that_was_changed_is_not_sealed(frozen):
    path = frozen.releases / "s1" / "items.jsonl"
    kept = path.read_bytes()
    path.write_bytes(kept.replace("春天".encode(), "秋天".encode(), 1))
    with pytest.raises(StateError, match="not as it was frozen"):
        sealing.seal(frozen, "s1", "王")
    path.write_bytes(kept)
    assert freeze.info(frozen, "s1").state == "frozen"


def test_verify_finds_a_split_whose_state_no_event_brought_about(frozen):
    sealing.seal(frozen, "s1", "王")
    with frozen.writing() as session:
        session.execute(text("update split set state = 'frozen'"))
    assert [(f.kind, f.subject) for f in verify(frozen).findings] == [("split", "s1")]
    with frozen.writing() as session:
        session.execute(text("update split set state = 'sealed'"))
