"""The team: everybody with role, state and load; who is given which tasks, and until when."""

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from core.i18n import listed, sentences, tr, trn
from core.workflow import team
from core.workflow.check import gold, qualification
from core.workflow.people import PersonInfo
from core.workflow.team import Member, TaskShare, Team
from core.workflow.workspace import Workspace
from gui import i18n, labels
from gui.context import WindowContext
from gui.panels.base import Panel
from gui.panels.team.assign_dialog import AssignDialog
from gui.panels.team.invite_dialog import InviteDialog
from gui.panels.team.person_dialog import PersonDialog
from gui.widgets.elements import column, heading, label, row, scrolled
from gui.widgets.table_model import Column, TableModel
from gui.widgets.table_view import ReadingTable

_TABLE_PX = 190
Failed = dict[str, tuple[str, ...]]
"""The tasks whose qualification round somebody did not pass, by name."""


class TeamPanel(Panel):
    """Two tables, people and assigned tasks, each with what can be done below its title."""

    topics = ("people", "benchmarks", "decisions", "items")

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.shown: Team | None = None
        self._shares: tuple[TaskShare, ...] = ()
        self._failed: Failed = {}
        self.answer = heading()
        self.stranded = label("", ink="reject", wrap=True)
        self.people, self.shares = TableModel((), self), TableModel((), self)
        self.people_table, self.share_table = ReadingTable(self.people), ReadingTable(self.shares)
        self.nobody = label(
            tr("No task is assigned yet: everybody is given items of every task."), ink="muted",
            wrap=True,
        )  # fmt: skip
        self._wanted = ""
        """Whose row comes to the front once everybody is read again; empty: it stays."""
        self._build()

    def _build(self) -> None:
        page = QWidget()
        page.setProperty("look", "page")
        column(self).addWidget(scrolled(page))
        layout = column(page, margin=24, spacing=10)
        self.answer.setWordWrap(True)
        layout.addWidget(self.answer)
        layout.addWidget(self.stranded)
        self.add, self.change = QPushButton(tr("Add a person…")), QPushButton(tr("Change…"))
        self.invite, self.assign = QPushButton(tr("Invite…")), QPushButton(tr("Assign tasks…"))
        self.again = QPushButton(tr("Let them try again"))
        self.again.setToolTip(tr("They did not pass a qualification round and may start it again."))
        self.packages = QPushButton(tr("Work packages…"))
        self.add.setProperty("look", "filled")
        self._line(layout, (
            (self.add, self.open_add), (self.change, self.open_change),
            (self.invite, self.open_invite), (self.assign, self.open_assign),
            (self.again, self.let_try_again), (self.packages, self.open_packages),
        ))  # fmt: skip
        self.context.actions.bind("add-person", self, self.open_add)
        self.context.actions.bind("assign-tasks", self, self.open_assign, self._has_tasks)
        self.bind_button("change-person", self.change)
        self.bind_button("invite", self.invite)
        self.people_table.setAccessibleName(tr("People"))
        self.people_table.setMinimumHeight(_TABLE_PX)
        self.people_table.doubleClicked.connect(self.open_change)
        layout.addWidget(self.people_table, 3)
        layout.addWidget(label(tr("Assigned tasks"), bold=True))
        layout.addWidget(self.nobody)
        self.edit_share = QPushButton(tr("Change the assignment…"))
        self.drop_share = QPushButton(tr("Take the task away"))
        self._line(layout, (
            (self.edit_share, self.open_share), (self.drop_share, self.remove_share),
        ))  # fmt: skip
        self.bind_button("change-assignment", self.edit_share)
        self.share_table.setAccessibleName(tr("Assigned tasks"))
        self.share_table.setMinimumHeight(_TABLE_PX)
        self.share_table.doubleClicked.connect(self.open_share)
        layout.addWidget(self.share_table, 2)
        for table in (self.people_table, self.share_table):
            table.selectionModel().currentRowChanged.connect(self._show_buttons)
        self.setFocusProxy(self.people_table)

    def _line(
        self, layout: QVBoxLayout, buttons: tuple[tuple[QPushButton, Callable[[], None]], ...]
    ) -> None:
        line = row()
        for button, slot in buttons:
            button.clicked.connect(slot)
            line.addWidget(button)
        line.addStretch(1)
        layout.addLayout(line)

    # -- reading ----------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read everybody and their load again."""
        context = self.context
        work = partial(_read, context.workspace, context.person.name, context.benchmark)
        context.ask(self, work, self._show, context.complain, topic="team", lane="background")

    def _show(self, read: tuple[Team, Failed]) -> None:
        person, share = self.member(), self.share()
        shown, self._failed = read
        self.shown, self._shares = shown, shown.shares
        self.answer.setText(_answer(shown))
        stranded = _stranded(shown)
        self.stranded.setVisible(bool(stranded))
        self.stranded.setText(stranded)
        self._show_people(shown)
        self._show_shares()
        names = [member.name for member in shown.members]
        wanted = self._wanted or (person.name if person is not None else self.context.person.name)
        self._wanted = ""
        if names:
            self.people_table.selectRow(names.index(wanted) if wanted in names else 0)
        keys = [(entry.task, entry.person) for entry in self._shares]
        key = (share.task, share.person) if share is not None else None
        if keys:
            self.share_table.selectRow(keys.index(key) if key in keys else 0)
        self._show_buttons()

    def _show_people(self, shown: Team) -> None:
        columns = (
            Column(tr("Name"), 140),
            Column(tr("Role"), 100, short=True),
            Column(tr("State"), 160, least=100),
            Column(tr("In hand"), 80, number=True),
            Column(tr("Reviewed"), 90, number=True),
            Column(tr("Assigned tasks"), 220),
            Column(tr("Next deadline"), 110, short=True),
        )
        rows = [
            (
                member.name, labels.word(labels.ROLES, member.role),
                _state(member, self._failed.get(member.name, ())),
                i18n.number(member.holds), i18n.number(member.done),
                listed(share.task for share in member.shares) or "–",
                member.next_due.isoformat() if member.next_due is not None else "–",
            )
            for member in shown.members
        ]  # fmt: skip
        self.people.show_rows(columns, rows)
        self.people_table.fit_columns()

    def _show_shares(self) -> None:
        columns = (
            Column(tr("Task"), 200),
            Column(tr("Person"), 140),
            Column(tr("Reviewed"), 90, number=True),
            Column(tr("Quota"), 80, number=True),
            Column(tr("Waiting in the task"), 130, number=True),
            Column(tr("Due"), 110, short=True),
            Column(tr("State"), 110, short=True),
        )
        rows = [
            (
                share.task, share.person, i18n.number(share.done),
                "–" if share.most is None else i18n.number(share.most),
                i18n.number(share.waiting),
                "–" if share.due is None else share.due.isoformat(), share_state(share),
            )
            for share in self._shares
        ]  # fmt: skip
        self.shares.show_rows(columns, rows)
        self.share_table.fit_columns()
        self.nobody.setVisible(not rows)
        for part in (self.share_table, self.edit_share, self.drop_share):
            part.setVisible(bool(rows))

    def member(self) -> Member | None:
        """The person in front."""
        place = self.people_table.currentIndex().row()
        members = self.shown.members if self.shown is not None else ()
        return members[place] if 0 <= place < len(members) else None

    def share(self) -> TaskShare | None:
        """The share in front."""
        place = self.share_table.currentIndex().row()
        return self._shares[place] if 0 <= place < len(self._shares) else None

    def _show_buttons(self, _now: object = None, _before: object = None) -> None:
        for button in (self.change, self.invite):
            button.setEnabled(self.member() is not None)
        member = self.member()
        self.again.setVisible(member is not None and member.name in self._failed)
        self.assign.setEnabled(self._has_tasks())
        for button in (self.edit_share, self.drop_share):
            button.setEnabled(self.share() is not None)

    # -- acting -----------------------------------------------------------------------------

    def open_add(self) -> None:
        """Add somebody; who works here stays the same."""
        self._open_person(None)

    def open_change(self) -> None:
        """Change the role, the login or the state of the person in front."""
        if (member := self.member()) is not None:
            self._open_person(member)

    def _open_person(self, member: Member | None) -> None:
        known = tuple(m.name for m in self.shown.members) if self.shown is not None else ()
        dialog = PersonDialog(self.context, member, known, self)
        dialog.saved.connect(self._on_person)
        dialog.open()

    def _on_person(self, person: PersonInfo) -> None:
        role = labels.word(labels.ROLES, person.role)
        self.context.say(tr("Saved: {name}, {role}.", name=person.name, role=role))
        self._wanted = person.name
        self.refresh()

    def open_invite(self) -> None:
        """The words that tell the person in front where the workspace is."""
        member, context = self.member(), self.context
        if member is None:
            return
        work = partial(_invitation, context.workspace, member.name, context.person.name)
        done = partial(self._show_invitation, member.name)
        context.ask(self, work, done, context.complain, topic="invitation")

    def _show_invitation(self, name: str, found: tuple[str, str]) -> None:
        text, note = found
        InviteDialog(self.context, name, text, self, note).open()

    def _has_tasks(self) -> bool:
        return self.shown is not None and bool(self.shown.tasks)

    def open_assign(self) -> None:
        """Assign tasks, first of all to the person in front."""
        member = self.member()
        self._open_assign((), (member.name,) if member is not None and member.active else ())

    def open_share(self) -> None:
        """Change the quota or the day of the share in front."""
        if (share := self.share()) is not None:
            self._open_assign((share.task,), (share.person,))

    def let_try_again(self) -> None:
        """Let the person in front start again the qualification rounds that they did not pass."""
        member, context = self.member(), self.context
        if member is not None:
            work = partial(gold.lift_pause, context.workspace, context.person.name, member.name)
            context.write(self, work, partial(self._on_again, member.name), context.complain)

    def _on_again(self, name: str, _done: None) -> None:
        tasks = listed(self._failed.get(name, ()))
        self.context.say(
            tr("{name} may try the qualification round of {tasks} again.", name=name, tasks=tasks)
        )
        self.refresh()

    def open_packages(self) -> None:
        """What is out in work packages, handing out and taking in."""
        self.context.actions.action("packages").trigger()

    def _open_assign(self, tasks: tuple[str, ...], names: tuple[str, ...]) -> None:
        if self.shown is not None:
            dialog = AssignDialog(self.context, self.shown, self, tasks, names)
            dialog.assigned.connect(self._on_assigned)
            dialog.open()

    def _on_assigned(self) -> None:
        self.context.say(tr("The tasks are assigned."))
        self.refresh()

    def remove_share(self) -> None:
        """Take the task in front from the person in front; the last one opens it to everybody."""
        share, context = self.share(), self.context
        if share is None:
            return
        work = partial(
            team.unassign, context.workspace, [share.task], [share.person], context.person.name,
            benchmark=share.benchmark,
        )  # fmt: skip
        context.write(self, work, partial(self._on_removed, share), context.complain)

    def _on_removed(self, share: TaskShare, left: tuple[TaskShare, ...]) -> None:
        if left:
            text = tr("{task} is no longer assigned to {name}.", task=share.task, name=share.person)
        else:
            text = tr(
                "{task} is no longer assigned to anybody: everybody is given its items again.",
                task=share.task,
            )
        self.context.say(text)
        self.refresh()

    def ready(self) -> bool:
        """Whether everybody is on the screen."""
        return not self.stale and self.shown is not None


