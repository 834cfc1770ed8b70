"""Runs in the window: stopped, resumed, gone, taken in."""

import json
import re
from pathlib import Path

from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from gui.panels.runs.figures import figures
from gui.panels.runs.panel import RunsPanel
from tests.finished_runs import judge_by_hand
from tests.gui.scene import Scene, bench_of
from tests.tampering import disarm


def long_run(place: Path) -> str:
    """A run that is stopped after some items: its folder is real, its worker is gone."""
    ws = Workspace.open(place)
    newest = next(run for run in runs.runs(ws) if run.kind == "evaluate")
    folder = Path(newest.folder)
    (folder / "result.json").unlink()
    shard = next(folder.glob("shard-*.jsonl"))
    kept = shard.read_text(encoding="utf-8").splitlines(keepends=True)
    shard.write_text("".join(kept[: len(kept) // 2]), encoding="utf-8")
    (folder / "stop").write_text("", encoding="utf-8")
    ws.close()
    return newest.id


def test_a_stopped_run_is_resumed_and_finishes_what_was_left(scene: Scene, full_place):
    run_id = long_run(full_place)
    window = scene.open(full_place)
    panel = scene.at(window, "runs")
    assert isinstance(panel, RunsPanel)
    panel.take(run_id)
    scene.until(lambda: panel.can_resume())
    assert panel.state.text().startswith("stopped")
    panel.resume_run()
    scene.until(lambda: panel.state.text().startswith("finished"))
    ws = Workspace.open(full_place)
    records = [
        json.loads(text)["id"]
        for path in Path(runs.info(ws, run_id).folder).glob("shard-*.jsonl")
        for text in path.read_text(encoding="utf-8").splitlines()
    ]
    assert len(records) == len(set(records)) == runs.info(ws, run_id).total
    ws.close()


def test_a_run_whose_folder_is_gone_is_named_and_the_list_goes_on(scene: Scene, full_place):
    import shutil

    ws = Workspace.open(full_place)
    newest = runs.runs(ws)[0]
    ws.close()
    shutil.rmtree(newest.folder)
    panel = scene.at(scene.open(full_place), "runs")
    panel.take(newest.id)
    scene.until(lambda: panel.state.text().startswith("failed"))
    assert panel.model.rowCount() == 3


def test_the_single_figures_of_a_result_are_one_line():
    said = figures({"items": 1200, "cost": 0.25, "by": {"a": 1}, "digest": "a" * 64})
    assert said == "items 1,200 · cost 0.250"


def test_a_finished_run_is_taken_in_by_the_window(scene: Scene, full_place):
    ws = Workspace.open(full_place)
    run = next(r for r in runs.runs(ws) if r.kind == "evaluate")
    from db.tables import ANSWER, RUN

    with ws.writing() as session:
        disarm(session)
        session.execute(ANSWER.delete().where(ANSWER.c.run_id == run.id))
        session.execute(RUN.update().where(RUN.c.id == run.id).values(taken_in_at=None))
    window = scene.open(full_place)
    scene.at(window, "runs")
    scene.until(lambda: runs.info(ws, run.id).taken_in)
    bench = bench_of(window)
    scene.until(lambda: bench.notice.text.startswith("Evaluation finished: "))
    bench.poll()
    scene.until(lambda: any(one.id == run.id and one.taken_in for one in bench.last_poll.ended))
    with ws.writing() as session:  # as for a run whose failed items are asked again
        session.execute(RUN.update().where(RUN.c.id == run.id).values(taken_in_at=None))
    bench.poll()
    scene.until(lambda: runs.info(ws, run.id).taken_in)
    ws.close()


def test_a_finished_run_of_any_kind_is_taken_in_by_the_window(scene: Scene, full_place):
    ws = Workspace.open(full_place)
    run = next(r for r in runs.runs(ws) if r.kind == "evaluate")
    judge_by_hand(ws, run.id)
    judging = runs.judging_of(ws, run.id)
    assert judging is not None
    scene.open(full_place)
    scene.until(lambda: runs.info(ws, judging.id).taken_in)
    ws.close()


def test_a_finished_run_leads_to_its_result(scene: Scene, full_place):
    ws = Workspace.open(full_place)
    finished = {run.kind: run.id for run in runs.runs(ws)}
    ws.close()
    window = scene.open(full_place)
    bench = bench_of(window)
    panel = scene.at(window, "runs")
    for kind, place, words in (
        ("evaluate", "scores", "Show the scores"), ("generate", "items", "Show the items"),
    ):  # fmt: skip
        bench.show_panel("runs")
        panel.take(finished[kind])
        scene.until(lambda run=finished[kind]: panel.folder.text().endswith(run))
        assert panel.result_button.text() == words
        panel.result_button.click()
        assert bench.front == place
        scene.until(lambda: not window.tasks.busy)
    shown = scene.at(window, "scores")
    scene.until(lambda: shown.chosen_run() == finished["evaluate"])
    assert bench.panel("items").shown_filters.run == finished["generate"]


def test_figures_have_names_in_the_language_of_the_window():
    from core.i18n import set_language

    values = {"items": 3, "prompt_tokens": 0, "too_long": 0, "cut_prompts": 2, "questions": "ab",
              "digest": "abc", "resumed": 1}  # fmt: skip
    assert figures(values) == "items 3 · prompt tokens 0 · shortened prompts 2 · already finished 1"
    set_language("zh")
    try:
        assert not re.search("[a-z]", figures(values))
    finally:
        set_language("en")
