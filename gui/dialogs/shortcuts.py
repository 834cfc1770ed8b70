"""The sheet of all keys, where each can be changed."""

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QGridLayout, QKeySequenceEdit, QPushButton, QScrollArea, QWidget

from core.i18n import tr
from gui import theme
from gui.actions import COMMANDS, PLACES, Actions, Command, command, printed_key
from gui.widgets.elements import caption, column, label, row, set_ink
from gui.widgets.sheet import Sheet


class ShortcutsDialog(Sheet):
    """Every command with its keys, by place. A click on a key asks for another."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent, tr("All keyboard shortcuts"), (720, 640))
        self._actions = actions
        self._editing = ""
        self._buttons: dict[str, QPushButton] = {}
        self._say = label("", ink="muted", size=theme.SMALL_PX, wrap=True)
        self._field = QKeySequenceEdit()
        self._field.setMaximumSequenceLength(1)
        self._field.hide()
        self._area = QScrollArea()
        self._field.editingFinished.connect(self._take_key)
        layout = column(self, margin=16, spacing=12)
        self._area.setWidgetResizable(True)
        self._area.setWidget(self._sheet())
        self.focus_first(self._area)
        layout.addWidget(self._area, 1)
        foot = row()
        foot.addWidget(self._say, 1)
        foot.addWidget(self._field)
        layout.addLayout(foot)
        self._say.setText(
            tr(
                "Click a key to change it. Single letters are inactive while you type in a text "
                "field."
            )
        )

    def _sheet(self) -> QWidget:
        content = QWidget()
        content.setProperty("look", "page")
        grid = QGridLayout(content)
        grid.setContentsMargins(8, 0, 16, 8)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(0, 1)
        line = 0
        for place, title in PLACES.items():
            grid.addWidget(caption(title()), line, 0)
            grid.setRowMinimumHeight(line, 36)
            line += 1
            for spec in COMMANDS:
                if spec.place == place:
                    grid.addWidget(label(spec.title()), line, 0)
                    grid.addWidget(self._button(spec), line, 1)
                    line += 1
        grid.setRowStretch(line, 1)
        return content

    def _button(self, spec: Command) -> QPushButton:
        button = QPushButton(self._keys(spec.id))
        button.setObjectName(spec.id)
        button.setMinimumWidth(150)
        button.setAutoDefault(False)
        button.clicked.connect(self._on_clicked)
        self._buttons[spec.id] = button
        return button

    def _keys(self, command_id: str) -> str:
        keys = [printed_key(key) for key in self._actions.keys(command_id)]
        return "   ".join(keys) or tr("no shortcut")

    def _on_clicked(self) -> None:
        self.ask_key(self.sender().objectName())

    def ask_key(self, command_id: str) -> None:
        """Ask for another key of a command."""
        self._editing = command_id
        self._field.clear()
        self._field.show()
        self._field.setFocus()
        set_ink(self._say, "text")
        self._say.setText(
            tr(
                "Press the new key for “{command}”. Backspace restores the default.",
                command=command(command_id).title(),
            )
        )

    def _take_key(self) -> None:
        sequence = self._field.keySequence()
        if not self._editing or sequence.isEmpty():
            return
        self.give_key(self._editing, sequence.toString(QKeySequence.SequenceFormat.PortableText))

    def give_key(self, command_id: str, key: str) -> None:
        """Give a command another key, unless one that acts beside it has it already."""
        self._field.hide()
        self._editing = ""
        if key == "Backspace":
            self._actions.remap(command_id, None)
        elif (other := self._actions.clash(command_id, key)) is not None:
            set_ink(self._say, "reject")
            self._say.setText(
                tr("{key} is already used by “{command}”.", key=key, command=other.title())
            )
            return
        else:
            self._actions.remap(command_id, (key,))
        self._buttons[command_id].setText(self._keys(command_id))
        set_ink(self._say, "accept")
        self._say.setText(tr("Shortcut changed."))
