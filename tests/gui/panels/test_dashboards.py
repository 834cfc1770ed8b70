"""The dashboards in the window: drawn, in both languages, leading to items, refreshed alone."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from sqlalchemy import text

from core.agreement.serialise import results_to_json
from core.agreement.statistic import Statistic
from core.workflow import people, tasks
from core.workflow.check import review
from core.workflow.dashboards import agreement_query
from core.workflow.dashboards.figures import Dashboard
from core.workflow.items import history
from core.workflow.items.search import Filters
from core.workflow.workspace import Workspace
from db import ledger
from gui.charts.chart import ChartFigure
from gui.dialogs.protocols import ProtocolsDialog
from gui.panels.adjudicate.panel import AdjudicatePanel
from gui.panels.dashboards.agreement import AgreementPanel
from gui.panels.dashboards.alarm_dialog import AlarmDialog
from gui.panels.dashboards.gate import GatePanel
from gui.panels.dashboards.panel import DashboardPanel
from gui.panels.dashboards.people import PeoplePanel
from gui.panels.items.panel import ItemsPanel
from gui.window.workbench import Workbench
from tests.gui.scene import Scene, bench_of, copy_of
from tests.workload import BENCHMARK, fill

PANELS = ("progress", "agreement", "gate", "people", "audit_dashboard")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workspace: 60 items, most of them judged by three people."""
    folder = tmp_path_factory.mktemp("dashboards") / "w"
    ws = fill(folder, 60, tasks=3, decided=0.8, criteria=("accuracy",), screened=True)
    people.ensure_person(ws, "Lead", "lead")
    with ws.writing() as session:
        session.execute(
            text("update item set state = 'rejected' where state = 'accepted' and id % 5 = 0")
        )
    ws.close()
    return folder


