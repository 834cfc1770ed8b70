"""Items: everything there is, narrowed by chips and words; a preview beside; many at once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QMenu

from core.i18n import tr, trn
from core.workflow.items import history, search, state_counts
from core.workflow.items.bulk import BulkDone
from core.workflow.items.history import ItemHistory
from core.workflow.items.search import FilterChoices, Filters, ItemLine, ItemPageRows, ItemsFile
from core.workflow.rights import Action
from core.workflow.workspace import Workspace
from gui import i18n, labels
from gui.context import WindowContext
from gui.dialogs.bulk import ERRATA, LOOKS, BulkDialog, done_words
from gui.dialogs.item_history import ItemHistoryDialog, open_history
from gui.documents.item_card import CardText, card_document
from gui.panels.base import Panel
from gui.panels.items.columns import ChosenColumns
from gui.panels.items.filter_chips import chips_of, without
from gui.panels.items.filter_dialog import FilterDialog
from gui.panels.items.layout import ItemsLayout
from gui.panels.items.model import PAGE, ItemsModel
from gui.panels.items.table_file import write_lines
from gui.timers import single_shot
from gui.widgets.file_dialogs import ask_where

ITEM_FILES = ("jsonl", "csv", "xlsx")
"""Endings of the files that a list of items can be written to."""
_TYPING_MS = 180  # between the last letter and the search
_SCROLL_MS = 25  # between the last move and the reading of what came into sight
_REACH_MS = 2000  # until a search that misses texts is made again


@dataclass(frozen=True, slots=True)
class _First:
    filters: Filters
    page: ItemPageRows
    all: int
    """Items of the benchmark, or of all, whatever the filter."""


def _first(ws: Workspace, chosen: Filters, viewer: str) -> _First:
    everything = sum(state_counts.counts(ws, chosen.benchmark).values())
    page = search.page(ws, chosen, 0, PAGE, viewer=viewer, texts=True)
    if page.capped and chosen == Filters(benchmark=chosen.benchmark):
        page = replace(page, total=everything, capped=False)
    return _First(chosen, page, everything)


@dataclass(frozen=True, slots=True)
class _Place:
    """What the list was narrowed by, the row in front, and how far it was scrolled (pixels)."""

    filters: Filters
    row: int
    scrolled: int


class ItemsPanel(Panel):
    """The table, its filters and the preview."""

    topics = ("items", "decisions", "benchmarks")

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._filters = Filters(benchmark=context.benchmark)
        self._first: _First | None = None
        self._life: ItemHistory | None = None
        self._choices = FilterChoices()
        self._wanted: set[int] = set()
        self._reading = False
        self._returning: _Place | None = None
        self.model = ItemsModel(context.colours, self)
        self.parts = ItemsLayout(context, self.model, self)
        self.table, self.chips, self.sum = self.parts.table, self.parts.chips, self.parts.sum
        self.search, self.preview, self.saved = (
            self.parts.search, self.parts.preview, self.parts.saved,
        )  # fmt: skip
        self.columns = ChosenColumns(context, self.table, "items")
        self.setFocusProxy(self.table)
        self._typing = single_shot(self, _TYPING_MS, self._search)
        self._scrolling = single_shot(self, _SCROLL_MS, self._read_in_sight)
        self._reach = single_shot(self, _REACH_MS, self.refresh)
        self._bind()
        self._connect()

    def _bind(self) -> None:
        bind = self.context.actions.bind
        bind("search-items", self, self._into_search, self._has_items)
        bind("filter", self, self.open_filters, self._has_items)
        bind("saved-filters", self, self.saved.open, self._has_items)
        bind("everywhere", self, self.switch_scope)
        bind("columns", self, self._open_columns, self._has_items)
        bind("life", self, self.open_history, self._has_selection)
        bind("choose-all", self, self.choose_all, self._has_items)
        bind("next-item", self, partial(self._step, 1), self._has_items)
        bind("previous-item", self, partial(self._step, -1), self._has_items)
        if self.context.may(Action.CHANGE_MANY):
            errata = ERRATA if self.context.may(Action.DECLARE_ERRATA) else ()
            for name in ("reject", "return", "reopen", *LOOKS, *errata):
                act = f"many-{name.replace('_', '-')}"
                bind(act, self, partial(self.open_bulk, name), self._has_items)
            bind("export-items", self, self.open_export, self._has_items)

    def _connect(self) -> None:
        self.model.page_wanted.connect(self._on_wanted)
        self.model.moved.connect(self._on_moved)
        chosen = self.table.selectionModel()
        chosen.currentRowChanged.connect(self._on_row)
        chosen.selectionChanged.connect(self._show_sum)
        self.table.doubleClicked.connect(self._on_double_click)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._open_row_menu)
        self.chips.add_clicked.connect(self.open_filters)
        self.chips.removed.connect(self._remove_filter)
        self.saved.chosen.connect(self.narrow)
        self.search.textChanged.connect(self._on_text)
        self.search.returnPressed.connect(self._into_table)
        self.parts.many.clicked.connect(self._open_many)
        self.parts.empty.pressed.connect(self._make_items)

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the first page and the counts."""
        work = partial(_first, self.context.workspace, self._filters, self.context.person.name)
        self.context.ask(self, work, self._show, self._fail, topic="first", lane="background")

    def _on_benchmark(self, name: str) -> None:
        self._filters = Filters(benchmark=name)
        self._first = None
        super()._on_benchmark(name)

    def _fail(self, sentence: str) -> None:
        self._first = self._first or _First(Filters(), ItemPageRows((), 0, False, 0), 0)
        self.context.complain(sentence)

    def _show(self, first: _First) -> None:
        before, self._first = self._first, first
        self.parts.show_empty(first.all == 0)
        same = before is not None and before.filters == first.filters and bool(before.page.total)
        if same:
            known = max(first.page.total, self.model.rowCount())
            self.model.renew(known if first.page.capped else first.page.total)
        else:
            self.model.start(first.page.total, first.page.rows)
            self._show_filters()
            self.table.scrollToTop()
        if first.page.capped:
            work = partial(
                search.count, self.context.workspace, first.filters, viewer=self.context.person.name
            )
            counted = partial(self._on_counted, first)
            self.context.ask(self, work, counted, self._fail, topic="count", lane="background")
        self._show_sum()
        if not first.page.total:
            self.parts.say_nothing_found()
            self._life = None
        elif not self.table.currentIndex().isValid():
            self.table.selectRow(0)
        self._return()
        self.context.actions.update()

    def place(self) -> _Place:
        """The filter, the row in front and the scroll place."""
        row, bar = self.table.currentIndex().row(), self.table.verticalScrollBar()
        return _Place(self._filters, row, bar.value())

    def return_to(self, place: _Place) -> None:
        """Narrow as it was then; the row comes to the front once it is there."""
        self._returning = place
        if place.filters == self._filters and not self.stale:
            self._return()
        else:
            self.narrow(place.filters)

    def _return(self) -> None:
        place, self._returning = self._returning, None
        if place is not None and 0 <= place.row < self.model.rowCount():
            self.table.selectRow(place.row)
            self.table.verticalScrollBar().setValue(place.scrolled)

    def _on_counted(self, first: _First, total: int) -> None:
        if self._first is first:
            counted = replace(first.page, total=total, capped=False)
            self._first = replace(first, page=counted)
            self.model.resize(total)
            self._show_sum()

    def _show_sum(self) -> None:
        if self._first is None:
            return
        page, everything = self._first.page, self._first.all
        shown = i18n.number(page.total)
        if page.capped:
            total = i18n.number(everything)
            text = tr("more than {shown} of {total} items", shown=shown, total=total)
        elif page.total == everything:
            text = trn("1 item", "{n} items", everything)
        else:
            text = trn("{shown} of 1 item", "{shown} of {n} items", everything, shown=shown)
        if page.coverage is not None:
            text = tr("{text} · {reach}", text=text, reach=page.coverage.sentence)
            self._reach.start()
        chosen = sum(last - first + 1 for first, last in self._chosen_rows())
        self.sum.setText(
            tr("{text} · {count} selected", text=text, count=i18n.number(chosen))
            if chosen > 1
            else text
        )

    # -- pages ------------------------------------------------------------------------------

    def _on_wanted(self, number: int) -> None:
        self._wanted.add(number)
        if not self._reading:
            self._scrolling.start()

    def _read_in_sight(self) -> None:
        """Ask for the pages that are still in sight; the ones passed by are forgotten."""
        top = max(0, self.table.rowAt(0))
        bottom = self.table.rowAt(self.table.viewport().height() - 1)
        last = self.model.rowCount() - 1 if bottom < 0 else bottom
        seen = range(top // PAGE, last // PAGE + 1)
        for number in self._wanted.difference(seen):
            self.model.forget_wish(number)
        wanted = sorted(self._wanted.intersection(seen))
        self._wanted.clear()
        if wanted:
            self._reading = True
            work = partial(self._read_pages, self._filters, wanted[0], wanted[-1])
            done, failed = partial(self._on_pages, self._filters), self._on_unread
            self.context.ask(self, work, done, failed, lane="background")

    def _read_pages(self, chosen: Filters, first: int, last: int) -> dict[int, list[ItemLine]]:
        rows = search.rows(
            self.context.workspace, chosen, first * PAGE, (last - first + 1) * PAGE,
            viewer=self.context.person.name, texts=True,
        )  # fmt: skip
        return {
            number: list(rows[(number - first) * PAGE : (number - first + 1) * PAGE])
            for number in range(first, last + 1)
        }

    def _on_pages(self, chosen: Filters, pages: dict[int, list[ItemLine]]) -> None:
        self._reading = False
        if chosen == self._filters:
            current = self.table.currentIndex().row()
            for number, rows in pages.items():
                self.model.take_page(number, rows)
            if current // PAGE in pages:
                self._on_row(self.table.currentIndex(), QModelIndex())
        if self._wanted:
            self._scrolling.start()

    def _on_unread(self, sentence: str) -> None:
        self._reading = False
        self.context.complain(sentence)

    def _on_moved(self) -> None:
        """Rows hold other items than when they were chosen: nothing is chosen any more."""
        current = self.table.currentIndex()
        if sum(last - first + 1 for first, last in self._chosen_rows()) > 1:
            self.table.clearSelection()
            self.table.setCurrentIndex(current)

    # -- preview and life -------------------------------------------------------------------

    def _on_row(self, current: QModelIndex, _before: QModelIndex) -> None:
        line = self.model.line(current.row()) if current.isValid() else None
        if line is not None:
            self._read_history(line.id)
        self.context.actions.update()

    def _read_history(self, number: int) -> None:
        work = partial(
            history.item_history, self.context.workspace, number, self.context.person.name
        )
        self.context.ask(
            self, work, self._on_history, self._on_private, topic="life", lane="background"
        )

    def _on_private(self, sentence: str) -> None:
        self._life = None
        self.parts.preview_state.setText(sentence)
        self.preview.clear()
        self.context.actions.update()

    def _on_history(self, history_: ItemHistory) -> None:
        self._life = history_
        state = labels.word(labels.ITEM_STATES, history_.state)
        self.parts.preview_state.setText(tr("{task} · {state}", task=history_.task, state=state))
        newest = history_.revisions[-1]
        text = CardText(history_.number, newest.content, key=True, defects=newest.defects)
        self.preview.turn_to(card_document(text, self.context.colours, self.preview.measure))
        self.context.actions.update()

    def task(self) -> str:
        """The task to which the list is narrowed."""
        return self._filters.task

    def take(self, argument: Any) -> None:
        """Show the life of the item with this number, or the items that pass some ``Filters``."""
        if isinstance(argument, Filters):
            self.narrow(argument)
        elif isinstance(argument, tuple):
            self.narrow(Filters(numbers=argument))
        else:
            open_history(self.context, int(argument), self)

    def _on_double_click(self, _index: QModelIndex) -> None:
        self.open_history()

    def open_history(self) -> None:
        """Open the life of the selected item."""
        if self._life is not None:
            ItemHistoryDialog(self._life, self.context, self).open()

    def _has_items(self) -> bool:
        return not self.parts.is_empty

    def _has_selection(self) -> bool:
        return self._has_items() and self._life is not None

    def _step(self, by: int) -> None:
        # as the arrow key does it, so that Shift goes on from here
        key = Qt.Key.Key_Down if by > 0 else Qt.Key.Key_Up
        pressed = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(self.table, pressed)

    # -- filters ----------------------------------------------------------------------------

    def _show_filters(self) -> None:
        self.chips.show_chips(chips_of(self._filters))
        self.saved.show_filters(self._filters)
        if self.search.text().strip() != self._filters.words:
            blocked = self.search.blockSignals(True)
            self.search.setText(self._filters.words)
            self.search.blockSignals(blocked)

    def _remove_filter(self, chip: str) -> None:
        self.narrow(without(self._filters, chip))

    @property
    def shown_filters(self) -> Filters:
        """What the list is narrowed by."""
        return self._filters

    def narrow(self, filters: Filters) -> None:
        """Show the items that pass these filters."""
        self._typing.stop()
        if filters != self._filters:
            self._filters = filters
            self._first = None
        self._show_filters()
        self.spoil()

    def switch_scope(self) -> None:
        """The benchmark in front, or the whole workspace."""
        home = "" if self._filters.benchmark else self.context.benchmark
        self.narrow(replace(self._filters, benchmark=home, task=""))

    def _into_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _into_table(self) -> None:
        self._search()
        self.table.setFocus()

    def _on_text(self, _text: str) -> None:
        self._typing.start()

    def _search(self) -> None:
        wanted = self.search.text().strip()
        if wanted != self._filters.words:
            self.narrow(replace(self._filters, words=wanted))

    def open_filters(self) -> None:
        """Read what there is to choose from, and open the sheet with every condition."""
        work = partial(
            search.choices, self.context.workspace, self._filters.benchmark,
            viewer=self.context.person.name,
        )  # fmt: skip
        self.context.ask(self, work, self._open_sheet, self.context.complain, topic="choices")

    def _open_sheet(self, choices: FilterChoices) -> None:
        self._choices = choices
        dialog = FilterDialog(self._filters, choices, self)
        dialog.chosen.connect(self.narrow)
        dialog.open()

    def _open_columns(self) -> None:
        self.columns.open(QPoint(0, 0))

    # -- many at once -----------------------------------------------------------------------

    def choose_all(self) -> None:
        """Choose every row by one range; nothing is read for it."""
        if total := self.model.rowCount():
            last = self.model.index(total - 1, self.model.columnCount() - 1)
            selection = QItemSelection(self.model.index(0, 0), last)
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.table.selectionModel().select(selection, flags)

    def _chosen_rows(self) -> list[tuple[int, int]]:
        ranges = self.table.selectionModel().selection()
        parts = [ranges.at(place) for place in range(ranges.size())]
        return _merged(sorted({(part.top(), part.bottom()) for part in parts}))

    def _with_chosen(self, go_on: Callable[[Filters], None]) -> None:
        """Call with the items that are chosen; with none where all are."""
        rows = self._chosen_rows()
        if sum(last - first + 1 for first, last in rows) == self.model.rowCount():
            go_on(Filters())
            return
        numbers_of_rows = [self.model.known(first, last) for first, last in rows]
        numbers = [n for part in numbers_of_rows if part is not None for n in part]
        if None not in numbers_of_rows:
            go_on(Filters(numbers=tuple(numbers)))
            return
        viewer = self.context.person.name
        work = partial(_numbers_at, self.context.workspace, self._filters, rows, viewer)
        self.context.ask(self, work, go_on, self.context.complain, topic="chosen")

    def _open_many(self) -> None:
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        for name in (
            "many-reject", "many-return", "many-reopen", "many-second-look", "many-looked-again",
            "many-declare-errata", "many-withdraw-errata", "export-items",
        ):  # fmt: skip
            if name in self.context.actions.bound():
                menu.addAction(self.context.actions.action(name))
        many = self.parts.many
        menu.popup(many.mapToGlobal(QPoint(0, many.height())))

    def _open_row_menu(self, at: QPoint) -> None:
        """What can be done with the rows; the whole list has more rows than are here."""
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        for name in ("life", "columns", "export-items"):
            if name in self.context.actions.bound():
                menu.addAction(self.context.actions.action(name))
        menu.popup(self.table.viewport().mapToGlobal(at))

    def open_bulk(self, action: str) -> None:
        """Say what the action would change, and do it when it is wanted."""
        self._with_chosen(partial(self._open_bulk, action))

    def _open_bulk(self, action: str, chosen: Filters) -> None:
        dialog = BulkDialog(self.context, action, chosen, self._filters, self)
        dialog.done_many.connect(partial(_tell_done, self, action))
        dialog.open()

    def on_done_many(self, action: str, done: BulkDone) -> None:
        """Say what was done to many."""
        self.context.say(done_words(action, done))
        if action not in (*LOOKS, *ERRATA):
            count = len(done.changed)
            self.context.undo_changed.emit(trn("change of 1 item", "change of {n} items", count))

    def open_export(self) -> None:
        """Ask where to, and write the chosen items, or all that pass the filters."""
        self._with_chosen(self._ask_file)

    def _ask_file(self, chosen: Filters) -> None:
        wanted = chosen if len(chosen.numbers) > 1 else self._filters
        title = tr("Export matching items")
        ask_where(self, title, "items.jsonl", partial(self.export, wanted), ITEM_FILES)

    def export(self, chosen: Filters, path: str) -> None:
        """Write items, beside the lane on which decisions are written: whole as JSON lines, or the
        columns of the list as CSV or Excel, by the ending."""
        person = self.context.person.name
        if Path(path).suffix.lower() in (".csv", ".xlsx"):
            self._export_table(chosen, path)
            return
        work = partial(
            search.export_items, self.context.workspace, chosen, Path(path), viewer=person
        )
        done = partial(self._on_exported, path)
        self.context.write(self, work, done, self.context.complain, lane="background")

    def _export_table(self, chosen: Filters, path: str) -> None:
        context = self.context
        work = partial(write_lines, context.workspace, chosen, Path(path), context.person.name)
        done = partial(self._on_table, path)
        context.ask(self, work, done, context.complain, topic="table", lane="background")

    def _on_table(self, path: str, written: int) -> None:
        self.context.say(
            trn("1 item exported to {path}.", "{n} items exported to {path}.", written, path=path)
        )

    def _on_exported(self, path: str, file: ItemsFile) -> None:
        text = trn(
            "1 item exported to {path}.", "{n} items exported to {path}.", file.written, path=path
        )
        if file.sealed:
            text = trn(
                "{said} 1 item was left out because its split is sealed.",
                "{said} {n} items were left out because their splits are sealed.",
                file.sealed,
                said=text,
            )
        if file.bare:
            text = trn(
                "{said} The columns beside 1 item were left out: it may still be reviewed.",
                "{said} The columns beside {n} items were left out: they may still be reviewed.",
                file.bare,
                said=text,
            )
        self.context.say(text)

    def _make_items(self) -> None:
        self.context.go_to("sources")

    def ready(self) -> bool:
        """Whether the first page and the preview are on the screen."""
        return self._first is not None and not self.stale


def _tell_done(panel: ItemsPanel, action: str, done: BulkDone) -> None:
    panel.on_done_many(action, done)


def _numbers_at(
    ws: Workspace, chosen: Filters, rows: list[tuple[int, int]], viewer: str
) -> Filters:
    numbers = search.numbers(ws, chosen, viewer=viewer)
    return Filters(numbers=tuple(n for first, last in rows for n in numbers[first : last + 1]))


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of rows in which no row is twice; Qt gives one for each group of columns."""
    merged: list[tuple[int, int]] = []
    for first, last in ranges:
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged
