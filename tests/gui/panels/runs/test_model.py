"""The list of runs: each keeps its row and says how far it is."""

from dataclasses import replace

import pytest

from core.workflow.runs.runs import RunInfo
from gui import theme
from gui.panels.items.model import ItemsModel
from gui.panels.runs.model import RUN_ROLE, RunsModel, state


def run(**values) -> RunInfo:
    known = {
        "id": "20260701-090000-evaluate-aaaaaa",
        "kind": "evaluate",
        "title": "july · tfidf",
        "state": "running",
        "done": 132,
        "total": 400,
        "speed": 2.5,
        "seconds_left": 107.0,
        "notes": {},
        "error": None,
        "taken_in": False,
        "started": "2026-07-01T09:00:00",
        "folder": "runs/x",
    }
    fields = RunInfo.__dataclass_fields__
    return RunInfo(**{name: (known | values).get(name) for name in fields if name in known})


@pytest.fixture
def model(qapp):
    return ItemsModel(theme.LIGHT)


def test_the_runs_model_is_sound_and_keeps_its_rows(qapp, qtmodeltester, qtbot):
    model = RunsModel()
    model.show_runs([run()])
    qtmodeltester.check(model)
    resets, changes = [], []
    model.modelReset.connect(lambda: resets.append(1))
    model.dataChanged.connect(lambda *_: changes.append(1))
    model.show_runs([replace(run(), done=140)])
    assert (resets, changes) == ([], [1])
    assert model.index(0).data(RUN_ROLE).done == 140


def test_a_running_run_says_how_far_how_fast_and_how_long():
    assert state(run()) == "running · 132 of 400 · 2.5 per second · 2 min left"


def test_a_failed_run_says_why_first():
    failed = run(state="failed", error="The server at 127.0.0.1 does not answer.\nStart it.")
    assert state(failed) == "failed: The server at 127.0.0.1 does not answer. Start it."
