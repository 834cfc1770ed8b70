"""Words are found in what is read, by keys, in every place where an item is read."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QWidget

from gui import theme
from gui.dialogs.item_history import ItemHistoryDialog
from gui.documents.found_places import SearchableText
from gui.documents.writer import Writer
from gui.widgets.find_bar import FindBar
from tests.gui.scene import CTRL, LEAD, SECOND, Scene, copy_of, press, rest, type_text
from tests.gui.stages_workspace import FOURTH, start_audit

SHIFT = Qt.KeyboardModifier.ShiftModifier


def bar_of(window: QWidget) -> FindBar:
    (bar,) = (bar for bar in window.findChildren(FindBar) if bar.isVisible())
    return bar


def found(bar: FindBar, document: QTextDocument) -> list[str]:
    text = document.toPlainText()
    return [text[start:end] for start, end in bar.places]


def test_words_are_found_by_keys_and_esc_gives_the_keys_back(scene: Scene, small_place: Path):
    panel = scene.review(scene.open(small_place))
    number = panel.item()
    press(panel, Qt.Key.Key_F, CTRL)
    bar = bar_of(panel)
    assert bar.words.hasFocus()
    type_text(panel, "THE ")
    matches = len(bar.places)
    assert matches > 2
    assert {text.lower() for text in found(bar, panel.page.document())} == {"the "}
    assert bar.says.text() == f"1 of {matches}"
    press(panel, Qt.Key.Key_Return)
    assert bar.says.text() == f"2 of {matches}"
    press(panel, Qt.Key.Key_Return, SHIFT)
    press(panel, Qt.Key.Key_Return, SHIFT)
    assert bar.says.text() == f"{matches} of {matches}"
    assert len(panel.page.extraSelections()) == matches
    press(panel, Qt.Key.Key_A)  # typed, and no verdict
    assert bar.words.text() == "THE a"
    press(panel, Qt.Key.Key_Return, CTRL)
    assert panel.item() == number
    press(panel, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert not panel.page.extraSelections()
    press(panel, Qt.Key.Key_A)
    scene.until(lambda: panel.item() != number)


def test_the_words_are_marked_in_the_next_item_too_and_its_top_stays_in_sight(
    scene: Scene, small_place: Path
):
    panel = scene.review(scene.open(small_place))
    press(panel, Qt.Key.Key_F, CTRL)
    type_text(panel, "the")
    bar, number = bar_of(panel), panel.item()
    panel.page.setFocus()
    press(panel, Qt.Key.Key_A)
    scene.until(lambda: panel.item() != number and panel.ready())
    assert {text.lower() for text in found(bar, panel.page.document())} == {"the"}
    assert bar.says.text() == f"{len(bar.places)} matches"
    assert panel.page.verticalScrollBar().value() == 0
    press(panel, Qt.Key.Key_F, CTRL)
    press(panel, Qt.Key.Key_Return)
    assert bar.says.text().startswith("1 of ")


def test_esc_goes_back_to_the_note_in_which_one_was_writing(scene: Scene, small_place: Path):
    panel = scene.review(scene.open(small_place))
    press(panel, Qt.Key.Key_E)
    type_text(panel, "see ")
    press(panel, Qt.Key.Key_F, CTRL)
    type_text(panel, "nowhere to be read")
    assert bar_of(panel).says.text() == "not found"
    press(panel, Qt.Key.Key_Escape)
    type_text(panel, "line 2")
    assert panel.decision.note.toPlainText() == "see line 2"


PLACES = ("review", "rate", "adjudicate", "audit", "items", "my_work")


@pytest.mark.parametrize("name", PLACES)
def test_every_place_with_an_item_is_searched(
    scene: Scene, stages_template: Path, tmp_path: Path, name: str
):
    place = copy_of(stages_template, tmp_path / "stages")
    start_audit(place)
    person = LEAD if name == "adjudicate" else FOURTH if name != "my_work" else SECOND
    panel = scene.at(scene.open(place, person), name)
    page = panel.searched()
    assert page is not None
    scene.until(lambda: page.toPlainText().count("\n") > 0)
    wanted = page.toPlainText().split("\n")[1][:4]
    press(panel, Qt.Key.Key_F, CTRL)
    type_text(panel, wanted)
    assert bar_of(panel).places, wanted
    press(panel, Qt.Key.Key_Escape)
    rest(scene, panel)
    assert not page.extraSelections()


def test_the_history_of_an_item_is_searched_and_esc_closes_the_bar_alone(
    scene: Scene, small_place: Path
):
    window = scene.open(small_place)
    panel = scene.at(window, "items")
    press(panel, Qt.Key.Key_Return)
    scene.until(lambda: bool(window.findChildren(ItemHistoryDialog)))
    (dialog,) = window.findChildren(ItemHistoryDialog)
    press(dialog, Qt.Key.Key_F, CTRL)
    type_text(dialog, "ledger")
    bar = bar_of(dialog)
    assert bar.says.text().startswith("1 of ")
    press(dialog, Qt.Key.Key_Return)
    press(dialog, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert dialog.isVisible()
    press(dialog, Qt.Key.Key_Escape)
    scene.until(lambda: not window.findChildren(ItemHistoryDialog))


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("Straße und STRASSE", "strasse", ["Straße", "STRASSE"]),
        ("a café, cafe\u0301s", "cafe", ["café", "cafe\u0301"]),
        ("I don’t — “really”", 'don\'t - "really"', ["don’t — “really”"]),
        ("two  words\u00a0here", "two words here", ["two  words\u00a0here"]),
        ("😀😀 smile 😀", "smile", ["smile"]),
        ("😀 then 😀", "😀", ["😀", "😀"]),
        ("全角ＡＢＣ和半角ABC", "abc", ["ＡＢＣ", "ABC"]),
        ("שָׁלוֹם עולם", "שלום", ["שָׁלוֹם"]),
        ("が か", "か", ["か"]),
        ("한국어 하", "하", ["하"]),
        ("กิน กน", "กน", ["กน"]),
        ("the ﬁrst", "fir", ["ﬁr"]),
        ("aaaa", "aa", ["aa", "aa"]),
        ("nothing", "\u0301", []),
        ("nothing", "", []),
    ],
)
def test_what_is_alike_to_a_reader_is_found(qapp, text: str, words: str, said: list[str]):
    writer = Writer(theme.LIGHT, chinese=False)
    writer.block().text(text)
    document = writer.finish(600)
    cursor_text = document.begin().text().encode("utf-16-le")
    places = SearchableText(document).places(words)
    assert [cursor_text[2 * a : 2 * b].decode("utf-16-le") for a, b in places] == said


def test_a_drawn_formula_is_found_by_its_tex(qapp):
    writer = Writer(theme.LIGHT, chinese=False)
    writer.block().text(r"where $\theta$ is small and $\theta_0$ is not")
    document = writer.finish(600)
    assert len(SearchableText(document).places(r"\theta")) == 2
    assert SearchableText(document).places("small and")
