"""Names and texts of a workspace are shown letter by letter, whatever tags they have in them."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QLabel,
    QMenu,
    QTextEdit,
    QWidget,
)

from gui.widgets.elements import face, tip
from tests.gui.scene import LEAD, Scene, bench_of

TAGS = "<img src=x><b>bold</b>&amp;"
_NAMES = {
    "person": ("name",), "benchmark": ("name",), "task": ("name",), "split": ("name",),
    "run": ("title",), "saved_filter": ("name",), "answer": ("text",), "item": ("label",),
}  # fmt: skip
_TEXTS = {"revision": "payload", "draft": "payload", "task": "profile"}
_PLAIN_WORDS = ("label", "relation", "role", "stage")
_ROWS = 40


def _tag_everything(place: Path) -> None:
    with closing(sqlite3.connect(place / "workspace.db")) as connection:
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        for table, columns in _NAMES.items():
            for column in columns:
                connection.execute(f'UPDATE "{table}" SET "{column}" = "{column}" || ?', (TAGS,))
        for table, column in _TEXTS.items():
            rows = connection.execute(f'SELECT rowid, "{column}" FROM "{table}"').fetchall()
            for number, text in rows:
                tagged = json.dumps(_tagged(json.loads(text)), ensure_ascii=False)
                connection.execute(
                    f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', (tagged, number)
                )
        connection.commit()


def _tagged(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _tagged(part, key) for key, part in value.items()}
    if isinstance(value, list):
        return [_tagged(part, name) for part in value]
    return f"{value}{TAGS}" if isinstance(value, str) and name not in _PLAIN_WORDS else value


def _is_rich(text: str) -> bool:
    return "<b>bold" in text


def _rich(widget: QWidget) -> Iterator[str]:
    """What of a widget Qt would draw as tags, or as a key."""
    if _is_rich(widget.toolTip()):
        yield f"tool tip {widget.toolTip()}"
    for action in widget.actions():
        if _is_rich(action.toolTip()):
            yield f"tool tip of an action {action.toolTip()}"
        if TAGS in action.text():
            yield f"the key in {action.text()}"
    plain = Qt.TextFormat.PlainText
    if isinstance(widget, QLabel) and widget.textFormat() != plain and _is_rich(widget.text()):
        yield f"label {widget.text()}"
    if isinstance(widget, QAbstractButton) and TAGS in widget.text():
        yield f"the key in {widget.text()}"
    if isinstance(widget, QTextEdit) and any(
        mark in widget.toHtml() for mark in ('<img src="x"', ">bold</span>&amp;<")
    ):
        yield f"text {widget.toPlainText()[:80]}"
    if isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from _rich_rows(widget.model())


def _rich_rows(model: QAbstractItemModel) -> Iterator[str]:
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(QModelIndex())
    for row in range(min(_ROWS, model.rowCount(QModelIndex()))):
        for column in range(columns):
            shown = model.index(row, column).data(Qt.ItemDataRole.ToolTipRole)
            if isinstance(shown, str) and _is_rich(shown):
                yield f"tool tip of a row {shown}"


def _everything() -> list[str]:
    found = []
    for top in QApplication.topLevelWidgets():
        for widget in (top, *top.findChildren(QWidget)):
            found += [f"{type(widget).__name__}: {what}" for what in _rich(widget)]
    return found


def test_no_widget_of_any_panel_draws_the_tags_of_a_name(scene: Scene, place: Path) -> None:
    _tag_everything(place)
    window = scene.open(place, LEAD + TAGS)
    bench = bench_of(window)
    found: list[str] = []
    for panel in bench.places:
        scene.at(window, panel)
        found += [f"{panel}: {what}" for what in _everything()]
    assert found == []


@pytest.mark.qt_log_ignore("This plugin does not support")  # of menus that open
def test_no_widget_of_a_full_workspace_draws_the_tags_of_a_name(
    scene: Scene, full_place: Path
) -> None:
    _tag_everything(full_place)
    window = scene.open(full_place, LEAD + TAGS)
    bench = bench_of(window)
    found: list[str] = []
    for panel in bench.places:
        bench.show_panel(panel)
        # what a run folder calls a split has no tags, so that some panels only say what they lack
        scene.until(lambda: not window.tasks.busy)
        found += [f"{panel}: {what}" for what in _everything()]
    for button in (bench.top.workspace, bench.top.benchmark, bench.top.person):
        button.click()
        menus = [w for w in QApplication.topLevelWidgets() if isinstance(w, QMenu)]
        found += [f"menu: {what}" for menu in menus for what in _rich(menu)]
        for menu in menus:
            menu.close()
    assert found == []


def test_a_tip_shows_tags_letter_by_letter_and_leaves_plain_text_as_it_is() -> None:
    assert tip("scp-cloze & more") == "scp-cloze & more"
    assert tip(TAGS) == "<qt>&lt;img src=x&gt;&lt;b&gt;bold&lt;/b&gt;&amp;amp;</qt>"
    assert face("R&D") == "R&&D"
