"""Rating an item whose task was changed by somebody else meanwhile."""

from dataclasses import replace
from pathlib import Path

from gui.panels.rate.panel import RatePanel
from tests.gui.scene import THIRD, Scene
from tests.gui.stages_workspace import make_stages


def test_a_rubric_that_changed_meanwhile_is_shown_once_the_hand_in_is_refused(
    scene: Scene, tmp_path: Path
):
    panel = scene.at(scene.open(make_stages(tmp_path / "stages"), THIRD), "rate")
    assert isinstance(panel, RatePanel)
    scene.until(lambda: panel.ready() and not panel.context.tasks.busy)
    card = panel._card
    assert card is not None
    first, *others = card.rubric.criteria
    old = (first.model_copy(update={"name": "old"}), *others)
    panel._card = replace(card, rubric=card.rubric.model_copy(update={"criteria": old}))
    panel.rubric.show_rubric(panel._card.rubric)
    for one in panel.rubric._rows:
        one.choose(one.criterion.values[0].value)
    panel.hand_in()
    scene.until(lambda: panel.ready() and not panel.context.tasks.busy)
    assert panel._card == card
    assert [one.criterion for one in panel.rubric._rows] == list(card.rubric.criteria)
    assert panel.rubric.values == {}
