"""Adding somebody, or changing their role, account and whether they work now."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit, QPushButton, QWidget

from core.i18n import tr
from core.workflow import logins, team
from core.workflow.people import PersonInfo
from core.workflow.rights import ROLES
from core.workflow.team import Member, MemberChange
from core.workflow.workspace import Workspace
from gui import labels, theme
from gui.context import WindowContext
from gui.widgets.elements import label
from gui.widgets.sheet import Sheet
from gui.widgets.steady_fields import ChoiceBox

WORKING, PAUSED, GONE = "working", "paused", "gone"


def _change(
    ws: Workspace, name: str, change: MemberChange, password: str, actor: str
) -> PersonInfo:
    if password:
        logins.check_password(password)
    person = team.change_member(ws, name, change, actor)
    if password:
        logins.set_password(ws, name, password, actor)
    return person


class PersonDialog(Sheet):
    """``saved`` is emitted with the ``PersonInfo``. Whoever adds somebody stays who they are."""

    saved = Signal(object)

    def __init__(
        self, context: WindowContext, member: Member | None, known: tuple[str, ...], parent: QWidget
    ) -> None:
        title = tr("Add a person") if member is None else tr("Change {name}", name=member.name)
        super().__init__(parent, title, (520, 360))
        self._context, self._member = context, member
        self._seen = member
        self._known = {name.casefold() for name in known}
        self.name, self.account, self.reason = QLineEdit(), QLineEdit(), QLineEdit()
        self.password = QLineEdit(self)
        self.role, self.state = ChoiceBox(), ChoiceBox()
        self.cancel = QPushButton(tr("Cancel"))
        self.save = QPushButton(tr("Add") if member is None else tr("Save"))
        self._build()
        self._fill()
        self.focus_first(self.name if member is None else self.role)
        self.enter_presses(self.save)

    def _build(self) -> None:
        layout, last = self.with_body(margin=20, spacing=10)
        self._form = form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.name.setMaxLength(80)
        for role in ROLES:
            self.role.addItem(labels.word(labels.ROLES, role), role)
        for state, words in (
            (WORKING, tr("at work")),
            (PAUSED, tr("paused: gets no new items")),
            (GONE, tr("no longer works here")),
        ):
            self.state.addItem(words, state)
        server = self._context.workspace.has_logins
        self.account.setPlaceholderText(
            tr("like the name") if server else tr("only for a shared workspace")
        )
        self.password.setVisible(server)
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        if self._member is not None:
            self.password.setPlaceholderText(tr("empty: stays as it is"))
        self.reason.setPlaceholderText(tr("shown to the person"))
        for words, field in (
            (tr("Name"), self.name),
            (tr("Role"), self.role),
            (tr("Login on the server") if server else tr("Login on this computer"), self.account),
            *([(tr("New password"), self.password)] if server else []),
            (tr("State"), self.state),
            (tr("Reason for the pause"), self.reason),
        ):
            field.setAccessibleName(words)
            form.addRow(words, field)
        layout.addLayout(form)
        hint = tr("When somebody stops working here, the items they hold go back to the others.")
        self._gone_hint = label(hint, ink="muted", size=theme.SMALL_PX, wrap=True)
        layout.addWidget(self._gone_hint)
        layout.addStretch(1)
        self.save.setProperty("look", "filled")
        last.addStretch(1)
        for button in (self.cancel, self.save):
            last.addWidget(button)
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self.run)
        self.state.currentIndexChanged.connect(self._on_state)

    def _fill(self) -> None:
        member = self._member
        if member is not None:
            self.name.setText(member.name)
            self.name.setReadOnly(True)
            self.role.setCurrentIndex(self.role.findData(member.role))
            self.account.setText(member.account)
            state = GONE if not member.active else WORKING if member.pause is None else PAUSED
            self.state.setCurrentIndex(self.state.findData(state))
            self.reason.setText(member.pause or "")
        self._on_state()

    def _on_state(self, _index: int = 0) -> None:
        """Ask for what the state needs; who is added begins at work."""
        state = self.state.currentData()
        self._form.setRowVisible(self.state, self._member is not None)
        self._form.setRowVisible(self.reason, state == PAUSED)
        self._gone_hint.setVisible(state == GONE)

    def run(self) -> None:
        """Save what is chosen; what is wrong is said here."""
        name = self.name.text().strip()
        if self._member is None and name.casefold() in self._known:
            self._fail(tr("{name} is in the list already.", name=name))
            return
        state = self.state.currentData()
        role, account, active = self.role.currentData(), self.account.text().strip(), state != GONE
        member = self._member
        change = MemberChange(  # what was left as it was may have been changed elsewhere meanwhile
            role=None if member is not None and role == member.role else role,
            account=None if member is not None and account == member.account else account,
            active=None if member is not None and active == member.active else active,
            pause=self._pause() if state == PAUSED else None,
            resume=state == WORKING and self._was_paused(),
            seen=self._seen,
        )
        context = self._context
        work = partial(
            _change, context.workspace, name, change, self.password.text(), context.person.name
        )
        self.save.setEnabled(False)
        context.write(self, work, self._on_saved, self._fail)

    def _was_paused(self) -> bool:
        return self._member is not None and self._member.pause is not None

    def _pause(self) -> str | None:
        """The reason, where it is a new one: gold items' own pause stays theirs."""
        reason = self.reason.text().strip()
        member = self._member
        same = member is not None and member.pause == reason
        return None if same else reason

    def _on_saved(self, person: PersonInfo) -> None:
        self.saved.emit(person)
        self.drop()

    def _fail(self, sentence: str) -> None:
        self._seen = None  # who saves again has read what others changed
        self.save.setEnabled(True)
        self.say_trouble(sentence, self.role if self.name.isReadOnly() else self.name)
