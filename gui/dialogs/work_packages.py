"""Work packages: what is out, handing items out, taking in what comes back, and one's own key."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget

from core.i18n import tr, trn
from core.workflow import team
from core.workflow.packages.bring_in import BroughtIn, bring_in
from core.workflow.packages.hand_out import HandedOut
from core.workflow.packages.offline_work import PackageHome, give_back, home_of
from core.workflow.packages.package_file import ReturnedPackage, own_key
from core.workflow.packages.packages_out import PackageOut, call_off, packages_out
from core.workflow.rights import Action
from core.workflow.team import Team
from gui import i18n, theme
from gui.context import WindowContext
from gui.dialogs.brought_in import BroughtInDialog
from gui.dialogs.confirm import ConfirmDialog
from gui.dialogs.hand_out_items import HandOutDialog
from gui.widgets.elements import caption, label, row
from gui.widgets.file_dialogs import ask_where, ask_which
from gui.widgets.sheet import Sheet
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable

_TABLE_PX = 150


@dataclass(frozen=True, slots=True)
class _Packages:
    key: str
    home: PackageHome | None
    out: tuple[PackageOut, ...]
    team: Team | None


def _read(context: WindowContext) -> _Packages:
    ws, name = context.workspace, context.person.name
    home = home_of(ws)
    if home is not None or not context.may(Action.ASSIGN):
        return _Packages(own_key(), home, (), None)
    known = team.team(ws, name, context.benchmark)
    return _Packages(own_key(), None, packages_out(ws, name), known)


class WorkPackagesDialog(Sheet):
    """For leads what is out; in the workspace of a package the way back; for everybody their key.

    ``Esc`` leaves everything as it is.
    """

    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent, tr("Work packages"), (860, 520))
        self._context = context
        self._leads = context.may(Action.ASSIGN)
        self.shown: _Packages | None = None
        self.about = label(_about(), ink="muted", wrap=True)
        self.home = label("", wrap=True)
        self.table = TableModel((), self)
        self.view = ReadingTable(self.table)
        self.nothing = label(tr("Nothing is handed out."), ink="muted")
        self.key = QLineEdit()
        self.hand_out = QPushButton(tr("Hand out items…"))
        self.take_in = QPushButton(tr("Import a returned file…"))
        self.call_off = QPushButton(tr("Call off…"))
        self.write = QPushButton(tr("Save the decisions…"))
        self.copy, self.leave = QPushButton(tr("Copy")), QPushButton(tr("Close"))
        self._build()
        self.focus_first(self.leave)
        self.enter_presses(self.leave)
        self.read()

    def _build(self) -> None:
        layout, foot = self.with_body(margin=20, spacing=10)
        layout.addWidget(self.about)
        layout.addWidget(self.home)
        layout.addWidget(self.nothing)
        self.view.setAccessibleName(tr("Work packages"))
        self.view.setMinimumHeight(_TABLE_PX)
        layout.addWidget(self.view, 1)
        self._line(layout, (self.write, self.hand_out, self.take_in, self.call_off))
        for button, slot in (
            (self.write, self.choose_back), (self.hand_out, self.open_hand_out),
            (self.take_in, self.choose_file), (self.call_off, self.ask_call_off),
            (self.copy, self.copy_key), (self.leave, self.reject),
        ):  # fmt: skip
            button.clicked.connect(slot)
        for button in (self.write, self.hand_out):
            button.setProperty("look", "filled")
        self.view.selectionModel().currentRowChanged.connect(self._show_call_off)
        title = caption(tr("Your key"))
        title.setBuddy(self.key)
        self.key.setAccessibleName(tr("Your key"))
        self.key.setReadOnly(True)
        layout.addWidget(title)
        line = row()
        line.addWidget(self.key, 1)
        line.addWidget(self.copy)
        layout.addLayout(line)
        hint = tr("The lead who hands items out to you needs it. It is not a secret.")
        layout.addWidget(label(hint, ink="muted", size=theme.SMALL_PX, wrap=True))
        layout.addStretch(0)  # where there is no table, which else takes all the room
        foot.addStretch(1)
        foot.addWidget(self.leave)
        for part in (self.home, self.nothing, self.view, self.write, self.hand_out, self.call_off):
            part.hide()

    def _line(self, layout: QVBoxLayout, buttons: tuple[QPushButton, ...]) -> None:
        line = row()
        for button in buttons:
            line.addWidget(button)
        line.addStretch(1)
        layout.addLayout(line)

    # -- what there is ----------------------------------------------------------------------

    def read(self) -> None:
        """Read what is out again."""
        work = partial(_read, self._context)
        self._context.ask(
            self, work, self._show, self.say_trouble, topic="packages", lane="background"
        )

    def _show(self, shown: _Packages) -> None:
        package, first = self.package(), self.shown is None
        self.shown = shown
        self.key.setText(shown.key)
        self.key.setCursorPosition(0)
        here = shown.home is not None
        lead = self._leads and not here
        if shown.home is not None:
            self.home.setText(_home_words(shown.home))
        self.home.setVisible(here)
        self.write.setVisible(here)
        self.about.setVisible(not here)
        self.take_in.setVisible(not here)
        self.hand_out.setVisible(lead)
        self.call_off.setVisible(lead and bool(shown.out))
        self.nothing.setVisible(lead and not shown.out)
        self.view.setVisible(bool(shown.out))
        self._show_out(shown.out)
        names = [one.package for one in shown.out]
        if names:
            self.view.selectRow(names.index(package.package) if package in shown.out else 0)
        self._show_call_off()
        if first:
            begin = self.write if here else self.hand_out if lead else self.copy
            self.focus_first(begin)
            self.enter_presses(begin)
        self.make_room()

    def _show_out(self, out: tuple[PackageOut, ...]) -> None:
        columns = (
            Column(tr("Person"), 140),
            Column(tr("Handed out"), 100, short=True),
            Column(tr("Until"), 100, short=True),
            Column(tr("Items"), 70, number=True),
            Column(tr("Decided"), 80, number=True),
            Column(tr("Skipped"), 80, number=True),
            Column(tr("Still out"), 80, number=True),
            Column(tr("Lead"), 110),
        )
        rows = [
            (one.person, one.made, one.until,
             *map(i18n.number, (one.items, one.decided, one.skipped, one.held)), one.lead)
            for one in out
        ]  # fmt: skip
        self.table.show_rows(columns, rows)
        self.view.fit_columns()

    def package(self) -> PackageOut | None:
        """The package in front."""
        place = self.view.currentIndex().row()
        out = self.shown.out if self.shown is not None else ()
        return out[place] if 0 <= place < len(out) else None

    def _show_call_off(self, _now: object = None, _before: object = None) -> None:
        package = self.package()
        self.call_off.setEnabled(package is not None and package.held > 0)

    def copy_key(self) -> None:
        """Put one's own key into the clipboard."""
        QApplication.clipboard().setText(self.key.text())
        self._context.say(tr("Your key is copied."))

    # -- out --------------------------------------------------------------------------------

    def open_hand_out(self) -> None:
        """Ask for whom, how many and until when."""
        if self.shown is not None and self.shown.team is not None:
            dialog = HandOutDialog(self._context, self.shown.team, self)
            dialog.handed.connect(self._on_handed)
            dialog.open()

    def _on_handed(self, path: str, made: HandedOut) -> None:
        self._context.say(
            trn(
                "{path} contains 1 item for {name}, until {day}.",
                "{path} contains {n} items for {name}, until {day}.",
                len(made.items), path=path, name=made.person, day=made.until,
            )
        )  # fmt: skip
        self.read()

    def ask_call_off(self) -> None:
        """Say what calling off does, and ask."""
        package = self.package()
        if package is None:
            return
        says = (
            trn("1 item that {name} has not decided goes back to everybody.",
                "{n} items that {name} has not decided go back to everybody.",
                package.held, name=package.person),
            tr("Decisions that {name} still sends back are accepted if the item has room "
               "for one more.", name=package.person),
        )  # fmt: skip
        title = tr("Call off the package for {name}?", name=package.person)
        agreed = partial(self._call_off, package.package)
        ConfirmDialog(self, title, says, tr("Call off"), agreed).open()

    def _call_off(self, package: str, _reason: str) -> None:
        context = self._context
        work = partial(call_off, context.workspace, package, context.person.name)
        context.write(self, work, self._on_called_off, self.say_trouble)

    def _on_called_off(self, count: int) -> None:
        self._context.say(
            trn("1 item went back to everybody.", "{n} items went back to everybody.", count)
        )
        self.read()

    # -- back -------------------------------------------------------------------------------

    def choose_file(self) -> None:
        """Ask which file came back."""
        ask_which(self, tr("Import the decisions of a package"), self.bring_in)

    def bring_in(self, path: str) -> None:
        """Take in what was decided in a file; what came of it is shown."""
        self.trouble.hide()
        self.take_in.setEnabled(False)
        context = self._context
        work = partial(bring_in, context.workspace, Path(path), context.person.name)
        context.write(self, work, self._on_brought, self._on_not_brought)

    def _on_brought(self, came: BroughtIn) -> None:
        self.take_in.setEnabled(True)
        BroughtInDialog(self._context, came, self).open()
        self.read()

    def _on_not_brought(self, sentence: str) -> None:
        self.take_in.setEnabled(True)
        self.say_trouble(sentence, self.take_in)

    def choose_back(self) -> None:
        """Ask where what was decided here should go."""
        name = f"{self._context.person.name}-decided.package"
        ask_where(self, tr("Save the decisions"), name, self.write_back)

    def write_back(self, path: str) -> None:
        """Write what was decided here into a new file for who handed the items out."""
        self.trouble.hide()
        context = self._context
        work = partial(give_back, context.workspace, Path(path), context.person.name)
        context.ask(self, work, partial(self._on_written, path), self.say_trouble)

    def _on_written(self, path: str, returned: ReturnedPackage) -> None:
        self._context.say(
            trn("{path} contains 1 decision. Send it to {lead}.",
                "{path} contains {n} decisions. Send it to {lead}.", len(returned.decisions),
                path=path, lead=self.shown.home.lead if self.shown and self.shown.home else "")
        )  # fmt: skip
        self.reject()


def _about() -> str:
    return tr(
        "For people who work without a connection: the next items that wait for them, in a file "
        "that only they can open. They decide on their own computer and send a file back."
    )


def _home_words(home: PackageHome) -> str:
    return trn(
        "Here is 1 item that {lead} handed out to {name}, until {day}. When you are done, write "
        "what was decided into a file and send it back.",
        "Here are {n} items that {lead} handed out to {name}, until {day}. When you are done, "
        "write what was decided into a file and send it back.",
        home.items, lead=home.lead, name=home.person, day=home.until,
    )  # fmt: skip
