"""The list of places: what waits at each, and the way back to where one was."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from core.workflow import queues
from core.workflow.check import adjudicate, rate
from core.workflow.workspace import Workspace
from tests.gui.scene import BENCHMARK, LEAD, SECOND, Scene, bench_of, press
from tests.gui.stages_workspace import FOURTH, REWRITES, start_audit


def badge(bench, panel: str) -> str:
    return bench.navigation.findChild(QLabel, f"badge of {panel}").text()


def test_every_queue_has_its_count_and_none_where_nothing_waits(scene: Scene, place):
    start_audit(place)
    bench = bench_of(scene.open(place, LEAD))
    scene.until(lambda: badge(bench, "adjudicate") == "2")
    assert badge(bench, "audit") == "3"
    assert badge(bench, "rate") == ""  # the rewrites are this person's own
    assert badge(bench, "write") == ""


def test_counts_are_what_the_queues_hand_out(place):
    start_audit(place)
    ws = Workspace.open(place)
    for person in (SECOND, FOURTH):
        counts = queues.stage_counts(ws, person, BENCHMARK)
        assert counts["adjudicate"] == len(adjudicate.disputed(ws, person, BENCHMARK))
        rated = 0
        while card := rate.next_card(ws, REWRITES, person, BENCHMARK):
            values = {criterion.name: 1 for criterion in card.rubric.criteria}
            rate.rate(ws, person, card.card.number, values)
            rated += 1
        assert counts["rate"] == rated > 0
        assert queues.stage_counts(ws, person, BENCHMARK)["rate"] == 0
    ws.close()


def test_a_decision_takes_one_from_the_count(scene: Scene, place):
    window = scene.open(place, LEAD)
    bench = bench_of(window)
    scene.until(lambda: badge(bench, "adjudicate") == "2")
    panel = scene.at(window, "adjudicate")
    press(panel, Qt.Key.Key_A)
    scene.until(lambda: panel.ready() and not window.tasks.busy)
    bench.poll()
    scene.until(lambda: badge(bench, "adjudicate") == "1")
