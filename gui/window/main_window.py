"""The window: assembles what stands in it, opens the workspace, and ends in stages. No logic."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from core.accounts import login
from core.i18n import language_from_environment, tr
from gui import i18n, preferences, processes, theme
from gui.preferences import Preferences
from gui.tasks import Tasks
from gui.window.opening_notice import OpeningNotice
from gui.window.window_number import WindowNumber

if TYPE_CHECKING:
    from core.workflow.people import PersonInfo
    from core.workflow.workspace import Workspace
    from gui.window.opening import OpenWorkspace, PasswordWanted
    from gui.window.opening_pages import PersonChooser
    from gui.window.start_forms import StartOrder
    from gui.window.start_page import StartPage
    from gui.window.workbench import Workbench

SMALLEST = (960, 500)
"""Pixels of the smallest window: half of a screen of 1920×1080 at 200%, less its bars."""

_TITLE = 40
"""Pixels of the highest title bar that window managers are known to put above a window."""


@dataclass(frozen=True, slots=True)
class _Before:
    """Who worked here, and in which place, before somebody else was to be chosen."""

    person: "PersonInfo"
    front: str


class MainWindow(QMainWindow):
    """One window on one workspace."""

    at_work = Signal(object)
    """The ``Workbench``, each time one was put into the window."""

    def __init__(self, location: str, kept: Preferences, *, keeping: bool = True) -> None:
        """``keeping`` false leaves the person's own preferences as they are."""
        super().__init__()
        self._keeping = keeping
        self.ended_well = True
        """False when something was still stuck in a worker after the window had closed."""
        self.location = location
        self._shown = _as_shown(location)
        self.tasks = Tasks(self)
        self._preferences = kept
        self._stored = kept  # as other windows may know them
        self._number: WindowNumber | None = None
        self._seat: WindowNumber | None = None
        """Which of this person's windows it is: the last one gives back what they hold."""
        self._workspace: Workspace | None = None
        self._benchmarks: tuple[str, ...] = ()
        self._person: PersonInfo | None = None
        self._wanted = ""
        self._before: _Before | None = None
        self._shared = False
        self._finished = ""
        self._package = ""
        self.workbench: Workbench | None = None
        self._start: StartPage | None = None
        self._chooser: PersonChooser | None = None
        self.setWindowTitle(tr("Benchseal"))
        self.setMinimumSize(QSize(*SMALLEST).boundedTo(self.screen().availableSize()))
        self.resize(*kept.size)

    def fit(self, screen: QSize) -> None:
        """Become no larger than a screen, in pixels, with the title above the window."""
        self.resize(self.size().boundedTo(screen - QSize(0, _TITLE)))

    # -- opening ----------------------------------------------------------------------------

    def open_(self, person: str = "", *, lead: str | None = None, package: str = "") -> None:
        """Open the workspace off the window's thread; ``person`` begins at once when known.

        ``lead`` is who makes it, None to open one that is there; ``package`` is the file of the
        work package that it is made of.
        """
        self._wanted = person
        if self._start_page is None:
            self.setCentralWidget(OpeningNotice(self._shown))
        self._package = package
        work = partial(_open, self.location, lead, person, package)
        self.tasks.run(self, work, self._on_opened, self._on_trouble)

    @property
    def _start_page(self) -> "StartPage | None":
        """The start page, while it is what the window shows."""
        return self._start if self.centralWidget() is self._start else None

    def show_start(self, chosen: str = "") -> "StartPage":
        """The start page, with the form of a way in front; empty: of the likeliest."""
        from gui.window.opening import missing_places
        from gui.window.start_page import StartPage

        page = self._start = StartPage(self._preferences.recent, chosen)
        page.open_wanted.connect(self._on_start_order)
        page.language_wanted.connect(self._on_start_language)
        self.setCentralWidget(page)
        page.focus_form()
        work = partial(missing_places, self._preferences.recent)
        self.tasks.run(page, work, page.mark_missing, _nothing, lane="background")
        return page

    def _on_start_order(self, order: "StartOrder") -> None:
        self.location = order.location
        self._shown = _as_shown(order.location)
        self.open_(lead=order.lead, package=order.package)

    def _on_start_language(self, code: str) -> None:
        self._keep(self._preferences.model_copy(update={"language": code}))
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        i18n.use_language(app, code)
        theme.apply(app, self._preferences.theme)
        if self._start_page is not None:
            self._start_page.dispose()
        self.show_start()

    def _on_opened(self, opened: "OpenWorkspace | PasswordWanted") -> None:
        from gui.window.opening import PasswordWanted

        if isinstance(opened, PasswordWanted):
            page = self._start_page or self.show_start("join")
            page.ask_password(self._shown, opened.sentence)
            return
        self._preferences = self._preferences.opened(self._shown)
        self._workspace = opened.workspace
        self._benchmarks = opened.benchmarks
        self._shared = opened.shared
        self._finished = opened.finished
        self._keep(self._preferences)
        name = self._wanted or self._only(opened.people)
        known = next((person for person in opened.people if person.name == name), None)
        if known is not None:
            self.work_as(known)
        elif name:
            self._add((name, None))
        else:
            self._choose_person(opened.people)

    def _tell_of_version(self) -> None:
        """Once, to whoever is the first to work there."""
        assert self._workspace is not None
        if self._package and self.workbench is not None:
            self._package = ""
            says = tr(
                "These items were handed out to you. When you are done, write what you decided "
                "into a file and send it back."
            )
            self.workbench.context.say(says, tr("Work packages…"), "packages")
        if (saved := self._workspace.saved_before_upgrade) and self.workbench is not None:
            from core.workflow.upgrade_backup import upgraded

            self._workspace.saved_before_upgrade = None
            self.workbench.context.say(upgraded(saved))
        if self._finished and self.workbench is not None:
            self.workbench.context.say(self._finished)
            self._finished = ""
        if self._workspace.is_newer and self.workbench is not None:
            from core.workflow.store_sentences import newer_read_only

            self.workbench.context.say(newer_read_only(self._workspace.place.folder))

    def _only(self, people: "tuple[PersonInfo, ...]") -> str:
        """Whoever works there alone under this account is not asked who they are."""
        assert self._workspace is not None
        own = self._workspace.login if self._workspace.has_logins else login()
        alone = len(people) == 1 and people[0].account == own
        return people[0].name if alone else ""

    def _on_trouble(self, sentence: str) -> None:
        from gui.window.opening_pages import OpenFailure

        if self._start_page is not None:
            self._start_page.complain(sentence)
            return
        can_make = "://" not in self.location and not Path(self.location).exists()
        failure = OpenFailure(sentence, can_make)
        failure.other_wanted.connect(self.choose_workspace)
        failure.make_wanted.connect(self._make)
        failure.again_wanted.connect(self._again)
        self.setCentralWidget(failure)
        failure.focus_first()

    def _again(self) -> None:
        self.open_(self._wanted)

    def _make(self, lead: str) -> None:
        self.open_(lead, lead=lead)

    def choose_workspace(self) -> None:
        """Ask for another workspace: here while none is open, else in a window of its own."""
        if self._workspace is None:
            self.show_start("open")
        else:
            processes.open_window()

    # -- people -----------------------------------------------------------------------------

    def _choose_person(self, people: "tuple[PersonInfo, ...]", newest: str = "") -> None:
        from gui.window.opening_pages import PersonChooser

        assert self._workspace is not None
        self._let_go()
        self._person = None
        self._workspace.person = ""
        own = next((person.name for person in people if person.account == login()), "")
        newest = newest or self._preferences.person.get(self._shown, own)
        page = self._chooser = PersonChooser(people, newest, can_stay=self._before is not None)
        page.stay_wanted.connect(self._stay)
        page.chosen.connect(self._on_person)
        page.added.connect(self._add)
        self._people = people
        self._know_benchmark()
        self._clear()
        self.setCentralWidget(page)

    @property
    def _person_chooser(self) -> "PersonChooser | None":
        """The page of who works here, while it is what the window shows."""
        return self._chooser if self.centralWidget() is self._chooser else None

    def _on_person(self, name: str) -> None:
        self.work_as(next(person for person in self._people if person.name == name))

    def _add(self, name_and_role: tuple[str, str | None]) -> None:
        name, role = name_and_role
        assert self._workspace is not None
        actor = self._before.person.name if self._before is not None else ""
        from gui.window.opening import add_and_list

        work = partial(add_and_list, self._workspace, name, role, actor)
        self.tasks.run(self, work, self._on_added, self._on_not_added, write=True)

    def _on_added(self, added: "tuple[PersonInfo, tuple[PersonInfo, ...]]") -> None:
        person, everybody = added
        if self._wanted or self._before is None:
            self.work_as(person)
            return
        self._choose_person(everybody, person.name)
        if self._person_chooser is not None:
            self._person_chooser.say_added(person.name)

    def _on_not_added(self, sentence: str) -> None:
        if self._person_chooser is not None:
            self._person_chooser.complain(sentence)
        else:
            self._on_trouble(sentence)

    def _change_person(self) -> None:
        assert self._workspace is not None
        if self._workspace.has_logins:
            self._sign_out()
            return
        from core.workflow import people

        work = partial(people.who_can_work, self._workspace)
        self.tasks.run(self, work, self._on_change_person, self._on_trouble)

    def _sign_out(self) -> None:
        """Who works on a server is who signs in: back to the form that asks for it."""
        assert self._workspace is not None
        self._let_go()
        self._anchor()
        self._clear()
        left, self._workspace, self._person = self._workspace, None, None
        if self._number is not None:
            self._number.release()
            self._number = None
        self.tasks.run(self, left.close, _nothing, _nothing, write=True)
        self.setWindowTitle(tr("Benchseal"))
        self.show_start("join").sign_in(self._shown)

    def _on_change_person(self, known: "tuple[PersonInfo, ...]") -> None:
        if self.workbench is not None and self._person is not None:
            self._before = _Before(self._person, self.workbench.front)
        self._choose_person(known)

    def _stay(self) -> None:
        """Whoever worked here goes on, in the place where they were."""
        if self._before is not None:
            before, self._before = self._before, None
            self.work_as(before.person, before.front)

    # -- working ----------------------------------------------------------------------------

    def work_as(self, person: "PersonInfo", front: str = "") -> None:
        """Put the workbench of one person into the window, with a place in front."""
        assert self._workspace is not None
        self._person = person
        self._workspace.person = person.name
        self._keep(self._preferences.with_person(self._shown, person.name))
        self._before = None
        self._set_up(front)

    def _set_up(self, front: str = "") -> None:
        from gui.window.workbench import Workbench

        assert self._workspace is not None
        assert self._person is not None
        self._know_benchmark()
        self._clear()
        workbench = Workbench(
            self._workspace,
            self._shown,
            self._person,
            self.tasks,
            self._preferences,
            theme.tokens(self._preferences.theme),
        )
        workbench.context.shared = self._shared
        wanted = self._preferences.benchmark.get(self._shown, "")
        known = self._benchmarks
        workbench.context.choose_benchmark(wanted if wanted in known else known[0] if known else "")
        workbench.preferences_changed.connect(self._keep)
        workbench.remade.connect(self._remake)
        workbench.person_change_wanted.connect(self._change_person)
        workbench.other_workspace_wanted.connect(self.choose_workspace)
        self.workbench = workbench
        self.setCentralWidget(workbench)
        self._number = self._number or WindowNumber(self._shown)
        self._seat = self._seat or WindowNumber(f"{self._shown}\n{self._person.name}")
        self.setWindowTitle(self._title())
        workbench.start()
        if front:
            workbench.show_panel(front)
        self.at_work.emit(workbench)
        self._tell_of_version()

    def _know_benchmark(self) -> None:
        """The benchmark in front may have been made since the workspace was opened."""
        front = self.workbench.context.benchmark if self.workbench is not None else ""
        if front and front not in self._benchmarks:
            self._benchmarks = (front, *self._benchmarks)

    def _title(self) -> str:
        """The workspace and who works there; a second window on it says that it is the second."""
        assert self._workspace is not None
        assert self._person is not None
        title = tr("{workspace} · {person} – Benchseal", workspace=self._workspace.title,
                   person=self._person.name)  # fmt: skip
        number = self._number.number if self._number is not None else 1
        if number == 1:
            return title
        return tr("{title} ({number})", title=title, number=number)

    def _remake(self, preferences: Preferences) -> None:
        """Another theme or language: the same place in a new dress."""
        front = self.workbench.front if self.workbench else ""
        self._keep(preferences)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        i18n.use_language(app, preferences.language or language_from_environment())
        theme.use_family(preferences.font)
        theme.apply(app, preferences.theme)
        self._set_up(front)

    def _clear(self) -> None:
        if self.workbench is not None:
            self.workbench.stop()
            self.workbench = None
        old = self.takeCentralWidget()
        if isinstance(old, QWidget):
            old.hide()
            old.deleteLater()

    def _keep(self, kept: Preferences) -> None:
        self._preferences = kept
        if not self._keeping:
            return
        work = partial(preferences.save, kept, self._stored)
        self._stored = kept
        self.tasks.run(self, work, _nothing, _nothing, lane="background")

    # -- ending -----------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        """Refuse new work, finish what is being written, give the database back, go."""
        if self._start_page is not None:
            self._start_page.dispose()
        size = self.size()
        kept = self._preferences.model_copy(update={"size": (size.width(), size.height())})
        self._keep(self.workbench.remember(kept) if self.workbench is not None else kept)
        self.hide()
        if self.workbench is not None:
            self.workbench.stop()
        self._let_go()
        self._anchor()
        self.ended_well = self.tasks.close()
        if self._workspace is not None:
            self._workspace.close()
        if self._number is not None:
            self._number.release()
        event.accept()

    def _anchor(self) -> None:
        """Whoever leaves takes a signed receipt of the ledger with them."""
        if self._keeping and self._workspace is not None and self._person is not None:
            from core.workflow.anchors import anchors

            work = partial(anchors.make, self._workspace, self._person.name)
            self.tasks.run(self, work, _nothing, _nothing, write=True)

    def _let_go(self) -> None:
        """What this person holds undecided goes back to the others, unless a decision on some of it
        waits here to be sent, or another window has it in front: then claims run out by
        themselves."""
        seat, self._seat = self._seat, None
        alone = seat is None or seat.is_alone
        if seat is not None:
            seat.release()
        if not alone or (self.workbench is not None and self.workbench.context.link.waiting):
            return
        if self._workspace is not None and self._person is not None:
            from core.workflow.check import leases

            work = partial(leases.release, self._workspace, self._person.name)
            self.tasks.run(self, work, _nothing, _nothing, write=True)


def _open(
    location: str, lead: str | None, person: str, package: str
) -> "OpenWorkspace | PasswordWanted":
    """As ``opening.open_workspace``, whose imports are work for the background as well."""
    from gui.window.opening import open_workspace

    return open_workspace(location, lead, person, package)


def _as_shown(location: str) -> str:
    """As ``shown_address``; what is not an address is shown as it is."""
    if "://" not in location:
        return location
    from core.workflow.workspace import shown_address

    return shown_address(location)


def _nothing(_value: object) -> None:
    """For what is no reason to bother anybody: preferences not kept, claims that run out."""
