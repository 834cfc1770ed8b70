"""The leaderboard in the window: it sorts, every number leads to its run, all of it can be kept."""

import csv
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.workflow.evaluation import score_run
from core.workflow.evaluation.report_cache import ReportCache
from core.workflow.workspace import Workspace
from gui.charts.export import export_page
from gui.charts.radar import RadarFigure
from gui.panels.leaderboard.model import LeaderboardModel, laid_out
from gui.panels.leaderboard.panel import LeaderboardPanel, read
from gui.panels.leaderboard.table import ENOUGH, deepest, ground_of
from gui.panels.runs.model import RUN_ROLE
from gui.panels.runs.panel import RunsPanel
from gui.theme import DARK, LIGHT, Tokens, contrast
from gui.window.main_window import MainWindow
from tests.gui.leaderboard_workspace import LEAD, make_leaders
from tests.gui.scene import Scene, bench_of, copy_of


@pytest.fixture(scope="session")
def leaders_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_leaders(tmp_path_factory.mktemp("leaders") / "w", items=48)


@pytest.fixture
def place(leaders_template: Path, tmp_path: Path) -> Path:
    return copy_of(leaders_template, tmp_path / "w")


def opened(scene: Scene, place: Path, **more: str) -> tuple[MainWindow, LeaderboardPanel]:
    window = scene.open(place, LEAD, **more)
    panel = scene.at(window, "leaderboard")
    assert isinstance(panel, LeaderboardPanel)
    return window, panel


def column(panel: LeaderboardPanel, place: int) -> list[str]:
    return [panel.model.cell(row, place).text for row in range(panel.model.rowCount())]


def test_no_number_is_cut_however_long_its_interval_is(scene: Scene, full_place: Path) -> None:
    panel = scene.at(scene.open(full_place), "leaderboard")
    assert isinstance(panel, LeaderboardPanel)
    metrics = panel.table.fontMetrics()
    for number in range(1, panel.model.columnCount()):
        longest = max(map(metrics.horizontalAdvance, column(panel, number)))
        assert panel.table.columnWidth(number) >= longest + 20, panel.model.titles[number]


def chosen_run(scene: Scene, window: MainWindow) -> str:
    """The run that the Runs panel shows."""
    bench = bench_of(window)
    scene.until(lambda: bench.front == "runs")
    shown = bench.panel("runs")
    assert isinstance(shown, RunsPanel)
    scene.until(lambda: shown.ready() and not window.tasks.busy)
    return shown.list.currentIndex().data(RUN_ROLE).id


def test_the_table_says_accuracy_interval_and_what_is_behind_a_dash(
    scene: Scene, place: Path
) -> None:
    _, panel = opened(scene, place)
    assert panel.shown is not None
    best = panel.shown.rows[0]
    ws = Workspace.open(place)
    report = score_run.report(ws, best.run)
    ws.close()
    assert best.model in panel.page.sentence.text()
    total = report.total
    low, high = total.interval.low or 0, total.interval.high or 0
    said = f"{100 * (total.accuracy or 0):.1f} [{100 * low:.1f}, {100 * high:.1f}]"
    assert panel.model.cell(0, 1).text == said
    assert panel.model.titles == (
        "Model", "All", "cs", "math", "physics", "q-bio", "RS I", "RS II", "Missing",
        "Seen before",
    )  # fmt: skip
    lacking = next(r for r in range(6) if panel.model.cell(r, 0).text == "model-5-instruct")
    cell = panel.model.cell(lacking, 6)
    assert cell.text == "–"
    assert "no public accuracy" in cell.description


