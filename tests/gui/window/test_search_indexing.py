"""The search index is completed beside somebody's work, not before it."""

from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from core.workflow.items import search_index
from core.workflow.workspace import Workspace
from gui.context import WindowContext
from gui.tasks import Tasks
from gui.window.search_indexing import SearchIndexing


class Context(QObject):
    """What the indexing asks of a window's context."""

    changed = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.workspace, self.tasks = workspace, Tasks(self)

    def ask(self, owner: QObject, work: Any, done: Any, failed: Any, **how: Any) -> None:
        self.tasks.run(owner, work, done, failed, **how)


def test_who_waits_for_something_gets_it_before_more_is_indexed(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
):
    context = Context(Workspace.create(tmp_path / "w"))
    happened: list[str] = []
    released, asked = Event(), Event()

    def turn(_ws: Workspace, _seconds: float) -> bool:
        happened.append("turn")
        asked.wait(30)
        return len(happened) < 3

    monkeypatch.setattr(search_index, "index_for", turn)
    indexing = SearchIndexing(cast(WindowContext, context))
    indexing.go_on()
    context.tasks.delivered.connect(released.set)  # the first turn is over

    def wanted() -> None:
        released.wait(30)

    context.tasks.run(context, wanted, lambda _nothing: happened.append("shown"), lane="background")
    asked.set()
    qtbot.waitUntil(lambda: happened.count("turn") == 2 and not context.tasks.busy, timeout=30_000)
    assert happened == ["turn", "shown", "turn"]
    context.tasks.close()
    context.workspace.close()
