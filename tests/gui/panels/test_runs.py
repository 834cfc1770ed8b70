"""Making items, freezing, exporting, evaluating, stopping, resuming: from the window, for real."""

import json
import time
from pathlib import Path

from core.workflow.runs import runs
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from gui.panels.runs.panel import RunsPanel, figures
from gui.panels.sources.panel import SourcesPanel
from gui.panels.splits.panel import SplitsPanel
from resources import resource
from tests.gui.scene import BENCHMARK, Scene, bench_of
from tests.judged_runs import judge_by_hand


def test_items_are_made_from_articles_and_what_is_left_out_is_named(scene: Scene, empty_place):
    window = scene.open(empty_place)
    panel = scene.at(window, "sources")
    assert isinstance(panel, SourcesPanel)
    assert not panel.start_button.isEnabled()
    broken = empty_place / "broken.tar.gz"
    broken.write_bytes(b"\x1f\x8b not an archive")
    panel.add_paths([str(resource("demo")), str(broken), str(broken)])
    assert len(panel.chosen_paths()) == 2
    panel.per_article.setValue(2)
    panel.benchmark.setText(BENCHMARK)
    panel.start_button.click()
    scene.until(panel.ready)
    assert panel.says.text() == ""
    assert "articles" in panel.made_title.text()
    skipped = panel._tables["skipped"][1]
    assert skipped.data(skipped.index(0, 0)) == "broken.tar.gz"
    scene.until(lambda: bench_of(window).context.benchmark == BENCHMARK)
    assert scene.review(window).deck.current is not None


def test_a_folder_without_articles_is_said_in_a_sentence(scene: Scene, empty_place):
    window = scene.open(empty_place)
    panel = scene.at(window, "sources")
    (empty_place / "nothing").mkdir()
    panel.add_paths([str(empty_place / "nothing")])
    panel.start()
    scene.until(panel.ready)
    assert panel.says.text()
    assert "Traceback" not in panel.says.text()


def test_a_split_is_frozen_checked_and_exported(scene: Scene, full_place, tmp_path):
    window = scene.open(full_place)
    panel = scene.at(window, "splits")
    assert isinstance(panel, SplitsPanel)
    panel.check()
    scene.until(lambda: panel.findings.text().startswith("✓"))
    panel.export_to(str(tmp_path))
    scene.until(lambda: "written to" in panel.findings.text())
    written = tmp_path / "july-jsonl"
    assert any(written.iterdir())


def test_a_split_that_was_tampered_with_is_named(scene: Scene, full_place):
    folder = full_place / "releases" / "july"
    victim = next(path for path in folder.rglob("*.jsonl"))
    victim.write_text(victim.read_text(encoding="utf-8").replace("a", "b", 1), encoding="utf-8")
    panel = scene.at(scene.open(full_place), "splits")
    panel.check()
    scene.until(lambda: panel.findings.text().startswith("✕"))
    assert victim.name in panel.findings.text()


def test_freezing_under_a_name_that_is_taken_is_refused_in_words(scene: Scene, full_place):
    window = scene.open(full_place)
    panel = scene.at(window, "splits")
    panel.new_name.setText("july")
    panel.freeze_split()
    bench = bench_of(window)
    scene.until(lambda: bench.notice.isVisible())
    assert "july" in bench.notice.text
    ws = Workspace.open(full_place)
    assert len(freeze.all_splits(ws)) == 1
    ws.close()


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
    said = figures({"items": 1200, "accuracy": 0.25, "by": {"a": 1}, "digest": "a" * 64})
    assert said == "items 1,200 · accuracy 0.250 · digest aaaaaaaaaaaa…"


def test_a_finished_run_is_taken_in_by_the_window(scene: Scene, full_place):
    ws = Workspace.open(full_place)
    run = next(r for r in runs.runs(ws) if r.kind == "evaluate")
    from db.tables import ANSWER, RUN

    with ws.writing() as session:
        session.execute(ANSWER.delete().where(ANSWER.c.run_id == run.id))
        session.execute(RUN.update().where(RUN.c.id == run.id).values(taken_in_at=None))
    window = scene.open(full_place)
    scene.at(window, "runs")
    deadline = time.monotonic() + 20
    while not runs.info(ws, run.id).taken_in and time.monotonic() < deadline:
        scene.qtbot.wait(50)
    assert runs.info(ws, run.id).taken_in
    bench = bench_of(window)
    bench.beat()
    scene.until(lambda: run.id not in bench._taken)
    with ws.writing() as session:  # as for a run whose failed items are asked again
        session.execute(RUN.update().where(RUN.c.id == run.id).values(taken_in_at=None))
    bench.beat()
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
