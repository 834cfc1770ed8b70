"""Models hold pages and ready words; Qt finds no fault with them."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt

from core.workflow.items.search import ItemLine
from core.workflow.runs.runs import RunInfo
from gui import theme
from gui.panels.items.model import COLUMNS, KEPT, PAGE, ItemsModel
from gui.panels.runs.model import RUN_ROLE, RunsModel, state
from gui.widgets.table_model import Column, TableModel

MOMENT = datetime(2026, 7, 1, 9, 30, tzinfo=UTC)


def line(number: int) -> ItemLine:
    values = {
        "id": number,
        "task": "scp-cloze-CS",
        "family": "scp",
        "format": "cloze",
        "domain": "CS",
        "state": "accepted",
        "revision": 1,
        "disputed": False,
        "content_hash": "0" * 64,
        "changed_at": MOMENT,
    }
    fields = ItemLine.__dataclass_fields__
    return ItemLine(**{name: values.get(name) for name in fields})


def lines(page: int) -> list[ItemLine]:
    return [line(page * PAGE + n + 1) for n in range(PAGE)]


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


def test_the_items_model_is_sound(model, qtmodeltester):
    model.start(3 * PAGE, lines(0))
    qtmodeltester.check(model)


def test_a_page_is_asked_for_once_and_shown_when_it_comes(model, qtbot):
    asked = []
    model.page_wanted.connect(asked.append)
    model.start(3 * PAGE, lines(0))
    far = model.index(2 * PAGE + 5, 0)
    assert model.data(far) == "…"
    assert model.data(far) == "…"
    assert asked == [2]
    with qtbot.waitSignal(model.dataChanged):
        model.take_page(2, lines(2))
    assert model.data(far) == str(2 * PAGE + 6)


def test_pages_seen_long_ago_are_forgotten_and_asked_for_again(model):
    asked = []
    model.page_wanted.connect(asked.append)
    model.start((KEPT + 5) * PAGE, lines(0))
    for page in range(1, KEPT + 2):
        model.take_page(page, lines(page))
    assert model.line(0) is None
    assert asked == [0]


def test_a_state_is_written_in_its_ink_and_in_a_word(model):
    model.start(1, [line(1)])
    cell = model.index(0, COLUMNS.index("state"))
    assert model.data(cell) == "accepted"
    ink = model.data(cell, int(Qt.ItemDataRole.ForegroundRole))
    assert ink.color().name().upper() == theme.LIGHT.accept


def test_a_million_rows_cost_nothing_to_begin(model):
    model.start(1_000_000, lines(0))
    assert model.rowCount() == 1_000_000


def test_the_table_model_is_sound(qapp, qtmodeltester):
    model = TableModel(())
    model.show_rows((Column("Task"), Column("Items", number=True)), [("a", "1"), ("b", "2")])
    qtmodeltester.check(model)
    assert model.headerData(1, Qt.Orientation.Horizontal) == "Items"


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
    assert state(run()) == "running · 132 of 400 · 2.5 a second · 2 min left"


def test_a_failed_run_says_why_first():
    failed = run(state="failed", error="The server at 127.0.0.1 does not answer.\nStart it.")
    assert state(failed) == "failed: The server at 127.0.0.1 does not answer. Start it."
