"""A workspace whose split is used once for each opening, moved whole with all of its history."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.exc import DBAPIError

from core.errors import BenchsealError, StateError
from core.evaluation.params import EvaluateParams
from core.workflow import people
from core.workflow.backups import copies
from core.workflow.evaluation import start
from core.workflow.splits import freeze, lifecycle, openings, split_states
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import runs
from tests.workspaces import BENCHMARK, accept_all, make_task, write_items

MODEL = "baseline:random"


@pytest.fixture
def there(pg_empty_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty database."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "server-folder"))
    return pg_empty_url


@pytest.fixture
def evaluated(tmp_path: Path) -> Iterator[Workspace]:
    """Its split was opened for one model, tried out and evaluated."""
    ws = Workspace.create(tmp_path / "here")
    make_task(ws)
    people.ensure_person(ws, "王", "lead")
    people.ensure_person(ws, "li", "specialist")
    accept_all(ws, write_items(ws, 2), "li")
    freeze.freeze(ws, "s1", BENCHMARK, "王")
    lifecycle.seal(ws, "s1", "王", openings.ONCE)
    lifecycle.open_split(ws, "s1", "王", "July", MODEL)
    start.start(ws, "s1", EvaluateParams(split="s1", engine=MODEL), person="王")
    yield ws
    ws.close()


def test_what_used_an_opening_goes_along(evaluated: Workspace, there: str, tmp_path: Path):
    copies.copy(evaluated, there)
    server = Workspace.open(there)
    copies.copy(server, tmp_path / "back")
    back = Workspace.open(tmp_path / "back")
    for copied in (server, back):
        assert verify(copied).findings == ()
        assert lifecycle.split_life(copied, "s1").opened_for[0].run
        with pytest.raises(StateError, match="none is open for"):
            start.start(copied, "s1", EvaluateParams(split="s1", engine=MODEL), person="王")
        with copied.reading() as session:
            split = split_states.split_in(session, "s1").id
        with pytest.raises((DBAPIError, BenchsealError), match="once"), copied.writing() as session:
            runs.add(session, "x", "evaluate", split_id=split, params={"engine": MODEL})
        copied.close()
