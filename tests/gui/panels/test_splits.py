"""Splits in the window: frozen, checked, exported, sealed, opened with reasons, expired."""

import json
import subprocess
import sys
from pathlib import Path

import pyrage
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QWidget

from core.sealing.archive import Locks, Unlocking
from core.workflow import tasks
from core.workflow.analysis import second_look
from core.workflow.people import people, set_role
from core.workflow.production import write
from core.workflow.sealing import locked_archives
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.splits import freeze, freeze_checks, item_keys, lifecycle
from core.workflow.splits.selection import FreezeOrder
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import ledger
from db.vocabulary import EventKind
from gui.dialogs.confirm import ConfirmDialog
from gui.panels.splits.freeze_dialog import FreezeDialog
from gui.panels.splits.key_dialog import KeyDialog
from gui.panels.splits.lock_dialog import LockDialog
from gui.panels.splits.open_dialog import OpenDialog
from gui.panels.splits.panel import SplitsPanel
from gui.panels.splits.publish_dialog import PublishDialog
from tests.finished_runs import take_in_answers
from tests.gui.scene import (
    BENCHMARK,
    CTRL,
    LEAD,
    Scene,
    bench_of,
    press,
    rest,
    type_text,
)
from tests.gui.stages_workspace import TITLES


def confirm(panel: QWidget, reason: str = "") -> None:
    """Agree to what is asked; Enter does nothing, and a reason that is needed has the focus."""
    dialog = panel.findChildren(ConfirmDialog)[-1]
    if reason:
        assert dialog.focusWidget() is dialog.reason
        dialog.act.click()
        assert dialog.isVisible()
        assert dialog.trouble.text()
        press(dialog, Qt.Key.Key_Return)
        assert dialog.isVisible()
        type_text(dialog, reason)
    else:
        assert dialog.focusWidget() is dialog.cancel
    dialog.act.click()


def test_a_split_is_sealed_opened_and_ended_by_its_buttons(scene: Scene, full_place):
    window = scene.open(full_place)
    table = scene.at(window, "splits").table
    assert (
        table.textElideMode() == Qt.TextElideMode.ElideMiddle
    )  # “x-private” and “x-public” differ
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
    confirm(panel)
    scene.until(lambda: not life.open.isHidden())
    assert life.seal.isHidden()
    assert not panel.export_button.isEnabled()
    for reason in ("for July", "one more model"):
        life.open.click()
        confirm(panel, reason)
        scene.until(lambda said=reason: said in life.steps.text())
    assert lifecycle.split_life(ws, "july").openings == 2
    life.expire.click()
    confirm(panel, "July is over")
    scene.until(lambda: life.expire.isHidden())
    assert lifecycle.split_life(ws, "july").state == "expired"
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
    confirm(panel, "for our auditor")
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
    confirm(panel)
    scene.until(lambda: bool(panel.findings.text()))
    assert "lead" in panel.findings.text()
    assert lifecycle.split_life(ws, "july").state == "frozen"
    ws.close()


def test_what_waits_for_a_second_look_is_told_where_it_would_be_frozen_again(
    scene: Scene, full_place
):
    ws = Workspace.open(full_place)
    last = freeze.members_of(ws, "july")[0]
    second_look.run_for_numbers(ws, "second_look", [int(last.uid)], LEAD, "two keys fit")
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
    panel.write_datasheet(str(tmp_path))
    scene.until(lambda: "croissant.json" in panel.findings.text())
    assert (tmp_path / "july-datasheet" / "datasheet.md").is_file()


def test_a_split_that_was_sealed_is_exported_in_plain_text_for_a_reason_alone(
    scene: Scene, full_place, tmp_path
):
    ws = Workspace.open(full_place)
    lifecycle.seal(ws, "july", LEAD)
    lifecycle.open_split(ws, "july", LEAD, "the evaluation of July")
    window = scene.open(full_place)
    panel = scene.at(window, "splits")
    assert isinstance(panel, SplitsPanel)
    scene.until(lambda: panel.export_button.isEnabled())
    panel.export_to(str(tmp_path))
    dialog = panel.findChildren(ConfirmDialog)[-1]
    dialog.act.click()
    assert "Give a reason" in dialog.trouble.text()
    assert not (tmp_path / "july-jsonl").exists()
    dialog.reason.setText("for our auditor")
    dialog.act.click()
    scene.until(lambda: "written to" in panel.findings.text())
    with ws.reading() as session:
        events = ledger.of_subject(session, EventKind.SPLIT, "july")
    assert events[-1].data["plain"] == "for our auditor"
    ws.close()


