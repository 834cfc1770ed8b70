"""What a workspace writes is its owner's alone, whatever the umask; what leaves it follows it."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.cli import main
from core.evaluation.params import EvaluateParams
from core.workflow.evaluation import start
from core.workflow.runs import runs, take_in
from core.workflow.splits import exports
from core.workflow.workspace import Workspace
from tests.hostile.conftest import Attack
from tests.splits import freeze_split, varied


@pytest.fixture(params=[0o000, 0o002, 0o022])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield int(request.param)
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_everything_in_a_workspace_is_private(
    tmp_path: Path, umask: int, attack: Callable[[str], Attack]
):
    row = attack(f"a file that others may read, umask {umask:03o}")
    folder = tmp_path / "new" / "workspace"
    assert main(["--workspace", str(folder), "init", "--lead", "ann"]) == 0
    ws = Workspace.open(folder)
    freeze_split(ws, {"scp": [varied(number) for number in range(3)]})
    params = EvaluateParams(engine="baseline:random", split="s")
    run_id = start.start(ws, "s", params).spec().id
    runs.wait(ws, run_id, 120)
    take_in.take_in(ws, run_id)
    scores = "model,set,domain,accuracy\nm,public,CS,0.5\n"
    (tmp_path / "scores.csv").write_text(scores, encoding="utf-8")
    main(["--workspace", str(folder), "analyze", "public", str(tmp_path / "scores.csv")])
    seen = [folder.parent, folder, *folder.rglob("*")]
    assert {"workspace.db", "workspace.db-wal", "spec.json", "log.txt", "manifest.json"} <= {
        path.name for path in seen
    }
    for path in seen:
        wanted = 0o700 if path.is_dir() else 0o600
        row.tried("" if mode(path) == wanted else f"{path.relative_to(tmp_path)} {mode(path):o}")
    exports.export(ws, "s", "jsonl", tmp_path / "out")
    ws.close()
    for path in (tmp_path / "out").rglob("*"):
        wanted = (0o777 if path.is_dir() else 0o666) & ~umask
        row.tried("" if mode(path) == wanted else f"export {path.name} {mode(path):o}")


def test_a_shared_workspace_is_its_groups(tmp_path: Path):
    folder = tmp_path / "workspace"
    main(["--workspace", str(folder), "init"])
    assert main(["--workspace", str(folder), "workspace", "--shared"]) == 0
    assert mode(folder) == 0o2770
    assert mode(folder / "workspace.db") == 0o660
    ws = Workspace.open(folder)
    freeze_split(ws, {"scp": [varied(number) for number in range(3)]})
    ws.close()
    assert mode(folder / "releases") == 0o2770
    assert mode(folder / "releases" / "s" / "manifest.json") == 0o660
    assert main(["--workspace", str(folder), "workspace", "--personal"]) == 0
    assert mode(folder) == 0o700
    assert mode(folder / "releases" / "s" / "manifest.json") == 0o600
