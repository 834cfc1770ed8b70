"""The demonstration: what an interrupted one leaves, and pictures that a window did not give."""

import json
from argparse import Namespace
from importlib import import_module
from pathlib import Path

import pytest

from core.cli.console import Console
from core.cli.demo import demo, scores
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


def made(folder: Path, console: Console, capsys: pytest.CaptureFixture[str]) -> Path:
    """Where ``demo --no-window`` says that the demonstration is."""
    order = Namespace(headless=False, no_window=True, dir=folder, workspace="")
    assert demo.run_demo(order, console) == 0
    return Path(json.loads(capsys.readouterr().out)["workspace"])


def test_an_interrupted_demonstration_is_not_taken_for_a_whole_one(
    tmp_path: Path, console, monkeypatch, capsys
):
    """One that was ended after a second was opened as if it were whole: empty."""

    def end(*_words: object) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "demo"
    with monkeypatch.context() as interrupted:
        interrupted.setattr(scores, "earlier_period", end)
        with pytest.raises(KeyboardInterrupt):
            made(folder, console, capsys)
    assert Workspace.exists(folder)
    whole = made(folder, console, capsys)
    assert whole == tmp_path / "demo-2"
    assert made(folder, console, capsys) == whole
    assert not Workspace.exists(tmp_path / "demo-3")
