"""The smallest window: nothing is cut beyond use, nothing lies over anything else."""

import html

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton, QToolButton, QWidget

from core.evaluation.scoring import AccuracyEstimate
from core.workflow.dashboards.figures import Axis, Chart, Grid, GridCell, Mark, Series
from gui import theme
from gui.charts.matrix import MatrixFigure
from gui.panels.evaluate.panel import EvaluatePanel
from gui.panels.runs.panel import RunsPanel
from gui.panels.scores.interval_plot import IntervalPlot, PlottedInterval
from gui.panels.scores.panel import ScoresPanel, interval
from gui.preferences import Preferences
from gui.widgets.chips import FlowLayout
from tests.gui.jobs.test_first_run import start_page, started
from tests.gui.picture_walk import faults
from tests.gui.scene import THIRD, press, rest

SHIFT = Qt.KeyboardModifier.ShiftModifier
SMALL = Preferences(size=(1024, 700))


@pytest.fixture
def plot(qtbot) -> IntervalPlot:
    made = IntervalPlot(theme.LIGHT)
    qtbot.addWidget(made)
    return made


def test_nothing_lies_over_the_ways_to_begin_at_twice_the_size(scene, small_place):
    window = started(scene, Preferences(recent=(str(small_place),), language="en"))
    window.setMinimumSize(0, 0)  # as on a screen of 1280×720
    for height in (330, 700):
        window.resize(640, height)
        scene.settle(window)
        assert faults(window) == []
    assert not start_page(window).ways.verticalScrollBar().isVisible()


def test_no_field_of_the_launch_form_lies_under_what_is_beside_it(scene, full_place):
    panel = scene.at(scene.open(full_place, kept=SMALL), "evaluate")
    assert isinstance(panel, EvaluatePanel)
    place = panel.form.parentWidget()
    assert place is not None
    assert panel.form.width() <= place.width()


def test_a_run_in_the_list_is_as_wide_as_the_list_and_told_in_full_on_request(scene, full_place):
    panel = scene.at(scene.open(full_place, kept=SMALL), "runs")
    assert isinstance(panel, RunsPanel)
    assert panel.list.horizontalScrollBar().maximum() == 0
    first = panel.model.index(0)
    assert "july · baseline:random" in first.data(3)  # Qt.ToolTipRole
    assert first.data(3) == first.data()


def test_accuracies_and_names_of_a_score_table_stay_legible(scene, full_place):
    panel = scene.at(scene.open(full_place, kept=SMALL), "scores")
    assert isinstance(panel, ScoresPanel)
    metrics = panel.table.fontMetrics()
    said = panel.model.index(0, 2).data()
    assert panel.table.columnWidth(2) >= metrics.horizontalAdvance(said) + 16
    assert panel.table.columnWidth(0) >= 120
    # what a run does not allow leaves no empty room there; its score can be signed
    for part in (panel.extras.metrics, panel.extras.measured, panel.extras.people):
        assert part.isHidden()
    assert not panel.extras.record.isHidden()


def test_none_right_has_an_interval_and_every_line_says_its_items(plot):
    counts = {"none": (9, 0), "all": (9, 9), "some": (50, 15), "no item": (0, 0)}
    rows = [interval(name, AccuracyEstimate(*count)) for name, count in counts.items()]
    plot.show_rows(rows, 0.0, 100.0, 0)
    assert [plot.figures_of(row) for row in rows] == [
        "0 [0, 30], n = 9", "100 [70, 100], n = 9", "30 [19, 44], n = 50", "no items answered",
    ]  # fmt: skip
    assert plot.accessibleDescription().splitlines()[0] == "none: 0 [0, 30], n = 9"


def test_the_guideline_leaves_room_for_the_item_on_a_small_screen_at_twice_the_size(
    scene, small_place
):
    window = scene.open(small_place)
    window.setMinimumSize(1, 1)  # as on that screen
    window.resize(640, 340)
    panel = scene.review(window)
    press(panel, Qt.Key.Key_F2)
    rest(scene, panel)
    assert panel.guideline.isVisible()
    assert panel.width() <= window.width()
    assert panel.page.measure >= 150
    window.resize(1280, 720)
    scene.until(lambda: panel.guideline.width() == 300)


