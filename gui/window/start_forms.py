"""The forms of the start page: each asks for what one way into a workspace needs."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.accounts import login
from core.errors import BenchsealError
from core.i18n import tr
from core.workflow.workspace import (
    WorkspaceLocation,
    has_password,
    invited_to,
    login_in,
    server_address,
    without_login,
)
from gui.widgets.elements import caption, column, heading, label, row, set_ink
from gui.widgets.file_dialogs import ask_folder, ask_which
from gui.widgets.name_list import NameList


@dataclass(frozen=True, slots=True)
class StartOrder:
    """What shall be opened. ``lead`` makes it first, under that name; ``demo`` is made by a
    command of its own; ``package`` is the file of the work package that it is made of."""

    location: str
    lead: str | None = None
    demo: bool = False
    package: str = ""


def home_folder() -> Path:
    """Where new workspaces are proposed: a folder that people find again."""
    return Path.home() / "Benchseal"


class StartForm(QWidget):
    """A heading, fields, and one button; Enter in any field presses it."""

    go = Signal(object)
    """A ``StartOrder``."""

    def __init__(self, title: str, about: str, button: str) -> None:
        super().__init__()
        self.first: QWidget | None = None
        self.inner: QVBoxLayout = column(self, spacing=6)
        self.title = heading(title)
        self.title.setWordWrap(True)
        self.about = label(about, ink="muted", wrap=True)
        self.says = label("", ink="reject", wrap=True, selectable=True)
        self.says.setAccessibleName(tr("What went wrong"))
        self.says.hide()
        self.button = QPushButton(button)
        self.button.setProperty("look", "filled")
        self.button.setAutoDefault(True)
        self.button.clicked.connect(self.submit)
        self.inner.addWidget(self.title)
        self.inner.addWidget(self.about)
        self.inner.addSpacing(6)

    def finish(self) -> None:
        """Put the button below the fields."""
        line = row()
        line.addWidget(self.button)
        line.addStretch(1)
        self.inner.addSpacing(4)
        self.inner.addWidget(self.says)
        self.inner.addLayout(line)
        self.inner.addStretch(1)

    def field(
        self,
        title: str,
        text: str = "",
        browse: str = "",
        asked: Callable[..., object] = ask_folder,
    ) -> QLineEdit:
        """A line under its title; ``browse`` puts a button beside it that asks for a folder, or
        for what ``asked`` asks for."""
        edit = QLineEdit(text)
        edit.setAccessibleName(title)
        edit.returnPressed.connect(self.submit)
        edit.textChanged.connect(self.allow)
        self.inner.addWidget(caption(title))
        line = row()
        line.addWidget(edit, 1)
        if browse:
            button = QPushButton(browse)
            button.setObjectName(f"browse {title}")
            button.clicked.connect(lambda: asked(self, browse, edit.setText))
            line.addWidget(button)
        self.inner.addLayout(line)
        self.first = self.first or edit
        return edit

    @abstractmethod
    def order(self) -> StartOrder:
        """What the fields say; BenchsealError where they cannot mean anything."""

    def complete(self) -> bool:
        """Whether every field that is needed is filled."""
        return True

    def allow(self, _text: str = "") -> None:
        """Offer the button when the fields are filled."""
        self.button.setEnabled(self.complete())

    def submit(self) -> None:
        """Go on with what the fields say, or say what is wrong with them."""
        if not self.complete() or not self.button.isEnabled():
            return
        try:
            order = self.order()
        except BenchsealError as error:
            self.complain(str(error))
            return
        self.says.hide()
        self.go.emit(order)

    def complain(self, sentence: str) -> None:
        """Say what went wrong; the fields stay as they are."""
        self.say(sentence, "reject")
        self.allow()
        if isinstance(self.first, QLineEdit):
            self.first.setFocus()
        self._bring_into_sight()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Room was made for what went wrong: in a low window that is below what is in sight."""
        super().resizeEvent(event)
        self._bring_into_sight()

    def _bring_into_sight(self) -> None:
        area = self.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if area is not None and self.says.isVisible():
            self.inner.activate()
            area.ensureWidgetVisible(self.says, 0, 0)

    def say(self, sentence: str, ink: str = "muted") -> None:
        """Say how far it is."""
        self.says.setText(sentence)
        set_ink(self.says, ink)
        self.says.setVisible(bool(sentence))


