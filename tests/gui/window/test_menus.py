"""The menus of the top bar: backing up is where a lead looks for it, and for leads alone."""

from pathlib import Path

from core.workflow import people
from core.workflow.backups import backup_files
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.gui.scene import LEAD, Scene, bench_of, make_small


def test_a_lead_backs_up_from_the_menu_and_is_told_where_it_is(scene: Scene, tmp_path: Path):
    place = make_small(tmp_path / "small")
    window = scene.open(place, LEAD)
    action = bench_of(window).context.actions.action("backup")
    assert action.isEnabled()
    action.trigger()
    scene.until(lambda: "verified" in bench_of(window).notice.text)
    scene.close()
    ws = Workspace.open(place)
    (made,) = backup_files.backups(ws)
    ws.close()
    backup = Workspace.open_read_only(made.path)
    assert verify(backup).events > 0
    backup.close()


def test_nobody_else_is_offered_it(scene: Scene, tmp_path: Path):
    place = make_small(tmp_path / "small")
    ws = Workspace.open(place)
    people.ensure_person(ws, "ann", "annotator")
    ws.close()
    window = scene.open(place, "ann")
    assert "backup" not in bench_of(window).context.actions.bound()
