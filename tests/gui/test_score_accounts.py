"""How the answers of a run ended, what they cost, and asking again what failed."""

from pathlib import Path

from core.evaluation.params import EvaluateParams
from core.workflow import people
from core.workflow.evaluation import score_run, start
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from gui.panels.runs.panel import RunsPanel
from gui.panels.scores.panel import ScoresPanel
from tests.gui.scene import BENCHMARK, LEAD, Scene
from tests.servers.model_server import LoopbackModel, asked_text
from tests.splits import freeze_split, varied


def test_the_chosen_run_tells_how_its_answers_ended(scene: Scene, tmp_path: Path):
    place = tmp_path / "评测"
    ws = Workspace.create(place)
    people.ensure_person(ws, LEAD, "lead")
    freeze_split(ws, {"scp": [varied(n) for n in range(8)]}, "s", BENCHMARK)
    cut = iter([{"content": "<think>on and on", "finish_reason": "length"}, {"content": ""}])
    with LoopbackModel(answer=lambda _: next(cut, "A")) as server:
        given = EvaluateParams(split="s", engine="openai", model="m", base_url=server.url,
                               mode="completion")  # fmt: skip
        runs.wait(ws, start.start(ws, "s", given).spec().id)
    ws.close()
    panel = scene.at(scene.open(place), "scores")
    assert isinstance(panel, ScoresPanel)
    scene.until(lambda: panel.ready() and "cut off while thinking" in panel.missing.text())
    said = panel.missing.text()
    assert "1 empty, 0 cut off, 1 cut off while thinking" in said
    assert "5 clusters" in said
    assert "tokens in" in said


def test_what_failed_is_asked_again_from_the_window(scene: Scene, tmp_path: Path):
    place = tmp_path / "评测"
    ws = Workspace.create(place)
    people.ensure_person(ws, LEAD, "lead")
    freeze_split(ws, {"scp": [varied(n) for n in range(8)]}, "s", BENCHMARK)
    sick = True

    def answer(body: dict) -> object:
        refused = {"status": 400, "body": {"error": {"message": "too long"}}}
        return refused if sick and "item-3）" in asked_text(body) else "A"

    with LoopbackModel(answer=answer) as server:
        given = EvaluateParams(split="s", engine="openai", model="m", base_url=server.url,
                               mode="completion")  # fmt: skip
        run = start.start(ws, "s", given).spec().id
        runs.wait(ws, run)
        panel = scene.at(scene.open(place), "runs")
        assert isinstance(panel, RunsPanel)
        scene.until(lambda: panel.again_button.isVisible())
        assert "1 question failed" in panel.again_words.text()
        sick = False
        panel.again_button.click()
        scene.until(
            lambda: (
                (runs.result(ws, run) or {}).get("outcomes") == {"ok": 8}
                and panel.ready()
                and panel.state.text().startswith("finished")
                and not panel.again_button.isVisible()
            )
        )
        assert sum(server.asked().values()) == 9
    assert score_run.report(ws, run).answered == 8
    ws.close()
