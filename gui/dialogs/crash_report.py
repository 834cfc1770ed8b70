"""The report of a failure, offered at the next start: to read, to copy, never sent."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from core import crash_reports
from core.i18n import tr
from gui import theme
from gui.widgets.elements import heading, label
from gui.widgets.sheet import Sheet


class CrashReportDialog(Sheet):
    """The newest report, and where it lies; closing puts all of them away."""

    def __init__(self, reports: Sequence[Path], parent: QWidget) -> None:
        super().__init__(parent, tr("Report of a failure"), (760, 520))
        self._reports = tuple(reports)
        body, foot = self.with_body()
        title = heading(tr("Benchseal failed and had to stop something."))
        title.setWordWrap(True)
        says = label(
            tr("Your saved work is safe. This report says where in the program it happened and "
               "which commands came before; items, names, addresses and keys are not in it. It "
               "stays on this computer and is sent to nobody. Whoever looks after Benchseal can "
               "use it."),
            ink="muted", wrap=True,
        )  # fmt: skip
        self.report = QPlainTextEdit()
        self.report.setReadOnly(True)
        self.report.setProperty("look", "log")
        self.report.setFont(theme.font(theme.SMALL_PX, monospace=True))
        self.report.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.report.setMinimumHeight(160)
        self.report.setTabChangesFocus(True)
        self.report.setAccessibleName(tr("Report of a failure"))
        self.report.setPlainText(reports[0].read_text(encoding="utf-8", errors="replace"))
        place = label(str(reports[0]), ink="muted", size=theme.SMALL_PX, wrap=True, selectable=True)
        for part in (title, says):
            body.addWidget(part)
        body.addWidget(self.report, 1)
        body.addWidget(place)
        self.copy_button = QPushButton(tr("Copy the report"))
        self.copy_button.setAutoDefault(False)
        self.copy_button.clicked.connect(self._copy)
        self.close_button = QPushButton(tr("Close"))
        self.close_button.clicked.connect(self.reject)
        foot.addStretch(1)
        foot.addWidget(self.copy_button)
        foot.addWidget(self.close_button)
        self.focus_first(self.close_button)
        self.enter_presses(self.close_button)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report.toPlainText())

    def done(self, result: int) -> None:
        """Closed in whichever way: the reports are kept and not offered again."""
        for path in self._reports:
            if path.exists():
                crash_reports.put_away(path)
        super().done(result)


def offer_reports(parent: QWidget) -> None:
    """Show the newest report that nobody has looked at, where there is one."""
    if reports := crash_reports.waiting():
        CrashReportDialog(reports, parent).open()