class ContinueForm(StartForm):
    """The workspace that was open last, and those before it."""

    def __init__(self, recent: Sequence[str]) -> None:
        super().__init__(tr("Continue"), tr("Your recent workspaces, newest first."),
                         tr("Open the workspace"))  # fmt: skip
        self.list = NameList(tr("Recent workspaces"))
        for location in recent:
            entry = self.list.add_name(location_words(location))
            entry.setData(Qt.ItemDataRole.UserRole, location)
            entry.setToolTip(location)
        self.list.setCurrentRow(0)
        self.list.setMinimumHeight(120)
        self.list.currentRowChanged.connect(self.allow)
        self.list.itemActivated.connect(self.submit)
        self.inner.addWidget(self.list, 1)
        self.first = self.list
        self.finish()

    def mark_missing(self, missing: Sequence[str]) -> None:
        """Grey out what is not there any more, and choose the newest that is."""
        newest = -1
        for place in range(self.list.count()):
            entry = self.list.item(place)
            location = str(entry.data(Qt.ItemDataRole.UserRole))
            if location in missing:
                entry.setText(tr("{place}   ·   not found", place=location_words(location)))
                entry.setFlags(Qt.ItemFlag.NoItemFlags)
            elif newest < 0:
                newest = place
        if not self.complete():
            self.list.setCurrentRow(newest)
        self.allow()

    def location(self) -> str:
        """What is chosen; empty where nothing can be."""
        entry = self.list.currentItem()
        usable = entry is not None and bool(entry.flags() & Qt.ItemFlag.ItemIsEnabled)
        return str(entry.data(Qt.ItemDataRole.UserRole)) if usable else ""

    def complete(self) -> bool:
        return bool(self.location())

    def order(self) -> StartOrder:
        return StartOrder(self.location())


class NewForm(StartForm):
    """Where a new workspace is made, and who leads it."""

    def __init__(self) -> None:
        super().__init__(
            tr("New workspace"),
            tr("A workspace is a folder on this computer with one database. Everything that your "
               "benchmarks need is kept there, readable by you alone."),
            tr("Create the workspace"),
        )  # fmt: skip
        self.folder = self.field(
            tr("Folder of the new workspace"), str(home_folder() / "workspace"), tr("Browse…")
        )
        self.name = self.field(tr("Your name (you will be the first lead)"), login())
        self.name.setMaxLength(80)
        self.finish()

    def complete(self) -> bool:
        return bool(self.folder.text().strip() and self.name.text().strip())

    def order(self) -> StartOrder:
        return StartOrder(self.folder.text().strip(), self.name.text().strip())


class OpenForm(StartForm):
    """A workspace that is on this computer already."""

    def __init__(self) -> None:
        super().__init__(
            tr("Open a workspace"),
            tr("The folder of a workspace, or its database file (workspace.db)."),
            tr("Open the workspace"),
        )
        self.folder = self.field(tr("Folder or file"), "", tr("Browse…"))
        self.finish()
        self.allow()

    def complete(self) -> bool:
        return bool(self.folder.text().strip())

    def order(self) -> StartOrder:
        return StartOrder(self.folder.text().strip())


