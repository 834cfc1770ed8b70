"""Splits in the window: frozen, checked, exported, sealed, opened with reasons, expired."""

from core.workflow import tasks
from core.workflow.analysis import second_look
from core.workflow.people import people, set_role
from core.workflow.production import write
from core.workflow.splits import freeze, lifecycle
from core.workflow.workspace import Workspace
from gui.panels.splits.panel import SplitsPanel
from tests.gui.scene import LEAD, Scene, bench_of


def test_a_split_is_sealed_opened_and_ended_by_its_buttons(scene: Scene, full_place):
    window = scene.open(full_place)
    me = bench_of(window).context.person.name
    ws = Workspace.open(full_place)
    assert me in [person.name for person in people(ws)]
    set_role(ws, me, "lead")
    panel = scene.at(window, "splits")
    assert isinstance(panel, SplitsPanel)
    life = panel.history_box
    scene.until(lambda: not life.seal.isHidden())
    assert "exported" in life.consequence.text()
    life.seal.click()
    scene.until(lambda: not life.open.isHidden())
    assert life.seal.isHidden()
    assert not life.open.isEnabled()
    assert not panel.export_button.isEnabled()
    for reason in ("for July", "one more model"):
        life.reason.setText(reason)
        life.open.click()
        scene.until(lambda said=reason: said in life.steps.text())
    assert lifecycle.life(ws, "july").openings == 2
    assert not life.expire.isEnabled()
    life.reason.setText("July is over")
    life.expire.click()
    scene.until(lambda: life.expire.isHidden())
    assert lifecycle.life(ws, "july").state == "expired"
    ws.close()


def test_who_may_not_seal_is_told_so_and_nothing_happens(scene: Scene, full_place):
    window = scene.open(full_place)
    ws = Workspace.open(full_place)
    set_role(ws, bench_of(window).context.person.name, "specialist")
    panel = scene.at(window, "splits")
    scene.until(lambda: not panel.history_box.seal.isHidden())
    panel.history_box.seal.click()
    scene.until(lambda: bool(panel.findings.text()))
    assert "lead" in panel.findings.text()
    assert lifecycle.life(ws, "july").state == "frozen"
    ws.close()


def test_what_waits_for_a_second_look_is_told_where_it_would_be_frozen_again(
    scene: Scene, full_place
):
    ws = Workspace.open(full_place)
    last = freeze.members_of(ws, "july")[0]
    second_look.tell(ws, "second_look", [int(last.uid)], LEAD, "two keys fit")
    tasks.add(ws, "again", "scp", benchmark="next period", protocol={"gate": "off"})
    content = last.content
    write.submit(ws, LEAD, "again", content.payload, format=content.format, benchmark="next period")
    ws.close()
    panel = scene.at(scene.open(full_place), "splits")
    assert isinstance(panel, SplitsPanel)
    scene.until(lambda: "1 item has the same text as an item waiting" in panel.preview.text())


def test_a_split_is_frozen_checked_and_exported(scene: Scene, full_place, tmp_path):
    window = scene.open(full_place)
    panel = scene.at(window, "splits")
    assert isinstance(panel, SplitsPanel)
    panel.check()
    scene.until(lambda: panel.findings.text().startswith("✓"))
    panel.export_to(str(tmp_path))
    scene.until(lambda: "written to" in panel.findings.text())
    written = tmp_path / "july-jsonl"
    assert any(written.iterdir())


def test_a_split_that_was_tampered_with_is_named(scene: Scene, full_place):
    folder = full_place / "releases" / "july"
    victim = next(path for path in folder.rglob("*.jsonl"))
    victim.write_text(victim.read_text(encoding="utf-8").replace("a", "b", 1), encoding="utf-8")
    panel = scene.at(scene.open(full_place), "splits")
    panel.check()
    scene.until(lambda: panel.findings.text().startswith("✕"))
    assert victim.name in panel.findings.text()


def test_freezing_under_a_name_that_is_taken_is_refused_in_words(scene: Scene, full_place):
    window = scene.open(full_place)
    panel = scene.at(window, "splits")
    panel.new_name.setText("july")
    panel.freeze_split()
    bench = bench_of(window)
    scene.until(lambda: bench.notice.isVisible())
    assert "july" in bench.notice.text
    ws = Workspace.open(full_place)
    assert len(freeze.all_splits(ws)) == 1
    ws.close()
