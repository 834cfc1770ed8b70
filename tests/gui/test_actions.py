"""Every command once, its keys distinct where they act, and remapped as a person likes."""

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton, QTextEdit

from core.i18n import set_language
from core.settings import settings_path
from gui import preferences
from gui.actions import COMMANDS, PLACES, command, printed_key, typing
from gui.dialogs.shortcuts import ShortcutsDialog
from gui.panels.splits.panel import SplitsPanel
from gui.panels.team.invite_dialog import InviteDialog
from gui.panels.team.person_dialog import PersonDialog
from gui.preferences import Preferences
from gui.window.command_palette import CommandPalette, PaletteEntry, match
from tests.gui.scene import Scene, bench_of


def test_ids_differ_and_every_command_has_words():
    assert len({spec.id for spec in COMMANDS}) == len(COMMANDS)
    assert all(spec.title() for spec in COMMANDS)
    assert {spec.place for spec in COMMANDS} <= set(PLACES)


def test_a_command_that_opens_a_dialog_ends_in_dots_in_every_language():
    """What may be done unseen was once read off the dots of the translated words."""
    set_language("zh")
    in_chinese = [spec.id for spec in COMMANDS if spec.title().endswith("…")]
    set_language("en")
    in_english = [spec for spec in COMMANDS if spec.title().endswith("…")]
    assert in_chinese == [spec.id for spec in in_english]
    assert [spec.id for spec in in_english if not spec.is_safe_unseen] == []


@pytest.mark.parametrize("code", ["en", "zh"])
def test_keys_are_printed_as_they_are_engraved_whatever_the_language(
    scene: Scene, small_place, code: str
):
    """Qt has Chinese words for some keys, which stand on no keyboard and not in the help."""
    bench = bench_of(scene.open(small_place, language=code))
    keys = ("Ctrl+Return", "Space", "Alt+Left", "Up", "Ctrl+Z")
    assert [printed_key(key) for key in keys] == [
        "Ctrl+Enter", "Space", "Alt+Left", "Up", "Ctrl+Z",
    ]  # fmt: skip
    sheet = ShortcutsDialog(bench.actions_, bench)
    shown = {button.text() for button in sheet.findChildren(QPushButton)}
    assert {"Ctrl+Enter", "Alt+Left"} <= shown


def test_no_key_means_two_things_in_one_place():
    for place in PLACES:
        seen: dict[str, str] = {}
        for spec in COMMANDS:
            if spec.place in (place, "window"):
                for key in spec.keys:
                    name = QKeySequence(key).toString()
                    assert name, f"{spec.id}: {key} is no key"
                    assert name not in seen, f"{place}: {name} is {spec.id} and {seen[name]}"
                    seen[name] = spec.id


def test_a_read_only_text_is_not_typed_into(qapp):
    page, field = QTextEdit(), QLineEdit()
    page.setReadOnly(True)
    assert not typing(page)
    assert typing(field)
    assert not typing(None)


def test_a_command_answers_to_the_key_that_a_person_gave_it(scene: Scene, small_place):
    kept = Preferences(keys={"accept": ("Y",)}, size=(1280, 820))
    window = scene.open(small_place, kept=kept)
    panel = scene.review(window)
    first = panel.queue.current.card.number
    QTest.keyClick(window, Qt.Key.Key_A)
    assert panel.queue.current.card.number == first
    QTest.keyClick(window, Qt.Key.Key_Y)
    scene.until(lambda: panel.queue.current.card.number != first)


def test_the_sheet_changes_a_key_at_once_and_refuses_one_that_is_taken(scene: Scene, small_place):
    window = scene.open(small_place)
    scene.review(window)
    bench = bench_of(window)
    kept = []
    bench.preferences_changed.connect(kept.append)
    sheet = ShortcutsDialog(bench.actions_, bench)
    sheet.give_key("accept", "R")
    assert bench.actions_.keys("accept") == ("A",)
    sheet.give_key("accept", "Y")
    assert bench.actions_.keys("accept") == ("Y",)
    assert kept[-1].keys == {"accept": ("Y",)}
    sheet.give_key("accept", "Backspace")
    assert bench.actions_.keys("accept") == ("A",)


def test_preferences_come_back_and_a_damaged_file_is_no_obstacle(home):
    kept = Preferences(language="zh", theme="dark").with_person("place", "李")
    preferences.save(kept)
    assert preferences.load() == kept
    settings_path().write_text("{torn", encoding="utf-8")
    assert preferences.load() == Preferences()


def test_finding_wants_every_word_and_puts_beginnings_first():
    entries = [
        PaletteEntry("command", "a", "Reload", "Everywhere"),
        PaletteEntry("panel", "b", "Runs", "Make"),
    ]
    assert [e.id for e in match(entries, "r")] == ["a", "b"]
    assert [e.id for e in match(entries, "every load")] == ["a"]
    assert match(entries, "nothing like it") == []


def test_ctrl_k_opens_what_is_typed(scene: Scene, full_place):
    window = scene.open(full_place)
    scene.review(window)
    bench = bench_of(window)
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    dialog = bench.findChild(CommandPalette)
    QTest.keyClicks(dialog.field, "prog")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    scene.until(lambda: bench.front == "progress")


