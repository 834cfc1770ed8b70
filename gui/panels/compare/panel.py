"""Compare: one run against another on the same items, and every item on which they differ."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QMenu, QPushButton, QStackedLayout, QStackedWidget, QWidget

from core.evaluation.compare import Comparison
from core.families.base import ItemContent
from core.i18n import tr
from core.workflow.evaluation import compare_runs
from core.workflow.evaluation.compare_runs import Kind, RunChoice, RunComparison
from core.workflow.items.bulk import BulkDone
from core.workflow.items.search import Filters
from core.workflow.rights import Action
from gui.context import WindowContext
from gui.dialogs.bulk import BulkDialog, done_words
from gui.panels.base import Panel
from gui.panels.compare.item_page import comparison_document
from gui.panels.compare.kind_bar import KindBar
from gui.panels.compare.model import ComparisonModel
from gui.panels.compare.sentences import chances, suspicion, verdict
from gui.panels.compare.tables import export_table, pair_row, save_table
from gui.timers import single_shot
from gui.widgets.elements import caption, column, heading, label, row, side_by_side, tip
from gui.widgets.empty import EmptyState
from gui.widgets.file_dialogs import ask_where
from gui.widgets.page import ItemPage
from gui.widgets.steady_fields import ChoiceBox
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable

_REST_MS = 60  # the arrow is held down: the item under it is read when it rests


class ComparePanel(Panel):
    """The two runs above, the sentence, the kinds of items, the items and the one in front."""

    topics = ("runs",)

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._cache = context.reports
        self._choices: tuple[RunChoice, ...] | None = None
        self._comparison: RunComparison | None = None
        self._pairs: tuple[Comparison, ...] = ()
        self._wanted = ""
        self._asking = False
        self._rest = single_shot(self, _REST_MS, self._read_item)
        self.model = ComparisonModel(self)
        self.table = ReadingTable(self.model)
        self.table.setAccessibleName(tr("Items"))
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # options differ at their ends
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.table.doubleClicked.connect(self._on_double_click)
        self.page = ItemPage()
        self.pairs_model = TableModel((), self)
        self.pairs_table = ReadingTable(self.pairs_model)
        self.pairs_table.activated.connect(self._on_pair)
        self.kinds = KindBar()
        self.kinds.chosen.connect(self._on_kind)
        self._build()
        bind = context.actions.bind
        bind("compare-item", self, self.open_item, self._has_item)
        bind("compare-next", self, self.kinds.next, self._has_comparison)
        bind("compare-swap", self, self.swap, self._has_comparison)
        bind("compare-pairs", self, self.toggle_pairs, self._has_comparison)
        self.second_look.setVisible(context.may(Action.SECOND_LOOK))
        if context.may(Action.SECOND_LOOK):
            bind("compare-second-look", self, self.ask_second_look, self._has_listed)
        self.errata_button.setVisible(context.may(Action.DECLARE_ERRATA))
        if context.may(Action.DECLARE_ERRATA):
            bind("compare-errata", self, self.declare_errata, self._has_listed)

    def _build(self) -> None:
        self.split, self.run_a, self.run_b = ChoiceBox(), ChoiceBox(), ChoiceBox()
        head = row()
        for words, box in ((tr("Split"), self.split), (tr("A"), self.run_a), (tr("B"), self.run_b)):
            name = caption(words)
            name.setBuddy(box)
            box.setAccessibleName(words)
            box.setMinimumContentsLength(6)
            box.currentTextChanged.connect(self._on_choice)
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            head.addWidget(name)
            head.addWidget(box, 1)
        self.split.activated.connect(self._on_split)
        for box in (self.run_a, self.run_b):
            box.activated.connect(self._on_runs)
        self.pairs_button = QPushButton(tr("All pairs"))
        self.pairs_button.setCheckable(True)
        self.pairs_button.toggled.connect(self._on_pairs_wanted)
        self.export = QPushButton()
        self.export.setText(tr("Export ▾"))
        self.export.clicked.connect(self._open_export)
        self.second_look = QPushButton(tr("Second look…"))
        self.second_look.clicked.connect(self.ask_second_look)
        self.errata_button = QPushButton(tr("Errata…"))
        self.errata_button.clicked.connect(self.declare_errata)
        self.second_look.setEnabled(False)
        self.errata_button.setEnabled(False)
        self.sentence = heading()
        self.sentence.setWordWrap(True)
        self.chances = label("", ink="muted", wrap=True, selectable=True)
        body = QWidget()
        layout = column(body, spacing=8)
        layout.setContentsMargins(24, 16, 24, 16)
        layout.addLayout(head)
        line = row()
        line.addWidget(self.sentence, 1)
        for button in (self.second_look, self.errata_button, self.pairs_button, self.export):
            line.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(line)
        layout.addWidget(self.chances)
        self._views = QStackedWidget()
        self._views.addWidget(self._items_view())
        self._views.addWidget(self.pairs_table)
        layout.addWidget(self._views, 1)
        self.empty = EmptyState()
        self.empty.pressed.connect(self._to_evaluate)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(body)
        self._stack.addWidget(self.empty)
        self.setFocusProxy(self.table)

    def _items_view(self) -> QWidget:
        view = QWidget()
        layout = column(view, spacing=8)
        split = side_by_side(self.table, self.page, widths=(600, 460))
        split.setChildrenCollapsible(False)
        layout.addWidget(self.kinds)
        layout.addWidget(split, 1)
        return view

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read which runs there are, and the chosen two again."""
        self._pairs = ()
        work = partial(compare_runs.choices, self.context.workspace)
        self.context.ask(
            self, work, self._on_choices, self.context.complain, topic="choices", lane="background"
        )

    def take(self, argument: Any) -> None:
        """Put the run of this id on the side of A."""
        self._wanted = str(argument)
        self.spoil()

    def _on_choices(self, choices: tuple[RunChoice, ...]) -> None:
        self._choices = choices
        able = [split for split in _splits(choices) if len(_on(choices, split)) > 1]
        if not able:
            self._say_empty(bool(choices))
            return
        self._stack.setCurrentIndex(0)
        wanted = next((choice for choice in choices if choice.run == self._wanted), None)
        before = (self.run_a.currentData(), self.run_b.currentData())
        _fill(self.split, [(name, name) for name in able], wanted.split if wanted else None)
        self._offer(wanted.run if wanted else before[0], before[1])
        self._wanted = ""
        self.compare()

    def _say_empty(self, has_runs: bool) -> None:
        self._comparison = None
        title = tr("Nothing to compare yet.")
        text = (
            tr("A comparison needs two finished evaluations on the same split. Evaluate "
                "another model on a split that has one.")
            if has_runs
            else tr("No finished evaluations yet; two on the same split can be compared.")
        )  # fmt: skip
        self.empty.say(title, text, tr("Evaluate a model"))
        self._stack.setCurrentIndex(1)
        self._update()

    def _offer(self, first: str | None, second: str | None) -> None:
        """The runs of the chosen split; by default the two newest, the newer one as A."""
        choices = _on(self._choices or (), str(self.split.currentData()))
        entries = [(choice.run, choice.title) for choice in choices]
        _fill(self.run_a, entries, first)
        rest = [choice.run for choice in choices if choice.run != self.run_a.currentData()]
        _fill(self.run_b, entries, second if second in rest else rest[0])

    def _on_choice(self, text: str) -> None:
        box = self.sender()
        if isinstance(box, QComboBox):
            box.setToolTip(tip(text))

    def _on_split(self, _index: int) -> None:
        self._pairs = ()
        self._offer(None, None)
        self.compare()

    def _on_runs(self, _index: int) -> None:
        if self.run_a.currentData() == self.run_b.currentData():
            changed = self.sender()
            other = self.run_b if changed is self.run_a else self.run_a
            other.setCurrentIndex((other.currentIndex() + 1) % other.count())
        self.compare()

    def compare(self) -> None:
        """Match the two runs that are chosen, off the window's thread."""
        choices = _on(self._choices or (), str(self.split.currentData()))
        by_run = {choice.run: choice for choice in choices}
        a, b = (by_run.get(str(box.currentData())) for box in (self.run_a, self.run_b))
        if a is None or b is None:
            return
        self._asking = True
        if self._comparison is None:
            self.sentence.setText(tr("Reading…"))
        work = partial(compare_runs.match, self._cache, a, b)
        self.context.ask(
            self, work, self._on_comparison, self._on_trouble, topic="match", lane="background"
        )
        if self.pairs_button.isChecked():
            self._read_pairs()

    def _on_trouble(self, sentence: str) -> None:
        """The two that are chosen cannot be compared: nothing of others stands in their place."""
        self._asking = False
        self._comparison = None
        self.model.show_items(None, np.empty(0, dtype=np.intp))
        self.sentence.setText(sentence)
        self.chances.setText("")
        self.kinds.hide()
        self._clear_page("")
        self._update()
        self.context.complain(sentence)

    def _on_comparison(self, comparison: RunComparison) -> None:
        self._asking = False
        self._show_comparison(comparison)
        choices = _on(self._choices or (), str(self.split.currentData()))
        if comparison.runs < len(choices):
            work = partial(compare_runs.with_others, self._cache, comparison, choices)
            self.context.ask(
                self,
                work,
                self._on_others,
                self.context.complain,
                topic="others",
                lane="background",
            )

    def _on_others(self, comparison: RunComparison) -> None:
        """What all runs missed alike is known now, if the same two are still in front."""
        if self._comparison is not None and self._comparison.result is comparison.result:
            self._show_comparison(comparison)

    def _show_comparison(self, comparison: RunComparison) -> None:
        before = self.model.pair(self.table.currentIndex().row())
        self._comparison = comparison
        self.sentence.setText(verdict(comparison.result))
        self.chances.setText(chances(self._corrected(comparison.result), len(self._pairs)))
        self.kinds.show_counts(comparison)
        self.kinds.show()
        self.kinds.prefer(comparison)
        self._show_kind(self.kinds.kind, before[0].id if before else "")
        self._update()

    def _corrected(self, result: Comparison) -> Comparison:
        """The same pair among all of them, where their p-values were corrected already."""
        return next(
            (pair for pair in self._pairs if (pair.a, pair.b) == (result.a, result.b)), result
        )

    # -- items ------------------------------------------------------------------------------

    def _on_kind(self, kind: Kind) -> None:
        self._show_kind(kind, "")
        self.table.setFocus()

    def _show_kind(self, kind: Kind, keep: str) -> None:
        if self._comparison is None:
            return
        self.model.show_items(self._comparison, self._comparison.rows(kind))
        self.table.fit_columns()
        if self.model.rowCount():
            self.table.selectRow(max(0, self.model.row_of(keep) if keep else 0))
        else:
            self._clear_page(tr("No items of this kind."))
        self._update()

    def _on_row(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid():
            self._rest.start()

    def _read_item(self) -> None:
        pair = self.model.pair(self.table.currentIndex().row())
        if pair is not None:
            work = partial(
                compare_runs.content_of, self.context.workspace, compare_runs.number_of(pair[0].id)
            )
            done = partial(self._on_item, pair[0].id)
            self.context.ask(
                self, work, done, self.context.complain, topic="item", lane="background"
            )

    def _on_item(self, id_: str, content: ItemContent) -> None:
        pair = self.model.pair(self.table.currentIndex().row())
        if pair is None or pair[0].id != id_ or self._comparison is None:
            return
        self.page.turn_to(
            comparison_document(
                content,
                self._comparison.titles,
                pair,
                self.context.colours,
                self.page.measure,
                suspicion(self._comparison.suspects.get(compare_runs.number_of(id_))),
            )
        )

    def _clear_page(self, sentence: str) -> None:
        self._rest.stop()
        self.page.setPlainText(sentence)

    def _on_double_click(self, _index: QModelIndex) -> None:
        self.open_item()

    def open_item(self) -> None:
        """Go to the whole life of the item in front; among the pairs, to the chosen pair."""
        if self.pairs_button.isChecked():
            self._on_pair(self.pairs_table.currentIndex())
            return
        pair = self.model.pair(self.table.currentIndex().row())
        if pair is not None:
            self.context.go_to("items", compare_runs.number_of(pair[0].id))

    def ask_second_look(self) -> None:
        """Ask for a second look at the item in front, or at all that are listed."""
        self._ask_about("second_look")

    def declare_errata(self) -> None:
        """Declare the item in front, or all that are listed, errata of the split."""
        self._ask_about("declare_errata")

    def _ask_about(self, action: str) -> None:
        if not self._has_listed():
            return
        pair = self.model.pair(self.table.currentIndex().row())
        if self._comparison is None or pair is None:
            return
        listed = [self._comparison.a[place].id for place in self._comparison.rows(self.kinds.kind)]
        numbers = tuple(dict.fromkeys(compare_runs.number_of(id_) for id_ in listed))
        selected = Filters(numbers=(compare_runs.number_of(pair[0].id),))
        dialog = BulkDialog(
            self.context, action, selected, Filters(numbers=numbers), self,
            all_words=tr("all listed items"),
            missed=self._comparison.against_the_key(self.kinds.kind),
        )  # fmt: skip
        if self.kinds.kind == "all_alike":
            dialog.words.setText(tr("Strong models agree on another answer."))
        elif self.kinds.kind in ("alike", "suspect"):
            dialog.words.setText(tr("The models' answers contradict the key."))
        dialog.done_many.connect(partial(self._on_asked, action))
        dialog.open()

    def _on_asked(self, action: str, done: BulkDone) -> None:
        self.context.say(done_words(action, done))

    def swap(self) -> None:
        """Let A and B change places."""
        first, second = self.run_a.currentIndex(), self.run_b.currentIndex()
        self.run_a.setCurrentIndex(second)
        self.run_b.setCurrentIndex(first)
        self.compare()

    # -- all pairs --------------------------------------------------------------------------

    def toggle_pairs(self) -> None:
        """Show every pair of runs of the split, or the items again."""
        self.pairs_button.setChecked(not self.pairs_button.isChecked())

    def _on_pairs_wanted(self, shown: bool) -> None:
        self._views.setCurrentIndex(1 if shown else 0)
        self.setFocusProxy(self.pairs_table if shown else self.table)
        (self.pairs_table if shown else self.table).setFocus()
        if shown:
            self._read_pairs()
        self._update()

    def _read_pairs(self) -> None:
        chosen = _on(self._choices or (), str(self.split.currentData()))
        work = partial(compare_runs.every_pair, self._cache, chosen)
        self.context.ask(
            self, work, self._on_pairs, self.context.complain, topic="pairs", lane="background"
        )

    def _on_pairs(self, pairs: tuple[Comparison, ...]) -> None:
        self._pairs = pairs
        columns = (
            Column(tr("A"), 170),
            Column(tr("B"), 170),
            Column(tr("A − B, points"), 110, number=True),
            Column(tr("95% interval"), 130, number=True),
            Column(tr("Only A correct"), 96, number=True),
            Column(tr("Only B correct"), 96, number=True),
            Column(tr("p (McNemar)"), 96, number=True),
            Column(tr("p (Holm)"), 96, number=True),
        )
        self.pairs_model.show_rows(columns, [pair_row(pair) for pair in pairs])
        self.pairs_table.fit_columns()
        if pairs:
            self.pairs_table.selectRow(max(0, self.pairs_table.currentIndex().row()))
        if self._comparison is not None:
            result = self._corrected(self._comparison.result)
            self.chances.setText(chances(result, len(pairs)))

    def _on_pair(self, index: QModelIndex) -> None:
        """Look at the items of a pair of the table."""
        if not 0 <= index.row() < len(self._pairs):
            return
        pair = self._pairs[index.row()]
        for box, title in ((self.run_a, pair.a), (self.run_b, pair.b)):
            box.setCurrentIndex(max(0, box.findText(title)))
        self.toggle_pairs()
        self.compare()

    # -- keeping ----------------------------------------------------------------------------

    def _open_export(self) -> None:
        if self._comparison is None:
            return
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        for what, ending, words in (
            ("pairs", "csv", tr("All pairs as CSV…")),
            ("pairs", "tex", tr("All pairs as LaTeX…")),
            ("items", "csv", tr("Listed items with both answers as CSV…")),
            ("items", "parquet", tr("Listed items with both answers as Parquet…")),
            ("answers", "parquet", tr("All answers of all runs as Parquet…")),
        ):
            entry = menu.addAction(words)
            entry.setData((what, ending))
            entry.triggered.connect(self._on_export)
        menu.popup(self.export.mapToGlobal(QPoint(0, self.export.height())))

    def _on_export(self) -> None:
        action = self.sender()
        if not isinstance(action, QAction):
            return
        what, ending = action.data()
        name = f"{what}.{ending}"
        ask_where(self, tr("Export the comparison"), name, partial(_save_to, self, what))

    def save(self, what: str, name: str) -> None:
        """Write ``pairs``, ``items`` (those listed) or ``answers`` to a file, by its ending."""
        if self._comparison is None:
            return
        chosen = _on(self._choices or (), str(self.split.currentData()))
        make_table = partial(
            export_table, what, self._cache, chosen, self._comparison, self.kinds.kind
        )
        work = partial(save_table, self.context.workspace, make_table, Path(name))
        self.context.write(self, work, self._on_saved, self.context.complain, lane="background")

    def _on_saved(self, path: Path) -> None:
        self.context.say(tr("Wrote {path}.", path=path))

    # -- state ------------------------------------------------------------------------------

    @property
    def comparison(self) -> RunComparison | None:
        """What is shown, None while there is nothing to compare."""
        return self._comparison

    def _has_comparison(self) -> bool:
        return self._comparison is not None and self._stack.currentIndex() == 0

    def _has_listed(self) -> bool:
        listed = self._has_comparison() and not self.pairs_button.isChecked()
        return listed and self.model.rowCount() > 0

    def _update(self) -> None:
        for button in (self.second_look, self.errata_button):
            button.setEnabled(self._has_listed())
        self.context.actions.update()

    def _has_item(self) -> bool:
        return self._has_comparison() and (
            self.pairs_button.isChecked() or self.model.rowCount() > 0
        )

    def _to_evaluate(self) -> None:
        self.context.go_to("evaluate")

    def ready(self) -> bool:
        """Whether the comparison and the item in front are on the screen."""
        return (
            self._choices is not None
            and not self.stale
            and not self._asking
            and not self._rest.isActive()
        )


def _splits(choices: tuple[RunChoice, ...]) -> list[str]:
    return list(dict.fromkeys(choice.split for choice in choices))


def _on(choices: tuple[RunChoice, ...], split: str) -> list[RunChoice]:
    return [choice for choice in choices if choice.split == split]


def _fill(box: QComboBox, entries: list[tuple[str, str]], wanted: str | None) -> None:
    """Offer these; ``wanted`` is chosen where it is among them, else what was, else the first."""
    before = box.currentData()
    box.clear()
    for value, words in entries:
        box.addItem(words, value)
    place = box.findData(wanted if wanted is not None else before)
    box.setCurrentIndex(max(0, place))


def _save_to(panel: ComparePanel, what: str, name: str) -> None:
    panel.save(what, name)