def test_a_split_that_was_tampered_with_is_named(scene: Scene, full_place):
    folder = full_place / "releases" / "july"
    victim = next(path for path in folder.rglob("*.jsonl"))
    victim.write_text(victim.read_text(encoding="utf-8").replace("a", "b", 1), encoding="utf-8")
    panel = scene.at(scene.open(full_place), "splits")
    panel.check()
    scene.until(lambda: panel.findings.text().startswith("✕"))
    assert victim.name in panel.findings.text()


def freezing(scene: Scene, panel: SplitsPanel) -> FreezeDialog:
    panel.freeze_button.click()
    dialog = panel.findChild(FreezeDialog)
    assert isinstance(dialog, FreezeDialog)
    scene.until(dialog.isVisible)
    return dialog


def ready_to_freeze(place) -> None:
    """Four accepted titles, two accepted moods, and a split with two more titles."""
    ws = Workspace.open(place)
    freeze.freeze(ws, "july", BENCHMARK, LEAD, sizes={TITLES: 2})
    ws.close()


def test_freezing_says_what_is_wrong_in_its_dialog_with_the_field_in_focus(scene, place):
    ready_to_freeze(place)
    panel = scene.at(scene.open(place), "splits")
    assert isinstance(panel, SplitsPanel)
    dialog = freezing(scene, panel)
    assert dialog.focusWidget() is dialog.name
    press(dialog, Qt.Key.Key_Return)
    assert dialog.isVisible()
    for name, says in (("", "Give the split a name"), ("july", "already exists"),
                       ("a b", "Latin alphabet, digits")):  # fmt: skip
        dialog.name.setText(name)
        dialog.cancel.setFocus()
        press(dialog, Qt.Key.Key_Return, CTRL)
        scene.until(lambda said=says: said in dialog.trouble.text())
        assert dialog.trouble.isVisible()
        assert dialog.focusWidget() is dialog.name
    for box in dialog.boxes.values():
        box.setChecked(False)
    dialog.name.setText("august")
    press(dialog, Qt.Key.Key_Return, CTRL)
    assert "at least one task" in dialog.trouble.text()
    press(dialog, Qt.Key.Key_Escape)
    ws = Workspace.open(place)
    assert len(freeze.all_splits(ws)) == 1
    ws.close()


