"""Every table of the window, copied and saved by its menu: no file has words of a private item of
which the exposures do not tell, and no list can be dragged out of the window."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QTableView
from pytestqt.qtbot import QtBot

from core.workflow import people
from core.workflow.analysis.exposures import exposures
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from gui.panels.items.model import COLUMNS
from gui.preferences import Preferences
from gui.widgets import table_export
from tests.finished_runs import take_in_answers
from tests.gui.scene import Scene, bench_of
from tests.sealed.conftest import SEARCH
from tests.sealed.private_items import ITEMS
from tests.splits import freeze_split

LEAD, SPLIT = "王", "s"


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    made = Scene(qtbot)
    yield made
    made.close()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a private split and three runs on it that miss the same items."""
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "home"))
    ws = Workspace.create(tmp_path / "workspace", LEAD)
    people.ensure_person(ws, LEAD, "lead")
    freeze_split(ws, {"诗": ITEMS}, SPLIT)
    numbers = [member.uid for member in freeze.members_of(ws, SPLIT)]
    outputs = [str(item.payload["output"]) for item in ITEMS]
    for model, said in (("m", outputs), ("n", ["C. yes"] * len(ITEMS)), ("o", outputs[::-1])):
        take_in_answers(ws, tmp_path, dict(zip(numbers, said, strict=True)), SPLIT, model=model)
    ws.close()
    return tmp_path / "workspace"


def tables_of(scene: Scene, place: Path) -> Iterator[tuple[str, QTableView]]:
    """Every table with rows in each place of the window, as a lead sees it."""
    window = scene.open(place, LEAD, kept=Preferences(columns={"items": COLUMNS}))
    bench = bench_of(window)
    for name in bench.places:
        panel = scene.at(window, name)
        for view in panel.findChildren(QAbstractItemView):
            assert not view.dragEnabled(), (name, view.objectName())
        for view in panel.findChildren(QTableView):
            if view.model() is not None and view.model().rowCount():
                yield f"{name}: {view.accessibleName()}", view


@pytest.mark.slow
def test_no_table_that_is_copied_or_saved_has_a_word_that_nothing_tells(
    scene: Scene, place: Path, tmp_path: Path
) -> None:
    out = tmp_path / "outside"
    out.mkdir()
    found: dict[str, str] = {}
    for number, (name, view) in enumerate(tables_of(scene, place)):
        table_export.copy_table(view)
        copied = out / f"{number}.txt"
        copied.write_text(QGuiApplication.clipboard().text(), encoding="utf-8")
        saved = [out / f"{number}.csv", out / f"{number}.xlsx"]
        before = _told(place)
        for path in saved:
            table_export.save_table(view, name, str(path))
        scene.until(lambda saved=saved: all(path.exists() for path in saved))
        scene.until(lambda: not scene.windows[0].tasks.busy)
        words = {path.suffix: SEARCH.file(path) for path in (copied, *saved)}
        found[name] = ", ".join(ending for ending, hits in words.items() if hits)
        assert not found[name] or _told(place) != before, (name, words)
    assert len(found) >= 8, found
    assert "compare: Items" in found, found


def _told(place: Path) -> list[object]:
    ws = Workspace.open(place)
    try:
        ws.person = LEAD
        return list(exposures(ws))
    finally:
        ws.close()