class JoinForm(StartForm):
    """A team's workspace on a PostgreSQL server."""

    def __init__(self) -> None:
        super().__init__(
            tr("Join a team"),
            tr("Your lead gives you the address of the team's PostgreSQL database and a login, "
               "which decides who you are there; the whole invitation, or the path of its file, "
               "will do. The password is not stored."),
            tr("Sign in"),
        )  # fmt: skip
        self.address = self.field(tr("Address of the database"))
        self.address.setPlaceholderText("postgresql://server:5432/benchseal")
        self.user = self.field(tr("Login"), login())
        self.password = self.field(tr("Password (empty: from the keyring or ~/.pgpass)"))
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.address.editingFinished.connect(self.take_invitation)
        self.finish()
        self.allow()

    def take_invitation(self) -> None:
        """Put the address that is in the field, with whatever else, and its login in place."""
        address = invited_to(self.address.text())
        login_there = login_in(address)
        if login_there:
            self.user.setText(login_there)
        plain = address if has_password(address) else without_login(address)
        self.address.setText(plain if login_there else address)

    def ask_password(self, location: str, sentence: str) -> None:
        """Show the address and the login that want a password, and wait for it."""
        self._show(location)
        self.complain(sentence)
        self.password.clear()
        self._begin_at(self.password)

    def sign_in(self, location: str) -> None:
        """Wait for whoever works at a known address from now on."""
        self._show(location)
        self.user.clear()
        self._begin_at(self.user)

    def complain(self, sentence: str) -> None:
        """Say what went wrong; the fields stay as they are, the address is looked at first."""
        self.first = self.address
        super().complain(sentence)

    def _begin_at(self, field: QLineEdit) -> None:
        self.first = field
        field.setFocus()

    def _show(self, location: str) -> None:
        self.address.setText(without_login(location))
        self.user.setText(login_in(location))

    def complete(self) -> bool:
        return bool(self.address.text().strip())

    def order(self) -> StartOrder:
        self.take_invitation()
        address = server_address(
            self.address.text(), self.user.text().strip(), self.password.text()
        )
        return StartOrder(address)


class PackageForm(StartForm):
    """A workspace made of the work package that somebody was given."""

    def __init__(self) -> None:
        super().__init__(
            tr("Open a work package"),
            tr("Items that a lead handed out to you in a file, to work on without a connection. "
               "The lead encrypts the file to your key."),
            tr("Open the package"),
        )  # fmt: skip
        self.file = self.field(tr("File of the package"), "", tr("Choose…"), ask_which)
        self.folder = self.field(
            tr("Folder of the new workspace"), str(home_folder() / "package"), tr("Browse…")
        )
        self.key = QPushButton(tr("Copy your key for the lead"))
        self.key.clicked.connect(self.copy_key)
        line = row()
        line.addWidget(self.key)
        line.addStretch(1)
        self.inner.addLayout(line)
        self.finish()
        self.allow()

    def copy_key(self) -> None:
        """Put one's own key into the clipboard, and show it."""
        from core.workflow.packages.package_file import own_key

        try:
            key = own_key()
        except BenchsealError as error:
            self.complain(str(error))
            return
        QApplication.clipboard().setText(key)
        self.say(tr("Copied: {key}", key=key))

    def complete(self) -> bool:
        return bool(self.file.text().strip() and self.folder.text().strip())

    def order(self) -> StartOrder:
        return StartOrder(self.folder.text().strip(), package=self.file.text().strip())


class DemoForm(StartForm):
    """A workspace with everything in it, to try the program on."""

    def __init__(self) -> None:
        super().__init__(
            tr("Try the demonstration"),
            tr("Items from short articles, screened and partly reviewed by scripted people. It "
               "takes about a minute and changes nothing else."),
            tr("Create the demonstration"),
        )  # fmt: skip
        self.folder = self.field(
            tr("Folder of the demonstration"), str(home_folder() / "demo"), tr("Browse…")
        )
        self.finish()

    def complete(self) -> bool:
        return bool(self.folder.text().strip())

    def order(self) -> StartOrder:
        return StartOrder(self.folder.text().strip(), demo=True)


def location_words(location: str) -> str:
    """A workspace in a list: its name, and where it is."""
    if "://" in location:
        return location
    place = WorkspaceLocation.of(location)
    return tr("{name}   ·   {path}", name=place.folder.name, path=str(place.folder.parent))
