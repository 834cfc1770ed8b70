"""Asking for files and folders: a typed path is the one that is taken."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QFileSystemModel,
    QLineEdit,
    QTreeView,
    QWidget,
)

from gui.widgets.file_dialogs import ask_folder, ask_which
from tests.gui.scene import Scene

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
_ROW = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the dialogs show at first, with a folder and a file."""
    (tmp_path / "written").mkdir()
    (tmp_path / "rows.csv").write_text("question,answer\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def taken(scene: Scene, ask: Callable[..., QFileDialog], text: str, **options: bool) -> list[str]:
    """What the dialog hands over when a path is typed, while the list finds its beginnings."""
    parent = QWidget()
    scene.qtbot.addWidget(parent)
    parent.show()
    paths: list[str] = []
    dialog = ask(parent, "Choose", paths.append, **options)
    closed: list[int] = []
    dialog.finished.connect(closed.append)
    line = dialog.findChild(QLineEdit, "fileNameEdit")
    assert line is not None
    dialog.activateWindow()
    line.setFocus()
    scene.until(line.hasFocus)
    QTest.keyClicks(line, text)
    line.completer().popup().hide()
    view = dialog.findChild(QAbstractItemView, "treeView")
    model = dialog.findChild(QFileSystemModel)
    assert view is not None
    assert model is not None
    for path in (Path.cwd(), Path(text)):  # what Qt selects while somebody types slowly
        if path.exists():
            place = model.index(str(path))
            view.selectionModel().select(place, _ROW)
    assert line.text() == text
    QTest.keyClick(line, Qt.Key.Key_Return)
    scene.until(lambda: bool(closed))
    return paths


def test_a_folder_that_is_typed_whole_is_taken_and_no_other(scene: Scene, here: Path) -> None:
    assert taken(scene, ask_folder, str(here / "written")) == [str(here / "written")]


def test_a_file_that_is_typed_whole_is_taken(scene: Scene, here: Path) -> None:
    assert taken(scene, ask_which, str(here / "rows.csv")) == [str(here / "rows.csv")]


def test_who_writes_may_name_a_folder_that_is_not_there(scene: Scene, here: Path) -> None:
    assert taken(scene, ask_folder, str(here / "new"), new=True) == [str(here / "new")]


@pytest.mark.parametrize("ask", [ask_folder, ask_which])
def test_no_english_kind_of_file_stands_in_a_chinese_dialog(
    ask: Callable[..., QFileDialog], scene: Scene, here: Path
) -> None:
    parent = QWidget()
    scene.qtbot.addWidget(parent)
    parent.show()
    dialog = ask(parent, "选择", print)
    view, model = dialog.findChild(QTreeView, "treeView"), dialog.findChild(QFileSystemModel)
    assert view is not None
    assert model is not None
    kinds = {str(model.data(model.index(str(here), column))) for column in range(4)}
    shown = [column for column in range(4) if not view.isColumnHidden(column)]
    words = {str(model.data(model.index(str(here), column))) for column in shown}
    assert here.name in words
    assert "Folder" in kinds - words
    dialog.close()
