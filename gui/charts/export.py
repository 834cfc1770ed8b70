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
from core.workflow.dashboards.figures import Dashboard, board_csv
from gui.charts.dashboard_page import DashboardPage
from gui.charts.figure_card import ending_in, refusal, save_picture
from gui.widgets.file_dialogs import ask_where


class _Export(QObject):
    """One visit to the menu; goes with the menu's button."""

    def __init__(
        self,
        page: DashboardPage,
        board: Dashboard,
        complain: Callable[[str], None],
        parent: QWidget,
        table: ReportTable | None,
    ) -> None:
        super().__init__(parent)
        self._page, self._board, self._complain = page, board, complain
        self._table = table
        self._form = "png"

    def choose(self) -> None:
        """Ask where to, for the form of the entry that was chosen."""
        action = self.sender()
        if not isinstance(action, QAction):
            return
        self._form = str(action.data())
        name = f"{self._board.panel}.{self._form}"
        ask_where(self._page.window(), tr("Export the dashboard"), name, self._write)

    def _write(self, name: str) -> None:
        write = partial(export_page, self._page, self._board, table=self._table)
        if why := refusal(write, ending_in(self._form, name)):
            self._complain(why)


def export_page(
    page: DashboardPage, board: Dashboard, path: Path, table: ReportTable | None = None
) -> None:
    """Write a shown board as PNG, SVG or CSV, by the ending.

    Where a table is what the board is about, CSV is that table, and LaTeX is there as well.
    """
    form = path.suffix.lower()
    if table is not None and form in (".csv", ".tex"):
        write_atomic(path, table.to_csv() if form == ".csv" else table.to_latex())
    elif form == ".csv":
        write_atomic(path, board_csv(board))
    else:
        with page.pictured() as (top, above):
            save_picture(page, path, top, above)


def open_export_menu(
    button: QWidget,
    page: DashboardPage,
    board: Dashboard,
    complain: Callable[[str], None],
    table: ReportTable | None = None,
) -> QMenu:
    """The forms in which the dashboard in front can be kept; ``table`` as in ``export_page``."""
    menu = QMenu(button)
    export = _Export(page, board, complain, menu, table)
    forms = [
        ("png", tr("Save as PNG…")),
        ("svg", tr("Save as SVG…")),
        ("csv", tr("Save the numbers as CSV…")),
    ]
    if table is not None:
        forms.append(("tex", tr("Save the table as LaTeX…")))
    for form, title in forms:
        entry = menu.addAction(title)
        entry.setData(form)
        entry.triggered.connect(export.choose)
    menu.popup(button.mapToGlobal(QPoint(0, button.height())))
    return menu
