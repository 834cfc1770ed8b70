"""The state of the connection: in the status line, as a notice, and in the outbox."""

from datetime import datetime

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.i18n import tr, trn
from core.workflow.check.outbox import SendReport
from gui.context import WindowContext
from gui.widgets.elements import tip
from gui.window.frame import StatusLine


class ConnectionState(QObject):
    """Shows whether the workspace's server answers; for a file, whether it can be read."""

    def __init__(self, context: WindowContext, status: StatusLine, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._status, self._over = context, status, parent
        link = context.link
        link.lost.connect(self._on_lost)
        link.back.connect(self._on_back)
        link.changed.connect(self._show)
        if link.keeps:
            context.actions.bind("outbox", parent, self.open_outbox)

    def say_answered(self) -> None:
        """The workspace was read."""
        if not self._context.link.is_lost:
            self._say(tr("connected ●"), "accept", "")

    def say_silent(self, sentence: str) -> None:
        """The workspace could not be read."""
        if self._context.link.is_lost:
            self._show()
        else:
            self._say(tr("not connected ○"), "reject", sentence)

    def saved_words(self) -> str:
        """A line saying when everything was saved, and where."""
        time = f"{datetime.now().astimezone():%H:%M}"
        if self._context.link.waiting:
            return tr("saved on this computer ✓ {time}", time=time)
        return tr("saved ✓ {time}", time=time)

    def _say(self, text: str, ink: str, why: str) -> None:
        self._status.say_connected(text, ink)
        self._status.connected.setToolTip(tip(why))

    def _show(self) -> None:
        link = self._context.link
        if not link.is_lost:
            return
        words = tr("not connected ○")
        if link.answers:
            words = trn("not sent ○ 1 decision waits here", "not sent ○ {n} decisions wait here",
                        link.waiting)  # fmt: skip
        elif link.waiting:
            words = trn(
                "not connected ○ 1 decision waits here",
                "not connected ○ {n} decisions wait here",
                link.waiting,
            )
        self._say(words, "reject", link.sentence)

    def _on_lost(self) -> None:
        self._show()
        if not self._context.link.keeps:
            return
        if self._context.link.answers:
            self._context.say(
                tr(
                    "{trouble} Continue with the items that are here: your decisions are kept on "
                    "this computer until the server accepts them.",
                    trouble=self._context.link.sentence,
                )
            )
        else:
            self._context.say(
                tr(
                    "The server does not answer. Continue with the items that are here: your "
                    "decisions are kept on this computer and sent when it is back."
                )
            )

    def _on_back(self, report: SendReport) -> None:
        self.say_answered()
        if report.refused:
            self._context.say(
                trn("1 decision was not taken by the server.",
                    "{n} decisions were not taken by the server.", len(report.refused)),
                tr("Show…"), "outbox",
            )  # fmt: skip
        elif report.sent:
            self._context.say(
                trn("Connected again: 1 decision was sent.",
                    "Connected again: {n} decisions were sent.", len(report.sent))
            )  # fmt: skip

    def open_outbox(self) -> None:
        """What waits here, and what the server did not take."""
        from gui.dialogs.outbox import OutboxDialog

        OutboxDialog(self._context, self._over).open()
