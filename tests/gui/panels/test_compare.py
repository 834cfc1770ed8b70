"""Comparing runs in the window: the sentence, the kinds of items, both answers, what is kept."""

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from core.evaluation.run import EvaluateParams
from core.workflow.analysis import second_look
from core.workflow.evaluation import compare_runs, errata, item_results, score_run, start
from core.workflow.evaluation.compare_runs import KINDS, number_of
from core.workflow.runs import runs, take_in
from core.workflow.workspace import Workspace
from gui.dialogs.bulk import BulkDialog
from gui.dialogs.item_history import ItemHistoryDialog
from gui.panels.compare.panel import ComparePanel
from gui.panels.items.panel import ItemsPanel
from tests.core.workflow.analysis.test_suspect_items import plant
from tests.gui.scene import LEAD, Scene, bench_of


@pytest.fixture
def three_runs(full_place: Path) -> Path:
    """A workspace with three finished runs on one split."""
    ws = Workspace.open(full_place)
    params = EvaluateParams(engine="baseline:longest", split="july")
    run = start.start(ws, "july", params).spec().id
    runs.wait(ws, run, 60)
    take_in.take_in(ws, run)
    ws.close()
    return full_place


def opened(scene: Scene, place) -> ComparePanel:
    panel = scene.at(scene.open(place), "compare")
    assert isinstance(panel, ComparePanel)
    scene.until(lambda: panel.ready() and bool(panel.page.toPlainText()))
    return panel


def truth(place: Path, first: str, second: str) -> dict[str, int]:
    """Counts of the kinds, from the two reports by themselves."""
    ws = Workspace.open(place)
    try:
        found = {one.title: one for one in compare_runs.choices(ws)}
        a, b = (score_run.report(ws, found[name].run) for name in (first, second))
    finally:
        ws.close()
    pairs = list(zip(a.scores, b.scores, strict=True))
    return {
        "a_only": sum(one.correct and not two.correct for one, two in pairs),
        "b_only": sum(two.correct and not one.correct for one, two in pairs),
        "both_right": sum(one.correct and two.correct for one, two in pairs),
        "every": len(pairs),
    }


def test_without_two_runs_the_way_to_one_is_shown(scene: Scene, empty_place):
    window = scene.open(empty_place)
    panel = scene.at(window, "compare")
    panel.empty.button.click()
    assert bench_of(window).front == "evaluate"


def test_the_counts_are_those_of_the_two_reports_and_every_kind_lists_its_items(
    scene: Scene, full_place
):
    panel = opened(scene, full_place)
    comparison = panel.comparison
    assert comparison is not None
    expected = truth(full_place, *comparison.titles)
    for kind in KINDS:
        panel.kinds.choose(kind)
        assert panel.model.rowCount() == comparison.count(kind)
        if kind in expected:
            assert comparison.count(kind) == expected[kind]
    parts = ("a_only", "b_only", "alike", "apart", "both_right", "unanswered")
    assert sum(comparison.count(kind) for kind in parts) == comparison.count("every")
    assert comparison.titles[0] in panel.sentence.text()
    assert "(95% interval " in panel.sentence.text()
    assert "McNemar" in panel.chances.text()


def test_the_item_in_front_stands_with_both_answers(scene: Scene, full_place):
    panel = opened(scene, full_place)
    panel.kinds.choose("every")

    def both_answers() -> bool:
        text = panel.page.toPlainText()
        return all(
            f"#{compare_runs.number_of(score.id)}" in text
            and ("✓" if score.correct else "✕") + f" {score.predicted}" in text
            for score in panel.model.pair(0)
        )

    scene.until(lambda: panel.ready() and both_answers())
    assert "A · " in panel.page.toPlainText()


def test_runs_are_compared_by_keys_alone_and_an_item_is_opened(scene: Scene, full_place):
    panel = opened(scene, full_place)
    window = scene.windows[0]
    panel.kinds.choose("every")
    before = panel.sentence.text()
    QTest.keyClick(panel.table, Qt.Key.Key_X)
    scene.until(lambda: panel.ready() and panel.sentence.text() != before)
    first, second = (text.index("baseline:tfidf") for text in (before, panel.sentence.text()))
    assert (first == 0) != (second == 0), "the other model is named first"
    kind = panel.kinds.kind
    QTest.keyClick(panel.table, Qt.Key.Key_T)
    assert panel.kinds.kind != kind
    panel.kinds.choose("every")
    QTest.keyClick(panel.table, Qt.Key.Key_Down)
    number = compare_runs.number_of(panel.model.pair(1)[0].id)
    scene.until(lambda: panel.ready() and f"#{number}" in panel.page.toPlainText())
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    bench = bench_of(window)
    scene.until(lambda: bench.front == "items")
    items = bench.panel("items")
    assert isinstance(items, ItemsPanel)


