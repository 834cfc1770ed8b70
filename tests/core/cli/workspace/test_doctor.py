"""``doctor`` where something keeps it from looking: a line that says so, and all the others."""

import json
from pathlib import Path

import pytest

from core.cli import main

NAMES = {"environment", "display", "fonts", "input method", "keyring", "database", "disk",
         "servers", "GPUs", "Slurm"}  # fmt: skip


def checked(place: str, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    assert main(["--workspace", place, "doctor", "--json"]) == 1
    return {one["name"]: one for one in json.loads(capsys.readouterr().out)["checks"]}


def test_a_folder_that_cannot_be_looked_at_is_named_among_the_other_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name that no file system takes stands for one that this account may not see."""
    lines = checked(str(tmp_path / ("x" * 300)), capsys)
    assert set(lines) == NAMES
    for name in ("database", "disk"):
        assert lines[name]["finding"] == "stop"
        assert "x" * 300 in lines[name]["says"]
    assert all(line["remedy"] for line in lines.values() if line["finding"] == "stop")


def test_a_server_that_is_away_is_told_in_words_of_a_server(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = checked("postgresql://u@127.0.0.1:1/db", capsys)["database"]
    assert "network" in line["remedy"]
    assert "folder" not in line["remedy"]
