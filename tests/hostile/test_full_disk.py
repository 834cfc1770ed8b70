"""A full disk: what is refused is refused in one sentence, harms nothing, and works afterwards.

To add an attack: an act in ``acts.py``.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import BenchsealError
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db.engine import LEAST_FREE
from tests.hostile.attackers.acts import ACTS, Act, Place, copy_of
from tests.hostile.attackers.acts import prepare as prepare_acts
from tests.hostile.attackers.children import Child, Say
from tests.hostile.attackers.disks import mounted
from tests.hostile.conftest import Attack
from tests.postgres import own_server
from tests.workspaces import make_task, write_items

ROOM = (0, 64 << 10, LEAST_FREE + (64 << 10))
"""Bytes that are left when somebody begins: none, too few for SQLite's own files, and just enough
to be let in."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A workspace in which every act can be done; nobody works in it."""
    folder = tmp_path_factory.mktemp("acts")
    place = Place(str(folder / "workspace"), folder)
    prepare_acts(place)
    return place


def doing(act: Act, place: Place) -> Child:
    """A process that does an act, and says in which words it was refused."""

    def work(say: Say) -> None:
        try:
            act.do(place, lambda _: None)
        except (BenchsealError, OSError) as error:
            say(str(error))

    return Child(work)


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.name)
def test_a_full_disk_refuses_and_harms_nothing(
    act: Act, template: Place, tmp_path: Path, attack: Callable[[str], Attack]
) -> None:
    row = attack(f"full disk at {act.name}")
    with mounted(tmp_path / "full", 24) as disk:
        for room in ROOM:
            place = copy_of(template, disk.path / f"copy-{room}")
            before = act.look(place)
            disk.fill(room)
            refusal = doing(act, place).until_over()
            disk.free()
            seen = act.look(place)
            if not refusal:
                row.tried("" if seen != before else f"{room} bytes left: said to be done")
                continue
            (sentence,) = refusal
            faults = [f"{room} bytes left: {seen}"] if seen not in (before, *act.between) else []
            if "\n" in sentence or "(" in sentence[:1] or "Errno" in sentence:
                faults.append(f"{room} bytes left: {sentence}")
            if seen == before:
                faults += doing(act, place).until_over()
                if act.look(place) == before:
                    faults.append("does not work after space was freed")
            row.tried("; ".join(faults))
            row.note = sentence[:60]


def test_a_server_whose_disk_is_full_says_so_and_goes_on_when_there_is_space(
    attack: Callable[[str], Attack], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    row = attack("full disk of a server")
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    folder = Path(tempfile.mkdtemp(prefix="bfd-"))  # pytest's own is closed to the server's user
    folder.chmod(0o755)
    try:
        with own_server() as server, mounted(folder, 96) as disk:
            space = disk.path / "space"
            space.mkdir()
            owner = server.data.stat()
            os.chown(space, owner.st_uid, owner.st_gid)
            server.execute(f"CREATE TABLESPACE small LOCATION '{space}'")
            server.execute("CREATE DATABASE team TABLESPACE small")
            Workspace.create(server.url("team"), "boss", "boss").close()
            boss = Workspace.open(server.url("team", "boss"))
            make_task(boss)
            write_items(boss, 1, author="boss")
            server.execute("CHECKPOINT")
            disk.fill()
            refusal = ""
            for number in range(1, 400):  # until the pages that are there are used up
                try:
                    write_items(boss, 1, author="boss", start=number)
                except BenchsealError as error:
                    refusal = str(error)
                    break
            row.tried("" if "is full" in refusal else f"refused as: {refusal}")
            disk.free()
            write_items(boss, 1, author="boss", start=1_000)
            row.tried("; ".join(map(str, verify(boss).findings)))
            boss.close()
            server.drop("team")
            server.execute("DROP TABLESPACE small")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