def test_ctrl_k_finds_every_button_in_front_that_opens_a_dialog(scene: Scene, full_place):
    """*Add a person…* and *Locked archive…*, which the tutorial names, were not found."""
    window = scene.open(full_place)
    bench = bench_of(window)
    seen = set()
    for place in bench.places:
        panel = scene.at(window, place)
        offered = {
            button.text() for button in panel.findChildren(QPushButton)
            if button.isVisible() and button.isEnabled() and button.text().endswith("…")
        }  # fmt: skip
        bench.open_find()
        dialog = bench.findChild(CommandPalette)
        for words in offered:
            dialog.field.setText(words)
            assert dialog.list.item(0).text().startswith(f"{words} "), (place, words)
        dialog.reject()
        scene.until(lambda: bench.findChild(CommandPalette) is None)
        seen |= offered
    assert {"Add a person…", "Locked archive…", "Invite…"} <= seen


OF_A_MARK = "Adjudicate the item…"
"""Is about the mark of a figure that was chosen, and there is none anywhere else."""


def test_ctrl_k_finds_what_opens_a_dialog_also_while_another_panel_is_in_front(
    scene: Scene, full_place
):
    """*Invite…* and *Datasheet…* were found with their panel in front alone."""
    window = scene.open(full_place)
    bench = bench_of(window)
    buttons = {
        (place, re.sub(r" \(.*\)|…", "", button.text()))
        for place in bench.places
        for button in scene.at(window, place).findChildren(QPushButton)
        if button.text().endswith("…") and button.text() != OF_A_MARK
    }
    assert {("team", "Invite"), ("splits", "Datasheet"), ("scores", "Signed record")} <= buttons
    scene.at(window, "progress")
    bench.open_find()
    dialog = bench.findChild(CommandPalette)
    missing = []
    for place, words in sorted(buttons):
        dialog.field.setText(words)
        rows = [dialog.list.item(place).text() for place in range(dialog.list.count())]
        if not any(words.lower() in row.lower() for row in rows if "Search the items" not in row):
            missing.append((place, words))
    dialog.reject()
    assert not missing, str(missing)


def test_a_dialog_is_opened_by_ctrl_k_from_another_panel(scene: Scene, full_place):
    window = scene.open(full_place)
    scene.at(window, "progress")
    bench = bench_of(window)
    bench.open_find()
    dialog = bench.findChild(CommandPalette)
    QTest.keyClicks(dialog.field, "invite")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    scene.until(lambda: bench.findChild(InviteDialog) is not None)
    assert bench.front == "team"


def test_a_button_found_by_ctrl_k_is_pressed(scene: Scene, full_place):
    window = scene.open(full_place)
    scene.at(window, "team")
    bench = bench_of(window)
    bench.open_find()
    dialog = bench.findChild(CommandPalette)
    QTest.keyClicks(dialog.field, "add a pers")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    scene.until(lambda: bench.findChild(PersonDialog) is not None)


def test_a_number_finds_the_item_and_opens_its_life(scene: Scene, full_place):
    from gui.dialogs.item_history import ItemHistoryDialog

    window = scene.open(full_place)
    scene.review(window)
    bench = bench_of(window)
    bench.open_find()
    dialog = bench.findChild(CommandPalette)
    QTest.keyClicks(dialog.field, "#3")
    scene.until(lambda: dialog.list.item(0) is not None and "#3" in dialog.list.item(0).text())
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    scene.until(lambda: bench.findChild(ItemHistoryDialog) is not None)
    assert "#3" in bench.findChild(ItemHistoryDialog).windowTitle()


def test_a_panel_that_a_role_does_not_have_is_not_there(scene: Scene, full_place):
    bench = bench_of(scene.open(full_place, "王芳"))
    assert "review" in bench.places
    assert "sources" not in bench.places
    bench.show_panel("sources")
    assert bench.front == "review"


def test_the_command_of_an_unknown_id_is_an_error():
    try:
        command("no such thing")
    except KeyError:
        return
    raise AssertionError


def test_a_command_of_a_panel_that_was_not_opened_yet_leads_there(scene: Scene, full_place):
    """Who looks for “freeze” before Splits was opened once found nothing but a search."""
    window = scene.open(full_place)
    scene.review(window)
    bench = bench_of(window)
    assert "freeze" not in bench.context.actions.bound()
    bench.open_find()
    dialog = bench.findChild(CommandPalette)
    QTest.keyClicks(dialog.field, "freeze")
    assert "Splits" in dialog.list.item(0).text()
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    scene.until(lambda: bench.front == "splits")
    assert "freeze" in bench.context.actions.bound()


def test_what_is_not_possible_in_another_panel_says_why(scene: Scene, full_place):
    """“Freeze a split” was not possible, and the notice lay over the reason."""
    window = scene.open(full_place)
    scene.review(window)
    bench = bench_of(window)
    bench.open_find()
    dialog = bench.findChild(CommandPalette)
    QTest.keyClicks(dialog.field, "freeze a split")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    scene.until(lambda: "is not possible in Splits now." in bench.notice.text)
    splits = bench.panel("splits")
    assert isinstance(splits, SplitsPanel)
    assert splits.preview.text()
    assert bench.notice.text.endswith(splits.preview.text())
