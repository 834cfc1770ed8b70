"""Which columns a list shows: chosen by the person in a menu, remembered by the window."""

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from gui.context import WindowContext
from gui.panels.items.model import COLUMNS, USUAL, ItemsModel
from gui.widgets.table_view import ReadingTable


class ChosenColumns(QObject):
    """Hides and shows the columns of a table of items."""

    def __init__(self, context: WindowContext, table: ReadingTable, name: str) -> None:
        super().__init__(table)
        self._context, self._table, self._name = context, table, name
        self._show(context.preferences.columns.get(name, ()) or USUAL)
        header = table.horizontalHeader()
        header.setSectionsMovable(True)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self.open)
        header.sectionMoved.connect(self._on_moved)

    def _show(self, wanted: tuple[str, ...]) -> None:
        shown = [name for name in wanted if name in COLUMNS] or list(USUAL)
        header = self._table.horizontalHeader()
        for index, name in enumerate(COLUMNS):
            self._table.setColumnHidden(index, name not in shown)
        order = [COLUMNS.index(name) for name in shown]
        for place, index in enumerate(order):
            header.moveSection(header.visualIndex(index), place)

    @property
    def shown(self) -> tuple[str, ...]:
        """Ids of the columns in sight, in the order in which they stand."""
        header = self._table.horizontalHeader()
        order = [header.logicalIndex(place) for place in range(len(COLUMNS))]
        return tuple(COLUMNS[index] for index in order if not header.isSectionHidden(index))

    def open(self, at: QPoint) -> None:
        """The menu of columns; the number always stays."""
        model = self._table.model()
        assert isinstance(model, ItemsModel)
        menu = QMenu(self._table)
        menu.aboutToHide.connect(menu.deleteLater)
        for index, spec in enumerate(model.columns):
            entry = menu.addAction(spec.title)
            entry.setCheckable(True)
            entry.setChecked(not self._table.isColumnHidden(index))
            entry.setData(index)
            entry.setEnabled(index > 0)
            entry.toggled.connect(self._on_column)
        menu.popup(self._table.horizontalHeader().mapToGlobal(at))

    def choose(self, column: str, *, shown: bool) -> None:
        """Show or hide one column, and remember it."""
        self._table.setColumnHidden(COLUMNS.index(column), not shown)
        self._table.fit_columns()
        self._context.keep_columns(self._name, self.shown)

    def _on_column(self, shown: bool) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.choose(COLUMNS[int(action.data())], shown=shown)

    def _on_moved(self, *_places: int) -> None:
        self._context.keep_columns(self._name, self.shown)
