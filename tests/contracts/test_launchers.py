"""What every launcher promises, asked of the whole registry."""

from pathlib import Path

import pytest

from core.errors import InputError, NotFoundError, StateError
from core.evaluation.params import EvaluateParams
from core.jobs.folder import RunFolder
from core.jobs.launch_record import read_launch
from core.jobs.launchers import LAUNCHERS, LauncherKind, launcher_named, launcher_names
from tests.questions import work_rows
from tests.splits import make_split

EVERY = pytest.mark.parametrize("kind", LAUNCHERS, ids=lambda kind: kind.name)
HERE = pytest.mark.parametrize(
    "kind", [kind for kind in LAUNCHERS if kind.profiles is None], ids=lambda kind: kind.name
)


def prepare(root: Path) -> RunFolder:
    given = EvaluateParams(split="s", engine="baseline:random")
    return RunFolder.create(root, "evaluate", given, work_rows(make_split(6)))


@EVERY
def test_a_launcher_is_found_by_its_name_alone(kind: LauncherKind, tmp_path: Path) -> None:
    assert [other.name for other in LAUNCHERS].count(kind.name) == 1
    if kind.profiles is None:
        assert launcher_named(kind.name, tmp_path).name == kind.name
        assert kind.name in launcher_names(None)
        with pytest.raises(InputError, match=kind.name):
            launcher_named(f"{kind.name}:somewhere", tmp_path)
    else:
        assert list(kind.profiles(tmp_path)) == []
        with pytest.raises(InputError, match=f"{kind.name}:PROFILE"):
            launcher_named(kind.name, tmp_path)
        with pytest.raises(NotFoundError, match="nobody"):
            launcher_named(f"{kind.name}:nobody", tmp_path)


def test_the_profiles_of_a_workspace_are_launchers(tmp_path: Path) -> None:
    profile = "[slurm.far]\nhost = 'login'\nfolder = '/scratch'\n"
    (tmp_path / "launchers.toml").write_text(profile, encoding="utf-8")
    assert "slurm:far" in launcher_names(tmp_path)
    assert launcher_named("slurm:far", tmp_path).name == "slurm:far"


@HERE
def test_a_run_is_carried_out_and_its_launcher_remembered(
    kind: LauncherKind, tmp_path: Path
) -> None:
    folder = prepare(tmp_path)
    launcher = kind.make(tmp_path, "", 0)
    launcher.require()
    launcher.refuse_kind("evaluate")
    launcher.start(folder, 2)
    assert launcher.wait(folder, 300)
    launcher.refresh(folder)
    assert folder.state() == "finished"
    assert len(folder.finished_ids()) == 6
    launch = read_launch(folder.path)
    assert launch is not None
    assert launch.launcher == kind.name
    assert launcher.requeue(folder) == 0
    assert isinstance(launcher.logs(folder), str)
    with pytest.raises(StateError):
        launcher.start(folder)
    launcher.stop(folder)


@HERE
def test_a_run_that_is_stopped_goes_on_where_it_was(kind: LauncherKind, tmp_path: Path) -> None:
    folder = prepare(tmp_path)
    launcher = kind.make(tmp_path, "", 0)
    launcher.start(folder)
    launcher.stop(folder)
    assert launcher.wait(folder, 60)
    if folder.state() != "finished":
        launcher.start(folder)
        assert launcher.wait(folder, 300)
    assert folder.state() == "finished"
    assert len(folder.finished_ids()) == 6
