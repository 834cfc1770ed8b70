"""The menus of the top bar: other workspaces, other benchmarks, and what concerns the person."""

from functools import partial

from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton

from core.i18n import tr, trn
from core.workflow import people
from core.workflow.backups import backup_files
from core.workflow.rights import Action
from gui import labels, processes
from gui.context import WindowContext
from gui.widgets.elements import face, tip
from gui.window.frame import TopBar


class TopMenus(QObject):
    """Opens a menu below the name that was clicked."""

    def __init__(self, context: WindowContext, top: TopBar, location: str) -> None:
        super().__init__(top)
        self.benchmarks: tuple[str, ...] = ()
        """What can be chosen; the poll renews it."""
        self._context = context
        self._top = top
        self._location = location
        top.workspace_clicked.connect(self._open_workspaces)
        top.benchmark_clicked.connect(self._open_benchmarks)
        top.person_clicked.connect(self._open_person)
        self._backs_up = context.may(Action.BACK_UP) and not context.workspace.is_server
        if self._backs_up:
            context.actions.bind("backup", top, self._back_up)
        if context.may(Action.REVIEW):
            context.actions.bind("packages", top, self._open_packages)
        if context.may(Action.EDIT_PROTOCOL):
            context.actions.bind("protocols", top, self._open_protocols)

    def _open_workspaces(self) -> None:
        menu = self._menu()
        for location in self._context.preferences.recent:
            entry = menu.addAction(face(location))
            entry.setToolTip(tip(location))
            entry.setData(location)
            entry.setEnabled(location != self._location)
            entry.triggered.connect(self._on_workspace)
        menu.addSeparator()
        menu.addAction(self._context.actions.action("open"))
        for command_id in ("packages", "backup"):
            if command_id in self._context.actions.bound():
                menu.addAction(self._context.actions.action(command_id))
        self._pop(menu, self._top.workspace)

    def _open_packages(self) -> None:
        from gui.dialogs.work_packages import WorkPackagesDialog

        WorkPackagesDialog(self._context, self._top.parentWidget() or self._top).open()

    def _open_protocols(self) -> None:
        from gui.dialogs.protocols import ProtocolsDialog

        ProtocolsDialog(self._context, self._top.parentWidget() or self._top).open()

    def _back_up(self) -> None:
        context = self._context
        context.say(tr("Backing up …"))
        work = partial(backup_files.make, context.workspace, context.person.name)
        context.ask(self, work, self._on_backed_up, context.complain, topic="backup",
                    lane="background")  # fmt: skip

    def _on_backed_up(self, made: backup_files.Backup) -> None:
        if made.problem:
            self._context.complain(
                tr("Backed up to {path}, but the workspace is not sound: {detail}",
                   path=made.path, detail=made.problem)
            )  # fmt: skip
            return
        self._context.say(
            trn("Backed up to {path}: verified, 1 event.",
                "Backed up to {path}: verified, {n} events.", made.events or 0, path=made.path)
        )  # fmt: skip

    def _on_workspace(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            processes.open_window(str(action.data()))

    def _open_benchmarks(self) -> None:
        menu = self._menu()
        for name in self.benchmarks:
            entry = menu.addAction(face(name))
            entry.setToolTip(tip(name))
            entry.setData(name)
            entry.setCheckable(True)
            entry.setChecked(name == self._context.benchmark)
            entry.triggered.connect(self._on_benchmark)
        if not self.benchmarks:
            menu.addAction(tr("no benchmark yet")).setEnabled(False)
        self._pop(menu, self._top.benchmark)

    def _on_benchmark(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self._context.choose_benchmark(str(action.data()))

    def _open_person(self) -> None:
        menu = self._menu()
        role = labels.word(labels.ROLES, self._context.person.role)
        menu.addAction(role).setEnabled(False)
        menu.addAction(
            people.sharing_sentence(self._context.shared, self._context.workspace)
        ).setEnabled(False)
        if self._context.may(Action.CHANGE_PEOPLE) and not self._context.workspace.is_server:
            sharing = menu.addAction(tr("Accounts of the operating system decide who acts"))
            sharing.setCheckable(True)
            sharing.setChecked(self._context.shared)
            sharing.triggered.connect(self._share)
        menu.addSeparator()
        for command_id in (
            "person", "theme", "language", "formulas", "settings", "keys", "help",
        ):  # fmt: skip
            menu.addAction(self._context.actions.action(command_id))
        self._pop(menu, self._top.person)

    def _share(self, shared: bool) -> None:
        context = self._context
        work = partial(people.set_shared, context.workspace, shared, context.person.name)
        context.write(self, work, partial(self._on_shared, shared), context.complain)

    def _on_shared(self, shared: bool, _nothing: None) -> None:
        self._context.shared = shared
        self._context.say(people.sharing_sentence(shared))

    def _menu(self) -> QMenu:
        menu = QMenu(self._top)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def _pop(self, menu: QMenu, button: QPushButton) -> None:
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))
