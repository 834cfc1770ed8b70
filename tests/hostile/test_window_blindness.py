"""Before their own decision nobody learns what others said of an item, in any place of the window.

Every panel that a role has is opened in the real window, and all that it holds is read: texts,
documents, tool tips, menus, what is read aloud, and every role of every model's cells. A panel is
swept by being listed. Nothing hidden may be among it, and the places that show items must be the
same in a workspace that differs only in what is hidden.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QAbstractTableModel,
    QModelIndex,
    Qt,
)
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QGroupBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from core.workflow.workspace import Workspace
from gui.dialogs.item_history import ItemHistoryDialog
from gui.panels import PANELS
from gui.panels.base import Panel
from gui.panels.items.model import COLUMNS
from gui.panels.items.panel import ItemsPanel
from gui.preferences import Preferences
from gui.window.main_window import MainWindow
from tests.gui.scene import Scene, bench_of
from tests.hostile.attackers.blind_workspace import (
    COUNTED,
    MARKS,
    NOTES,
    SCORES,
    TWINS,
    VIEWERS,
    Blind,
)
from tests.hostile.attackers.blind_workspace import plant as plant_facts
from tests.hostile.conftest import Attack

Begin = Callable[[str], Attack]
Twin = tuple[Path, Blind]

# figures of people and of many items: names stand there as such, and hidden facts count in them
FIGURES = frozenset({"progress", "agreement", "gate", "people", "audit_dashboard", "team"})
ROWS = 200
STILL = 8  # looks in a row that see the same


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> tuple[Twin, Twin]:
    """Two workspaces that differ only in what is hidden."""
    made = []
    for facts in TWINS:
        folder = tmp_path_factory.mktemp("blind") / "workspace"
        ws = Workspace.create(folder)
        made.append((folder, plant_facts(ws, facts)))
        ws.close()
    return made[0], made[1]


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    made = Scene(qtbot)
    yield made
    made.close()


# --- all that a window holds ---------------------------------------------------------------------


def held(window: MainWindow, panel: Panel) -> Iterator[str]:
    """Everything of all open windows that can be seen, pointed at or read aloud, the other panels
    aside; lists to choose a person from hold names that tell nothing, and are left out."""
    for top in QApplication.topLevelWidgets():
        if top is window or top.isVisible():
            for widget in (top, *top.findChildren(QWidget)):
                if _panel_of(widget) in (None, panel):
                    yield from _of_widget(widget)
            for action in top.findChildren(QAction):
                yield from (action.text(), action.toolTip(), action.statusTip())


def _panel_of(widget: QWidget) -> Panel | None:
    at: QWidget | None = widget
    while at is not None and not isinstance(at, Panel):
        at = at.parentWidget()
    return at


def settled(scene: Scene, window: MainWindow, panel: Panel, place: Path) -> list[str]:
    """What a window holds once nothing of it changes any more."""
    seen = [even(held(window, panel), place)]

    def still() -> bool:
        seen.append(even(held(window, panel), place))
        # what is read after the first picture begins a moment later
        alike = len(seen) >= STILL and all(texts == seen[-1] for texts in seen[-STILL:])
        return not window.tasks.busy and alike

    scene.until(still)
    return seen[-1]


def _of_widget(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QComboBox) or isinstance(widget.parent(), QComboBox):
        return
    yield from (widget.toolTip(), widget.statusTip(), widget.whatsThis(), widget.windowTitle())
    yield from (widget.accessibleName(), widget.accessibleDescription())
    if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
        yield widget.text()
    elif isinstance(widget, QTextEdit):
        yield from (widget.toPlainText(), widget.toHtml())
    elif isinstance(widget, QPlainTextEdit):
        yield widget.toPlainText()
    elif isinstance(widget, QGroupBox):
        yield widget.title()
    elif isinstance(widget, QTabBar):
        yield from (widget.tabText(place) for place in range(widget.count()))
    elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from _of_model(widget.model())


def _of_model(model: QAbstractItemModel, parent: QModelIndex | None = None) -> Iterator[str]:
    at = parent or QModelIndex()
    flat = isinstance(model, QAbstractListModel)
    tree = not isinstance(model, QAbstractListModel | QAbstractTableModel)
    columns = 1 if flat else model.columnCount(at)
    for section in range(columns):
        yield str(model.headerData(section, Qt.Orientation.Horizontal))
    roles = (*range(16), *(Qt.ItemDataRole.UserRole + extra for extra in range(16)))
    for row in range(min(ROWS, model.rowCount(at))):
        for column in range(columns):
            cell = model.index(row, column, at)
            yield from (str(shown) for role in roles if (shown := cell.data(role)) is not None)
            if column == 0 and tree and model.hasChildren(cell):
                yield from _of_model(model, cell)


def even(texts: Iterator[str], place: Path) -> list[str]:
    """The texts without times, digests, addresses and the workspace's own place."""
    found = []
    for text in texts:
        plain = text.replace(str(place), "W").replace(str(place.parent), "W")
        plain = re.sub(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::[\d.]+)?)?(?:\+00:00)?", "T", plain)
        plain = re.sub(r"\b\d\d:\d\d(?::\d\d)?\b", "T", plain)
        plain = re.sub(r"\b0x[0-9a-f]+\b|(?<![.\w])(?=\d*[a-f])[0-9a-f]{8,64}\b", "H", plain)
        if plain:
            found.append(plain)
    return found


