"""What was decided without the server: what waits on this computer, and what was not taken."""

from dataclasses import dataclass

from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from core.i18n import sentences, tr, trn
from core.workflow.check.outbox import KeptDecision, SendReport, what_of
from gui import labels, theme
from gui.context import WindowContext
from gui.server_link import ServerLink
from gui.widgets.elements import breakable, caption, label
from gui.widgets.sheet import Sheet


@dataclass(frozen=True, slots=True)
class _Journal:
    report: SendReport
    place: str
    is_encrypted: bool


def _read(link: ServerLink) -> _Journal:
    return _Journal(link.outbox.read(), link.outbox.place, link.outbox.is_encrypted)


def line_of(kept: KeptDecision) -> str:
    """One decision in words: its item, the verdict with what was said, and why it was not taken."""
    verdict = labels.word(labels.VERDICT_NAMES, kept.verdict) if kept.verdict else what_of(kept)
    words = tr("{verdict} #{number}", verdict=verdict, number=kept.number)
    said = " · ".join(
        part for part in (labels.word(labels.REASONS, kept.reason), kept.note) if part
    )
    words = f"{words} · {said}" if said else words
    return f"{words}\n    {kept.refusal}" if kept.refusal else words


class OutboxDialog(Sheet):
    """Esc leaves everything as it is."""

    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent, tr("Decisions that wait on this computer"), (640, 480))
        self._context, self._tokens = context, tuple[str, ...]()
        layout, foot = self.with_body()
        self.waiting, self.refused = label("", wrap=True), label("", wrap=True)
        self.page = QPlainTextEdit()
        self.page.setReadOnly(True)
        self.page.setTabChangesFocus(True)
        self.page.setAccessibleName(tr("Decisions"))
        self.where = label("", ink="muted", size=theme.SMALL_PX, wrap=True)
        for part in (self.waiting, self.refused, caption(tr("Decisions"))):
            layout.addWidget(part)
        layout.addWidget(self.page, 1)
        layout.addWidget(self.where)
        self.forget = QPushButton(tr("Forget those that were not taken"))
        self.forget.clicked.connect(self._forget)
        self.again = QPushButton(tr("Try again now"))
        self.again.clicked.connect(context.link.try_now)
        self.leave = QPushButton(tr("Close"))
        self.leave.clicked.connect(self.reject)
        foot.addWidget(self.forget)
        foot.addStretch(1)
        foot.addWidget(self.again)
        foot.addWidget(self.leave)
        self.focus_first(self.page)
        self.enter_presses(self.leave)
        context.link.changed.connect(self.read)
        context.link.back.connect(self.read)
        self.read()

    def read(self) -> None:
        """Read the journal; the server is not asked."""
        link = self._context.link
        self.again.setEnabled(link.is_lost)
        self._context.tasks.run(
            self, lambda: _read(link), self._show, self._context.complain, topic="outbox",
            lane="background",
        )  # fmt: skip

    def _show(self, journal: _Journal) -> None:
        report = journal.report
        self._tokens = tuple(kept.token for kept in report.refused)
        self.waiting.setText(
            trn("1 decision waits to be sent.", "{n} decisions wait to be sent.",
                len(report.waiting))
        )  # fmt: skip
        self.refused.setText(
            trn("1 decision was not taken by the server. Decide on the item again if it still "
                "waits for you.",
                "{n} decisions were not taken by the server. Decide on the items again if they "
                "still wait for you.", len(report.refused))
        )  # fmt: skip
        self.refused.setVisible(bool(report.refused))
        self.page.setPlainText("\n".join(map(line_of, (*report.refused, *report.waiting))))
        place = breakable(journal.place)
        says = [
            tr("They are kept in {path}, encrypted with a key from your keyring.", path=place)
            if journal.is_encrypted
            else tr(
                "They are kept in {path}, which only your account can read. It is not encrypted, "
                "because this computer has no keyring.",
                path=place,
            )
        ]
        if report.unread:
            says.append(
                trn("1 line of it cannot be read with the key of this keyring.",
                    "{n} lines of it cannot be read with the key of this keyring.", report.unread)
            )  # fmt: skip
        self.where.setText(sentences(says))
        self.forget.setVisible(bool(self._tokens))

    def _forget(self) -> None:
        self._context.link.put_away(self._tokens)
