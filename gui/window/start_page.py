"""The start page: how one comes into a workspace. Nothing is made before somebody says where."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLineEdit, QListWidget, QPushButton, QStackedWidget, QWidget

from core.i18n import language, tr
from gui.dialogs.help import HelpDialog
from gui.processes import CommandProcess
from gui.widgets.elements import caption, column, frame, heading, row, rule, scrolled
from gui.widgets.steady_fields import ChoiceBox
from gui.window.start_forms import (
    ContinueForm,
    DemoForm,
    JoinForm,
    NewForm,
    OpenForm,
    PackageForm,
    StartForm,
    StartOrder,
)

_LANGUAGES = (("en", "English"), ("zh", "中文"))
_ROW = 36


class StartPage(QWidget):
    """The ways in on the left, the form of the chosen one on the right."""

    open_wanted = Signal(object)
    """A ``StartOrder`` whose location can be opened, or made by its lead."""
    language_wanted = Signal(object)

    def __init__(self, recent: Sequence[str], chosen: str = "") -> None:
        """``chosen`` is the way whose form comes first; empty: where one goes on most likely."""
        super().__init__()
        self.forms: dict[str, StartForm] = {}
        if recent:
            self.forms["continue"] = ContinueForm(recent)
        self.forms |= {"new": NewForm(), "open": OpenForm(), "join": JoinForm(),
                       "package": PackageForm(), "demo": DemoForm()}  # fmt: skip
        self._demo: CommandProcess | None = None
        self.ways = QListWidget()
        self.ways.setAccessibleName(tr("Start"))
        self._stack = QStackedWidget()
        self._build()
        for form in self.forms.values():
            form.go.connect(self._on_go)
        self.choose(chosen or next(iter(self.forms)))
        self.ways.currentRowChanged.connect(self._stack.setCurrentIndex)
        self.ways.itemActivated.connect(self.focus_form)

    def _build(self) -> None:
        for form in self.forms.values():
            self.ways.addItem(form.title.text())
            self.ways.item(self.ways.count() - 1).setSizeHint(QSize(0, _ROW))
            self._stack.addWidget(scrolled(_padded(form)))
        self.ways.setMinimumHeight(2 * _ROW)  # in a low window it scrolls
        self.ways.setMaximumHeight(_ROW * len(self.forms) + 6)
        self.language = ChoiceBox()
        self.language.setAccessibleName(tr("Language"))
        for code, name in _LANGUAGES:
            self.language.addItem(name, code)
        self.language.setCurrentIndex(self.language.findData(language()))
        self.language.activated.connect(self._on_language)
        left = frame("side")
        left.setFixedWidth(216)
        inner = column(left, margin=16, spacing=8)
        inner.addWidget(heading(tr("Benchseal")))
        inner.addSpacing(8)
        inner.addWidget(self.ways, 1)
        inner.addStretch()
        self.tutorial = QPushButton(tr("Tutorial"))
        self.administrators = QPushButton(tr("For administrators"))
        for button, name in ((self.tutorial, "tutorial"), (self.administrators, "administrators")):
            button.setProperty("look", "flat")
            button.setProperty("page", name)
            button.clicked.connect(self._on_help)
            inner.addWidget(button)
        inner.addSpacing(8)
        inner.addWidget(caption(tr("Language")))
        inner.addWidget(self.language)
        whole = row(self, spacing=0)
        whole.addWidget(left)
        whole.addWidget(rule("column"))
        whole.addWidget(self._stack, 1)

    def _on_help(self) -> None:
        HelpDialog(str(self.sender().property("page")), self).open()

    # -- choosing ---------------------------------------------------------------------------

    @property
    def form(self) -> StartForm:
        """The form in front."""
        return list(self.forms.values())[self._stack.currentIndex()]

    def choose(self, way: str) -> None:
        """Bring the form of a way to the front."""
        place = list(self.forms).index(way)
        self.ways.setCurrentRow(place)
        self._stack.setCurrentIndex(place)

    def focus_form(self) -> None:
        """Typing and Enter act on the form in front; what is proposed there gives way to typing."""
        first = self.form.first
        if first is not None:
            first.setFocus()
        if isinstance(first, QLineEdit):
            first.selectAll()

    def showEvent(self, event: QShowEvent) -> None:
        """Typing works at once."""
        super().showEvent(event)
        self.focus_form()

    def mark_missing(self, missing: Sequence[str]) -> None:
        """Grey out recent workspaces that are not there any more."""
        form = self.forms.get("continue")
        if isinstance(form, ContinueForm):
            form.mark_missing(missing)
            if form is self.form and not form.complete():
                self.choose("new")
                self.focus_form()

    def _on_language(self, _place: int) -> None:
        self.language_wanted.emit(self.language.currentData())

    # -- going on ---------------------------------------------------------------------------

    def _on_go(self, order: StartOrder) -> None:
        self.form.button.setEnabled(False)
        if order.demo:
            self._make_demo(order)
        else:
            self.form.say(tr("Opening …"))
            self.open_wanted.emit(order)

    def complain(self, sentence: str) -> None:
        """Why that workspace was not opened; the form stays as it was filled in."""
        self.form.complain(sentence)

    def ask_password(self, location: str, sentence: str) -> None:
        """A server wants a password."""
        self.choose("join")
        form = self.forms["join"]
        assert isinstance(form, JoinForm)
        form.ask_password(location, sentence)

    def sign_in(self, location: str) -> None:
        """Somebody else is to work at this address of a team."""
        self.choose("join")
        form = self.forms["join"]
        assert isinstance(form, JoinForm)
        form.sign_in(location)

    def _make_demo(self, order: StartOrder) -> None:
        folder = str(Path(order.location).expanduser().absolute())
        arguments = ["demo", "--no-window", "--dir", folder, "--json"]
        self._demo = CommandProcess("", arguments, self)
        self._demo.progressed.connect(self.forms["demo"].say)
        self._demo.ended.connect(self._on_demo)
        self.forms["demo"].say(tr("Creating the demonstration …"))
        self._demo.start()

    def _on_demo(self, outcome: tuple[dict[str, str] | None, str]) -> None:
        document, sentence = outcome
        self.dispose()
        if document is None:
            self.forms["demo"].complain(sentence)
        else:
            self.open_wanted.emit(StartOrder(str(document["workspace"])))

    def dispose(self) -> None:
        """End the command that makes the demonstration, where one is at work."""
        if self._demo is not None:
            self._demo.dispose()
            self._demo.deleteLater()
            self._demo = None


def _padded(form: StartForm) -> QWidget:
    """A form in a column that is no wider than a person reads."""
    page = QWidget()
    form.setMaximumWidth(640)
    around = row(page)
    around.setContentsMargins(24, 24, 24, 16)
    around.addWidget(form, 10)
    around.addStretch(1)
    return page
