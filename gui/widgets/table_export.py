"""The menu of every table: copy it, or save it as CSV or as an Excel workbook."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QAbstractItemModel, QPoint, Qt
from PySide6.QtWidgets import QApplication, QMenu, QTableView

from core.i18n import tr
from core.report_table import Cell, Moment, ReportTable
from gui import i18n
from gui.context import WindowContext, context_of
from gui.widgets.file_dialogs import ask_where
from gui.widgets.table_model import Column

_NOTHING = ("", "–")


def shown_table(view: QTableView, title: str) -> ReportTable:
    """The columns in sight, in their order, with every row; figures as numbers."""
    model, head = view.model(), view.horizontalHeader()
    order = [head.logicalIndex(place) for place in range(model.columnCount())]
    specs = getattr(model, "columns", None)
    private = {
        index for index, spec in enumerate(specs if isinstance(specs, tuple) else ())
        if isinstance(spec, Column) and spec.private
    }  # fmt: skip
    shown = [index for index in order if not view.isColumnHidden(index) and index not in private]
    titles = [
        str(model.headerData(index, Qt.Orientation.Horizontal) or "").replace("\n", " ")
        for index in shown
    ]
    rows = [tuple(_cell(model, row, index) for index in shown) for row in range(model.rowCount())]
    return ReportTable(title, tuple(titles), tuple(rows))


def _cell(model: QAbstractItemModel, row: int, column: int) -> Cell:
    index = model.index(row, column)
    shown = model.data(index)  # of the model itself: Qt makes a plain text of it
    if isinstance(shown, i18n.ShownTime):
        return Moment(shown.stored)
    text = str(shown if shown is not None else "")
    aligned = int(index.data(int(Qt.ItemDataRole.TextAlignmentRole)) or 0)
    if not aligned & int(Qt.AlignmentFlag.AlignRight):
        return text
    return None if text in _NOTHING else i18n.parsed(text)


def open_table_menu(view: QTableView, at: QPoint) -> None:
    """Offer what can be done with the whole table, at a place of its viewport."""
    menu = QMenu(view)
    menu.aboutToHide.connect(menu.deleteLater)
    entries = (
        (tr("Copy the table"), partial(copy_table, view)),
        (tr("Save the table as CSV…"), partial(_ask, view, "csv")),
        (tr("Save the table as an Excel workbook…"), partial(_ask, view, "xlsx")),
    )
    for words, act in entries:
        entry = menu.addAction(words)
        entry.triggered.connect(act)
        entry.setEnabled(view.model().rowCount() > 0)
    menu.popup(view.viewport().mapToGlobal(at))
    menu.setActiveAction(menu.actions()[0])


def copy_table(view: QTableView, _checked: bool = False) -> None:
    """Put the table on the clipboard with tabs between the cells, as spreadsheets paste it."""
    table = shown_table(view, "")
    lines = [table.columns, *(map(table.pasted_text, row) for row in table.rows)]
    text = "\n".join("\t".join(" ".join(cell.split()) for cell in line) for line in lines)
    QApplication.clipboard().setText(text)


def _ask(view: QTableView, ending: str, _checked: bool = False) -> None:
    title = view.accessibleName() or tr("Table")
    chosen = partial(save_table, view, title)
    ask_where(view.window(), title, f"{title.replace('/', '-')}.{ending}", chosen)


def save_table(view: QTableView, title: str, path: str) -> None:
    """Write the table off the window's thread; what came of it is said in the window."""
    context = context_of(view)
    work = partial(_write, path, shown_table(view, title))
    done = partial(_on_saved, context)
    context.ask(context, work, done, context.complain, lane="background")


def _write(path: str, table: ReportTable) -> str:
    from core.table_writer import write_table

    write_table(Path(path), table)
    return path


def _on_saved(context: WindowContext, path: str) -> None:
    context.say(tr("The table was written to {path}.", path=path))