def test_enter_alone_freezes_nothing_and_says_which_key_does(scene: Scene, place):
    panel = scene.at(scene.open(place), "splits")
    dialog = freezing(scene, panel)
    type_text(dialog, "july")
    press(dialog, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert "Ctrl+Enter" in dialog.trouble.text()
    assert "“Freeze”" in dialog.trouble.text()


def test_a_button_that_goes_out_of_use_gives_the_keys_to_its_panel_and_to_no_field(
    scene: Scene, place
):
    panel = scene.at(scene.open(place), "splits")
    assert isinstance(panel, SplitsPanel)
    panel.freeze_button.setFocus()
    press(panel, Qt.Key.Key_Return)
    dialog = panel.findChild(FreezeDialog)
    assert isinstance(dialog, FreezeDialog)
    type_text(dialog, "july")
    press(dialog, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: bool(dialog.findings.reasons) or dialog.split is not None)
    for reason in dialog.findings.reasons.values():
        reason.setText("as it is")
    press(dialog, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: panel.ready() and not panel.freeze_button.isEnabled())
    rest(scene, panel)
    assert panel.window().focusWidget() is panel


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
    card.models.setValue(4)
    assert card.answer.isHidden(), "it answers another question"


def test_freezing_takes_the_chosen_sizes_and_shows_the_new_split(scene, place):
    ready_to_freeze(place)
    panel = scene.at(scene.open(place), "splits")
    assert isinstance(panel, SplitsPanel)
    dialog = freezing(scene, panel)
    name = TITLES
    assert dialog.sizes[name].maximum() == 4
    whole = dialog.consequence.text()
    dialog.sizes[name].setValue(2)
    assert dialog.consequence.text() != whole
    for other in set(dialog.boxes) - {name}:
        dialog.boxes[other].setChecked(False)
        assert not dialog.sizes[other].isEnabled()
    assert "2 items" in dialog.consequence.text()
    dialog.name.setText("august")
    press(dialog, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: "reason for each finding" in dialog.trouble.text())
    assert dialog.focusWidget() is dialog.findings.first_open()
    for check, field in dialog.findings.reasons.items():
        field.setFocus()
        type_text(dialog, f"a pilot: {check}")
    press(dialog, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: panel.name.text() == "august")
    ws = Workspace.open(place)
    assert freeze.info(ws, "august").size == 2
    record = freeze.record_of(ws, "august")
    assert record["sizes"] == {name: 2}
    assert {row["check"]: row["reason"] for row in record["checks"]}["unaudited"] == (
        "a pilot: unaudited"
    )
    ws.close()


def test_the_reason_for_a_finding_is_typed_where_it_is_asked_at_once(scene, place):
    ready_to_freeze(place)
    ws = Workspace.open(place)
    checked = freeze_checks.check(ws, FreezeOrder("august", BENCHMARK), LEAD)
    ws.close()
    panel = scene.at(scene.open(place), "splits")
    dialog = freezing(scene, panel)
    dialog.findings.show_checked(checked)
    dialog.say_trouble("Give a reason.", dialog.findings.first_open())
    type_text(dialog, "a pilot")  # before Qt has had a turn
    assert dialog.name.text() == ""
    assert set(dialog.findings.typed().values()) == {"a pilot"}
    told = " ".join(line.text() for line in dialog.findings.findChildren(QLabel))
    assert "✓ No damaged texts" in told
    assert "public files" not in told  # which no check has looked at


def test_items_that_a_check_finds_can_be_left_out_in_the_dialog(scene, place):
    ready_to_freeze(place)
    ws = Workspace.open(place)
    before = freeze.freezable(ws, BENCHMARK)
    ws.close()
    panel = scene.at(scene.open(place), "splits")
    assert isinstance(panel, SplitsPanel)
    dialog = freezing(scene, panel)
    dialog.name.setText("august")
    press(dialog, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: "duplicates" in dialog.findings.leaving)
    dialog.findings.leaving["duplicates"].click()
    assert not dialog.findings.reasons["duplicates"].isEnabled()
    for field in dialog.findings.reasons.values():
        if field.isEnabled():
            field.setFocus()
            type_text(dialog, "a pilot")
    press(dialog, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: panel.name.text() == "august")
    ws = Workspace.open(place)
    assert 0 < freeze.info(ws, "august").size < before.items
    assert freeze.record_of(ws, "august")["left_out"]
    ws.close()


def test_the_stations_show_what_happened_and_nothing_else(scene: Scene, full_place):
    ws = Workspace.open(full_place)
    lifecycle.expire(ws, "july", LEAD, "never used")
    ws.close()
    panel = scene.at(scene.open(full_place), "splits")
    scene.until(lambda: panel.timeline.passed == ("draft", "frozen", "expired"))


def test_a_split_is_locked_into_an_archive_and_the_archive_checked(
    scene: Scene, full_place, tmp_path
):
    window = scene.open(full_place)
    ws = Workspace.open(full_place)
    set_role(ws, bench_of(window).context.person.name, "lead")
    panel = scene.at(window, "splits")
    box = panel.archive_box
    scene.until(lambda: not box.lock.isHidden())
    box.lock.click()
    dialog = panel.findChildren(LockDialog)[-1]
    assert dialog.focusWidget() is dialog.recipients
    out = tmp_path / "it.sealed"
    dialog.write(str(out))
    scene.until(lambda: not dialog.trouble.isHidden())
    assert "Say who can open" in dialog.trouble.text()
    dialog.passphrase.setText("correct horse battery")
    dialog.choose_file()
    assert "differ" in dialog.trouble.text()
    dialog.again.setText("correct horse battery")
    press(dialog, Qt.Key.Key_Return)
    assert dialog.isVisible()
    dialog.custodians.click()
    dialog.write(str(out))
    scene.until(lambda: "locked in" in panel.findings.text())
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("it")) == [
        "it-shares", "it.sealed",
    ]  # fmt: skip
    assert len(list((tmp_path / "it-shares").iterdir())) == 3
    scene.until(lambda: "passphrase, custodians 2/3" in box.notes.text())
    scene.until(lambda: not panel.history_box.open.isHidden())  # the frozen split is sealed now
    panel.check_archive(str(out))
    scene.until(lambda: "as this workspace wrote it" in panel.findings.text())
    content = bytearray(out.read_bytes())
    content[900] ^= 1
    out.write_bytes(content)
    panel.check_archive(str(out))
    scene.until(lambda: "items.age" in panel.findings.text())
    ws.close()