def test_every_pair_is_corrected_for_their_number_and_leads_to_its_items(scene: Scene, three_runs):
    panel = opened(scene, three_runs)
    QTest.keyClick(panel.table, Qt.Key.Key_P)
    scene.until(lambda: panel.pairs_model.rowCount() == 3)
    assert "after Holm correction over 3 pairs" in panel.chances.text()
    for row in range(3):
        p, holm = (panel.pairs_model.data(panel.pairs_model.index(row, at)) for at in (6, 7))
        assert holm == "< 0.001" or float(holm) >= float(p.replace("< ", ""))
    wanted = panel.pairs_model.data(panel.pairs_model.index(2, 0))
    panel.pairs_table.selectRow(2)
    QTest.keyClick(panel.pairs_table, Qt.Key.Key_Return)
    scene.until(lambda: panel.ready() and panel.run_a.currentText() == wanted)
    assert panel.table.isVisible()


def test_what_strong_models_miss_alike_is_listed(scene: Scene, three_runs):
    panel = opened(scene, three_runs)
    scene.until(lambda: not panel.context.tasks.busy)
    assert panel.kinds.findChild(QPushButton, "all_alike").isVisible()
    panel.kinds.choose("all_alike")
    ws = Workspace.open(three_runs)
    expected = [one.number for one in item_results.missed_alike(ws, "july", viewer="")]
    ws.close()
    listed = [compare_runs.number_of(panel.model.pair(row)[0].id)
              for row in range(panel.model.rowCount())]  # fmt: skip
    assert sorted(listed) == sorted(expected)


def test_keys_that_are_probably_wrong_are_listed_and_said_on_the_item(scene: Scene, tmp_path):
    ws = Workspace.create(tmp_path / "planted")
    planted = plant(ws)
    ws.close()
    panel = opened(scene, tmp_path / "planted")
    scene.until(lambda: panel.comparison is not None and panel.comparison.count("suspect") == 1)
    panel.kinds.choose("suspect")
    scene.until(lambda: panel.ready() and "is probably wrong" in panel.page.toPlainText())
    assert f"#{planted}" in panel.page.toPlainText()
    assert "3 of 6 models give" in panel.page.toPlainText()
    suspect = panel.comparison.against_the_key("suspect")
    assert [one.number for one in suspect] == [planted]
    panel.second_look.click()
    sheet = panel.findChild(BulkDialog)
    scene.until(sheet.run_button.isEnabled)
    sheet.run()
    scene.until(lambda: panel.findChild(BulkDialog) is None)
    ws = Workspace.open(tmp_path / "planted")
    (request,) = second_look.requests(ws, viewer=LEAD)
    ws.close()
    assert (request.number, request.answer) == (planted, suspect[0].answer)
    assert set(request.models) == {"a", "b", "c"}


def test_a_second_look_says_what_models_answered_whatever_kind_is_listed(scene: Scene, tmp_path):
    ws = Workspace.create(tmp_path / "planted")
    planted = plant(ws)
    ws.close()
    panel = opened(scene, tmp_path / "planted")
    scene.until(lambda: panel.comparison is not None and panel.comparison.runs > 2)
    comparison = panel.comparison
    for kind in ("alike", "all_alike", "suspect"):
        listed = {number_of(comparison.a[row].id) for row in comparison.rows(kind)}
        said = comparison.against_the_key(kind)
        assert listed
        assert {one.number for one in said} == listed
        assert all(one.answer and one.answer != one.expected and one.models for one in said)
    assert planted in {one.number for one in comparison.against_the_key("all_alike")}
    assert comparison.against_the_key("every") == ()


def test_choosing_the_same_run_twice_moves_the_other_side(scene: Scene, three_runs):
    panel = opened(scene, three_runs)
    panel.run_a.setCurrentIndex(panel.run_b.currentIndex())
    panel.run_a.activated.emit(panel.run_a.currentIndex())
    scene.until(panel.ready)
    assert panel.run_a.currentData() != panel.run_b.currentData()