def test_a_title_sorts_numbers_from_the_highest_and_again_from_the_lowest(
    scene: Scene, place: Path
) -> None:
    _, panel = opened(scene, place)
    panel.table.setCurrentIndex(panel.model.index(2, 3))
    kept = panel.model.row_at(2).model
    for number in (3, 6):
        panel.table.on_title(number)
        values = [
            float(text.split()[0].replace("−", "-"))
            for text in column(panel, number)
            if text != "–"
        ]
        assert values == sorted(values, reverse=True)
        panel.table.on_title(number)
        values = [
            float(text.split()[0].replace("−", "-"))
            for text in column(panel, number)
            if text != "–"
        ]
        assert values == sorted(values)
        assert "–" not in column(panel, number)[:-1]
        front = panel.table.currentIndex()
        assert panel.model.row_at(front.row()).model == kept
    panel.table.on_title(0)
    assert column(panel, 0) == sorted(column(panel, 0), key=str.casefold)


def test_a_number_leads_to_the_run_that_it_comes_from(scene: Scene, place: Path) -> None:
    window, panel = opened(scene, place)

    def by_key() -> None:
        panel.table.setFocus()
        QTest.keyClick(panel.table, Qt.Key.Key_Return)

    def by_double_click() -> None:
        at = panel.table.visualRect(panel.table.currentIndex()).center()
        for act in (QTest.mouseClick, QTest.mouseDClick):
            act(panel.table.viewport(), Qt.MouseButton.LeftButton,
                Qt.KeyboardModifier.NoModifier, at)  # fmt: skip

    for row, lead in enumerate((by_key, panel.open_button.click, by_double_click), 1):
        scene.at(window, "leaderboard")
        panel.table.setCurrentIndex(panel.model.index(row, 2))
        lead()
        assert chosen_run(scene, window) == panel.model.row_at(row).run


