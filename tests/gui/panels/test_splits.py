"""Splits in the window: frozen, checked, exported, sealed, opened with reasons, expired."""

import json

from core.workflow import tasks
from core.workflow.analysis import second_look
from core.workflow.people import people, set_role
from core.workflow.production import write
from core.workflow.splits import freeze, lifecycle
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from gui.panels.splits.panel import SplitsPanel
from tests.finished_runs import take_in_answers
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


def test_every_use_is_shown_with_who_and_the_receipt_is_issued_again(
    scene: Scene, full_place, tmp_path
):
    ws = Workspace.open(full_place)
    lifecycle.seal(ws, "july", LEAD)
    lifecycle.open_split(ws, "july", LEAD, "scores of July")
    size = freeze.info(ws, "july").size
    replies = {member.uid: "A" for member in freeze.members_of(ws, "july")}
    take_in_answers(ws, tmp_path, replies, "july")
    panel = scene.at(scene.open(full_place), "splits")
    assert isinstance(panel, SplitsPanel)
    box = panel.history_box
    scene.until(lambda: "scores of July" in box.steps.text())
    panel.export_to(str(tmp_path))
    scene.until(lambda: "jsonl" in box.steps.text())
    assert box.uses.text() == "Opened once · evaluated 3 times · exported once"
    me = bench_of(scene.windows[0]).context.person.name
    assert f"exported by {me}: {size} items · jsonl" in box.steps.text()
    path = tmp_path / "mine.json"
    panel.issue_receipt(str(path))
    scene.until(lambda: "receipt was written" in panel.findings.text())
    receipt = json.loads(path.read_text(encoding="utf-8"))
    assert (receipt["openings"], receipt["evaluations"], len(receipt["exports"])) == (1, 3, 1)
    assert verify(ws, receipt).findings == ()
    panel.issue_receipt(str(tmp_path / "nowhere" / "mine.json"))
    scene.until(lambda: "Could not write" in panel.findings.text())
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


def test_the_size_card_says_what_the_items_can_show_before_they_are_frozen(
    scene: Scene, full_place
):
    panel = scene.at(scene.open(full_place), "splits")
    assert isinstance(panel, SplitsPanel)
    scene.until(panel.ready)
    card = panel.size_card
    card.difference.setValue(10.0)
    card.button.click()
    scene.until(lambda: "stated, not measured" in card.answer.text())
    assert "For 10.0 points the power here is" in card.answer.text()
    card.pilot.setCurrentIndex(card.pilot.findData("july"))
    card.models.setValue(3)
    card.button.click()
    scene.until(lambda: "from 2 models on “july”" in card.answer.text())
    assert "Holm over 3 pairs" in card.answer.text()
    assert card.button.isEnabled()
