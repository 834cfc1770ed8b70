"""A rubric to rate by: one row per criterion, its values by digits, its guideline below."""

import itertools
from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QStackedLayout,
    QWidget,
)

from core.i18n import listed, tr
from core.workflow.rubrics import Criterion, Rubric
from gui import labels, theme
from gui.widgets.elements import (
    Scrolled,
    caption,
    column,
    label,
    read_in_order,
    restyle,
    row,
    rule,
    scrolled,
    set_ink,
    tip,
)

_BESIDE, _IN_LINE = 3, 5
"""How many values stand beside a title, and how many in one line below it."""
_LEAST_ROWS, _LEAST_GUIDE = 96, 216
"""Pixels of height below which the criteria, and what one of them means, are not pressed."""


class CriterionRow(QFrame):
    """One criterion; digits act on it while it has the focus."""

    entered = Signal(object)
    """The focus or the pointer came here: the criterion."""
    chosen = Signal()

    def __init__(self, criterion: Criterion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.criterion = criterion
        self.value: float | None = None
        self.setProperty("look", "side")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(labels.criterion_title(criterion))
        # many values stand below the title, in two lines where need be
        many = len(criterion.numbers) > _BESIDE
        line = column(self, spacing=2) if many else row(self, spacing=6)
        line.setContentsMargins(10, 4, 10, 4)
        line.addWidget(label(labels.criterion_title(criterion), wrap=True), 1)
        values = QGridLayout()
        values.setSpacing(6)
        line.addLayout(values)
        self._buttons: dict[float, QPushButton] = {}
        for place, number in enumerate(criterion.numbers):
            button = QPushButton(f"{number:g}")
            button.setCheckable(True)
            button.setFixedWidth(40)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setObjectName(f"{number:g}")
            button.setAccessibleName(self._meaning(number))
            button.setToolTip(tip(self._meaning(number)))
            button.toggled.connect(self._on_toggled)
            self._buttons[number] = button
            values.addWidget(button, place // _IN_LINE, place % _IN_LINE)
        values.setColumnStretch(_IN_LINE, 1)

    def _on_toggled(self) -> None:
        self.choose(float(self.sender().objectName()))
        self.setFocus()

    def choose(self, value: float | None) -> None:
        """Rate this criterion; None takes the value away."""
        self.value = value
        for number, button in self._buttons.items():
            with QSignalBlocker(button):
                button.setChecked(number == value)
        self.setAccessibleDescription(tr("not rated") if value is None else self._meaning(value))
        self.chosen.emit()

    def _meaning(self, value: float) -> str:
        entry = next(entry for entry in self.criterion.values if entry.value == value)
        meaning = labels.scale_meaning(self.criterion, entry)
        return tr("{value}  {meaning}", value=f"{value:g}", meaning=meaning)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Stand out, and show the guideline."""
        restyle(self, "look", "card")
        self.entered.emit(self)
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Step back."""
        restyle(self, "look", "side")
        super().focusOutEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show the guideline of what is under the pointer."""
        self.entered.emit(self)
        super().enterEvent(event)


class _Part(Scrolled):
    """As high as what is in it where there is room for that, and scrolls where there is not."""

    def __init__(self, least: int) -> None:
        super().__init__(QWidget())
        self._least = least
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def _whole(self) -> int:
        content = self.widget()
        layout = content.layout() if content is not None else None
        return layout.totalHeightForWidth(self.viewport().width()) if layout is not None else 0

    def sizeHint(self) -> QSize:
        """The height of all of it."""
        return QSize(super().sizeHint().width(), self._whole())

    def minimumSizeHint(self) -> QSize:
        """A little of it."""
        return QSize(super().minimumSizeHint().width(), min(self._whole(), self._least))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width needs another height; what has the focus stays in sight."""
        super().resizeEvent(event)
        content, focused = self.widget(), self.window().focusWidget()
        if focused is not None and content is not None and content.isAncestorOf(focused):
            content.resize(content.width(), self._whole())
            self.verticalScrollBar().setValue(0)
            self.ensureWidgetVisible(focused, 0, 0)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


class RubricColumn(QFrame):
    """All criteria of a rubric, the guideline of one of them, and the button that hands in.

    The guideline has the room of the longest one, so that nothing moves from one to the next.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "side")
        self.setFixedWidth(308)
        self._rubric: Rubric | None = None
        self._rows: list[CriterionRow] = []
        self._current: CriterionRow | None = None
        self._inside = inside = QWidget()
        inside.setProperty("look", "page")
        self._layout = column(inside, spacing=4)
        self._layout.setContentsMargins(16, 10, 16, 8)
        self._area = scrolled(inside)
        column(self).addWidget(self._area)
        self._rows_area = _Part(_LEAST_ROWS)
        self._guide = QStackedLayout()
        self._guide_area = _Part(_LEAST_GUIDE)
        for part in (caption(tr("Rubric")), self._rows_area, rule(), self._guide_area):
            self._layout.addWidget(part)
        self._layout.addWidget(caption(tr("Comment")))
        self.note = QPlainTextEdit()
        self.note.setFont(theme.font(15))
        self.note.setTabChangesFocus(True)
        self.note.setFixedHeight(60)
        self.note.setAccessibleName(tr("Comment on the ratings"))
        self._layout.addWidget(self.note)
        self.submit = QPushButton()
        self.submit.setProperty("look", "filled")
        self._layout.addSpacing(4)
        self._layout.addWidget(self.submit)
        self.hint = label("", ink="muted", size=theme.SMALL_PX, wrap=True)
        self._layout.addWidget(self.hint)
        self._layout.addStretch(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The two parts that scroll give way before the column as a whole scrolls."""
        super().resizeEvent(event)
        least = self._layout.totalMinimumSize().height() + 2 * self.hint.fontMetrics().height()
        self._inside.setMaximumHeight(max(self.height(), least))

    def show_rubric(self, rubric: Rubric, values: Mapping[str, float]) -> None:
        """The rows of a rubric with values by criterion, the first of them in front."""
        if rubric != self._rubric:
            self._rubric = rubric
            self._make_rows(rubric)
            self._make_guide(rubric)
            read_in_order(self._layout)
            self._chain()
        for row_ in self._rows:
            value = values.get(row_.criterion.name)
            row_.choose(value if value in row_.criterion.numbers else None)
        if self._rows:
            self._on_entered(self._rows[0])

    def _make_rows(self, rubric: Rubric) -> None:
        body = QWidget()
        body.setProperty("look", "page")
        inner = column(body, spacing=4)
        self._rows = [CriterionRow(criterion) for criterion in rubric.criteria]
        for row_ in self._rows:
            inner.addWidget(row_)
            row_.entered.connect(self._on_entered)
            row_.chosen.connect(self.changed)
            row_.installEventFilter(self)
        self._rows_area.setWidget(body)

    def _make_guide(self, rubric: Rubric) -> None:
        """A page for each criterion: what it asks, and what its values mean."""
        pages = QWidget()
        pages.setProperty("look", "page")
        self._guide = QStackedLayout(pages)
        for criterion in rubric.criteria:
            page = QWidget()
            inner = column(page, spacing=2)
            inner.addWidget(label(labels.criterion_title(criterion), bold=True, wrap=True))
            inner.addWidget(label(labels.criterion_question(criterion), wrap=True))
            scale = "\n".join(
                tr("{value}  {meaning}", value=f"{entry.value:g}",
                   meaning=labels.scale_meaning(criterion, entry))
                for entry in criterion.values
            )  # fmt: skip
            inner.addWidget(label(scale, ink="muted", size=14, wrap=True))
            inner.addStretch(1)
            self._guide.addWidget(page)
        self._guide_area.setWidget(pages)

    def _chain(self) -> None:
        """Tab goes from one criterion to the next, and from the last to the button."""
        stops: list[QWidget] = [*self._rows, self.note, self.submit]
        for before, after in itertools.pairwise(stops):
            QWidget.setTabOrder(before, after)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the criterion that has the focus in front when the pointer leaves another."""
        if event.type() == QEvent.Type.Leave:
            focused = self._focused()
            if focused is not None and focused is not watched:
                self._on_entered(focused)
        return False

    def _on_entered(self, row_: CriterionRow) -> None:
        self._current = row_
        self._guide.setCurrentIndex(self._rows.index(row_))
        self._guide_area.verticalScrollBar().setValue(0)
        if row_ is self._focused():
            self._rows_area.ensureWidgetVisible(row_, 0, 0)
            self._area.ensureWidgetVisible(row_, 0, 0)

    def begin(self) -> None:
        """Put the focus on the first criterion that has no value."""
        empty = (row_ for row_ in self._rows if row_.value is None)
        first = next(empty, self._rows[0] if self._rows else None)
        if first is not None:
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _focused(self) -> CriterionRow | None:
        """The row that keys go to; the window need not be the active one at this moment."""
        focused = self.window().focusWidget()
        return next((row_ for row_ in self._rows if row_ is focused), None)

    def say(self, text: str, ink: str = "muted") -> None:
        """One quiet sentence under the button."""
        self.hint.setText(text)
        set_ink(self.hint, ink)

    def press(self, digit: int) -> bool:
        """Rate the criterion in front; False where its scale has no such value."""
        focused = self._focused() or self._current
        if focused is None or digit not in focused.criterion.numbers:
            return False
        focused.choose(float(digit))
        self._go_on(focused)
        return True

    def _go_on(self, rated: CriterionRow) -> None:
        """To the next criterion without a value after this one; then to the first such one."""
        place = self._rows.index(rated)
        rest = [row_ for row_ in (*self._rows[place:], *self._rows[:place]) if row_.value is None]
        if rest:
            rest[0].setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def comment(self) -> str:
        """What is said beside the values."""
        return self.note.toPlainText().strip()

    @property
    def scale_words(self) -> str:
        """The name of the criterion in front and its values."""
        if self._current is None:
            return ""
        criterion = self._current.criterion
        numbers = listed(f"{number:g}" for number in criterion.numbers)
        return tr("{criterion} takes {numbers}.", criterion=labels.criterion_title(criterion),
                  numbers=numbers)  # fmt: skip

    @property
    def values(self) -> dict[str, float]:
        """The values so far."""
        return {row_.criterion.name: row_.value for row_ in self._rows if row_.value is not None}

    @property
    def complete(self) -> bool:
        """Whether every criterion has its value."""
        return bool(self._rows) and all(row_.value is not None for row_ in self._rows)
