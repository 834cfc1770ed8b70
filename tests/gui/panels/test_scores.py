"""What the scores say of a judge: how far it is, what it found, whether people agree with it."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from core.evaluation.params import EvaluateParams
from core.evaluation.scoring import AccuracyEstimate, Report
from core.families.base import ItemContent
from core.i18n import set_language
from core.workflow import people
from core.workflow.evaluation import score_run, start
from core.workflow.runs import runs
from core.workflow.sealing import score_records
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from gui.context import FILE
from gui.panels.runs.panel import RunsPanel
from gui.panels.scores import panel as scores_panel
from gui.panels.scores.panel import ScoresPanel, headline, judged_words
from tests.finished_runs import judge_by_hand, take_in_answers
from tests.gui.scene import BENCHMARK, LEAD, SECOND, Scene, bench_of
from tests.servers.model_server import LoopbackModel, asked_text
from tests.splits import freeze_split, leaking_items, varied

JUDGED = {
    "run": "r",
    "model": "critic",
    "state": "finished",
    "judged": 28,
    "answers": 40,
    "error": "",
    "judges": [
        {
            "means": {"creativity": 0.5714, "fluency": None},
            "agreement": {
                "creativity": {
                    "answers": 12,
                    "coefficients": {
                        "spearman": {"title": "Spearman", "value": 0.81},
                        "kendall": {"title": "Kendall", "value": None},
                    },
                }
            },
        }
    ],
}


def test_a_run_without_a_judge_says_nothing():
    assert judged_words(None) == ""


def test_counts_means_and_agreement_are_said_and_what_is_undefined_is_left_out():
    assert judged_words(JUDGED).splitlines() == [
        "critic has judged 28 of 40 answers: finished.",
        "creativity 57.1%",
        "Agreement with people on 12 answers, creativity: Spearman 0.81.",
    ]


def test_a_judging_under_way_is_told_in_chinese_too():
    set_language("zh")
    try:
        assert "critic" in judged_words({**JUDGED, "state": "running", "judges": []})
    finally:
        set_language("en")


def test_the_headline_names_the_best_on_the_newest_split_and_all_who_are_level():
    def of(model: str, split: str, right: int, items: int = 10) -> Report:
        return Report(split, "e", model, AccuracyEstimate(items, right), items, 0, {}, 0, {}, ())

    found = [of("a", "new", 3), of("b", "new", 3), of("c", "new", 1), of("d", "old", 9)]
    assert headline(found) == (
        "Best of 3 evaluations on new: a, b, 30.0% (95% interval 10.8 to 60.3)."
    )
    assert headline(found[3:]) == (
        "The only evaluation on old: d, 90.0% (95% interval 59.6 to 98.2)."
    )
    assert headline([of("a", "new", 0, 0)]) == "No finished evaluations yet."


@pytest.fixture
def judged_place(tmp_path: Path) -> Path:
    """A workspace with a judged run of free texts."""
    ws = Workspace.create(tmp_path / "评测")
    people.ensure_person(ws, LEAD, "lead")
    people.ensure_person(ws, SECOND, "specialist")
    payloads = [
        {"instruction": "写一句", "input": f"题{n}", "output": f"春风{n}"} for n in range(8)
    ]
    freeze_split(
        ws, {"诗": [ItemContent("instruction", "triplet", p) for p in payloads]}, "s", BENCHMARK
    )
    uids = [member.uid for member in freeze.members_of(ws, "s")]
    run = take_in_answers(ws, tmp_path, {uid: f"春雨{n}" for n, uid in enumerate(uids)})
    judge_by_hand(ws, run)
    ws.close()
    return tmp_path / "评测"


def scores_of(scene: Scene, place: Path, **more: str) -> ScoresPanel:
    panel = scene.at(scene.open(place, **more), "scores")
    assert isinstance(panel, ScoresPanel)
    scene.until(lambda: panel.ready() and not panel.context.tasks.busy)
    return panel


def test_free_text_is_measured_by_the_metric_that_is_chosen(
    scene: Scene, judged_place: Path, monkeypatch: pytest.MonkeyPatch
):
    with LoopbackModel() as server:
        monkeypatch.setenv("BENCHSEAL_EMBEDDINGS_URL", server.url)
        monkeypatch.setenv("BENCHSEAL_EMBEDDINGS_MODEL", "embedder")
        extras = scores_of(scene, judged_place).extras
        offered = [extras.metric_box.itemData(at) for at in range(extras.metric_box.count())]
        assert offered == ["", "chrf", "bleu", "embedding_similarity"]
        for name, said in (("chrf", "chrF (sacrebleu"), ("embedding_similarity", "embedder")):
            extras.metric_box.setCurrentIndex(extras.metric_box.findData(name))
            extras.metric_box.activated.emit(extras.metric_box.currentIndex())
            scene.until(lambda said=said: said in extras.measured.text())
            assert "scored 8 answers" in extras.measured.text()
    extras.metric_box.setCurrentIndex(0)
    extras.metric_box.activated.emit(0)
    assert extras.measured.isHidden()


def test_answers_are_drawn_rated_and_stand_beside_the_judge(
    scene: Scene, judged_place: Path, tmp_path: Path
):
    panel = scores_of(scene, judged_place)
    sheet = tmp_path / "表.csv"
    panel.extras.draw_sheet(panel.chosen_run(), str(sheet))
    scene.until(sheet.is_file)
    text = sheet.read_text(encoding="utf-8-sig").replace(",creativity,,,", ",creativity,王,3,")
    sheet.write_text(text, encoding="utf-8")
    panel.extras.take_in(panel.chosen_run(), str(sheet))
    scene.until(lambda: "Agreement with people on 8 answers, creativity" in panel.judged.text())
    assert "Spearman" not in panel.judged.text(), "constant ratings give no coefficient"


def test_ratings_go_to_the_run_they_were_asked_for_whatever_is_in_front_then(
    scene: Scene, judged_place: Path, tmp_path: Path
):
    panel = scores_of(scene, judged_place)
    run, sheet = panel.chosen_run(), tmp_path / "sheet.csv"
    panel.extras.draw.click()
    dialog = panel.extras.findChild(QFileDialog)
    assert dialog is not None
    ws = Workspace.open(judged_place)
    answers = {member.uid: "夏" for member in freeze.members_of(ws, "s")}
    later = take_in_answers(ws, tmp_path, answers, model="n")
    ws.close()
    panel.spoil()
    scene.until(lambda: panel.ready() and panel.model.rowCount() == 2)
    assert panel.chosen_run() == panel.extras.run == run, "the chosen run stays in front"
    others = [row for row in range(2) if row != panel.table.currentIndex().row()]
    panel.table.selectRow(others[0])
    assert panel.chosen_run() == panel.extras.run == later
    dialog.fileSelected.emit(str(sheet))
    scene.until(sheet.is_file)
    text = sheet.read_text(encoding="utf-8-sig")
    assert "春雨" in text
    assert "夏" not in text


def test_who_only_reviews_is_not_offered_the_references(scene: Scene, judged_place: Path):
    ws = Workspace.open(judged_place)
    people.ensure_person(ws, "res", "researcher")
    ws.close()
    panel = scores_of(scene, judged_place, person="res")
    assert not panel.extras.people.isHidden()
    panel.context.person = replace(panel.context.person, role="specialist")
    panel.spoil()
    scene.until(lambda: panel.ready() and panel.extras.people.isHidden())


def test_what_shallow_solvers_reach_stands_beside_the_scores(scene: Scene, tmp_path: Path):
    place = tmp_path / "surface"
    ws = Workspace.create(place)
    people.ensure_person(ws, LEAD, "lead")
    freeze_split(ws, {"scp": leaking_items(60)}, "s", BENCHMARK)
    take_in_answers(ws, tmp_path, {m.uid: "A" for m in freeze.members_of(ws, "s")})
    ws.close()
    panel = scene.at(scene.open(place), "scores")
    assert isinstance(panel, ScoresPanel)
    scene.until(lambda: "where chance is 25.0%" in panel.surface.text())
    assert "the strongest of" in panel.surface.text()
    assert panel.sentence.text().startswith("A shallow solver reaches")


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
    assert "5 sources (identified by" in said
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


def test_items_without_a_domain_are_not_shown_as_one(scene: Scene, tmp_path: Path):
    place = tmp_path / "评测"
    ws = Workspace.create(place)
    people.ensure_person(ws, LEAD, "lead")
    words = {"instruction": "Name the capital.", "input": "Norway", "output": "Oslo"}
    freeze_split(ws, {"free": [ItemContent("instruction", "triplet", words)]}, "s", BENCHMARK)
    take_in_answers(ws, tmp_path, {m.uid: "Oslo" for m in freeze.members_of(ws, "s")})
    ws.close()
    shown = scores_of(scene, place).plot.accessibleDescription().splitlines()
    assert [line.partition(":")[0] for line in shown] == ["all", "triplet"]


def test_the_report_of_everything_is_written_from_the_window_and_opened(
    scene: Scene, full_place, tmp_path, monkeypatch
):
    window = scene.open(full_place)
    panel, bench = scene.at(window, "scores"), bench_of(window)
    window.resize(1280, 720)
    scene.settle(window)
    panel.write_report(str(tmp_path))
    scene.until(lambda: "report was written" in bench.notice.text)
    page = tmp_path / "benchseal-report" / "index.html"
    assert "july" in page.read_text(encoding="utf-8")
    assert panel.report_button.isEnabled()
    notice = QRect(bench.notice.mapTo(window, QPoint()), bench.notice.size())
    for button in (panel.report_button, panel.compare_button, panel.evaluate_button):
        assert not QRect(button.mapTo(window, QPoint()), button.size()).intersects(notice)
    opened: list[str] = []
    able = [False, True]
    monkeypatch.setattr(QDesktopServices, "openUrl",
                        lambda url: opened.append(url.toLocalFile()) or able.pop(0))  # fmt: skip
    bench.notice.link.click()
    assert bench.notice.text == f"No program on this computer opens {page}."
    bench.context.say("Written.", "Open the report", FILE, page)
    bench.notice.link.click()
    assert opened == [str(page)] * 2
    assert not bench.notice.isVisible()


def test_a_score_is_signed_from_the_window(scene: Scene, full_place, tmp_path):
    window = scene.open(full_place)
    panel = scene.at(window, "scores")
    scene.until(lambda: not panel.extras.record.isHidden())
    out = tmp_path / "score.json"
    panel.extras.sign_record(panel.chosen_run(), str(out))
    scene.until(lambda: "Signed record of" in bench_of(window).notice.text)
    assert score_records.verify(out).sound


def test_two_evaluations_of_one_model_are_told_apart_by_their_time(
    scene: Scene, full_place, monkeypatch
):
    read = scores_panel.read

    def asked_twice(ws, cache):
        data = read(ws, cache)
        first, other = data.reports
        again = replace(first, origin={**first.origin, "run": "20260131-120500-evaluate-0a1b2c3d"})
        return replace(data, reports=(first, again, other))

    monkeypatch.setattr(scores_panel, "read", asked_twice)
    panel = scene.at(scene.open(full_place), "scores")
    titles = [panel.model.index(row, 0).data() for row in range(3)]
    assert titles[0].startswith("baseline:")
    assert ", " in titles[0]
    assert titles[1].endswith(", 01-31 12:05 0a1b")
    assert ", " not in titles[2]
