"""One setting of the protocols of several tasks: which, its new value, and what that changes."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QPushButton, QStackedWidget, QWidget

from core.i18n import tr, trn
from core.workflow import tasks
from core.workflow.protocol_changes import ProtocolChange
from core.workflow.tasks import TaskInfo
from gui import theme
from gui.context import WindowContext
from gui.labels import SETTING_CHOICES, SETTING_TITLES, setting_title, setting_value
from gui.timers import single_shot
from gui.widgets.checked_list import CheckedList
from gui.widgets.elements import caption, label, row, set_ink
from gui.widgets.form import Choice
from gui.widgets.sheet import Sheet
from gui.widgets.steady_fields import ChoiceBox

_PREVIEW_MS = 300


class ProtocolsDialog(Sheet):
    """``saved`` is emitted when the new versions are written: all of them, or none."""

    saved = Signal()

    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent, tr("Protocols of several tasks"), (620, 560))
        self._context = context
        self._infos: tuple[TaskInfo, ...] = ()
        self._preferred = False
        self.setting = ChoiceBox()
        for name in SETTING_TITLES:
            self.setting.addItem(setting_title(name), name)
        self.text, self.choice = QLineEdit(), Choice()
        self.value = QStackedWidget()
        self.names = CheckedList(tr("Tasks"))
        self.everything, self.nothing = QPushButton(tr("All tasks")), QPushButton(tr("No task"))
        self.consequence = label("", wrap=True)
        self.cancel, self.save = QPushButton(tr("Cancel")), QPushButton(tr("Save new versions"))
        self._timer = single_shot(self, _PREVIEW_MS, self._read_preview)
        self._build()
        self._connect()
        self._on_setting()
        self.focus_first(self.setting)
        self._read()

    def _build(self) -> None:
        layout, last = self.with_body(margin=20, spacing=10)
        line = QGridLayout()
        line.setHorizontalSpacing(12)
        line.setColumnStretch(1, 1)
        for place, (words, field) in enumerate((
            (tr("Setting"), self.setting), (tr("New value"), self.value),
        )):  # fmt: skip
            line.addWidget(caption(words), place, 0)
            line.addWidget(field, place, 1)
        for part, words in (
            (self.setting, tr("Setting")), (self.text, tr("New value")),
            (self.choice, tr("New value")),
        ):  # fmt: skip
            part.setAccessibleName(words)
        self.value.addWidget(self.text)
        self.value.addWidget(self.choice)
        self.value.setFixedHeight(self.text.sizeHint().height())
        layout.addLayout(line)
        head = row()
        head.addWidget(caption(tr("Tasks, with their current values")))
        head.addStretch(1)
        for button in (self.everything, self.nothing):
            head.addWidget(button)
        layout.addLayout(head)
        layout.addWidget(self.names, 1)
        layout.addWidget(self.consequence)
        hint = tr("Each task gets a new version of its protocol. Items under review keep theirs.")
        layout.addWidget(label(hint, ink="muted", size=theme.SMALL_PX, wrap=True))
        self.save.setProperty("look", "filled")
        last.addStretch(1)
        for button in (self.cancel, self.save):
            last.addWidget(button)

    def _connect(self) -> None:
        self.setting.currentIndexChanged.connect(self._on_setting)
        self.text.textChanged.connect(self._on_edited)
        self.choice.currentIndexChanged.connect(self._on_edited)
        self.names.itemChanged.connect(self._on_edited)
        self.everything.clicked.connect(partial(self.names.tick_all, True))
        self.nothing.clicked.connect(partial(self.names.tick_all, False))
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self.run)

    def _read(self) -> None:
        context = self._context
        work = partial(tasks.tasks, context.workspace, context.benchmark)
        context.ask(self, work, self._show, self._fail, topic="tasks")

    def _on_refused(self, sentence: str) -> None:
        """Say why, and show what counts by now: saving again replaces it."""
        context = self._context
        self._fail(sentence)
        work = partial(tasks.tasks, context.workspace, context.benchmark)
        context.ask(self, work, self._show_again, self._fail, topic="tasks")

    def _show_again(self, infos: tuple[TaskInfo, ...]) -> None:
        said = self.consequence.text()
        self._infos = infos
        self._show_names(self.names.chosen())
        self._timer.stop()  # which would put what saving does in the place of why it was refused
        self.consequence.setText(said)
        self.save.setEnabled(bool(self.names.chosen() and self.new_value()))

    def _show(self, infos: tuple[TaskInfo, ...]) -> None:
        self._infos = infos
        self._show_names([info.name for info in infos] if self._preferred else [])

    def prefer(self, setting: str, value: str) -> None:
        """Begin with this setting and value, for all tasks."""
        self._preferred = True
        self.setting.setCurrentIndex(self.setting.findData(setting))
        self.text.setText(value)
        self.focus_first(self.text)

    def _show_names(self, ticked: list[str]) -> None:
        name = self._setting()
        notes = [setting_value(name, getattr(info.protocol, name)) for info in self._infos]
        self.names.show_names([info.name for info in self._infos], ticked, notes)
        self._on_edited()

    def _setting(self) -> str:
        return str(self.setting.currentData())

    def _on_setting(self, _index: int = 0) -> None:
        choices = SETTING_CHOICES.get(self._setting(), {})
        self.choice.clear()
        for value, title in choices.items():
            self.choice.addItem(title(), value)
        self.value.setCurrentWidget(self.choice if choices else self.text)
        self.text.clear()
        self._show_names(self.names.chosen())

    def new_value(self) -> str:
        """What the setting should become, as text."""
        if self.value.currentWidget() is self.choice:
            return str(self.choice.currentData())
        return self.text.text().strip()

    def _on_edited(self, _value: object = None) -> None:
        self.save.setEnabled(False)
        self._timer.start()

    def _work(self, *, dry_run: bool) -> "partial[dict[str, ProtocolChange]]":
        context = self._context
        return partial(
            tasks.set_protocols, context.workspace, self.names.chosen(),
            {self._setting(): self.new_value()}, person=context.person.name,
            benchmark=context.benchmark, seen=self._infos, dry_run=dry_run,
        )  # fmt: skip

    def _read_preview(self) -> None:
        if not self.names.chosen() or not self.new_value():
            set_ink(self.consequence, "muted")
            self.consequence.setText(tr("Choose a value and at least one task."))
            return
        work = self._work(dry_run=True)
        self._context.ask(
            self, work, self._on_preview, self._fail, topic="preview", lane="background"
        )

    def _on_preview(self, found: dict[str, ProtocolChange]) -> None:
        differing = [change for change in found.values() if change.changed]
        set_ink(self.consequence, "text")
        self.consequence.setText(changes_sentence(found))
        self.save.setEnabled(bool(differing))

    def run(self) -> None:
        """Write the new versions."""
        self._timer.stop()
        self.save.setEnabled(False)
        self._context.write(self, self._work(dry_run=False), self._on_saved, self._on_refused)

    def _on_saved(self, done: dict[str, ProtocolChange]) -> None:
        self._context.say(changes_sentence(done))
        self.saved.emit()
        self.drop()

    def _fail(self, sentence: str) -> None:
        self.save.setEnabled(False)
        set_ink(self.consequence, "reject")
        self.consequence.setText(sentence)


def changes_sentence(found: dict[str, ProtocolChange]) -> str:
    """How many protocols an edit changes, and how many waiting items follow at once."""
    differing = [change for change in found.values() if change.changed]
    if not differing:
        return tr("All chosen tasks have this value already.")
    first = trn("1 protocol changes", "{n} protocols change", len(differing))
    applied = sum(change.applied for change in differing)
    second = trn("1 waiting item follows at once", "{n} waiting items follow at once", applied)
    return tr("{protocols}; {items}.", protocols=first, items=second)
