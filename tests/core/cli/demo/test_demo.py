"""The demonstration's exit status: pictures that a window should have given and did not."""

from importlib import import_module

import pytest

from core.cli.console import Console
from core.cli.demo import demo
from core.errors import OutsideError
from core.i18n import language
from core.workflow.workspace import Workspace
from gui.screenshots import panels


@pytest.fixture
def console() -> Console:
    return Console(json=True)


def failing(*_words: object) -> None:
    raise OutsideError("The window took too long to show its content.")


def test_a_window_that_shows_nothing_is_a_failure(ws: Workspace, console, monkeypatch, capsys):
    monkeypatch.setattr(panels, "save_pictures", failing)
    assert demo.take_pictures(ws, console) == ([], "The window took too long to show its content.")
    assert "No screenshots: The window took too long" in capsys.readouterr().err
    assert language() == "en"


def test_a_machine_without_the_windows_libraries_is_none(ws: Workspace, console, monkeypatch):
    def missing(name: str) -> object:
        raise ImportError(f"libEGL.so.1: no such file, wanted by {name}")

    monkeypatch.setattr(demo, "import_module", missing)
    assert demo.take_pictures(ws, console) == ([], "")
    assert import_module("gui.screenshots.panels") is panels


@pytest.mark.parametrize(("why", "status"), [("too long", 1), ("", 0)])
def test_the_exit_status_tells_whether_pictures_failed(why, status):
    assert demo.exit_status({"pictures": [], "pictures_failed": why}) == status
