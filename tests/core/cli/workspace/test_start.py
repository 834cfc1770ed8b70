"""The first command in a place where there is no workspace yet."""

import shlex
from pathlib import Path

import pytest

from core.cli import main
from core.workflow.workspace import Workspace


def test_the_command_that_is_proposed_makes_the_workspace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "two words"
    assert main(["--workspace", str(place), "items"]) == 1
    said = capsys.readouterr().err
    assert main(shlex.split(said.partition("Create one: benchseal ")[2])) == 0
    assert Workspace.exists(place)
