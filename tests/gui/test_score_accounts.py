"""How the answers of a run ended and what they cost, beside its scores."""

from pathlib import Path

from core.evaluation.params import EvaluateParams
from core.workflow import administer, evaluate, runs
from core.workflow.workspace import Workspace
from gui.panels.scores import ScoresPanel
from tests.gui.scene import BENCHMARK, LEAD, Scene
from tests.servers.model_server import LoopbackModel
from tests.splits import freeze_split, varied


def test_the_chosen_run_tells_how_its_answers_ended(scene: Scene, tmp_path: Path):
    place = tmp_path / "评测"
    ws = Workspace.create(place)
    administer.ensure_person(ws, LEAD, "lead")
    freeze_split(ws, {"scp": [varied(n) for n in range(8)]}, "s", BENCHMARK)
    cut = iter([{"content": "<think>on and on", "finish_reason": "length"}, {"content": ""}])
    with LoopbackModel(answer=lambda _: next(cut, "A")) as server:
        given = EvaluateParams(split="s", engine="openai", model="m", base_url=server.url,
                               mode="completion")  # fmt: skip
        runs.wait(ws, evaluate.start(ws, "s", given).spec().id)
    ws.close()
    panel = scene.at(scene.open(place), "scores")
    assert isinstance(panel, ScoresPanel)
    scene.until(lambda: panel.ready() and "cut off while thinking" in panel.missing.text())
    said = panel.missing.text()
    assert "1 empty, 0 cut off, 1 cut off while thinking" in said
    assert "5 clusters" in said
    assert "tokens in" in said
