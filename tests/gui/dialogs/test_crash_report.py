"""A failure is offered at the next start, once, and what it says can be copied."""

import logging
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from core import crash_reports
from gui.dialogs.crash_report import CrashReportDialog, offer_reports
from tests.gui.scene import LEAD, Scene, bench_of


def test_a_report_is_offered_once_and_says_what_was_done(
    scene: Scene, small_place: Path, home: Path, logged_errors: list[logging.LogRecord]
):
    assert crash_reports.start() is not None
    try:
        window = scene.open(small_place, LEAD)
        bench_of(window).show_panel("my_work")
        bench_of(window).actions_.action("guideline").trigger()
        bench_of(window).context.tasks.run(window, lambda: {}["Li"], lambda _value: None)
        scene.until(lambda: bool(crash_reports.waiting()))
    finally:
        crash_reports.stop()
    offer_reports(window)
    dialog = window.findChild(CrashReportDialog)
    said = dialog.report.toPlainText()
    assert "place my_work" in said
    assert "command guideline" in said
    assert "builtins.KeyError" in said
    assert "Li" not in said.replace("Linux", "")
    dialog.copy_button.click()
    assert QGuiApplication.clipboard().text() == said
    with scene.qtbot.waitSignal(dialog.destroyed):
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert crash_reports.waiting() == []
    offer_reports(window)
    assert window.findChild(CrashReportDialog) is None
    assert list(crash_reports.reports_folder().glob("seen-*.txt"))
    assert crash_reports.reports_folder().is_relative_to(home)
