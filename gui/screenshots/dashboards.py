"""One dashboard as a picture or as numbers, without a window: for the command line."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout

from core.workflow.dashboards.figures import Dashboard
from gui import i18n, theme
from gui.app import application
from gui.charts.dashboard_page import DashboardPage
from gui.charts.export import export_page
from gui.preferences import Preferences
from gui.screenshots.panels import wait_for
from gui.widgets.elements import label

WIDTH = 1200


def save_dashboard(
    dashboard: Dashboard, paths: list[Path], theme_name: str = "light", language: str = "en"
) -> None:
    """Write a dashboard to every path, as PNG, SVG or CSV by its ending.

    Raises OutsideError when a picture cannot be written.
    """
    preferences = Preferences(theme=theme_name, language=language)
    app = application(preferences)
    i18n.use_language(app, language)
    colours = theme.apply(app, theme_name)
    page = DashboardPage(colours)
    page.setAccessibleName(dashboard.sentence)
    try:
        page.show_dashboard(dashboard)
        if dashboard.missing is not None:
            page.remarks.setText(dashboard.missing.text)
            page.remarks.setVisible(True)
        _lay_out(page)
        for path in paths:
            export_page(page, dashboard, path)
    finally:
        page.close()
        page.deleteLater()


def _lay_out(page: DashboardPage) -> None:
    """Give the page the height that its contents need, and let everything take its place."""
    for card in page.cards.values():
        card.hint.setText("")
    for part in page.parts.values():
        part.settle.hide()
    for button in page.alarms.buttons:
        button.hide()
    footing = label(benchmark_of(page), ink="muted")
    layout = page.layout()
    assert layout is not None
    layout.addWidget(footing)
    layout.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
    page.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    page.resize(WIDTH, 800)
    page.show()
    wait_for(lambda: True)
    height = layout.totalHeightForWidth(WIDTH) if layout.hasHeightForWidth() else 0
    page.resize(WIDTH, max(height, page.sizeHint().height()))
    wait_for(lambda: True)


def benchmark_of(page: DashboardPage) -> str:
    """The benchmark that a picture is of."""
    return page.dashboard.benchmark if page.dashboard is not None else ""
