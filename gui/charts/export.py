"""Keeping a whole dashboard: as a picture, or its numbers."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from core.files import write_atomic
from core.i18n import tr
from core.report_table import ReportTable
from core.table_writer import ENDINGS, write_table
from core.workflow.dashboards.figures import Dashboard, dashboard_csv
from gui.charts.dashboard_page import DashboardPage
from gui.charts.figure_card import ending_in, refusal, save_picture
from gui.widgets.file_dialogs import ask_where


class _Export(QObject):
    """One visit to the menu; goes with the menu's button."""

    def __init__(
        self,
        page: DashboardPage,
        dashboard: Dashboard,
        complain: Callable[[str], None],
        parent: QWidget,
        table: ReportTable | None,
    ) -> None:
        super().__init__(parent)
        self._page, self._dashboard, self._complain = page, dashboard, complain
        self._table = table
        self._form = "png"

    def choose(self) -> None:
        """Ask where to, for the form of the entry that was chosen."""
        action = self.sender()
        if not isinstance(action, QAction):
            return
        self._form = str(action.data())
        name = f"{self._dashboard.panel}.{self._form}"
        ask_where(self._page.window(), tr("Export the dashboard"), name, self._write)

    def _write(self, name: str) -> None:
        self._page.when_checked(partial(self._write_checked, ending_in(self._form, name)))

    def _write_checked(self, path: Path) -> None:
        shown = self._page.dashboard or self._dashboard
        if why := refusal(partial(export_page, self._page, shown, table=self._table), path):
            self._complain(why)


def export_page(
    page: DashboardPage, dashboard: Dashboard, path: Path, table: ReportTable | None = None
) -> None:
    """Write a shown dashboard as PNG, SVG or CSV, by the ending.

    Where a table is what the dashboard is about, CSV is that table, and the other forms of tables
    are there as well.
    """
    form = path.suffix.lower()
    if table is not None and form in ENDINGS:
        write_table(path, table)
    elif form == ".csv":
        write_atomic(path, dashboard_csv(dashboard), for_others=True)
    else:
        with page.pictured() as (top, above):
            save_picture(page, path, top, above)


def open_export_menu(
    button: QWidget,
    page: DashboardPage,
    dashboard: Dashboard,
    complain: Callable[[str], None],
    table: ReportTable | None = None,
) -> QMenu:
    """The forms in which the dashboard in front can be kept; ``table`` as in ``export_page``."""
    menu = QMenu(button)
    export = _Export(page, dashboard, complain, menu, table)
    forms = [
        ("png", tr("Save as PNG…")),
        ("svg", tr("Save as SVG…")),
        ("csv", tr("Save figures as CSV…")),
    ]
    if table is not None:
        forms += [
            ("tex", tr("Save the table as LaTeX…")),
            ("md", tr("Save the table as Markdown…")),
            ("xlsx", tr("Save the table as Excel…")),
        ]
    for form, title in forms:
        entry = menu.addAction(title)
        entry.setData(form)
        entry.triggered.connect(export.choose)
    menu.popup(button.mapToGlobal(QPoint(0, button.height())))
    return menu
