"""Freezing: which tasks, how many items of each, under which name, and what that will do."""

from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QPushButton, QSpinBox, QWidget

from core.i18n import tr, trn
from core.workflow.splits import freeze_checks
from core.workflow.splits.freeze import FreezePreview, SplitInfo
from core.workflow.splits.freeze_checks import CheckedSelection
from core.workflow.splits.selection import FreezeOrder
from gui import i18n
from gui.context import WindowContext
from gui.panels.splits.findings_box import FindingsBox
from gui.widgets.elements import caption, face, label, scrolled
from gui.widgets.sheet import Sheet
from gui.widgets.steady_fields import NumberBox

_LIST_PX = 220  # the list of tasks scrolls beyond


class FreezeDialog(Sheet):
    """Errors are said here, with the field that is wrong in focus; nothing is lost by them."""

    def __init__(self, context: WindowContext, ready: FreezePreview, parent: QWidget) -> None:
        super().__init__(parent, tr("Freeze a new split"), (600, 520))
        self._context = context
        self._ready = ready
        self._busy = False
        self.split: SplitInfo | None = None
        """What was frozen."""
        self.name, self.public_name = QLineEdit(), QLineEdit()
        self.name.setPlaceholderText(tr("such as 2026-07"))
        self.public_name.setPlaceholderText(tr("leave empty for a single split"))
        self.boxes: dict[str, QCheckBox] = {}
        self.sizes: dict[str, QSpinBox] = {}
        self.consequence = label("", wrap=True)
        self.findings = FindingsBox()
        self._checked: CheckedSelection | None = None
        self.cancel = QPushButton(tr("Cancel"))
        self.freeze_button = QPushButton(tr("Freeze"))
        self._build()
        self._show_consequence()
        self.focus_first(self.name)

    def _build(self) -> None:
        layout, last = self.with_body(margin=20, spacing=10)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        for line, (title, field) in enumerate(
            (
                (tr("Name of the new split"), self.name),
                (tr("Name of the public part"), self.public_name),
            )
        ):
            field.setAccessibleName(title)
            grid.addWidget(caption(title), line, 0)
            grid.addWidget(field, line, 1)
        grid.setColumnStretch(1, 1)
        layout.addLayout(grid)
        layout.addWidget(caption(tr("Tasks, and how many items of each")))
        layout.addWidget(self._tasks())
        layout.addWidget(self.consequence)
        layout.addWidget(self.findings)
        layout.addWidget(
            caption(tr("A frozen split never changes: its manifest and every file are hashed."))
        )
        self.freeze_button.setProperty("look", "filled")
        layout.addStretch(1)
        last.addStretch(1)
        for button in (self.cancel, self.freeze_button):
            last.addWidget(button)
        self.cancel.clicked.connect(self.reject)
        self.freeze_button.clicked.connect(self.run)
        self.ctrl_enter_presses(self.freeze_button)

    def _tasks(self) -> QWidget:
        inside = QWidget()
        inside.setProperty("look", "page")
        grid = QGridLayout(inside)
        grid.setContentsMargins(0, 0, 8, 0)
        for line, task in enumerate(self._ready.tasks):
            box = QCheckBox(face(task.name))
            box.setChecked(True)
            box.toggled.connect(self._show_consequence)
            size = NumberBox()
            size.setRange(1, max(1, task.items))
            size.setValue(task.items)
            size.setAccessibleName(tr("How many items of {task}", task=task.name))
            size.setMinimumWidth(96)
            size.lineEdit().setTextMargins(6, 0, 6, 0)
            size.valueChanged.connect(self._show_consequence)
            box.toggled.connect(size.setEnabled)
            self.boxes[task.name], self.sizes[task.name] = box, size
            of = caption(tr("of {count}", count=i18n.number(task.items)))
            for place, part in enumerate((box, size, of)):
                grid.addWidget(part, line, place)
        grid.setColumnStretch(0, 1)
        area = scrolled(inside)
        area.setFixedHeight(min(_LIST_PX, inside.sizeHint().height() + 4))
        return area

    def chosen(self) -> dict[str, int]:
        """The sizes of the chosen tasks."""
        return {name: self.sizes[name].value() for name, box in self.boxes.items()
                if box.isChecked()}  # fmt: skip

    def _is_whole(self) -> bool:
        sizes = self.chosen()
        return all(sizes.get(task.name) == task.items for task in self._ready.tasks)

    def _show_consequence(self, _value: object = None) -> None:
        sizes = self.chosen()
        unaudited = sum(
            min(task.unaudited, sizes[task.name])
            for task in self._ready.tasks
            if task.name in sizes
        )
        exact = self._is_whole()
        count = self._ready.items if exact else sum(sizes.values())
        if exact:
            unaudited = self._ready.unaudited
        self.consequence.setText(
            consequence(count, unaudited, self._context.benchmark, exact=exact)
        )

    def run(self) -> None:
        """Freeze what the dialog says."""
        if self._busy:
            return
        name, public = self.name.text().strip(), self.public_name.text().strip()
        if not name:
            self._fail(tr("Give the split a name."), self.name)
        elif not self.chosen():
            first = next(iter(self.boxes.values()), None)
            self._fail(tr("Choose at least one task to freeze."), first)
        else:
            self._busy = True
            self.freeze_button.setEnabled(False)
            self._check_or_freeze(name, public)

    def _check_or_freeze(self, name: str, public: str) -> None:
        """Check what is not checked yet; freeze what was checked and needs nothing more."""
        context, checked = self._context, self._checked
        order = FreezeOrder(
            name, context.benchmark, public, None if self._is_whole() else self.chosen()
        )
        left_out = self.findings.left_out()
        asked = None if checked is None else replace(checked.order, seed=None, without=frozenset())
        if checked is None or asked != order or left_out:
            if checked is not None:
                order = replace(
                    order, seed=checked.order.seed, without=checked.order.without | left_out
                )
            work = partial(freeze_checks.check, context.workspace, order, context.person.name)
            context.ask(self, work, self._on_checked, self._on_refused, lane="background")
            return
        freezing = partial(
            freeze_checks.freeze_checked, context.workspace, checked, context.person.name,
            self.findings.typed(),
        )  # fmt: skip
        context.write(self, freezing, self._on_frozen, self._on_refused, lane="background")

    def _on_checked(self, checked: CheckedSelection) -> None:
        self._checked = checked
        self.findings.show_checked(checked)
        self._show_consequence()
        if checked.findings and (checked.blocked or self.findings.first_open() is not None):
            self._busy = False
            self._fail(
                tr("Give a reason for each finding, or leave the items out; then freeze."),
                self.findings.first_open(),
            )
            self.make_room()
            return
        self._check_or_freeze(checked.order.name, checked.order.public)

    def _on_frozen(self, frozen: tuple[SplitInfo, ...]) -> None:
        split = self.split = frozen[0]
        self._context.say(
            trn("“{name}” is frozen: 1 item.", "“{name}” is frozen: {n} items.", split.size,
                name=split.name)
        )  # fmt: skip
        self.accept()

    def _on_refused(self, sentence: str) -> None:
        self._busy = False
        public = self.public_name.text().strip()
        wrong = self.public_name if public and f"“{public}”" in sentence else self.name
        self._fail(sentence, wrong)

    def _fail(self, sentence: str, field: QWidget | None = None) -> None:
        self.freeze_button.setEnabled(True)
        self.say_trouble(sentence, field)


def consequence(items: int, unaudited: int, benchmark: str, *, exact: bool = True) -> str:
    """What freezing so many items will do; ``unaudited`` is a bound where it is not ``exact``."""
    if not unaudited:
        return trn(
            "This permanently freezes 1 approved item of {benchmark}.",
            "This permanently freezes {n} approved items of {benchmark}.",
            items,
            benchmark=benchmark,
        )
    if not exact:
        return trn(
            "This permanently freezes 1 item of {benchmark}; up to {unaudited} were not audited.",
            "This permanently freezes {n} items of {benchmark}; up to {unaudited} of them were "
            "not audited.",
            items,
            benchmark=benchmark,
            unaudited=i18n.number(unaudited),
        )
    return trn(
        "This permanently freezes 1 item of {benchmark}, which was not audited.",
        "This permanently freezes {n} items of {benchmark}, {unaudited} of which were not audited.",
        items,
        benchmark=benchmark,
        unaudited=i18n.number(unaudited),
    )
