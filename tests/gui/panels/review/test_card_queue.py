"""The queue of a reviewer whose claims other windows share."""

from pathlib import Path

from PySide6.QtCore import Qt

from core.workflow.check import leases, review
from core.workflow.workspace import Workspace
from gui.panels.review.panel import ReviewPanel
from tests.gui.scene import BENCHMARK, LEAD, SECOND, Scene, decisions_of, press, rest


def test_closing_a_second_window_leaves_the_item_in_front_to_who_reads_it(
    scene: Scene, small_place: Path
):
    first = scene.open(small_place, LEAD)
    panel = scene.review(first)
    second = scene.open(small_place, LEAD)
    assert scene.review(second).item() == panel.item()
    second.close()
    ws = Workspace.open(small_place)
    others = review.next_card(ws, SECOND, BENCHMARK)
    assert others is not None
    assert others.number not in held(panel)
    first.close()
    assert leases.release(ws, LEAD) == 0
    ws.close()


def test_an_item_whose_claim_had_run_out_does_not_end_the_queue(scene: Scene, small_place: Path):
    panel = scene.review(scene.open(small_place, LEAD))
    ws = Workspace.open(small_place)
    leases.release(ws, LEAD)
    ws.close()
    for _ in range(3):
        press(panel, Qt.Key.Key_A)
        rest(scene, panel)
    assert len(decisions_of(small_place, LEAD)) == 3


def held(panel: ReviewPanel) -> set[int]:
    """The items that a panel has: the one in front and the one after it."""
    queue = panel.queue
    return {one.card.number for one in (queue.current, queue.following) if one is not None}
