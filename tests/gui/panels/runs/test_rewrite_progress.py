"""A rewriting run in the window: watched in its funnel, opened item by item, continued."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from core.own_places import allow_place, news_place
from core.rewriting.params import RewriteParams
from core.sources.labelled.datasets import EMOTION
from core.workflow.production import rewrite_runs
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from gui.dialogs.rewrite_trace import RewriteTraceDialog, open_trace
from gui.panels.runs.panel import RunsPanel
from tests.core.rewriting.scripted_model import (
    BRANCHES,
    Part,
    ScriptedModel,
    cast,
    write_news,
)
from tests.core.rewriting.test_run import own_examples
from tests.gui.scene import Scene, bench_of, copy_of, make_empty
from tests.servers.model_server import LoopbackModel

WINDOW = {"since": date(2026, 1, 1), "until": date(2026, 6, 30)}


@pytest.fixture(scope="module")
def parts() -> list[Part]:
    return cast(own_examples(32), 32, branches=[*BRANCHES, "good", "nothing_found"])


@pytest.fixture(scope="module")
def template(parts: list[Part], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rewriting")
    with pytest.MonkeyPatch.context() as patch:
        # a module's fixture comes before the home of each test: nothing goes into the person's own
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        return make_stopped_run(folder / "ws", parts)


def make_stopped_run(folder: Path, parts: list[Part]) -> Path:
    """A workspace whose one rewriting run has stopped at its budget."""
    place = make_empty(folder)
    news = write_news(place / "news", parts)
    ws = Workspace.open(place)
    with LoopbackModel(answer=ScriptedModel(EMOTION, parts)) as server:
        params = RewriteParams(
            task=EMOTION, base_url=server.url, model="writer", budget_tokens=30_000,
            concurrency=2, knowledge=f"gdelt-files:{news}", **WINDOW,
        )  # fmt: skip
        folder = rewrite_runs.start(ws, "b", "emotion", params, tuple(p.example for p in parts))
        info = runs.wait(ws, folder.spec().id, 60)
    assert 4 < info.done < 32
    ws.close()
    return place


@pytest.fixture
def place(template: Path, tmp_path: Path) -> Path:
    return copy_of(template, tmp_path / "ws")


@pytest.fixture
def model(parts: list[Part]) -> Iterator[LoopbackModel]:
    with LoopbackModel(answer=ScriptedModel(EMOTION, parts)) as server:
        yield server


def runs_panel(scene: Scene, place: Path) -> RunsPanel:
    panel = scene.at(scene.open(place), "runs")
    assert isinstance(panel, RunsPanel)
    return panel


def run_folder(place: Path) -> Path:
    (folder,) = (place / "runs").iterdir()
    return folder


def test_the_funnel_shows_every_step_and_is_told_in_words(scene: Scene, place: Path):
    panel = runs_panel(scene, place)
    shown = panel.pages.get("rewrite")
    assert shown is not None
    progress = shown.progress
    assert progress is not None
    assert shown.funnel.rows == (
        *((s.step, s.passed, s.entered - s.passed) for s in progress.stages),
        ("accepted", progress.funnel["accepted"], 0),
    )
    said = shown.funnel.accessibleDescription()
    assert f"{progress.finished} of 32 items finished" in said
    assert "No news about its entities was found" in said
    assert "of the budget of 30,000 left" in said
    assert "Round 1:" in shown.rounds.text()
    assert panel.state.text().startswith("token budget used up")


def test_a_step_of_the_funnel_opens_the_items_that_left_there(
    scene: Scene, place: Path, parts: list[Part]
):
    panel = runs_panel(scene, place)
    shown = panel.pages.get("rewrite")
    assert shown is not None
    assert shown.progress is not None
    shown.funnel.setFocus()
    scene.qtbot.keyClick(shown.funnel, Qt.Key.Key_Down)
    scene.qtbot.keyClick(shown.funnel, Qt.Key.Key_Down)
    scene.qtbot.keyClick(shown.funnel, Qt.Key.Key_Return)
    assert panel.tabs.currentWidget() is shown.items_page
    listed = [shown.model.line(row) for row in range(shown.model.rowCount())]
    assert {line.step for line in listed if line} == {"knowledge"}
    assert len(listed) == sum(shown.progress.stages[1].left.values())
    shown.choice.setCurrentIndex(0)
    assert shown.model.rowCount() == shown.progress.finished
    done = {line.id for line in shown.progress.items}
    part = next(p for p in parts if p.example.id in done)
    shown.search.setText(part.example.text[:60].upper())
    assert [shown.model.line(r).id for r in range(shown.model.rowCount())] == [part.example.id]
    shown.search.setText("no such words")
    assert shown.model.rowCount() == 0
    assert not shown.open_button.isEnabled()


def test_a_journey_is_opened_step_by_step_with_prompts_and_replies(
    scene: Scene, place: Path, parts: list[Part]
):
    panel = runs_panel(scene, place)
    shown = panel.pages.get("rewrite")
    assert shown is not None
    assert shown.progress is not None
    line = next(line for line in shown.progress.items if line.rounds > 1)
    shown.search.setText(line.id)
    shown.open_trace()
    dialog = panel.findChild(RewriteTraceDialog)
    scene.until(lambda: dialog.trace is not None)
    assert line.text in dialog.page.toPlainText()
    assert "Round 2" in dialog.page.toPlainText()
    titles = [dialog.steps.item(row).text() for row in range(dialog.steps.count())]
    assert titles[1] == "Entities"
    assert any(title.endswith("round 2") for title in titles)
    for row in range(1, dialog.steps.count()):
        dialog.steps.setCurrentRow(row)
        step = dialog.trace.steps[row - 1]
        text = dialog.page.toPlainText().replace("\u2028", "\n")
        assert (step.query or step.prompt.strip()) in text
        assert all(fact.url in text for fact in step.facts)
        assert step.reply in text
    dialog.close()


def test_an_items_life_leads_to_its_journey(
    scene: Scene, parts: list[Part], model: LoopbackModel, empty_place: Path
):
    from gui.dialogs.item_history import ItemHistoryDialog, open_history

    news = write_news(empty_place / "news", parts)
    ws = Workspace.open(empty_place)
    params = RewriteParams(
        task=EMOTION, base_url=model.url, model="writer", knowledge=f"gdelt-files:{news}", **WINDOW
    )
    folder = rewrite_runs.start(ws, "b", "emotion", params, (parts[0].example,))
    runs.wait(ws, folder.spec().id, 60)
    rewrite_runs.take_in(ws, folder.spec().id)
    ws.close()
    window = scene.open(empty_place)
    panel = scene.at(window, "items")
    open_history(panel.context, 2, panel)
    scene.until(lambda: panel.findChild(ItemHistoryDialog) is not None)
    life = panel.findChild(ItemHistoryDialog)
    assert life.trace_button.isVisible() is not life.item_history.hidden
    life.trace_button.click()
    dialog = life.findChild(RewriteTraceDialog)
    scene.until(lambda: dialog.trace is not None)
    assert dialog.trace.item == parts[0].example.id
    assert dialog.trace.outcome == "accepted"
    dialog.close()
    life.close()


def test_a_journey_that_is_not_there_is_told_in_words(scene: Scene, place: Path):
    panel = runs_panel(scene, place)
    dialog = open_trace(panel.context, "nobody", panel)
    scene.until(lambda: "nobody" in dialog.says.text())
    dialog.close()


def test_a_larger_budget_lets_the_run_go_on_while_the_funnel_grows(
    scene: Scene, place: Path, model: LoopbackModel
):
    folder = run_folder(place)
    spec = json.loads((folder / "spec.json").read_text(encoding="utf-8"))
    spec["params"]["base_url"] = model.url
    spec["params"]["knowledge"] = f"gdelt-files:{place / 'news'}"
    allow_place(news_place(spec["params"]["knowledge"]))
    (folder / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
    panel = runs_panel(scene, place)
    shown = panel.pages.get("rewrite")
    assert shown is not None
    assert shown.progress is not None
    before = shown.progress.finished
    assert panel.budget_button.isVisible()
    assert panel.budget.value() == 60_000
    panel.budget.setValue(5_000_000)
    panel.budget_button.click()
    scene.until(lambda: panel.state.text().startswith("finished"))
    scene.until(lambda: shown.progress is not None and shown.progress.finished == 32)
    assert before < 32
    assert shown.progress.budget == 5_000_000
    assert not panel.budget_button.isVisible()
    assert shown.model.rowCount() == 32
    scene.until(lambda: all(run.taken_in for run in runs.runs(panel.context.workspace)))


def test_a_budget_that_is_spent_already_is_refused_in_words(scene: Scene, place: Path):
    panel = runs_panel(scene, place)
    shown = panel.pages.get("rewrite")
    assert shown is not None
    assert shown.progress is not None
    panel.budget.setValue(5)
    panel.budget_button.click()
    notice = bench_of(scene.windows[0]).notice
    scene.until(notice.isVisible)
    assert f"has already used {shown.progress.tokens:,} tokens" in notice.text


def test_another_kind_of_run_has_its_log_alone(scene: Scene, full_place: Path):
    panel = runs_panel(scene, full_place)
    assert [panel.tabs.tabText(i) for i in range(panel.tabs.count())] == ["Log"]


def big_run(place: Path, count: int) -> None:
    """Turn the finished items of the run into ``count`` of them."""
    folder = run_folder(place)
    lines = (folder / "shard-000.jsonl").read_text(encoding="utf-8").splitlines()
    calls = (folder / "calls-000.jsonl").read_text(encoding="utf-8").splitlines()
    heads = [json.dumps(json.loads(line)["id"]) for line in lines]
    with (folder / "shard-000.jsonl").open("w", encoding="utf-8") as records:
        for number in range(count):
            line, head = lines[number % len(lines)], heads[number % len(lines)]
            records.write(line.replace(head, f'"many-{number}"') + "\n")
    (folder / "calls-000.jsonl").write_text(
        "".join(line + "\n" for _ in range(count // 40) for line in calls), encoding="utf-8"
    )
    spec = json.loads((folder / "spec.json").read_text(encoding="utf-8"))
    (folder / "spec.json").write_text(json.dumps({**spec, "total": count}), encoding="utf-8")


def test_all_of_ten_thousand_items_are_shown_at_every_step(scene: Scene, place: Path):
    big_run(place, 10_000)
    panel = scene.at(scene.open(place), "runs")
    assert isinstance(panel, RunsPanel)
    shown = panel.pages.get("rewrite")
    assert shown is not None
    scene.until(lambda: shown.progress is not None and shown.progress.finished == 10_000)
    for step in ("knowledge", "label", "accepted", "summary"):
        shown.show_left_at(step)
        scene.until(lambda: not panel.context.tasks.busy)
        assert shown.model.rowCount() < 10_000
    shown.choice.setCurrentIndex(0)
    scene.until(lambda: shown.model.rowCount() == 10_000)
