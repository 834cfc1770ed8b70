"""The same grid on a Slurm of one node and in a process of this machine: the same numbers."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.finetuning.test_simulation import ROOT, base, examples
from tests.slurm.conftest import slurm

__all__ = ["base", "slurm"]  # fixtures

PROFILE = """\
[slurm.here]
partition = "work"
cpus = 1
python = {python}
environment = {{ PYTHONPATH = {root}, OMP_NUM_THREADS = "1" }}
"""


def simulated(workspace: Path, base: Path, test: Path, train: Path, *more: str) -> dict[str, Any]:
    """What the command said, having waited for the end."""
    words = [
        "simulate", "--task", "mood", "--labels", "joy,anger", "--base-model", base,
        "--sets", "orig", "--test", f"orig={test}", "--train", train,
        "--modes", "test,train", "--proportions", "50,100", "--param", "epochs=2",
        "--param", "threads=1", "--param", "modules_to_save=embed_tokens",
        "--answer-by", "choice", "--wait", "--json", *more,
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "core.cli", "--workspace", str(workspace), *map(str, words)],
        cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.timeout(900)
def test_a_grid_on_slurm_gives_the_numbers_of_a_grid_at_home(
    slurm: Path, base: Path, tmp_path: Path
) -> None:
    files = {}
    for name, seed in (("test", 1), ("train", 2)):
        files[name] = tmp_path / f"{name}.jsonl"
        rows = [{"text": e.text, "label": e.label} for e in examples(6, seed)]
        files[name].write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = {}
    for where, more in (("home", ()), ("cluster", ("--launcher", "slurm:here", "--shards", "2"))):
        workspace = tmp_path / where
        subprocess.run(
            [sys.executable, "-m", "core.cli", "--workspace", str(workspace), "init"],
            cwd=ROOT, check=True, capture_output=True,
        )  # fmt: skip
        (workspace / "launchers.toml").write_text(
            PROFILE.format(python=json.dumps(sys.executable), root=json.dumps(str(ROOT))),
            encoding="utf-8",
        )
        found[where] = simulated(workspace, base, files["test"], files["train"], *more)
    home, cluster = found["home"], found["cluster"]
    assert (cluster["state"], cluster["cells"], cluster["known"]) == ("finished", 5, 0)
    folder = tmp_path / "cluster" / "runs" / cluster["run"]
    launch = json.loads((folder / "launch.json").read_text(encoding="utf-8"))
    assert launch["launcher"] == "slurm:here"
    assert launch["job"]
    assert len(list(folder.glob("shard-*.jsonl"))) == 2
    assert numbers(cluster) == numbers(home)
    assert {row["run"] for row in cluster["deltas"]} == {cluster["run"]}


def numbers(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The deltas, without the run that each is of."""
    return [{name: row[name] for name in row if name != "run"} for row in found["deltas"]]
