"""What the demonstration leaves open: something for whoever looks at it in every stage."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cli.demo import stages
from core.cli.demo.demo import BENCHMARK, LEAD, REVIEWERS, SEED
from core.cli.demo.fake_model import MODEL, stand_in_server
from core.errors import StateError
from core.families import family
from core.families.base import ItemContent
from core.screening.run import PrescreenParams
from core.workflow.audit import lots
from core.workflow.check import rate, screen
from core.workflow.items import history, state_counts
from core.workflow.people import ensure_person
from core.workflow.production import write
from core.workflow.runs import runs
from core.workflow.splits import freeze
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with the written tasks, screened and decided by the scripts."""
    made = Workspace.create(tmp_path / "demo")
    ensure_person(made, LEAD, "lead")
    stages.hand_in(made, BENCHMARK, LEAD)
    with stand_in_server() as address:
        gate = screen.start(made, BENCHMARK, PrescreenParams(base_url=address, model=MODEL))
        assert not runs.wait(made, gate.spec().id).error
    screen.take_in(made, gate.spec().id)
    stages.decide(made, BENCHMARK, LEAD, REVIEWERS, SEED)
    yield made
    made.close()


def test_the_lead_finds_work_in_every_stage(ws: Workspace) -> None:
    (back,) = write.returned_to(ws, LEAD, stages.TONES)
    assert back.words
    assert [draft.payload["input"] for draft in write.my_drafts(ws, LEAD)]
    (lot,) = lots.status(ws, stages.TONES, BENCHMARK).lots
    assert lot.state == "open"
    assert 0 < lot.decided < lot.sample
    assert lots.next_card(ws, stages.TONES, LEAD, BENCHMARK) is not None
    assert rate.next_card(ws, stages.REWRITES, LEAD, BENCHMARK) is not None


def test_every_item_is_sound_and_accounted_for(ws: Workspace) -> None:
    for number in range(1, sum(state_counts.counts(ws, BENCHMARK).values()) + 1):
        life = history.item_history(ws, number, "")
        content: ItemContent = life.revisions[-1].content
        assert not family(content.family).check(content)
    assert verify(ws).sound


def test_a_lot_under_audit_is_not_counted_as_freezable(ws: Workspace) -> None:
    found = freeze.freezable(ws, BENCHMARK)
    assert (found.items, found.held) == (0, state_counts.counts(ws, BENCHMARK)["accepted"])
    with pytest.raises(StateError, match="waiting for an audit to end"):
        freeze.freeze(ws, "early", BENCHMARK, LEAD)