def sights(scene: Scene, twin: Twin, person: str) -> dict[str, list[str]]:
    """What each place of the window holds for a person, and the life of each hidden item."""
    place, at = twin
    every = Preferences(columns={"items": COLUMNS})
    window = scene.open(place, person, kept=every)
    bench = bench_of(window)
    seen = {}
    for name in bench.places:
        bench.show_panel(name)
        panel = bench.panel(name)
        seen[name] = settled(scene, window, panel, place)
        if isinstance(panel, ItemsPanel):
            for number in at.hidden:
                seen[f"the life of {number}"] = _life(scene, window, panel, number, place)
    scene.close()
    return seen


def _life(
    scene: Scene, window: MainWindow, panel: ItemsPanel, number: int, place: Path
) -> list[str]:
    panel.take(number)
    scene.until(lambda: panel.findChild(ItemHistoryDialog) is not None)
    told = settled(scene, window, panel, place)
    for dialog in panel.findChildren(QDialog):
        dialog.close()
        dialog.setParent(None)
        dialog.deleteLater()
    return told


@pytest.mark.slow
@pytest.mark.parametrize("person", VIEWERS)
def test_no_place_of_the_window_tells_what_is_hidden(
    scene: Scene, twins: tuple[Twin, Twin], person: str, attack: Begin
) -> None:
    row = attack("blindness of the window")
    first, second = (sights(scene, twin, person) for twin in twins)
    assert first.keys() == second.keys()
    for name, texts in first.items():
        marks = {*NOTES, *SCORES} - {*COUNTED} if name in FIGURES else {*MARKS}
        found = {mark for mark in marks for text in texts if mark in text}
        row.tried(f"{name} as {person}: {', '.join(sorted(found))}" if found else "")
        if name not in FIGURES:
            other = set(texts) ^ set(second[name])
            row.tried(
                f"{name} as {person} differs: {sorted(text[:200] for text in other)[:6]}"
                if other
                else ""
            )


@pytest.mark.slow
def test_the_sweep_sees_what_is_not_hidden(scene: Scene, twins: tuple[Twin, Twin]) -> None:
    """Whoever has judged an item sees what it hid: else the sweep would look in the wrong places.
    Every panel of the registry is a place of somebody who was swept."""
    (place, at), _ = twins
    window = scene.open(place, "Lena", kept=Preferences(columns={"items": COLUMNS}))
    assert {spec.id for spec in PANELS} == set(bench_of(window).places)
    scene.close()
    told = "\n".join(sights(scene, twins[0], "Peeronyx")[f"the life of {at.judged}"])
    assert "7.35" in told
    assert "Amaraquillon" in told
