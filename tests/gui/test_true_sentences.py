"""What a panel says of an empty queue is true, and its button leads somewhere."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from core.workflow import tasks
from core.workflow.check import review
from core.workflow.production import write
from core.workflow.workspace import Workspace
from gui.dialogs.screening import ScreeningDialog
from gui.panels.adjudicate.panel import AdjudicatePanel
from gui.panels.review.panel import ReviewPanel
from tests.gui.scene import BENCHMARK, SECOND, THIRD, Scene, press
from tests.gui.stages_workspace import triplet


def words(panel) -> str:
    return "\n".join(label.text() for label in panel.empty.findChildren(QLabel))


def test_adjudicate_says_why_what_is_disputed_is_for_others(scene: Scene, place):
    panel = scene.at(scene.open(place, SECOND), "adjudicate")
    assert isinstance(panel, AdjudicatePanel)
    assert "No disputed items" not in words(panel)
    assert "2 items are disputed, but you wrote or reviewed them" in words(panel)


def test_adjudicate_says_nothing_where_nothing_is_disputed(scene: Scene, small_place):
    panel = scene.at(scene.open(small_place), "adjudicate")
    assert "No disputed items" in words(panel)


def test_review_says_what_is_ones_own_and_what_others_have(scene: Scene, place):
    ws = Workspace.open(place)
    decided = 0
    while (card := review.next_card(ws, THIRD, BENCHMARK)) is not None:
        review.decide(ws, THIRD, card.number, "accept")
        decided += 1
    ws.close()
    panel = scene.at(scene.open(place, THIRD), "review")
    assert isinstance(panel, ReviewPanel)
    scene.until(lambda: "your own" in words(panel))
    assert f"You decided on {decided} items." in words(panel)
    assert panel.empty.button.isHidden()  # an annotator may neither screen nor see agreement


def test_review_offers_the_screening_that_drafts_wait_for(scene: Scene, fresh):
    ws = Workspace.open(fresh)
    tasks.add(ws, "gated", "instruction", benchmark=BENCHMARK, format="triplet",
              protocol={"gate": "required"})  # fmt: skip
    write.submit(ws, THIRD, "gated", triplet("雨"))
    ws.close()
    window = scene.open(fresh)
    panel = scene.at(window, "review")
    scene.until(lambda: "1 draft waits for screening" in words(panel))
    panel.empty.button.click()
    dialog = window.findChild(ScreeningDialog)
    assert dialog is not None
    press(dialog, Qt.Key.Key_Escape)