def test_what_cannot_lock_is_said_with_its_field_in_focus_before_a_file_is_asked_for(
    scene: Scene, full_place
):
    panel = scene.at(scene.open(full_place), "splits")
    assert isinstance(panel, SplitsPanel)
    panel.open_lock()
    (dialog,) = panel.findChildren(LockDialog)

    def refused() -> tuple[str, QWidget | None]:
        press(dialog, Qt.Key.Key_Return, CTRL)
        assert dialog.findChildren(QFileDialog) == []
        return dialog.trouble.text(), dialog.focusWidget()

    said, field = refused()
    assert ("Say who can open" in said, field) == (True, dialog.recipients)
    dialog.recipients.setPlainText("somebody")
    said, field = refused()
    assert ("is not a recipient" in said, field) == (True, dialog.recipients)
    dialog.recipients.clear()
    for line in (dialog.passphrase, dialog.again):
        line.setText("short")
    said, field = refused()
    assert ("too short" in said, field) == (True, dialog.passphrase)
    for line in (dialog.passphrase, dialog.again):
        line.setText("correct horse battery")
    dialog.cutoff.setText("July")
    said, field = refused()
    assert ("is not a day" in said, field) == (True, dialog.cutoff)
    dialog.cutoff.clear()
    dialog.custodians.click()
    dialog.needed.setValue(9)
    said, field = refused()
    assert ("More custodians" in said, field) == (True, dialog.needed)


def published_below(panel: SplitsPanel, scene: Scene, folder: Path, license: str) -> str:
    """The split in front published by keys below a folder; what the panel says of it."""
    scene.until(lambda: panel.history_box.publish.isVisible())
    panel.history_box.publish.click()
    (dialog,) = panel.findChildren(PublishDialog)
    assert dialog.focusWidget() is dialog.license
    press(dialog, Qt.Key.Key_Return)
    assert "Name a license" in dialog.trouble.text()
    type_text(dialog, license)
    dialog.write_below(str(folder))
    scene.until(lambda: "published in" in panel.findings.text())
    return panel.findings.text()


