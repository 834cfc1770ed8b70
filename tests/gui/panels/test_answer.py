"""Answering a split in the window: keys, text, how a run begins and ends, and nothing of a key."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QTextEdit

from core.evaluation.scoring import keys_of
from core.families.base import ItemContent
from core.workflow import people
from core.workflow.analysis import second_look
from core.workflow.evaluation import people_answers, score_run
from core.workflow.evaluation.item_results import MissedItem
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from gui.panels.answer.blind_look_dialog import BlindLookDialog
from gui.panels.answer.panel import AnswerPanel
from gui.panels.scores.panel import ScoresPanel
from tests.gui.scene import BENCHMARK, LEAD, Scene, bench_of
from tests.splits import freeze_split, varied

PERSON = "阿宁"


def secret(number: int) -> ItemContent:
    payload = {"question": f"What is the word of {number}?", "answers": [f"hush{number}"]}
    return ItemContent("answer", "answer", payload, {"article": f"a{number}"}, "riddles")


@pytest.fixture
def sealed_words(tmp_path: Path) -> Path:
    """Two splits: three questions with choices, two with a text for an answer."""
    place = tmp_path / "answering"
    ws = Workspace.create(place)
    people.ensure_person(ws, LEAD, "lead")
    people.ensure_person(ws, PERSON, "annotator")
    freeze_split(ws, {"scp": [varied(n) for n in range(3)]}, "chosen", BENCHMARK)
    freeze_split(ws, {"words": [secret(n) for n in range(2)]}, "written", BENCHMARK)
    ws.close()
    return place


def panel_of(scene: Scene, place: Path, person: str) -> AnswerPanel:
    panel = scene.at(scene.open(place, person=person), "answer")
    assert isinstance(panel, AnswerPanel)
    scene.until(lambda: panel.ready())
    return panel


def begin(scene: Scene, place: Path, split: str, names: str = PERSON) -> str:
    panel = panel_of(scene, place, LEAD)
    scene.until(lambda: panel.bar.splits.count() == 2)
    panel.bar.splits.setCurrentText(split)
    panel.bar.names.setText(names)
    QTest.keyClick(panel.bar.names, Qt.Key.Key_Return)
    scene.until(lambda: panel.bar.runs.count() == 1)
    return panel.bar.runs.currentText()


def words_of(panel: AnswerPanel) -> str:
    said = [part.text() for part in panel.findChildren(QLabel)]
    return " ".join([*said, *(part.toPlainText() for part in panel.findChildren(QTextEdit))])


def test_a_named_person_answers_by_keys_and_is_scored(scene: Scene, qtbot, sealed_words: Path):
    run = begin(scene, sealed_words, "chosen")
    panel = panel_of(scene, sealed_words, PERSON)
    assert panel.bar.isHidden(), "who only answers begins nothing"
    bench = bench_of(scene.windows[-1])
    badge = bench.navigation.findChild(QLabel, "badge of answer")
    bench.poll()
    scene.until(lambda: badge.text() == "3")
    assert panel.answers.unknown.text() == "U   I do not know"
    for done in range(3):
        scene.until(lambda: panel.ready() and panel.can_answer())
        assert panel.far.text().startswith(f"chosen: {done} of 3")
        panel.page.setFocus()
        qtbot.keyClick(panel.page, Qt.Key.Key_1)
        assert panel.answers.complete
        qtbot.keyClick(panel.page, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        scene.until(lambda: panel.ready())
    scene.until(lambda: "Thank you" in words_of(panel))
    bench.poll()
    scene.until(lambda: badge.text() == "")
    assert "3 answers are recorded, and the run is complete." in words_of(panel)
    ws = Workspace.open(sealed_words)
    report = score_run.report(ws, run)
    ws.close()
    assert (report.items, report.answered) == (3, 3)
    assert {entry.predicted for entry in report.scores} <= {"Selection 1", "A"}
    scores = scene.at(scene.open(sealed_words, person=LEAD), "scores")
    assert isinstance(scores, ScoresPanel)
    scene.until(lambda: "Human ceiling: 1 person on 3 items" in scores.people.text())


def test_a_text_is_written_and_no_key_is_on_the_screen(scene: Scene, qtbot, sealed_words: Path):
    run = begin(scene, sealed_words, "written")
    panel = panel_of(scene, sealed_words, PERSON)
    scene.until(lambda: panel.can_answer())
    assert "What is the word of" in words_of(panel)
    assert "hush" not in words_of(panel)
    panel.hand_in()
    assert "first" in panel.answers.hint.text(), "nothing is written yet"
    panel.answers.text.setPlainText("hush0")
    qtbot.keyClick(panel.answers.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    scene.until(lambda: panel.ready() and panel.far.text().startswith("written: 1 of 2"))
    panel.page.setFocus()
    qtbot.keyClick(panel.page, Qt.Key.Key_U)
    assert panel.answers.given.unknown
    lead = panel_of(scene, sealed_words, LEAD)
    scene.until(lambda: lead.bar.runs.count() == 1)
    lead.bar.close_button.click()
    scene.until(lambda: lead.bar.runs.count() == 0)
    ws = Workspace.open(sealed_words)
    assert people_answers.open_runs(ws) == ()
    report = score_run.report(ws, run, partial=True)
    freeze.info(ws, "written")
    ws.close()
    assert (report.answered, report.missing) == (1, 1)


def test_an_unknown_name_is_refused_in_words(scene: Scene, sealed_words: Path):
    window = scene.open(sealed_words, person=LEAD)
    panel = scene.at(window, "answer")
    assert isinstance(panel, AnswerPanel)
    scene.until(lambda: panel.bar.splits.count() == 2)
    panel.bar.names.setText("Nobody")
    panel.bar.begin.click()
    scene.until(lambda: "Nobody" in bench_of(window).notice.text)
    assert panel.bar.runs.count() == 0


def test_a_second_look_is_answered_by_keys_before_anything_is_told(
    scene: Scene, qtbot, sealed_words: Path
):
    ws = Workspace.open(sealed_words)
    people.ensure_person(ws, "Bo", "researcher")
    number = int(freeze.members_of(ws, "chosen")[0].uid)
    (key,) = keys_of(freeze.members_of(ws, "chosen")[:1])
    other = next(c for c in key.choices if c != key.answer)
    missed = [MissedItem(number, key.answer, other, ("m1", "m2"))]
    second_look.run_for_numbers(ws, "second_look", [number], LEAD, "see page 3", missed)
    ws.close()
    panel = panel_of(scene, sealed_words, "Bo")
    assert panel.bar.looks.text() == "Second looks (1)…"
    qtbot.mouseClick(panel.bar.looks, Qt.MouseButton.LeftButton)
    (dialog,) = panel.findChildren(BlindLookDialog)
    scene.until(dialog.ready)
    words = " ".join(part.text() for part in dialog.findChildren(QLabel))
    before = dialog.page.toPlainText() + words
    assert "m1" not in before
    assert "page 3" not in before
    QTest.keyClick(dialog.page, Qt.Key(Qt.Key.Key_1.value + key.choices.index(other)))
    QTest.keyClick(dialog.page, Qt.Key.Key_Return)
    scene.until(lambda: dialog.ready() and not dialog.next_button.isHidden())
    after = dialog.page.toPlainText()
    for told in (f"Your answer: {other}", f"Key: {key.answer}", "m1", "see page 3",
                 "with the models against the key"):  # fmt: skip
        assert told in after
    QTest.keyClick(dialog.page, Qt.Key.Key_Return)
    scene.until(dialog.ready)
    assert dialog.says.text() == "No items are waiting for a second look."
    dialog.reject()
    scene.until(lambda: panel.bar.looks.isHidden())
