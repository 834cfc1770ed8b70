"""The columns beside the form: the task on the left, what is noticed on the right."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from core.i18n import listed, tr, trn
from core.screening.label_balance import LabelBalance
from core.workflow.production.author_view import AuthorView, InstructionVariant
from gui import i18n, theme
from gui.documents.writer import is_chinese
from gui.theme import Tokens
from gui.widgets.elements import caption, column, face, tip
from gui.widgets.guideline import guideline_page, show_guideline_alone
from gui.widgets.steady_fields import ChoiceBox

_LINE = 22
_LABELS = 12
_SMALL = 14
_LEAST_WORDS = 140  # pixels of what a button says, however narrow the column is


@dataclass(frozen=True, slots=True)
class WriteEntry:
    """One thing that can be written: a new item, a draft, or an item that came back."""

    kind: str
    number: int
    text: str

    @property
    def title(self) -> str:
        """What the list says."""
        excerpt = " ".join(self.text.split())[:60]
        if self.kind == "new":
            return tr("+ another item")
        if self.kind == "draft":
            return tr("draft · {text}", text=excerpt) if excerpt else tr("empty draft")
        return tr("#{number} returned · {text}", number=self.number, text=excerpt)


class LabelBars(QWidget):
    """How many items have each label of the space: a name, a bar, a number."""

    def __init__(self, colours: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self._rows: list[tuple[str, int]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_balance(self, balance: LabelBalance | None) -> None:
        """At most a dozen labels; one outside the space carries a question mark."""
        rows: list[tuple[str, int]] = []
        if balance is not None:
            rows = [(share.label, share.count) for share in balance.labels]
            rows += [(tr("{label} (?)", label=name), count) for name, count in balance.unknown]
        self._rows = rows[:_LABELS]
        self.setFixedHeight(_LINE * len(self._rows))
        self.setAccessibleDescription(listed(f"{name} {count}" for name, count in self._rows))
        self.update()

    def sizeHint(self) -> QSize:
        """Room for every row."""
        return QSize(160, _LINE * len(self._rows))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Names on the left, bars after them, counts at the end."""
        painter = QPainter(self)
        painter.setFont(theme.font(theme.SMALL_PX))
        metrics = painter.fontMetrics()
        most = max((count for _, count in self._rows), default=0) or 1
        named = min(90, max((metrics.horizontalAdvance(n) for n, _ in self._rows), default=0))
        digits = metrics.horizontalAdvance(i18n.number(most))
        room = max(8, self.width() - named - digits - 16)
        for index, (name, count) in enumerate(self._rows):
            top = index * _LINE
            self._word(painter, metrics, QRectF(0, top, named, _LINE), name)
            bar = QRectF(named + 8, top + 7, room * count / most, _LINE - 14)
            painter.fillRect(bar, QColor(self._colours.accent))
            end = QRectF(self.width() - digits - 2, top, digits + 2, _LINE)
            painter.setPen(QColor(self._colours.text))
            painter.drawText(end, int(Qt.AlignmentFlag.AlignVCenter), i18n.number(count))

    def _word(self, painter: QPainter, metrics: QFontMetrics, area: QRectF, name: str) -> None:
        painter.setPen(QColor(self._colours.text))
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(area.width()))
        painter.drawText(area, int(Qt.AlignmentFlag.AlignVCenter), shown)


