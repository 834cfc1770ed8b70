"""``track``: what it prints, and how it says that something is lacking."""

import json
import shutil
import sys
from contextlib import closing
from pathlib import Path

import pytest

from core.cli import main
from core.evaluation import trackers
from core.evaluation.trackers import Tracker
from core.workflow.workspace import Workspace
from tests.used_split import LEAD, use_split


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a workspace with an evaluated split, and the evaluation's run."""
    folder = tmp_path_factory.mktemp("used")
    (folder / "outside").mkdir()
    with closing(Workspace.create(folder / "w", lead=LEAD)) as ws:
        return folder / "w", use_split(ws, folder / "outside")


@pytest.fixture
def used(
    template: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, str]:
    """A copy of it."""
    monkeypatch.setenv("BENCHSEAL_LANG", "en")
    shutil.copytree(template[0], tmp_path / "w")
    return tmp_path / "w", template[1]


def test_runs_are_put_into_a_tracker(
    used: tuple[Path, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    place, run = used
    script = tmp_path / "to_nobody.py"
    script.write_text("import sys\nprint('kept in', sys.argv[1])\n", encoding="utf-8")
    there = Tracker("nobody", "Nobody", "", str(script))
    monkeypatch.setattr(trackers, "TRACKERS", (there,))
    words = ["--workspace", str(place), "track", run, "--into", "nobody", "--at",
             str(tmp_path / "p"), "--follow", "--user", LEAD]  # fmt: skip
    assert main([*words, "--json"]) == 0
    (sent,) = json.loads(capsys.readouterr().out)["tracked"]
    assert (sent["run"], sent["state"], sent["answered"]) == (run, "finished", 6)
    assert sent["at"] == f"kept in {tmp_path / 'p'}"
    assert main(words) == 0
    said = capsys.readouterr().out
    assert f"{run} is in Nobody: {sent['score']:.4f}, 6 of 6 items answered (kept in" in said


@pytest.mark.parametrize("name", ["mlflow", "trackio", "wandb"])
def test_a_python_without_the_package_is_named(
    name: str, used: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, run = used
    words = ["--workspace", str(place), "track", run, "--into", name, "--at", str(tmp_path / "p"),
             "--user", LEAD]  # fmt: skip
    assert main(words) == 3
    said = capsys.readouterr().err
    assert f"needs the package {name} in {sys.executable}" in said
    assert "--python" in said
    assert not (tmp_path / "p").exists()
