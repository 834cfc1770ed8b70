"""Power cuts while people work: what was reported before is on the disk when the power is back.

To add an attack: an act in ``acts.py``, which is then cut right after its report; or a test here
that cuts the power of a ``Disk`` while a ``Child`` writes to it.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.jobs.folder import RunFolder
from core.jobs.worker import run_worker
from core.workflow.workspace import Workspace
from gui import preferences
from gui.preferences import Preferences
from tests.core.jobs.copying_runs import Copies, prepare
from tests.hostile.attackers.acts import ACTS, Act, Place, copy_of
from tests.hostile.attackers.acts import prepare as prepare_acts
from tests.hostile.attackers.children import Child, Say
from tests.hostile.attackers.deciding import decided, deciding, lost
from tests.hostile.attackers.disks import Disk, mounted
from tests.hostile.conftest import Attack
from tests.workspaces import make_task, write_items

Begin = Callable[[str], Attack]
# how long the kernel may keep what nobody flushed, and whether it helps whoever replaces a file
HABITS = ("commit=1", "commit=60", "commit=60,noauto_da_alloc")

pytestmark = pytest.mark.slow


@pytest.fixture(params=HABITS)
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    with mounted(tmp_path / "cut", 48, request.param) as one:
        yield one


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A workspace in which every act can be done; nobody works in it."""
    folder = tmp_path_factory.mktemp("acts")
    place = Place(str(folder / "workspace"), folder)
    prepare_acts(place)
    return place


def after_a_cut(disk: Disk, children: Sequence[Child]) -> list[Any]:
    """Cut the power, and let it come back; what the children had said before the cut.

    A child that failed on its own before the cut fails the test with its traceback.
    """
    said = [list(child.hear()) for child in children]
    disk.cut()
    for child in children:
        child.kill()
    disk.unmount()
    disk.mount()
    values = [value for values in said for value in values]
    failed = [value for value in values if str(value).startswith("Traceback")]
    assert not failed, failed[0]
    return values


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.name)
def test_what_was_reported_survives(
    act: Act, template: Place, tmp_path: Path, disk: Disk, attack: Begin
) -> None:
    row = attack(f"power cut after the report of {act.name}")
    reference = copy_of(template, tmp_path / "reference")
    act.do(reference, lambda _: None)
    after = act.look(reference)
    place = copy_of(template, disk.path / "copy")
    disk.sync()

    def work(say: Say) -> None:
        act.do(place, lambda _: None)
        say("reported")

    child = Child(work)
    child.hear(1, 60)
    assert after_a_cut(disk, [child]) == ["reported"]
    left = act.look(place)
    row.tried("" if left == after else f"{left} instead of {after}")


def test_no_acknowledged_decision_is_lost(disk: Disk, attack: Begin) -> None:
    row = attack("power cut while 3 decide")
    rng = random.Random(5)
    location = str(disk.path / "workspace")
    ws = Workspace.create(location)
    make_task(ws, overlap=1)
    write_items(ws, 150)
    ws.close()
    acknowledged: set[tuple[str, int]] = set()
    for _ in range(8):
        children = [Child(deciding(location, f"person-{n}")) for n in range(3)]
        for child in children:
            child.hear(1, 60)
        children[0].hear(seconds=rng.uniform(0.0, 0.03))
        acknowledged |= {(name, number) for name, number in after_a_cut(disk, children)}
        ws = Workspace.open(location)
        faults = lost(ws, acknowledged)
        row.tried("; ".join(faults))
        there = decided(ws)
        ws.close()
    assert len(acknowledged) <= there
    row.note = f"{len(acknowledged)} acknowledged"


def test_a_run_folder_that_is_there_is_whole(disk: Disk, attack: Begin) -> None:
    row = attack("power cut after a run folder was made")
    for number in range(3):
        root = disk.path / f"runs-{number}"

        def work(say: Say, at: Path = root) -> None:
            say(prepare(at, 40).path.name)

        child = Child(work)
        child.hear(1, 60)
        (name,) = after_a_cut(disk, [child])
        folder = RunFolder(root / name)
        there = (folder.path / "spec.json").is_file() and folder.spec().total == 40
        row.tried("" if there and len(folder.work()) == 40 else f"{len(folder.work())} items left")


def test_a_worker_goes_on_from_what_reached_the_disk(disk: Disk, attack: Begin) -> None:
    row = attack("power cut while a worker writes its shard")
    rng = random.Random(6)
    folder = prepare(disk.path / "runs", 2500)
    disk.sync()
    for _ in range(4):
        child = Child(lambda _: run_worker(folder.path, 0, 1, lambda _: Copies()))
        child.hear(seconds=rng.uniform(0.005, 0.04))
        after_a_cut(disk, [child])
        records = folder.records()
        ids = {f"项{n}" for n in range(2500)}
        row.tried("" if records.keys() <= ids else "a record that nobody wrote")
    run_worker(folder.path, 0, 1, lambda _: Copies())
    row.tried("" if len(folder.records()) == 2500 else f"{len(folder.records())} of 2500")


def test_a_finished_run_stays_finished(disk: Disk, attack: Begin) -> None:
    row = attack("power cut after a run was finished")
    folder = prepare(disk.path / "runs", 200)
    disk.sync()

    def work(say: Say) -> None:
        run_worker(folder.path, 0, 1, lambda _: Copies())
        say("finished")

    child = Child(work)
    child.hear(1, 60)
    after_a_cut(disk, [child])
    left = (folder.state(), len(folder.records()))
    row.tried("" if left == ("finished", 200) else str(left))


def test_preferences_are_the_old_ones_or_the_new(
    disk: Disk, attack: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = attack("power cut after preferences were saved")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(disk.path / "config"))
    for number in range(3):
        kept = Preferences(size=(1000 + number, 700), theme="dark")

        def work(say: Say, new: Preferences = kept) -> None:
            preferences.save(new)
            say("saved")

        child = Child(work)
        child.hear(1, 60)
        after_a_cut(disk, [child])
        row.tried("" if preferences.load() == kept else f"{preferences.load()}")


def test_copies_of_the_image_open_elsewhere(template: Place, tmp_path: Path, attack: Begin) -> None:
    row = attack("copy of an ext4 image taken mid-write")
    with mounted(tmp_path / "cut", 48, "commit=60") as disk:
        place = copy_of(template, disk.path / "copy")
        ws = place.open()
        write_items(ws, 60, start=100)
        ws.close()
        disk.sync()
        acknowledged: set[tuple[str, int]] = set()
        for number in range(4):
            child = Child(deciding(place.location, "li"))
            child.hear(2 + number, 60)
            said = list(child.hear())
            disk.cut()
            child.kill()
            disk.unmount()
            with disk.copied(tmp_path / f"copy-{number}") as copy:
                ws = Workspace.open(copy / "copy" / "workspace")
                acknowledged |= {(name, item) for name, item in said}
                row.tried("; ".join(lost(ws, acknowledged)))
                ws.close()
            disk.mount()
