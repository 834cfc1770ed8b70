"""Rating: what stays in sight, how far one is, and a rubric that was changed meanwhile."""

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QWidget

from core.families import family
from core.workflow import rubrics, tasks
from core.workflow.check import rate
from core.workflow.production import write
from core.workflow.workspace import Workspace
from gui.panels.my_work.panel import MyWorkPanel
from gui.panels.rate.panel import RatePanel
from gui.panels.rate.rubric import CriterionRow
from gui.preferences import Preferences
from resources import resource
from tests.gui.scene import BENCHMARK, CTRL, LEAD, SECOND, THIRD, Scene, bench_of, press, rest
from tests.gui.stages_workspace import REWRITES, make_stages

DIGITS = (Qt.Key.Key_3, Qt.Key.Key_2, Qt.Key.Key_1, Qt.Key.Key_0)


def criteria(panel: RatePanel) -> list[str]:
    rows = panel.rubric.findChildren(CriterionRow)
    return [row.criterion.name for row in rows if row.isVisible()]


def test_a_rubric_that_changed_meanwhile_is_shown_once_the_hand_in_is_refused(
    scene: Scene, tmp_path: Path, monkeypatch
):
    place = make_stages(tmp_path / "stages")
    ships = (resource("rubrics") / "coreeval.json").read_text(encoding="utf-8")
    (tmp_path / "rubrics").mkdir()
    older = ships.replace('"name": "fluency"', '"name": "smoothness"', 1)
    (tmp_path / "rubrics" / "coreeval.json").write_text(older, encoding="utf-8")
    rubrics.rubrics.cache_clear()
    with monkeypatch.context() as earlier:
        earlier.setattr(rubrics, "resource", lambda *parts: tmp_path.joinpath(*parts))
        panel = scene.at(scene.open(place, THIRD), "rate")
    rubrics.rubrics.cache_clear()
    assert isinstance(panel, RatePanel)
    seen = panel.page.in_sight
    assert criteria(panel) == ["smoothness", "coherence", "factuality", "accuracy"]
    for row in panel.rubric.findChildren(CriterionRow):
        row.choose(row.criterion.values[0].value)
    panel.hand_in()
    scene.until(lambda: panel.ready() and criteria(panel)[:1] == ["fluency"])
    assert panel.page.in_sight == seen
    assert criteria(panel) == ["fluency", "coherence", "factuality", "accuracy"]
    assert panel.rubric.values == {}


def rating(scene: Scene, place: Path, height: int = 720) -> RatePanel:
    """Rate in front, in a window of 1280 pixels in width."""
    window = scene.open(place, THIRD, kept=Preferences(size=(1280, height)))
    window.setMinimumSize(0, 0)
    window.resize(1280, height)
    panel = scene.at(window, "rate")
    assert isinstance(panel, RatePanel)
    return panel


def rate_by_keys(scene: Scene, panel: RatePanel, *digits: Qt.Key) -> None:
    for digit in digits or DIGITS:
        press(panel, digit)
    press(panel, Qt.Key.Key_Return, CTRL)
    rest(scene, panel)


def is_whole(widget: QWidget) -> bool:
    """Whether a widget is in sight from top to bottom, in whatever it scrolls in."""
    seen = widget.visibleRegion().boundingRect()
    return widget.isVisible() and seen.height() >= widget.height()


def meanings(panel: RatePanel) -> list[QLabel]:
    """What the values of the criterion in front mean."""
    labels = panel.rubric.findChildren(QLabel)
    return [label for label in labels if label.isVisible() and label.text()[:3] in ("1  ", "0  ")]


def test_all_of_a_criterion_is_in_sight_and_nothing_moves_from_one_to_the_next(scene, place):
    panel = rating(scene, place)
    fixed = (*panel.rubric.findChildren(CriterionRow), panel.rubric.note, panel.rubric.submit)
    before = [part.mapTo(panel, QPoint()) for part in fixed]
    for digit in DIGITS:
        scene.turn()
        (scale,) = meanings(panel)
        assert is_whole(scale), scale.text()
        assert is_whole(panel.rubric.submit)
        assert [part.mapTo(panel, QPoint()) for part in fixed] == before
        press(panel, digit)


def test_the_criterion_in_front_and_its_scale_are_in_sight_however_many_there_are(
    scene, tmp_path: Path
):
    place = make_stages(tmp_path / "stages")
    scale = "\n".join(
        f"{value} What the value {value} means, in a line of words." for value in (1, 2, 3)
    )
    rubric = "\n\n".join(f"Criterion {n}: Is it so?\n{scale}" for n in range(1, 13))
    ws = Workspace.open(place)
    tasks.change(ws, REWRITES, LEAD, rubric=rubric, benchmark=BENCHMARK)
    ws.close()
    panel = rating(scene, place, 640)
    for row in panel.rubric.findChildren(CriterionRow):
        assert panel.window().focusWidget() is row
        scene.turn()
        assert is_whole(row), row.criterion.name
        (scale,) = meanings(panel)
        assert is_whole(scale), scale.text()
        press(panel, Qt.Key.Key_3)


def test_how_far_one_is_counts_ones_own_ratings(scene, place):
    panel = rating(scene, place)
    assert panel.progress.text().startswith("0 rated by you, 5 left · 0 of 5 items")
    rate_by_keys(scene, panel)
    assert panel.progress.text().startswith("1 rated by you, 4 left · 0 of 5 items")
    rate_by_keys(scene, panel)
    assert panel.progress.text().startswith("2 rated by you, 3 left · 0 of 5 items")


def test_what_others_gave_the_last_item_stays_in_sight_and_a_button_leads_to_ones_ratings(
    scene, place
):
    ws = Workspace.open(place)
    values = {"fluency": 1, "coherence": 1, "factuality": 0, "accuracy": 0}
    while (card := rate.next_card(ws, REWRITES, SECOND, BENCHMARK)) is not None:
        rate.rate(ws, SECOND, card.card.number, values)
    ws.close()
    panel = rating(scene, place)
    for _ in range(5):
        rate_by_keys(scene, panel)
    assert panel.empty.isVisible()
    assert panel.says.isVisible()
    assert "Other raters: Fluency 1" in panel.says.text()
    assert panel.progress.isVisible()
    assert panel.progress.text().startswith("5 rated by you, 0 left · 5 of 5 items")
    panel.empty.button.click()
    mine = bench_of(panel.window()).panel("my_work")
    assert isinstance(mine, MyWorkPanel)
    scene.until(lambda: mine.isVisible() and mine.lists.currentItem() is not None)
    rest(scene, mine)
    assert mine.lists.currentItem().text().startswith("Rated")
    assert mine.table.model().rowCount() == 5


def test_the_next_task_that_waits_is_one_step_from_the_last_item_of_a_task(scene, place):
    ws = Workspace.open(place)
    tasks.add(ws, "another", "rewrite", benchmark=BENCHMARK, format="updated",
              protocol={"rating_sample": "1", "raters": "1"})  # fmt: skip
    sample = family("rewrite").sample("updated").payload
    write.submit(ws, LEAD, "another", {**sample, "base": "another-0001"}, format="updated")
    rate.draw(ws, "another", LEAD, seed=3)
    ws.close()
    panel = rating(scene, place)
    for _ in range(5):
        rate_by_keys(scene, panel)
    assert panel.tasks.isVisible()
    assert panel.empty.button.text() == "Rate another"
    panel.empty.button.click()
    rest(scene, panel)
    assert panel.can_rate()
    assert panel.task() == "another"
