"""Dashboards and figures that are kept: right on another machine, refused in words."""

import html
import re
from pathlib import Path

import pytest
from PySide6.QtGui import QFont, QFontMetricsF, QImage
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from core.workflow import people
from core.workflow.dashboards.figures import Axis, Chart, Dashboard, Mark, Series
from gui import theme
from gui.charts.dashboard_page import DashboardPage
from gui.charts.export import export_page, open_export_menu
from gui.charts.figure_card import FigureCard, ending_in, refusal, save_picture
from gui.panels.dashboards.panel import DashboardPanel
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable
from tests.gui.scene import LEAD, Scene, bench_of
from tests.workload import fill

_PIXELS = r"-?[\d.]+(?:e-?\d+)?"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A small workspace: 40 items, most of them judged by three people."""
    ws = fill(tmp_path / "w", 40, tasks=2, decided=0.8, criteria=("accuracy",), screened=True)
    people.ensure_person(ws, LEAD, "lead")
    ws.close()
    return tmp_path / "w"


def shown(
    scene: Scene, place: Path, name: str = "agreement", language: str = "zh"
) -> DashboardPanel:
    panel = scene.at(scene.open(place, language=language), name)
    assert isinstance(panel, DashboardPanel)
    return panel


def notices(panel: DashboardPanel) -> list[str]:
    said: list[str] = []
    panel.context.noticed.connect(lambda notice: said.append(notice.text))
    return said


def test_words_of_an_svg_name_their_fonts_for_any_reader_and_say_their_length(
    scene, place, tmp_path
):
    panel = shown(scene, place)
    assert panel.shown is not None
    export_page(panel.page, panel.shown, tmp_path / "a.svg")
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    families = set(re.findall(r'font-family="([^"]*)"', drawn))
    assert families
    for names in families:
        assert re.fullmatch(r"('[^',]+',)+sans-serif", names)
    texts = re.findall(r'<text [^>]*textLength="([\d.]+)"[^>]*>([^<]*)</text>', drawn)
    assert len(texts) == drawn.count("<text ") > 20
    font = QFont()
    font.setFamilies([name.strip("'") for name in max(families, key=len).split(",")[:-1]])
    font.setPixelSize(theme.SMALL_PX)
    length = next(float(length) for length, said in texts if "Gwet AC1" in html.unescape(said))
    assert length == pytest.approx(QFontMetricsF(font).horizontalAdvance("Gwet AC1"), abs=0.02)
    assert ' d=""' not in drawn


def test_a_picture_of_a_dashboard_has_no_buttons_and_leaves_the_window_as_it_was(
    scene, place, tmp_path
):
    panel = shown(scene, place, language="en")
    page = panel.page
    hints = [card.hint.text() for card in page.cards.values()]
    top = page.head.parentWidget().geometry().bottom() + 1
    assert panel.shown is not None
    for form in ("png", "svg"):
        export_page(page, panel.shown, tmp_path / f"a.{form}")
    image = QImage(str(tmp_path / "a.png"))
    assert (image.width(), image.height()) == (2 * page.width(), 2 * (page.height() - top + 16))
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for said in ("Export", "Alarm", "Adjudicate the item", "Click a mark"):
        assert said not in drawn
    assert panel.shown.sentence.split()[-1] in drawn
    assert [card.hint.text() for card in page.cards.values()] == hints
    assert page.parts["work_list"].settle.isVisible()
    assert page.head.parentWidget().isVisible()


def test_the_chosen_row_of_a_table_ends_with_the_table_in_vectors_too(qtbot, tmp_path):
    model = TableModel((Column("a", 60), Column("b", 60)))
    model.show_rows(model.columns, [("1", "2"), ("3", "4")])
    table = ReadingTable(model)
    qtbot.addWidget(table)
    table.resize(400, 160)
    table.show()
    table.selectRow(0)
    save_picture(table, tmp_path / "t.svg")
    drawn = (tmp_path / "t.svg").read_text(encoding="utf-8")
    for width in re.findall(rf'<rect [^>]*width="({_PIXELS})"', drawn):
        assert float(width) <= 400


@pytest.mark.parametrize(
    ("form", "name", "wanted"),
    [
        ("csv", "数字.csv", "数字.csv"),
        ("csv", "numbers.CSV", "numbers.CSV"),
        ("svg", "figure.v2", "figure.v2.svg"),
        ("png", "figure.csv", "figure.csv.png"),
    ],
)
def test_what_is_written_is_the_form_that_was_chosen(form, name, wanted, tmp_path):
    assert ending_in(form, str(tmp_path / name)) == tmp_path / wanted


def line_chart() -> Chart:
    marks = (Mark(0, 0.5), Mark(1, 0.4))
    return Chart("c", "C", Axis("", ("x", "y")), Axis("share"), (Series("", "points", marks),))


def test_an_ending_in_capitals_is_the_same_form(qtbot, tmp_path):
    page = DashboardPage(theme.LIGHT)
    qtbot.addWidget(page)
    dashboard = Dashboard("p", "b", 0, "One.", (line_chart(),))
    page.show_dashboard(dashboard)
    for form in ("CSV", "SVG", "PNG"):
        assert not refusal(lambda path: export_page(page, dashboard, path), tmp_path / f"a.{form}")
    assert (tmp_path / "a.CSV").read_text(encoding="utf-8").startswith("figure,")
    assert "<svg" in (tmp_path / "a.SVG").read_text(encoding="utf-8")
    assert not QImage(str(tmp_path / "a.PNG")).isNull()


def choose_file(menu: QMenu, form: str, parent: QWidget, path: Path) -> None:
    """Choose an entry of an export menu, and a file in the window that comes."""
    next(entry for entry in menu.actions() if entry.data() == form).trigger()
    dialog = parent.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(path))
    dialog.close()
    menu.close()


# said by the offscreen platform of every menu
@pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)")
@pytest.mark.parametrize("form", ["png", "svg", "csv"])
def test_a_dashboard_and_a_figure_that_cannot_be_written_say_so(form, scene, place, tmp_path):
    panel = shown(scene, place, "progress", "en")
    said = notices(panel)
    blocked = tmp_path / "a file"
    blocked.write_text("", encoding="utf-8")
    assert panel.shown is not None
    menu = open_export_menu(panel, panel.page, panel.shown, panel.context.complain)
    choose_file(menu, form, panel.page.window(), blocked / f"x.{form}")
    assert len(said) == 1
    assert str(blocked / f"x.{form}") in said[0]
    card = next(iter(panel.page.cards.values()))
    assert isinstance(card, FigureCard)
    hint = card.hint.text()
    choose_file(card.export_menu(), form, card, blocked / f"y.{form}")
    assert len(said) == 2
    assert str(blocked / f"y.{form}") in said[1]
    assert "Errno" not in said[1]
    assert card.hint.text() == hint
    assert bench_of(panel.window()).notice.isVisible()