def press(body: RadarFigure, at: QPointF) -> None:
    event = QMouseEvent(
        QEvent.Type.MouseButtonPress, at, body.mapToGlobal(at), Qt.MouseButton.LeftButton,
        Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(body, event)


def test_a_mark_of_a_figure_leads_to_its_run(scene: Scene, place: Path) -> None:
    window, panel = opened(scene, place)
    assert set(panel.page.cards) == {"radar", "against_rs1", "periods", "delta1", "delta2"}
    body = panel.page.cards["radar"].body
    assert isinstance(body, RadarFigure)
    index = next(i for i, spot in enumerate(body.spots) if "model-5" in spot.text)
    index = body.spot_at(body.place_of(index).toPoint())
    model = next(m for m in column(panel, 0) if m in body.spots[index].text)
    request = next(row.run for row in panel.shown.rows if row.model == model)
    press(body, body.place_of(index))
    assert chosen_run(scene, window) == request


def test_a_scatter_has_a_point_for_every_model_with_public_scores(
    scene: Scene, place: Path
) -> None:
    _, panel = opened(scene, place)
    scatter = panel.page.cards["against_rs1"].body
    assert len(scatter.spots) == 5
    assert all("[" in spot.text for spot in scatter.spots)
    assert "1 of" not in panel.page.remarks.text()


def test_another_split_and_another_cut_are_read(scene: Scene, place: Path) -> None:
    window, panel = opened(scene, place)
    panel.split_box.setCurrentIndex(panel.split_box.findData("2026a"))
    panel.split_box.activated.emit(panel.split_box.currentIndex())
    panel.cut_box.setCurrentIndex(panel.cut_box.findData("format"))
    panel.cut_box.activated.emit(panel.cut_box.currentIndex())
    scene.until(lambda: panel.ready() and not window.tasks.busy)
    assert panel.shown.request.split == "2026a"
    assert panel.model.titles[2:5] == ("cloze", "prediction", "sequencing")
    assert "2026a" in panel.page.sentence.text()


def test_reading_again_keeps_the_order_and_the_model_in_front(scene: Scene, place: Path) -> None:
    window, panel = opened(scene, place)
    panel.table.on_title(4)
    panel.table.choose("model-2-instruct", 3)
    before = column(panel, 0)
    panel.spoil()
    scene.until(lambda: panel.ready() and not window.tasks.busy)
    assert column(panel, 0) == before
    front = panel.table.currentIndex()
    assert (panel.model.row_at(front.row()).model, front.column()) == ("model-2-instruct", 3)


def test_everything_can_be_kept(scene: Scene, place: Path, tmp_path: Path) -> None:
    _, panel = opened(scene, place)
    table = panel.shown.table()
    for form in ("png", "svg", "csv", "tex"):
        export_page(panel.page, panel.shown.dashboard, tmp_path / f"leaderboard.{form}", table)
    assert (tmp_path / "leaderboard.png").read_bytes().startswith(b"\x89PNG")
    ElementTree.parse(tmp_path / "leaderboard.svg")
    with (tmp_path / "leaderboard.csv").open(encoding="utf-8", newline="") as handle:
        head, *rows = csv.reader(handle)
    assert head[:3] == ["Model", "All", "Standard error"]
    assert [row[0] for row in rows] == [row.model for row in panel.shown.rows]
    assert float(rows[0][1]) == pytest.approx(100 * panel.shown.rows[0].total.value)
    assert rows[0][-1] == panel.shown.rows[0].run
    part = panel.shown.rows[0].parts[0]
    shown = dict(zip(head[5:8], rows[0][5:8], strict=True))
    assert list(shown) == ["cs", "Low", "High"]
    assert [float(cell) for cell in shown.values()] == pytest.approx(
        [100 * part.value, 100 * part.low, 100 * part.high]
    )
    assert "\\toprule" in (tmp_path / "leaderboard.tex").read_text(encoding="utf-8")
    radar = panel.page.cards["radar"]
    for form in ("png", "svg", "csv"):
        radar.export(tmp_path / f"radar.{form}")
    assert "示例模型-7B" in (tmp_path / "radar.csv").read_text(encoding="utf-8")


def test_public_scores_are_added_and_make_a_rugged_score(
    scene: Scene, place: Path, tmp_path: Path
) -> None:
    (place / "public" / "openly.csv").unlink()
    window, panel = opened(scene, place)
    assert column(panel, 6) == ["–"] * 6
    assert "no public accuracy" in panel.page.cards["against_rs1"].figure.empty
    bad, good = tmp_path / "bad.csv", tmp_path / "公开.csv"
    bad.write_text("nothing\nx\n", encoding="utf-8")
    panel.add_public(str(bad))
    scene.until(lambda: bench_of(window).notice.isVisible() and not window.tasks.busy)
    assert "no column" in bench_of(window).notice.text
    good.write_text("model,domain,accuracy,n\nmodel-3-instruct,cs,0.95,100\n", encoding="gb18030")
    panel.add_public(str(good))
    scene.until(lambda: panel.ready() and not window.tasks.busy and column(panel, 6) != ["–"] * 6)
    assert sum(text != "–" for text in column(panel, 6)) == 1
    assert (place / "public" / "公开.csv").is_file()


def test_an_empty_workspace_says_what_is_missing_and_its_button_gets_it(
    scene: Scene, empty_place: Path
) -> None:
    window, panel = opened(scene, empty_place)
    assert panel.empty.isVisible()
    panel.empty.button.click()
    assert bench_of(window).front == "splits"


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_a_number_is_readable_on_every_shade(colours: Tokens) -> None:
    assert deepest(colours.text, colours.surface, colours.accent) > 0.3
    grounds = [ground_of(step / 100, colours) for step in range(101)]
    assert min(contrast(colours.text, ground) for ground in grounds) >= ENOUGH
    assert len(set(grounds)) > 50


def test_the_model_keeps_qts_rules(qtmodeltester, place: Path, tmp_path: Path) -> None:
    ws = Workspace.open(place)
    model = LeaderboardModel()
    qtmodeltester.check(model)
    leaderboard, _ = read(ws, ReportCache(ws), "", "format_domain", "")
    model.show_table(laid_out(leaderboard, str))
    ws.close()
    qtmodeltester.check(model)
    model.sort(4, Qt.SortOrder.DescendingOrder)
    qtmodeltester.check(model)