@pytest.fixture
def place(template: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return copy_of(template, tmp_path / "w")


@pytest.fixture
def nothing(tmp_path: Path) -> Path:
    """A workspace with a benchmark and no item."""
    ws = fill(tmp_path / "nothing", 0, tasks=1)
    people.ensure_person(ws, "Lead", "lead")
    ws.close()
    return tmp_path / "nothing"


Opener = Callable[..., Workbench]


@pytest.fixture
def open_window(scene: Scene) -> Opener:
    """Opens a window in which the lead works."""

    def opened(place: Path, language: str = "en", theme: str = "light") -> Workbench:
        window = scene.open(place, "Lead", language=language, theme_name=theme)
        bench = bench_of(window)
        scene.until(lambda: bool(bench.context.benchmark))
        return bench

    return opened


def show(qtbot: QtBot, bench: Workbench, panel_id: str) -> DashboardPanel:
    bench.show_panel(panel_id)
    panel = bench.panel(panel_id)
    assert isinstance(panel, DashboardPanel)
    qtbot.waitUntil(panel.ready, timeout=30_000)
    return panel


def dashboard_of(panel: DashboardPanel) -> Dashboard:
    assert panel.shown is not None
    return panel.shown


def colours(image: QImage) -> int:
    """How many different colours there are on a grid over a picture."""
    return len(
        {image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
    )


@pytest.mark.parametrize(("language", "theme"), [("en", "light"), ("zh", "dark")])
def test_every_dashboard_is_drawn_on_a_small_workspace(
    qtbot: QtBot, open_window: Opener, place: Path, language: str, theme: str
) -> None:
    bench = open_window(place, language, theme)
    for panel_id in PANELS:
        panel = show(qtbot, bench, panel_id)
        dashboard = dashboard_of(panel)
        assert colours(panel.grab().toImage()) > 12, panel_id
        assert len(dashboard.figures) <= 4
        for figure in dashboard.figures:
            card = panel.page.cards[figure.id]
            assert card.body.accessibleName() == figure.title
            assert figure.title in card.body.accessibleDescription()
        chinese = any("一" <= letter <= "鿿" for letter in dashboard.sentence)
        assert chinese == (language == "zh")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_all_choices_of_agreement_stand_in_one_line(
    qtbot: QtBot, open_window: Opener, place: Path, language: str
) -> None:
    page = show(qtbot, open_window(place, language), "agreement").page
    controls = [page.head.itemAt(at) for at in range(page.head.count())]
    middles = {one.geometry().center().y() for one in controls if one is not None}
    assert max(middles) - min(middles) <= 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_empty_dashboard_says_what_is_missing_and_leads_there(
    qtbot: QtBot, open_window: Opener, nothing: Path, language: str
) -> None:
    bench = open_window(nothing, language)
    for panel_id in PANELS:
        panel = show(qtbot, bench, panel_id)
        missing = dashboard_of(panel).missing
        assert missing is not None
        assert panel.empty.isVisible()
        assert colours(panel.grab().toImage()) > 6
        begins = bench.actions_.action("screen").text() if panel_id == "gate" else ""
        assert panel.empty.button.text() == (begins or missing.button)
        if not begins:  # else it opens the sheet in which a screening begins
            panel.empty.button.click()
            assert bench.front == missing.panel


def click(body: ChartFigure, index: int) -> None:
    """A click on a mark, where the mouse would be."""
    place = body.place_of(index) - QPointF(body.plot.pos())
    for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
        event = QMouseEvent(
            kind, place, body.plot.viewport().mapToGlobal(place), Qt.MouseButton.LeftButton,
            Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        QApplication.sendEvent(body.plot.viewport(), event)


def listed(qtbot: QtBot, bench: Workbench, deed: Callable[[], None]) -> tuple[Filters, int]:
    """What the list of items is narrowed to after a deed, and how many items it shows."""
    wanted: list[tuple[str, Filters]] = []
    bench.context.asked_for.connect(wanted.append)
    deed()
    qtbot.waitUntil(lambda: bench.front == "items", timeout=10_000)
    panel = bench.panel("items")
    assert isinstance(panel, ItemsPanel)
    qtbot.waitUntil(lambda: panel.ready() and not bench.context.tasks.busy, timeout=20_000)
    bench.context.asked_for.disconnect(wanted.append)
    assert [name for name, _ in wanted] == ["items"]
    return wanted[0][1], panel.model.rowCount()


def test_a_click_on_a_bar_opens_its_items(qtbot: QtBot, open_window: Opener, place: Path) -> None:
    bench = open_window(place)
    panel = show(qtbot, bench, "progress")
    body = panel.page.cards["tasks"].body
    assert isinstance(body, ChartFigure)
    index = next(i for i, spot in enumerate(body.spots) if "task-000, accepted" in spot.text)
    filters, count = listed(qtbot, bench, lambda: click(body, index))
    assert filters == Filters(BENCHMARK, task="task-000", states=("accepted",))
    assert body.spots[index].text.endswith(f" {count}")


def test_the_keyboard_walks_through_the_marks_and_opens_them(
    qtbot: QtBot, open_window: Opener, place: Path
) -> None:
    bench = open_window(place)
    for figure_id in ("coefficients", "raters"):
        panel = show(qtbot, bench, "agreement")
        card = panel.page.cards[figure_id]
        card.body.setFocus()
        QTest.keyClick(card.body, Qt.Key.Key_Right)
        QTest.keyClick(card.body, Qt.Key.Key_Right)
        assert card.hint.text() == card.body.spots[1].text
        enter = partial(QTest.keyClick, card.body, Qt.Key.Key_Return)
        filters, count = listed(qtbot, bench, enter)
        assert filters.numbers == tuple(range(1, 49))
        assert count == 48


def test_every_mark_and_every_row_leads_to_items_that_can_be_listed(
    qtbot: QtBot, open_window: Opener, place: Path
) -> None:
    bench = open_window(place)
    known = set(range(1, 61))
    for panel_id in PANELS:
        panel = show(qtbot, bench, panel_id)
        for card in panel.page.cards.values():
            for spot in card.body.spots:
                if spot.pick is not None:
                    assert set(spot.pick()) <= known, spot.text
        for part in dashboard_of(panel).tables:
            assert len(part.picks) == len(part.table.rows), part.id
            assert all(set(pick()) <= known for pick in part.picks if pick is not None)


def test_the_numbers_on_the_panel_are_those_of_the_command(
    qtbot: QtBot, open_window: Opener, place: Path
) -> None:
    bench = open_window(place)
    panel = show(qtbot, bench, "agreement")
    ws = Workspace.open(place)
    expected = agreement_query.agreement(
        ws, agreement_query.Scope(benchmark=BENCHMARK)
    ).coefficients
    ws.close()
    ours = sorted(dashboard_of(panel).facts["coefficients"], key=lambda one: one["name"])
    assert ours == sorted(results_to_json(expected), key=lambda one: one["name"])
    model = panel.page.parts["coefficients"].model
    shown = {model.index(r, 0).data(): model.index(r, 1).data() for r in range(model.rowCount())}
    assert shown == {one.title: f"{one.value:.3f}" for one in expected}


def test_the_choices_change_what_is_measured(
    qtbot: QtBot, open_window: Opener, place: Path
) -> None:
    bench = open_window(place)
    panel = show(qtbot, bench, "agreement")
    assert isinstance(panel, AgreementPanel)
    before = panel.page.sentence.text()
    panel.criterion.setCurrentIndex(panel.criterion.findData("accuracy"))
    panel.criterion.activated.emit(panel.criterion.currentIndex())
    qtbot.waitUntil(panel.ready, timeout=20_000)
    assert panel.page.sentence.text() != before
    panel.detail.setCurrentIndex(panel.detail.findData("confusion"))
    panel.detail.activated.emit(panel.detail.currentIndex())
    qtbot.waitUntil(panel.ready, timeout=20_000)
    assert set(panel.page.cards) == {"coefficients", "weeks", "raters", "confusion"}
    panel.criterion.setCurrentIndex(panel.criterion.findData("coherence"))
    panel.criterion.activated.emit(panel.criterion.currentIndex())
    qtbot.waitUntil(panel.ready, timeout=20_000)
    assert "no ratings" in panel.page.sentence.text()
    assert panel.criterion.isVisible()  # what nobody rated can be left again


def test_a_dashboard_in_front_refreshes_itself(
    qtbot: QtBot, open_window: Opener, place: Path
) -> None:
    bench = open_window(place)
    panel = show(qtbot, bench, "people")
    before = panel.page.sentence.text()
    other = Workspace.open(place)
    review.decide(other, "somebody else", 60, "accept", seconds=9)
    other.close()
    qtbot.waitUntil(lambda: panel.page.sentence.text() != before, timeout=20_000)


def test_names_are_shown_when_asked_for_and_the_ledger_knows(
    qtbot: QtBot, open_window: Opener, place: Path
) -> None:
    bench = open_window(place)
    panel = show(qtbot, bench, "people")
    assert isinstance(panel, PeoplePanel)
    model = panel.page.parts["people"].model
    assert "reviewer" not in str(model.index(0, 0).data())
    panel.names.click()
    qtbot.waitUntil(
        lambda: panel.ready() and "reviewer" in str(model.index(0, 0).data()), timeout=20_000
    )
    ws = Workspace.open(place)
    with ws.reading() as session:
        assert next(ledger.newest(session, ("revealed",))).actor == "Lead"
    ws.close()


def test_an_alarm_that_a_lead_sets_is_on_the_panel(
    qtbot: QtBot, open_window: Opener, place: Path
) -> None:
    bench = open_window(place)
    panel = show(qtbot, bench, "agreement")
    assert isinstance(panel, AgreementPanel)
    panel.alarm.click()
    qtbot.waitUntil(lambda: bool(panel.findChildren(AlarmDialog)), timeout=10_000)
    dialog = panel.findChildren(AlarmDialog)[0]
    dialog.below.setValue(0.99)
    dialog.items.setValue(5)
    dialog.add.click()
    qtbot.waitUntil(lambda: panel.page.alarms.isVisible() and panel.ready(), timeout=20_000)
    assert "task-000" in panel.page.alarms.text()
    dialog.leave.click()
    assert not dialog.isVisible()
    qtbot.waitUntil(lambda: not bench.context.tasks.busy, timeout=10_000)


def test_a_disputed_item_of_the_work_list_is_settled_from_it(
    qtbot: QtBot, open_window: Opener, place: Path
) -> None:
    ws = Workspace.open(place)
    with ws.writing() as session:
        session.execute(text("update item set disputed = 1, state = 'in_review' where id <= 48"))
    ws.close()
    bench = open_window(place)
    panel = show(qtbot, bench, "agreement")
    part = panel.page.parts["work_list"]
    part.table.selectRow(0)
    number = int(str(part.model.index(0, 0).data()).lstrip("#"))
    part.settle.click()
    settling = bench.panel("adjudicate")
    assert isinstance(settling, AdjudicatePanel)
    qtbot.waitUntil(
        lambda: bench.front == "adjudicate" and settling.ready() and not bench.context.tasks.busy,
        timeout=10_000,
    )
    assert f"#{number}" in settling.page.document().toPlainText()
    settling.accept_item()
    qtbot.waitUntil(lambda: settling.ready() and not bench.context.tasks.busy, timeout=10_000)
    other = Workspace.open(place)
    assert history.item_history(other, number, "Lead").state != "in_review"
    other.close()


def test_an_item_that_nobody_disputes_says_why_it_is_not_to_be_settled(
    qtbot: QtBot, open_window: Opener, place: Path
) -> None:
    bench = open_window(place)
    said: list[str] = []
    bench.context.noticed.connect(lambda notice: said.append(notice.text))
    panel = show(qtbot, bench, "agreement")
    panel.page.parts["work_list"].settle.click()
    qtbot.waitUntil(lambda: bool(said) and not bench.context.tasks.busy, timeout=10_000)
    assert "not disputed" in said[0]


def test_figures_and_dashboards_are_kept_as_png_svg_and_csv(
    qtbot: QtBot, open_window: Opener, place: Path, tmp_path: Path
) -> None:
    from gui.charts.export import export_page

    bench = open_window(place)
    panel = show(qtbot, bench, "gate")
    card = panel.page.cards["roc"]
    for form in ("png", "svg", "csv"):
        card.export(tmp_path / f"roc.{form}")
        export_page(panel.page, dashboard_of(panel), tmp_path / f"gate.{form}")
    assert colours(QImage(str(tmp_path / "roc.png"))) > 8
    assert QImage(str(tmp_path / "gate.png")).width() == 2 * panel.page.width()
    drawn = (tmp_path / "roc.svg").read_text(encoding="utf-8")
    assert drawn.count("<path") > 5
    assert "<image" not in drawn
    assert "threshold" not in (tmp_path / "roc.csv").read_text(encoding="utf-8").splitlines()[0]
    numbers = (tmp_path / "gate.csv").read_text(encoding="utf-8")
    assert len(numbers.splitlines()) > 30
    assert "table:gate,Value,tokens," in numbers
    assert "No screened-out items were reviewed by people" in numbers


@pytest.mark.parametrize("shift", [0.0, 1e-6])
def test_what_is_exported_of_agreement_was_computed_twice(
    qtbot: QtBot, open_window: Opener, place: Path, monkeypatch: pytest.MonkeyPatch, shift: float
) -> None:
    def value(statistic: Statistic) -> float:
        return float(statistic.at(statistic.patterns.weights[None, :])[0]) + shift

    monkeypatch.setattr(Statistic, "value", property(value))
    bench = open_window(place)
    said: list[str] = []
    bench.context.noticed.connect(lambda notice: said.append(notice.text))
    panel = show(qtbot, bench, "agreement")
    assert "checked with" not in panel.page.remarks.text()
    written: list[str] = []
    panel.page.cards["coefficients"].when_checked(partial(written.append, "figure"))
    panel.page.when_checked(partial(written.append, "dashboard"))
    qtbot.waitUntil(lambda: not bench.context.tasks.busy, timeout=30_000)
    if shift:
        assert not written
        assert "nothing was written" in said[-1]
    else:
        assert sorted(written) == ["dashboard", "figure"]
        assert "checked with statsmodels" in panel.page.remarks.text()


def test_the_threshold_is_set_where_its_effects_are_seen(
    qtbot: QtBot, open_window: Opener, tmp_path: Path
) -> None:
    ws = fill(tmp_path / "w", 120, tasks=3, decided=0.8, screened=True, lots=True)
    people.ensure_person(ws, "Lead", "lead")
    ws.close()
    bench = open_window(tmp_path / "w")
    panel = show(qtbot, bench, "gate")
    assert isinstance(panel, GatePanel)
    table = panel.page.parts["thresholds"].table
    rows = range(table.model().rowCount())
    wanted = next(row for row in rows if table.model().index(row, 0).data() == "4.5")
    table.setFocus()
    table.setCurrentIndex(table.model().index(wanted - 1, 0))
    QTest.keyClick(table, Qt.Key.Key_Down)
    panel.threshold_button.setFocus()
    QTest.keyClick(panel.threshold_button, Qt.Key.Key_Return)
    (dialog,) = panel.findChildren(ProtocolsDialog)
    qtbot.waitUntil(dialog.save.isEnabled, timeout=30_000)
    assert dialog.text.text() == "4.5"
    assert dialog.consequence.text().startswith("3 protocols change")
    dialog.save.click()

    def thresholds() -> set[float]:
        found = tasks.tasks(bench.context.workspace, BENCHMARK)
        return {info.protocol.threshold for info in found}

    qtbot.waitUntil(lambda: thresholds() == {4.5}, timeout=30_000)


def test_without_a_chosen_threshold_none_is_offered(
    qtbot: QtBot, open_window: Opener, place: Path
) -> None:
    panel = show(qtbot, open_window(place), "gate")
    assert isinstance(panel, GatePanel)
    panel.open_threshold()
    (dialog,) = panel.findChildren(ProtocolsDialog)
    qtbot.waitUntil(lambda: dialog.names.count() == 3, timeout=30_000)
    assert dialog.text.text() == ""
    assert not dialog.save.isEnabled()
