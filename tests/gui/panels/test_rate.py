"""Rating an item whose rubric was changed meanwhile."""

from pathlib import Path

from core.workflow import rubrics
from gui.panels.rate.panel import RatePanel
from gui.panels.rate.rubric import CriterionRow
from resources import resource
from tests.gui.scene import THIRD, Scene
from tests.gui.stages_workspace import make_stages


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