def test_on_such_a_screen_it_is_in_sight_that_one_looks_at_an_earlier_item(scene, small_place):
    window = scene.open(small_place)
    window.setMinimumSize(1, 1)
    window.resize(640, 340)
    panel = scene.review(window)
    for key, modifier in ((Qt.Key.Key_A, None), (Qt.Key.Key_J, SHIFT)):
        press(panel, key, *((modifier,) if modifier else ()))
        scene.until(lambda: panel.ready() and not panel.context.tasks.busy)
    hint = panel.findChild(QLabel, "hint")
    assert hint.text().startswith("You decided: ")
    assert hint.visibleRegion().boundingRect() == hint.rect()
    toggles = [button for button in panel.findChildren(QToolButton) if button.isVisible()]
    assert len(toggles) > 1
    assert all(button.height() <= 28 for button in toggles)  # the rest is the item's


def test_what_is_noticed_stands_beside_the_form_on_such_a_screen_too(scene, fresh):
    window = scene.open(fresh, THIRD)
    window.setMinimumSize(1, 1)
    window.resize(640, 340)
    panel = scene.at(window, "write")
    assert panel.width() <= window.width()
    window.resize(1280, 720)
    scene.until(lambda: panel.left.width() == 260)


@pytest.mark.parametrize("width", [120, 340, 900])
def test_a_long_name_leaves_room_for_the_figure_and_is_told_in_full(width, plot):
    long = "多语言_理解与推理_" * 20
    plot.show_rows(
        [PlottedInterval(long, 0.5, 0.4, 0.6, n=3), PlottedInterval("b", None, note="one rater")]
    )
    plot.resize(width, plot.height())
    left, room = plot.areas(plot.fontMetrics())
    assert left <= width / 3
    assert room >= 1
    assert not plot.grab().isNull()
    assert plot.tip_at(3) == f"{long}: 0.50 [0.40, 0.60], n = 3"
    assert plot.tip_at(30) == "b: one rater"
    assert plot.tip_at(500) == ""


def grid_of(columns: tuple[str, ...], rows: tuple[str, ...] = ("task",)) -> Grid:
    cells = tuple(tuple(GridCell(0.5) for _ in columns) for _ in rows)
    return Grid("g", "G", "task", "criterion", rows, columns, cells)


@pytest.mark.parametrize(("width", "upright"), [(800, False), (300, True)])
def test_names_too_long_for_their_columns_stand_upright(width, upright, qtbot):
    view = MatrixFigure(theme.LIGHT)
    qtbot.addWidget(view)
    view.resize(width, 300)
    view.show_figure(grid_of(("decision", "accuracy", "coherence", "factuality", "fluency")))
    top = view.spots[0].area.top()
    assert (top > 60) is upright
    assert view.spots[-1].area.right() <= width
    assert not view.grab().isNull()


def test_widgets_of_one_line_share_its_middle_and_go_on_below(qtbot):
    holder = QWidget()
    qtbot.addWidget(holder)
    flow = FlowLayout(holder, gap=8)
    tall, small, next_ = QPushButton("x"), QCheckBox("y"), QPushButton("z")
    for widget, height in ((tall, 40), (small, 20), (next_, 40)):
        widget.setFixedSize(100, height)
        flow.addWidget(widget)
    assert flow.heightForWidth(320) == 40
    assert flow.heightForWidth(220) == 88
    flow.setGeometry(QRect(0, 0, 220, 88))
    assert tall.geometry().center().y() == pytest.approx(small.geometry().center().y(), abs=1)
    assert (next_.x(), next_.y()) == (0, 48)


def test_names_of_coefficients_are_whole_beside_a_chart_of_the_usual_width(qtbot, tmp_path):
    from gui.charts.chart import ChartFigure
    from gui.charts.figure_card import save_picture

    name = "Krippendorff's alpha, nominal"
    places = Axis("", (name, "b"))
    series = Series("", "points", (Mark(0, 0.5), Mark(1, 0.4)))
    view = ChartFigure(theme.LIGHT)
    qtbot.addWidget(view)
    view.resize(490, 260)
    view.show_figure(Chart("c", "C", places, Axis("agreement", low=0, high=1), (series,), True))
    save_picture(view, tmp_path / "c.svg")
    drawn = html.unescape((tmp_path / "c.svg").read_text(encoding="utf-8"))
    assert f">{name}<" in drawn