def test_a_split_that_has_expired_is_published_with_its_proof(scene: Scene, full_place, tmp_path):
    archive = tmp_path / "july.sealed"
    ws = Workspace.open(full_place)
    order = SealOrder(archive, Locks((), "open sesame of july", None))
    root = locked_archives.seal(ws, "july", LEAD, order).root
    key = Unlocking((), "open sesame of july")
    lifecycle.expire(ws, "july", LEAD, "the period is over", key)
    items = freeze.info(ws, "july").size
    ws.close()
    panel = scene.at(scene.open(full_place), "splits")
    assert isinstance(panel, SplitsPanel)
    said = published_below(panel, scene, tmp_path, "cc-by-4.0")
    out = tmp_path / "july-published"
    assert f"{items} items" in said
    assert root[:12] in said
    check = [sys.executable, str(out / "proof" / "check_root.py"), str(out), str(archive)]
    done = subprocess.run(check, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    scene.until(lambda: "published by" in panel.history_box.steps.text())
    assert f"{items} items · published" not in panel.history_box.steps.text()


def test_only_a_split_that_has_expired_can_be_published(scene: Scene, full_place):
    panel = scene.at(scene.open(full_place), "splits")
    assert isinstance(panel, SplitsPanel)
    scene.until(lambda: panel.history_box.expire.isVisible())
    assert not panel.history_box.publish.isVisible()
    actions = panel.context.actions
    actions.update()
    assert not actions.action("publish").isEnabled()
    assert actions.action("seal").isEnabled()


def test_a_split_under_a_policy_is_opened_for_one_model_at_a_time(
    scene: Scene, full_place, tmp_path
):
    window = scene.open(full_place)
    ws = Workspace.open(full_place)
    me = bench_of(window).context.person.name
    set_role(ws, me, "lead")
    panel = scene.at(window, "splits")
    box = panel.archive_box
    scene.until(lambda: not box.lock.isHidden())
    box.lock.click()
    lock = panel.findChildren(LockDialog)[-1]
    lock.passphrase.setText("correct horse battery")
    lock.once.click()
    lock.write(str(tmp_path / "it.sealed"))
    scene.until(lambda: "each model once" in panel.history_box.uses.text())
    panel.history_box.open.click()
    dialog = panel.findChildren(OpenDialog)[-1]
    assert dialog.focusWidget() is dialog.model
    fields = (dialog.model, dialog.reason, dialog.keys.files, dialog.keys.passphrase)
    assert dialog.keys.isVisible()
    scene.until(lambda: len({field.mapTo(dialog, QPoint(0, 0)).x() for field in fields}) == 1)
    dialog.act.click()
    scene.until(lambda: "needs a reason" in dialog.trouble.text())
    dialog.reason.setText("July")
    dialog.act.click()
    scene.until(lambda: "name it" in dialog.trouble.text())
    type_text(dialog, "m1")
    press(dialog, Qt.Key.Key_Return)
    assert dialog.isVisible()
    press(dialog, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: "encrypted in the workspace" in dialog.trouble.text())
    dialog.keys.passphrase.setText("correct horse battery")
    dialog.act.click()
    scene.until(lambda: "for m1" in panel.history_box.steps.text())
    panel.history_box.open.click()
    again = panel.findChildren(OpenDialog)[-1]
    again.model.setText("m1")
    again.reason.setText("again")
    again.act.click()
    scene.until(lambda: "second lead" in again.trouble.text())
    again.drop()
    panel.export_to(str(tmp_path))
    scene.until(lambda: "until it expires" in panel.findings.text())
    ws.close()


def test_encrypted_items_are_opened_unlocked_and_ended_with_a_key(
    scene: Scene, full_place, tmp_path
):
    window = scene.open(full_place)
    ws = Workspace.open(full_place)
    set_role(ws, bench_of(window).context.person.name, "lead")
    panel = scene.at(window, "splits")
    box = panel.archive_box
    scene.until(lambda: not box.lock.isHidden())
    box.lock.click()
    lock = panel.findChildren(LockDialog)[-1]
    identity = pyrage.x25519.Identity.generate()
    lock.recipients.setPlainText(str(identity.to_public()))
    lock.write(str(tmp_path / "it.sealed"))
    scene.until(lambda: "not on this computer" in box.key.text())
    panel.history_box.open.click()
    confirm(panel, "July")
    dialog = panel.findChildren(KeyDialog)[-1]
    assert dialog.focusWidget() is dialog.keys.files
    dialog.act.click()
    scene.until(lambda: "encrypted in the workspace" in dialog.trouble.text())
    key = tmp_path / "key.txt"
    key.write_text(f"{identity}\n", encoding="utf-8")
    dialog.keys.show_paths([str(key)])
    press(dialog, Qt.Key.Key_Return, CTRL)
    scene.until(lambda: "key is on this computer" in box.key.text())
    assert box.unlock.isHidden()
    name = freeze.all_splits(ws)[0].name
    item_keys.lock(ws, name)
    panel.refresh()
    scene.until(lambda: not box.unlock.isHidden())
    box.unlock.click()
    again = panel.findChildren(KeyDialog)[-1]
    again.keys.files.setText(str(key))
    again.act.click()
    scene.until(lambda: box.unlock.isHidden() and "key is on this" in box.key.text())
    panel.history_box.expire.click()
    confirm(panel, "the period is over")
    scene.until(lambda: freeze.all_splits(ws)[0].state == "expired")
    assert not item_keys.state_of(ws, name).sealed
    ws.close()
