"""Shards on a real Slurm whose worker is the frozen program: no interpreter of ours runs there."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bundle.conftest import PROGRAM
from tests.slurm.conftest import slurm

pytestmark = [pytest.mark.slurm, pytest.mark.slow]
__all__ = ["slurm"]  # the fixture

SHARDS = 3


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demonstration as the frozen program makes it, with an expired split to evaluate on."""
    folder = tmp_path_factory.mktemp("bundle") / "demo"
    said(folder.parent, "demo", "--no-window", "--dir", str(folder))
    return folder


@pytest.fixture(params=["", str(PROGRAM)], ids=["itself", "named"])
def profile(place: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """A profile that leaves the program to whoever starts the run, and one that names it."""
    lines = ["[slurm.test]", 'partition = "work"', "cpus = 1"]
    lines += [f'python = "{request.param}"'] if request.param else []
    path = place / "launchers.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    yield
    path.unlink()


def said(home: Path, *arguments: str) -> str:
    """What the frozen program prints, in an environment without a Python and without our source."""
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
                   "QT_QPA_PLATFORM": "offscreen",
                   "SLURM_CONF": os.environ.get("SLURM_CONF", "")}  # fmt: skip
    done = subprocess.run(
        [PROGRAM, *arguments], cwd=home, env=environment, capture_output=True, text=True,
        timeout=250, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("slurm", "profile")
def test_shards_run_by_the_frozen_program_give_the_answers_of_this_machine(
    place: Path, tmp_path: Path
) -> None:
    def evaluated(*more: str) -> dict:
        lines = said(tmp_path, "--workspace", str(place), "evaluate", "demo-earlier",
                     "--engine", "baseline:tfidf", "--wait", "--json", *more)  # fmt: skip
        return json.loads(lines)

    far = evaluated("--launcher", "slurm:test", "--shards", str(SHARDS))
    here = evaluated()
    folder = place / "runs" / far["run"]
    assert f"exec {PROGRAM} run . --shard" in (folder / "job.sh").read_text(encoding="utf-8")
    assert answers(folder) == answers(place / "runs" / here["run"])
    assert len(list(folder.glob("slurm-*.txt"))) == SHARDS
    runs = json.loads(said(tmp_path, "--workspace", str(place), "runs", "--json"))["runs"]
    (run,) = (one for one in runs if one["id"] == far["run"])
    assert (run["launcher"], run["state"]) == ("slurm:test", "finished")


def answers(folder: Path) -> dict[str, str]:
    """The answer to each question of a run, from the records of its shards."""
    lines = [
        json.loads(line)
        for path in folder.glob("shard-*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert lines
    return {line["id"]: line["text"] for line in lines}
