"""Sealing by the window when something is in the way: a full disk, keys of another split. Each
is one sentence, nothing changes, and the next try is as good as the first."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pyrage
import pytest
from pytestqt.qtbot import QtBot

from core.sealing.archive import Locks, Unlocking
from core.sealing.custodians import CustodyRule
from core.workflow import people
from core.workflow.sealing import locked_archives
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.splits import freeze, item_keys, lifecycle
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from gui.panels.splits.key_dialog import KeyDialog
from gui.panels.splits.lock_dialog import LockDialog
from gui.panels.splits.panel import SplitsPanel
from tests.gui.scene import Scene
from tests.hostile.attackers.disks import mounted
from tests.sealed.private_items import ITEMS
from tests.splits import freeze_split, varied

LEAD, SPLIT = "王", "s"
PASSPHRASE = "correct horse battery"


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    made = Scene(qtbot)
    yield made
    made.close()


def frozen(place: Path) -> Path:
    """A workspace with a frozen split."""
    with closing(Workspace.create(place, LEAD)) as ws:
        people.ensure_person(ws, LEAD, "lead")
        freeze_split(ws, {"诗": ITEMS}, SPLIT)
    return place


def splits_of(scene: Scene, place: Path) -> SplitsPanel:
    """The panel with the splits of a workspace, one of them in front."""
    panel = scene.at(scene.open(place, LEAD), "splits")
    assert isinstance(panel, SplitsPanel)
    for row in range(panel.model.rowCount()):
        panel.table.selectRow(row)
        if panel.name.text() == SPLIT:
            return panel
    raise AssertionError(SPLIT)


def said(scene: Scene, dialog: LockDialog | KeyDialog) -> str:
    """The one sentence with which a dialog refuses."""
    scene.until(lambda: not dialog.trouble.isHidden())
    text = dialog.trouble.text()
    assert "\n" not in text
    assert "unexpected" not in text
    return text


def locking(dialog: LockDialog, out: Path) -> LockDialog:
    """Lock the split, by a passphrase, into a file."""
    for field in (dialog.passphrase, dialog.again):
        field.setText(PASSPHRASE)
    dialog.write(str(out))
    return dialog


def state(place: Path) -> str:
    with closing(Workspace.open(place)) as ws:
        assert verify(ws).findings == ()
        return freeze.info(ws, SPLIT).state


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("full", ["archive", "workspace"])
def test_a_full_disk(scene: Scene, tmp_path: Path, full: str) -> None:
    with mounted(tmp_path / "full", 24) as disk:
        place = frozen((disk.path if full == "workspace" else tmp_path) / "workspace")
        out = (disk.path if full == "archive" else tmp_path) / "s.sealed"
        panel = splits_of(scene, place)
        scene.until(lambda: not panel.archive_box.lock.isHidden())
        panel.archive_box.lock.click()
        (dialog,) = panel.findChildren(LockDialog)
        disk.fill()
        assert "No space left" in said(scene, locking(dialog, out))
        assert not out.exists()
        disk.free()
        assert state(place) == "frozen"
        locking(dialog, out)
        scene.until(lambda: "locked in" in panel.findings.text())
        assert state(place) == "sealed"
        scene.close()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_keys_and_shares_that_do_not_fit(scene: Scene, tmp_path: Path) -> None:
    place = frozen(tmp_path / "workspace")
    with closing(Workspace.open(place)) as ws:
        freeze_split(ws, {"scp": [varied(n) for n in range(3)]}, "t", "other")
        for name in (SPLIT, "t"):
            locks = Locks((), f"{PASSPHRASE} {name}", CustodyRule(2, 3))
            order = SealOrder(tmp_path / f"{name}.sealed", locks, tmp_path / name)
            locked_archives.seal(ws, name, LEAD, order)
        lifecycle.open_split(ws, SPLIT, LEAD, "July", "", Unlocking((), f"{PASSPHRASE} s"))
        item_keys.lock(ws, SPLIT)
    own, others = (sorted((tmp_path / name).iterdir()) for name in (SPLIT, "t"))
    stranger = tmp_path / "identity"
    stranger.write_text(f"{pyrage.x25519.Identity.generate()}\n", encoding="utf-8")
    panel = splits_of(scene, place)
    scene.until(lambda: not panel.archive_box.unlock.isHidden())
    panel.archive_box.unlock.click()
    (dialog,) = panel.findChildren(KeyDialog)

    def refused(paths: list[Path], passphrase: str = "") -> str:
        dialog.keys.files.clear()
        dialog.keys.show_paths([str(path) for path in paths])
        dialog.keys.passphrase.setText(passphrase)
        dialog.trouble.hide()
        dialog.act.click()
        return said(scene, dialog)

    refused([stranger])
    assert "passphrase does not open" in refused([], "another passphrase")
    assert "split “t” does not belong" in refused(others[:2])
    assert "split “t” does not belong" in refused([own[0], others[1]])
    assert "given: 1" in refused(own[:1])
    assert "given: 1" in refused([own[0], own[0]])
    assert "not a text file" in refused([tmp_path / "s.sealed"])
    refused([tmp_path / "nowhere"])
    dialog.keys.passphrase.clear()
    dialog.keys.show_paths([str(path) for path in own[1:]])
    dialog.act.click()
    scene.until(lambda: "key is on this computer" in panel.archive_box.key.text())