def _read(ws: Workspace, person: str, benchmark: str) -> tuple[Team, Failed]:
    failed: Failed = {}
    for result in qualification.results(ws, person, benchmark):
        if result.standing.state == "failed":
            failed[result.person] = (*failed.get(result.person, ()), result.task)
    return team.team(ws, person, benchmark), failed


def _stranded(shown: Team) -> str:
    """Which tasks are given to nobody, or to fewer people than an item needs."""
    says = list(team.too_few_reviewers(shown, shown.tasks))
    if shown.stranded:
        nobody = tr("Items of {tasks} are given to nobody: whoever they are assigned to is away or "
                    "has reached the quota.", tasks=listed(shown.stranded))  # fmt: skip
        says.insert(0, nobody)
    return sentences(says)


def _invitation(ws: Workspace, name: str, person: str) -> tuple[str, str]:
    """The text for somebody, and what who sends it has to do first."""
    return team.invitation(ws, name, person), team.closed_to_others(ws)


def _state(member: Member, failed: tuple[str, ...]) -> str:
    if not member.active:
        return tr("no longer works here")
    if member.pause is None:
        return tr("not qualified: {tasks}", tasks=listed(failed)) if failed else tr("at work")
    return tr("paused: {reason}", reason=member.pause) if member.pause else tr("paused")


def share_state(share: TaskShare) -> str:
    """How a share stands: done, overdue or open."""
    if share.is_met:
        return tr("done")
    return tr("overdue") if share.is_late() else tr("open")


def _answer(shown: Team) -> str:
    """The state of the team in one sentence."""
    working = [m for m in shown.members if m.active and m.pause is None]
    late = sum(share.is_late() for share in shown.shares)
    said = trn("1 person at work", "{n} people at work", len(working))
    if not late:
        return tr("{people}, nothing is overdue", people=said)
    overdue = trn("1 assignment is overdue", "{n} assignments are overdue", late)
    return tr("{people}, {overdue}", people=said, overdue=overdue)
