"""The menu of saved filters: choose one, save the one in use, forget one."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton, QWidget

from core.i18n import tr
from core.workflow.items import search
from core.workflow.items.search import Filters, SavedFilter
from gui.context import WindowContext
from gui.widgets.elements import face, label, tip
from gui.widgets.sheet import Sheet


class SavedFilters(QPushButton):
    """A button with the saved filters behind it; ``chosen`` is emitted with a ``Filters``."""

    chosen = Signal(object)

    def __init__(self, context: WindowContext, parent: QWidget | None = None) -> None:
        super().__init__(tr("Saved ▾"), parent)
        self._context = context
        self._filters = Filters()
        self.overseer = False
        self.setToolTip(tr("Saved filters"))
        self.clicked.connect(self.open)

    def show_filters(self, filters: Filters) -> None:
        """The filter that would be saved."""
        self._filters = filters

    def open(self) -> None:
        """Read the saved filters and show the menu."""
        work = partial(search.filters_saved, self._context.workspace)
        self._context.ask(self, work, self._pop, self._context.complain, topic="saved")

    def _pop(self, saved: tuple[SavedFilter, ...]) -> None:
        menu = self.menu_of(saved)
        menu.popup(self.mapToGlobal(QPoint(0, self.height())))

    def menu_of(self, saved: Sequence[SavedFilter]) -> QMenu:
        """The menu; filters by which this person may not narrow are not offered."""
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        for entry in saved:
            if self.overseer or not _peeks(entry.filters, self._context.person.name):
                self._add(menu, entry.name, entry.filters, self._on_chosen)
        if not saved:
            menu.addAction(tr("No saved filters yet")).setEnabled(False)
        menu.addSeparator()
        menu.addAction(tr("Save this filter…")).triggered.connect(self.open_saving)
        forget = menu.addMenu(tr("Delete saved filter"))
        forget.setEnabled(bool(saved))
        for entry in saved:
            self._add(forget, entry.name, entry.name, self._on_forget)
        return menu

    def _add(self, menu: QMenu, title: str, data: object, run: object) -> None:
        action = menu.addAction(face(title))
        action.setToolTip(tip(title))
        action.setData(data)
        action.triggered.connect(run)

    def _on_chosen(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.chosen.emit(action.data())

    def _on_forget(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            work = partial(
                search.forget_filter,
                self._context.workspace,
                str(action.data()),
                self._context.person.name,
            )
            self._context.write(self, work, self._nothing, self._context.complain)

    def open_saving(self) -> None:
        """Ask for the name."""
        FilterNameDialog(self._context, self._filters, self).open()

    def _nothing(self, _value: object) -> None:
        """The next menu is read again."""


def _peeks(chosen: Filters, viewer: str) -> bool:
    by_score = chosen.score_from is not None or chosen.score_to is not None
    return by_score or chosen.person not in ("", viewer)


class FilterNameDialog(Sheet):
    """The name under which a filter is kept."""

    def __init__(self, context: WindowContext, filters: Filters, parent: QWidget) -> None:
        super().__init__(parent, tr("Save this filter"), (400, 180))
        self._context, self._filters = context, filters
        self.name = QLineEdit()
        self.name.setMaxLength(80)
        self.name.setAccessibleName(tr("Name of the filter"))
        save = QPushButton(tr("Save"))
        save.setProperty("look", "filled")
        save.clicked.connect(self.save)
        layout, line = self.with_body()
        self.focus_first(self.name)
        self.enter_presses(save)
        layout.addWidget(
            label(
                tr("Name, visible to everyone; an existing filter of the same name is replaced"),
                ink="muted",
                wrap=True,
            )
        )
        layout.addWidget(self.name)
        cancel = QPushButton(tr("Cancel"))
        cancel.clicked.connect(self.reject)
        line.addWidget(cancel)
        line.addStretch(1)
        line.addWidget(save)

    def save(self) -> None:
        """Keep it and close."""
        context = self._context
        work = partial(
            search.save_filter,
            context.workspace,
            self.name.text(),
            self._filters,
            context.person.name,
        )
        context.write(self, work, self._on_saved, self.say_trouble)

    def _on_saved(self, _value: object) -> None:
        self._context.say(tr("Filter saved as “{name}”.", name=self.name.text().strip()))
        self.accept()
