"""The palette by keys: what is chosen is done, also in a panel that was never opened; and nothing
is judged that is not in sight."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog

from gui.dialogs.confirm import ConfirmDialog
from gui.panels.splits.freeze_dialog import FreezeDialog
from gui.window.command_palette import CommandPalette
from gui.window.workbench import Workbench
from tests.gui.scene import LEAD, THIRD, Scene, bench_of, decisions_of, rest


def choose(bench: Workbench, words: str) -> None:
    """Ctrl+K, some words, Enter."""
    bench.open_find()
    dialog = next(d for d in bench.findChildren(CommandPalette) if d.isVisible())
    QTest.keyClicks(dialog.field, words)
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)


def freezing(bench: Workbench) -> list[FreezeDialog]:
    return [dialog for dialog in bench.findChildren(FreezeDialog) if dialog.isVisible()]


def test_a_command_of_a_panel_that_was_never_opened_is_done_there(scene: Scene, place):
    window = scene.open(place)
    bench = bench_of(window)
    scene.at(window, "review")
    choose(bench, "Freeze a split")
    assert bench.front == "splits"
    scene.until(lambda: bool(freezing(bench)))
    scene.until(lambda: not window.tasks.busy)


def test_the_steps_of_a_split_are_found_by_their_words(scene: Scene, full_place):
    window = scene.open(full_place)
    bench = bench_of(window)
    scene.at(window, "review")
    for words in ("Seal…", "Publish…"):
        bench.open_find()
        dialog = next(d for d in bench.findChildren(CommandPalette) if d.isVisible())
        QTest.keyClicks(dialog.field, words.rstrip("…"))
        assert dialog.list.item(0).text().startswith(words)
        dialog.close()
    choose(bench, "Seal")
    assert bench.front == "splits"
    scene.until(lambda: bool(bench.findChildren(ConfirmDialog)))
    scene.until(lambda: not window.tasks.busy)


@pytest.mark.parametrize(
    ("words", "panel", "dialog"),
    [
        ("Add a person", "team", "PersonDialog"),
        ("Assign tasks", "team", "AssignDialog"),
        ("Alarm", "agreement", "AlarmDialog"),
        ("Set the threshold", "gate", "ProtocolsDialog"),
        ("HTML report", "scores", "FileDialog"),
        ("Compare in pairs", "leaderboard", "PairsDialog"),
        ("Adaptive evaluation", "leaderboard", "AdaptiveDialog"),
    ],
)
def test_what_a_lead_does_on_another_panel_is_found_from_review(
    words, panel, dialog, scene: Scene, full_place
):
    window = scene.open(full_place)
    bench = bench_of(window)
    scene.at(window, "review")
    choose(bench, words)
    assert bench.front == panel

    def opened() -> bool:
        dialogs = [d for d in window.findChildren(QDialog) if d.isVisible()]
        return [type(d).__name__ for d in dialogs] == [dialog]

    scene.until(opened)
    scene.until(lambda: not window.tasks.busy)


def test_a_command_that_is_not_possible_there_says_so(scene: Scene, empty_place):
    window = scene.open(empty_place)
    bench = bench_of(window)
    scene.at(window, "items")
    choose(bench, "Freeze a split")
    scene.until(lambda: "Freeze a split" in bench.notice.text)
    assert "not possible" in bench.notice.text
    assert not freezing(bench)


def test_what_judges_an_item_only_leads_to_it(scene: Scene, small_place):
    window = scene.open(small_place)
    bench = bench_of(window)
    panel = scene.review(window)  # with an item in front, which the next panel hides
    scene.at(window, "splits")
    choose(bench, "Accept Review")
    rest(scene, panel)
    assert bench.front == "review"
    assert "press A" in bench.notice.text
    assert decisions_of(small_place, LEAD) == []


def test_what_was_chosen_is_forgotten_with_the_panel(scene: Scene, place):
    window = scene.open(place)
    bench = bench_of(window)
    scene.at(window, "review")
    choose(bench, "Freeze a split")
    bench.show_panel("review")  # before the splits were read
    scene.until(lambda: not window.tasks.busy)
    assert not freezing(bench)


def test_words_that_name_nothing_are_told_so_to_who_cannot_search_items(scene: Scene, place):
    window = scene.open(place, THIRD)
    bench = bench_of(window)
    panel = scene.review(window)
    bench.open_find()
    dialog = next(d for d in bench.findChildren(CommandPalette) if d.isVisible())
    assert "text" not in dialog.field.placeholderText()
    QTest.keyClicks(dialog.field, "air quality")
    assert [dialog.list.item(0).text()] == ["No panel, command or item is called “air quality”."]
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.isVisible()
    QTest.keyClick(dialog.field, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    rest(scene, panel)