def test_the_comparison_is_kept_as_csv_latex_and_parquet(scene: Scene, full_place, tmp_path):
    from pyarrow import parquet

    panel = opened(scene, full_place)
    panel.kinds.choose("every")
    files = {
        ("pairs", "pairs.csv"), ("pairs", "pairs.tex"), ("items", "items.csv"),
        ("items", "items.parquet"), ("answers", "answers.parquet"),
    }  # fmt: skip
    for what, name in sorted(files):
        panel.save(what, str(tmp_path / name))
    scene.until(lambda: all((tmp_path / name).exists() for _, name in files))
    scene.until(lambda: not panel.context.tasks.busy)
    with (tmp_path / "items.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == panel.model.rowCount()
    assert {"expected", "predicted_a", "predicted_b"} <= set(rows[0])
    assert parquet.read_table(tmp_path / "items.parquet").num_rows == len(rows)
    assert parquet.read_table(tmp_path / "answers.parquet").num_rows == 2 * len(rows)
    assert "\\begin{" in (tmp_path / "pairs.tex").read_text(encoding="utf-8")
    panel.save("pairs", str(tmp_path / "nowhere" / "pairs.csv"))
    bench = bench_of(scene.windows[0])
    scene.until(lambda: "nowhere" in bench.notice.text)


def test_scores_lead_to_the_comparison_of_the_chosen_run(scene: Scene, full_place):
    window = scene.open(full_place)
    scores = scene.at(window, "scores")
    scores.table.selectRow(1)
    run = scores.chosen_run()
    scores.compare_button.click()
    bench = bench_of(window)
    assert bench.front == "compare"
    panel = bench.panel("compare")
    scene.until(panel.ready)
    assert panel.run_a.currentData() == run


def test_an_items_life_shows_how_every_model_did(scene: Scene, three_runs):
    ws = Workspace.open(three_runs)
    number = int(score_run.reports(ws)[0].scores[0].id)
    ws.close()
    window = scene.open(three_runs)
    items = scene.at(window, "items")
    items.take(number)
    scene.until(lambda: items.findChild(ItemHistoryDialog) is not None)
    text = items.findChild(ItemHistoryDialog).page.toPlainText()
    for model in ("baseline:tfidf", "baseline:random", "baseline:longest"):
        assert f"{model}: " in text


def test_a_second_look_is_asked_for_at_all_that_is_listed(scene: Scene, three_runs):
    panel = opened(scene, three_runs)
    scene.until(lambda: not panel.context.tasks.busy)
    panel.kinds.choose("every")
    listed = {compare_runs.number_of(panel.model.pair(row)[0].id)
              for row in range(panel.model.rowCount())}  # fmt: skip
    assert listed
    panel.toggle_pairs()
    assert not panel.second_look.isEnabled(), "no item is in sight among the pairs"
    panel.ask_second_look()
    assert panel.findChild(BulkDialog) is None
    panel.toggle_pairs()
    panel.second_look.click()
    sheet = panel.findChild(BulkDialog)
    assert not sheet.words.text()  # nothing speaks for itself against every item
    sheet.words.setText("read again")
    sheet.all.setChecked(True)
    scene.until(sheet.run_button.isEnabled)
    sheet.run()
    scene.until(lambda: panel.findChild(BulkDialog) is None)
    ws = Workspace.open(three_runs)
    assert {one.number for one in second_look.requests(ws, viewer="")} == listed
    ws.close()


def test_the_item_in_front_is_declared_an_erratum(scene: Scene, three_runs):
    panel = opened(scene, three_runs)
    scene.until(lambda: not panel.context.tasks.busy)
    panel.kinds.choose("every")
    row = panel.model.rowCount() - 1
    panel.table.setCurrentIndex(panel.model.index(row, 0))
    number = compare_runs.number_of(panel.model.pair(row)[0].id)
    assert panel.errata_button.isEnabled()
    panel.errata_button.setFocus()
    assert panel.errata_button.hasFocus()
    QTest.keyClick(panel.errata_button, Qt.Key.Key_Return)
    scene.until(lambda: panel.findChild(BulkDialog) is not None)
    sheet = panel.findChild(BulkDialog)
    assert f"#{number}" in sheet.only.text()
    scene.until(lambda: "1 item; the item itself" in sheet.says.text())
    QTest.keyClicks(sheet.words, "two options are right")
    QTest.keyClick(sheet.words, Qt.Key.Key_Return)
    scene.until(lambda: panel.findChild(BulkDialog) is None)
    ws = Workspace.open(three_runs)
    (erratum,) = errata.errata(ws)
    ws.close()
    assert (erratum.number, erratum.reason) == (number, "two options are right")
