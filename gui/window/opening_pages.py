"""What stands in the window before anybody works: opening, what went wrong, and who is there."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.accounts import login
from core.i18n import tr
from core.workflow.people import PersonInfo, sharing_sentence
from core.workflow.rights import ROLES
from gui import labels, theme
from gui.widgets.elements import caption, column, frame, heading, label, row, scrolled
from gui.widgets.steady_fields import ChoiceBox

_ROW = 32


class OpenFailure(QWidget):
    """Why the workspace cannot be opened, and what can be done instead."""

    other_wanted = Signal()
    make_wanted = Signal(object)
    """The name of whoever makes it, who becomes its first lead."""
    again_wanted = Signal()

    def __init__(self, sentence: str, can_make: bool) -> None:
        super().__init__()
        page = QWidget()
        page.setProperty("look", "page")
        column(self).addWidget(scrolled(page))
        layout = column(page, margin=24, spacing=12)
        layout.addStretch(2)
        box = QWidget()
        box.setMaximumWidth(640)
        inner = column(box, spacing=12)
        inner.addWidget(heading(tr("Could not open the workspace.")))
        self.sentence = label(sentence, wrap=True, selectable=True)
        inner.addWidget(self.sentence)
        buttons = row()
        self.name = QLineEdit(login())
        self.name.setMaxLength(80)
        self.name.setPlaceholderText(tr("Your name"))
        self.name.setAccessibleName(tr("Your name"))
        self.name.setToolTip(tr("You will be the first lead."))
        self.name.setVisible(can_make)
        inner.addWidget(self.name)
        self.make = QPushButton(tr("Create a workspace there"))
        self.make.setProperty("look", "filled")
        self.make.setVisible(can_make)
        self.make.clicked.connect(self._make)
        self.other = QPushButton(tr("Open another workspace…"))
        self.again = QPushButton(tr("Try again"))
        for button in (self.make, self.other, self.again):
            button.setAutoDefault(True)
        for button, signal in (
            (self.make, None),
            (self.other, self.other_wanted),
            (self.again, self.again_wanted),
        ):
            if signal is not None:
                button.clicked.connect(signal)
            buttons.addWidget(button)
        buttons.addStretch(1)
        inner.addLayout(buttons)
        middle = row()
        middle.addStretch(1)
        middle.addWidget(box, 4)
        middle.addStretch(1)
        layout.addLayout(middle)
        layout.addStretch(3)

    def focus_first(self) -> None:
        """Enter tries again, or goes to another workspace where trying again is no use."""
        (self.other if self.make.isVisibleTo(self) else self.again).setFocus()

    def _make(self) -> None:
        self.make_wanted.emit(self.name.text().strip())


class PersonChooser(QWidget):
    """Who works here now: somebody known, or somebody new with a role."""

    chosen = Signal(object)
    """Name of a known person."""
    added = Signal(object)
    """``(name, role)`` of a new one."""
    stay_wanted = Signal()
    """Whoever worked here goes on."""

    def __init__(
        self, people: Sequence[PersonInfo], newest: str = "", *, can_stay: bool = False
    ) -> None:
        """``can_stay``: somebody works here, who may cancel; adding is then not choosing."""
        super().__init__()
        self._can_stay = can_stay
        box = frame("card")
        box.setFixedWidth(460)
        inner = column(box, margin=24, spacing=10)
        inner.addWidget(heading(tr("Choose a user")))
        self.trouble = label("", ink="reject", wrap=True)
        self.trouble.hide()
        inner.addWidget(self.trouble)
        self.list = QListWidget()
        self.list.setUniformItemSizes(True)
        for person in people:
            role = labels.word(labels.ROLES, person.role)
            entry = QListWidgetItem(tr("{name}   ·   {role}", name=person.name, role=role))
            entry.setData(Qt.ItemDataRole.UserRole, person.name)
            entry.setSizeHint(QSize(0, _ROW))
            self.list.addItem(entry)
            if person.name == newest:
                self.list.setCurrentItem(entry)
        if people and self.list.currentRow() < 0:
            self.list.setCurrentRow(0)
        self.list.setFixedHeight(min(6, max(2, len(people))) * _ROW + 8)
        self.list.itemActivated.connect(self._choose)
        self.begin_button = QPushButton(tr("Start"))
        self.begin_button.setProperty("look", "filled")
        self.begin_button.clicked.connect(self._choose)
        self.stay = QPushButton(tr("Cancel"))
        self.stay.clicked.connect(self.stay_wanted)
        self.stay.setVisible(can_stay)
        self.added_says = label("", ink="accept", wrap=True)
        self.added_says.hide()
        if people:
            inner.addWidget(self.list)
            inner.addWidget(self.added_says)
            line = row()
            line.addWidget(self.begin_button, 1)
            line.addWidget(self.stay)
            inner.addLayout(line)
        inner.addSpacing(8)
        self._add_form(inner, bool(people))
        names = label(sharing_sentence(False), ink="muted", size=theme.SMALL_PX, wrap=True)
        inner.addWidget(names)
        page = QWidget()
        page.setProperty("look", "page")
        column(self).addWidget(scrolled(page))
        layout = column(page, margin=24)
        layout.addStretch(2)
        layout.addWidget(box, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
        self._first = self.list if people else self.name

    def showEvent(self, event: QShowEvent) -> None:
        """Typing works at once."""
        super().showEvent(event)
        self._first.setFocus()

    def _add_form(self, layout: QVBoxLayout, known: bool) -> None:
        layout.addWidget(caption(tr("New user") if known else tr("Your name and role")))
        line = row()
        self.name = QLineEdit()
        self.name.setMaxLength(80)
        self.name.setPlaceholderText(tr("Name"))
        self.name.setAccessibleName(tr("Name"))
        self.role = ChoiceBox()
        self.role.setAccessibleName(tr("Role"))
        for role in ROLES:
            self.role.addItem(labels.word(labels.ROLES, role), role)
        self.role.setCurrentIndex(0 if known else len(ROLES) - 1)
        self.add = QPushButton(tr("Add") if self._can_stay else tr("Add and start"))
        self.add.setProperty("look", "" if known else "filled")
        self.add.setEnabled(False)
        line.addWidget(self.name, 1)
        line.addWidget(self.role)
        layout.addLayout(line)
        layout.addWidget(self.add)
        hint = tr("Your role decides which panels you see; it can be changed later.")
        layout.addWidget(label(hint, ink="muted", size=theme.SMALL_PX, wrap=True))
        self.name.textChanged.connect(self._on_name)
        self.name.returnPressed.connect(self.add.click)
        self.add.clicked.connect(self._add)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc cancels, where somebody works here already."""
        if event.key() == Qt.Key.Key_Escape and self._can_stay:
            self.stay_wanted.emit()
            return
        super().keyPressEvent(event)

    def say_added(self, name: str) -> None:
        """Somebody was added, who is in front in the list; who works here is still to be chosen."""
        self.added_says.setText(tr("{name} was added.", name=name))
        self.added_says.show()

    def complain(self, sentence: str) -> None:
        """Say why nobody was added."""
        self.trouble.setText(sentence)
        self.trouble.show()

    def _on_name(self, text: str) -> None:
        self.add.setEnabled(bool(text.strip()))

    def _choose(self) -> None:
        if (entry := self.list.currentItem()) is not None:
            self.chosen.emit(entry.data(Qt.ItemDataRole.UserRole))

    def _add(self) -> None:
        self.added.emit((self.name.text().strip(), self.role.currentData()))