class TaskColumn(QFrame):
    """Which task, how far it is, what can be written, and what to keep to."""

    task_chosen = Signal(object)
    entry_chosen = Signal(object)
    wording_chosen = Signal(object)
    all_unchanged = Signal()

    def __init__(self, colours: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "side")
        self._guideline = ""
        self.tasks = ChoiceBox()
        self.tasks.setAccessibleName(tr("Task"))
        self.tasks.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.tasks.setMinimumContentsLength(8)
        self.tasks.activated.connect(self._on_task)
        self._far = caption()
        self._far.setWordWrap(True)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("Progress"))
        self.entries = self._list(tr("Tasks and items to write"))
        self.entries.currentRowChanged.connect(self._on_entry)
        self.unchanged = QPushButton()
        self.unchanged.clicked.connect(self.all_unchanged)
        self.elsewhere = QPushButton()
        self.elsewhere.clicked.connect(self._on_elsewhere)
        self._elsewhere = ""
        for button in (self.unchanged, self.elsewhere):
            button.hide()  # until it is known that there is something to do
        layout = column(self, margin=12, spacing=6)
        self._about = QToolButton()
        self._about.setProperty("look", "flat")
        self._about.setFont(theme.font(theme.SMALL_PX))
        for part in (self.tasks, self._far, self._bar, self._about):
            layout.addWidget(part)
        layout.addSpacing(6)
        layout.addWidget(self.entries, 2)
        layout.addWidget(self.unchanged)
        layout.addWidget(self.elsewhere)
        layout.addSpacing(6)
        layout.addWidget(self._build_rules(colours), 3)

    def _build_rules(self, colours: Tokens) -> QScrollArea:
        page = QWidget()
        page.setProperty("look", "page")
        inner = column(page, spacing=6)
        self._instructions = caption(tr("Task instructions"))
        self.wordings = self._list(tr("Task instructions"))
        self.wordings.itemClicked.connect(self._on_wording)
        self._guideline_head = caption(tr("Guideline"))
        self.guideline = guideline_page()
        self.guideline.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.guideline.document().documentLayout().documentSizeChanged.connect(self._show_whole)
        self._labels_head = caption()
        self._instructions.setWordWrap(True)
        self.labels = LabelBars(colours)
        for part in (
            self._labels_head, self.labels, self._instructions, self.wordings,
            self._guideline_head, self.guideline,
        ):  # fmt: skip
            inner.addWidget(part)
        inner.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(page)
        return area

    def _show_whole(self, size: QSizeF) -> None:
        """The guideline is as high as its text: what scrolls is the column's lower part."""
        self.guideline.setFixedHeight(round(size.height()) + 2)

    def _list(self, name: str) -> QListWidget:
        widget = QListWidget()
        widget.setFont(theme.font(_SMALL))
        widget.setTextElideMode(Qt.TextElideMode.ElideRight)
        widget.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        widget.setUniformItemSizes(True)
        widget.setAccessibleName(name)
        widget.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        return widget

    def show_about(self, action: QAction) -> None:
        """A way to everything about the task: guideline, labels, protocol."""
        action.setIconText(tr("About the task…"))  # the column is too narrow for its whole title
        self._about.setDefaultAction(action)

    def show_tasks(self, names: Sequence[str], chosen: str) -> None:
        """The tasks that can be written."""
        if [self.tasks.itemText(i) for i in range(self.tasks.count())] != list(names):
            self.tasks.clear()
            self.tasks.addItems(list(names))
        self.tasks.setCurrentText(chosen)
        self.tasks.setToolTip(tip(chosen))

    def show_elsewhere(self, task: str, count: int) -> None:
        """A way to another task with items that came back; none where it is empty."""
        self._elsewhere = task
        words = trn("1 returned in {task}", "{n} returned in {task}", count, task=task)
        room = max(_LEAST_WORDS, self.width() - 60)
        shown = self.elsewhere.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, room)
        self.elsewhere.setText(face(shown) if task else "")
        self.elsewhere.setToolTip(tip(words) if task else "")
        self.elsewhere.setVisible(bool(task))

    def _on_elsewhere(self) -> None:
        self.task_chosen.emit(self._elsewhere)

    def show_view(self, view: AuthorView) -> None:
        """How far the task is, its wordings, guideline and labels."""
        done, target = view.task.kept, view.task.protocol.target
        figures = {"kept": i18n.number(done), "target": i18n.number(target)}
        if view.task.round > 1:
            self._far.setText(
                tr("{kept} of {target} · round {round}", **figures, round=view.task.round)
            )
        else:
            self._far.setText(tr("{kept} of {target}", **figures))
        self._bar.setMaximum(max(1, target))
        self._bar.setValue(min(done, target))
        self._show_wordings(view.wordings)
        self._instructions.setText(_wording_words(view))
        self._instructions.setVisible(bool(view.wordings) or view.task.protocol.instructions > 1)
        if view.guideline != self._guideline:
            self._guideline = view.guideline
            show_guideline_alone(self.guideline, view.guideline)
        for part in (self._guideline_head, self.guideline):
            part.setVisible(bool(view.guideline))
        self.labels.show_balance(view.balance)
        self._labels_head.setText(_balance_words(view.balance))
        self._labels_head.setVisible(view.balance is not None)
        self.unchanged.setText(tr("Submit {count} unchanged", count=i18n.number(view.sound)))
        self.unchanged.setToolTip(
            tr("Returned with their lot; no problem was found with these items")
        )
        self.unchanged.setVisible(view.sound > 0)

    def _show_wordings(self, wordings: Sequence[InstructionVariant]) -> None:
        self.wordings.clear()
        for number, wording in enumerate(wordings, 1):
            row = QListWidgetItem(
                tr("{name} {text}", name=wording.name or number, text=wording.text)
            )
            row.setToolTip(tip(wording.text))
            row.setFont(theme.font(_SMALL, chinese=is_chinese(wording.text) or None))
            row.setData(Qt.ItemDataRole.UserRole, wording)
            self.wordings.addItem(row)
        self.wordings.setFixedHeight(
            min(5, len(wordings)) * (self.wordings.sizeHintForRow(0) + 1) + 6
        )
        self.wordings.setVisible(bool(wordings))

    def show_entries(self, entries: Sequence[WriteEntry], chosen: tuple[str, int]) -> None:
        """What can be written; the one in the form is selected."""
        blocked = self.entries.blockSignals(True)
        self.entries.clear()
        for index, entry in enumerate(entries):
            row = QListWidgetItem(entry.title)
            row.setToolTip(tip(entry.title))
            row.setFont(theme.font(_SMALL, chinese=is_chinese(entry.text) or None))
            row.setData(Qt.ItemDataRole.UserRole, (entry.kind, entry.number))
            self.entries.addItem(row)
            if (entry.kind, entry.number) == chosen:
                self.entries.setCurrentRow(index)
        self.entries.blockSignals(blocked)

    def step(self, by: int) -> None:
        """One up or down in the list."""
        row = self.entries.currentRow() + by
        if 0 <= row < self.entries.count():
            self.entries.setCurrentRow(row)

    def next_task(self) -> None:
        """The task after the chosen one, the first after the last."""
        if self.tasks.count() > 1:
            self.tasks.setCurrentIndex((self.tasks.currentIndex() + 1) % self.tasks.count())
            self._on_task()

    def _on_task(self) -> None:
        self.task_chosen.emit(self.tasks.currentText())

    def _on_entry(self, row: int) -> None:
        if (entry := self.entries.item(row)) is not None:
            self.entry_chosen.emit(entry.data(Qt.ItemDataRole.UserRole))

    def _on_wording(self, row: QListWidgetItem) -> None:
        self.wording_chosen.emit(row.data(Qt.ItemDataRole.UserRole))


def _wording_words(view: AuthorView) -> str:
    """How many instructions the task has, of those that its protocol wants."""
    protocol = view.task.protocol
    if protocol.instructions <= 1:
        return tr("Task instructions")
    return tr(
        "Instruction variants {have} of {wanted}, public {public} of {released}",
        have=i18n.number(len(view.wordings)),
        wanted=i18n.number(protocol.instructions),
        public=i18n.number(sum(wording.public for wording in view.wordings)),
        released=i18n.number(protocol.public_instructions),
    )


def _balance_words(balance: LabelBalance | None) -> str:
    if balance is None:
        return ""
    if balance.entropy is None:
        return tr("Labels")
    return tr("Labels, balance {value}", value=i18n.number(balance.entropy, 2))
