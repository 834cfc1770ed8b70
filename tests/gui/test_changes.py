"""A write says what it changed: every view of the window reads again, and so do other windows."""

import re
from pathlib import Path

from PySide6.QtCore import Qt

import gui
from core.workflow.check import review
from core.workflow.production import write
from core.workflow.splits import lifecycle
from core.workflow.workspace import Workspace
from gui.panels.adjudicate.panel import AdjudicatePanel
from gui.panels.items.panel import ItemsPanel
from gui.panels.leaderboard.panel import LeaderboardPanel
from tests.gui.scene import BENCHMARK, LEAD, SECOND, THIRD, Scene, bench_of, press, rest
from tests.gui.stages_workspace import FOURTH, MOODS, mood


def test_nobody_announces_a_change_by_hand():
    root = Path(gui.__file__).parent
    announcing = [
        f"{path.relative_to(root)}: {line.strip()}"
        for path in root.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"\.tell\(|\.announce\(|\.changed\.emit\(Change", line)
    ]
    # the polls of runs and of questions see what others did
    assert [line.split(":")[0] for line in announcing] == ["context.py"] * 3 + [
        "window/workbench.py"
    ] * 2, announcing


def test_a_decision_in_review_is_told_to_the_list_of_items_at_once(scene: Scene, small_place: Path):
    window = scene.open(small_place)
    bench = bench_of(window)
    items = scene.at(window, "items")
    assert isinstance(items, ItemsPanel)
    reviewing = scene.review(window)
    before = reviewing.queue.done
    topics: list[str] = []
    bench.context.changed.connect(lambda change: topics.extend(change.topics))
    press(reviewing, Qt.Key.Key_A)
    scene.until(lambda: reviewing.queue.done == before + 1)
    assert items.stale
    assert sorted(topics) == ["decisions", "items"]


def test_public_scores_are_told_as_such(scene: Scene, full_place: Path, tmp_path: Path):
    window = scene.open(full_place)
    panel = scene.at(window, "leaderboard")
    assert isinstance(panel, LeaderboardPanel)
    table = tmp_path / "mmlu.csv"
    table.write_text("model,domain,accuracy,n\nbaseline:tfidf,cs,0.7,100\n", encoding="utf-8")
    topics: list[str] = []
    panel.context.changed.connect(lambda change: topics.extend(change.topics))
    panel.add_public(str(table))
    scene.until(lambda: topics == ["public_scores"])
    rest(scene, panel)


def test_a_dispute_that_others_cause_is_shown_without_asking(scene: Scene, fresh: Path):
    ws = Workspace.open(fresh)
    item = write.submit(ws, THIRD, MOODS, mood("服务很好，菜一般。", "正面"))
    review.decide(ws, SECOND, item.number, "accept")
    review.next_card(ws, FOURTH, BENCHMARK)
    window = scene.open(fresh, LEAD)
    panel = scene.at(window, "adjudicate")
    assert isinstance(panel, AdjudicatePanel)
    assert panel.empty.isVisible()
    review.decide(ws, FOURTH, item.number, "reject", reason="ambiguous")
    ws.close()
    scene.until(lambda: not panel.empty.isVisible() and panel.ready())
    assert panel.list.count() == 1


def test_a_split_that_another_program_sealed_is_shown_as_sealed(scene: Scene, full_place: Path):
    window = scene.open(full_place)
    panel = scene.at(window, "splits")
    ws = Workspace.open(full_place)
    lifecycle.seal(ws, "july", LEAD)
    ws.close()
    scene.until(lambda: panel.ready() and "sealed" in _cells(panel))


def _cells(panel) -> list[str]:
    model = panel.model
    return [
        str(model.index(row, column).data())
        for row in range(model.rowCount())
        for column in range(model.columnCount())
    ]
